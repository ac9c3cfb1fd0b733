// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a module of all dialects, text or bytecode: an error, or a
// module that is the same as text and as bytecode.

#include "Modules.h"

#include "qbackend/Support/ParseModule.h"

#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;

static OwningOpRef<ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> text,
                                   MLIRContext *context) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  return qbackend::parseModule(sources, context);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzContext fuzz;
  OwningOpRef<ModuleOp> module = parse(copyInput(data, size), &fuzz.context);
  if (!module) {
    fuzz.requireError();
    return 0;
  }
  std::string text = print(*module), bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*module, os)))
    return 0;
  // What verifies is read again; aliases of other dialects may have moved.
  FuzzContext second;
  OwningOpRef<ModuleOp> again = parse(
      llvm::MemoryBuffer::getMemBufferCopy(bytes, "bytecode"), &second.context);
  // Resources get other names in a context that has those of the first module.
  if (!again || (print(*again) != text &&
                 text.find("dense_resource") == std::string::npos))
    std::abort();
  return 0;
}
