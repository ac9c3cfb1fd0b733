// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QConfigs and their mappings as JSON, in the form of PyTorch's dictionaries.

#include "JsonValues.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Backends/TorchNames.h"
#include "qbackend/Calibration/Observer.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::json;

static constexpr StringLiteral kIgnoreUnknownNames = "ignore_unknown_names";

/// The scheme of an observer that none is given for.
static QScheme getDefaultScheme(ObserverKind kind) {
  return isPerChannel(kind) ? QScheme::PerChannelAffine
                            : QScheme::PerTensorAffine;
}

namespace {
/// A class of fake quantizers in PyTorch.
struct FakeQuantizeClass {
  StringRef name;
  FakeQuantizeKind kind;
  /// Whether its parameters are fixed.
  bool isFixed;
};
} // namespace

static constexpr FakeQuantizeClass fakeQuantizeClasses[] = {
    {"FakeQuantize", FakeQuantizeKind::FakeQuantize, false},
    {"FixedQParamsFakeQuantize", FakeQuantizeKind::FakeQuantize, true},
    {"FusedMovingAvgObsFakeQuantize",
     FakeQuantizeKind::FusedMovingAvgObsFakeQuantize, false},
};

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printValue(FloatAttr value, llvm::json::OStream &os) {
  os.value(value.getValueAsDouble());
}
static void printValue(bool value, llvm::json::OStream &os) { os.value(value); }
static void printValue(std::optional<int64_t> value, llvm::json::OStream &os) {
  os.value(*value);
}

LogicalResult qbackend::json::printObserver(ObserverAttr observer,
                                            Operation *op,
                                            llvm::json::OStream &os) {
  for (FloatAttr asFloat : {observer.getEps(), observer.getAveragingConstant(),
                            observer.getScale(), observer.getPercentile()})
    if (asFloat && !std::isfinite(asFloat.getValueAsDouble())) {
      os.value(nullptr);
      return op->emitOpError()
             << "has the number " << asFloat << ", which JSON has no form for";
    }
  ObserverFields fields = observer.getFields();
  const ObserverKindInfo &info = getInfo(fields.kind);
  os.object([&] {
    os.attribute("observer", info.className);
    if (StringRef dtype = stringifyDType(fields.dtype); dtype != info.dtype)
      os.attribute("dtype", dtype);
    if (fields.scheme != getDefaultScheme(fields.kind))
      os.attribute("qscheme", stringifyQScheme(fields.scheme));
    fields.visit([&](ObserverField field, const auto &member) {
      if (!member)
        return;
      os.attributeBegin(stringifyObserverField(field));
      printValue(member, os);
      os.attributeEnd();
    });
    bool isFixed = fields.kind == ObserverKind::FixedQParams;
    for (const FakeQuantizeClass &each : fakeQuantizeClasses)
      if (each.kind == fields.fakeQuantize &&
          (each.kind != FakeQuantizeKind::FakeQuantize ||
           each.isFixed == isFixed))
        os.attribute("fake_quantize", each.name);
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
    ok &= succeeded(printObserver(op.getConfig()->getActivation(), op, os));
    os.attributeEnd();
    os.attributeBegin("weight");
    ok &= succeeded(printObserver(op.getConfig()->getWeight(), op, os));
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
          QConfigLevel::ModuleName, QConfigLevel::ModuleNameObjectTypeOrder,
          QConfigLevel::ModuleType}) {
      // PyTorch's mapping has no module types.
      if (level == QConfigLevel::ModuleType &&
          llvm::none_of(entries,
                        [&](QConfigOp op) { return op.getLevel() == level; }))
        continue;
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
    }
    if (mapping->hasAttr(kIgnoreUnknownNamesAttrName))
      os.attribute(kIgnoreUnknownNames, true);
  });
  return success(ok);
}

