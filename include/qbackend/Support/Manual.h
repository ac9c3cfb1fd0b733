// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manual pages and shell completion of a program, from the tables that its
// options are in.

#ifndef QBACKEND_SUPPORT_MANUAL_H
#define QBACKEND_SUPPORT_MANUAL_H

#include "qbackend/Support/Key.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace qbackend {

/// A program, apart from its options and commands: those are what is registered
/// and not hidden.
struct Program {
  std::string name;
  /// One line.
  std::string summary;
  /// What follows the name: "MODULE [options]".
  std::string synopsis;
  /// Which options are listed; null: all.
  bool (*isListed)(llvm::StringRef name) = nullptr;
  /// What an option is that is one value of another, as passes are; null:
  /// nothing.
  std::string (*describe)(llvm::StringRef name) = nullptr;
  /// Keys of an option `--apply-backend`, and its values.
  std::vector<Key> keys = {};
  std::vector<llvm::StringRef> backends = {};
};

/// Prints the option tables for people.
void printHelp(const Program &program, llvm::raw_ostream &os);

/// Prints them as a manual page in man's macros.
void printManual(const Program &program, llvm::raw_ostream &os);

/// Prints a function for bash that completes options, commands, keys, their
/// values and files, and its registration.
void printBashCompletion(const Program &program, llvm::raw_ostream &os);

/// Fails if one of the arguments after the program's name is an option that the
/// program, or the command that is its first argument, doesn't have; the error
/// names the nearest that is listed.
llvm::Error checkArguments(llvm::ArrayRef<char *> arguments,
                           const Program &program);

/// Follows `--print-manual` or `--print-completion`, with which the build makes
/// what is installed, if that is the first argument. Returns whether it is.
bool printDocumentation(int argc, char **argv, const Program &program);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_MANUAL_H
