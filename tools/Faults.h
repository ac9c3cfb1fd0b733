// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool says when it fails, or memory or room for files runs out.

#ifndef QBACKEND_TOOLS_FAULTS_H
#define QBACKEND_TOOLS_FAULTS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace qbackend {

/// From now on an allocation that fails, and what LLVM calls fatal, is an error
/// of `tool` and exit code 1: it says how much was asked for, how much there is
/// already, and the limit. Output that was begun is removed. A limit of file
/// sizes is an error of writing, not a signal. Standard streams that are closed
/// stay so for whoever opens a file. Memory comes from large pages, where the
/// system has them and limits no address space. After InitLLVM.
void reportFaults(const char *tool);

/// What streams of LLVM that end the program when they can't be written are
/// called in its error: the output of a tool, which others write; else `-`.
void nameOutput(const char *path);

/// Says an error of the tool. Returns its exit code, 1.
int fail(const llvm::Twine &message);
int fail(llvm::Error error);

} // namespace qbackend

#endif // QBACKEND_TOOLS_FAULTS_H
