// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by pattern, qconfig, types and limits which backend quantizes an
// operator.

#include "Observe/Decider.h"

#include "Import/ImportedObservers.h"
#include "Observe/EdgeSpecs.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Dialect/QBackend/QuantizedFields.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

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

//===----------------------------------------------------------------------===//
// Parts of a decision
//===----------------------------------------------------------------------===//

Decider::Decider(DictionaryAttr torchNames, const PatternTable &patterns,
                 const OperatorSelectors &operators,
                 ArrayRef<QConfigTable> qconfigs, const Backend &backend,
                 ArrayRef<QConfigMappingOp> mappings,
                 ArrayRef<std::string> keepFloat)
    : patterns(patterns), operators(operators), qconfigs(qconfigs),
      limits(backend.config), backend(backend.config), places(backend.places),
      torchNames(torchNames), mappings(mappings) {
  for (const std::string &name : keepFloat)
    kept.insert({name, false});
}

SmallVector<PatternConfigOp, 2> Decider::lookup(ArrayRef<StringRef> kinds,
                                                unsigned place) const {
  SmallVector<PatternConfigOp, 2> found(patterns.lookup(kinds));
  llvm::erase_if(found, [&](PatternConfigOp pattern) {
    return places.lookup(pattern) != place;
  });
  return found;
}

SmallVector<PatternConfigOp, 2>
Decider::findPatterns(OperatorOp op, SmallVectorImpl<StringRef> &kinds,
                      unsigned place) {
  SmallVector<PatternConfigOp, 2> candidates = lookup(kinds, place);
  // In PyTorch's code a shuffle is the movements that it is made of.
  if (candidates.empty() && isShuffle(op) && !lookup(kReshape, place).empty() &&
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

StringRef Decider::getBackendName(unsigned place) {
  QConfigMappingOp mapping = mappings[place];
  return mappings.size() > 1 ? mapping.getSymName() : backend.getSymName();
}

static Decision getDecision(PatternConfigOp pattern, QConfigAttr qconfig,
                            DTypeConfigAttr dtypes, ObservationType observation,
                            unsigned place) {
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

StringRef Decider::findKept(OperatorOp op) {
  if (kept.empty())
    return {};
  StringRef first;
  for (auto &[name, found] : kept)
    for (StringRef rest : operators.lookup(op).parts)
      if (rest.consume_front(name) && (rest.empty() || rest.starts_with("."))) {
        found = true;
        first = first.empty() ? StringRef(name) : first;
      }
  return first;
}

/// Parameters have to be known to be quantized, or to be a kernel's.
static std::optional<FloatReason> checkOperands(OperatorOp op) {
  for (auto [role, operand] :
       {std::pair<StringRef, Value>("weight", op.getWeight()),
        std::pair<StringRef, Value>("bias", op.getBias()),
        std::pair<StringRef, Value>("running mean", op.getRunningMean()),
        std::pair<StringRef, Value>("running variance", op.getRunningVar())}) {
    if (!operand || Decider::isKnown(operand))
      continue;
    return FloatReason{
        "QB106",
        ("its " + role + " is not a constant with data").str(),
        "bind it by name with weights=FILE.safetensors, or pass the trained "
        "parameters as dense constants",
        {RemarkNote::atCode(operand.getLoc(), "this is its " + role)}};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

SmallVector<Decision, 1> Decider::decide(OperatorOp op) {
  if (StringRef name = findKept(op); !name.empty()) {
    refuse(op, "QB104", "keep-float has '" + name + "'",
           "take it out of keep-float", {});
    return {};
  }
  SmallVector<Decision, 1> decisions;
  SmallVector<FloatReason, 1> refusals;
  SmallVector<std::string> called = getTorchNames(op, torchNames);
  bool anyPattern = false;
  for (unsigned place = 0; place < mappings.size(); ++place) {
    SmallVector<StringRef> kinds = getKindNames(op);
    SmallVector<PatternConfigOp, 2> candidates = findPatterns(op, kinds, place);
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
    for (const FloatReason &each : refusals)
      refuse(op, each.code, each.reason, each.suggestion, each.notes);
  return decisions;
}

std::optional<Decision>
Decider::decide(OperatorOp op, ArrayRef<StringRef> kinds,
                ArrayRef<PatternConfigOp> candidates, unsigned place,
                SmallVectorImpl<FloatReason> &refusals) {
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
  auto qconfigNote = RemarkNote::atConfiguration(entry.getLoc(), "its qconfig");
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
    DTypeConfigAttr dtypes = findDTypes(
        pattern.getConfig(), checked, bool(op.getWeight()), bool(op.getBias()));
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
      refuse(
          "QB126", violation.reason,
          "change the network, or let it compute this operator on floats",
          RemarkNote::atConfiguration(violation.limit.getLoc(), "this limit"));
    }
    if (isBeyond)
      return std::nullopt;
    std::string refusal = whyNotQuantizable(op, given);
    if (!refusal.empty())
      return refuse("QB107", refusal, "choose another qconfig for it, or none",
                    qconfigNote);
    if (std::optional<FloatReason> unknown = checkOperands(op)) {
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

void Decider::refuse(OperatorOp op, StringRef code, const Twine &reason,
                     const Twine &suggestion, ArrayRef<RemarkNote> notes) {
  op.setCode(code);
  remarkMissed(op, code, op.getKindName(), reason, suggestion, notes,
               operators.lookup(op).path);
}

LogicalResult Decider::verifyKept(ModuleOp module) const {
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

bool Decider::isKnown(Value parameter) {
  return hasFloats(parameter) || isQuantizedConstant(parameter) ||
         getQuantizedTable(parameter);
}
