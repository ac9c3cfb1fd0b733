// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Observe/AbsorbedFunctions.h"

#include "qbackend/Dialect/QBackend/Moves.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/Places.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

using Names = llvm::SmallSetVector<StringRef, 4>;

/// Kept by the context, as names in attributes are.
static StringRef getName(Operation *op) {
  return StringAttr::get(op->getContext(), getLocationName(op->getLoc()));
}

void qbackend::remarkAbsorbedFunctions(func::FuncOp function) {
  // The movements of each value.
  llvm::DenseMap<StringRef, Names> movementsOf;
  llvm::DenseSet<StringRef> movements;
  if (auto moves = function->getAttrOfType<ArrayAttr>(kMovesAttrName))
    for (auto move : moves.getAsRange<ArrayAttr>()) {
      StringRef name = cast<StringAttr>(move[0]);
      movementsOf[cast<StringAttr>(move[1])].insert(name);
      movements.insert(name);
    }
  function.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    Names own, absorbed;
    op.getLoc()->walk([&](Location inner) {
      if (auto named = dyn_cast<NameLoc>(inner))
        own.insert(named.getName());
      return WalkResult::advance();
    });
    StringRef last;
    for (Operation &inner : op.getBody().front().without_terminator())
      if (StringRef name = getName(&inner);
          !isa<TransposeOp>(inner) && !isAuxiliary(&inner)) {
        if (own.contains(name))
          last = name;
        else if (!name.empty() && !movements.contains(name))
          absorbed.insert(name);
      }
    // What moves a value inside of a fused operator is inside of it, too.
    for (StringRef name : own)
      if (name != last)
        absorbed.insert_range(movementsOf.lookup(name));
    if (!own.empty() && !absorbed.empty())
      remarkAnalysis(op, "QB128", op.getKindName(),
                     "it is also what the network calls '" +
                         llvm::join(absorbed, "', '") +
                         "', which FX observes for itself",
                     "leave sharing=fx out, or call one function that does "
                     "the same");
    return WalkResult::skip();
  });
}
