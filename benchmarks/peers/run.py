#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times networks against XNNPACK, ONNX Runtime and PyTorch, on one thread.

    run.py --build DIR [--debian13 ROOT] [--ort DIR/node_modules/onnxruntime-node]
           [--rounds N] [--only NETWORK,...] [--targets amx,avx512vnni] [--cpu NAME]
           [--first | --threads N | -o TABLE.md]

Peers are optional: ROOT is a folder with a Debian 13 (or `/`) that has libxnnpack-dev
and libonnxruntime-dev, the library of ONNX Runtime is that of `npm install
onnxruntime-node`, and PyTorch is python3-torch; one that isn't there is left out, with
the reason. Each engine is a process of its own; in each round each runs once, so that
what else the machine does hits them alike. Times are those of the processor, and of the
fastest round; ratios are medians of those of each round. Behind them stands the share of
bytes of the result that are ours. `resnet50@16` is the network with batches of 16. What
ours is to itself is A/A. Our float run is that of ONNX Runtime's float file. With
--first, times are those of whole processes that load a network, compile it and run it
once, ours in memory; those of PyTorch import it. With --threads, times are those of the
wall, of ours in memory and ONNX Runtime, and how much faster N threads are than one.
"""

import argparse
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "kernels"))

import networks  # noqa: E402
import xnnpack_models  # noqa: E402
from objects import compile_object, get_processor  # noqa: E402


class Peer:
    """A process that runs all networks when it is told to."""

    def __init__(self, name, command, **environment):
        self.name = name
        paths = [str(HERE), str(HERE.parent / "kernels"),
                 os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths),
                       "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                       **environment}
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment)
        if not self.read().startswith("ready"):
            raise RuntimeError(self.process.stderr.read().strip().splitlines()[-1:])

    def read(self):
        return self.process.stdout.readline()

    def ask(self, index, calls):
        self.process.stdin.write(f"{index} {calls}\n")
        self.process.stdin.flush()
        return self.read()

    def time(self, index, calls):
        return float(self.ask(index, calls))

    def finish(self):
        """The seconds of the processor that it took, with one more run, to the end."""
        self.ask(0, 1)
        self.process.stdin.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime

    def get_result(self, index):
        """Its bytes."""
        return np.frombuffer(bytes.fromhex(self.ask(index, 0)), np.uint8)


def start(name, command, **environment):
    """The peer in a list; empty, and the reason printed, if it can't be had."""
    try:
        return [Peer(name, command, **environment)]
    except (OSError, RuntimeError, BrokenPipeError) as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return []


def start_objects(name, target, modules, args, work):
    texts = []
    for network, module in modules.items():
        function = re.sub(r"\W", "_", f"{network}_{name}")
        variant = compile_object(module, function, args, work, target)
        library = work / f"{function}.so"
        subprocess.run(["cc", "-shared", "-o", library, variant.path, "-lm"],
                       check=True)
        texts.append(f"{library}:{function}:{variant.input}:{variant.output}:"
                     f"{variant.arena}")
    return start(name, [sys.executable, HERE / "object_peer.py", *texts])


def build_peer(name, args, work, headers, *libraries):
    """A peer in C, with headers of the Debian 13. Its libraries may need a newer C library
    than this system's, so that its loader runs it."""
    for header in headers:
        shutil.copy(args.debian13 / "usr/include" / header, work)
    library = args.debian13 / f"usr/lib/{os.uname().machine}-linux-gnu"
    subprocess.run(["cc", "-O2", "-Wall", "-I", work, HERE / f"{name}.c", "-o",
                    work / name, "-L", library, *libraries,
                    "-Wl,--allow-shlib-undefined"], check=True)
    return [next(args.debian13.glob("lib64/ld-linux*")), "--library-path", library,
            work / name]


def start_xnnpack(nets, args, work):
    try:
        command = build_peer("xnnpack_peer", args, work, ["xnnpack.h", "pthreadpool.h"],
                             "-lXNNPACK")
    except OSError as error:
        print(f"XNNPACK is left out: {error}", file=sys.stderr)
        return []
    paths = [work / f"{network}.xnnpack" for network in nets]
    for path, net in zip(paths, nets.values()):
        xnnpack_models.write(net, path)
    return start("XNNPACK", [*command, *paths])


