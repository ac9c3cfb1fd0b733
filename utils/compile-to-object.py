#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a network ahead of time: an object file and a C header.

    compile-to-object.py NETWORK -o DIR/NAME [--apply-backend "qnnpack ..."]

NETWORK is a file that qbackend-opt reads (.mlir, .mlirbc, .pt2, .onnx), in any form
that qbackend-run takes; the kernels of `qbackend-opt --apply-backend="...
lower-to=qnnpack"` are faster than linalg or TOSA. With --apply-backend, whose value
is that option's, it is the float network, which is quantized first. What lowers it
to LLVM is the pipeline that qbackend-run compiles with. DIR/NAME.o defines

    void NAME(const float *input, float *output, void *arena);

with a pointer to the elements of each argument and result, row-major, and
DIR/NAME.h declares it, with the shapes, the numbers of elements, and what quantized
ones stand for. The caller owns all of them, and an arena for what is in between, of
which the header has the size. With --self-test, DIR/NAME_test.c is a program for the
object that has one input and the bits that qbackend-run gives for it: it prints PASS,
or FAIL with the first difference, and then doesn't exit with 0.

With --emit=firmware and the --target of a microcontroller (see docs/Firmware.md),
inputs and outputs that are float are quantized ones, and there are a self-test,
DIR/NAME_memory.txt, which says what flash and RAM it takes, and DIR/NAME.cmake. With
--emit=c, there is DIR/NAME.c instead of the object, for compilers other than LLVM.

With --contract, products of floats aren't rounded before they are added: faster,
with other last bits, which depend on the processor. Integers don't.

With --parallel, NAME takes two arguments more: a function that calls a task for the
parts of a range, on as many threads as it has, and what it gets. What is large
enough is cut into parts; the results are the same whatever they are.

The object calls what a C compiler's would (memcpy, memset); operators that
stayed float may call libm, and those with shapes that are only known at run
time aligned_alloc and free.

qbackend-opt is taken from --build, everything else is a stock LLVM's.
examples/aot/main.c is a program that links the result.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import zipfile


#: What C or a linker takes for something else; functions that are called are found
#: when it is compiled.
RESERVED = set(
    "auto break case char const continue default do double else enum extern float for "
    "goto if inline int long register restrict return short signed sizeof static "
    "struct switch typedef union unsigned void volatile while asm bool class delete "
    "new this template true false namespace main memcpy memset memmove".split())


def fail(message):
    sys.exit(f"compile-to-object.py: error: {message}")


