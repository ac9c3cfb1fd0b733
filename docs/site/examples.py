# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR before and after each pass, and each recogniser, from the tests of both.

A test that runs qbackend-opt with one pass is run again, and functions of its input
are paired by their names with those of the output. Of each pass, and of each operator
kind, the shortest pair that differs is shown: what a page of the site shows is what
the programs do.
"""

import dataclasses
import pathlib
import re
import shlex
import subprocess

#: Lines in a function, before or after: longer ones are no examples.
LONGEST = 60
UNREGISTERED = "--allow-unregistered-dialect"


@dataclasses.dataclass
class Example:
    """One function of a test: IR before and after, or what is printed instead."""

    test: str
    option: str
    before: str
    after: str

    def size(self) -> int:
        return len(self.before) + len(self.after)


def functions(text: str) -> "dict[str, str]":
    """Each function of printed or written IR by its name, without comments and
    checks, with the aliases that it uses. A name that is there twice isn't."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    aliases = dict(re.findall(r"^([#!]\w+) = (.*)$", "\n".join(lines), re.M))
    found: "dict[str, str]" = {}
    twice = set()
    for i, line in enumerate(lines):
        start = re.match(
            r"( *)(?:func\.func|llvm\.func) (?:private |public )?@([\w.]+)\(", line
        )
        if not start:
            continue
        indent, name = start.groups()
        body = [line[len(indent) :]]
        if not re.fullmatch(r".*\{", line):
            # A signature of several lines, or no body.
            if not any(re.fullmatch(r".*\{", more) for more in lines[i + 1 : i + 6]):
                continue
        for more in lines[i + 1 :]:
            body.append(more.removeprefix(indent).split(" // ")[0])
            if more == indent + "}":
                break
        twice |= {name} & set(found)
        code = "\n".join(line for line in body if line.strip())
        used = [alias for alias in aliases if re.search(re.escape(alias) + r"\b", code)]
        found[name] = "".join(f"{alias} = {aliases[alias]}\n" for alias in used) + code
    return {name: code for name, code in found.items() if name not in twice}


def commands(path: pathlib.Path) -> "list[str]":
    """The options of the qbackend-opt of each RUN line that only has options of it."""
    text = re.sub(r"\\\n// RUN:", "", path.read_text(errors="replace"))
    found = []
    for line in re.findall(r"^// RUN: *qbackend-opt (.*)$", text, re.M):
        options = line.split("|")[0].split("2>&1")[0]
        if "%s" in options and not re.search(r"[<>&;]|%t|-o |%[SBpb]", options):
            found.append(options.strip())
    return found


def run(qbackend_opt: pathlib.Path, options: str, path: pathlib.Path) -> "str | None":
    command = f"{qbackend_opt} {options.replace('%s', str(path))}"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    return done.stdout if done.returncode == 0 else None


def collect(qbackend_opt: pathlib.Path, tests: pathlib.Path) -> "list[Example]":
    """All pairs, those of a test in the order of its text. With several passes, what
    is before is what the others made."""
    examples = []
    for path in sorted(tests.rglob("*.mlir")):
        text = path.read_text(errors="replace")
        for options in commands(path):
            parts = shlex.split(options)
            flags = [
                part
                for part in parts
                if part.startswith("-")
                and part not in ("--split-input-file", UNREGISTERED)
            ]
            if not flags or "-pass-pipeline" in options:
                continue
            last = flags[-1]
            others = " ".join(shlex.quote(part) for part in parts if part != last)
            source = text if len(flags) == 1 else run(qbackend_opt, others, path)
            before = functions(source or "")
            output = run(qbackend_opt, options, path) if before else None
            if output is None:
                continue
            after = functions(output)
            if "-print-" in last and len(before) == 1:
                after = dict.fromkeys(before, output.strip())
            for name, code in before.items():
                if (
                    name in after
                    and max(code.count("\n"), after[name].count("\n")) <= LONGEST
                ):
                    examples.append(
                        Example(str(path.relative_to(tests)), last, code, after[name])
                    )
    return examples


#: Pipelines with passes that no test runs alone, and the network that they are shown
#: on: from samples to integers, to fake quantization, to what is run.
PIPELINES = [
    "--apply-backend=qnnpack data={samples} {network} lower-to=linalg",
    "--apply-backend=qnnpack data={samples} {network} mode=fake-quant",
    "--qbackend-prepare-pipeline=backend=qnnpack {network} | {opt} {dump}"
    " --qbackend-execution-pipeline=hook=seen",
    "--apply-backend=qnnpack data={samples} {network} lower-to=qnnpack | {opt} {dump}"
    " --qbackend-execution-pipeline | {opt} {dump} --qbackend-lower-to-llvm",
]


