// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QConfigs and their mappings as JSON, in the form of PyTorch's dictionaries.

#include "JsonValues.h"
#include "qbackend/Backends/TorchNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::json;

namespace {
/// A class of observers in PyTorch, and the defaults of its arguments.
struct ObserverClass {
  StringRef name;
  ObserverKind kind;
  StringRef dtype;
  QScheme scheme;
};
} // namespace

static constexpr ObserverClass observerClasses[] = {
    {"MinMaxObserver", ObserverKind::MinMax, "quint8",
     QScheme::PerTensorAffine},
    {"MovingAverageMinMaxObserver", ObserverKind::MovingAverageMinMax, "quint8",
     QScheme::PerTensorAffine},
    {"PerChannelMinMaxObserver", ObserverKind::PerChannelMinMax, "quint8",
     QScheme::PerChannelAffine},
    {"MovingAveragePerChannelMinMaxObserver",
     ObserverKind::MovingAveragePerChannelMinMax, "quint8",
     QScheme::PerChannelAffine},
    {"HistogramObserver", ObserverKind::Histogram, "quint8",
     QScheme::PerTensorAffine},
    {"FixedQParamsObserver", ObserverKind::FixedQParams, "quint8",
     QScheme::PerTensorAffine},
    {"PlaceholderObserver", ObserverKind::Placeholder, "float32",
     QScheme::PerTensorAffine},
    {"NoopObserver", ObserverKind::Noop, "float16", QScheme::PerTensorAffine},
    {"ReuseInputObserver", ObserverKind::ReuseInput, "quint8",
     QScheme::PerTensorAffine},
    // Not PyTorch's, in the style of its names.
    {"PercentileObserver", ObserverKind::Percentile, "quint8",
     QScheme::PerTensorAffine},
    {"EntropyObserver", ObserverKind::Entropy, "quint8",
     QScheme::PerTensorAffine},
    {"MSEObserver", ObserverKind::MSE, "quint8", QScheme::PerTensorAffine},
};

