// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks in any format that there is a reader for. The importers of other
// formats are Python's, a program of their own: what a stranger's archive does
// to them, it does to another process.

#include "qbackend/Support/ReadNetwork.h"

#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/InputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend;

/// How to import `path` by hand.
static std::string getCommand(StringRef path) {
  SmallString<64> module = sys::path::filename(path);
  sys::path::replace_extension(module, getSuffix(FileFormat::Bytecode));
  return ("qbackend-import " + path + " -o " + module).str();
}

namespace {
/// A file that goes with this object.
struct TemporaryFile {
  explicit TemporaryFile(StringRef suffix) {
    error = sys::fs::createTemporaryFile("qbackend", suffix, path);
  }
  ~TemporaryFile() {
    if (!error)
      sys::fs::remove(path);
  }

  std::string read() const {
    auto text = MemoryBuffer::getFile(path);
    return text ? (*text)->getBuffer().trim().str() : "";
  }

  SmallString<64> path;
  std::error_code error;
};
} // namespace

static Expected<std::unique_ptr<MemoryBuffer>> import(StringRef path) {
  // Beside this program; where /proc doesn't say where that is, on the PATH.
  std::string program =
      sys::fs::getMainExecutable(/*argv0=*/nullptr, /*MainExecAddr=*/nullptr);
  SmallVector<StringRef, 1> folders;
  if (!program.empty())
    folders.push_back(sys::path::parent_path(program));
  ErrorOr<std::string> importer =
      sys::findProgramByName("qbackend-import", folders);
  // In a sandbox there is neither a temporary file nor another process.
  auto failToStart = [&] {
    return createStringError(
        "'" + path + "' is no MLIR; import it first: " + getCommand(path));
  };
  if (!importer)
    return failToStart();
  TemporaryFile module("mlirbc"), said("txt");
  if (module.error || said.error)
    return failToStart();
  std::string why;
  int status = sys::ExecuteAndWait(
      *importer, {*importer, "-o", module.path, "--", path},
      /*Env=*/std::nullopt, {StringRef(), StringRef(), StringRef(said.path)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &why);
  if (status == -1)
    return failToStart();
  std::string text = said.read();
  if (status != 0) {
    StringRef message = text.empty() ? why : text;
    message.consume_front("qbackend-import: error: ");
    return createStringError("cannot import '" + path + "': " + message);
  }
  if (!text.empty())
    errs() << text << "\n";
  // What is removed can be read while it is open.
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(module.path);
  if (!file)
    return file.takeError();
  auto buffer = MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1);
  sys::fs::closeFile(*file);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  return std::move(*buffer);
}

Expected<std::unique_ptr<MemoryBuffer>> qbackend::readNetwork(StringRef path) {
  std::optional<FileFormat> format = getFormat(path);
  bool isImported = format == FileFormat::PT2 || format == FileFormat::ONNX;
  if (isImported && sys::fs::is_regular_file(path))
    return import(path);
  auto buffer = readFile(path);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  StringRef content = (*buffer)->getBuffer();
  bool isBytecode = content.starts_with("ML\xefR");
  // A parser's error would show the line.
  if (!isBytecode &&
      (content.starts_with("PK\3\4") || content.take_front(256).contains('\0')))
    return createStringError("'" + (*buffer)->getBufferIdentifier() +
                             "' is binary, and no MLIR bytecode; if it is a "
                             ".pt2 or .onnx file, import it first: " +
                             getCommand(path == "-" ? "net.pt2" : path));
  return std::move(*buffer);
}
