// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins operators that are one pattern of the backend, and folds batch norm.

#include "Fuse/FoldBatchNorm.h"

#include "Fuse/WeightedCode.h"
#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

namespace qbackend {
#define GEN_PASS_DEF_FUSEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// The operators of `match` as one, with the root's parameters. Its inputs are
/// the root's, then the extra ones. `nameOf` is the one whose location names
/// the result.
static OperatorOp join(const PatternMatch &match, OperatorOp nameOf) {
  OperatorOp anchor = match.operators.back(), root = match.root;
  OpBuilder builder(anchor);
  SmallVector<Location> locations = {nameOf.getLoc()};
  SmallVector<Attribute> kinds;
  for (OperatorOp op : match.operators) {
    llvm::append_range(kinds, op.getKinds());
    if (op != nameOf)
      locations.push_back(op.getLoc());
  }
  Location loc = FusedLoc::get(anchor.getContext(), locations);
  SmallVector<Value> inputs(root.getInputs());
  llvm::append_range(inputs, match.extraInputs);
  auto joined = OperatorOp::create(
      builder, loc, anchor.getOutput().getType(), builder.getArrayAttr(kinds),
      inputs, root.getWeight(), root.getBias(), root.getRunningMean(),
      root.getRunningVar(), QConfigAttr(), Attribute());

  Block &body = joined.getBody().emplaceBlock();
  for (Value operand : joined.getOperands())
    body.addArgument(operand.getType(), loc);
  builder.setInsertionPointToStart(&body);
  // What an operand of one of the operators is inside of the body.
  unsigned rootInputs = root.getInputs().size();
  unsigned extra = match.extraInputs.size();
  llvm::DenseMap<Value, Value> inside;
  for (auto [i, input] : llvm::enumerate(match.extraInputs))
    inside[input] = body.getArgument(rootInputs + i);
  for (OperatorOp op : match.operators) {
    IRMapping mapping;
    for (auto [i, argument] :
         llvm::enumerate(op.getBody().front().getArguments()))
      mapping.map(argument, op != root       ? inside.lookup(op.getOperand(i))
                            : i < rootInputs ? body.getArgument(i)
                                             : body.getArgument(i + extra));
    for (Operation &inner : op.getBody().front().without_terminator())
      builder.clone(inner, mapping);
    inside[op.getOutput()] = mapping.lookup(op.getYielded());
  }
  YieldOp::create(builder, loc, inside.lookup(anchor.getOutput()));
  anchor.replaceAllUsesWith(joined.getOutput());
  for (OperatorOp op : llvm::reverse(match.operators))
    op.erase();
  return joined;
}

/// The operators of `match` that `pattern` folds into others.
static SmallVector<OperatorOp> getFolded(PatternConfigOp pattern,
                                         const PatternMatch &match) {
  SmallVector<OperatorOp> folded;
  SmallVector<StringRef> fused = pattern.getFusedKinds();
  ArrayRef<StringRef> kept = fused;
  for (OperatorOp op : match.operators) {
    if (!kept.empty() && kept.front() == op.getKind().getKindName())
      kept = kept.drop_front();
    else
      folded.push_back(op);
  }
  return folded;
}

/// Applies `pattern` to the operators of `match`, and adds those that are
/// erased to `claimed`. If one of them can't be part of it, returns that one,
/// after a remark.
static OperatorOp applyPattern(PatternConfigOp pattern, PatternMatch match,
                               llvm::DenseSet<Operation *> &claimed) {
  SmallVector<OperatorOp> folded = getFolded(pattern, match);
  for (OperatorOp op : match.operators)
    if (op != match.root && !llvm::is_contained(folded, op) &&
        op->getNumOperands() != op.getInputs().size()) {
      remarkMissed(
          op, "QB110", op.getKindName(),
          "not fused: it has parameters of its own, " +
              match.root.getKindName() +
              " is the operator of the pattern that has them",
          "make it the root of the pattern",
          {RemarkNote::atConfiguration(pattern.getLoc(), "this pattern")});
      return op;
    }
  for (OperatorOp norm : folded) {
    auto producer = norm.getInputs()[0].getDefiningOp<OperatorOp>();
    std::array<Operation *, 2> oldOps = {norm, producer};
    OperatorOp result = foldBatchNorm(producer, norm, pattern.getLoc());
    if (!result)
      return norm;
    claimed.insert(oldOps.begin(), oldOps.end());
    llvm::erase(match.operators, norm);
    llvm::replace(match.operators, producer, result);
    if (match.root == producer)
      match.root = result;
  }
  claimed.insert(match.operators.begin(), match.operators.end());
  if (match.operators.size() > 1)
    join(match, pattern.isFusion() ? match.root : match.operators.back());
  return {};
}

/// Says that `anchor` stays alone since the result of `blocked`, which it is
/// one pattern with, is read elsewhere.
static void remarkOtherUsers(OperatorOp anchor, OperatorOp blocked,
                             PatternConfigOp pattern) {
  SmallVector<RemarkNote> notes = {
      RemarkNote::atConfiguration(pattern.getLoc(), "this pattern")};
  // In the order of the code, which that of the uses is not.
  Block *block = blocked->getBlock();
  SmallVector<std::pair<Operation *, Operation *>> users;
  for (Operation *user : blocked->getUsers())
    if (user != anchor)
      users.push_back({block->findAncestorOpInBlock(*user), user});
  llvm::stable_sort(users, [](const auto &a, const auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  users.erase(llvm::unique(users), users.end());
  for (auto [ancestor, user] : users)
    notes.push_back(RemarkNote::atCode(user->getLoc(), "another user"));
  remarkMissed(
      anchor, "QB101", blocked.getKindName() + "+" + anchor.getKindName(),
      "not fused: the result of " + blocked.getKindName() + " has other users",
      "give each user its own copy, or accept a quantization step "
      "between the two",
      notes);
}

/// Says which patterns the operators of `match` can't be of any more, since
/// `pattern`, which ends later, takes them.
static void remarkTaken(const PatternTable &patterns, PatternConfigOp pattern,
                        const PatternMatch &match, bool fusionsOnly) {
  for (OperatorOp op : ArrayRef(match.operators).drop_back())
    for (PatternConfigOp other :
         patterns.getFusions(op.getKind().getKindName())) {
      OperatorOp blocked;
      if (fusionsOnly && !other.isFusion())
        continue;
      std::optional<PatternMatch> lost = matchPatternConfig(op, other, blocked);
      // A longer pattern is what was asked for.
      if (!lost || lost->operators.size() < match.operators.size() ||
          llvm::all_of(lost->operators, [&](OperatorOp each) {
            return llvm::is_contained(match.operators, each);
          }))
        continue;
      remarkMissed(
          op, "QB113", llvm::join(other.getKinds(), "+"),
          "not fused: " + op.getKindName() + " is part of " +
              llvm::join(pattern.getKinds(), "+") + ", which ends later",
          "add a qbackend.pattern_config of all of them: longer patterns go "
          "first",
          {RemarkNote::atConfiguration(other.getLoc(), "not this pattern"),
           RemarkNote::atConfiguration(pattern.getLoc(), "but this one")});
      break;
    }
}

/// Says how the first pattern with all elements but one differs.
static void remarkNearMatch(OperatorOp anchor,
                            ArrayRef<PatternConfigOp> patterns) {
  for (PatternConfigOp pattern : patterns)
    if (std::optional<NearMatch> near = findNearMatch(anchor, pattern)) {
      remarkMissed(
          anchor, "QB112", llvm::join(pattern.getKinds(), "+"),
          "not fused: " + near->reason,
          "write the operators as the pattern has them, or add a "
          "qbackend.pattern_config of what there is",
          {RemarkNote::atConfiguration(pattern.getLoc(), "this pattern"),
           RemarkNote::atCode(near->place, "the difference")});
      return;
    }
}

/// The first operator of `match` whose result the network reshapes or
/// transposes before the next one reads it, though no such operator is left;
/// null if there is none. Without a weight only: PyTorch rounds a sum before
/// the movement, and a convolution with its relu afterwards has no rounding
/// between them.
static OperatorOp findMoved(const PatternMatch &match,
                            const MovedValues &moves) {
  if (!OperatorOp(match.root).getWeight())
    for (OperatorOp op : ArrayRef(match.operators).drop_back())
      if (moves.count(op.getOutput()) > 1)
        return op;
  return {};
}

/// Says that `anchor` stays alone: what `moved` gives comes to it in another
/// shape or layout.
static void remarkMoved(OperatorOp anchor, OperatorOp moved,
                        PatternConfigOp pattern) {
  remarkMissed(anchor, "QB112", llvm::join(pattern.getKinds(), "+"),
               "not fused: the network reshapes or transposes the result of " +
                   moved.getKindName() + " before " + anchor.getKindName(),
               "move what " + anchor.getKindName() + " gives instead",
               {RemarkNote::atConfiguration(pattern.getLoc(), "this pattern"),
                RemarkNote::atCode(moved.getLoc(), "this result")});
}

/// Says that the operators of `match` stay apart: `mapping` selects the root
/// and `other` by different entries.
static void remarkOtherEntry(const PatternMatch &match, OperatorOp other,
                             PatternConfigOp pattern,
                             QConfigMappingOp mapping) {
  OperatorOp root = match.root;
  remarkMissed(match.operators.back(), "QB112",
               llvm::join(pattern.getKinds(), "+"),
               "not fused: the qconfig mapping has different entries for " +
                   root.getKindName() + " and " + other.getKindName(),
               "select both by one entry, or by that of a module around them",
               {RemarkNote::atConfiguration(pattern.getLoc(), "this pattern"),
                RemarkNote::atConfiguration(mapping.getLoc(), "this mapping")});
}

/// Whether the patterns of `backend` are those of PyTorch's exported programs,
/// in which prepare_pt2e folds convolution and batch norm before it looks for
/// patterns.
static bool isForExportedPrograms(BackendConfigOp backend) {
  bool isFound = false;
  for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>())
    if (Attribute torch = pattern.getConfig().getTorch())
      torch.walk([&](StringAttr name) {
        isFound |= name.getValue().starts_with("torch.ops.");
      });
  return isFound;
}

namespace {
struct FusePass : qbackend::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
    if (!found)
      return signalPassFailure();
    PatternTable patterns(found->config, found->places);
    SmallVector<OperatorOp> operators;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      operators.push_back(op);
      return WalkResult::skip();
    });
    MovedValues moves(getOperation(), [](StringRef) { return true; });
    // What quantizes or corrects a weight changes the operand.
    for (OperatorOp op : operators)
      readOperands(op);
    BackendConfigOp backendOp = found->config;
    isExported = isForExportedPrograms(backendOp);
    for (OperatorOp op : operators) {
      if (!isa<BatchNormKindAttrInterface>(
              static_cast<Attribute>(op.getKind())) ||
          foldCancelledBatchNorm(op) || !isExported || op.isFused())
        continue;
      auto root = op.getInputs()[0].getDefiningOp<OperatorOp>();
      if (root && root->hasOneUse() && !root.isFused() &&
          root->getBlock() == op->getBlock() &&
          isa<ConvolutionKindAttrInterface>(
              static_cast<Attribute>(root.getKind())))
        foldBatchNorm(root, op, backendOp.getLoc());
    }
    // Quantizers of exported programs filter before they match, and a list of
    // backends is cut by its mappings.
    SmallVector<QConfigMappingOp> mappings;
    if (isExported || !found->mappings.empty()) {
      auto resolved = resolveQConfigs(qconfig, *found, getOperation());
      if (failed(resolved))
        return signalPassFailure();
      mappings = *std::move(resolved);
    }
    // PyTorch fuses modules first, and matches all patterns afterwards: linear,
    // batch norm, relu becomes linear, then linear+relu.
    // What can't be part of one pattern can't be of another.
    llvm::DenseSet<Operation *> refused;
    for (unsigned place = 0; place < std::max<size_t>(1, mappings.size());
         ++place)
      for (bool fusionsOnly : {true, false})
        fuse(patterns, *found, mappings, place, fusionsOnly, moves, refused);
  }

  /// The operators that those in front of the one at `place` in a list of
  /// backends leave to it, and that its mapping has a qconfig for.
  llvm::DenseSet<Operation *> findOwn(const PatternTable &patterns,
                                      const Backend &backend, unsigned place,
                                      const OperatorSelectors &operators,
                                      ArrayRef<QConfigTable> tables) {
    llvm::DenseSet<Operation *> own;
    auto selects = [&](unsigned i, OperatorOp op, StringRef kind) {
      QConfigOp entry = tables[i].lookup(op, kind, /*isFusion=*/false);
      return entry && entry.getConfig();
    };
    for (auto [operation, selector] : operators.getAll()) {
      auto op = cast<OperatorOp>(operation);
      std::string kind = op.getKindName();
      if (!op.isFused() && selects(place, op, kind) &&
          llvm::none_of(patterns.lookup(StringRef(kind)),
                        [&](PatternConfigOp pattern) {
                          unsigned other = backend.places.lookup(pattern);
                          return other < place && selects(other, op, kind);
                        }))
        own.insert(op);
    }
    return own;
  }

  void fuse(const PatternTable &patterns, const Backend &backend,
            ArrayRef<QConfigMappingOp> mappings, unsigned place,
            bool fusionsOnly, const MovedValues &moves,
            llvm::DenseSet<Operation *> &refused) {
    SmallVector<OperatorOp> anchors;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      anchors.push_back(op);
      return WalkResult::skip();
    });
    std::optional<TensorNames> names;
    std::optional<OperatorSelectors> operators;
    std::vector<QConfigTable> tables;
    if (!mappings.empty()) {
      names.emplace(getOperation());
      operators.emplace(getOperation(), *names);
      for (QConfigMappingOp mapping : mappings)
        tables.emplace_back(mapping, *operators);
    }
    bool isList = !backend.mappings.empty();
    llvm::DenseSet<Operation *> claimed, own;
    if (isList)
      own = findOwn(patterns, backend, place, *operators, tables);
    auto getEntry = [&](OperatorOp op) {
      return tables[place].lookupPlace(op, /*isFusion=*/false);
    };
    for (OperatorOp anchor : llvm::reverse(anchors)) {
      if (claimed.contains(anchor) || anchor.isFused())
        continue;
      OperatorOp blocked;
      PatternConfigOp blockedPattern;
      bool matched = false;
      ArrayRef<PatternConfigOp> candidates =
          patterns.getFusions(anchor.getKind().getKindName());
      for (PatternConfigOp pattern : candidates) {
        if ((fusionsOnly && !pattern.isFusion()) ||
            backend.places.lookup(pattern) != place)
          continue;
        OperatorOp culprit;
        std::optional<PatternMatch> match =
            matchPatternConfig(anchor, pattern, culprit);
        if (match && isList && !llvm::all_of(match->operators, [&](auto op) {
              return own.contains(op);
            }))
          continue;
        if (culprit) {
          blocked = culprit;
          blockedPattern = pattern;
        }
        if (!match)
          continue;
        matched = true;
        if (isExported) {
          QConfigOp entry = getEntry(match->root);
          auto other = llvm::find_if(match->operators, [&](OperatorOp op) {
            return getEntry(op) != entry;
          });
          if (other != match->operators.end()) {
            if (!fusionsOnly)
              remarkOtherEntry(*match, *other, pattern, mappings[place]);
            continue;
          }
        }
        if (llvm::any_of(match->operators,
                         [&](OperatorOp op) { return refused.contains(op); }))
          continue;
        if (OperatorOp moved = findMoved(*match, moves)) {
          if (!fusionsOnly)
            remarkMoved(anchor, moved, pattern);
          continue;
        }
        remarkTaken(patterns, pattern, *match, fusionsOnly);
        if (OperatorOp refusing =
                applyPattern(pattern, *std::move(match), claimed)) {
          refused.insert(refusing);
          continue;
        }
        blocked = {};
        break;
      }
      if (fusionsOnly)
        continue;
      if (blocked)
        remarkOtherUsers(anchor, blocked, blockedPattern);
      else if (!matched)
        remarkNearMatch(anchor, candidates);
    }
  }

  /// Whether the patterns are those of exported programs.
  bool isExported = false;
};
} // namespace
