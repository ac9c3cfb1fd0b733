// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end of a file's name says about its content.

#ifndef QBACKEND_SUPPORT_FILEFORMAT_H
#define QBACKEND_SUPPORT_FILEFORMAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace qbackend {

/// What a file can hold. The suffixes are in one table, in FileFormat.cpp.
enum class FileFormat {
  MLIR,
  Bytecode,
  PT2,
  ONNX,
  Object,
  Npz,
  Npy,
  CSV,
  JSON,
  HTML,
  SVG
};

/// The suffix of files of `format`: ".mlir".
llvm::StringRef getSuffix(FileFormat format);

/// The format whose suffix `path` has, in whatever case.
std::optional<FileFormat> getFormat(llvm::StringRef path);

/// In which of `formats` to write `path`: that of its suffix; the first one if
/// it has none, or ".tmp", which lit gives to its files. An error lists what
/// there is for any other suffix.
llvm::Expected<FileFormat> chooseFormat(llvm::StringRef path,
                                        llvm::ArrayRef<FileFormat> formats);

/// Fails if `path` is no name for a file of one of `formats`, or can't be
/// written (checkWritable).
llvm::Error checkOutput(llvm::StringRef path,
                        llvm::ArrayRef<FileFormat> formats);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_FILEFORMAT_H
