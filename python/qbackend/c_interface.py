# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C around the object of a network: its header, and its self-test.

compile-to-object.py loads this file without the package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, List, NamedTuple, Optional, Sequence, Tuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.generic]

_C_TYPES = {
    "f32": "float",
    "f64": "double",
    "i1": "bool",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
}
_NUMPY_TYPES = {"float": "float32", "double": "float64", "bool": "bool"}


class Refused(ValueError):
    """The signature of a network is none of C."""


class QParams(NamedTuple):
    """A quantized value q is (q - zero_point) * scale."""

    scale: float
    zero_point: int
    is_signed: bool


class Buffer:
    """An argument or a result of the function."""

    def __init__(self, type_text: str, role: str, index: int, count: int) -> None:
        match = re.fullmatch(r"tensor<((?:[\d?]+x)*)(\w+)>", type_text)
        if not match:
            raise Refused(f"{role} {index} has type {type_text}, expected a tensor")
        self.name = role if count == 1 else f"{role}{index}"
        self.is_input = role == "input"
        self.shape = match.group(1).split("x")[:-1]
        if "?" in self.shape:
            raise Refused(
                f"{role} {index} has type {type_text}, expected a static "
                "shape: export the network with a fixed batch size"
            )
        if match.group(2) not in _C_TYPES:
            raise Refused(
                f"{role} {index} has elements of type {match.group(2)}, "
                f"expected one of {', '.join(_C_TYPES)}"
            )
        self.type = _C_TYPES[match.group(2)]
        self.size = 1
        for extent in self.shape:
            self.size *= int(extent)
        self.qparams: Optional[QParams] = None

    def quantize(self, qparams: QParams) -> None:
        """Says what the integers stand for."""
        self.qparams = qparams
        if not qparams.is_signed and self.type.startswith("int"):
            self.type = "u" + self.type

    def describe(self) -> str:
        return f"{self.type}[{']['.join(self.shape) or 1}]"

    @property
    def numpy_type(self) -> str:
        return _NUMPY_TYPES.get(self.type, self.type.replace("_t", ""))

    @property
    def item_size(self) -> int:
        sizes = {"float": 4, "double": 8, "bool": 1}
        return sizes.get(self.type) or int(re.sub(r"\D", "", self.type)) // 8

    @property
    def bits_type(self) -> str:
        """The C type of an integer with the bits of an element."""
        return f"uint{8 * self.item_size}_t"


def _split_signature(generic: str, function: str) -> Optional[Sequence[List[str]]]:
    signature = re.search(
        r"function_type = \(([^()]*)\) -> (\([^()]*\)|[^()]*?), "
        rf'sym_name = "{re.escape(function)}"',
        generic,
    )
    if not signature:
        return None
    value = r"\w[^\s,<>()]*<[^<>()]*(?:<[^<>()]*>[^<>()]*)*>|[^\s,<>()]+"
    return [re.findall(value, part) for part in signature.groups()]


def read_signature(generic: str, function: str) -> List[Buffer]:
    """The buffers of `function` in a lowered module, in MLIR's generic syntax."""
    types = _split_signature(generic, function)
    if types is None:
        raise Refused(
            f"function @{function} has arguments or results that are no tensors"
        )
    return [
        Buffer(text, role, index, len(part))
        for role, part in zip(("input", "output"), types)
        for index, text in enumerate(part)
    ]


def read_qparams(generic: str, function: str, buffers: Sequence[Buffer]) -> None:
    """Gives `buffers` the qparams that they have in the module that was lowered."""
    parts = _split_signature(generic, function) or ()
    types = [text for part in parts for text in part]
    if len(types) != len(buffers):
        return
    for text, buffer in zip(types, buffers):
        match = re.search(
            r"!quant\.uniform<([ui])\d+(?:<[^<>]*>)?:f32, ([-+.\deE]+)(?::(-?\d+))?>",
            text,
        )
        if match:
            sign, scale, zero_point = match.groups()
            buffer.quantize(QParams(float(scale), int(zero_point or 0), sign == "i"))


def spell_quantized_ends(generic: str, function: str) -> str:
    """What --apply-backend is told of float arguments and results that are to be
    integers for the caller."""
    options = ""
    parts = _split_signature(generic, function) or ()
    for role, part in zip(("inputs", "outputs"), parts):
        places = [str(i) for i, text in enumerate(part) if text.endswith("xf32>")]
        if places:
            options += f" quantized-{role}={','.join(places)}"
    return options


