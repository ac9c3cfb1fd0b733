#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a network ahead of time: an object file and a C header.

    compile-to-object.py NETWORK.mlir -o DIR/NAME [--apply-backend "qnnpack ..."]

NETWORK.mlir is in any form that qbackend-run takes; the kernels of `qbackend-opt
--apply-backend="... lower-to=qnnpack"` are faster than linalg or TOSA. With
--apply-backend, whose value is that option's, it is the float network,
which is quantized first. What lowers it to LLVM is the pipeline that qbackend-run
compiles with. DIR/NAME.o defines

    void NAME(const float *input, float *output, void *arena);

with a pointer to the elements of each argument and result, row-major, and
DIR/NAME.h declares it, with the shapes and the numbers of elements. The caller
owns all of them, and an arena for what is in between, of which the header has the
size. With --self-test, DIR/NAME_test.c is a program for the object that has one
input and the bits that qbackend-run gives for it: it prints PASS, or FAIL with the
first difference, and then doesn't exit with 0.

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

C_TYPES = {"f32": "float", "f64": "double", "i1": "bool", "i8": "int8_t",
           "i16": "int16_t", "i32": "int32_t", "i64": "int64_t"}


def fail(message):
    sys.exit(f"compile-to-object.py: error: {message}")


def load_files():
    """The package's module for files, which needs no package: it is beside this script
    where that is installed, and in the package's folder of the sources."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here, here.parent / "python" / "qbackend"):
        if (folder / "files.py").exists():
            spec = importlib.util.spec_from_file_location("files", folder / "files.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    fail(f"'{here}' has no files.py; run the script where it is in the sources or the "
         "installation")


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


class Buffer:
    """An argument or a result of the function."""

    def __init__(self, type_text, role, index, count):
        match = re.fullmatch(r"tensor<((?:[\d?]+x)*)(\w+)>", type_text)
        if not match:
            fail(f"{role} {index} has type {type_text}, expected a tensor")
        self.name = role if count == 1 else f"{role}{index}"
        self.shape = match.group(1).split("x")[:-1]
        if "?" in self.shape:
            fail(f"{role} {index} has type {type_text}, expected a static "
                 "shape: export the network with a fixed batch size")
        if match.group(2) not in C_TYPES:
            fail(f"{role} {index} has elements of type {match.group(2)}, "
                 f"expected one of {', '.join(C_TYPES)}")
        self.type = C_TYPES[match.group(2)]
        self.size = 1
        for extent in self.shape:
            self.size *= int(extent)

    def describe(self):
        return f"{self.type}[{']['.join(self.shape) or 1}]"


def read_signature(generic, function):
    """The buffers of `function`, in MLIR's generic syntax."""
    signature = re.search(
        r"function_type = \(([^()]*)\) -> (\([^()]*\)|[^,()]*), "
        rf'sym_name = "{re.escape(function)}"', generic)
    if not signature:
        fail(f"function @{function} has arguments or results that are no tensors")
    inputs, outputs = (re.findall(r"[^\s,()][^,()]*", part)
                       for part in signature.groups())
    return ([Buffer(t, "input", i, len(inputs)) for i, t in enumerate(inputs)] +
            [Buffer(t, "output", i, len(outputs))
             for i, t in enumerate(outputs)])


def read_arena(text, function):
    """The bytes of the function's buffers, in LLVM IR; None: it has no arena."""
    group = re.search(rf"^define .*@{re.escape(function)}\(.*\) (#\d+)", text, re.M)
    if not group:
        return None
    attributes = re.search(rf"^attributes {group[1]} = (.*)", text, re.M)[1]
    size = re.search(r'"qbackend-arena-bytes"="(\d+)"', attributes)
    return int(size[1]) if size else None


TILES = """

/* The kernels use AMX. A process may do so once the system has granted it: on Linux
   by syscall(SYS_arch_prctl, 0x1023, 18), which returns 0. Where it doesn't, call an
   object for target avx512vnni: the integers are the same. */"""


PARALLEL = """/* Calls task(context, begin, end) for parts that make up all of 0 to count, on any
   threads, and comes back when they are done. The pool is what {name} was given; a
   task doesn't call it. */
typedef void {name}_parallel_for(void *pool,
                                 void (*task)(void *context, int64_t begin,
                                              int64_t end),
                                 void *context, int64_t count);

"""