def load_module(name):
    """A module of the package that needs no package: it is beside this script where
    that is installed, and in the package's folder of the sources."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here, here.parent / "python" / "qbackend"):
        if (folder / f"{name}.py").exists():
            spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            sys.modules.setdefault(name, module)
            spec.loader.exec_module(module)
            return module
    fail(f"'{here}' has no {name}.py; run the script where it is in the sources or "
         "the installation")


class Terminated(BaseException):
    """SIGTERM came; what was begun is removed on the way out."""


def terminate(number, frame):
    raise Terminated


def run(command, text=None, is_text=True):
    """The output of `command`, as text or bytes; its remarks are passed on."""
    try:
        result = subprocess.run([str(part) for part in command],
                                input=None if text is None else text.encode(),
                                capture_output=True)
    except OSError as error:
        fail(f"cannot start '{command[0]}': {error.strerror}; name the builds with "
             "--build and --llvm")
    sys.stderr.write(result.stderr.decode(errors="replace"))
    if result.returncode != 0:
        fail(f"{pathlib.Path(command[0]).name} failed")
    return result.stdout.decode(errors="replace") if is_text else result.stdout


def make_inputs(buffers, data):
    """An array for each input: the first sample of `data`, whose floats are quantized
    for an input that is, or numbers of a seed: reals in [-1, 1), bytes of any value,
    other integers 0 or 1, which are indices of what there is."""
    import numpy as np

    random = np.random.default_rng(0)
    given = {}
    if data is not None:
        try:
            with np.load(data) as arrays:
                given = {key: arrays[key] for key in arrays}
        except (OSError, ValueError, AttributeError, EOFError,
                zipfile.BadZipFile) as error:
            fail(f"{data}: {error}; expected an .npz file")
        if len(given) != len(buffers):
            fail(f"{data} has {len(given)} arrays, expected one for each of "
                 f"{len(buffers)} inputs: {', '.join(b.name for b in buffers)}")
    by_name = all(b.name in given for b in buffers)
    results = []
    for index, buffer in enumerate(buffers):
        shape = [int(extent) for extent in buffer.shape]
        kind = np.dtype(buffer.numpy_type)
        if data is not None:
            name = buffer.name if by_name else list(given)[index]
            array = given[name]
            first = array[:shape[0]] if shape and array.ndim else array
            if buffer.qparams and first.dtype.kind == "f":
                first = np.clip(
                    np.rint(first / np.float32(buffer.qparams.scale)) +
                    buffer.qparams.zero_point,
                    np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)
            if list(first.shape) != shape or first.dtype != kind:
                fail(f"array '{name}' of {data} is {array.dtype} "
                     f"{list(array.shape)}, expected {kind} {shape}, or more "
                     "along the first dimension")
        elif kind.kind == "f":
            first = (random.random(shape) * 2 - 1).astype(kind)
        elif kind.itemsize == 1 and kind.kind in "iu":
            first = random.integers(-128, 128, shape).astype(np.int8).view(kind)
        else:
            first = random.integers(0, 2, shape).astype(kind)
        results.append(np.ascontiguousarray(first))
    return results


def run_network(runner, module, function, buffers, inputs, folder, contract):
    """The arrays that qbackend-run computes."""
    import numpy as np

    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        given = pathlib.Path(temporary, "inputs.npz")
        found = pathlib.Path(temporary, "outputs.npz")
        # By their place: their names are NumPy's. Lowered, bytes have no sign.
        np.savez(given, *(array.view(f"int{8 * array.itemsize}")
                          if array.dtype.kind == "u" else array
                          for array in inputs))
        run([runner, module, f"--entry={function}", f"--input={given}", "-o",
             found, *(["--contract"] if contract else [])])
        with np.load(found) as arrays:
            results = [arrays[f"output{i}"] for i in range(len(arrays.files))]
    for buffer, array in zip(buffers, results):
        if array.size != buffer.size:
            fail(f"qbackend-run gives {array.shape} for {buffer.name}, expected "
                 f"{buffer.describe()}")
    return [np.ascontiguousarray(array) for array in results]


def print_generic(optimizer, module):
    """The text of `module` without its weights."""
    return run([optimizer, "--mlir-print-op-generic",
                "--mlir-elide-elementsattrs-if-larger=16",
                "--mlir-elide-resource-strings-if-larger=16", module])


def quantize_ends(args, optimizer, interface):
    """What --apply-backend is told of arguments and results, which are all
    integers for the caller of firmware."""
    if args.emit == "object" or args.float_ends or "quantized-" in args.apply_backend:
        return ""
    return interface.spell_quantized_ends(print_generic(optimizer, args.module),
                                          args.function)


def report_memory(args, firmware, report):
    """Says what `report` has, where it is asked for, and ends where it is too much.
    Returns its text."""
    spelt = report.spell(args.output.name, args.target or "C11")
    if args.emit != "object":
        print(spelt, end="", flush=True)
    memories = args.memories
    problem = firmware.check_limits(
        report, args.max_arena if memories is None else memories.slow, args.max_flash)
    if problem:
        fail(problem)
    return spelt


def write_object(args, interface, firmware, lowered, buffers, output):
    """Writes the object of the module `lowered`. Returns its arenas, and its report, or
    None."""
    name = args.output.name
    optimizer = pathlib.Path(args.build) / "bin" / "qbackend-opt"
    tool = args.llvm / "bin"
    machine = firmware.MACHINES.get(args.target)
    if machine:
        cpu, triple, target_name = machine.cpu, machine.triple, ""
        features = ",".join(filter(None, [machine.features, args.features]))
    else:
        cpu = args.cpu or ("generic" if args.triple else "native")
        triple = args.triple or re.search(
            r"Default target: (\S+)", run([tool / "llc", "--version"])).group(1)
        features, target_name = args.features, args.target
    pipeline = f"bare-pointers target-triple={triple} target-cpu={cpu}"
    if features:
        pipeline += f" target-features={features}"
    if target_name:
        pipeline += f" target={target_name}"
    if args.parallel:
        pipeline += " parallel"
    if args.contract:
        pipeline += " contract"
    if args.memories:
        pipeline += f" fast-bytes={args.memories.fast}"
    text = run([optimizer, lowered, f"--qbackend-lower-to-llvm={pipeline}"])
    text = run([tool / "mlir-translate", "--mlir-to-llvmir"], text)
    arenas = firmware.read_arenas(text, args.function)
    floats = firmware.read_float_layers(text, args.function)
    if name != args.function and re.search(
            rf"^(?:define|declare) [^\n]*@{re.escape(name)}\(", text, re.MULTILINE):
        fail(f"'{name}' is a function that the object has or calls; choose another "
             "-o DIR/NAME")
    # The only symbol that is left, so that several networks can be linked.
    text = re.sub(rf"@{re.escape(args.function)}\b", f"@{name}", text)
    if machine:
        text = firmware.drop_unwinding(text)
    if args.weights_section:
        text = firmware.place_weights(text, args.weights_section)
    # Without a triple, opt knows nothing of the CPU's vectors.
    target = [f"-mtriple={triple}", f"-mcpu={cpu}", f"-mattr={features}"]
    # Rows of channels are short loops: they should be vectorized, not unrolled
    # first, which makes the object three times as large and no faster.
    # What LLVM may only call later.
    helpers = re.findall(r"^define weak hidden .*@(\w+)\(", text, re.MULTILINE)
    text = run([tool / "opt", "-S", *target, "-passes=internalize,default<O3>",
                "-unroll-threshold=50",
                f"-internalize-public-api-list={','.join([name, *helpers])}"], text)
    # Where it can't be written, llc would say that it crashed.
    object_file = output.with_suffix(".o")
    object_file.write_bytes(
        run([tool / "llc", *target, "-O3", "-filetype=obj",
             *(machine.code if machine else ["-relocation-model=pic"]),
             *(["--stack-size-section"] if machine else []), "-o", "-"],
            text, is_text=False))
    if (args.emit == "object" and args.max_arena is None and args.max_flash is None and
            args.memories is None):
        return arenas, None
    return arenas, firmware.Report(
        firmware.read_sizes(run([tool / "llvm-size", "-A", object_file]),
                            args.weights_section),
        arenas, [(b.name, b.size * b.item_size) for b in buffers],
        # LLVM doesn't count vectors of a length that the processor has.
        None if "+v" in features.split(",") else firmware.find_stack(
            run([tool / "llvm-readobj", "--stack-sizes", object_file]), text, name),
        sorted(set(run([tool / "llvm-nm", "-u", "-j", object_file]).split())),
        firmware.list_constants(text), floats)


def write_c(args, interface, firmware, lowered, buffers, output):
    """As write_object, a file of C."""
    name = args.output.name
    build = pathlib.Path(args.build) / "bin"
    loops = lowered.with_name("loops.mlirbc")
    pipeline = f"=fast-bytes={args.memories.fast}" if args.memories else ""
    run([build / "qbackend-opt", lowered, f"--qbackend-lower-to-c{pipeline}",
         "--emit-bytecode", "-o", loops])
    text = run([build / "qbackend-translate", "--qbackend-to-c", loops])
    if re.search(rf"\b{re.escape(name)}\b", text):
        fail(f"'{name}' is a name that the code has for something else; choose another "
             "-o DIR/NAME")
    generic = print_generic(build / "qbackend-opt", loops)
    arenas = firmware.read_arenas(generic, args.function)
    output.with_suffix(".c").write_text(interface.c_source(
        name, buffers, text, args.function, spell_source(args.module),
        args.weights_section, arenas.fast is not None))
    constants = firmware.list_c_constants(text)
    return arenas, firmware.Report(
        firmware.Sizes(None, sum(size for size, _ in constants)), arenas,
        [(b.name, b.size * b.item_size) for b in buffers], None,
        firmware.list_c_calls(text), constants,
        firmware.read_float_layers(generic, args.function))


def spell_source(module):
    """A line of what is written, whatever it is called."""
    return re.sub(r"[\x00-\x1f]", "_", module.name).replace("*/", "*_")


def compile_network(args, work, output):
    """Writes what `args` ask for, beside `output`; `work` is a folder for what is in
    between."""
    interface, firmware = load_module("c_interface"), load_module("firmware")
    name = args.output.name
    optimizer = pathlib.Path(args.build) / "bin" / "qbackend-opt"
    module = args.module
    if args.apply_backend:
        module = work / "quantized.mlirbc"
        form = "" if "lower-to=" in args.apply_backend else " lower-to=qnnpack"
        ends = quantize_ends(args, optimizer, interface)
        run([optimizer, f"--apply-backend={args.apply_backend}{form}{ends}",
             args.module, "--emit-bytecode", "-o", module])
    lowered = work / "lowered.mlirbc"
    # What is linked with a program must not call its functions, or store where it
    # likes: the second pass says what is compiled.
    run([optimizer, module, "--qbackend-execution-pipeline",
         f"--qbackend-isolate-network=entry={args.function}", "--emit-bytecode",
         "-o", lowered])
    try:
        buffers = interface.read_signature(print_generic(optimizer, lowered),
                                           args.function)
    except interface.Refused as error:
        fail(error)
    interface.read_qparams(print_generic(optimizer, module), args.function, buffers)
    write = write_c if args.emit == "c" else write_object
    arenas, report = write(args, interface, firmware, lowered, buffers, output)
    source = spell_source(args.module)
    linked = f"{name}.c" if args.emit == "c" else f"{name}.o"
    spelt = report_memory(args, firmware, report) if report else None
    if args.emit != "object":
        output.with_name(f"{name}_memory.txt").write_text(spelt)
        flags = firmware.MACHINES[args.target].flags if args.target else ""
        output.with_suffix(".cmake").write_text(
            firmware.cmake_file(name, source, linked, flags))
    output.with_suffix(".h").write_text(
        interface.header(name, buffers, arenas.size, source, args.target,
                         args.parallel, arenas.fast))
    if args.self_test is not None:
        arrays = make_inputs([b for b in buffers if b.is_input],
                             args.self_test or None)
        # Lowered, whose bytes have no sign either.
        arrays += run_network(optimizer.with_name("qbackend-run"), lowered,
                              args.function,
                              [b for b in buffers if not b.is_input], arrays, work,
                              args.contract)
        sections = (args.memories.slow_section, args.memories.fast_section
                    ) if args.memories else (None, None)
        program = output.with_name(f"{name}_test.c")
        program.write_text(
            interface.self_test(name, buffers, arrays, arenas.size, source,
                                args.parallel, linked, arenas.fast, sections))


def reserve_standard_streams():
    """A closed one would be the number of the next file, and of a tool's pipe."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stderr = sys.stderr or open(2, "w")


