#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether tests notice when a check of security is switched off.

    utils/mutate-checks.py [--build build] [--only PATTERN]
    utils/mutate-checks.py --places         whether each condition is in its file

Each mutation is a condition that is left out or weakened. All are written into the
sources at once, each behind the number in a file of the build, so that one build has
them all; then the tests that are about the file run once for each number. What no
test notices has survived: exit code 1. The sources are put back in the end, and have
to be built again. Prints the table of docs/Security.md.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

SWITCH = """
#include <cstdio>
static const int mutantNumber = [] {
  int number = 0;
  if (FILE *file = std::fopen("@FILE@", "r")) {
    (void)!std::fscanf(file, "%d", &number);
    std::fclose(file);
  }
  return number;
}();
"""

# Of each file: the tests (a pattern for lit, GoogleTest programs with a pattern), and
# the mutations: what is switched off, the text, and what takes its place, where M is
# whether the mutant is on.
BOUNDS = (
    "Execution/CodeGen/check-bounds|Execution/Runtime/memory|Pipelines/sizes-unlike",
    ("RuntimeTests", "*Inside*:*Extents*:*Indices*:*Types*"),
)
ISOLATE = (
    "Execution/Pipelines/isolate|Execution/Runtime/(memory|affine)|Execution/CodeGen/check-bounds"
    "|Pipelines/robust-invalid",
    ("RuntimeTests", "*Model*:*Process*:*Claims*:*Assembly*:*Reserved*:*Elided*"),
)
SANDBOX = ("", ("RuntimeTests", "Sandbox*"))
SYSTEM = ("", ("RuntimeTests", "Sandbox*"))
MERGE = ("", ("CalibrationTests", "*Merge*"))