def header(name, buffers, arena, source, target, parallel):
    guard = f"{name.upper()}_H"
    sizes = "\n".join(
        f"/* {b.name}: {b.describe()} */\n"
        f"#define {name.upper()}_{b.name.upper()}_SIZE {b.size}"
        for b in buffers)
    parameters = ", ".join(
        f"{'const ' if b.name.startswith('input') else ''}{b.type} *{b.name}"
        for b in buffers)
    if arena is not None:
        sizes += (f"\n\n/* Bytes of the arena, which is on a multiple of 64 bytes; "
                  "what is in it\n   doesn't matter. Calls at the same time take one "
                  f"each. */\n#define {name.upper()}_ARENA_SIZE {arena}")
        parameters += ", void *arena"
    declarations = ""
    if parallel:
        parameters += f", {name}_parallel_for *parallel_for, void *pool"
        declarations = PARALLEL.format(name=name)
        overlap = "overlap. Where\n   parallel_for is NULL, all is done by this thread."
    else:
        overlap = "overlap."
    if target == "amx":
        sizes += TILES
    return f"""/* Generated by compile-to-object.py from {source}. */

#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* Elements of each buffer, row-major. */
{sizes}

{declarations}/* Computes the network. The caller owns all buffers; they must not {overlap} */
void {name}({parameters});

#ifdef __cplusplus
}}
#endif

#endif /* {guard} */
"""


#: Integers that have the bits of an element.
BITS = {"float": "uint32_t", "double": "uint64_t", "bool": "uint8_t",
        "int8_t": "uint8_t", "int16_t": "uint16_t", "int32_t": "uint32_t",
        "int64_t": "uint64_t"}
NUMPY_TYPES = {"float": "float32", "double": "float64", "bool": "bool",
               "int8_t": "int8", "int16_t": "int16", "int32_t": "int32",
               "int64_t": "int64"}


def make_inputs(buffers, data):
    """An array for each input: the first sample of `data`, or numbers of a seed:
    reals in [-1, 1), bytes of any value, other integers 0 or 1, which are indices
    of what there is."""
    import numpy as np

    random = np.random.default_rng(0)
    given = {}
    if data is not None:
        try:
            with np.load(data) as arrays:
                given = {key: arrays[key] for key in arrays}
        except (OSError, ValueError, AttributeError) as error:
            fail(f"{data}: {error}; expected an .npz file")
        if len(given) != len(buffers):
            fail(f"{data} has {len(given)} arrays, expected one for each of "
                 f"{len(buffers)} inputs: {', '.join(b.name for b in buffers)}")
    by_name = all(b.name in given for b in buffers)
    results = []
    for index, buffer in enumerate(buffers):
        shape = [int(extent) for extent in buffer.shape]
        kind = np.dtype(NUMPY_TYPES[buffer.type])
        if data is not None:
            name = buffer.name if by_name else list(given)[index]
            array = given[name]
            first = array[:shape[0]] if shape and array.ndim else array
            if list(first.shape) != shape or first.dtype != kind:
                fail(f"array '{name}' of {data} is {array.dtype} "
                     f"{list(array.shape)}, expected {kind} {shape}, or more "
                     "along the first dimension")
        elif kind.kind == "f":
            first = (random.random(shape) * 2 - 1).astype(kind)
        elif kind.itemsize == 1 and kind.kind == "i":
            first = random.integers(-128, 128, shape).astype(kind)
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
        # By their place: their names are NumPy's.
        np.savez(given, *inputs)
        run([runner, module, f"--entry={function}", f"--input={given}", "-o",
             found, *(["--contract"] if contract else [])])
        with np.load(found) as arrays:
            results = [arrays[f"output{i}"] for i in range(len(arrays.files))]
    for buffer, array in zip(buffers, results):
        if array.size != buffer.size:
            fail(f"qbackend-run gives {array.shape} for {buffer.name}, expected "
                 f"{buffer.describe()}")
    return [np.ascontiguousarray(array) for array in results]


def bits_of(buffer, array):
    """The elements of `array` as integers in C."""
    import numpy as np

    numbers = array.reshape(-1).view(np.dtype(BITS[buffer.type][:-2]))
    words = [f"0x{int(n):0{2 * array.itemsize}x}" for n in numbers]
    lines = [", ".join(words[i:i + 8]) for i in range(0, len(words), 8)]
    return ",\n    ".join(lines)


