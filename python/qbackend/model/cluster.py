# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of a run on the workers of any `concurrent.futures.Executor`: handed out,
checked, handed out again where a worker is lost, and gathered in their order."""

from __future__ import annotations

import concurrent.futures as futures
import contextlib
import dataclasses
import hashlib
import json
import os
import threading
import time
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from .._library import native
from ..diagnostics import CompilerError
from ..files import Path, write_file
from .executors import Pool
from .samples import ProgressReport, count_of

__all__ = ["Cluster"]

#: What a model's or an array's bytes are called wherever they are.
Digest = str

#: How many contents a worker keeps.
_KEPT = 8

#: How many parts there are if nobody says how many workers there are.
_PARTS = 8

#: Seconds after which executors are looked at if nothing ends; those that see a death
#: take less.
_LOOK = 1.0


@dataclasses.dataclass(frozen=True)
class Cluster:
    """How the parts of a run get to workers. Where `executor=` is taken, an executor
    stands for `Cluster(executor)`.

    `executor` has the workers; or it is a function that makes one, which is called
    again when all workers of the one before are lost, and whose executors are shut
    down here. `shards` is how many parts there are, about, by default one for each
    worker; results don't depend on it. A part whose worker is lost, gives a damaged
    answer or takes longer than `timeout` seconds is handed out again, `retries` times:
    from its begin, or, where the executor doesn't tell that, as Dask's, since it was
    handed out. Parts that are done are kept in the folder `resume`, from which the
    same run goes on.
    """

    executor: Union[futures.Executor, Callable[[], futures.Executor]]
    shards: Optional[int] = None
    timeout: Optional[float] = None
    retries: int = 3
    resume: Optional[Path] = None

    def __post_init__(self) -> None:
        if not isinstance(self.executor, futures.Executor) and not callable(
            self.executor
        ):
            raise TypeError(
                f"executor is a {type(self.executor).__name__}, expected a "
                "concurrent.futures.Executor, or a function that makes one"
            )
        if self.shards is not None:
            count_of("shards", self.shards, 1)
        count_of("retries", self.retries, 0)
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"timeout is {self.timeout}, expected seconds above 0")


#: What `executor=` takes; None: this process does all of it.
Executor = Union[Cluster, futures.Executor, Callable[[], futures.Executor], None]


def cluster_of(executor: Any) -> Cluster:
    return executor if isinstance(executor, Cluster) else Cluster(executor)


# Tasks --------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Task:
    """One part. What is the same for all parts goes by its digest, and is sent to
    workers that lack it."""

    kind: str
    number: int
    #: How many samples it has; of parts that have all of them 0.
    count: int
    contents: Tuple[Digest, ...]
    #: Of a model: the function that is run.
    entry: str
    options: Dict[str, Any]
    #: The part's own arrays.
    arrays: Any = None
    version: str = ""
    sent: Dict[Digest, bytes] = dataclasses.field(default_factory=dict)

    def key(self) -> str:
        """A digest of all that the answer depends on."""
        state = hashlib.sha256()
        state.update(
            repr(
                (self.kind, self.number, self.count, self.contents, self.entry)
                + (self.version,)
            ).encode()
        )
        _hash([sorted(self.options.items()), self.arrays], state)
        return state.hexdigest()


def _hash(value: Any, state: Any) -> None:
    if isinstance(value, (list, tuple)):
        for part in value:
            _hash(part, state)
    elif hasattr(value, "dtype"):
        state.update(f"{value.dtype.str}{value.shape}".encode())
        state.update(value.tobytes())
    else:
        state.update(repr(value).encode())


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a worker says of a task. Its result is text."""

    number: int
    key: str
    version: str
    #: How many samples it has seen.
    count: int = 0
    result: str = ""
    digest: Digest = ""
    missing: Tuple[Digest, ...] = ()
    error: Optional[Exception] = None


def _problem(found: Any, task: Task, key: str) -> str:
    """Why what a worker gave is no answer to `task`; empty: it is one."""
    try:
        return _judge(found, task, key)
    except (TypeError, AttributeError) as error:
        return f"the worker's answer is damaged: {error}"


