# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs in parts on the workers of an executor: the bytes of one machine, whatever
becomes of workers."""

import concurrent.futures as futures
import dataclasses
import functools
import json
import multiprocessing
import os
import pickle
import random
import re
import signal
import struct
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import qbackend
from networks import WEIGHT, linear, samples
from qbackend import Cluster, Model
from qbackend._library import native
from qbackend.model import cluster, parts
from qbackend.model.sandbox import Remote

X = samples(150)
LABELS = (np.sin(X @ WEIGHT).argmax(axis=1) ^ (np.arange(len(X)) % 7 == 0)).astype(int)
#: 1, 2 and 7 workers, in threads and in processes.
POOLS = [
    functools.partial(kind, workers)
    for kind in (futures.ThreadPoolExecutor, futures.ProcessPoolExecutor)
    for workers in (1, 2, 7)
]
CORRECTIONS = "bias-correction,adaptive-rounding"
AVERAGE = json.dumps(
    {
        "": {
            "activation": {"observer": "MovingAverageMinMaxObserver"},
            "weight": {
                "observer": "MinMaxObserver",
                "dtype": "qint8",
                "qscheme": "per_tensor_symmetric",
            },
        }
    }
)


@pytest.fixture()
def model():
    return Model(linear())


@pytest.fixture(scope="module")
def accuracy():
    right = Model(linear()).evaluate(X, LABELS)
    assert 100 < right.correct < len(X)
    return right


def calibrated(data=X, **options):
    model = Model(linear())
    model.calibrate(data, statistics="mergeable", **options)
    return model.calibration


class Backwards(futures.Executor):
    """Does what it has, the last first, when nothing else comes."""

    def __init__(self):
        self._held = []
        self._lock = threading.Lock()

    def submit(self, work, *arguments):
        future = futures.Future()
        with self._lock:
            self._held.append((future, work, arguments))
        threading.Timer(0.05, self._work).start()
        return future

    def _work(self):
        with self._lock:
            held, self._held = self._held, []
        for future, work, arguments in reversed(held):
            if not future.set_running_or_notify_cancel():
                continue
            future.set_result(work(*arguments))


class Through(futures.ProcessPoolExecutor):
    """Two workers, which do what they get by `call`."""

    def __init__(self, call, **options):
        super().__init__(2, **options)
        self._call = call

    def submit(self, work, task):
        return super().submit(self._call, work, task)


class Changed(futures.ThreadPoolExecutor):
    """The first answers are what `change` makes of them."""

    def __init__(self, change, times=1):
        super().__init__(2)
        self._change, self._times = change, times

    def submit(self, work, *arguments):
        if self._times == 0:
            return super().submit(work, *arguments)
        self._times -= 1
        return super().submit(lambda: self._change(work(*arguments)))


@pytest.mark.parametrize("pool", POOLS)
def test_evaluate(model, accuracy, pool):
    with pool() as executor:
        assert model.evaluate(X, LABELS, executor=executor) == accuracy


def test_labels_in_items(model, accuracy):
    items = [(X[i : i + 9], LABELS[i : i + 9]) for i in range(0, len(X), 9)]
    for data in (items, iter(items)):
        found = model.evaluate(data, executor=Cluster(Backwards(), shards=4))
        assert found == accuracy


@pytest.mark.parametrize("count", [149, 151])
def test_other_number_of_labels(model, count):
    labels = np.resize(LABELS, count)
    with pytest.raises(ValueError, match=f"there are {count} labels"):
        model.evaluate(X, labels, executor=Backwards())


@pytest.mark.parametrize("pool", POOLS + [Backwards])
def test_calibrate(pool):
    one = calibrated()
    assert '"statistics": "mergeable"' in one
    executor = pool()
    assert calibrated(executor=executor) == one
    executor.shutdown()


@pytest.mark.parametrize("shards", [1, 3, 7])
def test_averages_are_exact(shards):
    """Of ranges of batches: those of PyTorch's order, to the bit."""
    ordered = Model(linear()).calibrate(X, qconfig=AVERAGE)
    one = calibrated(qconfig=AVERAGE)
    joined = calibrated(qconfig=AVERAGE, executor=Cluster(Backwards(), shards))
    assert joined == one
    assert '"batch_samples": [0, 20, 40, 60, 80, 100, 120, 140]' in one
    again = Model(linear())
    again.calibration = joined
    texts = [m.quantize("qnnpack", AVERAGE).text() for m in (ordered, again)]
    assert texts[0] == texts[1]


