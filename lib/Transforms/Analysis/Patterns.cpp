// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of a backend in the order in which they are tried, and the
// operators that match them.

#include "qbackend/Transforms/Analysis/Patterns.h"

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
static size_t countPatternElements(Attribute element) {
  auto node = dyn_cast<PatternNodeAttr>(element);
  size_t count = 1;
  for (Attribute operand : node ? node.getOperands() : ArrayRef<Attribute>())
    count += countPatternElements(operand);
  return count;
}

PatternTable::PatternTable(
    BackendConfigOp backend,
    const llvm::DenseMap<Operation *, unsigned> &places) {
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
    if (seen.insert({tree, 2 * places.lookup(pattern) + pattern.isFusion()})
            .second)
      fusions[kinds.back()].push_back({countPatternElements(tree), pattern});
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
  FloatAttr number = op.getKind().getSecondNumber();
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

//===----------------------------------------------------------------------===//
// What nearly matched
//===----------------------------------------------------------------------===//

namespace {
/// Compares a pattern with operators, and doesn't stop at differences.
class Comparison {
public:
  /// Compares `node` with `op`, which is of its kind.
  void compare(OperatorOp op, PatternNodeAttr node) {
    ++same;
    ArrayRef<Attribute> patterns = node.getOperands();
    FloatAttr number = op.getKind().getSecondNumber();
    size_t inputs = op.getInputs().size(), all = inputs + (number ? 1 : 0);
    bool counts = patterns.empty() || patterns.size() == all;
    if (!counts)
      differ(op.getLoc(), op.getKindName() + " has " + Twine(all) +
                              " arguments, the pattern's has " +
                              Twine(patterns.size()));
    for (auto [i, pattern] : llvm::enumerate(patterns)) {
      auto inner = dyn_cast<PatternNodeAttr>(pattern);
      if (inner && i < inputs)
        compareProducer(op, i, inner);
      else if (!isa<UnitAttr>(pattern) && counts &&
               (inner || i < inputs || !isEqualNumber(pattern, number)))
        differ(op.getLoc(), "argument " + Twine(i) + " of " + op.getKindName() +
                                " is not what the pattern has there");
    }
  }

  /// The elements that are there, and the things that differ. A difference that
  /// leaves all elements in sight is a small one.
  unsigned same = 0, differences = 0;
  bool isSmall = true;
  std::string reason;
  std::optional<Location> place;

private:
  void differ(Location loc, const Twine &what) {
    if (differences++)
      return;
    reason = what.str();
    place = loc;
  }

  static OperatorOp getProducer(Value value, StringRef kind) {
    auto op = value.getDefiningOp<OperatorOp>();
    return op && !op.isFused() && op.getKind().getKindName() == kind
               ? op
               : OperatorOp();
  }

  void compareProducer(OperatorOp op, size_t index, PatternNodeAttr node) {
    StringRef kind = node.getName().getValue();
    Value value = op.getInputs()[index];
    if (OperatorOp producer = getProducer(value, kind))
      return compare(producer, node);
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      if (OperatorOp producer = getProducer(input, kind)) {
        differ(op.getLoc(), kind + " is argument " + Twine(i) + " of " +
                                op.getKindName() + ", the pattern has it as " +
                                Twine(index));
        return compare(producer, node);
      }
    Operation *between = value.getDefiningOp();
    if (between && between->getNumOperands() > 0)
      if (OperatorOp producer = getProducer(between->getOperand(0), kind)) {
        auto named = dyn_cast<OperatorOp>(between);
        differ(between->getLoc(),
               (named ? named.getKindName()
                      : between->getName().getStringRef().str()) +
                   " stands between " + kind + " and " + op.getKindName());
        return compare(producer, node);
      }
    isSmall = false;
    auto other = dyn_cast_or_null<OperatorOp>(between);
    differ(value.getLoc(), "there is " +
                               (other ? other.getKindName() : "no operator") +
                               " in the place of " + kind);
    // What would come before it isn't there either.
    differences +=
        llvm::count_if(node.getOperands(), llvm::IsaPred<PatternNodeAttr>);
  }
};
} // namespace

std::optional<NearMatch> qbackend::findNearMatch(OperatorOp anchor,
                                                 PatternConfigOp pattern) {
  Comparison comparison;
  comparison.compare(anchor, pattern.getTree());
  // Of two operators, one is always there.
  if (comparison.differences != 1 ||
      (!comparison.isSmall && comparison.same < 2))
    return std::nullopt;
  return NearMatch{comparison.reason, *comparison.place};
}
