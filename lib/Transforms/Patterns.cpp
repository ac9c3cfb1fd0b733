// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of a backend in the order in which they are tried, and the
// operators that match them.

#include "qbackend/Transforms/Patterns.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

SmallVector<StringRef> qbackend::getKindNames(OperatorOp op) {
  SmallVector<StringRef> names;
  for (OperatorKindAttrInterface kind : op.getOperatorKinds())
    names.push_back(kind.getKindName());
  return names;
}

//===----------------------------------------------------------------------===//
// PatternTable
//===----------------------------------------------------------------------===//

/// PyTorch's length of a pattern: operators, wildcards and numbers.
static size_t countElements(Attribute element) {
  auto node = dyn_cast<PatternNodeAttr>(element);
  size_t count = 1;
  for (Attribute operand : node ? node.getOperands() : ArrayRef<Attribute>())
    count += countElements(operand);
  return count;
}

PatternTable::PatternTable(BackendConfigOp backend) {
  // Spellings that fuse the same way are one pattern to match. The first one
  // with a fuser method comes before the first one without.
  llvm::DenseSet<std::pair<Attribute, unsigned>> seen;
  llvm::StringMap<SmallVector<std::pair<size_t, PatternConfigOp>>> fusions;
  for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>()) {
    SmallVector<StringRef> kinds = pattern.getKinds();
    byKinds[llvm::join(kinds, "+")].push_back(pattern);
    if (kinds.size() == 1)
      continue;
    if (pattern.isFusion())
      byFusedKinds[llvm::join(pattern.getFusedKinds(), "+")].push_back(pattern);
    PatternNodeAttr tree = pattern.getTree();
    if (seen.insert({tree, pattern.isFusion()}).second)
      fusions[kinds.back()].push_back({countElements(tree), pattern});
  }
  for (auto &entry : fusions) {
    llvm::stable_sort(entry.second, [](const auto &a, const auto &b) {
      return a.first > b.first;
    });
    llvm::append_range(byAnchor[entry.first()],
                       llvm::make_second_range(entry.second));
  }
}

ArrayRef<PatternConfigOp>
PatternTable::lookup(ArrayRef<StringRef> kinds) const {
  std::string key = llvm::join(kinds, "+");
  for (const auto *table : {&byKinds, &byFusedKinds})
    if (auto it = table->find(key); it != table->end())
      return it->second;
  return {};
}

ArrayRef<PatternConfigOp> PatternTable::getFusions(StringRef anchor) const {
  auto it = byAnchor.find(anchor);
  return it == byAnchor.end() ? ArrayRef<PatternConfigOp>() : it->second;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The number that is the second operand of `kind`; null if it has none.
static FloatAttr getNumber(Attribute kind) {
  if (auto add = dyn_cast<AddAttr>(kind))
    return add.getScalar();
  if (auto mul = dyn_cast<MulAttr>(kind))
    return mul.getScalar();
  return {};
}

static bool isEqualNumber(Attribute pattern, FloatAttr number) {
  if (!number)
    return false;
  double wanted;
  if (auto integer = dyn_cast<IntegerAttr>(pattern))
    wanted = integer.getValue().roundToDouble(/*isSigned=*/true);
  else
    wanted = cast<FloatAttr>(pattern).getValueAsDouble();
  return number.getValueAsDouble() == wanted;
}

/// Appends the operators that match `node` and end in `op`; false if they are
/// not there.
static bool matchNode(OperatorOp op, PatternNodeAttr node,
                      SmallVectorImpl<OperatorOp> &matched) {
  if (op.isFused() || op.getKind().getKindName() != node.getName().getValue())
    return false;
  ArrayRef<Attribute> patterns = node.getOperands();
  FloatAttr number = getNumber(op.getKind());
  size_t inputs = op.getInputs().size();
  if (!patterns.empty() && patterns.size() != inputs + (number ? 1 : 0))
    return false;
  for (auto [i, pattern] : llvm::enumerate(patterns)) {
    if (isa<UnitAttr>(pattern))
      continue;
    auto inner = dyn_cast<PatternNodeAttr>(pattern);
    if (!inner) {
      if (i < inputs || !isEqualNumber(pattern, number))
        return false;
      continue;
    }
    auto producer = i < inputs ? op.getInputs()[i].getDefiningOp<OperatorOp>()
                               : OperatorOp();
    if (!producer || !matchNode(producer, inner, matched))
      return false;
  }
  matched.push_back(op);
  return true;
}

/// The input of the match that `path` leads to, from `op`.
static Value getInput(OperatorOp op, ArrayRef<int64_t> path) {
  for (int64_t index : path.drop_back())
    op = op.getInputs()[index].getDefiningOp<OperatorOp>();
  // A wildcard may stand for a number, which is no input.
  if (path.back() >= int64_t(op.getInputs().size()))
    return {};
  return op.getInputs()[path.back()];
}

std::optional<PatternMatch>
qbackend::matchPatternConfig(OperatorOp anchor, PatternConfigOp pattern,
                             OperatorOp &blocked) {
  PatternMatch match;
  if (!matchNode(anchor, pattern.getTree(), match.operators))
    return std::nullopt;
  // An operator that feeds two elements of the pattern matched twice, and has
  // two users.
  for (OperatorOp op : ArrayRef(match.operators).drop_back())
    if (!op->hasOneUse()) {
      blocked = op;
      return std::nullopt;
    }
  match.root = anchor;
  for (int64_t index : pattern.getRootPath())
    match.root = match.root.getInputs()[index].getDefiningOp<OperatorOp>();
  for (ArrayRef<int64_t> path : pattern.getExtraInputPaths())
    if (Value input = getInput(anchor, path))
      match.extraInputs.push_back(input);
  return match;
}
