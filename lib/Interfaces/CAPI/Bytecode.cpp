// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytecode of a text and the bytes of its resources, which no parser reads.

#include "Session.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

/// What weights are aligned to. A reader refuses more than the buffer has that
/// it is given, which is what an allocation has.
static constexpr size_t alignment = alignof(std::max_align_t);

namespace {
/// A stream into a callback, until that has enough.
class CallbackStream : public llvm::raw_ostream {
public:
  CallbackStream(QBackendWriteCallback write, void *user)
      : write(write), user(user) {}
  ~CallbackStream() override { flush(); }

  bool isEnded() {
    flush();
    return ended;
  }

private:
  void write_impl(const char *bytes, size_t length) override {
    ended = ended || write(bytes, length, user) != 0;
    position += length;
  }
  uint64_t current_pos() const override { return position; }

  QBackendWriteCallback write;
  void *user;
  uint64_t position = 0;
  bool ended = false;
};
} // namespace

/// Parses `module` and gives it the bytes of its resources.
static OwningOpRef<ModuleOp> parseWithResources(Session &session,
                                                QBackendText module,
                                                const QBackendResource *given,
                                                size_t numResources) {
  llvm::ArrayRef resources(given, numResources);
  if (numResources && !given) {
    session.error() << "resources are null";
    return {};
  }
  OwningOpRef<ModuleOp> parsed =
      session.parse(toRef(module), "module", "MLIR as text or bytecode");
  if (!parsed)
    return {};
  auto &blobs =
      DenseResourceElementsHandle::getManagerInterface(session.getContext())
          .getBlobManager();
  for (const QBackendResource &resource : resources) {
    StringRef name = toRef(resource.name), bytes = toRef(resource.bytes);
    // `update` takes for granted that there is one.
    if (!blobs.lookup(name)) {
      session.error() << "the module has no dense_resource<" << name << ">";
      return {};
    }
    blobs.update(name, UnmanagedAsmResourceBlob::allocateWithAlign(
                           ArrayRef(bytes.data(), bytes.size()), alignment));
  }
  return parsed;
}

static LogicalResult write(Session &session, ModuleOp module,
                           llvm::raw_ostream &stream) {
  if (succeeded(writeBytecodeToFile(module, stream)))
    return success();
  return session.error() << "the module can't be written as bytecode";
}

QBackendStatus
qbackendWriteBytecode(QBackendText module, const QBackendResource *resources,
                      size_t numResources, QBackendWriteCallback take,
                      void *writeUser, QBackendDiagnosticCallback callback,
                      void *user) {
  Session session(callback, user);
  if (!take) {
    session.error() << "write is null";
    return QBACKEND_FAILURE;
  }
  OwningOpRef<ModuleOp> parsed =
      parseWithResources(session, module, resources, numResources);
  if (!parsed)
    return QBACKEND_FAILURE;
  CallbackStream stream(take, writeUser);
  bool isWritten = succeeded(write(session, *parsed, stream));
  return isWritten && !stream.isEnded() ? QBACKEND_SUCCESS : QBACKEND_FAILURE;
}

QBackendStatus
qbackendToBytecode(QBackendText module, const QBackendResource *resources,
                   size_t numResources, char **output, size_t *length,
                   QBackendDiagnosticCallback callback, void *user) {
  auto print = [&](Session &session, llvm::raw_ostream &os) -> LogicalResult {
    if (!length)
      return session.error() << "length is null";
    OwningOpRef<ModuleOp> parsed =
        parseWithResources(session, module, resources, numResources);
    if (!parsed || failed(write(session, *parsed, os)))
      return failure();
    *length = os.tell();
    return success();
  };
  size_t total = module.length;
  for (size_t i = 0; resources && i < numResources; ++i)
    total += resources[i].bytes.length + alignment;
  return giveText(output, callback, user, print, total);
}