def start_onnxruntime(name, models, args, work, **environment):
    machine = {"x86_64": "x64", "aarch64": "arm64"}[os.uname().machine]
    try:
        library, = args.ort.glob(f"bin/*/linux/{machine}/libonnxruntime.so.1")
        command = build_peer("onnxruntime_peer", args, work,
                             ["onnxruntime/onnxruntime_c_api.h"], "-ldl")
    except (OSError, ValueError) as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return []
    return start(name, [*command, library, *models], **environment)


def start_onnx(nets, args, work):
    try:
        import onnx_models
    except ImportError as error:
        print(f"ONNX Runtime is left out: {error}", file=sys.stderr)
        return []
    peers = []
    for name, quantized in (("ONNX Runtime int8", True),
                            ("ONNX Runtime float", False)):
        paths = []
        for network, net in nets.items():
            paths.append(work / f"{network}_{int(quantized)}.onnx")
            onnx_models.write(net, paths[-1], quantized)
        peers += start_onnxruntime(name, paths, args, work)
    # The last ones are float.
    build = pathlib.Path(args.build)
    modules = []
    for path, net in zip(paths, nets.values()):
        n, h, w, c = net.input.shape
        modules += [path.with_suffix(".mlirbc"), "f32", n, c, h, w]
        subprocess.run([build / "bin/qbackend-import", path, "-o", modules[-6]],
                       check=True)
    return (peers + start_models("our float", "exact", modules, args, work) +
            start_models("our float, contract", "contract", modules, args, work))


def start_models(name, mode, modules, args, work, **environment):
    """Ours, compiled in memory, by the C interface."""
    library = pathlib.Path(args.build).resolve() / "lib"
    subprocess.run(["cc", "-O2", "-Wall", "-I", ROOT / "include", HERE / "model_peer.c",
                    "-o", work / "model_peer", "-L", library, "-lQBackendCAPI",
                    f"-Wl,-rpath,{library}"], check=True)
    return start(name, [work / "model_peer", mode, *modules], **environment)


def compare(peer, index, result):
    """Which share of its bytes are those of `result`; nothing for floats."""
    if "float" in peer.name:
        return ""
    return f", {100 * np.mean(peer.get_result(index) == result):.4g} %"


def start_peers(nets, modules, args, work):
    """Those that aren't objects."""
    arguments = [part for name, path in modules.items()
                 for part in (path, "u8", *nets[name].input.shape)]
    torch = [sys.executable, HERE / "torch_peer.py"]
    return [
        *start_models("ours in memory", "exact", arguments, args, work),
        *start_xnnpack(nets, args, work), *start_onnx(nets, args, work),
        *start("PyTorch onednn", [*torch, "onednn", *nets]),
        *start("PyTorch onednn, VNNI", [*torch, "onednn", *nets],
               ONEDNN_MAX_CPU_ISA="AVX512_CORE_VNNI"),
        *start("PyTorch qnnpack", [*torch, "qnnpack", *nets]),
        *start("PyTorch float", [*torch, "float", *nets])]


def measure_first(name, net, args, work):
    """Lines of a table: processes of their own in each round, ours once more last."""
    module = work / f"{name}.mlirbc"
    subprocess.run([pathlib.Path(args.build) / "bin/qbackend-opt", "--emit-bytecode",
                    work / f"{name}.mlir", "-o", module], check=True)
    times = []
    for _ in range(args.rounds):
        peers = start_peers({name: net}, {name: module}, args, work)
        peers += start_models("ours again", "exact", [module, "u8", *net.input.shape],
                              args, work)
        times.append([peer.finish() for peer in peers])
    ratios = np.median(np.array(times) / np.array(times)[:, :1], axis=0)
    return [f"| {name}, {peer.name} | {best:.2f} | {ratio:.2f} |"
            for peer, best, ratio in zip(peers, np.min(times, axis=0), ratios)]


