# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation site: tutorials, how-to pages, reference, explanation.

    build.py SOURCE BUILD OUTPUT

SOURCE is the repository and BUILD its build, with programs, the Python package if it
has one, and docs/reference. OUTPUT gets `pages` (what MkDocs reads: the documents,
and the reference that is written here) and `site`. Ends with an error if a link leads
nowhere. The site needs no server and loads nothing from elsewhere.
"""

import html.parser
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import examples

NAVIGATION = {
    "Tutorials": [
        "tutorials/PyTorch.md",
        "tutorials/Compiler.md",
        "AddingABackend.md",
        "tutorials/Firmware.md",
    ],
    "How to": [
        "Importing.md",
        "MovingOffTorchAo.md",
        "Calibration.md",
        "Tuning.md",
        "Reports.md",
        "Exporting.md",
        "Firmware.md",
        "Cluster.md",
        "Cpp.md",
        "CONTRIBUTING.md",
    ],
    "Reference": [
        "Pipeline.md",
        "reference/Programs.md",
        "reference/Passes.md",
        "reference/Kinds.md",
        "reference/QBackendDialect.md",
        "reference/QNNPackDialect.md",
        "reference/Int8Dialect.md",
        "Backends.md",
        "Diagnostics.md",
        "Python.md",
        "reference/Python.md",
        "reference/C.md",
        "Glossary.md",
    ],
    "Explanation": [
        "Map.md",
        "Operators.md",
        "Placement.md",
        "Quantizers.md",
        "Numerics.md",
        "Proving.md",
        "Kernels.md",
        "Security.md",
        "Dependencies.md",
        "Rationale/README.md",
    ],
}

#: Of a pass without IR before and after: why there is none.
UNSHOWN = {
    "qbackend-bind-parameters": "It reads a file, see [Importing]"
    "(../Importing.md#weights-from-outside).",
    "qbackend-verify-accumulators": "It changes nothing: it is silent, or an error.",
    "qbackend-verify-integer-only": "It changes nothing: it is silent, or an error.",
    "qbackend-verify-sharing": "It changes nothing: it is silent, or an error.",
}

PROGRAMS = [
    "qbackend-opt",
    "qbackend-run",
    "qbackend-tune",
    "qbackend-calib",
    "qbackend-config",
    "qbackend-stages",
    "qbackend-translate",
    "qbackend-prove",
    "qbackend-import",
]


def fence(code: str, language: str = "mlir") -> str:
    return f"```{language}\n{code.rstrip()}\n```\n"


def show(example: "examples.Example") -> str:
    return (
        f"Before:\n\n{fence(example.before)}\nAfter `{example.option}`:\n\n"
        f"{fence(example.after)}\nOf `{example.test}`.\n"
    )


def write_passes(source, build, pages):
    """The reference of all passes, each with IR before and after."""
    folder = build / "docs" / "reference"
    texts = [page.read_text() for page in sorted(folder.glob("*Passes.md"))]
    sections = {}
    for text in texts:
        parts = re.split(r"^### `-(.*)`\n", text, flags=re.M)
        sections.update(zip(parts[1::2], parts[2::2]))
    tool, tests = build / "bin" / "qbackend-opt", source / "test"
    shown = examples.of_passes(examples.collect(tool, tests), list(sections))
    lacking = [name for name in sections if name not in shown]
    shown.update(
        examples.of_passes(
            examples.collect_inside(
                tool, source / "examples" / "first", tests, lacking
            ),
            lacking,
        )
    )
    text = "# Passes\n\nEach with the shortest function of its tests that it changes.\n"
    for name in sorted(sections):
        body = re.sub(r"^#### ", "### ", sections[name], flags=re.M).strip()
        text += f"\n## `{name}`\n\n{body}\n\n"
        text += show(shown[name]) if name in shown else UNSHOWN.get(name, "") + "\n"
    (pages / "reference" / "Passes.md").write_text(text)
    return len(sections), len(shown)


def write_kinds(source, build, pages):
    """What recognisers make of code: an example of each operator kind."""
    definitions = source / "include/qbackend/Dialect/QBackend/OperatorKinds.td"
    kinds = re.findall(
        r'^def QBackend_\w+\s*:\s*QBackend_\w+<\s*"\w+",\s*"(\w+)"',
        definitions.read_text(),
        re.M,
    )
    raised = examples.collect_raised(build / "bin" / "qbackend-opt", source / "test")
    shown = examples.of_kinds(raised, kinds)
    text = (
        "# Operator kinds\n\nCode, and the operator that it is recognised as. "
        "[Operators](../Operators.md) says which spellings there are; the "
        "fields of a kind are in [the dialect](QBackendDialect.md).\n"
    )
    for kind in sorted(shown):
        text += f"\n## `{kind}`\n\n{show(shown[kind])}"
    rest = sorted(set(kinds) - set(shown))
    text += (
        "\n## Others\n\nWithout a test of their own here: "
        + ", ".join(f"`{kind}`" for kind in rest)
        + ".\n"
    )
    (pages / "reference" / "Kinds.md").write_text(text)
    return len(kinds), len(shown)


def write_programs(build, pages):
    text = "# Programs\n\nWhat `--help` prints. `man` has the same.\n"
    for name in PROGRAMS:
        program = build / "bin" / name
        if not program.exists():
            continue
        done = subprocess.run(
            [program, "--help"], capture_output=True, text=True, check=True
        )
        # The options of MLIR's passes are in the reference of passes.
        shown = re.sub(r"\n +Passes:\n.*?(?=\n\S|\Z)", "\n", done.stdout, flags=re.S)
        text += f"\n## {name}\n\n{fence(shown.replace(str(build), 'build'), 'text')}"
    (pages / "reference" / "Programs.md").write_text(text)


def write_python(build, pages):
    """Each public name of the package, with its signature and docstring."""
    text = "# The Python package\n\nFrom its docstrings; [Python](../Python.md) is the guide.\n"
    sys.path.insert(0, str(build / "python"))
    try:
        import qbackend
    except ImportError:
        text += "\nThis build has no Python package.\n"
        (pages / "reference" / "Python.md").write_text(text)
        return 0

    def describe(level, name, value):
        try:
            signature = str(inspect.signature(value))
        except (TypeError, ValueError):
            signature = ""
        # Defaults without a literal have an address.
        signature = re.sub(r"<([\w.]+)[^<>]*>", r"\1", signature)
        lines = inspect.getdoc(value) or ""
        return (
            f"\n{'#' * level} {name}\n\n{fence(name + signature, 'python')}\n"
            f"{fence(lines, 'text') if lines else ''}"
        )

    names = [
        name
        for name in sorted(vars(qbackend))
        if name[0] != "_"
        and callable(getattr(qbackend, name))
        and getattr(qbackend, name).__module__.startswith("qbackend")
    ]
    for name in names:
        value = getattr(qbackend, name)
        text += describe(2, name, value)
        if inspect.isclass(value):
            for method, function in sorted(vars(value).items()):
                if method.startswith("_") or not callable(function):
                    continue
                if inspect.getdoc(function):
                    text += describe(3, f"{name}.{method}", function)
    (pages / "reference" / "Python.md").write_text(text)
    return len(names)


def write_c(source, pages):
    """The header: comments are prose, what they are about is code."""
    header = (source / "include/qbackend-c/QBackend.h").read_text()
    text = "# The C interface\n\n`#include <qbackend-c/QBackend.h>`\n"
    body = header.partition('extern "C" {\n#endif\n')[2].partition(
        "#ifdef __cplusplus"
    )[0]
    for block in re.split(r"\n\n+", body.strip()):
        comment = re.match(r"/\*(.*?)\*/\n?", block, re.S)
        prose = re.sub(r"\n \* ?", "\n", comment[1]).strip() if comment else ""
        code = block[comment.end() :] if comment else block
        name = re.search(r"\b(qbackend\w+)\(|\} (\w+);|\(\*(\w+)\)\(", code)
        if name:
            text += f"\n## {next(filter(None, name.groups()))}\n"
        text += f"\n{prose}\n" + (f"\n{fence(code, 'c')}" if code.strip() else "")
    (pages / "reference" / "C.md").write_text(text)


def keep_anchor(match):
    """A heading with the anchor that it has where the file itself is read, if that of
    the site is another one."""
    heading = match[0].lstrip("# ").lower()
    anchor = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
    if anchor == re.sub(r"-+", "-", anchor).strip("-"):
        return match[0]
    return f"{match[0]} {{ #{anchor} }}"


def copy_documents(source, pages):
    """All documents; README is the first page. What links lead to outside of docs is
    copied, and folders, which are no pages, are named."""
    shutil.copytree(
        source / "docs",
        pages,
        ignore=shutil.ignore_patterns("site", "CMakeLists.txt", "__pycache__"),
    )
    shutil.copy(source / "README.md", pages / "index.md")
    shutil.copy(source / "CONTRIBUTING.md", pages)
    todo = sorted(pages.rglob("*.md"))
    while todo:
        page = todo.pop()
        inside = page.relative_to(pages)
        text = page.read_text()
        origin = {"index.md": source, "CONTRIBUTING.md": source}.get(
            str(inside), (source / "docs" / inside).parent
        )
        if inside.parts[0] == "files":
            origin = source / inside.relative_to("files").parent

        def move(match):
            label, target, anchor = match[1], match[2], match[3] or ""
            if re.match(r"\w+:", target) or not target:
                return match[0]
            path = pathlib.Path(os.path.normpath(origin / target))
            if path == source / "README.md":
                new = pages / "index.md"
            elif path == source / "CONTRIBUTING.md":
                new = pages / "CONTRIBUTING.md"
            elif path.is_relative_to(source / "docs") and path.is_dir():
                new = pages / path.relative_to(source / "docs") / "README.md"
            elif path.is_relative_to(source / "docs"):
                new = pages / path.relative_to(source / "docs")
            elif path.is_file():
                new = pages / "files" / path.relative_to(source)
                if not new.exists():
                    new.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, new)
                    if new.suffix == ".md":
                        todo.append(new)
            elif path.is_dir():
                return f"{label} (`{path.relative_to(source)}`)"
            else:
                sys.exit(f"{origin}: no file {target}")
            return f"[{label}]({os.path.relpath(new, page.parent)}{anchor})"

        # Not in blocks of code.
        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        parts[::2] = [
            re.sub(r"\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", move, part)
            for part in parts[::2]
        ]
        parts[::2] = [
            re.sub(r"^#+ .*$", keep_anchor, part, flags=re.M) for part in parts[::2]
        ]
        page.write_text("".join(parts))


class Anchors(html.parser.HTMLParser):
    """Links and ids of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key == "id" or (tag == "a" and key == "name"):
                self.ids.add(value)
            elif key in ("href", "src") and value:
                self.links.append(value)
                if tag != "a" and re.match(r"(https?:)?//", value):
                    self.loaded.append(value)


