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

QBackendStatus
qbackendToBytecode(QBackendText module, const QBackendResource *resources,
                   size_t numResources, char **output, size_t *length,
                   QBackendDiagnosticCallback callback, void *user) {
  Session session(callback, user);
  if (!prepareOutput(output, session))
    return QBACKEND_FAILURE;
  if (!length || (numResources && !resources)) {
    session.error() << (length ? "resources are null" : "length is null");
    return QBACKEND_FAILURE;
  }
  OwningOpRef<ModuleOp> parsed =
      session.parse(toRef(module), "module", "MLIR as text or bytecode");
  if (!parsed)
    return QBACKEND_FAILURE;
  auto &blobs =
      DenseResourceElementsHandle::getManagerInterface(session.getContext())
          .getBlobManager();
  size_t total = module.length;
  for (const QBackendResource &resource :
       llvm::ArrayRef(resources, numResources)) {
    StringRef name = toRef(resource.name), bytes = toRef(resource.bytes);
    // `update` takes for granted that there is one.
    if (!blobs.lookup(name)) {
      session.error() << "the module has no dense_resource<" << name << ">";
      return QBACKEND_FAILURE;
    }
    blobs.update(name, UnmanagedAsmResourceBlob::allocateWithAlign(
                           ArrayRef(bytes.data(), bytes.size()), alignment));
    total += bytes.size() + alignment;
  }
  std::string text;
  text.reserve(total);
  llvm::raw_string_ostream stream(text);
  if (failed(writeBytecodeToFile(*parsed, stream))) {
    session.error() << "the module can't be written as bytecode";
    return QBACKEND_FAILURE;
  }
  *length = text.size();
  return session.finish(text, output);
}
