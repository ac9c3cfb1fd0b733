#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuzz targets of what is written in Python: the readers of .pt2 and .onnx.

    readers.py [--targets Pt2,Onnx] [--seconds N] [--runs N] [--seed 1] [--work DIR]
               [--keep DIR]

As targets.py does for those in C++: seeds with every operator of the importers' tables,
changes that know the format (fields of protobuf, entries of archives, JSON) and the
words of the tables, and inputs that reach new lines of the importers are changed
further; --work keeps them for the next run. Wanted is an ImportFailure that names the
file, or a module that the compiler reads. What gives something else, takes more than
ten seconds or 4 GB, or ends the process goes to --keep. The exit code is 1 if there is
one.
"""

import argparse
import importlib
import inspect
import io
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zipfile

import numpy as np
import qbackend

import mutate
import seeds as corpus

sys.path.insert(0, str(corpus.TEST / "Python"))
import exported  # noqa: E402
import onnx_writer  # noqa: E402

FOLDER = str(pathlib.Path(qbackend.__file__).parent / "importers")
LIMIT = 10 if not corpus.SANITIZED else 60


class Hang(BaseException):
    """Nothing catches it but the loop."""


# Seeds -----------------------------------------------------------------------


def pt2_seeds():
    """One network for each operator, with arguments of the kinds that it names."""
    table = importlib.import_module("qbackend.importers.aten.table")
    yield "linear", corpus.read_pt2(None)[0][1]
    for name, entry in sorted(table.OPERATORS.items()):
        net = exported.Network()
        x = net.input("x", [2, 3, 8, 8])
        arguments = {}
        for parameter in entry.parameters.values():
            kind, default = str(parameter.annotation), parameter.default
            if default is not inspect.Parameter.empty:
                arguments[parameter.name] = default if isinstance(
                    default, (int, float, str, bool, type(None))) else 1
            elif "Value" in kind and "Sequence" not in kind and "List" not in kind:
                arguments[parameter.name] = x if not arguments else net.weight(
                    f"w{len(arguments)}", np.ones((4, 3, 3, 3), "f4"))
            elif "Value" in kind:
                arguments[parameter.name] = [x, x]
            elif "Sequence" in kind or "List" in kind:
                arguments[parameter.name] = [1, 1]
            else:
                arguments[parameter.name] = 1
        target = name if "." in name else name + ".default"
        net.outputs = [net.node(f"aten.{target}", [2, 3, 8, 8], **arguments)]
        yield name, exported.archive(net.entries())


def onnx_seeds():
    """One network for each operator, of one to three inputs."""
    table = importlib.import_module("qbackend.importers.onnx.table")
    yield "convolution", corpus.read_onnx(None)[0][1]
    for number, (domain, name) in enumerate(sorted(table.OPERATORS)):
        graph = onnx_writer.Graph(17)
        inputs = [graph.input("x", [1, 4, 8, 8]),
                  graph.weight("w", np.ones((4, 4, 3, 3), "f4")),
                  graph.constant(np.array([1, -1]))][:1 + number % 3]
        graph.output(graph.node(name, *inputs, domain=domain, axis=1))
        yield name, graph.model()


# Changes ---------------------------------------------------------------------


def parse_fields(data):
    """[number, wire type, value], where what is a message in turn is such a list;
    None if `data` isn't one."""
    fields, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 128:
                return value

    try:
        while at < len(data):
            key = varint()
            number, wire = key >> 3, key & 7
            if number == 0 or wire not in (0, 1, 2, 5):
                return None
            if wire == 0:
                value = varint()
            else:
                size = {1: 8, 5: 4}.get(wire) or varint()
                if at + size > len(data):
                    return None
                value, at = data[at:at + size], at + size
                if wire == 2 and size > 1:
                    value = parse_fields(value) or value
            fields.append([number, wire, value])
    except IndexError:
        return None
    return fields


def write_fields(fields):
    parts = []
    for number, wire, value in fields:
        parts.append(onnx_writer.varint(number << 3 | wire))
        if wire == 0:
            parts.append(onnx_writer.varint(value))
            continue
        data = write_fields(value) if isinstance(value, list) else value
        if wire == 2:
            parts.append(onnx_writer.varint(len(data)))
        parts.append(data)
    return b"".join(parts)