/// The default of a parameter that is no part of the attribute.
static void printDefault(ObserverField field, ObserverKind kind,
                         llvm::json::OStream &os) {
  const calibration::ObserverOptions defaults;
  switch (field) {
  case ObserverField::QScheme:
    return os.value(stringifyQScheme(getDefaultScheme(kind)));
  case ObserverField::ReduceRange:
  case ObserverField::IsDynamic:
    return os.value(false);
  case ObserverField::Eps:
    return os.value(defaults.eps);
  case ObserverField::AveragingConstant:
    return os.value(defaults.averagingConstant);
  case ObserverField::Bins:
    return os.value(defaults.bins);
  case ObserverField::ChAxis:
    return os.value(defaults.channelAxis);
  case ObserverField::Percentile:
    return os.value(defaults.percentile);
  case ObserverField::QuantMin:
  case ObserverField::QuantMax:
  case ObserverField::Scale:
  case ObserverField::ZeroPoint:
    return os.value(nullptr);
  }
}

void qbackend::printObserverKinds(llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attributeArray("observers", [&] {
      for (const ObserverKindInfo &info : observerKinds)
        json.object([&] {
          json.attribute("kind", info.name);
          json.attribute("observer", info.className);
          json.attribute("torch", info.isTorch);
          json.attribute("per_channel", info.isPerChannel);
          json.attributeObject("arguments", [&] {
            json.attribute("dtype", info.dtype);
            for (const ObserverFieldInfo &field : observerFields) {
              if (!info.takes(field.field))
                continue;
              json.attributeBegin(field.name);
              printDefault(field.field, info.kind, json);
              json.attributeEnd();
            }
          });
        });
    });
    json.attributeArray("fake_quantizers", [&] {
      for (const FakeQuantizeClass &each : fakeQuantizeClasses)
        json.value(each.name);
    });
  });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The kind of the member "observer"; nothing after an error.
static std::optional<ObserverKind> readObserverKind(const Cursor &value) {
  auto name = value.getString();
  if (!name)
    return std::nullopt;
  // PyTorch's stand-in for nothing to observe.
  StringRef wanted = *name == "Identity"
                         ? getInfo(ObserverKind::Placeholder).className
                         : *name;
  for (const ObserverKindInfo &info : observerKinds)
    if (info.className == wanted)
      return info.kind;
  value.emitError() << "unknown observer '" << *name << "', expected "
                    << listObserverKinds(
                           [](const ObserverKindInfo &) { return true; },
                           &ObserverKindInfo::className);
  return std::nullopt;
}

static bool readValue(const Cursor &value, std::optional<int64_t> &member) {
  return bool(member = value.getInteger());
}
static bool readValue(const Cursor &value, FloatAttr &member) {
  return bool(member = value.getNumber());
}
static bool readValue(const Cursor &value, bool &member) {
  auto flag = value.getBoolean();
  member = flag.value_or(false);
  return flag.has_value();
}
static bool readValue(const Cursor &value, QScheme &member) {
  auto name = value.getString();
  if (!name)
    return false;
  StringRef text = *name;
  text.consume_front("torch.");
  auto scheme = symbolizeQScheme(text);
  if (!scheme)
    value.emitError() << "unknown qscheme '" << *name
                      << "', expected per_tensor_affine, "
                         "per_tensor_symmetric, per_channel_affine, "
                         "per_channel_symmetric or "
                         "per_channel_affine_float_qparams";
  member = scheme.value_or(member);
  return scheme.has_value();
}
static bool readValue(const Cursor &value, FakeQuantizeKind &member) {
  auto name = value.getString();
  if (!name)
    return false;
  for (const FakeQuantizeClass &each : fakeQuantizeClasses)
    if (each.name == *name) {
      member = each.kind;
      return true;
    }
  InFlightDiagnostic diag = value.emitError();
  diag << "unknown class '" << *name << "', expected ";
  llvm::interleaveComma(
      fakeQuantizeClasses, diag,
      [&](const FakeQuantizeClass &each) { diag << each.name; });
  return false;
}

