// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which engine a backend is for, and what all have in common.

#include "qbackend/Transforms/Engine.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

const EngineDialectInterface *qbackend::getEngine(Operation *op) {
  Dialect *dialect = op->getDialect();
  return dialect ? dialect->getRegisteredInterface<EngineDialectInterface>()
                 : nullptr;
}

int64_t qbackend::countKernelMultiplyAccumulates(Operation *op,
                                                 ValueRange parameters) {
  const EngineDialectInterface *engine = getEngine(op);
  WeightUse use = engine ? engine->getWeightUse(op) : WeightUse::PerResult;
  for (Value parameter : parameters) {
    auto type = dyn_cast<RankedTensorType>(parameter.getType());
    if (!type || type.getRank() < 2 ||
        !isa<quant::QuantizedType>(type.getElementType()))
      continue;
    if (use == WeightUse::Lookup)
      return 0;
    bool perInput = use == WeightUse::PerInput;
    auto meets = dyn_cast<RankedTensorType>(
        (perInput ? op->getOperand(0) : op->getResult(0)).getType());
    if (!meets || meets.getRank() == 0)
      return 0;
    int64_t channels = perInput ? meets.getShape().back() : type.getDimSize(0);
    return channels > 0
               ? multiplyCounts(countElements(meets.getShape()),
                                countElements(type.getShape()) / channels)
               : 0;
  }
  return 0;
}

quant::UniformQuantizedType
qbackend::getSharedResultParameters(OperatorKindAttrInterface kind,
                                    quant::UniformQuantizedType input) {
  auto add = dyn_cast<AddAttr>(kind);
  if (add && add.getScalar())
    return qnnpack::getAddScalarResultType(input,
                                           add.getScalar().getValueAsDouble());
  auto mul = dyn_cast<MulAttr>(kind);
  if (mul && mul.getScalar())
    return qnnpack::getMulScalarResultType(input,
                                           mul.getScalar().getValueAsDouble());
  return input;
}

quant::UniformQuantizedType EngineDialectInterface::getSharedResult(
    OperatorKindAttrInterface kind, quant::UniformQuantizedType input) const {
  return getSharedResultParameters(kind, input);
}

SmallVector<const EngineDialectInterface *>
qbackend::getEngines(MLIRContext *context) {
  SmallVector<const EngineDialectInterface *> engines;
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *engine =
            dialect->getRegisteredInterface<EngineDialectInterface>())
      engines.push_back(engine);
  llvm::sort(engines,
             [](auto *a, auto *b) { return a->getName() < b->getName(); });
  return engines;
}

/// Adds "; there are reference, and of qnnpack: qnnpack, linalg, tosa".
static InFlightDiagnostic listForms(InFlightDiagnostic error,
                                    MLIRContext *context) {
  error << "; there are " << kReferenceForm;
  for (const EngineDialectInterface *engine : getEngines(context))
    error << ", and of " << engine->getName() << ": "
          << llvm::join(engine->getForms(), ", ");
  return error;
}

static InFlightDiagnostic startError(BackendConfigOp backend) {
  return emitError(backend.getLoc())
         << "backend '" << backend.getSymName() << "' ";
}

FailureOr<const EngineDialectInterface *>
qbackend::findEngine(BackendConfigOp backend) {
  SmallVector<StringRef> forms = backend.getForms();
  llvm::erase(forms, kReferenceForm);
  const EngineDialectInterface *found = nullptr;
  if (forms.empty())
    return found;
  SmallVector<const EngineDialectInterface *> engines =
      getEngines(backend.getContext());
  auto offers = [](const EngineDialectInterface *engine, StringRef form) {
    return llvm::is_contained(engine->getForms(), form);
  };
  for (StringRef form : forms)
    if (llvm::none_of(engines,
                      [&](auto *engine) { return offers(engine, form); }))
      return listForms(startError(backend) << "has the lowering \"" << form
                                           << "\", which no engine offers",
                       backend.getContext());
  for (const EngineDialectInterface *engine : engines) {
    if (!llvm::all_of(forms,
                      [&](StringRef form) { return offers(engine, form); }))
      continue;
    if (found)
      return listForms(startError(backend)
                           << "has the lowering \""
                           << llvm::join(forms, "\", \"") << "\", which both "
                           << found->getName() << " and " << engine->getName()
                           << " offer; add a form that only one of them has",
                       backend.getContext());
    found = engine;
  }
  if (!found)
    return listForms(startError(backend)
                         << "has the lowering \"" << llvm::join(forms, "\", \"")
                         << "\", but no engine offers all of it",
                     backend.getContext());
  return found;
}

FailureOr<Lowering> qbackend::findLowering(const Backend *backend,
                                           StringRef lowerTo, Location loc) {
  if (!backend)
    return failure();
  BackendConfigOp config = backend->config;
  FailureOr<const EngineDialectInterface *> engine = findEngine(config);
  if (failed(engine))
    return failure();
  SmallVector<StringRef> forms = config.getForms();
  if (lowerTo.empty())
    return Lowering{*engine, forms.front()};
  auto *form = llvm::find(forms, lowerTo);
  if (form != forms.end())
    return Lowering{*engine, *form};
  return emitError(loc) << "lower-to is '" << lowerTo << "', but backend '"
                        << config.getSymName() << "' lowers to "
                        << llvm::join(forms, ", ");
}