def measure_threads(nets, modules, args, work):
    """Lines of a table: how much faster each engine is on several threads."""
    def start_engines(threads):
        environment = {"OMP_NUM_THREADS": str(threads), "PEER_CLOCK": "wall"}
        arguments = [part for name, path in modules.items()
                     for part in (path, "u8", *nets[name].input.shape)]
        peers = start_models("ours", "exact", arguments, args, work, **environment)
        try:
            import onnx_models
        except ImportError as error:
            print(f"ONNX Runtime is left out: {error}", file=sys.stderr)
            return peers
        paths = [work / f"{name}.onnx" for name in nets]
        for path, net in zip(paths, nets.values()):
            onnx_models.write(net, path, True)
        return peers + start_onnxruntime("ONNX Runtime", paths, args, work,
                                         **environment)

    one, again, several = (start_engines(n) for n in (1, 1, args.threads))
    lines = []
    by_name = {peer.name: peer for peer in several}
    for index, network in enumerate(nets):
        for alone, control in zip(one, again):
            threads = by_name[alone.name]
            times = measure([alone, control, threads], index, args.rounds)
            ratios = np.median(times[:, :1] / times, axis=0)
            lines.append(f"| {network}, {alone.name} | {times[:, 0].min() * 1e3:.3g} | "
                         f"{ratios[2]:.2f} | {ratios[1]:.2f} |")
    return lines


def add_peers(parser):
    parser.add_argument("--ort", type=pathlib.Path, default="onnxruntime-node",
                        help="where the package of npm is")
    parser.add_argument("--debian13", type=pathlib.Path, default="/",
                        help="with libxnnpack-dev and libonnxruntime-dev")


def measure(peers, index, rounds):
    """Seconds, of each round and peer."""
    calls = [max(1, round(0.02 / peer.time(index, 1))) for peer in peers]
    return np.array([[peer.time(index, n) for peer, n in zip(peers, calls)]
                     for _ in range(rounds)])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"))
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22")
    add_peers(parser)
    parser.add_argument("--targets", default="",
                        help="of our kernels (default: the best one)")
    parser.add_argument("--cpu", help="that our objects are for (default: this one)")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", default=",".join(networks.NETWORKS))
    parser.add_argument("--first", action="store_true",
                        help="time processes that load, compile and run once")
    parser.add_argument("--threads", type=int, metavar="N",
                        help="time N threads beside one")
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    args = parser.parse_args()
    if not args.build:
        parser.error("name the build directory with --build or QBACKEND_BUILD")
    names = args.only.split(",")
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        modules = {name: work / f"{name}.mlir" for name in names}
        nets = {name: networks.write(name, path) for name, path in modules.items()}
        if args.first:
            print("| | s | over ours |\n|---|---|---|")
            for name, net in nets.items():
                print("\n".join(measure_first(name, net, args, work)), flush=True)
            return 0
        if args.threads:
            print(f"| | ms | {args.threads} threads faster by | A/A |\n|---|---|---|---|")
            print("\n".join(measure_threads(nets, modules, args, work)))
            return 0
        targets = args.targets.split(",")
        ours = []
        for target in targets + targets[:1]:
            label = f"ours {target}".strip()
            label += " again" if any(peer.name == label for peer in ours) else ""
            ours += start_objects(label, target, modules, args, work)
        peers = [*ours, *start_peers(nets, modules, args, work)]
        lines = [f"{get_processor()}; {datetime.date.today()}; one thread, "
                 f"{args.rounds} rounds; ms, and the time over that of the first",
                 "", f"| network | {' | '.join(peer.name for peer in peers)} |",
                 f"|{'---|' * (len(peers) + 1)}"]
        print("\n".join(lines), flush=True)
        for index, name in enumerate(names):
            times = measure(peers, index, args.rounds)
            ratios = np.median(times / times[:, :1], axis=0)
            result = peers[0].get_result(index)
            cells = [f"{best * 1e3:.3g} ({ratio:.2f}{compare(peer, index, result)})"
                     for peer, best, ratio in zip(peers, times.min(axis=0), ratios)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
        for peer in peers:
            peer.process.stdin.close()
            peer.process.wait()
    if args.output:
        args.output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
