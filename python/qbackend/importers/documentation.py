# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A manual page and shell completion of a command, from its parser.

With them the build makes what is installed; the other tools have the same in
lib/Support/Manual.cpp.
"""

from __future__ import annotations

import argparse
from typing import List


def _escape(text: str) -> str:
    """`text` for man: backslashes and dashes as they are."""
    return " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")


def print_manual(parser: argparse.ArgumentParser) -> str:
    """The page in man's macros."""
    usage = parser.format_usage().split(":", 1)[1].split(None, 1)[1]
    lines = [f".TH {parser.prog.upper()} 1", ".SH NAME",
             f"{_escape(parser.prog)} \\- {_escape(parser.description or '')}",
             ".SH SYNOPSIS", f".B {_escape(parser.prog)}", _escape(usage),
             ".SH OPTIONS"]
    for action in parser._actions:
        names = ", ".join(action.option_strings) or action.dest
        value = action.metavar or ("|".join(action.choices) if action.choices else "")
        lines += [".TP", f"\\fB{_escape(names)}\\fR \\fI{_escape(str(value))}\\fR",
                  _escape(action.help or "")]
    return "\n".join([*lines, ".SH EXAMPLE", _escape(parser.epilog or ""), ""])


def print_completion(parser: argparse.ArgumentParser) -> str:
    """A function for bash, and its registration."""
    function = "_" + parser.prog.replace("-", "_")
    flags: List[str] = []
    cases: List[str] = []
    for action in parser._actions:
        flags += action.option_strings
        if action.choices and action.option_strings:
            cases.append(f"  {' | '.join(action.option_strings)}) "
                         f"words=\"{' '.join(action.choices)}\" ;;")
    return "\n".join([
        f"# bash completion for {parser.prog}, made from its parser",
        f"{function}() {{",
        "  local word=${COMP_WORDS[COMP_CWORD]} words=\"\"",
        "  case ${COMP_WORDS[COMP_CWORD - 1]} in",
        *cases,
        f"  *) [[ $word != -* ]] || words=\"{' '.join(flags)}\" ;;",
        "  esac",
        "  if [ -n \"$words\" ]; then",
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")",
        "  else",
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")",
        "  fi",
        "}",
        f"complete -o filenames -F {function} {parser.prog}", ""])
