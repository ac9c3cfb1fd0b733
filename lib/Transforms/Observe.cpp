// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes what the backends decide for (Observe/Decider.h), and observes its
// values (Observe/ObserverInserter.h).

#include "Import/ImportedObservers.h"
#include "Import/IntegerCode.h"
#include "Observe/AbsorbedFunctions.h"
#include "Observe/Decider.h"
#include "Observe/EdgeSpecs.h"
#include "Observe/InfiniteValues.h"
#include "Observe/ObserverInserter.h"
#include "Observe/Pieces.h"
#include "Observe/QuantizedSignature.h"

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Dialect/QBackend/Moves.h"
#include "qbackend/Dialect/QBackend/QuantizedFields.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace qbackend {
#define GEN_PASS_DEF_OBSERVEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct ObservePass : qbackend::impl::ObservePassBase<ObservePass> {
  using ObservePassBase::ObservePassBase;

  void runOnOperation() override {
    const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
    if (!found)
      return signalPassFailure();
    FailureOr<SmallVector<QConfigMappingOp>> mappings =
        resolveQConfigs(qconfig, *found, getOperation());
    if (failed(mappings))
      return signalPassFailure();
    if (failed(
            markQuantized(getOperation(), quantizedInputs, quantizedOutputs)))
      return signalPassFailure();
    if (failed(verifySharing(found->config)))
      return signalPassFailure();
    PatternTable patterns(found->config);
    TensorNames names(getOperation());
    OperatorSelectors operators(getOperation(), names);
    std::vector<QConfigTable> qconfigs;
    for (QConfigMappingOp mapping : *mappings)
      qconfigs.emplace_back(mapping, operators);
    auto torchNames =
        getOperation()->getAttrOfType<DictionaryAttr>(kTorchNamesAttrName);
    Decider decider(torchNames, patterns, operators, qconfigs, *found,
                    *mappings, keepFloat);
    llvm::Expected<func::FuncOp> network = findEntry(getOperation(), entry);
    if (!network && !entry.empty()) {
      emitError(getOperation().getLoc()) << llvm::toString(network.takeError());
      return signalPassFailure();
    }
    llvm::DenseSet<Operation *> reached;
    if (network)
      reached = getReachedFunctions(*network);
    else
      llvm::consumeError(network.takeError());
    ImportedObservers imported(getOperation());
    IntegerCode integers(getOperation());
    integers.remark();
    // What comes quantized is not quantized in other places, too.
    bool comesQuantized = !imported.empty() || integers.keepsQuantization();
    getOperation()->removeAttr(kRoundsAttrName);
    MovedValues moves(getOperation(), [&](StringRef kind) {
      return !patterns.lookup(kind).empty();
    });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (sharing == Sharing::FX)
        remarkAbsorbedFunctions(function);
      function->removeAttr(kMovesAttrName);
    }
    Decisions decisions;
    bool anyWeight = false, anyWeightKnown = false;
    InfiniteValues infinite(getOperation());
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      anyWeight |= bool(op.getWeight());
      anyWeightKnown |= op.getWeight() && Decider::isKnown(op.getWeight());
      // Modules that were observed before keep what they have.
      if (op.getQconfig())
        return WalkResult::skip();
      SmallVector<Decision, 1> taken = decider.decide(op);
      if (taken.empty())
        return WalkResult::skip();
      if (imported.empty() && isPieceOfUnrecognized(op)) {
        decider.refuse(
            op, "QB118", "it is part of a function that is not recognised",
            "see the remarks QB001 at what is before and after it", {});
        return WalkResult::skip();
      }
      if (!comesQuantized && isObserved(taken.front()))
        if (Value constant = findInfinity(op, infinite)) {
          decider.refuse(
              op, "QB123",
              "a constant makes its values infinite, or stands for it, and no "
              "scale holds that beside other numbers",
              "nothing, if they are what a softmax is to leave out; mask with "
              "a finite number of the size of the others to quantize it",
              RemarkNote::atCode(constant.getLoc(), "this constant"));
          return WalkResult::skip();
        }
      auto function = op->getParentOfType<func::FuncOp>();
      if (!comesQuantized && !reached.empty() && function &&
          !reached.contains(function))
        decider.refuse(op, "QB117",
                       "'" + network->getName() + "' doesn't call '" +
                           function.getName() +
                           "', so that nothing is known of its values",
                       "call it, or quantize it on its own with entry=" +
                           function.getName(),
                       {});
      else
        decisions.push_back({op, std::move(taken)});
      return WalkResult::skip();
    });
    bool ok = true;
    for (const QConfigTable &table : qconfigs)
      ok &= succeeded(table.verifySelectors(found->config));
    if (!ok || failed(decider.verifyKept(getOperation())))
      return signalPassFailure();
    // A module without its weights can't run, and integers between float
    // convolutions only lose precision.
    if (anyWeight && !anyWeightKnown) {
      for (auto &[op, taken] : decisions)
        decider.refuse(op, "QB109",
                       "no operator of the module has weights with data",
                       "export the module with its trained parameters", {});
      return;
    }
    for (auto &[op, taken] : decisions)
      setWeightSign(op, taken.front().qconfig.getWeight());
    if (comesQuantized)
      return keep(imported, decisions, decider);
    refuseMovesOfUnrecognized(decisions, decider);
    for (auto &[op, taken] : decisions)
      if (isObserved(taken.front()) &&
          observesNumber(op, torchNames, taken.front().pattern))
        makeNumberInput(op);
    ObserverInserter inserter(getOperation(), moves, sharing);
    // The places of the backends that have a pattern for an operator, and of
    // the one that quantizes it.
    llvm::DenseSet<std::pair<Operation *, unsigned>> candidates;
    llvm::DenseMap<Operation *, unsigned> places;
    for (auto &[op, taken] : decisions)
      for (const Decision &decision : taken)
        candidates.insert({op, decision.place});
    for (auto &[op, taken] : decisions) {
      SmallVector<FloatReason, 1> refusals;
      for (const Decision &decision : taken) {
        auto isQuantized = [&](OperatorOp producer) {
          return producer.getQconfig() &&
                 places.lookup(producer) <= decision.place;
        };
        auto hasPattern = [&](Operation *user) {
          return candidates.contains({user, decision.place});
        };
        if (std::optional<FloatReason> refusal = whyNotVisited(
                op, decision, isQuantized, hasPattern, inserter)) {
          refusals.push_back(std::move(*refusal));
          continue;
        }
        setWeightSign(op, decision.qconfig.getWeight());
        apply(op, decision);
        inserter.visit(op, decision);
        places[op] = decision.place;
        refusals.clear();
        break;
      }
      for (const FloatReason &each : refusals)
        decider.refuse(op, each.code, each.reason, each.suggestion, each.notes);
    }
    inserter.insert();
  }

