# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Microcontrollers that objects are made for, and what an object takes of one.

compile-to-object.py loads this file without the package.
"""

from __future__ import annotations

import json
import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple


class Machine(NamedTuple):
    """A processor, in the words of LLVM and of a C compiler."""

    triple: str
    cpu: str
    features: str
    #: What gcc (for wasm32: clang) has to be told.
    flags: str
    #: Options of llc.
    code: Tuple[str, ...] = ("-relocation-model=static",)


def _riscv(extensions: str) -> Machine:
    abi = "ilp32" + ("d" if "d" in extensions else "f" if "f" in extensions else "")
    return Machine(
        "riscv32-unknown-elf",
        "generic-rv32",
        ",".join(f"+{letter}" for letter in extensions),
        f"-march=rv32i{extensions} -mabi={abi}",
        ("-relocation-model=static", f"-target-abi={abi}"),
    )


#: By the names that --target takes.
MACHINES: Dict[str, Machine] = {
    "cortex-m0plus": Machine(
        "thumbv6m-none-eabi", "cortex-m0plus", "", "-mcpu=cortex-m0plus -mthumb"
    ),
    "cortex-m3": Machine(
        "thumbv7m-none-eabi", "cortex-m3", "", "-mcpu=cortex-m3 -mthumb"
    ),
    "cortex-m4": Machine(
        "thumbv7em-none-eabihf",
        "cortex-m4",
        "",
        "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
    ),
    "cortex-m7": Machine(
        "thumbv7em-none-eabihf",
        "cortex-m7",
        "",
        "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16",
    ),
    "cortex-m33": Machine(
        "thumbv8m.main-none-eabihf",
        "cortex-m33",
        "",
        "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16",
    ),
    "cortex-m55": Machine(
        "thumbv8.1m.main-none-eabihf",
        "cortex-m55",
        "",
        "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard",
        # By default loops have a pointer for each load that could be advanced, which
        # are more than there are registers.
        ("-relocation-model=static", "-lsr-preferred-addressing-mode=none"),
    ),
    "rv32imac": _riscv("mac"),
    "rv32imafc": _riscv("mafc"),
    "rv32imafdcv": _riscv("mafdcv"),
    "wasm32": Machine(
        "wasm32-unknown-unknown",
        "generic",
        "+simd128,+bulk-memory",
        "--target=wasm32 -msimd128 -mbulk-memory",
    ),
}


def read_attribute(text: str, function: str, name: str) -> Optional[str]:
    """What `function` has as an attribute in LLVM IR, or in MLIR, where it is the only
    one with attributes for LLVM; None: it has none."""
    value = re.search(rf'\["{name}", "([^"]*)"\]', text)
    if value:
        return value[1]
    group = re.search(
        rf"^define .*@{re.escape(function)}\(.*\)[^#\n]* (#\d+)", text, re.M
    )
    if not group:
        return None
    attributes = re.search(rf"^attributes {group[1]} = (.*)", text, re.M)
    value = re.search(rf'"{name}"="([^"]*)"', attributes[1] if attributes else "")
    return value[1] if value else None


def read_float_layers(text: str, function: str) -> List[str]:
    """The layers that qbackend-requantize-by-integers leaves floats in, though there are
    no instructions for them."""
    layers = read_attribute(text, function, "qbackend-float-layers")
    return layers.split(";") if layers else []


class Arenas(NamedTuple):
    """Where what is between layers is, in bytes."""

    #: None: the function takes none.
    size: Optional[int]
    #: That in fast memory; None: there is none.
    fast: Optional[int]
    #: The most of the first one that is in use at the same time.
    live: int
    #: What is in use at each layer, in the order in which they run.
    layers: Sequence[Tuple[str, int]]

    def list_layers(self, count: int) -> List[str]:
        """The layers at which most is in use."""
        most = sorted(self.layers, key=lambda layer: -layer[1])[:count]
        return [f"  {size:8} {name}" for name, size in most]


def read_arenas(text: str, function: str) -> Arenas:
    """What qbackend-place-buffers says of `function`, in LLVM IR or MLIR."""

    def number(name: str) -> Optional[int]:
        value = read_attribute(text, function, f"qbackend-{name}-bytes")
        return None if value is None else int(value)

    layers = read_attribute(text, function, "qbackend-arena-layers") or ""
    return Arenas(
        number("arena"),
        number("fast-arena"),
        number("live") or 0,
        [(name, int(size)) for name, size in re.findall(r"([^;=]*)=(\d+)", layers)],
    )


_CONSTANT = re.compile(
    r"^@(\S+) = private (?:unnamed_addr )?constant \[(\d+) x i(\d+)\][^\n]*?"
    r"(?=, align \d+$)",
    re.M,
)
_FLOAT_CONSTANT = re.compile(
    r"^@(\S+) = private (?:unnamed_addr )?constant \[(\d+) x (float|double)\][^\n]*?"
    r"(?=, align \d+$)",
    re.M,
)


def drop_unwinding(text: str) -> str:
    """LLVM IR whose functions throw nothing: what unwinds the stack for the Arm EABI
    would be linked otherwise."""
    return re.sub(r"^(define .*) \{$", r"\1 nounwind {", text, flags=re.M)


def place_weights(text: str, section: str) -> str:
    """LLVM IR whose constants are in `section` of the object."""

    def place(match: re.Match[str]) -> str:
        return f'{match[0]}, section "{section}"'

    return _FLOAT_CONSTANT.sub(place, _CONSTANT.sub(place, text))


def list_constants(text: str) -> List[Tuple[int, str]]:
    """The bytes of each constant of LLVM IR and its name, largest first."""
    found = [
        (int(count) * int(bits) // 8, name)
        for name, count, bits in _CONSTANT.findall(text)
    ]
    found += [
        (int(count) * (8 if kind == "double" else 4), name)
        for name, count, kind in _FLOAT_CONSTANT.findall(text)
    ]
    return sorted(found, key=lambda entry: (-entry[0], entry[1]))


_C_CONSTANT = re.compile(
    r"^static QBACKEND_CONSTANT const (\w+) (\w+)\[(\d+)\] = \{$", re.M
)


def list_c_constants(text: str) -> List[Tuple[int, str]]:
    """As list_constants, of what qbackend-translate writes."""
    sizes = {"bool": 1, "float": 4, "double": 8}
    found = []
    for kind, name, count in _C_CONSTANT.findall(text):
        kind = kind.replace("_element", "")
        size = sizes.get(kind) or int(re.sub(r"\D", "", kind)) // 8
        found.append((int(count) * size, name))
    return sorted(found, key=lambda entry: (-entry[0], entry[1]))


def list_c_calls(text: str) -> List[str]:
    """The functions of the C library that what qbackend-translate writes calls."""
    text = re.sub(r"/\*.*?\*/|^#.*?$", "", text, flags=re.S | re.M)
    defined = set(re.findall(r"^static (?:inline )?\w+ (\w+)\(", text, re.M))
    words = {"if", "for", "return", "sizeof", "_Static_assert", "INT64_C"}
    return sorted(set(re.findall(r"\b([a-zA-Z_]\w*)\(", text)) - defined - words)


class Sizes(NamedTuple):
    """Bytes of an object that go to flash."""

    #: None: a C compiler will tell.
    code: Optional[int]
    constants: int

    @property
    def flash(self) -> int:
        return (self.code or 0) + self.constants

    def spell(self) -> str:
        if self.code is None:
            return f"{self.constants} bytes of weights and tables, besides code"
        return (
            f"{self.flash} bytes: code {self.code}, weights and tables "
            f"{self.constants}"
        )


def read_sizes(sections: str, weights: Optional[str]) -> Sizes:
    """The sizes of what `llvm-size -A` lists."""
    code = constants = 0
    for name, size in re.findall(r"^(\S+)\s+(\d+)\s+\d+$", sections, re.M):
        if name.startswith((".text", ".ARM.ex", ".eh_frame")) or name == "CODE":
            code += int(size)
        elif name.startswith((".rodata", ".srodata", ".data", ".sdata")) or name in (
            "DATA",
            weights,
        ):
            constants += int(size)
    return Sizes(code, constants)


def find_stack(sizes: str, text: str, function: str) -> Optional[int]:
    """The bytes of stack on the longest way of calls from `function`, but for what
    libraries take; None: not known, as of a function that the caller gives. `sizes` is what llvm-readobj lists, `text` the
    LLVM IR."""
    frames = {
        name: int(size, 16)
        for name, size in re.findall(r"Functions: \[(\w+)\]\s+Size: (\w+)", sizes)
    }
    calls: Dict[str, List[str]] = {}
    for name, body in re.findall(
        r"^define [^@\n]*@(\w+)\([^\n]*\{\n(.*?)^\}", text, re.M | re.S
    ):
        if re.search(r"\bcall [^@(\n]*%[\w.]+\(", body):
            return None
        calls[name] = re.findall(r"\bcall [^@\n]*@(\w+)\(", body)

    def walk(name: str) -> int:
        callees = [callee for callee in calls.get(name, []) if callee in frames]
        return frames[name] + max(map(walk, callees), default=0)

    return walk(function) if function in frames else None


#: Functions of <math.h> that have one result, as IEEE 754 says, but for their suffix.
EXACT = {"ceil", "copysign", "fabs", "floor", "fma", "fmod", "round", "sqrt", "trunc"}


class Report(NamedTuple):
    """What a network takes of a microcontroller, in bytes."""

    sizes: Sizes
    arenas: Arenas
    #: Inputs and outputs, which are the caller's.
    buffers: Sequence[Tuple[str, int]]
    stack: Optional[int]
    #: Functions that the object calls.
    calls: Sequence[str]
    constants: Sequence[Tuple[int, str]]
    #: Layers that have floats where there is no FPU.
    floats: Sequence[str] = ()

    def spell(self, name: str, machine: str) -> str:
        stack = "not known" if self.stack is None else f"{self.stack} bytes"
        lines = [
            f"{name} for {machine}",
            "",
            f"flash    {self.sizes.spell()}",
            f"arena    {self.arenas.size or 0} bytes, of which at most "
            f"{self.arenas.live} are in use at the same time",
        ]
        if self.arenas.fast is not None:
            lines.append(f"fast     {self.arenas.fast} bytes of arena in fast memory")
        lines += [
            "buffers  "
            + ", ".join(f"{buffer} {size}" for buffer, size in self.buffers)
            + " bytes",
            f"stack    {stack}, without that of the functions it calls",
            f"calls    {', '.join(self.calls) or 'nothing'}",
            *self.list_inexact(),
            *self.list_floats(),
            "",
            "largest constants",
            *self.list_constants(10),
            "",
            "in use between layers",
            *(f"  {size:8} {layer}" for layer, size in self.arenas.layers),
        ]
        return "\n".join(lines) + "\n"

    def list_inexact(self) -> List[str]:
        """The functions whose last bits are those of a C library."""
        inexact = [
            call
            for call in self.calls
            if not call.startswith(("mem", "_")) and re.sub("f$", "", call) not in EXACT
        ]
        if not inexact:
            return []
        return [
            f"inexact  {', '.join(inexact)}: a self-test passes with the last bits of "
            "the host's alone"
        ]

    def list_floats(self) -> List[str]:
        if not self.floats:
            return []
        return [f"floats   in {', '.join(self.floats)}; the rest is integers"]

    def list_constants(self, count: int) -> List[str]:
        return [f"  {size:8} {name}" for size, name in self.constants[:count]]


def parse_bytes(text: str) -> int:
    """A number of bytes, as 65536 or 64K."""
    match = re.fullmatch(r"(\d+)([kKM]?)", text)
    if not match:
        raise ValueError(
            f"'{text}' is no number of bytes, expected one as 65536 or 64K"
        )
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20}[match[2]]


class Memories(NamedTuple):
    """Two memories, as a file says: the bytes of each, and the sections of the object
    that are in them, or None."""

    fast: int
    slow: int
    fast_section: Optional[str]
    slow_section: Optional[str]


def read_memories(text: str) -> Memories:
    """Reads JSON: {"fast": {"bytes": "16K", "section": ".dtcm"}, "slow": {...}}."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{error}; expected JSON") from None
    names = {"fast", "slow"}
    if not isinstance(given, dict) or set(given) != names:
        raise ValueError('expected an object with "fast" and "slow"')
    sizes, sections = [], []
    for name in ("fast", "slow"):
        memory = given[name]
        if (
            not isinstance(memory, dict)
            or "bytes" not in memory
            or set(memory) - {"bytes", "section"}
        ):
            raise ValueError(f'"{name}" has other fields than "bytes" and "section"')
        sizes.append(parse_bytes(str(memory["bytes"])))
        section = memory.get("section")
        if section is not None and not re.fullmatch(r"[\w.$]+", str(section)):
            raise ValueError(f"{section!r} is no name of a section")
        sections.append(section)
    return Memories(sizes[0], sizes[1], sections[0], sections[1])


