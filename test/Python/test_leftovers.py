# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What killed processes leave is removed by the next one; an interrupt leaves nothing."""

import fcntl
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time

import pytest

pytest.importorskip("numpy")
from qbackend.files import move_file, temporary_folder, write_file  # noqa: E402

NETWORK = """
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %y = math.exp %x : tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}"""

#: Samples without end: what is written of them is in a folder until then.
KILLED = """
import sys
import numpy as np
from qbackend import Model

def endless():
    while True:
        yield np.ones((1, 4), "float32")

Model(sys.argv[1]).tune(endless(), sys.argv[2], keep_sqnr=10)
"""

#: A compiler that doesn't end, and that says its number.
SLOW = """#!/bin/sh
echo $$ > "$(dirname "$0")/begun"
exec sleep 100
"""
INTERRUPTED = """
import pathlib, signal, sys, time
from qbackend import Model
from qbackend.model import objects

signal.signal(signal.SIGINT, signal.default_int_handler)
objects._tools = lambda: pathlib.Path(sys.argv[2])
try:
    Model(sys.argv[1]).save(sys.argv[3])
except KeyboardInterrupt:
    print("interrupted", time.time())
"""


@pytest.fixture
def ended():
    """The number of a process that is no more."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def wait_for(condition):
    end = time.monotonic() + 300
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["net.mlir", "n" * 255])
def test_files(tmp_path, ended, name):
    write_file(tmp_path / name, lambda file: file.write(b"first"))
    seen = []
    write_file(tmp_path / name, lambda file: seen.append(names(tmp_path)))
    (own,) = set(seen[0]) - {name}
    start, _ = own.split(f".{os.getpid()}-")
    assert name.startswith(start) or len(name) > 100
    left = tmp_path / f"{start}.{ended}-abcdef.tmp"
    left.write_text("half")
    others = [f"{start}.{os.getpid()}-abcdef.tmp", f"{start}.{ended}-notes", "mine"]
    for other in others:
        (tmp_path / other).write_text("")
    # One of another container, whose numbers are others.
    with left.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_file(tmp_path / name, lambda file: file.write(b"second"))
        assert names(tmp_path) == sorted([name, left.name, *others])
    write_file(tmp_path / name, lambda file: file.write(b"third"))
    assert names(tmp_path) == sorted([name, *others])
    assert (tmp_path / name).read_bytes() == b"third"


@pytest.mark.parametrize("name", ["net.mlir", "n" * 255, "\u00f6" * 80])
def test_a_tool_and_the_package_remove_what_either_left(tmp_path, ended, name):
    own = []
    write_file(tmp_path / name, lambda file: own.extend(names(tmp_path)))
    start, _ = own[0].split(f".{os.getpid()}-")
    left = tmp_path / f"{start}.{ended}-abcdef.tmp"
    # Folders and pipes are nobody's leftovers.
    others = [f"{start}.{ended}-folder.tmp", f"{start}.{ended}-ispipe.tmp"]
    (tmp_path / others[0]).mkdir()
    os.mkfifo(tmp_path / others[1])
    (tmp_path / "in.mlir").write_text(NETWORK)
    left.write_text("half")
    subprocess.run(["qbackend-opt", tmp_path / "in.mlir", "-o", tmp_path / name],
                   check=True, timeout=60)
    assert names(tmp_path) == sorted(["in.mlir", name, *others])
    left.write_text("half")
    write_file(tmp_path / name, lambda file: file.write(b""))
    assert names(tmp_path) == sorted(["in.mlir", name, *others])


def test_permissions_and_links_are_kept(tmp_path):
    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    made, path, link = (tmp_path / n for n in ("made", "folder/out", "link"))
    path.parent.mkdir()
    link.symlink_to("folder/out")
    for wanted in (0o600, 0o640):
        path.write_bytes(b"old")
        path.chmod(wanted)
        write_file(link, lambda file: file.write(b"new"))
        assert path.read_bytes() == b"new" and link.is_symlink()
        assert mode(path) == wanted
        made.write_bytes(b"newer")
        move_file(made, link)
        assert path.read_bytes() == b"newer" and link.is_symlink()
        assert mode(path) == wanted and not made.exists()
    # What isn't there is made where the link leads.
    path.unlink()
    write_file(link, lambda file: file.write(b"new"))
    assert path.read_bytes() == b"new" and names(tmp_path) == ["folder", "link"]
    # What isn't complete changes nothing.
    with pytest.raises(ZeroDivisionError):
        write_file(link, lambda file: 1 / 0)
    assert path.read_bytes() == b"new" and names(path.parent) == ["out"]
    path.unlink()
    path.symlink_to("out")
    with pytest.raises(OSError, match="levels of symbolic links"):
        write_file(link, lambda file: file.write(b"new"))


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user's file")
def test_links_of_others_in_everybodys_folder(tmp_path):
    """As the kernel does: they may lead to what is mine."""
    tmp_path.chmod(0o1777)
    link, mine = tmp_path / "link", tmp_path / "mine"
    mine.write_bytes(b"mine")
    link.symlink_to(mine)
    os.chown(tmp_path, 1, 1)
    os.chown(link, 2, 2, follow_symlinks=False)
    (tmp_path / "in.mlir").write_text(NETWORK)
    with pytest.raises(PermissionError):
        write_file(link, lambda file: file.write(b"theirs"))
    done = subprocess.run(["qbackend-opt", tmp_path / "in.mlir", "-o", link],
                          stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1 and "Permission denied" in done.stderr
    assert mine.read_bytes() == b"mine" and link.is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files away")
def test_owner_and_group_stay(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)
    os.chown(path, 1, 2)
    write_file(path, lambda file: file.write(b"new"))
    found = path.stat()
    assert (found.st_uid, found.st_gid) == (1, 2)
    assert stat.S_IMODE(found.st_mode) == 0o640


def test_another_group_gets_no_more_than_everybody(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o664)
    found = os.stat(path)

    def refuse(*_):
        raise PermissionError

    real = os.stat
    monkeypatch.setattr(os, "chown", refuse)
    # The file that is replaced is of a group that the process isn't in.
    monkeypatch.setattr(os, "stat", lambda name, *rest, **more: os.stat_result(
        [*found[:5], found.st_gid + 1, *found[6:]]) if str(name) == str(path)
        else real(name, *rest, **more))
    write_file(path, lambda file: file.write(b"new"))
    assert stat.S_IMODE(real(path).st_mode) == 0o644


def test_errors_come_first(tmp_path):
    def lose(file):
        for path in tmp_path.iterdir():
            path.unlink()
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        write_file(tmp_path / "out", lose)


def test_folders(tmp_path, ended, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / f"qbackend-{ended}-abcdefgh.tmp"
    left.mkdir()
    (left / "samples.npz").write_text("half")
    others = [f"qbackend-{os.getpid()}-abcdefgh.tmp", "qbackend-notes",
              f"q-{ended}-abcdefgh.tmp", f"qbackend-{ended}-backup",
              f"qbackend-{ended}-abcdefg.tmp"]
    for other in others:
        (tmp_path / other).mkdir()
    # What is no folder of ours, and would be waited for.
    others += [f"qbackend-{ended}-filefile.tmp", f"qbackend-{ended}-pipepipe.tmp"]
    (tmp_path / others[-2]).write_text("mine")
    os.mkfifo(tmp_path / others[-1])
    with temporary_folder() as folder, temporary_folder() as second:
        assert os.listdir(folder) == os.listdir(second) == []
        assert len(names(tmp_path)) == len(others) + 2
    assert names(tmp_path) == sorted(others)


def test_samples_of_a_killed_call(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen([sys.executable, "-c", KILLED, NETWORK,
                                tmp_path / "out.mlir"], env=environment)
    wait_for(lambda: names(scratch) or process.poll() is not None)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL and len(names(scratch)) == 1
    subprocess.run([sys.executable, "-c", "from qbackend.files import temporary_folder\n"
                    "with temporary_folder(): pass"], env=environment, check=True)
    assert names(scratch) == []


def is_running(process):
    try:
        return " Z " not in pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False


def interrupt_object(folder):
    """How many seconds it takes to hear of an interrupt while an object is made."""
    scratch, binaries = folder / "scratch", folder / "bin"
    scratch.mkdir(parents=True)
    binaries.mkdir()
    slow, begun = binaries / "qbackend-opt", binaries / "begun"
    slow.write_text(SLOW)
    slow.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, NETWORK, folder, folder / "net.o"],
        env={**os.environ, "TMPDIR": str(scratch)}, stdout=subprocess.PIPE, text=True)
    wait_for(lambda: begun.exists() and begun.read_text().endswith("\n"))
    # This process alone hears of it, as one without a terminal does.
    process.send_signal(signal.SIGINT)
    sent = time.time()
    said = process.communicate(timeout=60)[0].split()
    tool = int(begun.read_text())
    still = is_running(tool)
    if still:
        os.kill(tool, signal.SIGKILL)
    assert not still and process.returncode == 0 and said[0] == "interrupted"
    assert names(scratch) == [] and names(folder) == ["bin", "scratch"]
    return float(said[1]) - sent


def test_an_interrupted_object(tmp_path):
    limit = 5 if "ASAN_OPTIONS" in os.environ else 1
    # A machine that is busy gets another try.
    assert any(interrupt_object(tmp_path / str(i)) < limit for i in range(4))
