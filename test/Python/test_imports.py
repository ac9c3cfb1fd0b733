# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules and packages import each other without circles, and not what they
mustn't."""

import ast
import importlib
import pathlib
import sys

import pytest
import qbackend

ROOT = pathlib.Path(qbackend.__file__).parent


def modules_of(root):
    """The modules below `root` by dotted name, which is empty for itself."""
    result = {}
    for path in [*root.rglob("*.pyi"), *root.rglob("*.py")]:
        parts = path.relative_to(root).with_suffix("").parts
        result[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return result


def imports_of(name, source, modules, is_package):
    """The modules of `modules` that the text imports anywhere, in functions and
    for type checkers too."""
    package = name.split(".") if name else []
    if not is_package:
        package = package[:-1]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root, _, rest = alias.name.partition(".")
                if root == "qbackend":
                    found.add(rest)
        if not isinstance(node, ast.ImportFrom):
            continue
        module = (node.module or "").split(".") if node.module else []
        if node.level:
            module = package[: len(package) - node.level + 1] + module
        elif module[:1] == ["qbackend"]:
            module = module[1:]
        else:
            continue
        for alias in node.names:
            inner = ".".join([*module, alias.name])
            found.add(inner if inner in modules else ".".join(module))
    return {module for module in found if module in modules}


def find_circle(graph):
    """A list of nodes, each with an arrow to the next and the last to the first;
    empty if there is none."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node) :]
        if node in done:
            return []
        for target in sorted(graph[node]):
            circle = visit(target, [*path, node])
            if circle:
                return circle
        done.add(node)
        return []

    for node in sorted(graph):
        circle = visit(node, [])
        if circle:
            return circle
    return []


def graph_of(sources, packages=()):
    return {
        name: imports_of(name, source, sources, name in packages)
        for name, source in sources.items()
    }


def graph_of_package():
    modules = modules_of(ROOT)
    sources = {name: path.read_text() for name, path in modules.items()}
    packages = {n for n, path in modules.items() if path.name == "__init__.py"}
    return graph_of(sources, packages)


def test_package_has_no_import_circle():
    graph = graph_of_package()
    assert "observation.observers" in graph["configuration.qconfig"]
    assert find_circle(graph) == []


def test_folders_have_no_import_circle():
    folders = {}
    for name, targets in graph_of_package().items():
        if name:
            reached = folders.setdefault(name.partition(".")[0], set())
            reached.update(target.partition(".")[0] for target in targets)
    graph = {name: targets - {name} for name, targets in folders.items()}
    assert graph["vocabulary"] == set()
    assert graph["observation"] == {"vocabulary", "_library"}
    assert graph["configuration"] == {"vocabulary", "observation", "_library"}
    assert find_circle(graph) == []


def test_importers_need_neither_torch_nor_configurations():
    for name, targets in graph_of_package().items():
        if name.partition(".")[0] == "importers":
            others = {t for t in targets if t.partition(".")[0] != "importers"}
            assert others <= {"_library", "diagnostics", "files", "model.model",
                              "model.sandbox"}, name
    allowed = {*sys.stdlib_module_names, "numpy"}
    for path in (ROOT / "importers").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            found = []
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found = [node.module]
            for module in found:
                # What from_torch calls.
                if (path.parent.name, module) != ("importers", "torch.export"):
                    assert module.partition(".")[0] in allowed, path


def test_folders_are_small():
    for folder in [ROOT, *(path.parent for path in ROOT.rglob("__init__.py"))]:
        assert len([*folder.glob("*.py")]) <= 20, folder


@pytest.mark.parametrize(
    "path, name",
    [
        ("backend_config", "BackendConfig"),
        ("custom_config", "PrepareCustomConfig"),
        ("dtype_config", "DTypeConfig"),
        ("dtypes", "DType"),
        ("equalization", "EqualizationQConfig"),
        ("fake_quantize", "FakeQuantize"),
        ("fuser_methods", "FuserMethod"),
        ("names", "TorchName"),
        ("node_getters", "RootNodeGetter"),
        ("observers", "MinMaxObserver"),
        ("qconfig", "QConfig"),
        ("qconfig_mapping", "QConfigMapping"),
    ],
)
def test_public_modules_have_a_short_path(path, name):
    module = importlib.import_module(f"qbackend.{path}")
    assert module is getattr(qbackend, path)
    found = getattr(module, name)
    assert module is sys.modules[found.__module__]
    assert getattr(qbackend, name, found) is found


def test_circles_are_found():
    # In a function, for type checkers, and by an absolute name.
    top = "from .b import f"
    for hidden in (
        "def f():\n    from . import a",
        "if TYPE_CHECKING:\n    from .a import f",
        "import qbackend.a",
        "from qbackend.a import f",
    ):
        graph = graph_of({"": "", "a": top, "b": hidden})
        assert find_circle(graph) == ["a", "b"], hidden
    assert find_circle(graph_of({"": "", "a": top, "b": "import json"})) == []
