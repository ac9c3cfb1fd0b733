// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization specs of edges, requantization, and limits, as JSON.

#include "JsonValues.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::json;

//===----------------------------------------------------------------------===//
// Specs
//===----------------------------------------------------------------------===//

static SpecAttr createSpec(const Cursor &cursor, SpecKind kind,
                           ObserverAttr observer = {}, ArrayAttr of = {},
                           StringAttr formula = {}, DTypeAttr dtype = {}) {
  return SpecAttr::getChecked([&] { return cursor.emitError(); },
                              cursor.getContext(), kind, observer, of, formula,
                              dtype);
}

ArrayAttr qbackend::json::readNames(const Cursor &cursor) {
  Builder builder(cursor.getContext());
  auto elements = cursor.getArray();
  if (!elements)
    return {};
  SmallVector<StringRef> names;
  for (const Cursor &element : *elements) {
    auto name = element.getString();
    if (!name)
      return {};
    names.push_back(*name);
  }
  return builder.getStrArrayAttr(names);
}

/// A spec; null, after an error, if it isn't one.
static SpecAttr readSpec(const Cursor &cursor) {
  Builder builder(cursor.getContext());
  if (auto name = cursor.getValue().getAsString()) {
    if (*name == "own" || *name == "none")
      return createSpec(cursor, *symbolizeSpecKind(*name));
    cursor.emitError() << "unknown spec '" << *name
                       << "', expected \"own\", \"none\" or an object with "
                          "'own', 'shared', 'shared_or_own' or 'derived'";
    return {};
  }
  auto members = cursor.getObject();
  if (!members)
    return {};
  static constexpr StringRef keys[] = {"own",     "shared", "shared_or_own",
                                       "derived", "from",   "dtype"};
  std::optional<SpecKind> kind;
  ObserverAttr observer;
  ArrayAttr of;
  StringAttr formula;
  DTypeAttr dtype;
  for (auto &[key, value] : *members) {
    if (!llvm::is_contained(keys, key)) {
      cursor.emitUnknownKey(key, keys);
      return {};
    }
    if (key == "from") {
      of = readNames(value);
      if (!of)
        return {};
      continue;
    }
    if (key == "dtype") {
      dtype = readDTypeWithConstraints(value);
      if (!dtype)
        return {};
      continue;
    }
    if (kind) {
      cursor.emitError() << "has both '" << stringifySpecKind(*kind)
                         << "' and '" << key << "', expected one";
      return {};
    }
    kind = symbolizeSpecKind(key);
    if (*kind == SpecKind::Own) {
      observer = readObserver(value);
      if (!observer)
        return {};
      continue;
    }
    auto name = value.getString();
    if (!name)
      return {};
    if (*kind == SpecKind::Derived)
      formula = builder.getStringAttr(*name);
    else
      of = builder.getStrArrayAttr({*name});
  }
  if (!kind) {
    cursor.emitError() << "has no 'own', 'shared', 'shared_or_own' or "
                          "'derived'";
    return {};
  }
  return createSpec(cursor, *kind, observer, of, formula, dtype);
}

EdgesAttr qbackend::json::readEdges(const Cursor &cursor) {
  SmallVector<SpecAttr> inputs;
  SmallVector<EdgeCondition> conditions;
  SpecAttr weight, bias, output;
  auto readInputs = [&](const Cursor &value) {
    auto elements = value.getArray();
    if (!elements)
      return false;
    for (const Cursor &element : *elements) {
      inputs.push_back(readSpec(element));
      if (!inputs.back())
        return false;
    }
    return true;
  };
  auto readConditions =
      [&](const Cursor &value) {
        ArrayAttr names = readNames(value);
        if (!names)
          return false;
        for (StringRef name : names.getAsValueRange<StringAttr>()) {
          auto condition = symbolizeEdgeCondition(name);
          if (!condition) {
            value.emitError()
                << "unknown condition '" << name
                << "', expected inputs_quantized, user_quantized or spelled";
            return false;
          }
          conditions.push_back(*condition);
        }
        return true;
      };
  auto spec = [](SpecAttr &field) {
    return
        [&field](const Cursor &value) { return bool(field = readSpec(value)); };
  };
  if (!cursor.readMembers({{"inputs", readInputs},
                           {"weight", spec(weight)},
                           {"bias", spec(bias)},
                           {"output", spec(output)},
                           {"if", readConditions}}))
    return {};
  return EdgesAttr::getChecked([&] { return cursor.emitError(); },
                               cursor.getContext(), ArrayRef<SpecAttr>(inputs),
                               weight, bias, output,
                               ArrayRef<EdgeCondition>(conditions));
}

static LogicalResult printSpec(SpecAttr spec, Operation *op,
                               llvm::json::OStream &os) {
  StringRef kind = stringifySpecKind(spec.getKind());
  bool ok = true;
  switch (spec.getKind()) {
  case SpecKind::None:
    os.value(kind);
    break;
  case SpecKind::Own:
    if (!spec.getObserver()) {
      os.value(kind);
      break;
    }
    os.object([&] {
      os.attributeBegin(kind);
      ok = succeeded(printObserver(spec.getObserver(), op, os));
      os.attributeEnd();
    });
    break;
  case SpecKind::Shared:
  case SpecKind::SharedOrOwn:
    os.object([&] {
      os.attribute(kind, cast<StringAttr>(spec.getOf()[0]).getValue());
    });
    break;
  case SpecKind::Derived:
    os.object([&] {
      os.attribute(kind, spec.getFormula().getValue());
      os.attributeArray("from", [&] {
        for (StringRef name : spec.getOf().getAsValueRange<StringAttr>())
          os.value(name);
      });
      printDType("dtype", spec.getDtype(), os);
    });
  }
  return success(ok);
}

