// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators are quantized, and which values are observed by what.
//
// PyTorch's FX rules, but for sharing, which is a union-find to a fixed point
// as in PT2E: an operator whose output shares its input's observer always ends
// up with one observer on all of them.

#include "ImportedObservers.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/Patterns.h"
#include "qbackend/Transforms/QuantizeWeights.h"
#include "qbackend/Transforms/Remarks.h"
#include "qbackend/Transforms/Support.h"
#include "qbackend/Transforms/TensorNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace qbackend {
#define GEN_PASS_DEF_OBSERVEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// What is quantized
//===----------------------------------------------------------------------===//

namespace {
/// An operator that will be quantized.
struct Verdict {
  QConfigAttr qconfig;
  ObservationType observation;
};

/// Decides for each operator, and says why not.
class Decider {
public:
  Decider(const PatternTable &patterns, QConfigTable &qconfigs,
          StringRef backend)
      : patterns(patterns), qconfigs(qconfigs), backend(backend) {}

  std::optional<Verdict> decide(OperatorOp op) {
    SmallVector<StringRef> kinds = getKindNames(op);
    ArrayRef<PatternConfigOp> candidates = patterns.lookup(kinds);
    // A fused module inherits from its first part, a sequence is anchored at
    // its last one.
    bool fused = llvm::any_of(
        candidates, [](PatternConfigOp pattern) { return pattern.isFusion(); });
    QConfigOp entry = qconfigs.lookup(op, fused ? kinds.front() : kinds.back());
    std::string name = op.getKindName();
    if (candidates.empty()) {
      remarkMissed(op.getLoc(), "QB103", name,
                   "backend '" + backend + "' has no pattern for it",
                   "add a qbackend.pattern_config to the backend");
      return std::nullopt;
    }
    if (!entry || !entry.getConfig()) {
      remarkMissed(op.getLoc(), "QB104", name,
                   entry ? "its qconfig is none" : "it has no qconfig",
                   "change the qconfig mapping");
      return std::nullopt;
    }
    QConfigAttr qconfig = *entry.getConfig();
    // Spellings of one pattern have the same reasons.
    SmallVector<std::string, 2> reasons;
    // A weight that came as integers has to fit like one that would be
    // observed.
    QConfigAttr checked = qconfig;
    if (ObserverAttr weight = getImportedWeightObserver(op, qconfig))
      checked =
          QConfigAttr::get(op.getContext(), qconfig.getActivation(), weight);
    for (PatternConfigOp pattern : candidates) {
      std::string reason =
          whyUnsupported(pattern.getConfig(), checked, bool(op.getWeight()),
                         bool(op.getBias()));
      if (!reason.empty()) {
        if (!llvm::is_contained(reasons, reason))
          reasons.push_back(reason);
        continue;
      }
      std::string refusal = whyNotQuantizable(op, qconfig);
      if (!refusal.empty()) {
        remarkMissed(op.getLoc(), "QB107", name, refusal,
                     "choose another qconfig for it, or none");
        return std::nullopt;
      }
      if (!checkOperands(op, name))
        return std::nullopt;
      // Only integers from calibration need observers.
      if (getQuantizationMode(qconfig) != QuantizationMode::Static)
        return Verdict{qconfig, ObservationType::InputOutputNotObserved};
      unsigned tensors = op.getRootInputs().size();
      std::optional<ObservationType> observation =
          pattern.getConfig().getObservationFor(tensors);
      if (!observation) {
        remarkMissed(op.getLoc(), "QB111", name,
                     "num_tensor_args_to_observation_type of its pattern has "
                     "no entry for " +
                         Twine(tensors) + " tensors",
                     "add the entry to the qbackend.pattern_config");
        return std::nullopt;
      }
      return Verdict{qconfig, *observation};
    }
    remarkMissed(op.getLoc(), "QB105", name,
                 "backend '" + backend + "' does not support its qconfig" +
                     (checked == qconfig
                          ? ""
                          : " with the weight that the module comes with") +
                     ": " + llvm::join(reasons, "; "),
                 "choose another qconfig");
    return std::nullopt;
  }

