// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "qbackend/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

#include <atomic>
#include <string>
#include <system_error>

#include <unistd.h>

using llvm::ErrorOr;
using llvm::MemoryBuffer;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// What nobody sends through a device.
static constexpr size_t kMostOfDevice = size_t(64) << 20;

namespace {
/// What the system has no number for.
enum class InputError { isEndless = 1, hasNull, wasRead, changed };

class InputErrors : public std::error_category {
public:
  const char *name() const noexcept override { return "qbackend.input"; }
  std::string message(int code) const override {
    switch (InputError(code)) {
    case InputError::isEndless:
      return "a device that doesn't end, expected a file or a pipe";
    case InputError::hasNull:
      return "a name with a null in it, expected that of a file";
    case InputError::wasRead:
      return "it was read before, and can be read once; pass a file";
    case InputError::changed:
      return "it changed while it was read; write a new file and rename it to "
             "this name";
    }
    return "";
  }
};
} // namespace

static std::error_code makeError(InputError error) {
  static const InputErrors category;
  return {int(error), category};
}

/// Whether what `status` is of may give bytes for ever; somebody at a terminal
/// says where they end.
static bool isDevice(const fs::file_status &status) {
  return status.type() == fs::file_type::character_file ||
         status.type() == fs::file_type::block_file;
}

static ErrorOr<std::unique_ptr<MemoryBuffer>> readDevice(fs::file_t file,
                                                         StringRef name) {
  std::string text;
  size_t size = 0;
  while (true) {
    text.resize(size + (size_t(64) << 10));
    llvm::Expected<size_t> count =
        fs::readNativeFile(file, {&text[size], text.size() - size});
    if (!count)
      return llvm::errorToErrorCode(count.takeError());
    if (*count == 0)
      break;
    size += *count;
    if (size > kMostOfDevice)
      return makeError(InputError::isEndless);
  }
  return MemoryBuffer::getMemBufferCopy(StringRef(text).take_front(size), name);
}

static std::atomic<bool> isStandardInputRead{false};

bool qbackend::wasStandardInputRead() { return isStandardInputRead; }

static ErrorOr<std::unique_ptr<MemoryBuffer>> readStandardInput() {
  bool wasRead = isStandardInputRead.exchange(true);
  fs::file_status status;
  bool isEndless = !fs::status(STDIN_FILENO, status) && isDevice(status) &&
                   !llvm::sys::Process::FileDescriptorIsDisplayed(STDIN_FILENO);
  auto text = isEndless ? readDevice(STDIN_FILENO, "<stdin>")
                        : MemoryBuffer::getSTDIN();
  // A program that is not a tool may have put something else there.
  if (text && wasRead && (*text)->getBuffer().empty())
    return makeError(InputError::wasRead);
  return text;
}

ErrorOr<std::unique_ptr<MemoryBuffer>> qbackend::readFile(StringRef path,
                                                          bool isText) {
  if (path.contains('\0'))
    return makeError(InputError::hasNull);
  if (path == "-")
    return readStandardInput();
  fs::file_status status;
  if (fs::status(path, status) || !isDevice(status))
    return MemoryBuffer::getFile(path, /*IsText=*/false,
                                 /*RequiresNullTerminator=*/isText);
  llvm::Expected<fs::file_t> file = fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  auto result = llvm::sys::Process::FileDescriptorIsDisplayed(*file)
                    ? MemoryBuffer::getOpenFile(*file, path, -1)
                    : readDevice(*file, path);
  fs::closeFile(*file);
  return result;
}

ErrorOr<std::unique_ptr<MemoryBuffer>> qbackend::readWholeFile(StringRef path) {
  fs::file_status before, after;
  if (path.contains('\0') || fs::status(path, before) ||
      before.type() != fs::file_type::regular_file)
    return readFile(path, /*isText=*/false);
  // What is mapped and then cut is a bus error.
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (buffer &&
      (fs::status(path, after) || after.getSize() != before.getSize() ||
       after.getLastModificationTime() != before.getLastModificationTime() ||
       (*buffer)->getBufferSize() != before.getSize()))
    return makeError(InputError::changed);
  return buffer;
}
