// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are written completely or not at all.

#ifndef QBACKEND_SUPPORT_OUTPUTFILE_H
#define QBACKEND_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <system_error>

namespace qbackend {

/// `PATH.SUFFIX`, or where the name of the file has more than 100 bytes, its
/// first ones, a hash and the suffix: names may be no longer than 255 bytes.
std::string getPathBeside(llvm::StringRef path, const llvm::Twine &suffix);

/// The file that `path` is the name of: where its symbolic links lead, be it
/// there or not; `path`, if they can't be followed.
std::string getDestination(llvm::StringRef path);

/// What will be `path`, or where that leads as a symbolic link: until `commit`
/// it is `PATH.PID-xxxxxx.tmp` beside it, which goes away with this object. A
/// file that is there passes on its permissions. What a killed process left of
/// the same output is removed. Standard output ("-"), devices, pipes and what
/// leads to an open file of a process (/dev/stdout) are written as they are,
/// since a file must not take their place.
class OutputFile {
public:
  explicit OutputFile(llvm::StringRef path);
  OutputFile(const OutputFile &) = delete;
  ~OutputFile();

  /// Why there is nothing to write to, if so.
  std::error_code error() const { return openError; }

  llvm::raw_fd_ostream &os() { return *target; }

  /// The file that `os` writes; the path itself if that is no file.
  llvm::StringRef name() const { return temporary.empty() ? path : temporary; }

  /// Whether a temporary file takes the place of `path` in the end.
  bool isRenamed() const { return !temporary.empty(); }

  /// From now on signals that end the process remove what is not complete. It
  /// takes LLVM's handlers, which a library must not set up.
  static void removeOnSignals();

  /// Makes what was written `path`. Returns what went wrong, also in writing.
  std::error_code commit();

private:
  void discard();

  /// As it was given, what it leads to, and what is written until then.
  std::string path, destination, temporary;
  /// Null for standard output, which is everybody's.
  std::unique_ptr<llvm::raw_fd_ostream> owned;
  llvm::raw_fd_ostream *target = nullptr;
  std::error_code openError;
};

/// Writes `text` to `path`.
std::error_code writeFile(llvm::StringRef path, llvm::StringRef text);

/// Fails if no file could be written at `path`: its folder doesn't exist or is
/// not writable, or a folder has that name. An empty path and "-" are fine, as
/// are devices and pipes. To be asked before work that takes its time.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_OUTPUTFILE_H