def test_items_are_batches():
    items = [X[i : i + 13] for i in range(0, len(X), 13)]
    one = calibrated(items, qconfig=AVERAGE)
    for data in (items, iter(items)):
        found = calibrated(data, qconfig=AVERAGE, executor=Cluster(Backwards(), 4))
        assert found == one
    limited = calibrated(items, samples=70, qconfig=AVERAGE)
    assert limited != one
    executor = Cluster(Backwards(), 4)
    assert calibrated(items, samples=70, qconfig=AVERAGE, executor=executor) == limited


@pytest.mark.parametrize("qconfig", [None, AVERAGE])
def test_order_is_refused(model, qconfig):
    with pytest.raises(ValueError, match="statistics=mergeable"):
        model.calibrate(X, qconfig=qconfig, executor=Backwards())
    assert model.calibration is None


def test_unknown_statistics(model):
    with pytest.raises(ValueError, match="statistics is 'any', expected ordered or"):
        model.calibrate(X, statistics="any")


def test_errors_are_those_of_one_machine(model):
    broken = X.copy()
    broken[77] = np.nan
    messages = []
    for executor in (None, Backwards()):
        with pytest.raises(qbackend.CompilerError) as caught:
            model.calibrate(broken, statistics="mergeable", executor=executor)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "4 values that are NaN or infinite" in messages[0]


def changed(**fields):
    return lambda answer: dataclasses.replace(answer, **fields)


LIES = {
    "seen 3 of": changed(count=3),
    "damaged": lambda a: dataclasses.replace(a, result=a.result + " "),
    "another question": changed(number=99),
    "answered another": changed(key="0"),
    "qbackend 0.0.1, expected": changed(version="0.0.1"),
    "gave a str": lambda a: "yes",
    "lacks what": changed(missing=("0",)),
    "damaged: 'int' object": changed(missing=3),
    "damaged: 'NoneType' object": changed(result=None),
    "gave a str for an error": changed(error="no"),
    # What another worker may have.
    "OSError: no space": changed(error=cluster._plain(OSError("no space"))),
}


@pytest.mark.parametrize("why", LIES)
def test_lies(model, accuracy, why):
    with Changed(LIES[why]) as executor:
        assert model.evaluate(X, LABELS, executor=executor) == accuracy
    with Changed(LIES[why], times=100) as executor:
        with pytest.raises(RuntimeError, match=rf"lost 3 times: .*{why}"):
            model.evaluate(X, LABELS, executor=Cluster(executor, retries=2))


def test_lost_worker_without_another(model):
    class Broken(Backwards):
        def submit(self, *_):
            raise futures.BrokenExecutor("gone")

    with pytest.raises(RuntimeError, match="give executor= a function that makes"):
        model.evaluate(X, LABELS, executor=Broken())
    with pytest.raises(RuntimeError, match="all workers were lost 4 times"):
        model.evaluate(X, LABELS, executor=Broken)


def test_hung_worker(model, accuracy):
    """What it says at last is not counted again."""
    late = threading.Event()

    def hang(answer):
        late.wait(20)
        return answer

    with Changed(hang) as executor:
        begin = time.monotonic()
        found = model.evaluate(
            X, LABELS, executor=Cluster(executor, shards=4, timeout=0.3)
        )
        assert found == accuracy
        assert time.monotonic() - begin < 10
        late.set()


def _end_worker(answer):
    raise SystemExit(3)


def test_worker_ends_itself(model, accuracy):
    """That is not the end of the process that hands out parts."""
    with Changed(_end_worker) as executor:
        assert model.evaluate(X, LABELS, executor=executor) == accuracy


@pytest.mark.parametrize("workers", [1, 2])
def test_all_hang_once(model, accuracy, workers):
    """Of an executor that a function makes, there is another one then."""
    late, made = threading.Event(), []

    def hang(answer):
        late.wait(20)
        return answer

    class Hangs(Changed):
        def __init__(self):
            super().__init__(hang, times=0 if made else 100)
            self._max_workers = workers
            made.append(self)

    begin = time.monotonic()
    found = model.evaluate(
        X, LABELS, executor=Cluster(Hangs, shards=5, timeout=0.5, retries=1)
    )
    late.set()
    assert found == accuracy
    assert len(made) == 2
    assert time.monotonic() - begin < 15