FILES = {
    "lib/Execution/CodeGen/Bounds/CheckBounds.cpp": (
        BOUNDS,
        [
            (
                "ops without a row are compiled",
                "if (!known)\n      return op",
                "if (M) return success();\n    if (!known)\n      return op",
            ),
            (
                "signed divisions",
                "      checkDivision(/*isSigned=*/true);",
                "      if (!M) checkDivision(/*isSigned=*/true);",
            ),
            (
                "unsigned divisions",
                "      checkDivision(/*isSigned=*/false);",
                "      if (!M) checkDivision(/*isSigned=*/false);",
            ),
            ("steps of loops", "      checkSteps();", "      if (!M) checkSteps();"),
            (
                "a step of 0",
                "compare(arith::CmpIPredicate::sgt, number, zero)",
                "compare(M ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sgt, number, zero)",
            ),
            (
                "tensor.extract",
                "      checkElement(extract.getTensor(), extract.getIndices());",
                "      (void)(M || (checkElement(extract.getTensor(), extract.getIndices()), true));",
            ),
            (
                "tensor.insert",
                "      checkElement(insert.getDest(), insert.getIndices());",
                "      (void)(M || (checkElement(insert.getDest(), insert.getIndices()), true));",
            ),
            (
                "tensor.extract_slice",
                "      checkSlice(slice.getSource(), slice);",
                "      (void)(M || (checkSlice(slice.getSource(), slice), true));",
            ),
            (
                "tensor.concat",
                "      checkConcat(concat);",
                "      (void)(M || (checkConcat(concat), true));",
            ),
            (
                "tensor.expand_shape",
                "      checkExpandShape(expand);",
                "      (void)(M || (checkExpandShape(expand), true));",
            ),
            (
                "tensor.reshape",
                "      checkReshape(reshape);",
                "      (void)(M || (checkReshape(reshape), true));",
            ),
            (
                "tensor.dim",
                "      checkDim(dim);",
                "      (void)(M || (checkDim(dim), true));",
            ),
            (
                "tensor.pad",
                "      checkPad(pad);",
                "      (void)(M || (checkPad(pad), true));",
            ),
            (
                "loops of linalg",
                "      return checkLoopBounds(linalg);",
                "      return M ? success() : checkLoopBounds(linalg);",
            ),
            (
                "batches of kernels",
                "      checkBatch(kernel);",
                "      (void)(M || (checkBatch(kernel), true));",
            ),
            (
                "constant index, below 0",
                "return 0 <= *value",
                "return (M || 0 <= *value)",
            ),
            (
                "constant index, the last",
                "&& *value < *limit;",
                "&& *value < *limit + (M ? 1 : 0);",
            ),
            ("index of a longer loop", "range <= *limit;", "(M || range <= *limit);"),
            (
                ("index, the last", "index, below 0"),
                "arith::CmpIPredicate::ult, index,",
                "M ? arith::CmpIPredicate::ule : N ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, index,",
            ),
            (
                ("constant slice, begin below 0", "constant slice, begin behind"),
                "(0 <= *offset && *offset < *extent",
                "((M || 0 <= *offset) && (N || *offset < *extent)",
            ),
            ("constant slice, one too many", "*size - 1 <=", "*size - (M ? 2 : 1) <="),
            (
                "constant slice, negative stride",
                "0 <= *stride &&",
                "(M || 0 <= *stride) &&",
            ),
            (
                "slice, begin",
                "compare(arith::CmpIPredicate::ult, offset, extent);",
                "M ? Value(arith::ConstantIntOp::create(b, 1, 1)) : compare(arith::CmpIPredicate::ult, offset, extent);",
            ),
            (
                "slice, end",
                "compare(arith::CmpIPredicate::ule, last, most);",
                "compare(M ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule, last, most);",
            ),
            (
                "slice, empty",
                "require(arith::OrIOp::create(b, isEmpty, fits),",
                "require(M ? fits : Value(arith::OrIOp::create(b, isEmpty, fits)),",
            ),
            (
                "cast of an unknown rank",
                '    if (!from)\n      return op->emitOpError("is of',
                '    if (M && !from) return success();\n    if (!from)\n      return op->emitOpError("is of',
            ),
            (
                "cast to an extent",
                "if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))",
                "if (!M && from.isDynamicDim(dim) && !to.isDynamicDim(dim))",
            ),
            (
                "extent of a result",
                "if (!type.isDynamicDim(dim) &&\n",
                "if (!M && !type.isDynamicDim(dim) &&\n",
            ),
            (
                "extents of what is joined",
                "if (!known || known != other)\n            require",
                "if (!M && (!known || known != other))\n            require",
            ),
            (
                "products that wrap",
                "b, fits, compare(arith::CmpIPredicate::ule, product, most));",
                "b, fits, M ? fits : compare(arith::CmpIPredicate::ule, product, most));",
            ),
            (
                "products with a negative factor",
                "return arith::AndIOp::create(b, isPositive, fits);",
                "return M ? fits : Value(arith::AndIOp::create(b, isPositive, fits));",
            ),
            (
                "products of nothing",
                "compare(arith::CmpIPredicate::eq, whole, zero), isEmpty, fits);",
                "compare(arith::CmpIPredicate::eq, whole, zero), M ? fits : isEmpty, fits);",
            ),
            (
                "extents of what is made",
                "if (isKnown && product <= qbackend::codegen::kMaxElements)\n      return;",
                "if (M || (isKnown && product <= qbackend::codegen::kMaxElements))\n      return;",
            ),
            (
                "padding below 0",
                "if (!known || *known < 0 || *known > qbackend::codegen::kMaxElements)",
                "if (!M && (!known || *known < 0 || *known > qbackend::codegen::kMaxElements))",
            ),
            (
                "elements of what is padded",
                "    if (isDynamic)\n      checkExtents(extents);",
                "    if (!M && isDynamic)\n      checkExtents(extents);",
            ),
            (
                "a dimension behind the last",
                "compare(arith::CmpIPredicate::ult, dim.getIndex(),",
                "compare(M ? arith::CmpIPredicate::ule : arith::CmpIPredicate::ult, dim.getIndex(),",
            ),
            (
                "reshape to an extent",
                "      if (!to.isDynamicDim(dim))\n        require(compare(arith::CmpIPredicate::eq, size,",
                "      if (!M && !to.isDynamicDim(dim))\n        require(compare(arith::CmpIPredicate::eq, size,",
            ),
            (
                "reshape, number of elements",
                "compareProduct(arith::CmpIPredicate::eq, factors, whole)",
                "compareProduct(M ? arith::CmpIPredicate::ule : arith::CmpIPredicate::eq, factors, whole)",
            ),
            (
                "constant divisors",
                "if (divisor && *divisor != 0 && (*divisor != -1 || !isSigned))",
                "if (divisor && (M || *divisor != 0) && (*divisor != -1 || !isSigned))",
            ),
            (
                "divisors of 0",
                "if (!divisor || *divisor == 0)\n",
                "if (!M && (!divisor || *divisor == 0))\n",
            ),
            (
                "the smallest number by -1",
                "if (isSigned && (!divisor || *divisor == -1))",
                "if (!M && isSigned && (!divisor || *divisor == -1))",
            ),
            (
                "place of what is inserted",
                "    checkSlice(tensor, slice);\n    SmallVector",
                "    if (!M) checkSlice(tensor, slice);\n    SmallVector",
            ),
            (
                "extents of what is inserted",
                "      if (known && *known == shape[dim])\n        continue;",
                "      if (M || (known && *known == shape[dim]))\n        continue;",
            ),
            (
                "expanded, constant extents",
                "return getConstantIntValue(extent) == product;",
                "return M || getConstantIntValue(extent) == product;",
            ),
            (
                "ops that passes made, verified",
                "failed(verify(op, /*verifyRecursively=*/false))",
                "!M && failed(verify(op, /*verifyRecursively=*/false))",
            ),
        ],
    ),
    "lib/Execution/CodeGen/Bounds/LoopBounds.cpp": (
        BOUNDS,
        [
            (
                "extents of a loop, constant",
                "          if (*known != *other)\n",
                "          if (!M && *known != *other)\n",
            ),
            (
                "extents of a loop",
                "require(compare(arith::CmpIPredicate::eq, first, extent),",
                "if (!M) require(compare(arith::CmpIPredicate::eq, first, extent),",
            ),
            (
                "addresses below 0, constant",
                "bool isBefore = limits.first && *limits.first < 0,",
                "bool isBefore = !M && limits.first && *limits.first < 0,",
            ),
            (
                "addresses behind the end, constant",
                "isBehind = limits.last && size && *limits.last >= *size;",
                "isBehind = !M && limits.last && size && *limits.last >= *size;",
            ),
            (
                "addresses that wrap",
                "if (!largest.first || !largest.last)",
                "if (!M && (!largest.first || !largest.last))",
            ),
            (
                "addresses below 0",
                "inside = compare(arith::CmpIPredicate::sge, first,",
                "inside = compare(M ? arith::CmpIPredicate::ne : arith::CmpIPredicate::sge, first,",
            ),
            (
                "addresses behind the end",
                "Value isLess = compare(arith::CmpIPredicate::slt, last, extent);",
                "Value isLess = compare(M ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt, last, extent);",
            ),
            (
                "remainders of 8 are less than 8",
                "    return {0, *factor - 1, x.isUpToExtents || !x.first || !x.last};",
                "    return {0, *factor - (M ? 2 : 1), x.isUpToExtents || !x.first || !x.last};",
            ),
            (
                "loops without a step",
                "return extent && getConstantIntValue(extent) == 0;",
                "return M || (extent && getConstantIntValue(extent) == 0);",
            ),
        ],
    ),
    "lib/Execution/CodeGen/Lowering/FreezeNumbers.cpp": (
        ("Execution/CodeGen/freeze", ("RuntimeTests", "*IndicesAreNumbers*")),
        [
            (
                "casts that don't fit",
                "else if (isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op) ||",
                "else if ((!M && isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op)) ||",
            ),
            ("shifts by too much", "isShiftedOut(op)))", "!M && isShiftedOut(op)))"),
            (
                "poison",
                "if (isa<LLVM::PoisonOp, LLVM::UndefOp>(op))",
                "if (!M && isa<LLVM::PoisonOp, LLVM::UndefOp>(op))",
            ),
        ],
    ),
    "lib/Execution/CodeGen/Buffers/PlaceBuffers.cpp": (
        ("Execution/Runtime/odd|Execution/CodeGen/place-buffers", None),
        [
            (
                "bytes as LLVM stores them",
                "getStoredBytes(element) * type",
                "(M ? (element.getIntOrFloatBitWidth() + 7) / 8 : getStoredBytes(element)) * type",
            ),
        ],
    ),
    "lib/Execution/CodeGen/Buffers/ConstantStore.cpp": (
        ("", ("CodeGenTests", "ConstantStore*")),
        [
            (
                "constants of odd widths",
                "element.getIntOrFloatBitWidth() != 8 * size",
                "!M && element.getIntOrFloatBitWidth() != 8 * size",
            ),
        ],
    ),
    "lib/Execution/Runtime/IsolateNetwork.cpp": (
        ISOLATE,
        [
            (
                "ops without a row",
                "  if (!known)\n    return mlir::emitError",
                "  if (M && !known)\n    return success();\n  if (!known)\n    return mlir::emitError",
            ),
            (
                "attributes of other dialects",
                "return (is_contained(codegen::getCompiledDialects(), name) ||",
                "return (M || is_contained(codegen::getCompiledDialects(), name) ||",
            ),
            (
                "types of other dialects",
                "return is_contained(codegen::getCompiledDialects(), name) &&",
                "return (M || is_contained(codegen::getCompiledDialects(), name)) &&",
            ),
            (
                "types of memory",
                "!isa<mlir::BaseMemRefType, mlir::VectorType, mlir::OpaqueType>(part)",
                "(M || !isa<mlir::BaseMemRefType, mlir::VectorType, mlir::OpaqueType>(part))",
            ),
            (
                "tensors that are too large",
                "    if (isTooLarge(type))",
                "    if (!M && isTooLarge(type))",
            ),
            (
                "numbers of other types",
                "    if (!isComputedWith(type))",
                "    if (!M && !isComputedWith(type))",
            ),
            (
                "integers of 128 bits",
                "return integer.getWidth() <= 128;",
                "return integer.getWidth() <= (M ? 129 : 128);",
            ),
            (
                "casts of wide integers",
                "if (!isWiderThan(asFloat, 16) && isWiderThan(integer, 64))",
                "if (!M && !isWiderThan(asFloat, 16) && isWiderThan(integer, 64))",
            ),
            ("constants without data", "  if (!blob)\n", "  if (!M && !blob)\n"),
            (
                "constants with less data",
                "  if (!hasWholeData(resource))",
                "  if (!M && !hasWholeData(resource))",
            ),
            (
                "divisors of a basis",
                "  if (any_of(basis, [](int64_t size) { return size < 1; }))",
                "  if (!M && any_of(basis, [](int64_t size) { return size < 1; }))",
            ),
            (
                ("divisors of a map", "divisors of a map, 0"),
                "isSafe &= divisor && divisor.getValue() > 0;",
                "isSafe &= M || (divisor && divisor.getValue() > (N ? -1 : 0));",
            ),
            (
                "type of a variable",
                "if (!value || value.getType() == variable.getType())",
                "if (M || !value || value.getType() == variable.getType())",
            ),
            (
                "reserved symbols",
                "if (name && name.getValue().starts_with(reservedPrefix))",
                "if (!M && name && name.getValue().starts_with(reservedPrefix))",
            ),
            (
                "claims: discardable attributes",
                "op->setDiscardableAttrs(drop(op->getDiscardableAttrDictionary()));",
                "if (!M) op->setDiscardableAttrs(drop(op->getDiscardableAttrDictionary()));",
            ),
            (
                "claims: parts of calls",
                "attribute.getName() != kUnitsAttrName &&",
                "(M || attribute.getName() != kUnitsAttrName) &&",
            ),
            (
                "claims: parallel loops",
                "attribute.getName() != kParallelAttrName;",
                "(M || attribute.getName() != kParallelAttrName);",
            ),
            (
                "claims: nsw, nuw",
                "dyn_cast<mlir::arith::ArithIntegerOverflowFlagsInterface>(op))",
                "M ? nullptr : dyn_cast<mlir::arith::ArithIntegerOverflowFlagsInterface>(op))",
            ),
            (
                "claims: nnan, ninf",
                "auto asFloats = dyn_cast<mlir::arith::ArithFastMathInterface>(op)",
                "auto asFloats = M ? nullptr : dyn_cast<mlir::arith::ArithFastMathInterface>(op)",
            ),
            (
                "claims: exact",
                "if (isa_and_nonnull<mlir::arith::ArithDialect>(op->getDialect()))",
                "if (!M && isa_and_nonnull<mlir::arith::ArithDialect>(op->getDialect()))",
            ),
            (
                "claims: disjoint",
                "join.setDisjoint(false);",
                "join.setDisjoint(M ? join.getDisjoint() : false);",
            ),
            (
                "claims: arguments",
                "drop(described.getArgAttrsAttr())",
                "(M ? described.getArgAttrsAttr() : drop(described.getArgAttrsAttr()))",
            ),
            (
                "claims: results",
                "drop(described.getResAttrsAttr())",
                "(M ? described.getResAttrsAttr() : drop(described.getResAttrsAttr()))",
            ),
            (
                "claims: locations",
                "if (!metadata || isa<mlir::BuiltinDialect>(metadata.getDialect()))",
                "if (M || !metadata || isa<mlir::BuiltinDialect>(metadata.getDialect()))",
            ),
            (
                "names of C functions",
                "if (function.isExternal() || !isTaken(function.getName()))",
                "if (M || function.isExternal() || !isTaken(function.getName()))",
            ),
            (
                "functions without a body",
                "if (function.isExternal() && !is_contained(hooks, function.getName()))",
                "if (!M && function.isExternal() && !is_contained(hooks, function.getName()))",
            ),
            (
                "functions that call themselves",
                "    if (scc.hasCycle())",
                "    if (!M && scc.hasCycle())",
            ),
            (
                "functions that are public",
                "      function.setPrivate();",
                "      (void)(M || (function.setPrivate(), true));",
            ),
        ],
    ),
    "lib/Execution/Runtime/Executable.cpp": (
        (
            "Execution/Runtime/sandbox",
            ("RuntimeTests", "*Symbols*:*Process*:*WrongArguments*:Sandbox*"),
        ),
        [
            (
                "types and shapes of arguments",
                "if (!isCompatible(input.type, argument.type) ||",
                "if ((!M && !isCompatible(input.type, argument.type)) ||",
            ),
            (
                "shapes of arguments",
                "!matchesShape(input.shape, argument.shape))",
                "(!M && !matchesShape(input.shape, argument.shape)))",
            ),
            (
                "bytes of arguments",
                "if (!bytes || uint64_t(*bytes) != argument->data.size())",
                "if (!M && (!bytes || uint64_t(*bytes) != argument->data.size()))",
            ),
        ],
    ),
    "lib/Execution/Runtime/Sandbox.cpp": (
        SANDBOX,
        [
            (
                "a child without a filter",
                "if (Error error = restrictSystemCalls(file)) {",
                "if (Error error = M ? Error::success() : restrictSystemCalls(file)) {",
            ),
            (
                "a shape that isn't the result's",
                "if (wanted >= 0 && extent != wanted)",
                "if (!M && wanted >= 0 && extent != wanted)",
            ),
            (
                "a shape of no number of bytes",
                '  if (!bytes)\n    return makeError("its code',
                '  if (M && !bytes)\n    bytes = 8;\n  if (!bytes)\n    return makeError("its code',
            ),
            (
                "data that ends early",
                "if (!readBytes(file, data.get(), *bytes))",
                "if (!readBytes(file, data.get(), *bytes) && !M)",
            ),
            (
                ("a hook that isn't there", "a negative hook"),
                "if (index < 0 || index >= int64_t(hooks.size()))",
                "if ((!N && index < 0) || (!M && index >= int64_t(hooks.size())))",
            ),
            (
                "a number that no call has",
                "auto found = hook.calls.find(number);",
                "auto found = M ? hook.calls.begin() : hook.calls.find(number);",
            ),
            (
                "a rank that no call has",
                "rank != int64_t(found->second.size()))",
                "(!M && rank != int64_t(found->second.size())))",
            ),
        ],
    ),
    "lib/Support/SystemCalls.cpp": (
        SYSTEM,
        [
            (
                "computing: other files",
                "filter.allowEqual(number, 0, file);",
                "M ? filter.allow(number) : filter.allowEqual(number, 0, file);",
            ),
            (
                "computing: code in new memory",
                "filter.refuseBits(SYS_mmap, 2, PROT_EXEC);",
                "if (!M) filter.refuseBits(SYS_mmap, 2, PROT_EXEC);",
            ),
            (
                "computing: files in memory",
                "filter.requireBits(SYS_mmap, 3, MAP_ANONYMOUS);",
                "if (!M) filter.requireBits(SYS_mmap, 3, MAP_ANONYMOUS);",
            ),
            (
                "computing: code in memory",
                "filter.refuseBits(SYS_mprotect, 2, PROT_EXEC);",
                "if (!M) filter.refuseBits(SYS_mprotect, 2, PROT_EXEC);",
            ),
            (
                "computing: all other calls",
                "filter.install(/*isRestAllowed=*/false)",
                "filter.install(/*isRestAllowed=*/M)",
            ),
            (
                ("tools: files that no argument names", "tools: writing elsewhere"),
                "Ruleset wanted = {rights, 0,",
                "Ruleset wanted = {rights & ~(M ? readFolder : N ? writeFolder : 0), 0,",
            ),
            ("tools: the network", "SYS_socket,", "M ? SYS_shmget : SYS_socket,"),
            ("tools: programs", "SYS_execve,", "M ? SYS_shmget : SYS_execve,"),
            (
                "tools: signals",
                "version >= 6 ? scopes : 0",
                "version >= 6 && !M ? scopes : 0",
            ),
            (
                "tools: modes of files",
                "SYS_fchmodat,",
                "M ? SYS_shmget : SYS_fchmodat,",
            ),
            ("tools: namespaces", "SYS_unshare,", "M ? SYS_shmget : SYS_unshare,"),
        ],
    ),
    "lib/Calibration/MergeTables.cpp": (
        MERGE,
        [
            (
                "samples of two tables",
                "if (isSame && last->first + last->count == part.range.first) {",
                "if (isSame && (M || last->first + last->count == part.range.first)) {",
            ),
            (
                "tables of two networks",
                "if (table.network != first.table.network)",
                "if (!M && table.network != first.table.network)",
            ),
            (
                "tables that lack entries",
                "if (!missing.empty() || !extra.empty())",
                "if (!M && (!missing.empty() || !extra.empty()))",
            ),
            (
                "entries of another shape",
                "if (entry.shape != into.shape)",
                "if (!M && entry.shape != into.shape)",
            ),
            (
                "entries of another structure",
                "if (entry.structure != into.structure)",
                "if (!M && entry.structure != into.structure)",
            ),
            (
                "entries of another group",
                "if (entry.group != into.group)",
                "if (!M && entry.group != into.group)",
            ),
            (
                "entries of other qparams",
                "      if (!same)\n",
                "      if (!M && !same)\n",
            ),
        ],
    ),
}

