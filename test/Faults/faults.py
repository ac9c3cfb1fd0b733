#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong around the tools: each fault is an error, and no half of a file.

    faults.py --bin DIR [--weights MB] [--only CHECK,...]

--weights is the size of the network that is compiled with little memory. The exit
code is 1, after the names of what failed, if something did.
"""

import argparse
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

NETWORK = """\
func.func @main(%x: tensor<1x{n}xf32>) -> tensor<1x{n}xf32> {{
  %w = arith.constant dense<"0x{weights}"> : tensor<{n}x{n}xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x{n}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x{n}xf32>) -> tensor<1x{n}xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x{n}xf32>, tensor<{n}x{n}xf32>)
    outs(%f : tensor<1x{n}xf32>) -> tensor<1x{n}xf32>
  return %0 : tensor<1x{n}xf32>
}}
"""
SANITIZED = "ASAN_OPTIONS" in os.environ


def write_network(path, n):
    weights = np.random.default_rng(0).normal(size=(n, n)).astype("<f4")
    path.write_text(NETWORK.format(n=n, weights=weights.tobytes().hex()))
    return path


def become_nobody():
    """Root may write everywhere, and start what it likes."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


class Faults:
    def __init__(self, binaries, work, weights):
        self.bin, self.work, self.weights = binaries, work, weights
        self.network = write_network(work / "network.mlir", 4)
        self.samples = work / "samples.npz"
        np.savez(self.samples, x=np.linspace(-2, 2, 40, dtype="f4").reshape(10, 4))
        self.table = work / "table.json"
        self.run(["qbackend-run", self.network, "--calibrate",
                  f"--input={self.samples}", "-o", self.table], code=0)
        self.quantized = work / "quantized.mlir"
        self.run(["qbackend-opt", "--apply-backend=qnnpack",
                  f"calibration={self.table}", self.network, "-o", self.quantized],
                 code=0)

    def writers(self, output):
        """A command of each tool that writes `output`, with a suffix of its own if
        it has one."""
        def named(suffix):
            return output.with_suffix(suffix) if output.suffix else output

        return [
            ["qbackend-opt", "--apply-backend=qnnpack", f"calibration={self.table}",
             self.network, "-o", output],
            ["qbackend-opt", "--emit-bytecode", self.network, "-o", output],
            ["qbackend-run", self.network, f"--input={self.samples}", "-o",
             named(".npz")],
            ["qbackend-run", self.network, "--calibrate", f"--input={self.samples}",
             "-o", named(".json")],
            ["qbackend-calib", "show", self.table, "-o", output],
            ["qbackend-calib", "merge", self.table, "-o", named(".json")],
            ["qbackend-translate", "--qbackend-to-onnx", self.quantized, "-o",
             named(".onnx")],
            ["qbackend-config", "to-json", "qnnpack", "-o", named(".json")],
            ["qbackend-stages", self.network, "--apply-backend=qnnpack", "--html",
             f"data={self.samples}", "-o", named(".html")],
            # This one takes what ends otherwise, such as a device, for no mapping.
            *[["qbackend-tune", self.network, "--keep-sqnr=1", f"--data={self.samples}",
               f"--input={self.samples}", "-o", output]
              for _ in range(str(output).endswith(".mlir"))],
        ]

    def run(self, command, code=None, **options):
        """Runs a tool, which must not be ended by a signal or an abort."""
        options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        done = subprocess.run([self.bin / command[0], *map(str, command[1:])],
                              stderr=subprocess.PIPE, timeout=300, **options)
        said = done.stderr.decode()
        if done.returncode == 127 and "loading shared libraries" in said:
            return 127, said + " 0 MB"  # Nothing of ours has begun.
        assert done.returncode in (0, 1), (command, done.returncode, said[:2000])
        assert "PLEASE submit" not in said and "LLVM ERROR" not in said, said[:2000]
        if done.returncode == 1:
            assert "error:" in said, (command, said)
        if code is not None:
            assert done.returncode == code, (command, done.returncode, said[:2000])
        return done.returncode, said

    def check_cut_module(self):
        """A module that is mapped and cut while samples are waited for."""
        network = write_network(self.work / "large.mlir", 256)
        text = network.read_text()
        data = re.search('dense<"0x(.*?)">', text)
        # The bytes of a resource stay where they are.
        network.write_text(text.replace(data[0], "dense_resource<w>") +
                           '{-# dialect_resources: { builtin: { w: "0x04000000'
                           f'{data[1]}" }} }} #-}}')
        bytecode = self.work / "large.mlirbc"
        self.run(["qbackend-opt", "--emit-bytecode", network, "-o", bytecode], code=0)
        samples = self.work / "x.npy"
        np.save(samples, np.ones((10, 256), "f4"))
        process = subprocess.Popen(
            [self.bin / "qbackend-opt", "--apply-backend=qnnpack", "data=-", bytecode,
             "-o", self.work / "out.mlir"], stdin=subprocess.PIPE,
            stderr=subprocess.PIPE)
        folder = pathlib.Path(f"/proc/{process.pid}")

        def get_state(stat):
            return stat.read_text().rsplit(")")[-1].split()

        def has_child():
            for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
                try:
                    if int(get_state(stat)[1]) == process.pid:
                        return True
                except OSError:
                    pass  # It has ended meanwhile.
            return False

        calm, before, end = 0, None, time.monotonic() + 120
        # It sleeps, and so does nobody who reads the module for it.
        while calm < 20:
            assert time.monotonic() < end and process.poll() is None, "it didn't wait"
            state = get_state(folder / "stat")
            now = state[0], state[11]
            is_mapped = str(bytecode) in (folder / "maps").read_text()
            calm = calm + 1 if (is_mapped and now[0] == "S" and now == before
                                and not has_child()) else 0
            before = now
            time.sleep(0.05)
        os.truncate(bytecode, 0)
        _, said = process.communicate(samples.read_bytes(), timeout=120)
        said = said.decode()
        assert process.returncode == 1, (process.returncode, said)
        assert "error: a file was cut while it was read" in said, said
        assert not (self.work / "out.mlir").exists()

    def check_full_device(self):
        """No room for the output: EFBIG as ENOSPC, which takes a mount."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

        folder = self.work / "full"
        folder.mkdir()
        for command in self.writers(folder / "out.mlir"):
            _, said = self.run(command, code=1, preexec_fn=limit)
            assert f"'{command[-1]}" in said and "File too large" in said, \
                (command, said)
            assert not list(folder.iterdir()), (command, list(folder.iterdir()))
            if command[0] == "qbackend-tune":
                continue
            command[-1] = "/dev/full"
            _, said = self.run(command, code=1)
            assert "'/dev/full'" in said and "No space left" in said, (command, said)
        assert pathlib.Path("/dev/full").is_char_device()

    def check_full_standard_output(self):
        with open("/dev/full", "w") as full:
            for command in (["qbackend-opt", self.network],
                            ["qbackend-calib", "show", self.table],
                            ["qbackend-config", "show", "qnnpack"],
                            ["qbackend-config", "list"],
                            ["qbackend-opt", "--help"]):
                _, said = self.run(command, code=1, stdout=full)
                assert "No space left" in said, (command, said)

    def check_closed_streams(self):
        def close():
            for number in (0, 1):
                os.close(number)

        folder = self.work / "closed"
        folder.mkdir()
        for command in self.writers(folder / "out.mlir"):
            self.run(command, code=0, preexec_fn=close, stdin=None, stdout=None)
            assert list(folder.iterdir()) == [command[-1]], command
            command[-1].unlink()

    def check_closed_standard_error(self):
        """What is said there doesn't go into the output, which has its number
        then."""
        folder = self.work / "closed-error"
        folder.mkdir()
        for command in self.writers(folder / "out.mlir"):
            self.run(command, code=0)
            expected = command[-1].read_bytes()
            for numbers in ((2,), (0, 1, 2)):
                command[-1].unlink()
                self.run(command, code=0, stdin=None, stdout=None,
                         preexec_fn=lambda: [os.close(n) for n in numbers])
                assert command[-1].read_bytes() == expected, (numbers, command)

    def check_full_object(self):
        """No room for what llc makes, which is one byte too large."""
        script = pathlib.Path(__file__).parents[2] / "utils" / "compile-to-object.py"
        folder = self.work / "object"
        folder.mkdir()
        line = [sys.executable, script, "--build", self.bin.parent, self.quantized, "-o",
                folder / "net"]
        subprocess.run(line, check=True, stderr=subprocess.DEVNULL)
        size = max(path.stat().st_size for path in folder.iterdir())
        for path in folder.iterdir():
            path.unlink()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, size - 1))

        done = subprocess.run(line, stderr=subprocess.PIPE, preexec_fn=limit)
        said = done.stderr.decode()
        assert done.returncode == 1 and "PLEASE submit" not in said, said[:2000]
        assert "error: " in said and "File too large" in said, said
        assert not list(folder.iterdir()), list(folder.iterdir())

    def check_no_folder(self):
        for output in (self.work / "missing" / "out.mlir", self.network / "out.mlir"):
            for command in self.writers(output):
                _, said = self.run(command, code=1)
                assert str(command[-1]) in said, (command, said)

    def check_read_only_folder(self):
        folder = self.work / "readonly"
        folder.mkdir(mode=0o555)
        self.work.chmod(0o755)

        for command in self.writers(folder / "out.mlir"):
            try:
                _, said = self.run(command, code=1, preexec_fn=become_nobody)
            except PermissionError:
                return  # The tools are where nobody may look.
            assert "ermission denied" in said or "not writable" in said, \
                (command, said)
        assert not list(folder.iterdir())

    def check_pipes(self):
        """A named pipe is read and written as it is, and stays one."""
        pipe = self.work / "pipe"
        os.mkfifo(pipe)
        for command in self.writers(pipe):
            with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
                try:
                    self.run(command, code=0)
                    assert reader.communicate(timeout=60)[0], command
                finally:
                    reader.kill()  # It waits for ever for who hasn't opened it.
        assert pipe.is_fifo()
        with subprocess.Popen(["sh", "-c", f"cat {self.network} > {pipe}"]):
            self.run(["qbackend-opt", pipe, "-o", self.work / "read"], code=0)
        # Nobody reads to the end.
        done = subprocess.run(
            f"{self.bin}/qbackend-config show fbgemm | head -c 1", shell=True,
            capture_output=True)
        assert done.returncode == 0 and not done.stderr, done

    def check_killed(self):
        """What a killed process left goes with the next run; that of a process
        that is there stays."""
        folder = self.work / "killed"
        folder.mkdir()
        ended = subprocess.Popen(["true"])
        ended.wait()
        for command in self.writers(folder / "out.mlir"):
            for number in (ended.pid, os.getpid()):
                (folder / f"{command[-1].name}.{number}-abcdef.tmp").write_text("half")
            (folder / f"{command[-1].name}.{ended.pid}-notes").write_text("mine")
            self.run(command, code=0)
            out = command[-1].name
            names = sorted(path.name for path in folder.iterdir())
            assert names == sorted([out, f"{out}.{os.getpid()}-abcdef.tmp",
                                    f"{out}.{ended.pid}-notes"]), (command, names)
            for path in folder.iterdir():
                path.unlink()
        # Whenever it comes: each is the old file or the new one.
        network = write_network(self.work / "wide.mlir", 500)
        samples = self.work / "wide.npz"
        np.savez(samples, x=np.eye(500, dtype="f4"))
        output = folder / "out.mlir"
        for command in (
                ["qbackend-opt", network, "-o", output],
                # As long as a name can be.
                ["qbackend-opt", network, "-o", folder / ("ö" * 127 + "t")],
                ["qbackend-stages", network, "--apply-backend=qnnpack", "--html",
                 f"data={samples}", "-o", output.with_suffix(".html")],
                ["qbackend-tune", network, "--keep-sqnr=1", f"--data={samples}",
                 f"--input={samples}", "-o", output]):
            for part in range(8):
                process = subprocess.Popen([self.bin / command[0], *command[1:]],
                                           stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(0.05 * part)
                process.kill()
                process.wait(60)
            self.run(command, code=0)
            assert list(folder.iterdir()) == [command[-1]], list(folder.iterdir())
            command[-1].unlink()

    def check_long_names(self):
        """As long as the file system lets them be; longer ones are its error."""
        folder = self.work / "long names"
        folder.mkdir()
        for command in self.writers(folder / ("n" * 255)):
            self.run(command, code=0)
            assert [path.name for path in folder.iterdir()] == ["n" * 255], command
            (folder / ("n" * 255)).unlink()
        for command in self.writers(folder / ("n" * 256)):
            _, said = self.run(command, code=1)
            assert "File name too long" in said, (command, said)
            assert not list(folder.iterdir()), command

    def check_interrupted(self):
        """Ends within a second, and leaves nothing."""
        samples = self.work / "many.npz"
        np.savez(samples, x=np.zeros((200000, 200), dtype="f4"))
        network = write_network(self.work / "long.mlir", 200)
        few = self.work / "few.npz"
        np.savez(few, x=np.eye(200, dtype="f4"))
        quantized = self.work / "quantized.mlir"
        self.run(["qbackend-opt", "--apply-backend=qnnpack", f"data={few}", network,
                  "-o", quantized], code=0)
        folder = self.work / "interrupted"
        folder.mkdir()
        lines = [["qbackend-run", network, "--calibrate", f"--input={samples}"],
                 ["qbackend-run", network, f"--input={samples}"],
                 ["qbackend-run", network, f"--compare={quantized}", "--layers",
                  f"--input={samples}"],
                 ["qbackend-run", network, "--sensitivity", f"--input={samples}"],
                 ["qbackend-tune", network, "--keep-sqnr=200", f"--input={samples}",
                  f"--data={samples}"],
                 ["qbackend-stages", network, "--apply-backend=qnnpack", "--html",
                  f"data={samples}"],
                 ["qbackend-opt", network, "--apply-backend=qnnpack",
                  f"data={samples}"]]
        for command in lines:
            # Both take one way but for a network that is calibrated or run.
            both = command in lines[:2] or command[0] in ("qbackend-tune",
                                                          "qbackend-stages")
            for number in (signal.SIGINT, signal.SIGTERM)[:2 if both else 1]:
                line = [self.bin / command[0], *command[1:]]
                if "--layers" not in command:
                    name = "out.mlir" if command[0] == "qbackend-tune" else "out"
                    line += ["-o", folder / name]
                # A machine that is busy gets another try.
                assert any(self.interrupt(line, number) < (5 if SANITIZED else 1)
                           for _ in range(4)), (line, number)
                left = [path.name for path in folder.iterdir()]
                assert set(left) <= {"out.partial", "out.mlir.partial", "out.mlir"}, \
                    (line, left)
                for path in folder.iterdir():
                    path.unlink()

    def interrupt(self, line, number):
        """How many seconds a run needs to end after the signal."""
        process = subprocess.Popen(line, stderr=subprocess.PIPE)
        time.sleep(0.6)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        begin = time.monotonic()
        said = process.communicate(timeout=60)[1].decode()
        # Some have something to say, and to keep; docs/Tuning.md has the 130.
        assert process.returncode == -number or \
            process.returncode == 1 and "interrupted" in said or \
            process.returncode == 130 and line[0].name == "qbackend-tune", \
            (process.returncode, said)
        assert "PLEASE submit" not in said, said
        return time.monotonic() - begin

    def check_few_seconds(self):
        """The limit of processor time is an error that says so, and no crash."""
        samples = self.work / "many.npz"
        np.savez(samples, x=np.zeros((8000000, 4), dtype="f4"))
        folder = self.work / "seconds"
        folder.mkdir()
        # A soft limit; and that of a shell, behind which nothing can be said.
        for limits in ((1, 60), (2, 2)):
            _, said = self.run(
                ["qbackend-run", self.network, f"--input={samples}", "-o",
                 folder / "out"], code=1, preexec_fn=lambda limits=limits:
                resource.setrlimit(resource.RLIMIT_CPU, limits))
            assert "out of time" in said and "ulimit -t" in said, said
            assert not list(folder.iterdir()), list(folder.iterdir())

    def check_few_threads(self):
        """The same with the threads that there are, or with none but one."""
        folder = self.work / "threads"
        folder.mkdir(mode=0o777)
        folder.chmod(0o777)
        self.work.chmod(0o755)
        many = self.work / "many.npz"
        np.savez(many, x=np.linspace(-2, 2, 4000, dtype="f4").reshape(1000, 4))
        out = folder / "out"
        commands = self.writers(folder / "out.mlir") + [
            ["qbackend-run", self.network, f"--input={many}", "--num-threads=8", "-o",
             out],
            ["qbackend-run", self.network, "--calibrate", f"--input={many}",
             "--num-threads=8", "-o", out],
            ["qbackend-stages", self.network, "--apply-backend=qnnpack", "--html",
             f"data={many}", "-o", out],
            ["qbackend-tune", self.network, "--keep-sqnr=1", f"--input={many}",
             f"--data={many}", "-o", folder / "out.mlir"]]
        for command in commands:
            self.run(command, code=0)
            wanted = command[-1].read_bytes()
            command[-1].unlink()
            # Another user's processes count, too: one may be all that there are.
            for most in (1, 2, 4, 9) if os.geteuid() == 0 else (1,):
                def limit():
                    become_nobody()
                    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))

                try:
                    self.run(command, code=0, preexec_fn=limit)
                except PermissionError:
                    return  # The tools are where nobody may look.
                assert command[-1].read_bytes() == wanted, (command, most)
                command[-1].unlink()

    def check_two_writers(self):
        """The last one wins, as a whole."""
        folder = self.work / "two"
        folder.mkdir()
        for command in self.writers(folder / "out.mlir"):
            line = [self.bin / command[0], *map(str, command[1:])]
            both = [subprocess.Popen(line, stderr=subprocess.PIPE) for _ in range(2)]
            for process in both:
                said = process.communicate(timeout=300)[1]
                assert process.returncode == 0, said
            whole = command[-1].read_bytes()
            self.run(command, code=0)
            assert command[-1].read_bytes() == whole, command
            assert list(folder.iterdir()) == [command[-1]], command
            command[-1].unlink()

    def check_little_memory_to_read(self):
        """A file is not called damaged where it is this limit that is too low."""
        if SANITIZED:
            return  # Its shadow takes terabytes of addresses.
        network = write_network(self.work / "heavy.mlir", 2048)
        bytecode = self.work / "heavy.mlirbc"
        self.run(["qbackend-opt", "--emit-bytecode", network, "-o", bytecode], code=0)
        said = []
        # Else the C library takes 64 MB of addresses for each thread that is there at
        # the same time, whose number depends on the machine.
        environment = {**os.environ, "MALLOC_ARENA_MAX": "1"}
        for megabytes in [*range(300, 600, 10), 2048]:
            def limit():
                resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)

            said.append(self.run(["qbackend-opt", bytecode, "-o", self.work / "out"],
                                 preexec_fn=limit, env=environment)[1])
            assert "damaged" not in said[-1] and "crashes" not in said[-1], \
                (megabytes, said[-1])
        assert not said[-1] and any("MB (ulimit -v)" in text for text in said), said

    def check_little_memory(self):
        """A result, or an error that says how much there is and was wanted."""
        if SANITIZED:
            return  # Its shadow takes terabytes of addresses.
        n = int((self.weights * 2**20 / 4) ** 0.5)
        network = write_network(self.work / "heavy.mlir", n)
        bytecode = self.work / "heavy.mlirbc"
        self.run(["qbackend-opt", "--emit-bytecode", network, "-o", bytecode], code=0)
        samples = self.work / "heavy.npz"
        np.savez(samples, x=np.zeros((10, n), dtype="f4"))
        folder = self.work / "little"
        folder.mkdir()
        failures = 0
        for megabytes in (256, 320, 384, 512, 768, 1024):
            def limit():
                resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)

            for command in (
                    ["qbackend-opt", network, "-o", folder / "out"],
                    ["qbackend-opt", "--apply-backend=qnnpack", f"data={samples}",
                     bytecode, "-o", folder / "out"],
                    ["qbackend-run", bytecode, f"--input={samples}", "-o",
                     folder / "out"],
                    ["qbackend-run", bytecode, "--calibrate", f"--input={samples}",
                     "-o", folder / "out"],
                    ["qbackend-run", bytecode, f"--compare={bytecode}", "--sandbox",
                     f"--input={samples}", "-o", folder / "out"],
                    ["qbackend-opt", "--apply-backend=qnnpack", "lower-to=linalg",
                     "samples=1", network, "-o", folder / "out"],
                    ["qbackend-translate", "--qbackend-to-onnx", bytecode, "-o",
                     folder / "out"]):
                code, said = self.run(command, preexec_fn=limit)
                if code:
                    failures += 1
                    assert " MB" in said or "Cannot allocate memory" in said, \
                        (megabytes, command, said)
                left = [path.name for path in folder.iterdir()]
                assert left == ([] if code else ["out"]), (command, left)
                for path in folder.iterdir():
                    path.unlink()
        assert failures, "no limit was too low; give larger --weights"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--weights", type=int, default=16)
    parser.add_argument("--only", help="these checks, with commas")
    arguments = parser.parse_args()
    failed = []
    for name in [name for name in dir(Faults) if name.startswith("check_")]:
        if arguments.only and name[6:] not in arguments.only.split(","):
            continue
        # Where others may look, too; lit's own folder is not.
        with tempfile.TemporaryDirectory(dir="/tmp") as work:
            try:
                faults = Faults(arguments.bin.resolve(), pathlib.Path(work),
                                arguments.weights)
                getattr(faults, name)()
            except Exception:
                failed.append(name)
                traceback.print_exc()
    print("failed: " + ", ".join(failed) if failed else "all faults are errors")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
