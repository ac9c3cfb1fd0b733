# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Microcontrollers that objects are made for, and what an object takes of one.

compile-to-object.py loads this file without the package.
"""

from __future__ import annotations

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
    has_float = "f" in extensions
    abi = "ilp32f" if has_float else "ilp32"
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
    "wasm32": Machine(
        "wasm32-unknown-unknown",
        "generic",
        "+simd128,+bulk-memory",
        "--target=wasm32 -msimd128 -mbulk-memory",
    ),
}


def read_attribute(text: str, function: str, name: str) -> Optional[int]:
    """A number that `function` has as an attribute in LLVM IR; None: it has none."""
    group = re.search(rf"^define .*@{re.escape(function)}\(.*\)[^#\n]* (#\d+)", text, re.M)
    if not group:
        return None
    attributes = re.search(rf"^attributes {group[1]} = (.*)", text, re.M)
    value = re.search(rf'"{name}"="(\d+)"', attributes[1] if attributes else "")
    return int(value[1]) if value else None


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


class Sizes(NamedTuple):
    """Bytes of an object that go to flash."""

    code: int
    constants: int

    @property
    def flash(self) -> int:
        return self.code + self.constants


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


class Report(NamedTuple):
    """What a network takes of a microcontroller, in bytes."""

    sizes: Sizes
    arena: int
    #: The most of the arena that is in use at the same time.
    live: int
    #: Inputs and outputs, which are the caller's.
    buffers: Sequence[Tuple[str, int]]
    stack: Optional[int]
    #: Functions that the object calls.
    calls: Sequence[str]
    constants: Sequence[Tuple[int, str]]
    #: The layer where most is in use.
    peak: str

    def spell(self, name: str, machine: str) -> str:
        stack = "not known" if self.stack is None else f"{self.stack} bytes"
        lines = [
            f"{name} for {machine}",
            "",
            f"flash    {self.sizes.flash} bytes: code {self.sizes.code}, "
            f"weights and tables {self.sizes.constants}",
            f"arena    {self.arena} bytes, of which at most {self.live} are in use at "
            "the same time",
            "buffers  "
            + ", ".join(f"{buffer} {size}" for buffer, size in self.buffers)
            + " bytes",
            f"stack    {stack}, without that of the functions it calls",
            f"calls    {', '.join(self.calls) or 'nothing'}",
        ]
        if self.peak:
            lines.append(f"peak     at {self.peak}")
        lines += ["", "largest constants", *self.list_constants(10)]
        return "\n".join(lines) + "\n"

    def list_constants(self, count: int) -> List[str]:
        return [f"  {size:8} {name}" for size, name in self.constants[:count]]


def parse_bytes(text: str) -> int:
    """A number of bytes, as 65536 or 64K."""
    match = re.fullmatch(r"(\d+)([kKM]?)", text)
    if not match:
        raise ValueError(f"'{text}' is no number of bytes, expected one as 65536 or 64K")
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20}[match[2]]


def check_limits(
    report: Report, max_arena: Optional[int], max_flash: Optional[int]
) -> Optional[str]:
    """What of `report` is over a limit, and the layers that take most of it."""
    if max_arena is not None and report.arena > max_arena:
        return (
            f"the arena has {report.arena} bytes, --max-arena allows {max_arena}; "
            f"most is in use at {report.peak}"
        )
    if max_flash is not None and report.sizes.flash > max_flash:
        return (
            f"code and constants have {report.sizes.flash} bytes, --max-flash allows "
            f"{max_flash}; code is {report.sizes.code} of them, the largest constants "
            "are\n" + "\n".join(report.list_constants(5))
        )
    return None


def cmake_file(name: str, source: str, flags: str) -> str:
    """The text of NAME.cmake, whose targets a program links."""
    return f"""# Generated by compile-to-object.py from {source}.
#
#   include(DIR/{name}.cmake)
#   target_link_libraries(firmware PRIVATE {name})         # the network
#   target_link_libraries(firmware PRIVATE {name}_test)    # and {name}_test()

add_library({name} INTERFACE)
target_sources({name} INTERFACE ${{CMAKE_CURRENT_LIST_DIR}}/{name}.o)
target_include_directories({name} INTERFACE ${{CMAKE_CURRENT_LIST_DIR}})
target_compile_options({name} INTERFACE {flags})
target_link_options({name} INTERFACE {flags})

add_library({name}_test INTERFACE)
target_sources({name}_test INTERFACE ${{CMAKE_CURRENT_LIST_DIR}}/{name}_test.c)
target_compile_definitions({name}_test INTERFACE {name.upper()}_TEST_NO_MAIN)
target_link_libraries({name}_test INTERFACE {name})
"""