def _judge(found: Any, task: Task, key: str) -> str:
    if not isinstance(found, Answer):
        return f"the worker gave a {type(found).__name__}"
    if found.version != task.version:
        return f"the worker has qbackend {found.version}, expected {task.version}"
    if found.number != task.number or found.key != key:
        return f"the worker answered another question, of part {found.number}"
    if any(d in task.sent or d not in task.contents for d in found.missing):
        return "the worker lacks what it was sent, or what no one has"
    if not isinstance(found.error, (Exception, type(None))):
        return f"the worker gave a {type(found.error).__name__} for an error"
    if found.missing or found.error is not None:
        return ""
    if found.count != task.count:
        return f"the worker has seen {found.count} of {task.count} samples"
    if found.digest != digest_of(found.result.encode()):
        return "the worker's answer is damaged"
    return ""


def digest_of(content: bytes) -> Digest:
    return hashlib.sha256(content).hexdigest()


# The worker -----------------------------------------------------------------

#: What this process hands out now, and how often; threads, and processes that are
#: forked from it, have it.
_offered: Dict[Digest, Tuple[bytes, int]] = {}

#: What was sent to this process, the oldest first, and what was made of it here.
#: Models are not those of a process that this one was forked from, whose threads
#: aren't here.
_contents: Dict[Digest, bytes] = {}
_models: Dict[Tuple[int, Digest, str], Any] = {}


#: Of what changes the above.
_lock = threading.Lock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


# It may have been held in another thread when the process was forked.
os.register_at_fork(after_in_child=_renew_lock)

#: What gives a task's result, of a model, and how many samples it has seen.
Work = Callable[[Any, Task], Tuple[str, int]]


@contextlib.contextmanager
def offered(contents: Sequence[bytes]) -> Iterator[Tuple[Digest, ...]]:
    """Has `contents` for tasks that name them, as long as it lasts."""
    digests = tuple(map(digest_of, contents))
    with _lock:
        for digest, content in zip(digests, contents):
            _offered[digest] = (content, _offered.get(digest, (b"", 0))[1] + 1)
    try:
        yield digests
    finally:
        with _lock:
            for digest in digests:
                content, uses = _offered.pop(digest)
                if uses > 1:
                    _offered[digest] = (content, uses - 1)


def content_of(digest: Digest) -> bytes:
    content = _contents.get(digest)
    return _offered[digest][0] if content is None else content


def _keep(kept: Dict[Any, Any], key: Any, value: Any) -> None:
    """Adds to what a worker keeps, and drops the oldest."""
    with _lock:
        kept[key] = value
        while len(kept) > _KEPT:
            del kept[next(iter(kept))]


def model_of(digest: Digest, entry: str) -> Any:
    key = (os.getpid(), digest, entry)
    model = _models.get(key)
    if model is None:
        model = native().Model.load(content_of(digest), "", entry)
        _keep(_models, key, model)
    return model


def answer_by(works: Dict[str, Work], task: Task) -> Answer:
    """Does a task, in a worker, by that of `works` which has its kind."""
    reply = Answer(task.number, task.key(), native().__version__)
    if reply.version != task.version:
        return reply
    for content in task.sent.values():
        _keep(_contents, digest_of(content), content)
    missing = tuple(
        d for d in task.contents if d not in _contents and d not in _offered
    )
    if missing:
        return dataclasses.replace(reply, missing=missing)
    try:
        model = model_of(task.contents[0], task.entry)
        result, count = works[task.kind](model, task)
    except Exception as error:
        return dataclasses.replace(reply, error=_plain(error))
    return dataclasses.replace(
        reply, count=count, result=result, digest=digest_of(result.encode())
    )


def _plain(error: Exception) -> Exception:
    """`error` as one that any process can read: a RuntimeError, unless it is one of the
    question, which all workers would answer so."""
    for kind in (CompilerError, TypeError, ValueError):
        if type(error) is kind:
            return error
    return RuntimeError(f"{type(error).__name__}: {error}")


# The run --------------------------------------------------------------------


@dataclasses.dataclass
class _Run:
    task: Task
    key: str
    deadline: Optional[float]
    #: How many were handed out before.
    place: int
    has_begun: bool = False
    #: Whether it was handed out again.
    is_late: bool = False


