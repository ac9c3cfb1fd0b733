# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The test suite: .mlir and .test files with RUN lines. The GoogleTest programs
# are a suite of their own, in Unit; so are the tests of the Python package.

import ctypes
import os
import platform
import shutil
import subprocess
import sys

import lit.formats
import lit.util
from lit.llvm import llvm_config


config.name = "qbackend"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "Inputs", "golden", "reference", "Unit", "Python"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.qbackend_obj_root, "test")

# What hangs fails, and does not keep the others' results back. It needs psutil.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = lit_config.maxIndividualTestTime or 1200

if config.python_package:
    config.available_features.add("python-package")
    # What makes and installs a wheel without a network.
    builds = subprocess.run(
        [config.package_python, "-c", "import setuptools, wheel, pip"],
        stderr=subprocess.DEVNULL,
    )
    if builds.returncode == 0:
        config.available_features.add("pip")
# What builds the site: MkDocs, and its theme.
themes = subprocess.run(
    [config.package_python, "-c", "import mkdocs.utils\nprint(mkdocs.utils.get_theme_names())"],
    capture_output=True,
    text=True,
)
if "material" in themes.stdout:
    config.available_features.add("mkdocs")
# What qbackend-prove asks.
if shutil.which("z3"):
    config.available_features.add("z3")
if platform.machine() == "x86_64":
    config.available_features.add("x86")
# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION): --sandbox.
if ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1:
    config.available_features.add("landlock")
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("aarch64-emulator")
# What runs the programs of examples/firmware: Debian's packages are 8 to 50 MB each.
for feature, tools in {
    "cortex-m-emulator": ["qemu-system-arm", "arm-none-eabi-gcc"],
    "riscv32-emulator": ["qemu-system-riscv32", "riscv64-unknown-elf-gcc", "ld.lld-22"],
    "wasm-runner": ["node", "wasm-ld-22"],
    "xtensa-emulator": ["qemu-system-xtensa", "xtensa-lx106-elf-gcc"],
}.items():
    if all(map(shutil.which, tools)):
        config.available_features.add(feature)
# What runs the pages of reports.
if shutil.which("chromium"):
    config.available_features.add("chromium")
# What cpack finds the dependencies of a Debian package with.
if shutil.which("dpkg-shlibdeps"):
    config.available_features.add("dpkg-shlibdeps")
config.substitutions.append(("%package_python", config.package_python))
config.substitutions.append(("%python_install_dir", config.python_install_dir))
config.substitutions.append(("%qbackend_src_root", config.qbackend_src_root))
config.substitutions.append(("%qbackend_obj_root", config.qbackend_obj_root))
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(("%cmake", config.cmake_command))
config.substitutions.append(("%mlir_cmake_dir", config.mlir_cmake_dir))
config.substitutions.append(("%llvm_tools", config.llvm_tools_dir))

llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "NODE_PATH"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment(
    "PATH", os.path.join(config.qbackend_obj_root, "bin"), append_path=True
)
llvm_config.with_environment("QBACKEND_BUILD", config.qbackend_obj_root)

# ONNX Runtime, where node finds it: npm install --ignore-scripts onnxruntime-node.
for folder in os.environ.get("NODE_PATH", "").split(os.pathsep):
    if folder and os.path.isdir(os.path.join(folder, "onnxruntime-node")):
        config.available_features.add("onnxruntime-node")

if config.sanitizing_compiler:
    config.available_features.add("sanitizers")
    sys.path.insert(0, os.path.dirname(__file__))
    import sanitizers

    for name, value in sanitizers.ENVIRONMENT.items():
        llvm_config.with_environment(name, value)
    # Programs from elsewhere that load, or link, what is built here; and what
    # the build makes by running it.
    config.excludes += ["Package", "entry-points.test", "documentation.test"]
    config.available_features.discard("python-package")