class OneByOne(futures.Executor):
    """One worker, whose parts take `seconds` each of a clock that goes on while
    someone waits, and at no other time. As a pool of processes, it may say of parts
    that wait that they run."""

    def __init__(self, seconds, says_early):
        self.now, self._seconds, self._end = 0.0, seconds, 0.0
        self._says_early, self._max_workers = says_early, 1 if says_early else None
        self._held, self.handed_out = [], []

    def submit(self, work, task):
        future = futures.Future()
        self._held.append((future, work, task))
        self.handed_out.append(task.number)
        if self._says_early:
            future.set_running_or_notify_cancel()
        if len(self._held) == 1:
            self._begin()
        return future

    def _begin(self):
        if not self._says_early:
            self._held[0][0].set_running_or_notify_cancel()
        self._end = self.now + self._seconds

    def monotonic(self):
        return self.now

    def wait(self, waiting, timeout, return_when):
        assert return_when == futures.FIRST_COMPLETED
        if self.now + timeout < self._end:
            self.now += timeout
            return set(), set(waiting)
        self.now = self._end
        future, work, task = self._held.pop(0)
        future.set_result(work(task))
        if self._held:
            self._begin()
        return {future}, set(waiting) - {future}


@pytest.mark.parametrize("says_early", [False, True])
def test_time_counts_from_the_begin(monkeypatch, says_early):
    """Parts wait for one worker longer than they may take."""
    one = calibrated()
    executor = OneByOne(60, says_early)
    monkeypatch.setattr(cluster.time, "monotonic", executor.monotonic)
    monkeypatch.setattr(cluster.futures, "wait", executor.wait)
    found = calibrated(executor=Cluster(executor, shards=3, timeout=110))
    assert found == one
    assert executor.handed_out == [0, 1, 2]
    assert executor.now == 180


def test_time_of_one_that_tells_nothing(model, accuracy):
    """Its parts never begin: the time counts since they were handed out."""
    late = []

    class Silent(Backwards):
        def _work(self):
            with self._lock:
                held, self._held = self._held, []
            for future, work, arguments in held:
                # The first one is lost.
                if not late:
                    late.append(future)
                else:
                    future.set_result(work(*arguments))

    executor = Cluster(Silent(), shards=3, timeout=0.3)
    assert model.evaluate(X, LABELS, executor=executor) == accuracy
    assert late[0].cancelled()


def test_models_travel_once(model, accuracy):
    """Processes that aren't forked have nothing but what is sent."""
    sent = []

    class Far(futures.ThreadPoolExecutor):
        def submit(self, work, task):
            sent.append(list(task.sent.values()))
            return super().submit(_far, pickle.dumps(task))

    with Far(1) as executor:
        found = model.evaluate(X, LABELS, executor=Cluster(executor, shards=6))
    assert found == accuracy
    _far_contents.clear()
    assert [contents for contents in sent if contents] == [[model.bytecode()]]


#: What a worker in another process has.
_far_contents = {}


def _far(task):
    offered, cluster._offered = cluster._offered, {}
    contents, cluster._contents = cluster._contents, _far_contents
    try:
        return pickle.loads(pickle.dumps(parts.answer(pickle.loads(task))))
    finally:
        cluster._offered, cluster._contents = offered, contents


def test_pickle(model):
    model.calibrate(X)
    quantized = model.quantize()
    for each in (model, quantized):
        again = pickle.loads(pickle.dumps(each))
        assert type(again) is type(each)
        np.testing.assert_array_equal(again.run(X), each.run(X))
        assert again.calibration == each.calibration
    assert pickle.loads(pickle.dumps(model)).quantize().text() == quantized.text()
    assert pickle.loads(pickle.dumps(quantized)).explain() == quantized.explain()


