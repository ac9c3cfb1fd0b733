// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end of a file's name says about its content.

#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace qbackend;

namespace {
struct Suffix {
  FileFormat format;
  StringLiteral text;
  /// What else writes such a file, as the end of a sentence; empty: nothing.
  StringLiteral writer = "";
};
} // namespace

/// Of all tools; Model.save of Python has the same for what it writes.
static constexpr Suffix suffixes[] = {
    {FileFormat::MLIR, ".mlir"},
    {FileFormat::Bytecode, ".mlirbc"},
    {FileFormat::PT2, ".pt2"},
    {FileFormat::ONNX, ".onnx", "qbackend-opt -o"},
    {FileFormat::Object, ".o", "compile-to-object.py, or Model.save in Python"},
    {FileFormat::Npz, ".npz", "qbackend-run -o"},
    {FileFormat::Npy, ".npy", "qbackend-run -o"},
    {FileFormat::CSV, ".csv", "qbackend-run -o"},
    {FileFormat::JSON, ".json", "qbackend-run --calibrate -o"},
    {FileFormat::HTML, ".html", "qbackend-run --layers --html="},
    {FileFormat::SVG, ".svg", "qbackend-calib show --svg="},
};

StringRef qbackend::getSuffix(FileFormat format) {
  return find_if(suffixes,
                 [&](const Suffix &suffix) { return suffix.format == format; })
      ->text;
}

static const Suffix *findSuffix(StringRef extension) {
  auto found = find_if(suffixes, [&](const Suffix &suffix) {
    return extension.equals_insensitive(suffix.text);
  });
  return found == std::end(suffixes) ? nullptr : found;
}

std::optional<FileFormat> qbackend::getFormat(StringRef path) {
  const Suffix *suffix = findSuffix(sys::path::extension(path));
  return suffix ? std::optional(suffix->format) : std::nullopt;
}

Expected<FileFormat> qbackend::chooseFormat(StringRef path,
                                            ArrayRef<FileFormat> formats) {
  StringRef extension = sys::path::extension(path);
  if (extension.empty() || extension == "." || extension == ".tmp")
    return formats.front();
  const Suffix *suffix = findSuffix(extension);
  if (suffix && is_contained(formats, suffix->format))
    return suffix->format;
  std::string list;
  for (auto [i, format] : enumerate(formats))
    list += (i == 0                    ? ""
             : i + 1 == formats.size() ? " or "
                                       : ", ") +
            getSuffix(format).str();
  return createStringError(
      "cannot write '" + path + "': its name ends in '" + extension +
      "', expected " + list +
      (suffix && !suffix->writer.empty()
           ? "; what writes " + suffix->text + " is " + suffix->writer
           : Twine()));
}

Error qbackend::checkOutput(StringRef path, ArrayRef<FileFormat> formats) {
  if (Error error = chooseFormat(path, formats).takeError())
    return error;
  return checkWritable(path);
}