def check_target(args, firmware):
    """Ends where options contradict each other, and fills in what one implies."""
    if args.emit == "c":
        for option in ("target", "triple", "cpu", "features", "parallel", "contract"):
            if getattr(args, option):
                fail(f"--emit=c is for any processor, and one thread; leave --{option} "
                     "out")
    elif args.target in firmware.MACHINES:
        for option in ("triple", "cpu"):
            if getattr(args, option):
                fail(f"--target={args.target} says what the processor is; leave "
                     f"--{option} out")
    elif args.emit == "firmware":
        fail(f"--emit=firmware needs --target, one of {', '.join(firmware.MACHINES)}")
    if args.emit != "object" and args.self_test is None:
        args.self_test = ""
    if args.float_ends and args.emit == "object":
        fail("--float-ends has no effect without --emit=firmware or --emit=c")
    if args.weights_section and not re.fullmatch(r"[\w.$]+", args.weights_section):
        fail(f"'{args.weights_section}' is no name of a section, expected one as "
             ".model")
    try:
        for option in ("max_arena", "max_flash"):
            if getattr(args, option) is not None:
                setattr(args, option, firmware.parse_bytes(getattr(args, option)))
    except ValueError as error:
        fail(error)
    if args.memories is None:
        return
    if args.max_arena is not None:
        fail("--memories says how large the arenas may be; leave --max-arena out")
    try:
        args.memories = firmware.read_memories(
            pathlib.Path(args.memories).read_text())
    except (OSError, ValueError) as error:
        fail(f"{args.memories}: {getattr(error, 'strerror', None) or error}")


