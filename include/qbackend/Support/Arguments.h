// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of qbackend-opt: those of mlir-opt, and keys of
// --apply-backend wherever they stand.

#ifndef QBACKEND_SUPPORT_ARGUMENTS_H
#define QBACKEND_SUPPORT_ARGUMENTS_H

#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/Key.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace qbackend {

/// A command line as mlir-opt takes it.
struct OptArguments {
  std::vector<std::string> arguments;
  /// File that the module is read from, and the one that it is written to;
  /// empty or "-": standard input and output.
  std::string input, output;
  /// What the output is written as.
  FileFormat format = FileFormat::MLIR;
  /// Whether --apply-backend is among them.
  bool appliesBackend = false;
};

/// Brings the arguments after the program's name into mlir-opt's form:
///
/// - `--apply-backend=qnnpack data=x.npz in.mlir`, with or without quotes, with
///   the backend behind a blank, with keys anywhere on the line and with dashes
///   (`--data=x.npz`, `--data x.npz`), becomes one option of the pass;
/// - `--explain=NAME`, a key like others, applies the default backend if none
/// is
///   named;
/// - remarks are on, in whatever format, where a backend is applied;
/// - the output is in the format of its suffix;
/// - errors don't print the code that they are about.
///
/// `registered` are the options that mlir-opt has, `keys` those of
/// --apply-backend, `backends` the names of built-in ones. An error for what is
/// none of them and no key names the nearest one of what is in reach, and so
/// does one for a value that a key can't have.
llvm::Expected<OptArguments> rewriteOptArguments(
    llvm::ArrayRef<llvm::StringRef> arguments,
    const llvm::DenseMap<llvm::StringRef, llvm::cl::Option *> &registered,
    llvm::ArrayRef<Key> keys, llvm::ArrayRef<llvm::StringRef> backends);

/// The text in which a pass takes `words`, each of which is `name=value` with
/// one of `keys`. An error for what is none of them names the nearest one.
llvm::Expected<std::string> formatKeys(llvm::ArrayRef<std::string> words,
                                       llvm::ArrayRef<Key> keys);

/// The same for what a pass takes as one text: "qnnpack data=x.npz".
llvm::Error checkKeys(llvm::StringRef text, llvm::ArrayRef<Key> keys);

/// The one of `candidates` that `word` may be a slip of: nearer than a third of
/// its letters; empty if there is none.
llvm::StringRef findNearest(llvm::StringRef word,
                            llvm::ArrayRef<llvm::StringRef> candidates);

/// Whether a person who uses qbackend-opt may want the option `name` of
/// mlir-opt: one of this project, or one about input and output.
bool isCommonOption(llvm::StringRef name);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_ARGUMENTS_H