private:
  /// Operators with what the backends of the list make of them.
  using Decisions =
      SmallVector<std::pair<OperatorOp, SmallVector<Decision, 1>>>;

  /// The specs of edges are groups.
  LogicalResult verifySharing(BackendConfigOp backend) {
    if (sharing == Sharing::Groups)
      return success();
    for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>())
      if (getEdges(pattern)) {
        InFlightDiagnostic diag =
            emitError(getOperation().getLoc())
            << "sharing=fx is for backends without 'edges', which '"
            << backend.getSymName() << "' has; leave it out";
        diag.attachNote(pattern.getLoc()) << "this pattern has them";
        return diag;
      }
    return success();
  }

  /// Takes what has nothing to gain from integers out of `decisions`.
  static void refuseMovesOfUnrecognized(Decisions &decisions,
                                        Decider &decider) {
    SmallVector<OperatorOp> statics;
    for (auto &[op, taken] : decisions)
      if (isObserved(taken.front()))
        statics.push_back(op);
    llvm::DenseSet<Operation *> moves = findMovesOfUnrecognized(statics);
    llvm::erase_if(decisions, [&](auto &each) {
      if (!moves.contains(each.first))
        return false;
      decider.refuse(each.first, "QB119",
                     "it only moves values of code that is not recognised",
                     "see the remarks QB001 at what is before and after it",
                     {});
      return true;
    });
  }

  /// What `decision` asks of the neighbours of `op` that they are not.
  static std::optional<FloatReason>
  whyNotVisited(OperatorOp op, const Decision &decision,
                llvm::function_ref<bool(OperatorOp)> isQuantized,
                llvm::function_ref<bool(Operation *)> hasPattern,
                ObserverInserter &inserter) {
    PatternConfigOp pattern = decision.pattern;
    std::string reason;
    if (decision.edges)
      reason = whyConditionFails(op, decision.edges, isQuantized, hasPattern);
    if (decision.edges && reason.empty())
      reason = inserter.whyNothingToShare(op, decision);
    if (!reason.empty())
      return FloatReason{
          "QB124",
          reason,
          "quantize its neighbours, too, or give the pattern an "
          "observer of its own",
          {RemarkNote::atConfiguration(pattern.getLoc(), "this pattern")}};
    if (!inserter.canVisit(op, decision))
      return FloatReason{
          "QB104",
          "its qconfig uses the observer of its input, which has "
          "none",
          "quantize what is before it, or give it a qconfig of "
          "its own",
          {}};
    return std::nullopt;
  }

  static bool isObserved(const Decision &decision) {
    return decision.quantized.getObservation() !=
           ObservationType::InputOutputNotObserved;
  }

  /// The constant by which a value that would be observed of `op` is infinite.
  static Value findInfinity(OperatorOp op, InfiniteValues &infinite) {
    for (Value input : op.getInputs())
      if (Value constant = infinite.lookup(input))
        return constant;
    return infinite.lookup(op.getOutput());
  }

  static void apply(OperatorOp op, const Decision &decision) {
    op.setQconfigAttr(decision.qconfig);
    op.setDecisionAttr(decision.quantized);
    if (RequantizationRuleAttr rule = getRequantizationRule(decision.pattern);
        rule &&
        getQuantizationMode(decision.qconfig) == QuantizationMode::Static)
      op->setAttr(kRequantizationAttrName, rule);
  }

  /// The same of one whose parameters the module came with.
  static void applyImported(OperatorOp op, Decision decision) {
    QuantizedFields fields(decision.quantized);
    fields.imported = true;
    decision.quantized = fields.get();
    apply(op, decision);
  }

  /// Quantizes what the module says is quantized, by its parameters.
  void keep(ImportedObservers &imported, const Decisions &decisions,
            Decider &decider) {
    llvm::MapVector<OperatorOp, QConfigAttr> integers;
    llvm::DenseMap<OperatorOp, Decision> byOperator;
    for (auto &[op, taken] : decisions) {
      const Decision &decision = taken.front();
      if (getQuantizationMode(decision.qconfig) == QuantizationMode::Static) {
        integers.insert({op, decision.qconfig});
        byOperator.insert({op, decision});
      } else {
        apply(op, decision);
      }
    }
    TensorNames names(getOperation());
    imported.insert(integers, names);
    for (auto [op, qconfig] : integers) {
      std::string reason = ImportedObservers::whyNotObserved(op);
      if (!reason.empty())
        decider.refuse(op, "QB141", reason,
                       "quantize it in the module, too, or export the module "
                       "without quantization",
                       {});
      else if (reason = imported.whyNoKernel(op); !reason.empty())
        decider.refuse(op, "QB108", reason,
                       "give its weight or its result another range in the "
                       "module",
                       {});
      else if (size_t count = imported.countUnrepresentableBiases(op))
        decider.refuse(op, "QB146",
                       std::to_string(count) +
                           " numbers of its bias have no integer of 32 bits at "
                           "the scale of its input times that of its weight",
                       "give its weight a wider range in the module", {});
      else
        applyImported(op, byOperator.find(op)->second);
    }
  }
};
} // namespace
