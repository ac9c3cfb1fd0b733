# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engines whose workers run parts, and the scripts of examples/cluster: the bytes
of one machine."""

import concurrent.futures as futures
import json
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
import qbackend
from networks import DIGITS, ROOT, export, layers, linear, samples
from qbackend import Model

EXAMPLE = ROOT / "examples" / "cluster"
#: sbatch --wait, which runs the tasks of an array one after another.
SBATCH = """#!/bin/sh
last=${2#--array=0-}
shift 2
export SLURM_ARRAY_TASK_COUNT=$((last + 1)) SLURM_ARRAY_TASK_ID SLURM_CPUS_PER_TASK=1
for SLURM_ARRAY_TASK_ID in $(seq 0 "$last"); do "$@" || exit; done
"""
MPI = ["mpiexec", "--allow-run-as-root", "--oversubscribe"]
COMMANDS = ROOT / "test" / "Python" / "cluster_commands.py"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """LeNet-5, images for its calibration and some to measure it on."""
    # Small: what is compared are bytes.
    folder = tmp_path_factory.mktemp("cluster")
    export("lenet5", folder).rename(folder / "net.mlir")
    digits = np.load(DIGITS)
    np.savez(folder / "calib.npz", x=digits["calib_images"][:50])
    np.savez(folder / "test.npz", x=digits["test_images"][:20])
    np.save(folder / "labels.npy", digits["test_labels"][:20].astype("int64"))
    return folder


@pytest.fixture(scope="module")
def table(files):
    digits = np.load(files / "calib.npz")
    model = qbackend.load(files / "net.mlir")
    model.calibrate(digits, input_scale="1/255", statistics="mergeable")
    return model.calibration


def run(*command, **options):
    found = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=300, **options
    )
    assert found.returncode == 0, found.stderr
    return found


def run_python(engine, workers, *arguments, cwd):
    """A script of an engine, which is skipped where that isn't there."""
    command = [sys.executable]
    if engine == "dask":
        pytest.importorskip("distributed", reason="no python3-distributed")
    if engine == "joblib":
        pytest.importorskip("joblib", reason="no python3-joblib")
    if engine == "mpi":
        pytest.importorskip("mpi4py", reason="no python3-mpi4py")
        if shutil.which("mpiexec") is None:
            pytest.skip("no openmpi-bin")
        # One hands out.
        command = [*MPI, "-n", workers + 1, sys.executable, "-m", "mpi4py.futures"]
    path = os.pathsep.join([str(ROOT / "examples" / "cluster"), *sys.path])
    run(*command, *arguments, cwd=cwd, env={**os.environ, "PYTHONPATH": path})


@pytest.mark.parametrize("engine", ["none", "processes", "dask", "mpi", "joblib"])
def test_engines(files, table, engine):
    script = [EXAMPLE / "calibrate.py", "net.mlir", "calib.npz", "--input-scale=1/255"]
    options = [f"--engine={engine}", "-o", f"{engine}.json"]
    run_python(engine, 2, *script, *options, cwd=files)
    assert (files / f"{engine}.json").read_text() == table


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A network that each of seven workers compiles in no time."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "net.mlir").write_text(layers())
    x = samples(60)
    np.savez(folder / "calib.npz", x=x[:40])
    np.savez(folder / "test.npz", x=x[40:])
    # Half of them are right, about.
    labels = qbackend.load(folder / "net.mlir").run(x[40:]).argmax(axis=1)
    np.save(folder / "labels.npy", np.where(np.arange(20) % 2, labels, 0))
    return folder


@pytest.fixture(scope="module")
def alone(small):
    """What each command gives on one machine."""
    run_python("none", 1, COMMANDS, ".", "none", 1, cwd=small)
    found = json.loads((small / "none1.json").read_text())
    # There is something to compare: a search that goes on to sets of operators.
    assert "float operators, with" in found["tune"]
    assert "bias-correction" in found["sensitivity"]
    return found


@pytest.mark.parametrize(
    "engine, workers",
    [
        *(("threads", workers) for workers in (1, 2, 7)),
        *(("processes", workers) for workers in (1, 2, 7)),
        *(
            (engine, workers)
            for engine in ("dask", "mpi", "joblib")
            for workers in (1, 2, 7)
        ),
    ],
)
def test_commands(small, alone, engine, workers):
    """The table of docs/Cluster.md: the same bytes."""
    run_python(engine, workers, COMMANDS, ".", engine, workers, cwd=small)
    found = json.loads((small / f"{engine}{workers}.json").read_text())
    assert found.keys() == alone.keys()
    assert [name for name in found if found[name] != alone[name]] == []


def test_joblib_workers_are_replaced(small):
    """All of them are killed, with parts that wait."""
    loky = pytest.importorskip("joblib.externals.loky", reason="no python3-joblib")
    made = []

    class Killed(loky.ProcessPoolExecutor):
        def submit(self, work, task):
            future = super().submit(work, task)
            if len(made) == 1 and task.number == 2:
                for worker in list(self._processes.values()):
                    os.kill(worker.pid, signal.SIGKILL)
            return future

    def make():
        made.append(Killed(2))
        return made[-1]

    x = np.load(small / "calib.npz")["x"]
    tables = []
    for executor in (None, qbackend.Cluster(make, shards=5)):
        model = qbackend.load(small / "net.mlir")
        model.calibrate(x, statistics="mergeable", batch_size=1, executor=executor)
        tables.append(model.calibration)
    assert tables[0] == tables[1]
    assert len(made) == 2


def test_another_file(files):
    """A worker that has other samples at the path says so."""
    path = files / "moved.npy"
    x = samples()
    np.save(path, x)

    class Moves(futures.ThreadPoolExecutor):
        def submit(self, work, *arguments):
            np.save(path, x + 1)
            return super().submit(work, *arguments)

    with Moves(1) as executor, pytest.raises(ValueError, match="is another file"):
        Model(linear()).calibrate(str(path), statistics="mergeable", executor=executor)


NO_TOOLS = pytest.mark.skipif(
    shutil.which("qbackend-run") is None, reason="no tools in PATH"
)


@NO_TOOLS
@pytest.mark.parametrize("runner", ["parallel", "xargs"])
def test_parallel(files, runner):
    if shutil.which(runner) is None:
        pytest.skip(f"no {runner}")
    options = ["--input=test.npz", "--input-scale=1/255", "--num-threads=1"]
    command = ["qbackend-run", "net.mlir", "--labels=labels.npy", *options]
    one = run(*command, cwd=files).stdout
    run(
        *(EXAMPLE / "parallel.sh", f"{runner}.json", 3, *command),
        cwd=files,
        env={**os.environ, "RUNNER": runner, "JOBS": "2"},
    )
    found = run(*command, f"--parts={runner}.json", cwd=files).stdout
    assert found == one
    assert "samples are right" in one


@pytest.fixture(scope="module")
def with_sbatch(files):
    """Where a program of SLURM's is."""
    (files / "bin").mkdir()
    (files / "bin" / "sbatch").write_text(SBATCH)
    (files / "bin" / "sbatch").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{files / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "RUN_PARTS": str(EXAMPLE / "slurm.sh"),
    }


@NO_TOOLS
@pytest.mark.parametrize("runner", ["xargs", "sbatch"])
def test_tune(files, table, with_sbatch, runner):
    (files / "tune.json").write_text(table)
    options = ["--calibration=tune.json", "--input=test.npz", "--input-scale=1/255"]
    search = ["net.mlir", *options, "--keep-sqnr=45"]
    one = run("qbackend-tune", *search, "-o", "tuned.mlir", cwd=files)
    mapping = (files / "tuned.mlir").read_bytes()
    (files / "tuned.mlir").unlink()
    environment = with_sbatch
    if runner == "xargs":
        environment = {**os.environ, "RUNNER": "xargs", "JOBS": "2"}
    command = [EXAMPLE / "tune.sh", "tuned.mlir", 3, *search]
    found = run(*command, cwd=files, env=environment)
    assert found.stdout == one.stdout
    assert "operators float" in one.stdout
    assert (files / "tuned.mlir").read_bytes() == mapping
    assert list(files.glob("tuned.mlir.*")) == []


@NO_TOOLS
def test_slurm(files, with_sbatch):
    arguments = ["net.mlir", "calib.npz", "test.npz", "--input-scale=1/255"]
    run(*(EXAMPLE / "submit.sh", "out", 3, *arguments), cwd=files, env=with_sbatch)
    scale = "--input-scale=1/255"
    alone = ["--calibrate", "--statistics=mergeable", "--input=calib.npz", scale]
    run("qbackend-run", "net.mlir", *alone, "-o", "alone.json", cwd=files)
    table = (files / "alone.json").read_bytes()
    assert (files / "out" / "table.json").read_bytes() == table
    alone = ["--sensitivity", "--calibration=alone.json", "--input=test.npz", scale]
    run("qbackend-run", "net.mlir", *alone, "-o", "sensitivity.json", cwd=files)
    one = (files / "sensitivity.json").read_bytes()
    assert (files / "out" / "sensitivity.json").read_bytes() == one
    # A part that is given twice.
    twice = subprocess.run(
        ["qbackend-run", "net.mlir", *alone]
        + ["--parts=out/first/0.json,out/first/0.json"],
        cwd=files,
        capture_output=True,
        text=True,
    )
    assert twice.returncode == 1
    assert "which another file has, too; give each once" in twice.stderr
    # Of other samples, and by another version.
    part = files / "out" / "first" / "0.json"
    (files / "version.json").write_text(part.read_text().replace("qbackend ", "q "))
    for scores, data, why in (
        (part, "calib.npz", "is of another network, other samples or other options"),
        ("version.json", "test.npz", "is by 'q "),
    ):
        options = ["--calibration=alone.json", f"--parts={scores}", scale]
        wrong = subprocess.run(
            ["qbackend-run", "net.mlir", "--sensitivity", f"--input={data}", *options],
            cwd=files,
            capture_output=True,
            text=True,
        )
        assert wrong.returncode == 1
        assert why in wrong.stderr
