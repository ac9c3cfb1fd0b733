# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an archive of `torch.export` holds, a program and weights, in the layout of
PyTorch up to 2.7 and in that since 2.8."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Optional, Sequence, Tuple

from .. import dims, elements
from ..archive import Archive
from ..errors import ImportFailure
from ..program import Program, parse, tensor_meta
from .storages import Tensor, TensorFile, storage_elements, strided

_LEGACY = "serialized_exported_program.json"
_MOST_PROGRAM = 1 << 28


class Weights:
    """Parameters, buffers and constants by their FQN."""

    def get(self, name: str) -> Optional[Tensor]:
        raise NotImplementedError


class _SavedWeights(Weights):
    """Two files of torch.save."""

    def __init__(self, archive: Archive, names: Sequence[str]):
        self.files = []
        for name in names:
            if name in archive.entries:
                data = archive.read(name)
                if len(data):
                    self.files.append(TensorFile(data, f"'{name}'"))

    def get(self, name: str) -> Optional[Tensor]:
        for file in self.files:
            tensor = file.get(name)
            if tensor is not None:
                return tensor
        return None


class _RawWeights(Weights):
    """A file for each storage, and tables of what is in them."""

    def __init__(self, archive: Archive, root: str, model: str):
        self.archive = archive
        self.entries: Dict[str, Tuple[str, Any]] = {}
        self._flat: Dict[Tuple[str, elements.Element], Any] = {}
        for folder, kinds in (("weights", ("weights_config",
                                           "model_param_config")),
                              ("constants", ("constants_config",
                                             "model_constants_config"))):
            for kind in kinds:
                path = f"{root}data/{folder}/{model}_{kind}.json"
                if path in archive.entries:
                    self._table(path, f"{root}data/{folder}/")

    def _table(self, path: str, folder: str) -> None:
        try:
            table = json.loads(str(self.archive.read(path), "utf-8"))
            entries = dict(table["config"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ImportFailure(f"'{path}' is no table of weights: "
                                f"{type(error).__name__}") from None
        for name, entry in entries.items():
            if not isinstance(entry, dict) or not isinstance(
                    entry.get("path_name"), str):
                raise ImportFailure(f"'{name}' of '{path}' has no path_name")
            self.entries[name] = folder + entry["path_name"], entry

    def get(self, name: str) -> Optional[Tensor]:
        if name not in self.entries:
            return None
        path, entry = self.entries[name]
        if entry.get("use_pickle"):
            raise ImportFailure(f"'{name}' is a pickled object, which is not "
                                "read")
        meta = tensor_meta(entry.get("tensor_meta"), f"'{name}'")
        sizes = [dims.static(e, f"a size of '{name}'") for e in meta.sizes]
        strides = [dims.static(e, f"a stride of '{name}'") for e in meta.strides]
        element = meta.element
        key = (path, element)
        if key not in self._flat:
            data = self.archive.read(path)
            size = 2 if element == elements.BF16 else element.bits // 8 or 1
            if len(data) % size:
                raise ImportFailure(f"'{path}' has {len(data)} bytes, expected a "
                                    f"multiple of {size}")
            self._flat[key] = storage_elements(data, element)
        flat = self._flat[key]
        if not flat.size and dims.product(sizes) != 0:
            raise ImportFailure(f"'{path}' is empty: the archive has no weights")
        return Tensor(strided(flat, meta.offset, sizes, strides, f"'{name}'"),
                      element, (path, meta.offset, tuple(sizes), tuple(strides),
                                element))


def read(buffer: memoryview) -> Tuple[Program, Weights]:
    archive = Archive(buffer, "the archive")
    names = archive.names()
    if _LEGACY in names:
        program = _program(archive, _LEGACY)
        order = archive.optional_text("byteorder")
        _check_order(order)
        return program, _SavedWeights(archive, [
            "serialized_state_dict.pt", "serialized_state_dict.json",
            "serialized_constants.pt"])
    formats = [n for n in names if n == "archive_format"
               or n.endswith("/archive_format") and n.count("/") == 1]
    if len(formats) != 1:
        raise ImportFailure("the archive is none of torch.export: it has neither "
                            f"'{_LEGACY}' nor 'archive_format'")
    root = formats[0][:-len("archive_format")]
    if archive.text(formats[0]).strip() != "pt2":
        raise ImportFailure("the archive's format is not pt2")
    version = archive.optional_text(root + "archive_version")
    if version is not None and version.strip() not in ("", "0"):
        raise ImportFailure(f"the archive has the version {version.strip()[:20]}, "
                            "expected 0")
    _check_order(archive.optional_text(root + "byteorder"))
    models = [n for n in names if re.fullmatch(
        re.escape(root) + r"models/[^/]+\.json", n)]
    if not models:
        raise ImportFailure("the archive has no program: it holds compiled code "
                            "(AOTInductor) only")
    if len(models) > 1:
        raise ImportFailure(f"the archive has {len(models)} programs, expected "
                            "one")
    model = models[0][len(root) + len("models/"):-len(".json")]
    program = _program(archive, models[0])
    saved = [f"{root}data/{folder}/{model}.pt"
             for folder in ("weights", "constants")]
    if any(name in archive.entries for name in saved):
        return program, _SavedWeights(archive, saved)
    return program, _RawWeights(archive, root, model)


def _check_order(order: Optional[str]) -> None:
    if order is not None and order.strip() != "little":
        raise ImportFailure(f"the archive is in byte order "
                            f"'{order.strip()[:20]}', expected little")


def _program(archive: Archive, name: str) -> Program:
    data = archive.read(name)
    if len(data) > _MOST_PROGRAM:
        raise ImportFailure(f"'{name}' has {len(data)} bytes, at most "
                            f"{_MOST_PROGRAM} are read")
    return parse(bytes(data), f"'{name}'")