def check_limits(
    report: Report, max_arena: Optional[int], max_flash: Optional[int]
) -> Optional[str]:
    """What of `report` is over a limit, and the layers that take most of it."""
    arena = report.arenas.size or 0
    if max_arena is not None and arena > max_arena:
        return (
            f"the arena has {arena} bytes, {max_arena} are allowed; most is in use "
            "at\n" + "\n".join(report.arenas.list_layers(5))
        )
    if max_flash is not None and report.sizes.flash > max_flash:
        code = report.sizes.code
        what = "code and constants have" if code is not None else "constants have"
        share = f"code is {code} of them, " if code is not None else ""
        return (
            f"{what} {report.sizes.flash} bytes, {max_flash} are allowed; {share}the "
            "largest constants are\n" + "\n".join(report.list_constants(5))
        )
    return None


def cmake_file(name: str, source: str, linked: str, flags: str) -> str:
    """The text of NAME.cmake, whose targets a program links; `linked` is the object, or
    the file of C."""
    options = "".join(
        f"target_{kind}_options({name} INTERFACE {flags})\n"
        for kind in ("compile", "link")
        if flags
    )
    return f"""# Generated by compile-to-object.py from {source}.
#
#   include(DIR/{name}.cmake)
#   target_link_libraries(firmware PRIVATE {name})         # the network
#   target_link_libraries(firmware PRIVATE {name}_test)    # and {name}_test()

add_library({name} INTERFACE)
target_sources({name} INTERFACE ${{CMAKE_CURRENT_LIST_DIR}}/{linked})
target_include_directories({name} INTERFACE ${{CMAKE_CURRENT_LIST_DIR}})
{options}
add_library({name}_test INTERFACE)
target_sources({name}_test INTERFACE ${{CMAKE_CURRENT_LIST_DIR}}/{name}_test.c)
target_compile_definitions({name}_test INTERFACE {name.upper()}_TEST_NO_MAIN)
target_link_libraries({name}_test INTERFACE {name})
"""
