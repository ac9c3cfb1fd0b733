# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which node of a matched pattern is the root, and which are extra inputs.

A place in a complex pattern is a path from its last operator: the index of the
operand to follow, one after the other. In `(add, (bn, conv), MatchAllNode)`,
`conv` is at (0, 0) and the wildcard at (1,).
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

Path = Tuple[int, ...]


def _path(value: Any) -> Path:
    path = tuple(value) if isinstance(value, (list, tuple)) else None
    if path is None or not all(type(i) is int and i >= 0 for i in path):
        raise ValueError(f"found {value!r}, expected a list of operand indices")
    return path


def _follow(pattern: Any, path: Path) -> Any:
    for index in path:
        pattern = pattern[index + 1]
    return pattern[0] if isinstance(pattern, (tuple, list)) else pattern


class RootNodeGetter:
    """PyTorch's root node getter for the operator at `path`."""

    def __init__(self, path: Sequence[int]) -> None:
        self.path = _path(path)

    def __call__(self, node_pattern: Any) -> Any:
        return _follow(node_pattern, self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RootNodeGetter) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"RootNodeGetter({list(self.path)})"


class ExtraInputsGetter:
    """PyTorch's extra inputs getter for the values at `paths`."""

    def __init__(self, paths: Sequence[Sequence[int]]) -> None:
        if not isinstance(paths, (list, tuple)):
            raise ValueError(f"found {paths!r}, expected a list of paths")
        self.paths = tuple(_path(path) for path in paths)

    def __call__(self, node_pattern: Any) -> List[Any]:
        return [_follow(node_pattern, path) for path in self.paths]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtraInputsGetter) and self.paths == other.paths

    def __hash__(self) -> int:
        return hash(self.paths)

    def __repr__(self) -> str:
        return f"ExtraInputsGetter({[list(path) for path in self.paths]})"


def default_root_node_getter(node_pattern: Any) -> Any:
    """Where PyTorch looks for the root of a pattern without a getter: the last
    element of the last element, and so on."""
    while isinstance(node_pattern, (tuple, list)):
        node_pattern = node_pattern[-1]
    return node_pattern


class _Place:
    """Stands for the node at a path while a getter is asked for it."""

    def __init__(self, path: Path) -> None:
        self.path = path


def _places(pattern: Any, path: Path = ()) -> Any:
    if not isinstance(pattern, tuple):
        return _Place(path)
    operands = (_places(p, (*path, i)) for i, p in enumerate(pattern[1:]))
    return (_Place(path), *operands)


def _ask(getter: Any, pattern: Any) -> Any:
    label = getattr(getter, "__qualname__", repr(getter))
    try:
        return getter(_places(pattern))
    except Exception as error:
        raise ValueError(
            f"getter {label} can't be understood, it fails on stand-ins for the nodes "
            f"of {pattern!r} ({type(error).__name__}: {error})"
        ) from error


def _path_of_answer(getter: Any, answer: Any, pattern: Any) -> Path:
    if isinstance(answer, _Place):
        return answer.path
    raise ValueError(
        f"getter {getattr(getter, '__qualname__', repr(getter))} returns {answer!r}, "
        f"expected a node of {pattern!r}"
    )


def root_node_getter_of(getter: Any, pattern: Any) -> Optional[RootNodeGetter]:
    """The getter as a path into `pattern`, which is in the complex format. A
    function is called once, with stand-ins for the nodes. ValueError if it
    returns none of them."""
    if getter is None or isinstance(getter, RootNodeGetter):
        return getter
    answer = _ask(getter, pattern)
    return RootNodeGetter(_path_of_answer(getter, answer, pattern))


def extra_inputs_getter_of(getter: Any, pattern: Any) -> Optional[ExtraInputsGetter]:
    """The same for the extra inputs."""
    if getter is None or isinstance(getter, ExtraInputsGetter):
        return getter
    answers = _ask(getter, pattern)
    if not isinstance(answers, (list, tuple)):
        raise ValueError(
            f"getter {getattr(getter, '__qualname__', repr(getter))} returns "
            f"{answers!r}, expected a list of nodes"
        )
    return ExtraInputsGetter(
        [_path_of_answer(getter, answer, pattern) for answer in answers]
    )