def print_bits(array, *elements):
    """How printf prints an element of `array` in hexadecimal, and its arguments for
    each of `elements`. Small C libraries, such as newlib-nano, have no length but l:
    64 bits are two words."""
    digits = 2 * array.itemsize
    if digits <= 8:
        return (f"0x%0{digits}lx", *(f"(unsigned long){e}" for e in elements))
    words = ",\n           ".join(
        ["(unsigned long)({0} >> 32)", "(unsigned long)({0} & 0xffffffffu)"])
    return ("0x%08lx%08lx", *(words.format(e) for e in elements))


PARALLEL_TEST = """/* All units but the first one by one, the last one first. */
static void parallel_for(void *pool, void (*task)(void *, int64_t, int64_t),
                         void *context, int64_t count) {
  ++*(int *)pool;
  for (int64_t unit = count; unit-- > 1;)
    task(context, unit, unit + 1);
  task(context, 0, 1);
}
"""


def self_test(name, buffers, arrays, arena, source, parallel):
    """The text of a program that compares `name` with `arrays`."""
    text = [f"""/* Generated by compile-to-object.py from {source}: computes one input by
   {name}.o and compares the bits of the results with those of qbackend-run.

   cc -std=c11 {name}_test.c {name}.o -o {name}_test && ./{name}_test */

#include "{name}.h"

#include <stdint.h>
#include <stdio.h>
"""]
    checks = []
    for buffer, array in zip(buffers, arrays):
        bits, size = BITS[buffer.type], max(buffer.size, 1)
        words = bits_of(buffer, array) or "0"
        union = f"union {{\n  {bits} bits[{size}];\n  {buffer.type} values[{size}];\n}}"
        if buffer.name.startswith("input"):
            text.append(f"static const {union} {buffer.name} = {{{{\n    {words}}}}};\n")
            continue
        text.append(f"static {union} {buffer.name};")
        text.append(f"static const {bits} expected_{buffer.name}[{size}] = "
                    f"{{\n    {words}}};\n")
        found, expected = f"{buffer.name}.bits[i]", f"expected_{buffer.name}[i]"
        number, found_words, expected_words = print_bits(array, found, expected)
        checks.append(f"""  for (unsigned long i = 0; i < {buffer.size}; ++i) {{
    if ({found} == {expected})
      continue;
    printf("FAIL: {buffer.name}[%lu] is {number}, expected {number}\\n", i,
           {found_words},
           {expected_words});
    return 1;
  }}""")
    arguments = [f"{b.name}.values" for b in buffers]
    if arena is not None:
        text.append(f"static _Alignas(64) unsigned char arena[{max(arena, 1)}];\n")
        arguments.append("arena")
    if parallel:
        text.append(PARALLEL_TEST)
        arguments += ["parallel_for", "&parts"]
    text.append("int main(void) {")
    if parallel:
        text.append("  int parts = 0;")
    text.append(f"  {name}({', '.join(arguments)});")
    text += checks
    if parallel:
        text.append('  printf("%d cut into parts\\n", parts);')
    text.append('  puts("PASS");\n  return 0;\n}\n')
    return "\n".join(text)