  /// True if `parameter` is a constant with data.
  static bool isKnown(Value parameter) {
    ElementsAttr elements;
    return (matchPattern(parameter, m_Constant(&elements)) &&
            readFloats(elements)) ||
           isQuantizedConstant(parameter) || getQuantizedTable(parameter);
  }

private:
  /// Parameters have to be known to be quantized, or to be a kernel's.
  static bool checkOperands(OperatorOp op, StringRef name) {
    for (auto [role, operand] :
         {std::pair<StringRef, Value>("weight", op.getWeight()),
          std::pair<StringRef, Value>("bias", op.getBias()),
          std::pair<StringRef, Value>("running mean", op.getRunningMean()),
          std::pair<StringRef, Value>("running variance",
                                      op.getRunningVar())}) {
      if (!operand || isKnown(operand))
        continue;
      remarkMissed(op.getLoc(), "QB106", name,
                   "its " + role + " is not a constant with data",
                   "pass the trained parameters as dense constants, not as "
                   "arguments or elided resources");
      return false;
    }
    return true;
  }

  const PatternTable &patterns;
  QConfigTable &qconfigs;
  StringRef backend;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is observed
//===----------------------------------------------------------------------===//

namespace {
/// One value seen by one observer.
struct Observation {
  Value value;
  ObserverAttr config;
  /// The operands that read the observed value; all of them, if the value is
  /// the result of a quantized operator.
  SmallVector<OpOperand *> users;
  bool isOutput;
};

class ObserverInserter {
public:
  ObserverInserter(ModuleOp module, ObserverAttr globalActivation)
      : module(module), globalActivation(globalActivation), names(module) {}

  /// Adds the observations of `op`, whose producers were visited before.
  void visit(OperatorOp op, const Verdict &verdict) {
    ObserverAttr activation = verdict.qconfig.getActivation();
    if (verdict.observation == ObservationType::InputOutputNotObserved)
      return;
    // Fixed parameters are those of the result; the input has its own range.
    ObserverAttr inputConfig = activation;
    if (activation.getKind() == ObserverKind::FixedQParams && globalActivation)
      inputConfig = globalActivation;
    SmallVector<unsigned> inputs;
    for (OpOperand &operand : op.getInputsMutable())
      inputs.push_back(observeInput(operand, inputConfig));
    unsigned output = add(op.getOutput(), activation, /*isOutput=*/true);
    if (verdict.observation == ObservationType::OutputShareObserverWithInput)
      for (unsigned input : inputs)
        shared.push_back({inputs.front(), input}),
            shared.push_back({inputs.front(), output});
  }

  void insert() {
    llvm::IntEqClasses classes(observations.size());
    for (auto [a, b] : shared)
      classes.join(a, b);
    // Like PyTorch, the first input of what shares says how all are observed.
    llvm::SmallDenseMap<unsigned, unsigned> fronts;
    for (auto [a, b] : shared)
      fronts.try_emplace(classes.findLeader(a), a);
    // Symbols in the order of the values; one for each class.
    llvm::SmallDenseMap<unsigned, FlatSymbolRefAttr> symbols;
    SymbolTable table(module);
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (auto [i, observation] : llvm::enumerate(observations)) {
      unsigned leader = classes.findLeader(i);
      FlatSymbolRefAttr &symbol = symbols[leader];
      if (!symbol) {
        auto front = fronts.find(leader);
        unsigned source = front == fronts.end() ? i : front->second;
        auto observer = ObserverOp::create(
            builder, observation.value.getLoc(),
            names.lookup(observation.value).name, observations[source].config,
            FloatAttr(), FloatAttr(), FloatAttr(), IntegerAttr());
        table.insert(observer, builder.getInsertionPoint());
        symbol = FlatSymbolRefAttr::get(observer.getSymNameAttr());
      }
      insertObserve(observation, symbol);
    }
  }

private:
  unsigned add(Value value, ObserverAttr config, bool isOutput) {
    observations.push_back({value, config, {}, isOutput});
    byValue[value].push_back(observations.size() - 1);
    return observations.size() - 1;
  }