def test_resume(model, tmp_path, accuracy):
    """Parts that are done are not done again, and damaged ones are."""
    done = []

    class Stops(futures.ThreadPoolExecutor):
        def submit(self, work, task):
            if len(done) == 2:
                raise KeyboardInterrupt
            done.append(task.number)
            return super().submit(work, task)

    def run(executor):
        keeping = Cluster(executor, shards=5, resume=tmp_path / "parts")
        return model.evaluate(X, LABELS, executor=keeping)

    class Waits(Stops):
        def submit(self, work, task):
            future = super().submit(work, task)
            futures.wait([future])
            return future

    with Waits(1) as executor, pytest.raises(KeyboardInterrupt):
        run(executor)
    kept = sorted((tmp_path / "parts").glob("*.json"))
    assert len(kept) == 2
    done = [None] * 3
    with Stops(1) as executor:
        assert run(executor) == accuracy
    assert sorted(n for n in done if n is not None) == list(range(len(kept), 5))
    kept = sorted((tmp_path / "parts").glob("*.json"))
    assert len(kept) == 5
    kept[0].write_text(kept[0].read_text()[:-3])
    kept[1].write_text(kept[1].read_text().replace('"result": "', '"result": "1'))
    done = [None] * 3
    with Stops(1) as executor:
        assert run(executor) == accuracy
    assert len(done) == 5


@pytest.fixture(scope="module")
def changes():
    one = Model(linear()).sensitivity(X, LABELS, changes=True)
    assert len(one.curve) == len(one.operators) + 1
    assert {"none", "per-channel weights", "bias-correction"} <= {
        change.name for change in one.changes
    }
    return one


@pytest.mark.parametrize("pool", POOLS + [Backwards])
def test_sensitivity(model, changes, pool):
    executor = pool()
    found = model.sensitivity(X, LABELS, changes=True, executor=executor)
    executor.shutdown()
    assert found == changes


def test_workers_measure_changes(model, changes, monkeypatch):
    """All of them: nothing but the sum is left to the process that hands out parts."""
    known = []

    def keep(*arguments):
        known.append(measured(*arguments))
        return known[-1]

    measured = parts.measure
    monkeypatch.setattr(parts, "measure", keep)
    found = model.sensitivity(X, changes=True, executor=Cluster(Backwards(), 3))
    results = json.loads(known[0])["results"]
    names = {name[len("change, ") :] for name in results if "change, " in name}
    assert names == {change.name for change in found.changes}
    # Those of a table are other ones.
    model.calibration = calibrated(for_corrections=True)
    monkeypatch.setattr(parts, "measure", lambda *_: known[0])
    with pytest.raises(ValueError, match="is of another network, other samples or"):
        model.sensitivity(X, changes=True, executor=Backwards())


def _die_once(marker, work, task):
    """The worker of part 1 of the second round is killed, once."""
    is_second = "results" in str(task.options["analysis"].texts["parts"])
    if is_second and task.number == 1 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(task)


def test_killed_in_the_second_round(model, changes, tmp_path):
    call = functools.partial(_die_once, tmp_path / "killed")
    executor = Cluster(lambda: Through(call), shards=2)
    found = model.sensitivity(X, LABELS, changes=True, executor=executor)
    assert found == changes
    assert (tmp_path / "killed").exists()


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_layers(model, shards):
    model.calibrate(X)
    quantized = model.quantize()
    one = quantized.compare_layers(model, X, LABELS)
    assert one.layers and one.accuracies[0][0] > 0.6
    for executor in (Backwards(), futures.ThreadPoolExecutor(2)):
        cluster = Cluster(executor, shards)
        found = quantized.compare_layers(model, X, LABELS, executor=cluster)
        assert found == one


def test_tune(model, tmp_path):
    """Above what integers keep: an operator becomes float."""
    path = tmp_path / "one.mlir"
    one = model.tune(X, path, keep_sqnr=200)
    assert one.is_held and one.real_valued == 1
    for number, executor in enumerate((Backwards(), futures.ThreadPoolExecutor(2))):
        other = tmp_path / f"{number}.mlir"
        found = model.tune(X, other, keep_sqnr=200, executor=Cluster(executor, 3))
        assert dataclasses.replace(found, path=one.path) == one
        assert other.read_bytes() == path.read_bytes()
    with pytest.raises(ValueError, match="max_seconds has no effect on workers"):
        model.tune(X, path, keep_sqnr=200, max_seconds=9, executor=Backwards())


def test_more_parts_than_samples(model):
    model.calibrate(X)
    quantized = model.quantize()
    one = quantized.compare_layers(model, X[:3])
    cluster = Cluster(Backwards(), shards=8)
    assert quantized.compare_layers(model, X[:3], executor=cluster) == one