def change_fields(rng, data, others, words):
    """One field of a message at any depth; lengths around it are right."""
    fields = parse_fields(data)
    if not fields:
        return mutate.mutate_bytes(rng, data, others)
    places = []

    def visit(message):
        for i, field in enumerate(message):
            places.append((message, i))
            if isinstance(field[2], list):
                visit(field[2])

    visit(fields)
    message, i = rng.choice(places)
    choice = rng.randrange(6)
    if choice == 0:
        del message[i]
    elif choice == 1:
        message.insert(i, message[i])
    elif choice == 2:
        other, j = rng.choice(places)
        message[i] = [message[i][0], *other[j][1:]]
    elif choice == 3:
        message[i][0] = rng.randrange(1, 24)
    elif message[i][1] == 0:
        message[i][2] = rng.choice([0, 1, 2, 7, 255, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
    elif message[i][1] == 2:
        message[i][2] = rng.choice(words).encode() if choice == 4 or isinstance(
            message[i][2], list) else mutate.mutate_bytes(rng, message[i][2], others)
    try:
        return write_fields(fields)
    except RecursionError:  # A message in itself.
        return data


def change_archive(rng, data, others, words):
    """One value of the program, or what mutate.py does to an entry."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        name = rng.choice([name for name in entries if name.endswith(".json")])
    except Exception:  # It was damaged before.
        return mutate.mutate_bytes(rng, data, others)
    if rng.randrange(4) == 0:
        return mutate.mutate_entry(rng, data, others)
    text = entries[name]
    if rng.randrange(3) == 0:
        targets = [word for word in words if "." in word]
        old = [word for word in targets if f'"torch.ops.aten.{word}"'.encode() in text]
        if old:
            text = text.replace(rng.choice(old).encode(), rng.choice(targets).encode())
    else:
        text = mutate.mutate_json(rng, text, [text])
    entries[name] = text
    return exported.archive(entries)


# The loop --------------------------------------------------------------------


TARGETS = {"Pt2": ("pt2", qbackend.from_pt2, pt2_seeds, change_archive),
           "Onnx": ("onnx", qbackend.from_onnx, onnx_seeds, change_fields)}


def judge(read, path, lines):
    """What is wrong with how `path` was read, or None; `lines` gets those of the
    importers that were reached."""
    def trace_line(frame, event, _):
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace_line

    def trace(frame, *_):
        return trace_line if frame.f_code.co_filename.startswith(FOLDER) else None

    # Of the processor: others may use the machine.
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        sys.settrace(trace)
        try:
            module = read(path)
        finally:
            sys.settrace(None)
        qbackend.Model(module)
    except qbackend.ImportFailure as error:
        text = str(error)
        if not text.startswith(f"{path}: ") or len(text) < len(str(path)) + 8:
            return f"an error without its file or words: {text!r}"
    except Hang:
        return f"no end within {LIMIT} s"
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def get_words(seeds):
    names = [name for name, _ in seeds]
    return sorted({*names} | {name + ".default" for name in names if "." not in name}
                  | {"", "x", "w", "axis", "shape", "dim", "ä", "\0", "a" * 300})


def loop(name, arguments, folder, runs, found):
    """In a process of its own: `runs` counts, `found` gets what was wrong."""
    suffix, read, make_seeds, change = TARGETS[name]
    if not corpus.SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    def hang(*_):
        raise Hang

    signal.signal(signal.SIGPROF, hang)
    rng = random.Random(f"{arguments.seed} {name} {runs.value}")
    seeds = list(make_seeds())
    words = get_words(seeds)
    pool = [data for _, data in seeds]
    if arguments.work:
        (arguments.work / name).mkdir(parents=True, exist_ok=True)
        pool += [path.read_bytes() for path in
                 sorted((arguments.work / name).iterdir())]
    path = folder / f"input.{suffix}"
    reached, end, next_seed = set(), time.monotonic() + arguments.seconds, runs.value
    while time.monotonic() < end and runs.value != arguments.runs:
        if next_seed < len(pool) and rng.randrange(2):  # Each as it is, too.
            data, next_seed = pool[next_seed], next_seed + 1
        else:
            data = rng.choice(pool)
            for _ in range(rng.choice([1, 1, 2, 4])):
                data = change(rng, data, pool, words)
        path.write_bytes(data)
        runs.value += 1
        lines = set()
        wrong = judge(read, path, lines)
        if wrong:
            found.send(wrong)
            return
        if not lines <= reached:
            reached |= lines
            if data not in pool:
                pool.append(data)
                if arguments.work:
                    (arguments.work / name / f"{arguments.seed}-{runs.value:07}"
                     ).write_bytes(data)
    found.send(None)


def run(name, arguments):
    """How many runs there were, and what was wrong with the last one."""
    runs = multiprocessing.Value("q", 0)
    receive, send = multiprocessing.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        process = multiprocessing.Process(
            target=loop, args=(name, arguments, folder, runs, send))
        process.start()
        send.close()
        wrong = None
        try:
            # A loop in native code does not hear the signal.
            before = -1
            while not receive.poll(3 * LIMIT):
                if runs.value == before:
                    process.kill()
                    wrong = "no end"
                    break
                before = runs.value
            wrong = wrong or receive.recv()
        except EOFError:
            process.join()
            wrong = f"the process ended with {process.exitcode}"
        process.join()
        if wrong:
            keep = arguments.keep or pathlib.Path(tempfile.gettempdir())
            keep.mkdir(parents=True, exist_ok=True)
            for path in folder.iterdir():
                shutil.copy(path, keep / f"{name}-{arguments.seed}-{runs.value}"
                            f"{path.suffix}")
                wrong += f"\n  in {keep / path.name}"
    return runs.value, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=20 if corpus.SANITIZED else 3)
    parser.add_argument("--runs", type=int, help="end after so many, too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    failures = 0
    for name in arguments.targets.split(","):
        runs, wrong = run(name, arguments)
        failures += wrong is not None
        print(f"{name}: FAILED after {runs} runs: {wrong}" if wrong else
              f"{name}: no finding: Done {runs} runs in {arguments.seconds} second(s)",
              flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
