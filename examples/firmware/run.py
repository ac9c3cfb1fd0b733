#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles networks for microcontrollers and runs their self-tests in emulators.

    run.py [--networks lenet5,FILE] [--targets cortex-m4,wasm32] [--work DIR]

A network is one of shapes.py, one of examples/networks, which is quantized first, or a
file that compile-to-object.py takes, with what --apply-backend says. Target c is the
host with its C compiler, and xtensa the core of an ESP8266; they get the file of C, as
the other ones but wasm32 do with --emit=c. Prints, for each network and
target, whether the integers are those of the host, what flash and RAM it takes, and how
many instructions a multiply-accumulate; with --table, as a table in Markdown. A target
whose compiler or emulator is missing is skipped, with the name of the package of Debian
that has it. Ends with 1 if any integer differs, and with 2 if nothing has run.

The emulator counts instructions, not cycles: it has no pipeline, caches or wait states.
A Cortex-M0+ and an M33 have no machine with enough RAM in QEMU 7.2, so that their code
runs on an M3 and an M7, which have the same instructions and more.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import shapes

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def load_module(name):
    """A module of the package, without the package around it."""
    spec = importlib.util.spec_from_file_location(
        name, ROOT / f"python/qbackend/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)
    spec.loader.exec_module(module)
    return module


interface, firmware = load_module("c_interface"), load_module("firmware")
#: Those of examples/networks, and the file of examples/data that has their samples.
NETWORKS = {"lenet5": "mnist_digits.npz", "resnet8": "fashion_mnist.npz",
            "mbv2tiny": "fashion_mnist.npz"}


class Runner(NamedTuple):
    """How a program of a target is linked and run."""

    emulator: str
    machine: str
    script: str
    #: Hundredths of an instruction in a tick of what counts.
    tick: int = 100
    flags: str = ""
    #: Options of the emulator.
    cpu: str = ""


ARM, RISCV = "qemu-system-arm", "qemu-system-riscv32"
XTENSA = "qemu-system-xtensa"
#: What every file of C is compiled with.
C_FLAGS = ["-O2", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror"]
RUNNERS = {
    "cortex-m0plus": Runner(ARM, "mps2-an385", "mps2.ld", 4000),
    "cortex-m3": Runner(ARM, "mps2-an385", "mps2.ld", 4000),
    "cortex-m4": Runner(ARM, "mps2-an386", "mps2.ld", 4000),
    "cortex-m7": Runner(ARM, "mps2-an500", "mps2.ld", 4000),
    "cortex-m33": Runner(ARM, "mps2-an500", "mps2.ld", 4000),
    "cortex-m55": Runner(ARM, "mps3-an547", "mps3.ld", 3125),
    "rv32imac": Runner(RISCV, "virt", "virt.ld",
                       flags="-march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany"),
    "rv32imafc": Runner(RISCV, "virt", "virt.ld",
                        flags="-march=rv32imafc_zicsr -mabi=ilp32f -mcmodel=medany"),
    "rv32imafdcv": Runner(RISCV, "virt", "virt.ld",
                          flags="-march=rv32imafdc_zicsr -mabi=ilp32d -mcmodel=medany",
                          cpu="-cpu rv32,v=true,vext_spec=v1.0,vlen=128"),
    "wasm32": Runner("node", "", ""),
    "c": Runner("cc", "", ""),
    "xtensa": Runner(XTENSA, "sim", "xtensa.ld", 2500, "-mtext-section-literals",
                     "-cpu lx106"),
}
#: What is only compiled from C.
FROM_C = ("c", "xtensa")
BOARDS = {ARM: ["cortex_m.c"], RISCV: ["riscv.c"],
          XTENSA: ["xtensa.c", "xtensa_floats.c"]}
#: The packages of Debian that have the tools.
PACKAGES = {"cc": "gcc", ARM: "qemu-system-arm", RISCV: "qemu-system-misc", "node": "nodejs",
            "arm-none-eabi-gcc": "gcc-arm-none-eabi",
            "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
            XTENSA: "qemu-system-misc",
            "xtensa-lx106-elf-gcc": "gcc-xtensa-lx106", "wasm-ld-22": "lld-22",
            "ld.lld-22": "lld-22"}
#: Those that have a C library for a compiler.
LIBRARIES = {"arm-none-eabi-gcc": "libnewlib-arm-none-eabi",
             "riscv64-unknown-elf-gcc": "picolibc-riscv64-unknown-elf",
             "xtensa-lx106-elf-gcc": "picolibc-xtensa-lx106-elf"}
TOOLS = {ARM: ["arm-none-eabi-gcc"], RISCV: ["riscv64-unknown-elf-gcc", "ld.lld-22"],
         "node": ["wasm-ld-22"], "cc": [], XTENSA: ["xtensa-lx106-elf-gcc"]}


def run(*command, status=0):
    """What `command` prints on both streams; ends if it doesn't end with `status`."""
    try:
        result = subprocess.run([str(part) for part in command], text=True, timeout=300,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return "FAIL: no end after 300 s"
    except OSError as error:
        sys.exit(f"run.py: error: cannot start '{command[0]}': {error.strerror}; name "
                 "the builds with --build and --llvm")
    if status is not None and result.returncode != status:
        sys.exit(f"run.py: error: {' '.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def find_missing(runner):
    for tool in [runner.emulator, *TOOLS[runner.emulator]]:
        if not shutil.which(tool):
            return f"no {tool}; Debian has it in {PACKAGES[tool]}"
    return None


def compile_c(name, compiler, flags, work):
    """The object of the file of C, as strict as a compiler can be."""
    made = work / f"{name}.o"
    run(compiler, *C_FLAGS, *flags, "-c", work / f"{name}.c", "-o", made)
    return made


def find_mathematics(compiler, flags, report):
    """The libraries with what the network calls of mathematics, such as the root of a
    layer norm; none if it calls nothing of that, or there are none."""
    calls = re.search(r"^calls +(.*)", report, re.M)[1].split(", ")
    if all(call.startswith(("mem", "__", "nothing")) for call in calls):
        return []
    found = pathlib.Path(run(compiler, *flags, "-print-file-name=libm.a").strip())
    if found.is_absolute():
        return [found, found.with_name("libc.a")]
    # One library has all of it.
    variant = run(compiler, *flags, "-print-multi-directory").strip()
    found = (pathlib.Path("/usr/lib/picolibc") / compiler.removesuffix("-gcc") / "lib" /
             variant / "libc.a")
    if found.exists():
        return [found]
    print(f"{compiler} has no mathematics for {', '.join(calls)}; Debian has them in "
          f"{LIBRARIES[compiler]}", file=sys.stderr)
    return []


def link(name, target, runner, work, is_c):
    """The program with the object `work`/`name`.o, or that of the file of C."""
    program = work / f"{name}.elf"
    if target == "c":
        run("cc", *C_FLAGS, compile_c(name, "cc", [], work), work / f"{name}_test.c",
            "-lm", "-o", program)
        return program
    if runner.emulator == "node":
        program = work / f"{name}.wasm"
        run("wasm-ld-22", "--no-entry", f"--export={name}", "--export=__heap_base",
            "--import-memory", "--initial-memory=16777216", work / f"{name}.o", "-o",
            program)
        return program
    flags = runner.flags.split() or firmware.MACHINES[target].flags.split()
    if is_c:
        compile_c(name, TOOLS[runner.emulator][0], ["-ffreestanding", *flags], work)
    if target == "cortex-m33":
        # What starts it runs on an M7; the network is M33 code.
        flags = ["-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard"]
    compiler = TOOLS[runner.emulator][0]
    common = [compiler, "-O2", "-std=gnu11", "-Wall", "-Werror", "-ffreestanding",
              "-fno-tree-loop-distribute-patterns", *flags, "-I", work,
              f"-DNANOSECONDS_BY_100={runner.tick}", f"-DNETWORK_TEST={name}_test",
              f"-D{name.upper()}_TEST_NO_MAIN"]
    sources = [HERE / "main.c", *(HERE / file for file in BOARDS[runner.emulator]),
               work / f"{name}_test.c"]
    # What only the assembler has a name for is no part of a library's folder.
    flags = [flag.removesuffix("_zicsr") for flag in flags]
    mathematics = find_mathematics(compiler, flags,
                                   (work / f"{name}_memory.txt").read_text())
    if runner.emulator != RISCV:
        run(*common, *sources, work / f"{name}.o", "-nostdlib", "-L", HERE, "-T",
            HERE / runner.script, "-Wl,--gc-sections,-z,noexecstack", *mathematics,
            "-lgcc", "-o", program)
        return program
    # GNU's linker of Debian 12 doesn't know the extensions that LLVM names.
    objects = []
    for source in sources:
        objects.append(work / f"{source.stem}.board.o")
        run(*common, "-c", source, "-o", objects[-1])
    library = run(compiler, *flags, "-print-libgcc-file-name").strip()
    run("ld.lld-22", *objects, work / f"{name}.o", *mathematics, library, "-L", HERE, "-T",
        HERE / runner.script, "--gc-sections", "-o", program)
    return program


def emulate(name, runner, program, work):
    if runner.emulator == "cc":
        return run(program, status=None)
    if runner.emulator == "node":
        return run("node", HERE / "wasm.mjs", program, work / f"{name}_test.c",
                   work / f"{name}.h", status=None)
    options = {ARM: ["-semihosting-config", "enable=on,target=native"],
               RISCV: ["-bios", "none"],
               XTENSA: ["-semihosting", "-monitor", "none"]}[runner.emulator]
    return run(runner.emulator, "-M", runner.machine, "-nographic", *options,
               *runner.cpu.split(), "-icount", "shift=0", "-kernel", program, status=None)


def quantize(network, args, work):
    """The quantized module of `network`, its name and its products."""
    build = pathlib.Path(args.build)
    backend = args.apply_backend
    source = pathlib.Path(network)
    if network in shapes.SHAPES or network in shapes.LAYERS:
        source = work / f"{network}.mlir"
        source.write_text(shapes.write(network))
        backend = None
    elif network in NETWORKS:
        source = work / f"{network}.mlir"
        run(sys.executable, ROOT / "examples/export.py",
            ROOT / f"examples/networks/{network}.npz", network, "--spelling", "linalg",
            "-o", source)
        data = ROOT / "examples/data" / NETWORKS[network]
        backend = f"qnnpack data={data}:calib_images input-scale=1/255"
    name = re.sub(r"\W", "_", source.name.split(".")[0])
    module = source
    if backend:
        module = work / f"{name}.quantized.mlirbc"
        optimizer = build / "bin/qbackend-opt"
        ends = "" if args.float_ends else interface.spell_quantized_ends(
            run(optimizer, "--mlir-print-op-generic",
                "--mlir-elide-elementsattrs-if-larger=16",
                "--mlir-elide-resource-strings-if-larger=16", source), "main")
        run(optimizer, f"--apply-backend={backend} lower-to=qnnpack{ends}", source,
            "--emit-bytecode", "-o", module)
    cost = run(build / "bin/qbackend-run", module, "--report=cost")
    products = sum(map(int, re.findall(
        r"^multiply-accumulates of \w+ +(\d+)", cost, re.M)))
    return module, name, products


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--networks", default=",".join(shapes.SHAPES))
    parser.add_argument("--targets", default=",".join(RUNNERS))
    parser.add_argument("--apply-backend", help="how networks of files are quantized")
    parser.add_argument("--float-ends", action="store_true",
                        help="inputs and outputs are float")
    parser.add_argument("--emit", choices=("firmware", "c"), default="firmware",
                        help="what compile-to-object.py makes")
    parser.add_argument("--table", action="store_true", help="print Markdown")
    parser.add_argument("--build", type=pathlib.Path,
                        default=os.environ.get("QBACKEND_BUILD", ROOT / "build"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--work", type=pathlib.Path)
    args = parser.parse_args()
    for target in args.targets.split(","):
        if target not in RUNNERS:
            parser.error(f"no target '{target}'; there are {', '.join(RUNNERS)}")
    work = args.work or args.build / "examples/firmware"
    work.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    if args.table:
        print("| network | target | flash: code | weights | arena | in use | stack | "
              "instructions | a product |\n|" + " --- |" * 9)
    for network in args.networks.split(","):
        module, name, products = quantize(network, args, work)
        for target in args.targets.split(","):
            runner = RUNNERS[target]
            missing = find_missing(runner)
            if missing:
                print(f"{name} {target}: skipped: {missing}")
                continue
            folder = work / (f"{target}-c" if args.emit == "c" else target)
            is_c = args.emit == "c" and target != "wasm32" or target in FROM_C
            emit = (["--emit", "c"] if is_c else
                    ["--emit", "firmware", "--target", target])
            run(sys.executable, ROOT / "utils/compile-to-object.py", module, "-o",
                folder / name, *emit, "--build", args.build, "--llvm", args.llvm,
                *(["--float-ends"] if args.float_ends else []))
            said = emulate(name, runner, link(name, target, runner, folder, is_c), folder)
            runs += 1
            passed = re.search(r"^PASS\r?$", said, re.M)
            failures += not passed
            memory = (folder / f"{name}_memory.txt").read_text()
            if is_c:
                # What the compiler makes of it, but for the constants.
                sizes = run(f"{args.llvm}/bin/llvm-size", folder / f"{name}.o")
                text = int(re.search(r"^ *(\d+)", sizes, re.M)[1])
                constants = int(re.search(r"flash +(\d+)", memory)[1])
                memory = memory.replace(f"flash    {constants} bytes of weights and ",
                                        f"code {text - constants} tables {constants}")
            numbers = [re.search(pattern, memory) for pattern in (
                r"code (\d+)", r"tables (\d+)", r"arena +(\d+)", r"most (\d+)",
                r"stack +(\d+)")]
            code, weights, arena, live, stack = (n[1] if n else "-" for n in numbers)
            count = re.search(r"^instructions (\d+)", said, re.M)
            per_product = f"{int(count[1]) / products:.2f}" if count else "-"
            instructions = count[1] if count else "-"
            if args.table:
                print(f"| {name} | {target} | {code} | {weights} | {arena} | {live} | "
                      f"{stack} | {instructions} | {per_product} |")
            else:
                print(f"{name} {target}: {'PASS' if passed else said.strip()}, code "
                      f"{code}, weights {weights}, arena {arena}, in use {live}, stack "
                      f"{stack}, instructions {instructions}, a product {per_product}")
            sys.stdout.flush()
    if failures:
        print(f"{failures} of {runs} failed", file=sys.stderr)
    return 1 if failures else 0 if runs else 2


if __name__ == "__main__":
    sys.exit(main())