  /// The observation by which `operand` is quantized: its producer's if the
  /// dtype is the same, another user's if kind and dtype are, or a new one.
  unsigned observeInput(OpOperand &operand, ObserverAttr config) {
    for (unsigned known : byValue[operand.get()]) {
      Observation &observation = observations[known];
      if (observation.config.getDtype() == config.getDtype() &&
          (observation.isOutput ||
           observation.config.getKind() == config.getKind())) {
        observation.users.push_back(&operand);
        return known;
      }
    }
    unsigned added = add(operand.get(), config, /*isOutput=*/false);
    observations[added].users.push_back(&operand);
    return added;
  }

  static void insertObserve(Observation &observation,
                            FlatSymbolRefAttr symbol) {
    // An operand reads its producer's observer by now: it is observed again.
    Value value = observation.isOutput ? observation.value
                                       : observation.users.front()->get();
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto observe = ObserveOp::create(builder, observation.value.getLoc(),
                                     value.getType(), value, symbol);
    if (observation.isOutput) {
      value.replaceAllUsesExcept(observe.getOutput(), observe);
      return;
    }
    for (OpOperand *user : observation.users)
      user->set(observe.getOutput());
  }

  ModuleOp module;
  ObserverAttr globalActivation;
  SmallVector<Observation> observations;
  llvm::DenseMap<Value, SmallVector<unsigned, 1>> byValue;
  SmallVector<std::pair<unsigned, unsigned>> shared;
  TensorNames names;
};

struct ObservePass : qbackend::impl::ObservePassBase<ObservePass> {
  using ObservePassBase::ObservePassBase;

  void runOnOperation() override {
    FailureOr<Backend> found = resolveBackend(backend, getOperation());
    if (failed(found))
      return signalPassFailure();
    FailureOr<QConfigMappingOp> mapping =
        resolveQConfig(qconfig, found->config, getOperation());
    if (failed(mapping))
      return signalPassFailure();
    PatternTable patterns(found->config);
    QConfigTable qconfigs(*mapping);
    Decider decider(patterns, qconfigs, found->config.getSymName());
    ImportedObservers imported(getOperation());
    SmallVector<std::pair<OperatorOp, Verdict>> verdicts;
    bool anyWeight = false, anyWeightKnown = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      anyWeight |= bool(op.getWeight());
      anyWeightKnown |= op.getWeight() && Decider::isKnown(op.getWeight());
      // Modules that were observed before keep what they have.
      if (op.getQconfig())
        return WalkResult::skip();
      if (std::optional<Verdict> verdict = decider.decide(op))
        verdicts.push_back({op, *verdict});
      return WalkResult::skip();
    });
    if (failed(qconfigs.verifySelectors(found->config)))
      return signalPassFailure();
    // A module without its weights can't run, and integers between real-valued
    // convolutions only lose precision.
    if (anyWeight && !anyWeightKnown) {
      for (auto &[op, verdict] : verdicts)
        remarkMissed(op.getLoc(), "QB109", op.getKindName(),
                     "no operator of the module has weights with data",
                     "export the module with its trained parameters");
      return;
    }
    for (auto &[op, verdict] : verdicts)
      setWeightSign(op, verdict.qconfig.getWeight());
    if (!imported.empty())
      return keep(imported, verdicts);
    ObserverInserter inserter(getOperation(), qconfigs.getGlobalActivation());
    for (auto &[op, verdict] : verdicts) {
      op.setQconfigAttr(verdict.qconfig);
      inserter.visit(op, verdict);
    }
    inserter.insert();
  }

  /// Quantizes what the module says is quantized, by its parameters.
  void keep(ImportedObservers &imported,
            ArrayRef<std::pair<OperatorOp, Verdict>> verdicts) {
    llvm::MapVector<OperatorOp, QConfigAttr> integers;
    for (auto [op, verdict] : verdicts)
      if (getQuantizationMode(verdict.qconfig) == QuantizationMode::Static)
        integers.insert({op, verdict.qconfig});
      else
        op.setQconfigAttr(verdict.qconfig);
    TensorNames names(getOperation());
    imported.insert(integers, names);
    for (auto [op, qconfig] : integers) {
      std::string reason = ImportedObservers::whyNotObserved(op);
      if (reason.empty())
        op.setQconfigAttr(qconfig);
      else
        remarkMissed(op.getLoc(), "QB141", op.getKindName(), reason,
                     "quantize it in the module, too, or export the module "
                     "without quantization");
    }
  }
};
} // namespace
