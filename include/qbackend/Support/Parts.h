// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of a run have found, each on a machine of its own, as one JSON
// file for each part, or for several of them that were merged.

#ifndef QBACKEND_SUPPORT_PARTS_H
#define QBACKEND_SUPPORT_PARTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace qbackend {

/// What parts and tables say they were made by: "qbackend 0.1.0".
std::string getToolName();

/// Results of parts, and what has to be equal in all of them:
/// {"parts": "layers", "tool": "qbackend 0.1", "of": "sha256:...",
///  "results": {"0-49": ..., "50-99": ...}}
struct Parts {
  /// The command: "evaluation", "layers", "sensitivity", "tune".
  std::string command;
  /// A hash of all that results depend on.
  std::string of;
  /// By what they are of: samples, or what was measured.
  std::map<std::string, llvm::json::Value> results;
  /// The program.
  std::string tool = getToolName();
};

/// Whether `text` is that of parts; otherwise it may be a calibration table.
bool isParts(llvm::StringRef text);

std::string printParts(const Parts &parts);

/// Errors begin with `path`.
llvm::Expected<Parts> parseParts(llvm::StringRef text, llvm::StringRef path);

/// Parts and where they are from, for messages.
struct NamedParts {
  std::string path;
  Parts parts;
};

/// All results of some parts. It is an error if they are of different commands,
/// programs or runs, or if a result is in two of them.
llvm::Expected<Parts> mergeParts(llvm::ArrayRef<NamedParts> parts);

/// Reads files of parts into `parts`, which says what they have to be of; its
/// results are those of the files.
llvm::Error readParts(llvm::ArrayRef<std::string> paths, Parts &parts);

/// The same for one text; empty: no results.
llvm::Error readParts(llvm::StringRef text, Parts &parts);

/// Says what parts have to be of, and has their results when it returns.
using PartsReader = llvm::function_ref<llvm::Error(Parts &parts)>;

/// The name of the result of the samples before `end`, from `first` on.
std::string getSamplesName(int64_t first, int64_t end);

/// Results by getSamplesName in the order of samples. It is an error if one of
/// `total` samples is in none or in two of them.
llvm::Expected<std::vector<const llvm::json::Value *>>
orderSamples(const Parts &parts, int64_t total);

/// "sha256:..." of some text.
std::string hashText(llvm::StringRef text);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_PARTS_H