def compile_network(args, work, output):
    """Writes what `args` ask for, beside `output`; `work` is a folder for what is in
    between."""
    name = args.output.name
    optimizer = pathlib.Path(args.build) / "bin" / "qbackend-opt"
    tool = args.llvm / "bin"
    module = args.module
    if args.apply_backend:
        module = work / "quantized.mlirbc"
        form = "" if "lower-to=" in args.apply_backend else " lower-to=qnnpack"
        run([optimizer, f"--apply-backend={args.apply_backend}{form}",
             args.module, "--emit-bytecode", "-o", module])
    lowered = work / "lowered.mlirbc"
    # What is linked with a program must not call its functions, or store where it
    # likes: the second pass says what is compiled.
    run([optimizer, module, "--qbackend-execution-pipeline",
         f"--qbackend-isolate-network=entry={args.function}", "--emit-bytecode",
         "-o", lowered])
    generic = run([optimizer, "--mlir-print-op-generic",
                   "--mlir-elide-elementsattrs-if-larger=16",
                   "--mlir-elide-resource-strings-if-larger=16", lowered])
    buffers = read_signature(generic, args.function)
    cpu = args.cpu or ("generic" if args.triple else "native")
    triple = args.triple or re.search(
        r"Default target: (\S+)", run([tool / "llc", "--version"])).group(1)
    pipeline = f"bare-pointers target-triple={triple} target-cpu={cpu}"
    if args.features:
        pipeline += f" target-features={args.features}"
    if args.target:
        pipeline += f" target={args.target}"
    if args.parallel:
        pipeline += " parallel"
    if args.contract:
        pipeline += " contract"
    text = run([optimizer, lowered, f"--qbackend-lower-to-llvm={pipeline}"])
    text = run([tool / "mlir-translate", "--mlir-to-llvmir"], text)
    arena = read_arena(text, args.function)
    # The only symbol that is left, so that several networks can be linked.
    text = re.sub(rf"@{re.escape(args.function)}\b", f"@{name}", text)
    # Without a triple, opt knows nothing of the CPU's vectors.
    target = [f"-mtriple={triple}", f"-mcpu={cpu}", f"-mattr={args.features}"]
    # Rows of channels are short loops: they should be vectorized, not unrolled
    # first, which makes the object three times as large and no faster.
    # What LLVM may only call later.
    helpers = re.findall(r"^define weak hidden .*@(\w+)\(", text, re.MULTILINE)
    text = run([tool / "opt", "-S", *target, "-passes=internalize,default<O3>",
                "-unroll-threshold=50",
                f"-internalize-public-api-list={','.join([name, *helpers])}"], text)
    # Where it can't be written, llc would say that it crashed.
    output.with_suffix(".o").write_bytes(
        run([tool / "llc", *target, "-O3", "-filetype=obj",
             "-relocation-model=pic", "-o", "-"], text, is_text=False))
    output.with_suffix(".h").write_text(
        header(name, buffers, arena, args.module.name, args.target,
               args.parallel))
    if args.self_test is not None:
        inputs = [b for b in buffers if b.name.startswith("input")]
        outputs = buffers[len(inputs):]
        arrays = make_inputs(inputs, args.self_test or None)
        # Lowered, whose bytes have no sign either.
        arrays += run_network(optimizer.with_name("qbackend-run"), lowered,
                              args.function, outputs, arrays, work,
                              args.contract)
        program = output.with_name(f"{name}_test.c")
        program.write_text(
            self_test(name, buffers, arrays, arena, args.module.name,
                      args.parallel))


def reserve_standard_streams():
    """A closed one would be the number of the next file, and of a tool's pipe."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stderr = sys.stderr or open(2, "w")


def main():
    reserve_standard_streams()
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True,
                        help="DIR/NAME: where to write, and the function's name")
    parser.add_argument("--apply-backend", metavar="OPTIONS",
                        help="quantize the module first")
    parser.add_argument("--function", default="main",
                        help="the function of the module (default: main)")
    parser.add_argument("--triple",
                        help="what LLVM calls the target (default: this machine)")
    parser.add_argument("--cpu",
                        help="what LLVM calls the CPU (default: this one's, "
                        "with --triple a\ngeneric one); one that can't round "
                        "to even in an instruction,\nsuch as x86-64, takes "
                        "-lm")
    parser.add_argument("--features", default="",
                        help="features besides those of the CPU, such as +avx2,-fma")
    parser.add_argument("--target", default="",
                        help="the target of generated kernels (default: the best "
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
    name = args.output.name
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        fail(f"'{name}' is no name of a C function, expected -o DIR/NAME")
    if not args.build:
        fail("name the build directory with --build or QBACKEND_BUILD")
    if args.output.parent.exists() and not args.output.parent.is_dir():
        fail(f"cannot write '{args.output}': '{args.output.parent}' is no folder")
    try:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        for suffix in (".o", ".h", "_test.c"):
            if args.output.with_name(name + suffix).is_dir():
                fail(f"cannot write '{args.output}': '{name}{suffix}' is a folder")
        # All of them, or none; what is in between is removed with them.
        files = load_files()
        with files.temporary_folder(args.output.parent, f".{name}.") as folder:
            work, made = pathlib.Path(folder, "work"), pathlib.Path(folder, "made")
            work.mkdir()
            made.mkdir()
            compile_network(args, work, made / name)
            # The object comes last: with it, the others are those of its network.
            parts = sorted(made.iterdir(),
                           key=lambda file: (file.suffix == ".o", file.name))
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
