// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of a backend in the order in which they are tried.

#include "qbackend/Transforms/Patterns.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

SmallVector<StringRef> qbackend::getKindNames(OperatorOp op) {
  SmallVector<StringRef> names;
  for (OperatorKindAttrInterface kind : op.getOperatorKinds())
    names.push_back(kind.getKindName());
  return names;
}

PatternTable::PatternTable(BackendConfigOp backend) {
  for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>()) {
    auto kinds =
        llvm::to_vector(pattern.getPattern().getAsValueRange<StringAttr>());
    byKinds[llvm::join(kinds, "+")].push_back(pattern);
    if (kinds.size() > 1)
      byAnchor[kinds.back()].push_back(pattern);
  }
  for (auto &entry : byAnchor)
    llvm::stable_sort(entry.second, [](PatternConfigOp a, PatternConfigOp b) {
      return a.getPattern().size() > b.getPattern().size();
    });
}

ArrayRef<PatternConfigOp>
PatternTable::lookup(ArrayRef<StringRef> kinds) const {
  auto it = byKinds.find(llvm::join(kinds, "+"));
  return it == byKinds.end() ? ArrayRef<PatternConfigOp>() : it->second;
}

ArrayRef<PatternConfigOp> PatternTable::getFusions(StringRef anchor) const {
  auto it = byAnchor.find(anchor);
  return it == byAnchor.end() ? ArrayRef<PatternConfigOp>() : it->second;
}
