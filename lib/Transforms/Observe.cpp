// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators are quantized, and which values are observed by what.

#include "Import/ImportedObservers.h"
#include "Import/IntegerCode.h"
#include "Observe/EdgeSpecs.h"
#include "Observe/InfiniteValues.h"
#include "Observe/ObserverInserter.h"
#include "Observe/Pieces.h"
#include "Observe/QuantizedSignature.h"

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Dialect/QBackend/Moves.h"
#include "qbackend/Dialect/QBackend/QuantizedFields.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/Analysis/Limits.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace qbackend {
#define GEN_PASS_DEF_OBSERVEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// What is quantized
//===----------------------------------------------------------------------===//

/// The kinds of the operators that a shuffle is made of.
static constexpr StringRef kReshape[] = {"reshape"},
                           kTranspose[] = {"transpose"};
/// What a view may be, too.
static constexpr StringRef kFlatten[] = {"flatten"};
/// What configurations call a lookup of rows and the sum of each bag together.
static constexpr StringRef kEmbeddingBag[] = {"embedding_bag"};

/// Whether `op` is a reshape, a transpose and a reshape, which have one name
/// together.
static bool isShuffle(OperatorOp op) {
  return !op.isFused() &&
         isa<ChannelShuffleAttr, PixelShuffleAttr, PixelUnshuffleAttr>(
             op.getKind());
}

/// Whether `op` looks rows up of which each bag is summed or averaged, and
/// nothing else reads them: PyTorch's EmbeddingBag, or an Embedding and that.
static bool isEmbeddingBag(OperatorOp op) {
  if (op.isFused() || !isa<EmbeddingAttr>(op.getKind()) ||
      !op.getOutput().hasOneUse())
    return false;
  auto reader = dyn_cast<OperatorOp>(*op.getOutput().user_begin());
  if (!reader || reader.isFused())
    return false;
  int64_t rows = cast<RankedTensorType>(op.getOutput().getType()).getRank() - 2;
  auto reduces = [&](auto kind) {
    return kind && kind.getAxes().asArrayRef() == ArrayRef<int64_t>{rows};
  };
  return reduces(dyn_cast<SumAttr>(reader.getKind())) ||
         reduces(dyn_cast<MeanAttr>(reader.getKind()));
}

namespace {
/// Why an operator stays float.
struct Refusal {
  StringRef code;
  std::string reason, suggestion;
  SmallVector<RemarkNote, 3> notes;
};

/// Decides for each operator, and says why not.
class Decider {
public:
  Decider(DictionaryAttr torchNames, const PatternTable &patterns,
          const OperatorSelectors &operators, ArrayRef<QConfigTable> qconfigs,
          const Backend &backend, ArrayRef<QConfigMappingOp> mappings,
          ArrayRef<std::string> keepFloat)
      : patterns(patterns), operators(operators), qconfigs(qconfigs),
        limits(backend.config), backend(backend.config), places(backend.places),
        torchNames(torchNames), mappings(mappings) {
    for (const std::string &name : keepFloat)
      kept.insert({name, false});
  }