_TILES = """

/* The kernels use AMX. A process may do so once the system has granted it: on Linux
   by syscall(SYS_arch_prctl, 0x1023, 18), which returns 0. Where it doesn't, call an
   object for target avx512vnni: the integers are the same. */"""


_PARALLEL = """/* Calls task(context, begin, end) for parts that make up all of 0 to count, on any
   threads, and comes back when they are done. The pool is what {name} was given; a
   task doesn't call it. */
typedef void {name}_parallel_for(void *pool,
                                 void (*task)(void *context, int64_t begin,
                                              int64_t end),
                                 void *context, int64_t count);

"""


def _define(name: str, buffer: Buffer) -> str:
    prefix = f"{name.upper()}_{buffer.name.upper()}"
    text = f"/* {buffer.name}: {buffer.describe()}"
    if not buffer.qparams:
        return f"{text} */\n#define {prefix}_SIZE {buffer.size}"
    scale, zero_point, _ = buffer.qparams
    return (
        f"{text}, which stands for\n   ({buffer.name}[i] - {prefix}_ZERO_POINT) * "
        f"{prefix}_SCALE */\n"
        f"#define {prefix}_SIZE {buffer.size}\n"
        f"#define {prefix}_SCALE {scale!r}f\n"
        f"#define {prefix}_ZERO_POINT {zero_point}"
    )


def header(
    name: str,
    buffers: Sequence[Buffer],
    arena: Optional[int],
    source: str,
    target: str,
    parallel: bool,
    fast_arena: Optional[int] = None,
) -> str:
    """The text of the header of the function `name`."""
    guard = f"{name.upper()}_H"
    sizes = "\n".join(_define(name, b) for b in buffers)
    parameters = ", ".join(
        f"{'const ' if b.is_input else ''}{b.type} *{b.name}" for b in buffers
    )
    if arena is not None:
        sizes += (
            "\n\n/* Bytes of the arena, which is on a multiple of 64 bytes; "
            "what is in it\n   doesn't matter. Calls at the same time take one "
            f"each. */\n#define {name.upper()}_ARENA_SIZE {arena}"
        )
        parameters += ", void *arena"
    if fast_arena is not None:
        sizes += (
            "\n\n/* Bytes of a second arena, as the other one, for fast memory. "
            f"*/\n#define {name.upper()}_FAST_ARENA_SIZE {fast_arena}"
        )
        parameters += ", void *fast_arena"
    declarations = ""
    if parallel:
        parameters += f", {name}_parallel_for *parallel_for, void *pool"
        declarations = _PARALLEL.format(name=name)
        overlap = "overlap. Where\n   parallel_for is NULL, all is done by this thread."
    else:
        overlap = "overlap."
    if target == "amx":
        sizes += _TILES
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


def _spell_bits(buffer: Buffer, array: Array) -> str:
    """The elements of `array` as integers in C."""
    numbers = array.reshape(-1).view(buffer.bits_type.replace("_t", ""))
    words = [f"0x{int(n):0{2 * buffer.item_size}x}" for n in numbers]
    lines = [", ".join(words[i : i + 8]) for i in range(0, len(words), 8)]
    return ",\n    ".join(lines) or "0"


def _print_bits(buffer: Buffer, *elements: str) -> Tuple[str, List[str]]:
    """How printf prints an element of `buffer` in hexadecimal, and its arguments for
    each of `elements`. Small C libraries, such as newlib-nano, have no length but l:
    64 bits are two words."""
    if buffer.item_size <= 4:
        digits = 2 * buffer.item_size
        return f"0x%0{digits}lx", [f"(unsigned long){e}" for e in elements]
    words = ",\n           ".join(
        ["(unsigned long)({0} >> 32)", "(unsigned long)({0} & 0xffffffffu)"]
    )
    return "0x%08lx%08lx", [words.format(e) for e in elements]


_PARALLEL_TEST = """#include <stddef.h>

static int parts;

/* All units but the first one by one, the last one first. */
static void parallel_for(void *pool, void (*task)(void *, int64_t, int64_t),
                         void *context, int64_t count) {
  ++*(int *)pool;
  for (int64_t unit = count; unit-- > 1;)
    task(context, unit, unit + 1);
  task(context, 0, 1);
}
"""