def collect_inside(
    qbackend_opt: pathlib.Path,
    first: pathlib.Path,
    tests: pathlib.Path,
    passes: "list[str]",
) -> "list[Example]":
    """Pairs of what is before and after each pass inside of pipelines, on the network
    of the folder `first` and on tests that end in the llvm dialect."""
    dump = "--mlir-disable-threading " + " ".join(
        f"--mlir-print-ir-{when}={name}"
        for name in passes
        for when in ("before", "after")
    )
    names = {
        "samples": first / "samples.npz",
        "network": first / "net.mlir",
        "opt": qbackend_opt,
        "dump": dump,
    }
    runs = [
        ("examples/first/net.mlir", f"{qbackend_opt} {dump} {line.format(**names)}")
        for line in PIPELINES
    ]
    runs += [
        (
            str(path.relative_to(tests)),
            f"{qbackend_opt} {dump} {options.replace('%s', str(path))}",
        )
        for path in sorted(tests.rglob("*.mlir"))
        for options in commands(path)
        if "--qbackend-lower-to-llvm" in options
    ]
    found = []
    for test, command in runs:
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
        parts = re.split(
            r"^// -----// IR Dump (Before|After) \w+ \(([\w-]+)\).*\n",
            done.stderr,
            flags=re.M,
        )
        before: "dict[str, dict[str, str]]" = {}
        dumped: "dict[str, str]" = {}
        for when, name, code in zip(parts[1::3], parts[2::3], parts[3::3]):
            if when == "Before":
                before[name], dumped[name] = functions(code), code
                continue
            after = functions(code)
            if before.get(name) == after and dumped.get(name, code) != code:
                # It changes what is around functions, such as symbols.
                before[name] = {"": dumped[name].strip()}
                after = {"": code.strip()}
            found += [
                Example(test, "--" + name, code, after[function])
                for function, code in before.get(name, {}).items()
                if function in after
                and max(code.count("\n"), after[function].count("\n")) <= LONGEST
            ]
    return found


def of_passes(examples: "list[Example]", passes: "list[str]") -> "dict[str, Example]":
    """The shortest one of each pass that changes something."""
    found = {}
    for name in passes:
        changed = [
            example
            for example in examples
            if re.split("[= ]", example.option)[0].lstrip("-") == name
            and normal(example.before) != normal(example.after)
        ]
        if changed:
            found[name] = min(changed, key=Example.size)
    return found


def normal(code: str) -> str:
    """Code with other names of values, to see whether it is another one."""
    return re.sub(r"\s+", "", re.sub(r"%[\w#:]+", "%", code))


def fold_bodies(code: str) -> str:
    """Raised operators without the code that they were made of."""
    lines: "list[str]" = []
    closing = None
    for line in code.splitlines():
        if closing is None:
            lines.append(line)
            if "qbackend.operator " in line and line.endswith("{"):
                closing = re.match(" *", line)[0] + "}"
        elif line == closing:
            lines[-1] += " ... }"
            closing = None
    return "\n".join(lines)


def collect_raised(qbackend_opt: pathlib.Path, tests: pathlib.Path) -> "list[Example]":
    """What qbackend-raise makes of the tests of recognisers."""
    found = []
    for path in sorted((tests / "Operators").rglob("*.mlir")):
        before = functions(path.read_text(errors="replace"))
        output = run(qbackend_opt, "--split-input-file --qbackend-raise %s", path)
        after = functions(output or "")
        found += [
            Example(
                str(path.relative_to(tests)),
                "--qbackend-raise",
                code,
                fold_bodies(after[name]),
            )
            for name, code in before.items()
            if name in after and code.count("\n") <= LONGEST
        ]
    return found


def of_kinds(raised: "list[Example]", kinds: "list[str]") -> "dict[str, Example]":
    """Of each kind the function that becomes the fewest operators with it; of those
    the shortest."""
    found: "dict[str, tuple[int, int, Example]]" = {}
    for example in raised:
        operators = re.findall(r"qbackend\.operator \[#qbackend\.(\w+)", example.after)
        for kind in set(operators) & set(kinds):
            new = (len(operators), example.size(), example)
            if kind not in found or new[:2] < found[kind][:2]:
                found[kind] = new
    return {kind: example for kind, (_, _, example) in found.items()}