def test_all_workers_hang(model):
    """What can't begin is not waited for without an end."""
    late = threading.Event()

    def hang(answer):
        late.wait(20)
        return answer

    with Changed(hang, times=100) as executor:
        begin = time.monotonic()
        with pytest.raises(RuntimeError, match=r"was lost 2 times: it took 0.2 s"):
            cluster = Cluster(executor, shards=2, timeout=0.2, retries=1)
            model.evaluate(X, LABELS, executor=cluster)
        assert time.monotonic() - begin < 10
        late.set()


def test_layers_of_another_version(model):
    model.calibrate(X)
    quantized = model.quantize()
    with Changed(LIES["qbackend 0.0.1, expected"], times=100) as executor:
        with pytest.raises(RuntimeError, match="has qbackend 0.0.1, expected"):
            quantized.compare_layers(
                model, X, executor=Cluster(executor, shards=2, retries=1)
            )


def test_resume_rounds(model, tmp_path):
    """An interrupt in the second round of a sensitivity keeps the first."""
    one = model.sensitivity(X, LABELS)
    done = []

    class Stops(futures.ThreadPoolExecutor):
        def submit(self, work, task):
            if len(done) == 3:
                raise KeyboardInterrupt
            future = super().submit(work, task)
            futures.wait([future])
            done.append(task.number)
            return future

    def run(executor):
        keeping = Cluster(executor, shards=2, resume=tmp_path / "parts")
        return model.sensitivity(X, LABELS, executor=keeping)

    with Stops(1) as executor, pytest.raises(KeyboardInterrupt):
        run(executor)
    assert done == [0, 1, 0]
    done = [None] * 4
    with Stops(1) as executor:
        assert run(executor) == one
    assert done == [None] * 4 + [1]