def main():
    reserve_standard_streams()
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    firmware = load_module("firmware")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("-o", dest="output", required=True,
                        help="DIR/NAME: where to write, and the function's name; DIR/: "
                        "that\nof the module's file")
    parser.add_argument("--emit", choices=("object", "firmware", "c"), default="object",
                        help="firmware: also a self-test, a report of memory and a "
                        "file for\nCMake; float inputs and outputs are quantized; c: "
                        "the same, with\na file of C11 instead of the object")
    parser.add_argument("--float-ends", action="store_true",
                        help="inputs and outputs of firmware stay float")
    parser.add_argument("--max-arena", metavar="BYTES",
                        help="fail if the arena has more, such as 64K")
    parser.add_argument("--max-flash", metavar="BYTES",
                        help="fail if code and constants have more")
    parser.add_argument("--memories", metavar="FILE",
                        help="two arenas, in a fast and a slow memory, as a file of "
                        "JSON says:\n"
                        '{"fast": {"bytes": "16K"}, "slow": {"bytes": "1M"}}')
    parser.add_argument("--weights-section", metavar="NAME",
                        help="the section of the object that constants are in")
    parser.add_argument("--apply-backend", metavar="OPTIONS",
                        help="quantize the module first")
    parser.add_argument("--function", default="main",
                        help="the function of the module (default: main)")
    parser.add_argument("--triple",
                        help="what LLVM calls the target (default: this machine)")
    parser.add_argument("--cpu",
                        help="what LLVM calls the CPU (default: this one's, "
                        "with --triple a\ngeneric one)")
    parser.add_argument("--features", default="",
                        help="features besides those of the CPU, such as +avx2,-fma")
    parser.add_argument("--target", default="",
                        help="a microcontroller: "
                        + ", ".join(firmware.MACHINES).replace(" rv32", "\nrv32")
                        + ";\nor the target of generated kernels (default: the best "
                        "one for\nthe features, but never amx)")
    parser.add_argument("--parallel", action="store_true",
                        help="the function takes a callback to run parts of it on "
                        "threads")
    parser.add_argument("--contract", action="store_true",
                        help="round sums of float products once for each "
                        "addition")
    parser.add_argument("--self-test", nargs="?", const="", metavar="FILE.npz",
                        help="also write DIR/NAME_test.c, a program that checks "
                        "the object\nwith the first sample of the file, or with "
                        "numbers of a seed")
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"),
                        help="build directory (default: $QBACKEND_BUILD)")
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22",
                        help="prefix of the LLVM installation")
    args = parser.parse_args()
    if args.output.endswith("/"):
        args.output += re.sub(r"\W", "_", args.module.name.split(".")[0],
                              flags=re.ASCII)
    args.output = pathlib.Path(args.output)
    name = args.output.name
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in RESERVED:
        fail(f"'{name}' is no name of a C function, expected -o DIR/NAME")
    check_target(args, firmware)
    if not args.build:
        fail("name the build directory with --build or QBACKEND_BUILD")
    if args.output.parent.exists() and not args.output.parent.is_dir():
        fail(f"cannot write '{args.output}': '{args.output.parent}' is no folder")
    try:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        for suffix in (".o", ".c", ".h", "_test.c", "_memory.txt", ".cmake"):
            if args.output.with_name(name + suffix).is_dir():
                fail(f"cannot write '{args.output}': '{name}{suffix}' is a folder")
        # All of them, or none; what is in between is removed with them.
        files = load_module("files")
        with files.temporary_folder(args.output.parent, f".{name}.") as folder:
            work, made = pathlib.Path(folder, "work"), pathlib.Path(folder, "made")
            work.mkdir()
            made.mkdir()
            compile_network(args, work, made / name)
            # What is linked comes last: with it, the others are those of its network.
            parts = sorted(made.iterdir(),
                           key=lambda file: (file.stem == name and
                                             file.suffix in (".o", ".c"), file.name))
            for part in parts:
                files.move_file(part, args.output.with_name(part.name))
    except (KeyboardInterrupt, Terminated) as ended:
        # As the other tools: by the signal, without a word. What was begun is
        # removed by now.
        number = signal.SIGTERM if isinstance(ended, Terminated) else signal.SIGINT
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    except OSError as error:
        fail(f"cannot write '{args.output}': {error.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