static const ObserverClass &getClass(ObserverKind kind) {
  return *llvm::find_if(observerClasses,
                        [&](auto &entry) { return entry.kind == kind; });
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static LogicalResult print(ObserverAttr observer, Operation *op,
                           llvm::json::OStream &os) {
  for (FloatAttr real : {observer.getEps(), observer.getAveragingConstant(),
                         observer.getScale(), observer.getPercentile()})
    if (real && !std::isfinite(real.getValueAsDouble())) {
      os.value(nullptr);
      return op->emitOpError()
             << "has the number " << real << ", which JSON has no form for";
    }
  const ObserverClass &observerClass = getClass(observer.getKind());
  os.object([&] {
    auto integer = [&](StringRef name, std::optional<int64_t> value) {
      if (value)
        os.attribute(name, *value);
    };
    auto real = [&](StringRef name, FloatAttr value) {
      if (value)
        os.attribute(name, value.getValueAsDouble());
    };
    os.attribute("observer", observerClass.name);
    if (StringRef dtype = stringifyDType(observer.getDtype());
        dtype != observerClass.dtype)
      os.attribute("dtype", dtype);
    if (observer.getScheme() != observerClass.scheme)
      os.attribute("qscheme", stringifyQScheme(observer.getScheme()));
    integer("quant_min", observer.getQuantMin());
    integer("quant_max", observer.getQuantMax());
    if (observer.getReduceRange())
      os.attribute("reduce_range", true);
    real("eps", observer.getEps());
    integer("ch_axis", observer.getChAxis());
    real("averaging_constant", observer.getAveragingConstant());
    integer("bins", observer.getBins());
    real("scale", observer.getScale());
    integer("zero_point", observer.getZeroPoint());
    real("percentile", observer.getPercentile());
    if (observer.getIsDynamic())
      os.attribute("is_dynamic", true);
    switch (observer.getFakeQuantize()) {
    case FakeQuantizeKind::None:
      break;
    case FakeQuantizeKind::FakeQuantize:
      os.attribute("fake_quantize",
                   observer.getKind() == ObserverKind::FixedQParams
                       ? "FixedQParamsFakeQuantize"
                       : "FakeQuantize");
      break;
    case FakeQuantizeKind::FusedMovingAvgObsFakeQuantize:
      os.attribute("fake_quantize", "FusedMovingAvgObsFakeQuantize");
      break;
    }
  });
  return success();
}

static LogicalResult print(QConfigOp op, llvm::json::OStream &os) {
  if (!op.getConfig()) {
    os.value(nullptr);
    return success();
  }
  bool ok = true;
  os.object([&] {
    os.attributeBegin("activation");
    ok &= succeeded(print(op.getConfig()->getActivation(), op, os));
    os.attributeEnd();
    os.attributeBegin("weight");
    ok &= succeeded(print(op.getConfig()->getWeight(), op, os));
    os.attributeEnd();
  });
  return success(ok);
}

LogicalResult qbackend::json::printMapping(QConfigMappingOp mapping,
                                           llvm::json::OStream &os) {
  bool ok = true;
  auto entries = mapping.getBody().front().getOps<QConfigOp>();
  os.object([&] {
    QConfigOp global;
    for (QConfigOp op : entries)
      if (op.getLevel() == QConfigLevel::Global)
        global = op;
    os.attributeBegin("");
    if (global)
      ok &= succeeded(print(global, os));
    else
      os.value(nullptr);
    os.attributeEnd();
    for (QConfigLevel level :
         {QConfigLevel::ObjectType, QConfigLevel::ModuleNameRegex,
          QConfigLevel::ModuleName, QConfigLevel::ModuleNameObjectTypeOrder})
      os.attributeArray(stringifyQConfigLevel(level), [&] {
        for (QConfigOp op : entries)
          if (op.getLevel() == level)
            os.array([&] {
              os.value(*op.getSelector());
              if (op.getObjectType())
                os.value(*op.getObjectType());
              if (op.getIndex())
                os.value(int64_t(*op.getIndex()));
              ok &= succeeded(print(op, os));
            });
      });
  });
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static ObserverAttr readObserver(const Cursor &cursor) {
  auto members = cursor.getObject();
  if (!members)
    return {};
  static constexpr StringRef keys[] = {
      "observer",           "dtype",        "qscheme",      "quant_min",
      "quant_max",          "reduce_range", "eps",          "ch_axis",
      "averaging_constant", "bins",         "scale",        "zero_point",
      "is_dynamic",         "percentile",   "fake_quantize"};
  MLIRContext *context = cursor.getContext();
  const ObserverClass *observerClass = nullptr;
  for (auto &[key, value] : *members) {
    if (key != "observer")
      continue;
    auto name = value.getString();
    if (!name)
      return {};
    // PyTorch's stand-in for nothing to observe.
    StringRef wanted = *name == "Identity" ? "PlaceholderObserver" : *name;
    observerClass = llvm::find_if(
        observerClasses, [&](auto &entry) { return entry.name == wanted; });
    if (observerClass == std::end(observerClasses)) {
      InFlightDiagnostic diag = value.emitError();
      diag << "unknown observer '" << *name << "', expected ";
      llvm::interleave(
          observerClasses, [&](auto &entry) { diag << entry.name; },
          [&] { diag << ", "; });
      return {};
    }
  }
  if (!observerClass) {
    cursor.emitError() << "has no 'observer'";
    return {};
  }
  Type dtype = parseDType(context, observerClass->dtype);
  QScheme scheme = observerClass->scheme;
  std::optional<int64_t> quantMin, quantMax, channelAxis, bins, zeroPoint;
  FloatAttr eps, averagingConstant, scale, percentile;
  bool reduceRange = false, isDynamic = false;
  auto fakeQuantize = FakeQuantizeKind::None;
  for (auto &[key, value] : *members) {
    if (value.isNull() || key == "observer")
      continue;
    bool ok = true;
    auto setInteger = [&](std::optional<int64_t> &field) {
      field = value.getInteger();
      ok = field.has_value();
    };
    auto setReal = [&](FloatAttr &field) {
      field = value.getNumber();
      ok = bool(field);
    };
    auto setFlag = [&](bool &field) {
      auto flag = value.getBoolean();
      field = flag.value_or(false);
      ok = flag.has_value();
    };
    if (key == "dtype") {
      ok = bool(dtype = readDType(value));
    } else if (key == "qscheme") {
      auto name = value.getString();
      StringRef text = name.value_or("");
      text.consume_front("torch.");
      auto parsed = symbolizeQScheme(text);
      if (name && !parsed)
        value.emitError() << "unknown qscheme '" << *name
                          << "', expected per_tensor_affine, "
                             "per_tensor_symmetric, per_channel_affine, "
                             "per_channel_symmetric or "
                             "per_channel_affine_float_qparams";
      ok = parsed.has_value();
      scheme = parsed.value_or(scheme);
    } else if (key == "quant_min") {
      setInteger(quantMin);
    } else if (key == "quant_max") {
      setInteger(quantMax);
    } else if (key == "reduce_range") {
      setFlag(reduceRange);
    } else if (key == "eps") {
      setReal(eps);
    } else if (key == "ch_axis") {
      setInteger(channelAxis);
    } else if (key == "averaging_constant") {
      setReal(averagingConstant);
    } else if (key == "bins") {
      setInteger(bins);
    } else if (key == "scale") {
      setReal(scale);
    } else if (key == "zero_point") {
      setInteger(zeroPoint);
    } else if (key == "percentile") {
      setReal(percentile);
    } else if (key == "is_dynamic") {
      setFlag(isDynamic);
    } else if (key == "fake_quantize") {
      auto name = value.getString();
      if (name == StringRef("FakeQuantize") ||
          name == StringRef("FixedQParamsFakeQuantize")) {
        fakeQuantize = FakeQuantizeKind::FakeQuantize;
      } else if (name == StringRef("FusedMovingAvgObsFakeQuantize")) {
        fakeQuantize = FakeQuantizeKind::FusedMovingAvgObsFakeQuantize;
      } else {
        if (name)
          value.emitError() << "unknown class '" << *name
                            << "', expected FakeQuantize, "
                               "FixedQParamsFakeQuantize or "
                               "FusedMovingAvgObsFakeQuantize";
        ok = false;
      }
    } else {
      cursor.emitUnknownKey(key, keys);
      ok = false;
    }
    if (!ok)
      return {};
  }
  return ObserverAttr::getChecked(
      [&] { return cursor.emitError(); }, context, observerClass->kind, dtype,
      scheme, quantMin, quantMax, reduceRange, eps, averagingConstant, bins,
      scale, zeroPoint, isDynamic, channelAxis, percentile, fakeQuantize);
}

/// A qconfig, or null for none; nothing on failure.
static std::optional<QConfigAttr> readQConfig(const Cursor &cursor) {
  if (cursor.isNull())
    return QConfigAttr();
  auto members = cursor.getObject();
  if (!members)
    return std::nullopt;
  static constexpr StringRef keys[] = {"activation", "weight"};
  ObserverAttr activation, weight;
  for (auto &[key, value] : *members) {
    if (!llvm::is_contained(keys, key)) {
      cursor.emitUnknownKey(key, keys);
      return std::nullopt;
    }
    ObserverAttr &role = key == "activation" ? activation : weight;
    role = readObserver(value);
    if (!role)
      return std::nullopt;
  }
  if (!activation || !weight) {
    cursor.emitError() << "has no '" << (activation ? "weight" : "activation")
                       << "'; a qconfig has both, or is null";
    return std::nullopt;
  }
  return QConfigAttr::get(cursor.getContext(), activation, weight);
}

/// The entries of one level but the global one.
static LogicalResult readLevel(const Cursor &cursor, QConfigLevel level,
                               OpBuilder &builder) {
  auto entries = cursor.getArray();
  if (!entries)
    return failure();
  bool ordered = level == QConfigLevel::ModuleNameObjectTypeOrder;
  // The kinds of several spellings are one.
  llvm::StringMap<std::pair<std::string, QConfigAttr>> seen;
  for (const Cursor &entry : *entries) {
    auto parts = entry.getArray();
    if (!parts)
      return failure();
    if (parts->size() != (ordered ? 4 : 2))
      return entry.emitError()
             << "has " << parts->size() << " elements, expected "
             << (ordered ? "[module name, object type, index, qconfig]"
                         : "[selector, qconfig]");
    auto selector = parts->front().getString();
    auto qconfig = readQConfig(parts->back());
    if (!selector || !qconfig)
      return failure();
    StringAttr name = builder.getStringAttr(*selector), objectType;
    IntegerAttr index;
    auto getKind = [&](StringRef torch) {
      return builder.getStringAttr(llvm::join(getKindsOfTorchName(torch), "+"));
    };
    if (level == QConfigLevel::ObjectType) {
      name = getKind(*selector);
      auto [it, inserted] =
          seen.insert({name.getValue(), {selector->str(), *qconfig}});
      if (!inserted && it->second.second == *qconfig)
        continue;
      if (!inserted)
        return entry.emitError() << "'" << *selector << "' and '"
                                 << it->second.first << "' are the same kind, "
                                 << name << ", but have different qconfigs";
    }
    if (ordered) {
      auto torch = (*parts)[1].getString();
      auto number = (*parts)[2].getInteger();
      if (!torch || !number)
        return failure();
      objectType = getKind(*torch);
      index = builder.getI64IntegerAttr(*number);
    }
    QConfigOp::create(builder, entry.getLoc(), level, name, objectType, index,
                      *qconfig);
  }
  return success();
}

LogicalResult qbackend::json::readMapping(const Cursor &cursor,
                                          OpBuilder &builder, StringRef name) {
  auto members = cursor.getObject();
  if (!members)
    return failure();
  static constexpr StringRef keys[] = {"", "object_type", "module_name_regex",
                                       "module_name",
                                       "module_name_object_type_order"};
  auto mapping = QConfigMappingOp::create(builder, cursor.getLoc(), name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&mapping.getBody().emplaceBlock());
  for (auto &[key, value] : *members)
    if (!llvm::is_contained(keys, key)) {
      cursor.emitUnknownKey(key, keys);
      return failure();
    }
  for (StringRef key : keys)
    for (auto &[each, value] : *members) {
      if (each != key)
        continue;
      if (!key.empty()) {
        if (failed(readLevel(value, *symbolizeQConfigLevel(key), builder)))
          return failure();
        continue;
      }
      auto qconfig = readQConfig(value);
      if (!qconfig)
        return failure();
      QConfigOp::create(builder, value.getLoc(), QConfigLevel::Global,
                        StringAttr(), StringAttr(), IntegerAttr(), *qconfig);
    }
  return success();
}
