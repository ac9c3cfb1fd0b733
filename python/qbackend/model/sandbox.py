# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler in a child process that reads a model's file and can do nothing else.

What is asked of the child and what it answers are messages of JSON with arrays behind
it: nothing that the child says is run or unpickled."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from .._library import native
from ..diagnostics import CompilerError, Diagnostic

__all__: List[str] = []

#: The folder that `-c` puts first isn't imported from: nothing restricts imports.
_START = (
    "import sys; sys.path[:1] == [''] and sys.path.pop(0); "
    "from qbackend import load; from qbackend.model.sandbox import serve; "
    "serve(sys.argv[1:], load)"
)

#: No thread may be there before the process is restricted.
_ALONE = {
    name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
}

#: How long a child that has closed its connection may take to end.
_LAST_SECONDS = 5

#: What the child may raise in this process.
_RAISED = {
    error.__name__: error
    for error in (TypeError, ValueError, MemoryError, RuntimeError)
}


class Remote:
    """An object of the compiler's in a child; its methods are called there."""

    def __init__(self, sandbox: "Sandbox", number: int):
        self.sandbox, self.number = sandbox, number

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments: self.sandbox.ask(self, name, list(arguments))


class Sandbox:
    """A child that loads the network of a file."""

    def __init__(self, path: str, weights: Optional[str] = None):
        paths = [path] if weights is None else [path, weights]
        for each in paths:
            with open(each, "rb"):
                pass
        ours, theirs = socket.socketpair()
        environment = {**os.environ, **_ALONE}
        environment["PYTHONPATH"] = os.pathsep.join(p or os.getcwd() for p in sys.path)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, str(theirs.fileno()), *paths],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=environment,
            )
        self._connection, self._lock = ours, threading.Lock()
        self._end = weakref.finalize(self, _end, self._process, ours)

    @classmethod
    def load(cls, path: str, weights: Optional[str] = None) -> Remote:
        """The network of a file, and of one of weights, in a child that ends with
        it."""
        made: Remote = cls(path, weights)._receive()
        return made

    def ask(self, target: Any, method: str, arguments: List[Any]) -> Any:
        """What a method of `target` gives; of None, a new object of that class."""
        with self._lock:
            try:
                _send(self._connection, [target, method, arguments], self._number)
            except OSError:
                pass
            except KeyboardInterrupt:
                # It waits for the rest.
                self._end()
                raise
            return self._receive()

    def _number(self, value: Any) -> int:
        if not isinstance(value, Remote) or value.sandbox is not self:
            raise TypeError(
                f"found a {type(value).__name__} outside of this model's sandbox; load "
                "both models without sandbox=True"
            )
        return value.number

    def _receive(self) -> Any:
        try:
            kind, value = _receive(self._connection, lambda n: Remote(self, n))
            if kind == "value":
                return value
            if kind == "refused":
                error: Exception = CompilerError(_diagnostics(value))
            else:
                error = _RAISED[kind](value)
        except (EOFError, OSError):
            raise CompilerError([Diagnostic("error", self._why())]) from None
        except Exception:
            self._end()
            what = "the sandbox said what is no answer; the network is made to do this"
            raise CompilerError([Diagnostic("error", what)]) from None
        except BaseException:
            # An interrupt.
            self._end()
            raise
        raise error

    def _why(self) -> str:
        self._connection.close()
        try:
            status = self._process.wait(timeout=_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        how = f"code {status}" if status >= 0 else f"signal {-status}"
        if -status in list(signal.Signals):
            how = signal.Signals(-status).name
        return (
            f"the sandbox ended ({how}); the network is damaged, or made to do this, or "
            "this system has no sandboxes"
        )


def _end(process: Any, connection: socket.socket) -> None:
    connection.close()
    process.kill()
    process.wait()


def _diagnostics(entries: Any) -> List[Diagnostic]:
    return [
        Diagnostic(severity, message, file, line, column, tuple(_diagnostics(notes)))
        for severity, message, file, line, column, notes in entries
    ]


def _entries(diagnostics: Any) -> List[Any]:
    return [
        [d.severity, d.message, d.file, d.line, d.column, _entries(d.notes)]
        for d in diagnostics
    ]


# Messages ---------------------------------------------------------------


def _pack(value: Any, blobs: List[Any], number_of: Callable[[Any], int]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        blobs.append(memoryview(value))
        return {"bytes": None}
    if isinstance(value, np.ndarray):
        blobs.append(np.ascontiguousarray(value).reshape(-1).view("u1").data)
        return {"array": [value.dtype.str, list(value.shape)]}
    if isinstance(value, (list, tuple)):
        parts = [_pack(part, blobs, number_of) for part in value]
        return {type(value).__name__: parts}
    if isinstance(value, dict):
        return {"dict": [_pack(list(i), blobs, number_of) for i in value.items()]}
    return {"object": number_of(value)}


def _unpack(value: Any, blobs: List[bytearray], object_of: Callable[[int], Any]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, what),) = value.items()
    if kind == "object":
        return object_of(what)
    if kind == "bytes":
        return bytes(blobs.pop(0))
    if kind == "array":
        dtype = np.dtype(what[0])
        if dtype.kind not in "biuf":
            raise ValueError(f"an array of {dtype}")
        return np.frombuffer(blobs.pop(0), dtype).reshape(what[1])
    parts = [_unpack(part, blobs, object_of) for part in what]
    return {"list": list, "tuple": tuple, "dict": dict}[kind](parts)


def _send(to: socket.socket, value: Any, number_of: Callable[[Any], int]) -> None:
    blobs: List[memoryview] = []
    packed = _pack(value, blobs, number_of)
    head = json.dumps([packed, [blob.nbytes for blob in blobs]]).encode()
    to.sendall(len(head).to_bytes(8, "little") + head)
    for blob in blobs:
        to.sendall(blob)


def _receive(source: socket.socket, object_of: Callable[[int], Any]) -> Any:
    def read(size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            count = source.recv_into(view)
            if not count:
                raise EOFError
            view = view[count:]
        return data

    packed, sizes = json.loads(read(int.from_bytes(read(8), "little")))
    return _unpack(packed, [read(size) for size in sizes], object_of)


# The child --------------------------------------------------------------


def _readable(path: str) -> List[str]:
    """The file, what an ONNX model may have beside it, and what Python imports."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [package] + [
        os.path.dirname(os.path.abspath(file)) for file in (np.__file__, os.__file__)
    ]
    if path.endswith(".onnx"):
        folders.append(os.path.dirname(os.path.abspath(path)))
    return [path, *folders]


def serve(arguments: List[str], load: Callable[..., Any]) -> None:
    """Answers until the parent ends. `load` reads the network, and with `weights` those
    of another file."""
    # An interrupt is the parent's, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection, path = socket.socket(fileno=int(arguments[0])), arguments[1]
    weights = arguments[2] if len(arguments) > 2 else None
    objects: List[Any] = []

    def number_of(value: Any) -> int:
        objects.append(value)
        return len(objects) - 1

    def answer(work: Callable[[], Any]) -> None:
        message: Tuple[str, Any]
        try:
            message = ("value", work())
        except CompilerError as error:
            message = ("refused", _entries(error.diagnostics))
        except Exception as error:
            name = type(error).__name__
            message = (name if name in _RAISED else "RuntimeError", str(error))
        _send(connection, message, number_of)

    def start() -> Any:
        more = [] if weights is None else [weights]
        native().restrict_process(_readable(path) + more)
        return load(path, weights=weights)._loaded()

    answer(start)
    while True:
        try:
            target, method, given = _receive(connection, objects.__getitem__)
        except (EOFError, OSError):
            return
        answer(lambda: getattr(native() if target is None else target, method)(*given))