  /// What each backend of the list that takes `op` makes of it; if none does,
  /// all reasons are said.
  SmallVector<Decision, 1> decide(OperatorOp op) {
    if (StringRef name = findKept(op); !name.empty()) {
      refuse(op, "QB104", "keep-float has '" + name + "'",
             "take it out of keep-float", {});
      return {};
    }
    SmallVector<Decision, 1> decisions;
    SmallVector<Refusal, 1> refusals;
    SmallVector<std::string> called = getTorchNames(op, torchNames);
    bool anyPattern = false;
    for (unsigned place = 0; place < mappings.size(); ++place) {
      SmallVector<StringRef> kinds = getKindNames(op);
      SmallVector<PatternConfigOp, 2> candidates =
          findPatterns(op, kinds, place);
      // A view that flattens is a flatten, and a flatten that doesn't a
      // reshape, unless the pattern goes by PyTorch's names.
      if (!called.empty() && !op.isFused() &&
          isa<ReshapeAttr, FlattenAttr>(op.getKind()))
        llvm::copy_if(
            lookup(isa<FlattenAttr>(op.getKind()) ? kReshape : kFlatten, place),
            std::back_inserter(candidates), [](PatternConfigOp pattern) {
              EdgesAttr edges = getEdges(pattern);
              return edges && edges.has(EdgeCondition::Spelled);
            });
      if (candidates.empty())
        continue;
      anyPattern = true;
      PatternConfigOp first = candidates.front();
      llvm::erase_if(candidates, [&](PatternConfigOp pattern) {
        return !isSpelled(called, pattern);
      });
      if (candidates.empty()) {
        refusals.push_back(
            {"QB103",
             "the network calls it otherwise than its pattern's 'torch'",
             "add a pattern with that name, or one without 'spelled'",
             {RemarkNote::atConfiguration(first.getLoc(), "this pattern")}});
        continue;
      }
      if (std::optional<Decision> decision =
              decide(op, kinds, candidates, place, refusals))
        decisions.push_back(*decision);
    }
    if (!anyPattern)
      refuse(op, "QB103",
             "backend '" + backend.getSymName() + "' has no pattern for it",
             "add a qbackend.pattern_config to the backend",
             RemarkNote::atConfiguration(backend.getLoc(), "this backend"));
    else if (decisions.empty())
      for (const Refusal &each : refusals)
        refuse(op, each.code, each.reason, each.suggestion, each.notes);
    return decisions;
  }

  /// What the backend at `place` makes of `op`, of which `candidates` are its
  /// patterns; adds why it leaves it to `refusals`.
  std::optional<Decision> decide(OperatorOp op, ArrayRef<StringRef> kinds,
                                 ArrayRef<PatternConfigOp> candidates,
                                 unsigned place,
                                 SmallVectorImpl<Refusal> &refusals) {
    auto refuse = [&](StringRef code, const Twine &reason,
                      const Twine &suggestion, ArrayRef<RemarkNote> notes) {
      refusals.push_back({code, reason.str(), suggestion.str(),
                          SmallVector<RemarkNote, 3>(notes)});
      return std::nullopt;
    };
    bool fused = llvm::any_of(
        candidates, [](PatternConfigOp pattern) { return pattern.isFusion(); });
    QConfigOp entry = qconfigs[place].lookup(op, kinds, fused);
    QConfigMappingOp mapping = mappings[place];
    if (!entry || !entry.getConfig())
      return refuse(
          "QB104", entry ? "its qconfig is none" : "it has no qconfig",
          "change the qconfig mapping",
          entry ? RemarkNote::atConfiguration(entry.getLoc(), "this entry")
                : RemarkNote::atConfiguration(mapping.getLoc(),
                                              "no entry of this mapping fits"));
    QConfigAttr qconfig = *entry.getConfig();
    auto qconfigNote =
        RemarkNote::atConfiguration(entry.getLoc(), "its qconfig");
    // Spellings of one pattern have the same reasons.
    SmallVector<std::string, 2> reasons;
    SmallVector<RemarkNote, 3> notes = {qconfigNote};
    // A weight that came as integers has to fit like one that would be
    // observed.
    ObserverAttr imported = getImportedWeightObserver(op, qconfig);
    for (PatternConfigOp pattern : candidates) {
      EdgesAttr edges = getEdges(pattern);
      QConfigAttr checked = getChosenQConfig(pattern, qconfig);
      ObserverAttr activation = checked.getActivation();
      // The operator has the observers of its weight and of its result.
      QConfigAttr given = QConfigAttr::get(
          op.getContext(),
          getObserver(edges ? edges.getOutput() : SpecAttr(), activation),
          checked.getWeight());
      if (imported)
        checked = QConfigAttr::get(op.getContext(), activation, imported);
      DTypeConfigAttr dtypes =
          findDTypes(pattern.getConfig(), checked, bool(op.getWeight()),
                     bool(op.getBias()));
      if (!dtypes) {
        std::string reason =
            whyUnsupported(pattern.getConfig(), checked, bool(op.getWeight()),
                           bool(op.getBias()));
        if (!llvm::is_contained(reasons, reason)) {
          reasons.push_back(reason);
          notes.push_back(RemarkNote::atConfiguration(
              pattern.getLoc(), "the dtype configs of this pattern"));
        }
        continue;
      }
      if (edges && op.getWeight() && !edges.getWeight())
        return refuse(
            "QB111", "the edges of its pattern have no weight",
            "add weight = own to them",
            RemarkNote::atConfiguration(pattern.getLoc(), "this pattern"));
      bool isBeyond = false;
      for (LimitViolation &violation : limits.findViolations(op)) {
        if (places.lookup(violation.limit) != place)
          continue;
        isBeyond = true;
        refuse("QB126", violation.reason,
               "change the network, or let it compute this operator on floats",
               RemarkNote::atConfiguration(violation.limit.getLoc(),
                                           "this limit"));
      }
      if (isBeyond)
        return std::nullopt;
      std::string refusal = whyNotQuantizable(op, given);
      if (!refusal.empty())
        return refuse("QB107", refusal,
                      "choose another qconfig for it, or none", qconfigNote);
      if (std::optional<Refusal> unknown = checkOperands(op)) {
        refusals.push_back(*unknown);
        return std::nullopt;
      }
      // Only integers from calibration need observers.
      if (getQuantizationMode(given) != QuantizationMode::Static)
        return getDecision(pattern, given, dtypes,
                           ObservationType::InputOutputNotObserved, place);
      unsigned tensors = op.getRootInputs().size();
      std::optional<ObservationType> observation =
          getObservationFor(pattern, tensors);
      if (!observation)
        return refuse(
            "QB111",
            "num_tensor_args_to_observation_type of its pattern has no "
            "entry for " +
                Twine(tensors) + " tensors",
            "add the entry to the qbackend.pattern_config",
            RemarkNote::atConfiguration(pattern.getLoc(), "this pattern"));
      Decision decision =
          getDecision(pattern, given, dtypes, *observation, place);
      decision.edges = edges;
      decision.activation = activation;
      // Fixed parameters are those of the result; the input has its own range.
      // What shares has them on both.
      ObserverAttr global = qconfigs[place].getGlobalActivation();
      if (!edges && global &&
          activation.getKind() == ObserverKind::FixedQParams &&
          observation != ObservationType::OutputShareObserverWithInput)
        decision.activation = global;
      return decision;
    }
    bool isImported = imported && imported != qconfig.getWeight();
    return refuse(
        "QB105",
        "backend '" + getBackendName(place) + "' does not support its qconfig" +
            (isImported ? " with the weight that the module comes with" : "") +
            ": " + llvm::join(reasons, "; "),
        "choose another qconfig", notes);
  }