def test_tables_for_corrections(model, tmp_path):
    """Corrections by merged tables, without samples."""
    one = calibrated(for_corrections=True)
    assert '"patches"' in one
    joined = calibrated(for_corrections=True, executor=Cluster(Backwards(), 4))
    assert joined == one
    model.calibration = joined
    assert model.quantize(corrections="adaptive-rounding").summary().operators
    # Tried on samples: nothing is said of those not being used.
    np.save(tmp_path / "x.npy", X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tried = model.quantize(corrections=CORRECTIONS, data=tmp_path / "x.npy")
    assert tried.compare(model, X)[0].sqnr >= model.quantize().compare(model, X)[0].sqnr
    model.calibration = calibrated()
    with pytest.raises(ValueError, match="takes what layers read, which"):
        model.quantize(corrections="adaptive-rounding")


def test_tables_by_name():
    """What a user joins by hand: samples of each table under a name."""
    halves = [calibrated(X[:80], source="a"), calibrated(X[80:], source="b")]
    joined = json.loads(native().merge_tables(halves, ["a.json", "b.json"]))
    assert [s["source"] for s in joined["samples"]] == ["a", "b"]
    assert joined["entries"] == json.loads(calibrated())["entries"]
    for names, why in (
        ("aa", "sample 0 of 'a' is in 'x' and in 'y'"),
        ("ab", "have seen the same samples, as 'a' and as 'b'"),
    ):
        tables = [calibrated(X[:80], source=name) for name in names]
        with pytest.raises(ValueError, match=why):
            native().merge_tables(tables, ["x", "y"])
    with futures.ThreadPoolExecutor(2) as executor:
        assert calibrated(X[80:], source="b", executor=executor) == halves[1]


def test_other_version(model):
    """A table of another version of the program."""
    model.calibration = re.sub('"qbackend [0-9.]*"', '"qbackend 9"', calibrated())
    with pytest.warns(match="was made by 'qbackend 9', this is 'qbackend "):
        assert model.quantize().text()


def test_progress_of_rounds(model):
    said = []
    model.sensitivity(
        X,
        executor=Cluster(Backwards(), 3),
        progress=lambda done, total: said.append((done, total)),
    )
    assert said == [(done, None) for done in range(1, 7)]


def test_progress(model):
    said = []
    model.evaluate(
        X,
        LABELS,
        executor=Cluster(Backwards(), 3),
        progress=lambda done, total: said.append((done, total)),
    )
    assert said == [(50, 150), (100, 150), (150, 150)]


@pytest.mark.parametrize(
    "wrong", [{"executor": 3}, {"shards": 0}, {"timeout": 0}, {"retries": -1}]
)
def test_wrong_arguments(wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        Cluster(**{"executor": Backwards(), **wrong})


def test_no_executor(model):
    with pytest.raises(TypeError, match="executor is a int, expected a concurrent"):
        model.evaluate(X, LABELS, executor=3)


def test_sandbox_stays_closed():
    with pytest.raises(ValueError, match="outside of its sandbox"):
        parts.Sent(Remote(None, 0), b"", "")


def _die_while_sending(path, work, task):
    """Has sent the length of its answer when it dies, the first time."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return work(task)
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    queue = frame.f_locals["result_queue"]
    queue._wlock.acquire()
    os.write(queue._writer.fileno(), struct.pack("!i", 40000))
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("has_sibling", [False, True])
def test_dies_while_sending(model, accuracy, tmp_path, has_sibling):
    call = functools.partial(_die_while_sending, tmp_path / "died")
    siblings, pools = [], []

    def make():
        pools.append(Through(call))
        if has_sibling:
            # It has all ends of the executor's pipes.
            siblings.append(multiprocessing.get_context("fork").Process(
                target=time.sleep, args=(600,)))
            siblings[-1].start()
        return pools[-1]

    try:
        executor = Cluster(make, shards=4)
        assert model.evaluate(X, LABELS, executor=executor) == accuracy
    finally:
        for sibling in siblings:
            sibling.kill()
    # The first one is broken, and not only its part handed out again.
    assert len(pools) == 2


def _linger(work, task):
    """The worker takes its time to end."""
    threading.Thread(target=time.sleep, args=(2.5 * (task.number % 2),)).start()
    return work(task)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="max_tasks_per_child is of 3.11")
def test_workers_end_slowly(model, accuracy):
    spawn = multiprocessing.get_context("spawn")
    with Through(_linger, mp_context=spawn, max_tasks_per_child=1) as executor:
        found = model.evaluate(X, LABELS, executor=Cluster(executor, shards=4))
    assert found == accuracy


# Chaos ------------------------------------------------------------------------


class Troubled(futures.ThreadPoolExecutor):
    """Of what is handed out, some is lost, some hangs, and some answers are damaged."""

    def __init__(self, seed):
        super().__init__(64)
        self.late, self.troubles = threading.Event(), []
        self._chance = random.Random(seed)
        # Three kinds in any case; what follows is drawn.
        kinds = [*LIES, "lost", "hung"]
        self._first = self._chance.sample(kinds, 3)
        self._kinds = kinds + ["right"] * len(kinds)

    def submit(self, work, *arguments):
        kind = self._first.pop() if self._first else self._chance.choice(self._kinds)
        if kind != "right":
            self.troubles.append(kind)
        return super().submit(self._do, kind, work, *arguments)

    def _do(self, kind, work, *arguments):
        if kind == "lost":
            raise ConnectionError("the machine is gone")
        if kind == "hung":
            self.late.wait(60)
        answer = work(*arguments)
        return LIES[kind](answer) if kind in LIES else answer


@pytest.mark.parametrize("seed", range(10))
def test_trouble(seed):
    one = calibrated(qconfig=AVERAGE)
    with Troubled(seed) as executor:
        try:
            cluster = Cluster(executor, shards=7, timeout=1, retries=50)
            found = calibrated(qconfig=AVERAGE, executor=cluster)
        finally:
            executor.late.set()
    assert found == one
    assert len(executor.troubles) >= 3


def _slowly(work, task):
    time.sleep(0.1)
    return work(task)


@pytest.mark.parametrize("seed", range(10))
def test_chaos(seed):
    """Workers are killed at random moments."""
    chance = random.Random(seed)
    pools, killed = [], []
    stop = threading.Event()

    def make():
        pools.append(Through(_slowly))
        return pools[-1]

    def kill():
        def find():
            return list((pools[-1]._processes or {}).values()) if pools else []

        # Not for ever: a part takes its time, too. The first one is killed before
        # seven parts of two workers can have ended.
        for number in range(6):
            if stop.wait(chance.uniform(0.02, 0.3 if number else 0.1)):
                break
            alive = find()
            while not (alive or number or stop.wait(0.005)):
                alive = find()
            if alive:
                chance.choice(alive).kill()
                killed.append(True)

    one = calibrated(qconfig=AVERAGE)
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = calibrated(
            qconfig=AVERAGE, executor=Cluster(make, shards=7, retries=200)
        )
    finally:
        stop.set()
        killer.join()
    assert found == one
    assert killed