class _Gathering:
    """Results by the number of the part, while they come."""

    def __init__(
        self,
        cluster: Cluster,
        pool: Pool,
        report: ProgressReport,
        answer: Callable[[Task], Answer],
    ):
        self._answer = answer
        self._cluster, self._pool, self._report = cluster, pool, report
        self._results: Dict[int, str] = {}
        self._running: Dict[Any, _Run] = {}
        self._failures: Dict[int, List[str]] = {}
        #: Numbers of parts that are to be handed out again.
        self._again: List[Task] = []
        self._lost = 0
        #: Whether the executor says which parts have begun; and when something
        #: was handed out, began or ended last: the time of what hasn't begun
        #: counts from there, as it waits for others.
        self._tells = False
        #: When a worker was seen dead, of an executor that is not broken.
        self._lost_since: Optional[float] = None
        self._event = time.monotonic()
        self._handed_out = 0
        #: The place of the last task that was sent with a content.
        self._sent: Dict[Digest, int] = {}

    def run(self, tasks: Iterator[Task]) -> List[str]:
        # Tasks have their samples with them: some more than there are workers.
        workers = self._pool.workers()
        window = 2 * (workers or self._cluster.shards or _PARTS)
        more: Optional[Iterator[Task]] = tasks
        try:
            while True:
                while self._again:
                    self._hand_out(self._again.pop(0))
                while more is not None and len(self._running) < window:
                    task = next(more, None)
                    if task is None:
                        more = None
                    elif not self._find_done(task):
                        self._hand_out(task)
                if more is None and not self._again and not self._open():
                    break
                self._wait()
        finally:
            # Of an interrupt, too: what is done is kept.
            for future, run in self._running.items():
                if not future.cancel() and future.done() and not future.exception():
                    self._keep(run, future.result())
        return [self._results[number] for number in sorted(self._results)]

    def _open(self) -> Set[int]:
        return {r.task.number for r in self._running.values()} - set(self._results)

    def _hand_out(self, task: Task) -> None:
        if task.number in self._results:
            return
        timeout = self._cluster.timeout
        self._event = time.monotonic()
        deadline = None if timeout is None else self._event + timeout
        try:
            future = self._pool.executor.submit(self._answer, task)
        except futures.BrokenExecutor as error:
            self._again.append(task)
            self._renew(error)
            return
        self._running[future] = _Run(task, task.key(), deadline, self._handed_out)
        self._sent.update(dict.fromkeys(task.sent, self._handed_out))
        self._handed_out += 1

    def _renew(self, error: BaseException) -> None:
        self._lost += 1
        if self._lost > self._cluster.retries:
            raise RuntimeError(
                f"all workers were lost {self._lost} times without a part that got "
                f"done ({error}); a part may need more memory or time than they have, "
                "or what begins them fails"
            ) from error
        # Its other parts would say the same; those that were late are there twice.
        again = {task.number: task for task in self._again}
        for future, run in list(self._running.items()):
            if not future.done() or future.cancelled() or future.exception():
                del self._running[future]
                again.setdefault(run.task.number, run.task)
        self._again = list(again.values())
        self._pool.renew(error)

    def _wait(self) -> None:
        timeout = _LOOK
        if self._cluster.timeout is not None:
            self._begin()
            now = time.monotonic()
            deadlines = [r.deadline for r in self._running.values() if r.deadline]
            # No one says when a part begins; it is seen soon.
            timeout = min(timeout, self._cluster.timeout / 10)
            timeout = max(0.0, min([*(d - now for d in deadlines), timeout]))
        done, _ = futures.wait(
            list(self._running), timeout, return_when=futures.FIRST_COMPLETED
        )
        self._watch(bool(done))
        for future in done:
            if future in self._running:
                self._take(future, self._running.pop(future))
        now = time.monotonic()
        for run in list(self._running.values()):
            if run.deadline and run.deadline <= now:
                run.deadline = None
                run.is_late = True
                if run.task.number not in self._results:
                    self._fail(run.task, f"it took {self._cluster.timeout} s")
        workers = self._pool.workers()
        hung = [r for r in self._running.values() if r.is_late and r.has_begun]
        if self._pool.is_made and workers and len(hung) >= workers:
            self._renew(TimeoutError("all workers hang"))

    def _watch(self, is_alive: bool) -> None:
        """Ends an executor that doesn't see that a worker is dead."""
        if is_alive or not self._pool.has_lost_one():
            self._lost_since = None
        elif self._lost_since is None:
            self._lost_since = time.monotonic()
        elif time.monotonic() - self._lost_since >= _LOOK:
            self._lost_since = None
            self._pool.break_off()

    def _begin(self) -> None:
        """Has the time of parts count from when they have begun."""
        assert self._cluster.timeout is not None
        # A pool of processes says it of parts that wait for a worker, too.
        idle = self._pool.workers() or len(self._running)
        idle -= sum(run.has_begun for run in self._running.values())
        for future, run in self._running.items():
            if idle <= 0 or run.has_begun or run.is_late or not future.running():
                continue
            idle -= 1
            self._tells = run.has_begun = True
            self._event = time.monotonic()
            run.deadline = self._event + self._cluster.timeout
        for run in self._running.values() if self._tells else ():
            if not run.has_begun and not run.is_late:
                run.deadline = self._event + self._cluster.timeout

    def _take(self, future: Any, run: _Run) -> None:
        task = run.task
        self._event = time.monotonic()
        if task.number in self._results:
            # A late one, of a part that was handed out again: it counts once.
            return
        try:
            found = future.result()
        except futures.BrokenExecutor as error:
            self._again.append(task)
            self._renew(error)
            return
        except (Exception, SystemExit, futures.CancelledError) as error:
            self._fail(task, f"{type(error).__name__}: {error}")
            return
        problem = _problem(found, task, run.key)
        if problem:
            self._fail(task, problem)
        elif found.missing:
            # The worker may have been sent it meanwhile, for another part.
            sent = {
                digest: content_of(digest)
                for digest in found.missing
                if self._sent.get(digest, -1) <= run.place
            }
            self._again.append(dataclasses.replace(task, sent=sent))
        elif isinstance(found.error, RuntimeError):
            # Of the worker: no memory, no space, no file.
            self._fail(task, str(found.error))
        elif found.error is not None:
            raise found.error
        else:
            self._lost = 0
            self._keep(run, found)
            self._finish(task, found.result)

    def _finish(self, task: Task, result: str) -> None:
        self._results[task.number] = result
        self._report.advance(task.count or 1)

    def _fail(self, task: Task, why: str) -> None:
        """Hands a part out again, unless that was done often enough."""
        reasons = self._failures.setdefault(task.number, [])
        reasons.append(why)
        if len(reasons) > self._cluster.retries:
            raise RuntimeError(
                f"part {task.number} was lost {len(reasons)} times: "
                + "; ".join(dict.fromkeys(reasons))
            )
        self._again.append(task)

    # Parts on disk

    def _path(self, key: str) -> Optional[str]:
        folder = self._cluster.resume
        if folder is None:
            return None
        return os.path.join(os.fsdecode(folder), f"{key}.json")

    def _keep(self, run: _Run, found: Any) -> None:
        path = self._path(run.key)
        if path is None or _problem(found, run.task, run.key) or not found.digest:
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = json.dumps({"digest": found.digest, "result": found.result})
        write_file(path, lambda file: file.write(text.encode()))

    def _find_done(self, task: Task) -> bool:
        path = self._path(task.key())
        if path is None or not os.path.exists(path):
            return False
        try:
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            result = kept["result"]
            if kept["digest"] != digest_of(result.encode()):
                return False
        except (ValueError, KeyError, TypeError, AttributeError):
            return False
        self._finish(task, result)
        return True


def gather(
    cluster: Cluster,
    report: ProgressReport,
    answer: Callable[[Task], Answer],
    tasks_of: Callable[[int], Iterator[Task]],
) -> List[str]:
    """The results of the tasks, in the order of their numbers, whatever the order in
    which they are done. `tasks_of` makes them for the number of parts; workers call
    `answer`."""
    pool = Pool(cluster.executor)
    try:
        parts = cluster.shards or pool.workers() or _PARTS
        return _Gathering(cluster, pool, report, answer).run(tasks_of(parts))
    finally:
        pool.close()