  /// Says at `op` why it stays float, and keeps the code of it there.
  void refuse(OperatorOp op, StringRef code, const Twine &reason,
              const Twine &suggestion, ArrayRef<RemarkNote> notes) {
    op.setCode(code);
    remarkMissed(op, code, op.getKindName(), reason, suggestion, notes,
                 operators.lookup(op).path);
  }

  /// Fails, and says so, for each name of keep-float that no operator has that
  /// was decided on.
  LogicalResult verifyKept(ModuleOp module) const {
    bool ok = true;
    for (const auto &[name, found] : kept) {
      if (found)
        continue;
      InFlightDiagnostic error = emitError(module.getLoc())
                                 << "keep-float has '" << name
                                 << "', which is no operator's name";
      qconfigs.front().listNearestNames(error, name);
      ok = false;
    }
    return success(ok);
  }

  /// True if `parameter` is a constant with data.
  static bool isKnown(Value parameter) {
    return hasFloats(parameter) || isQuantizedConstant(parameter) ||
           getQuantizedTable(parameter);
  }

private:
  /// The patterns of the backend at `place` that are of `kinds`.
  SmallVector<PatternConfigOp, 2> lookup(ArrayRef<StringRef> kinds,
                                         unsigned place) const {
    SmallVector<PatternConfigOp, 2> found(patterns.lookup(kinds));
    llvm::erase_if(found, [&](PatternConfigOp pattern) {
      return places.lookup(pattern) != place;
    });
    return found;
  }

