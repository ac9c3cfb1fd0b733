// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in a file, and names, side by side in locations.

#include "qbackend/Support/Places.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qbackend;

std::string qbackend::getLocationName(Location loc) {
  std::string name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  // Tables are JSON, which has Unicode only.
  return llvm::json::fixUTF8(name);
}

std::string qbackend::spellPlace(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn();
  else if (std::string name = getLocationName(loc); !name.empty())
    os << "'" << name << "'";
  else
    os << loc;
  return text;
}

/// Whether `loc` is a name without a place.
static bool lacksPlace(Location loc) {
  return loc->findInstanceOf<NameLoc>() &&
         !loc->findInstanceOf<FileLineColLoc>();
}

void qbackend::addPlaces(ModuleOp module, StringRef text, StringRef file) {
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      text, file, /*RequiresNullTerminator=*/false);
  if (isBytecode(*buffer) || !module
                                  ->walk([](Operation *op) {
                                    return lacksPlace(op->getLoc())
                                               ? WalkResult::interrupt()
                                               : WalkResult::advance();
                                  })
                                  .wasInterrupted())
    return;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, file),
                             SMLoc());
  MLIRContext *context = module.getContext();
  // What is to be said of it was said when it was parsed.
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(
          sources, &block, ParserConfig(context, /*verifyAfterParse=*/false),
          &state)))
    return;
  llvm::DenseMap<Operation *, SMLoc> places;
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs())
    places[definition.op] = definition.loc.Start;
  // The parser adds a module around several ops, or around none.
  SmallVector<Operation *> parsed;
  if (!(llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())))
    parsed.push_back(nullptr);
  block.walk<WalkOrder::PreOrder>([&](Operation *op) { parsed.push_back(op); });
  SmallVector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  if (ops.size() != parsed.size())
    return;
  for (auto [op, other] : llvm::zip(ops, parsed)) {
    auto place = places.find(other);
    if (!lacksPlace(op->getLoc()) || place == places.end() ||
        op->getName() != other->getName())
      continue;
    auto [line, column] = sources.getLineAndColumn(place->second);
    Location child = FileLineColLoc::get(context, file, line, column);
    if (auto named = dyn_cast<NameLoc>(op->getLoc()))
      op->setLoc(NameLoc::get(named.getName(), child));
    else
      op->setLoc(FusedLoc::get(context, {op->getLoc(), child}));
  }
}