def self_test(
    name: str,
    buffers: Sequence[Buffer],
    arrays: Sequence[Array],
    arena: Optional[int],
    source: str,
    parallel: bool,
    linked: Optional[str] = None,
    fast_arena: Optional[int] = None,
    sections: Sequence[Optional[str]] = (None, None),
) -> str:
    """`linked` is the file that has the function, as NAME.o, and `sections` where the
    arenas are. The text of a function that compares `name` with `arrays`, of the inputs and
    the outputs, and of a program that prints what it finds."""
    guard = f"{name.upper()}_TEST_NO_MAIN"
    linked = linked or f"{name}.o"
    text = [
        f"""/* Generated by compile-to-object.py from {source}: computes one input by
   {linked} and compares the bits of the results with those of qbackend-run.

   cc -std=c11 {name}_test.c {linked} -o {name}_test && ./{name}_test

   Without printf: with -D{guard}, there is {name}_test() only. */

#include "{name}.h"

#include <stdint.h>
"""
    ]
    checks, reports = [], []
    for buffer, array in zip(buffers, arrays):
        bits, size = buffer.bits_type, max(buffer.size, 1)
        words = _spell_bits(buffer, array)
        union = f"union {{\n  {bits} bits[{size}];\n  {buffer.type} values[{size}];\n}}"
        if buffer.is_input:
            text.append(
                f"static const {union} {buffer.name} = {{{{\n    {words}}}}};\n"
            )
            continue
        text.append(f"static {union} {buffer.name};")
        text.append(
            f"static const {bits} expected_{buffer.name}[{size}] = {{\n    {words}}};\n"
        )
        checks.append(
            f"""  for (long i = 0; i < {buffer.size}; ++i, ++element)
    if ({buffer.name}.bits[i] != expected_{buffer.name}[i])
      return element;"""
        )
        number, (found, expected) = _print_bits(
            buffer, f"{buffer.name}.bits[i]", f"expected_{buffer.name}[i]"
        )
        reports.append(
            f"""  if (i < {buffer.size}) {{
    printf("FAIL: {buffer.name}[%lu] is {number}, expected {number}\\n",
           (unsigned long)i,
           {found},
           {expected});
    return 1;
  }}
  i -= {buffer.size};"""
        )
    arguments = [f"{b.name}.values" for b in buffers]
    for buffer_name, extent, section in zip(
        ("arena", "fast_arena"), (arena, fast_arena), sections
    ):
        if extent is None:
            continue
        place = f'__attribute__((section("{section}"))) ' if section else ""
        text.append(
            f"{place}static _Alignas(64) unsigned char "
            f"{buffer_name}[{max(extent, 1)}];\n"
        )
        arguments.append(buffer_name)
    if parallel:
        text.append(_PARALLEL_TEST)
        arguments += ["parallel_for", "&parts"]
    lines = [
        f"""/* Returns -1 if all is right, or else the number of the first element that is
   not, counted through all outputs. */
long {name}_test(void);
long {name}_test(void) {{
  long element = 0;
  {name}({', '.join(arguments)});""",
        *checks,
        f"  return -1;\n}}\n\n#ifndef {guard}\n#include <stdio.h>\n\nint main(void) {{",
        f"  long i = {name}_test();\n  if (i < 0) {{",
    ]
    if parallel:
        lines.append('    printf("%d cut into parts\\n", parts);')
    lines += ['    puts("PASS");\n    return 0;\n  }', *reports]
    lines.append("  return 1;\n}\n#endif\n")
    return "\n".join([*text, *lines])


def c_source(
    name: str,
    buffers: Sequence[Buffer],
    body: str,
    function: str,
    source: str,
    section: Optional[str],
    has_fast_arena: bool,
) -> str:
    """The text of NAME.c, around what qbackend-translate wrote of `function`."""
    parameters = [
        f"{'const ' if b.is_input else ''}{b.type} *{b.name}" for b in buffers
    ]
    parameters += ["void *arena"] + ["void *fast_arena"] * has_fast_arena
    arguments = [f"({'const ' if b.is_input else ''}void *){b.name}" for b in buffers]
    arguments += ["arena"] + ["fast_arena"] * has_fast_arena
    place = (
        f'#define QBACKEND_CONSTANT __attribute__((section("{section}")))\n'
        if section
        else ""
    )
    return f"""/* Generated by compile-to-object.py from {source}: the network that {name}.h
   declares, in C11, for any compiler: cc -std=c11 -O2 -c {name}.c */

#include "{name}.h"

{place}{body}
void {name}({', '.join(parameters)}) {{
  {function}_network({', '.join(arguments)});
}}
"""