  /// The patterns of the backend at `place` that may be that of `op`; `kinds`,
  /// those of `op`, become those of its spelling that has them.
  SmallVector<PatternConfigOp, 2>
  findPatterns(OperatorOp op, SmallVectorImpl<StringRef> &kinds,
               unsigned place) {
    SmallVector<PatternConfigOp, 2> candidates = lookup(kinds, place);
    // In PyTorch's code a shuffle is the movements that it is made of.
    if (candidates.empty() && isShuffle(op) &&
        !lookup(kReshape, place).empty() &&
        !lookup(kTranspose, place).empty()) {
      candidates = lookup(kReshape, place);
      kinds.assign(std::begin(kReshape), std::end(kReshape));
    }
    // A table is a bag's where the mapping has an entry for bags alone.
    const QConfigTable &table = qconfigs[place];
    if (table.selectsKind(kEmbeddingBag[0]) &&
        !table.selectsKind(kinds.front()) && isEmbeddingBag(op) &&
        !lookup(kEmbeddingBag, place).empty()) {
      candidates = lookup(kEmbeddingBag, place);
      kinds.assign(std::begin(kEmbeddingBag), std::end(kEmbeddingBag));
    }
    return candidates;
  }

  /// What messages call the backend at `place`: of a list, that has the name of
  /// its mapping.
  StringRef getBackendName(unsigned place) {
    QConfigMappingOp mapping = mappings[place];
    return mappings.size() > 1 ? mapping.getSymName() : backend.getSymName();
  }

  static Decision getDecision(PatternConfigOp pattern, QConfigAttr qconfig,
                              DTypeConfigAttr dtypes,
                              ObservationType observation, unsigned place) {
    QuantizedFields fields(pattern.getTree(), dtypes);
    fields.observation = observation;
    fields.reference = pattern.getConfig().getReference();
    return {qconfig,
            fields.get(),
            /*edges=*/EdgesAttr(),
            /*activation=*/ObserverAttr(),
            pattern,
            place};
  }

  /// The name in keep-float of `op`, of a part of it, or of a module that one
  /// of them is in; empty if there is none.
  StringRef findKept(OperatorOp op) {
    if (kept.empty())
      return {};
    StringRef first;
    for (auto &[name, found] : kept)
      for (StringRef rest : operators.lookup(op).parts)
        if (rest.consume_front(name) &&
            (rest.empty() || rest.starts_with("."))) {
          found = true;
          first = first.empty() ? StringRef(name) : first;
        }
    return first;
  }

  /// Parameters have to be known to be quantized, or to be a kernel's.
  static std::optional<Refusal> checkOperands(OperatorOp op) {
    for (auto [role, operand] :
         {std::pair<StringRef, Value>("weight", op.getWeight()),
          std::pair<StringRef, Value>("bias", op.getBias()),
          std::pair<StringRef, Value>("running mean", op.getRunningMean()),
          std::pair<StringRef, Value>("running variance",
                                      op.getRunningVar())}) {
      if (!operand || isKnown(operand))
        continue;
      return Refusal{
          "QB106",
          ("its " + role + " is not a constant with data").str(),
          "bind it by name with weights=FILE.safetensors, or pass the trained "
          "parameters as dense constants",
          {RemarkNote::atCode(operand.getLoc(), "this is its " + role)}};
    }
    return std::nullopt;
  }

  const PatternTable &patterns;
  const OperatorSelectors &operators;
  /// Of each backend of the list.
  ArrayRef<QConfigTable> qconfigs;
  LimitTable limits;
  BackendConfigOp backend;
  const llvm::DenseMap<Operation *, unsigned> &places;
  DictionaryAttr torchNames;
  ArrayRef<QConfigMappingOp> mappings;
  /// The names of keep-float, and whether an operator has them.
  std::map<std::string, bool> kept;
};
} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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
    for (auto function : getOperation().getOps<func::FuncOp>())
      function->removeAttr(kMovesAttrName);
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
      SmallVector<Refusal, 1> refusals;
      for (const Decision &decision : taken) {
        auto isQuantized = [&](OperatorOp producer) {
          return producer.getQconfig() &&
                 places.lookup(producer) <= decision.place;
        };
        auto hasPattern = [&](Operation *user) {
          return candidates.contains({user, decision.place});
        };
        if (std::optional<Refusal> refusal = whyNotVisited(
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
      for (const Refusal &each : refusals)
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
  static std::optional<Refusal>
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
      return Refusal{
          "QB124",
          reason,
          "quantize its neighbours, too, or give the pattern an "
          "observer of its own",
          {RemarkNote::atConfiguration(pattern.getLoc(), "this pattern")}};
    if (!inserter.canVisit(op, decision))
      return Refusal{"QB104",
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