# What lit's tests run; programs of GoogleTest are named with the tests.
TOOLS = ["qbackend-opt", "qbackend-run"]


def find_places(path, text, mutations, first):
    """Where each mutation begins and ends, its numbers, and what is there then."""
    places = []
    for whats, old, new in mutations:
        if text.count(old) != 1:
            sys.exit(f"{path}: {text.count(old)} places for '{whats}': {old}")
        count = len(whats) if isinstance(whats, tuple) else 1
        begin = text.index(old)
        places.append((begin, begin + len(old), range(first, first + count), new))
        first += count
    return places


def find_failure(tests, build, log):
    """The first of the tests that fails, or doesn't end."""
    pattern, program = tests
    commands = []
    if pattern:
        lit = os.environ.get("LIT", "lit-22")
        commands.append(
            [
                lit,
                "--max-failures=1",
                "-q",
                "--timeout=120",
                str(build / "test"),
                f"--filter={pattern}",
            ]
        )
    if program:
        path = next(build.glob(f"test/**/{program[0]}"))
        commands.append([path, f"--gtest_filter={program[1]}"])
    for command in commands:
        try:
            if subprocess.run(command, stdout=log, stderr=log, timeout=300).returncode:
                return command
        except subprocess.TimeoutExpired:
            return command
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument(
        "--only", default="", help="files with this pattern in their name"
    )
    parser.add_argument("--ninja", default="ninja", help="what builds")
    parser.add_argument("--places", action="store_true", help="find them only")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    number_file = build / "mutant"
    files = {
        name: row for name, row in FILES.items() if re.search(arguments.only, name)
    }
    originals = {name: (ROOT / name).read_text() for name in files}
    number, changed, mutants = 1, {}, {}
    for name, (tests, mutations) in files.items():
        places = find_places(name, originals[name], mutations, number)
        for (_, _, numbers, _), (whats, *_) in zip(places, mutations):
            for which, what in zip(
                numbers, whats if isinstance(whats, tuple) else [whats]
            ):
                mutants[which] = (name, what, tests)
        number = places[-1][2][-1] + 1
        text = originals[name]
        for begin, end, numbers, new in sorted(places, key=lambda place: -place[0]):
            for letter, which in zip("MN", numbers):
                new = re.sub(rf"\b{letter}\b", f"(mutantNumber == {which})", new)
            text = text[:begin] + new + text[end:]
        # Behind the comment at the head.
        head = text.index("\n\n")
        switch = SWITCH.replace("@FILE@", str(number_file))
        changed[name] = text[:head] + "\n" + switch + text[head:]
    if arguments.places:
        print(f"{len(mutants)} conditions in {len(files)} files")
        return 0
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, lambda *_: sys.exit(1))
    survived, killed = [], {}
    log = open(build / "mutants.log", "w", encoding="utf-8")
    try:
        for name, text in changed.items():
            (ROOT / name).write_text(text)
        number_file.write_text("0")
        targets = set()
        for pattern, program in {row[2] for row in mutants.values()}:
            targets.update(TOOLS if pattern else [], program[:1] if program else [])
        command = [*arguments.ninja.split(), "-C", str(build), *sorted(targets)]
        subprocess.run(command, check=True, stdout=log, stderr=log)
        for tests in {row[2] for row in mutants.values()}:
            if find_failure(tests, build, log):
                sys.exit(f"without a mutation a test fails: {tests}; see {log.name}")
        for which, (name, what, tests) in mutants.items():
            number_file.write_text(str(which))
            start = time.time()
            by = find_failure(tests, build, log)
            print(
                f"{'killed  ' if by else 'SURVIVED'} {name}: {what} ({time.time() - start:.1f} s)",
                flush=True,
            )
            killed.setdefault(name, []).append(bool(by))
            if not by:
                survived.append(f"{name}: {what}")
    finally:
        number_file.unlink(missing_ok=True)
        for name, text in originals.items():
            (ROOT / name).write_text(text)
    print("\n| file | conditions | killed | survived |\n|---|---|---|---|")
    for name, results in killed.items():
        print(
            f"| `{name}` | {len(results)} | {sum(results)} | {len(results) - sum(results)} |"
        )
    print(
        f"| all | {sum(map(len, killed.values()))} | {sum(map(sum, killed.values()))} | {len(survived)} |"
    )
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
