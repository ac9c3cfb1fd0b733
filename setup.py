# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pyproject.toml can't say: the compiler comes from CMake.

The wheel has the Python module, the shared library it loads, and the script that
writes object files, as `cmake --install` puts them. LLVM's and MLIR's libraries are
the system's. QBACKEND_BUILD is a build directory that is complete, to be taken as it
is; by default one is made. CMAKE_ARGS are further options for that.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # That of setuptools before 70.1.
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent
#: Folders of the build whose installation the wheel has.
PARTS = ("python", "lib/Interfaces/CAPI")
#: The library goes by the name that its users look for.
FILES = re.compile(
    r"_native\..*\.so|compile-to-object\.py|libQBackendCAPI\.so\.\d+\.\d+")


def read_version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(QBackend VERSION ([\d.]+)", text)[1]


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        given = os.environ.get("QBACKEND_BUILD")
        build = pathlib.Path(given or self.build_temp).resolve()
        if not given:
            options = shlex.split(os.environ.get("CMAKE_ARGS", ""))
            self.call("cmake", "-G", "Ninja", "-S", ROOT, "-B", build,
                      f"-DPython3_EXECUTABLE={sys.executable}", *options)
            self.call("cmake", "--build", build, "--target", "qbackend-python")
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).parent
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as stage:
            for part in PARTS:
                self.call("cmake", f"-DCMAKE_INSTALL_PREFIX={stage}", "-P",
                          build / part / "cmake_install.cmake")
            for path in pathlib.Path(stage).rglob("*"):
                if FILES.fullmatch(path.name):
                    shutil.copy(path, target / path.name)

    def call(self, *command):
        subprocess.run([str(part) for part in command], check=True)


class WheelOfAnySource(bdist_wheel):
    """The same permissions whatever those of the sources are, which are a matter of
    who unpacked them."""

    def write_wheelfile(self, *arguments, **options):
        super().write_wheelfile(*arguments, **options)
        for path in pathlib.Path(self.bdist_dir).rglob("*"):
            executable = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if executable else 0o644)


# What setuptools writes stays out of the source, whose `build` is CMake's.
scratch = tempfile.mkdtemp()
try:
    setup(
        version=read_version(),
        ext_modules=[Extension("qbackend._native", [])],
        cmdclass={"build_ext": BuildWithCMake, "bdist_wheel": WheelOfAnySource},
        options={
            "build": {"build_base": scratch},
            "egg_info": {"egg_base": scratch},
        },
    )
finally:
    shutil.rmtree(scratch, ignore_errors=True)
