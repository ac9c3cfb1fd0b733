# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`qbackend-import`: a network of another format as MLIR."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Optional, Sequence

from . import ImportFailure, from_onnx, from_pt2, load
from .documentation import print_completion, print_manual

_READERS = {"pt2": from_pt2, "onnx": from_onnx}


class _PrintVersion(argparse.Action):
    """That of the compiler, which is loaded only for it."""

    def __call__(self, parser, *_):
        from .._library import native

        print(f"qbackend version {native().__version__}")
        parser.exit()


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qbackend-import",
        description="Writes a network as an MLIR module: a torch.export archive "
        "(.pt2) of PyTorch 2.6 or newer, or an ONNX model.",
        epilog="The result is what qbackend-opt and qbackend-run take: "
        "qbackend-import net.pt2 -o net.mlirbc && qbackend-opt "
        "--apply-backend=qnnpack data=samples.npz net.mlirbc")
    parser.add_argument("--version", action=_PrintVersion, nargs=0,
                        help="show the version and exit")
    parser.add_argument("network", help="net.pt2 or net.onnx")
    parser.add_argument(
        "-o", dest="output", default="-", metavar="FILE",
        help="where the module goes, in the format of the suffix: .mlirbc, .mlir, "
        ".o or .onnx; default: -, text to standard output")
    parser.add_argument("--format", choices=sorted(_READERS),
                        help="what the network is; default: what it looks like")
    return parser


def _reserve_standard_streams() -> None:
    """A file that is opened while a standard stream is closed takes its number,
    and what is said there is written into it."""
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is this one.
            os.open(os.devnull, mode)


def _leave_output() -> None:
    """Nothing more is written there, also not when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The exit code: 0, or 1 after an error, which is one message."""
    _reserve_standard_streams()
    parser = _make_parser()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            if words == ["--print-manual"]:
                print(print_manual(parser), end="")
                return 0
            if words == ["--print-completion"]:
                print(print_completion(parser), end="")
                return 0
            given = parser.parse_args(words)
        finally:
            # Python says what it couldn't write after the last line of a program.
            if sys.stdout:
                sys.stdout.flush()
    except BrokenPipeError:
        _leave_output()
        return 1
    except OSError as error:
        _leave_output()
        print(f"qbackend-import: error: cannot write '-': {error.strerror}",
              file=sys.stderr)
        return 1
    try:
        folder = os.path.dirname(given.output) or "."
        if given.output != "-" and not os.path.isdir(folder):
            raise ImportFailure(f"the folder '{folder}' of the output isn't there")
        read = _READERS.get(given.format, load)
        place = given.network
        module = read(place)
        place = given.output
        module.save(place)
        if place == "-" and sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        # As the other tools: by the signal, without a word. What was begun is
        # removed by now.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BrokenPipeError:
        # Whoever reads the output has seen enough.
        _leave_output()
        return 1
    except (ImportFailure, ImportError, OSError, ValueError,
            MemoryError) as error:
        message = str(error) or type(error).__name__
        if isinstance(error, OSError) and error.strerror:
            message = f"{error.filename or place}: {error.strerror}"
            if place == given.output:
                message = f"cannot write '{place}': {error.strerror}"
            if place == "-":
                _leave_output()
        print(f"qbackend-import: error: {message}", file=sys.stderr)
        return 1
    return 0
