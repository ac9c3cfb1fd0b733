# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An executor whose workers may be lost, and what becomes of it then."""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import os
import signal
import time
from typing import Any, List, Optional

#: Seconds in which a pool of processes has read what is no answer.
_ANSWER = 10.0


class Pool:
    """The executor, and another one in its place when its workers are lost."""

    def __init__(self, executor: Any):
        self._make = executor if not isinstance(executor, futures.Executor) else None
        #: Whether there can be another one, without those of its workers that hang.
        self.is_made = self._make is not None
        self._is_ours = self._make is not None
        self.executor: futures.Executor = self._made() if self._make else executor

    def _made(self) -> futures.Executor:
        assert self._make is not None
        made: futures.Executor = self._make()
        # Some have its methods and not its base: joblib's, Ray's.
        if not callable(getattr(made, "submit", None)):
            raise TypeError(
                f"executor= gave a {type(made).__name__}, expected a "
                "concurrent.futures.Executor"
            )
        return made

    def workers(self) -> Optional[int]:
        return getattr(self.executor, "_max_workers", None)

    def renew(self, why: BaseException) -> None:
        """Replaces an executor that has broken."""
        broken = self.executor
        if self._make is not None:
            made = self._made()
        elif type(broken) is futures.ProcessPoolExecutor:
            # What it was made with; it has no other way to say it.
            names = ("max_workers", "mp_context", "initializer", "initargs")
            state = vars(broken)
            made = futures.ProcessPoolExecutor(
                **{
                    name: state[f"_{name}"]
                    for name in (*names, "max_tasks_per_child")
                    if state.get(f"_{name}") is not None
                }
            )
        else:
            raise RuntimeError(
                f"all workers of the executor are lost ({why}); give executor= a "
                "function that makes one, which is called for another"
            ) from why
        self.close()
        self.executor, self._is_ours = made, True

    def _processes(self) -> List[Any]:
        return list((getattr(self.executor, "_processes", None) or {}).values())

    def _answers(self) -> Any:
        """What the processes of Python's own executor answer by; None: it is another
        one, or at its end."""
        if not isinstance(self.executor, futures.ProcessPoolExecutor):
            return None
        return None if self._is_broken() else getattr(self.executor, "_result_queue")

    def _is_broken(self) -> bool:
        return bool(getattr(self.executor, "_broken"))

    def has_lost_one(self) -> bool:
        """Whether a worker has died, all that was sent is read, and the executor
        hasn't seen it: it waits for more."""
        answers = self._answers()
        return (
            answers is not None
            and not all(worker.is_alive() for worker in self._processes())
            and not answers._reader.poll()
        )

    def break_off(self) -> None:
        """Ends the waiting for the rest of an answer whose worker died while it was
        sending it, which has no end: gives it something, which is no answer, so that
        the executor is broken, as by any other death."""
        answers = self._answers()
        if answers is None:
            return
        self._kill(self._processes())
        end = time.monotonic() + _ANSWER
        with contextlib.suppress(OSError):
            writer = answers._writer.fileno()
            os.set_blocking(writer, False)
            while not self._is_broken() and time.monotonic() < end:
                try:
                    os.write(writer, bytes(1 << 12))
                except BlockingIOError:
                    time.sleep(0.001)

    def _kill(self, workers: List[Any]) -> None:
        for worker in workers:
            # Not by their method, which those of joblib lack.
            if worker.is_alive():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.pid, signal.SIGKILL)

    def close(self) -> None:
        if not self._is_ours:
            return
        # A worker that hangs would hold the process at its end.
        workers = self._processes()
        self.executor.shutdown(wait=False)
        self._kill(workers)