def check_links(site: pathlib.Path) -> "tuple[int, list[str]]":
    """How many links there are, and those that lead nowhere or load from elsewhere."""
    pages = {path: Anchors(path.read_text()) for path in sorted(site.rglob("*.html"))}
    count, dead = 0, []
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc or path.name == "404.html":
                continue
            count += 1
            target = path.parent / urllib.parse.unquote(url.path) if url.path else path
            target = pathlib.Path(os.path.normpath(target))
            if target.is_dir():
                target /= "index.html"
            anchor = urllib.parse.unquote(url.fragment)
            if not target.exists() or (
                anchor
                and target in pages
                and anchor not in pages[target].ids
                and not anchor.startswith("__")
            ):
                dead.append(f"{path.relative_to(site)}: {link}")
        dead += [f"{path.relative_to(site)}: loads {link}" for link in page.loaded]
    return count, dead


def main():
    source, build, output = (pathlib.Path(part).resolve() for part in sys.argv[1:])
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    pages = output / "pages"
    copy_documents(source, pages)
    (pages / "reference").mkdir()
    for dialect in (build / "docs" / "reference").glob("*Dialect.md"):
        text = re.sub(r"^\[TOC\]\n|^<!--.*-->\n", "", dialect.read_text(), flags=re.M)
        (pages / "reference" / dialect.name).write_text(
            text if text.lstrip().startswith("# ") else f"# {dialect.stem}\n\n{text}"
        )
    passes = write_passes(source, build, pages)
    kinds = write_kinds(source, build, pages)
    write_programs(build, pages)
    names = write_python(build, pages)
    write_c(source, pages)
    unnamed = {
        str(path.relative_to(pages))
        for path in pages.rglob("*.md")
        if path.relative_to(pages).parts[0] != "files"
    } - {"index.md", *(page for part in NAVIGATION.values() for page in part)}
    if unnamed:
        sys.exit(f"no place in the navigation: {', '.join(sorted(unnamed))}")
    config = json.loads((source / "docs/site/mkdocs.json").read_text())
    config.update(
        docs_dir=str(pages),
        site_dir=str(output / "site"),
        nav=[
            {"Start": "index.md"},
            *({part: found} for part, found in NAVIGATION.items()),
        ],
    )
    # YAML reads JSON.
    (output / "mkdocs.yml").write_text(json.dumps(config, indent=1))
    subprocess.run(
        [
            "mkdocs",
            "build",
            "--quiet",
            "--strict",
            "--config-file",
            output / "mkdocs.yml",
        ],
        check=True,
    )
    count, dead = check_links(output / "site")
    if dead:
        sys.exit("links that lead nowhere, or load from elsewhere:\n" + "\n".join(dead))
    print(
        f"{count} links; before and after of {passes[1]} of {passes[0]} passes and "
        f"{kinds[1]} of {kinds[0]} kinds; {names} names of Python"
    )


if __name__ == "__main__":
    main()