LogicalResult qbackend::json::printEdges(EdgesAttr edges, Operation *op,
                                         llvm::json::OStream &os) {
  bool ok = true;
  os.object([&] {
    os.attributeArray("inputs", [&] {
      for (SpecAttr spec : edges.getInputs())
        ok &= succeeded(printSpec(spec, op, os));
    });
    for (auto [name, spec] :
         {std::pair<StringRef, SpecAttr>("weight", edges.getWeight()),
          std::pair<StringRef, SpecAttr>("bias", edges.getBias()),
          std::pair<StringRef, SpecAttr>("output", edges.getOutput())})
      if (spec) {
        os.attributeBegin(name);
        ok &= succeeded(printSpec(spec, op, os));
        os.attributeEnd();
      }
    if (!edges.getConditions().empty())
      os.attributeArray("if", [&] {
        for (EdgeCondition condition : edges.getConditions())
          os.value(stringifyEdgeCondition(condition));
      });
  });
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Requantization
//===----------------------------------------------------------------------===//

/// The value of an enumeration that `cursor` names; nothing, after an error
/// that lists the `names`, if there is none.
template <typename EnumT>
static std::optional<EnumT> readEnum(const Cursor &cursor, StringRef key,
                                     std::optional<EnumT> (*parse)(StringRef),
                                     StringRef names) {
  auto name = cursor.getString();
  if (!name)
    return std::nullopt;
  std::optional<EnumT> value = parse(*name);
  if (!value)
    cursor.emitError() << "unknown " << key << " '" << *name << "', expected "
                       << names;
  return value;
}

RequantizationRuleAttr
qbackend::json::readRequantization(const Cursor &cursor) {
  std::optional<numerics::Rounding> rounding;
  std::optional<RequantizationMultiplier> multiplier;
  std::optional<RequantizationQuotient> quotient = RequantizationQuotient::F64;
  auto readRounding = [&](const Cursor &value) {
    auto symbolize =
        +[](StringRef name) { return numerics::symbolizeRounding(name); };
    rounding = readEnum(value, "rounding", symbolize,
                        llvm::join(numerics::roundingNames, ", "));
    return rounding.has_value();
  };
  auto readMultiplier = [&](const Cursor &value) {
    multiplier =
        readEnum(value, "multiplier", &symbolizeRequantizationMultiplier,
                 "f32 or fixed_point");
    return multiplier.has_value();
  };
  auto readQuotient = [&](const Cursor &value) {
    quotient = readEnum(value, "quotient", &symbolizeRequantizationQuotient,
                        "f64, f32_product or f32");
    return quotient.has_value();
  };
  if (!cursor.readMembers({{"rounding", readRounding},
                           {"multiplier", readMultiplier},
                           {"quotient", readQuotient}}))
    return {};
  if (!rounding || !multiplier) {
    cursor.emitError() << "has no '" << (rounding ? "multiplier" : "rounding")
                       << "'; a requantization has both";
    return {};
  }
  return RequantizationRuleAttr::getChecked([&] { return cursor.emitError(); },
                                            cursor.getContext(), *rounding,
                                            *multiplier, *quotient);
}

void qbackend::json::printRequantization(RequantizationRuleAttr rule,
                                         llvm::json::OStream &os) {
  os.object([&] {
    os.attribute("rounding",
                 StringRef(numerics::stringifyRounding(rule.getRounding())));
    os.attribute("multiplier",
                 stringifyRequantizationMultiplier(rule.getMultiplier()));
    if (rule.getQuotient() != RequantizationQuotient::F64)
      os.attribute("quotient",
                   stringifyRequantizationQuotient(rule.getQuotient()));
  });
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

LogicalResult qbackend::json::readLimits(const Cursor &cursor,
                                         OpBuilder &builder) {
  auto elements = cursor.getArray();
  if (!elements)
    return failure();
  for (const Cursor &element : *elements) {
    ArrayAttr kinds;
    StringAttr condition, reason;
    auto text = [&](StringAttr &field) {
      return [&](const Cursor &value) {
        auto string = value.getString();
        field = builder.getStringAttr(string.value_or(""));
        return string.has_value();
      };
    };
    if (!element.readMembers({{"kinds",
                               [&](const Cursor &value) {
                                 return bool(kinds = readNames(value));
                               }},
                              {"condition", text(condition)},
                              {"reason", text(reason)}}))
      return failure();
    if (!kinds || !condition)
      return element.emitError()
             << "has no '" << (kinds ? "condition" : "kinds")
             << "'; a limit has both";
    LimitOp::create(builder, element.getLoc(), kinds, condition, reason);
  }
  return success();
}

void qbackend::json::printLimits(BackendConfigOp config,
                                 llvm::json::OStream &os) {
  auto limits = config.getBody().front().getOps<LimitOp>();
  if (limits.empty())
    return;
  os.attributeArray("limits", [&] {
    for (LimitOp limit : limits)
      os.object([&] {
        os.attributeArray("kinds", [&] {
          for (StringRef kind : limit.getKinds().getAsValueRange<StringAttr>())
            os.value(kind);
        });
        os.attribute("condition", limit.getCondition());
        if (auto reason = limit.getReason())
          os.attribute("reason", *reason);
      });
  });
}
