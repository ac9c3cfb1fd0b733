# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that write in place: which names see a write.

A tensor that is a view of another one is computed again from it when it is read
after a write; a write into a view is one into what it is a view of.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Optional, Tuple

from .. import movement
from ..aten.table import Operator
from ..builder import Builder, Value
from ..dims import Extent
from ..errors import ImportFailure
from ..program import TensorMeta

_Forward = Callable[[Value], Value]
_Backward = Callable[[Value, Value], Value]


@dataclasses.dataclass(eq=False)
class Cell:
    """What a name stands for. Of a view: of which tensor, how it is computed
    from it, and that one from it."""

    value: Value
    base: Optional["Cell"] = None
    forward: Optional[_Forward] = None
    backward: Optional[_Backward] = None
    version: int = 0
    seen: int = 0


_ALWAYS = {"detach", "detach_", "alias", "lift_fresh", "requires_grad_"}
_SAME = {"contiguous", "to", "dropout", "type_as", "lift", "positive", "conj",
         "_conj", "resolve_conj", "resolve_neg", "real", "feature_dropout",
         "alpha_dropout", "feature_alpha_dropout"}
_RESHAPE = {"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze",
            "view_as", "reshape_as", "ravel", "_reshape_alias"}
_PERMUTE = {"permute", "transpose", "t", "mT", "movedim", "swapaxes", "numpy_T",
            "swapdims", "moveaxis", "adjoint", "mH", "matrix_H"}
_SLICE = {"slice", "select", "narrow"}
_PARTS = {"split", "hsplit", "chunk", "unbind", "split_with_sizes", "tensor_split"}
_OTHER = {"expand", "expand_as", "as_strided", "unfold", "broadcast_to"}
#: Views of other shapes than the tensor's own.
VIEWS = _RESHAPE | _PERMUTE | _SLICE | _OTHER


class Views:
    def __init__(self, g: Builder):
        self.g = g

    def read(self, cell: Cell) -> Value:
        """Its value now."""
        if cell.base is not None:
            base = self.read(cell.base)
            if cell.seen != cell.base.version:
                assert cell.forward is not None
                cell.value = cell.forward(base)
                cell.seen = cell.base.version
                cell.version += 1
        return cell.value

    def write(self, cell: Cell, value: Value) -> None:
        if cell.base is not None:
            if cell.backward is None:
                raise ImportFailure("writes into a view that shares elements")
            self.write(cell.base, cell.backward(self.read(cell.base), value))
            cell.seen = cell.base.version
        cell.value = value
        cell.version += 1

    def of(self, operator: Operator, name: str, source: Cell,
           arguments: Dict[str, Any], results: List[Any],
           memory: Optional[Tuple[TensorMeta, TensorMeta]]
           ) -> Optional[List[Any]]:
        """Cells for the results of a view of `source`; None if it is none."""
        kind = name.partition(".")[0]
        result = results[0]
        if kind in _PARTS and isinstance(result, list):
            axis = arguments.get("dim", min(source.value.rank, 2) - 1
                                 if kind == "hsplit" else 0)
            return [[self._part(operator, source, arguments, axis, i, part)
                     for i, part in enumerate(result)]]
        if not isinstance(result, Value):
            return None
        if kind in _ALWAYS or kind in _SAME and result is source.value and (
                kind != "contiguous" or _same_memory(memory)):
            # One tensor under two names.
            return [source]
        first = next((k for k, v in arguments.items() if isinstance(v, Value)),
                     None)
        if first is None:
            return None

        name_of_first = first

        def forward(base: Value) -> Value:
            found = operator.function(self.g, **{**arguments, name_of_first: base})
            assert isinstance(found, Value)
            return found

        backward: Optional[_Backward]
        if kind in _RESHAPE:
            if kind not in ("view", "squeeze", "unsqueeze", "unflatten",
                            "view_as") and not _viewable(memory):
                return None
            backward = lambda base, new: movement.reshape(self.g, new, base.shape)
        elif kind in _PERMUTE:
            backward = self._permuted(operator, arguments, first)
        elif kind == "diagonal":
            places = {"offset": 0, "dim1": 0, "dim2": 1, **arguments}
            del places[first]
            backward = lambda base, new: movement.diagonal(
                self.g, base, new=new, **places)
        elif kind in _SLICE:
            backward = self._sliced(kind, arguments)
        elif kind in _OTHER:
            backward = None
        else:
            return None
        return [Cell(result, source, forward, backward, seen=source.version)]

    def _permuted(self, operator: Operator, arguments: Dict[str, Any],
                  first: str) -> _Backward:
        def backward(base: Value, new: Value) -> Value:
            # Where each dimension goes, seen on one of that many.
            marks = Value(tuple(range(2, base.rank + 2)), base.element,
                          name="%none")
            probe = Builder()
            moved = operator.function(probe, **{**arguments, first: marks})
            assert isinstance(moved, Value)
            return movement.transpose(self.g, new, [
                moved.shape.index(e) for e in marks.shape])

        return backward

    def _sliced(self, kind: str, arguments: Dict[str, Any]) -> _Backward:
        def backward(base: Value, new: Value) -> Value:
            axis = base.axis(arguments.get("dim", 0))
            extent = base.shape[axis]
            offsets: List[Extent] = [0] * base.rank
            steps = [1] * base.rank
            if kind == "select":
                index = arguments["index"]
                offsets[axis] = extent + index if index < 0 else index
                new = movement.unsqueeze(self.g, new, axis)
            else:
                offsets[axis] = movement.clamped(arguments.get("start") or 0,
                                                 extent)
                steps[axis] = arguments.get("step", 1)
            return movement.insert(self.g, new, base, offsets, steps)

        return backward

    def _part(self, operator: Operator, source: Cell, arguments: Dict[str, Any],
              dim: int, index: int, part: Value) -> Cell:
        first = next(k for k, v in arguments.items() if isinstance(v, Value))

        def parts(base: Value) -> List[Value]:
            found = operator.function(self.g, **{**arguments, first: base})
            assert isinstance(found, list)
            return found

        def backward(base: Value, new: Value) -> Value:
            axis = base.axis(dim)
            offsets: List[Extent] = [0] * base.rank
            if new.rank < base.rank:
                offsets[axis] = index
                new = movement.unsqueeze(self.g, new, axis)
            else:
                place: Extent = 0
                for earlier in parts(base)[:index]:
                    place = place + earlier.shape[axis]
                offsets[axis] = place
            return movement.insert(self.g, new, base, offsets)

        return Cell(part, source, lambda base: parts(base)[index], backward,
                    seen=source.version)


def _same_memory(memory: Optional[Tuple[TensorMeta, TensorMeta]]) -> bool:
    return memory is not None and memory[0].strides == memory[1].strides


def _viewable(memory: Optional[Tuple[TensorMeta, TensorMeta]]) -> bool:
    """Whether reshape of such a tensor copies nothing: its elements lie in
    order, as PyTorch's view has it for contiguous tensors."""
    if memory is None:
        return False
    expected: Extent = 1
    for size, stride in zip(reversed(memory[0].sizes),
                            reversed(memory[0].strides)):
        if size != 1 and stride != expected:
            return False
        expected = expected * size
    return True