/// Sets what `key` names; false after an error.
static bool readMember(const Cursor &cursor, StringRef key, const Cursor &value,
                       ObserverFields &fields) {
  if (key == "dtype")
    return bool(fields.dtype = readDType(value));
  if (key == stringifyObserverField(ObserverField::QScheme))
    return readValue(value, fields.scheme);
  if (key == "fake_quantize")
    return readValue(value, fields.fakeQuantize);
  SmallVector<StringRef> keys = {
      "observer", "dtype", stringifyObserverField(ObserverField::QScheme)};
  std::optional<bool> result;
  fields.visit([&](ObserverField field, auto &member) {
    keys.push_back(stringifyObserverField(field));
    if (key == keys.back())
      result = readValue(value, member);
  });
  if (result)
    return *result;
  keys.push_back("fake_quantize");
  cursor.emitUnknownKey(key, keys);
  return false;
}

ObserverAttr qbackend::json::readObserver(const Cursor &cursor) {
  auto members = cursor.getObject();
  if (!members)
    return {};
  auto kind = llvm::find_if(
      *members, [](auto &member) { return member.first == "observer"; });
  if (kind == members->end()) {
    cursor.emitError() << "has no 'observer'";
    return {};
  }
  auto observerKind = readObserverKind(kind->second);
  if (!observerKind)
    return {};
  ObserverFields fields;
  fields.kind = *observerKind;
  fields.dtype = parseDType(cursor.getContext(), getInfo(fields.kind).dtype);
  fields.scheme = getDefaultScheme(fields.kind);
  for (auto &[key, value] : *members)
    if (!value.isNull() && key != "observer" &&
        !readMember(cursor, key, value, fields))
      return {};
  return ObserverAttr::getChecked([&] { return cursor.emitError(); },
                                  cursor.getContext(), fields);
}

/// A qconfig, or null for none; nothing on failure.
static std::optional<QConfigAttr> readQConfig(const Cursor &cursor) {
  if (cursor.isNull())
    return QConfigAttr();
  ObserverAttr activation, weight;
  auto observer = [](ObserverAttr &field) {
    return [&field](const Cursor &value) {
      return bool(field = readObserver(value));
    };
  };
  if (!cursor.readMembers(
          {{"activation", observer(activation)}, {"weight", observer(weight)}}))
    return std::nullopt;
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
    if (!selector)
      return failure();
    auto qconfig = readQConfig(parts->back());
    if (!qconfig)
      return failure();
    auto name = builder.getStringAttr(*selector);
    StringAttr objectType;
    IntegerAttr index;
    auto getKinds = [&](StringRef torch) {
      return llvm::map_to_vector(
          getKindsOfTorchName(torch), [&](ArrayRef<StringRef> kinds) {
            return builder.getStringAttr(llvm::join(kinds, "+"));
          });
    };
    if (level == QConfigLevel::ObjectType) {
      for (StringAttr kind : getKinds(*selector)) {
        auto [it, inserted] =
            seen.insert({kind.getValue(), {selector->str(), *qconfig}});
        if (inserted)
          QConfigOp::create(builder, entry.getLoc(), level, kind, objectType,
                            index, *qconfig);
        else if (it->second.second != *qconfig)
          return entry.emitError()
                 << "'" << *selector << "' and '" << it->second.first
                 << "' are the same kind, " << kind
                 << ", but have different qconfigs";
      }
      continue;
    }
    if (ordered) {
      auto torch = (*parts)[1].getString();
      auto number = (*parts)[2].getInteger();
      if (!torch || !number)
        return failure();
      SmallVector<StringAttr> kinds = getKinds(*torch);
      if (kinds.size() > 1) {
        InFlightDiagnostic diag = (*parts)[1].emitError();
        diag << "'" << *torch
             << "' is several kinds here, each with numbers of its own; name "
                "one of ";
        llvm::interleaveComma(kinds, diag);
        return diag;
      }
      objectType = kinds.front();
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
  static constexpr StringRef keys[] = {"",
                                       "object_type",
                                       "module_type",
                                       "module_name_regex",
                                       "module_name",
                                       "module_name_object_type_order",
                                       kIgnoreUnknownNames};
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
      if (key == kIgnoreUnknownNames) {
        auto isIgnored = value.getBoolean();
        if (!isIgnored)
          return failure();
        if (*isIgnored)
          mapping->setAttr(kIgnoreUnknownNamesAttrName, builder.getUnitAttr());
        continue;
      }
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
