// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which limits of a backend an operator is beyond.

#include "qbackend/Transforms/Analysis/Limits.h"

#include "qbackend/Dialect/QBackend/LimitCondition.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Fields that are not written where they are false, or 0 for none, and the
/// kinds that have them, by the start of their names.
static constexpr std::pair<StringLiteral, StringLiteral> kFlags[] = {
    {"avg_pool", "ceil_mode"},
    {"avg_pool", "count_exclude_pad"},
    {"avg_pool", "divisor_override"},
    {"gelu", "tanh"},
    {"mean", "keepdim"},
    {"sum", "keepdim"},
    {"amax", "keepdim"},
    {"interpolate", "align_corners"}};

SmallVector<std::pair<std::string, Attribute>>
qbackend::getKindFields(Attribute kind) {
  std::string text;
  llvm::raw_string_ostream(text) << kind;
  SmallVector<std::pair<std::string, Attribute>> fields;
  StringRef rest = StringRef(text).split('<').second.rtrim('>');
  // A value can have commas only in brackets.
  while (!rest.empty()) {
    auto [name, value] = rest.split('=');
    value = value.ltrim();
    size_t end = value.starts_with("[") ? value.find(']') + 1 : value.find(',');
    Attribute field = parseAttribute(
        value.take_front(std::min(end, value.size())), kind.getContext());
    if (field)
      fields.push_back({name.trim().str(), field});
    rest = value.drop_front(std::min(end, value.size())).ltrim(", ");
  }
  StringRef mnemonic = cast<OperatorKindAttrInterface>(kind).getKindName();
  for (auto [prefix, name] : kFlags)
    if (mnemonic.starts_with(prefix) &&
        !llvm::is_contained(llvm::make_first_range(fields), name))
      fields.push_back({name.str(), BoolAttr::get(kind.getContext(), false)});
  return fields;
}

/// Numbers of a field; none if it has other things.
static std::optional<LimitValue> getValue(Attribute field) {
  auto number = [](Attribute attr) -> std::optional<int64_t> {
    if (auto flag = dyn_cast<BoolAttr>(attr))
      return flag.getValue();
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return integer.getInt();
    return std::nullopt;
  };
  LimitValue value;
  auto list = dyn_cast<ArrayAttr>(field);
  value.isList = bool(list);
  for (Attribute each : list ? list.getValue() : ArrayRef(field)) {
    auto found = number(each);
    if (!found)
      return std::nullopt;
    value.numbers.push_back(*found);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

LimitTable::LimitTable(BackendConfigOp backend) {
  for (auto limit : backend.getBody().front().getOps<LimitOp>())
    for (StringRef kind : limit.getKinds().getAsValueRange<StringAttr>())
      byKind[kind].push_back(limit);
}

/// The type of what is called `role`, "input0"; null if there is no such thing.
static RankedTensorType getType(OperatorOp op, StringRef role) {
  Value value;
  unsigned index;
  if (role == "output")
    value = op.getOutput();
  else if (role == "weight")
    value = op.getWeight();
  else if (role == "bias")
    value = op.getBias();
  else if (role.consume_front("input") && !role.getAsInteger(10, index) &&
           index < op.getInputs().size())
    value = op.getInputs()[index];
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

namespace {
/// What the names of conditions stand for at one operator of one kind.
class Names {
public:
  Names(OperatorOp op, OperatorKindAttrInterface kind)
      : op(op), kind(kind), fields(getKindFields(kind)) {}

  llvm::Expected<LimitValue> lookup(StringRef name) {
    auto found = find(name);
    if (found)
      looked.insert({name.str(), stringify(*found)});
    return found;
  }

  /// "stride is [4, 4], groups is 2"
  std::string describe() const {
    SmallVector<std::string> parts;
    for (const auto &[name, text] : looked)
      parts.push_back(name + " is " + text);
    return llvm::join(parts, ", ");
  }

private:
  static std::string stringify(const LimitValue &value) {
    std::string text = llvm::join(
        llvm::map_range(value.numbers,
                        [](int64_t number) { return std::to_string(number); }),
        ", ");
    return value.isList ? "[" + text + "]" : text;
  }

  llvm::Expected<LimitValue> find(StringRef name) {
    auto [role, what] = name.split('.');
    if (what.empty())
      return findField(name);
    RankedTensorType type = getType(op, role);
    if (!type)
      return llvm::createStringError("it has no " + role);
    if (what == "rank")
      return LimitValue{{type.getRank()}, false};
    if (what != "shape")
      return llvm::createStringError("'" + name +
                                     "' is unknown; expected .shape or .rank");
    if (!type.hasStaticShape())
      return llvm::createStringError("the shape of its " + role +
                                     " is not known");
    return LimitValue{llvm::to_vector(type.getShape()), true};
  }

  llvm::Expected<LimitValue> findField(StringRef name) {
    SmallVector<StringRef> known;
    for (auto &[field, attr] : fields) {
      known.push_back(field);
      if (field != name)
        continue;
      if (auto value = getValue(attr))
        return *value;
      return llvm::createStringError("its '" + name + "' is no integer");
    }
    return llvm::createStringError(
        kind.getKindName() + " has no '" + name + "'" +
        (known.empty() ? "" : "; it has " + llvm::join(known, ", ")));
  }

  OperatorOp op;
  OperatorKindAttrInterface kind;
  SmallVector<std::pair<std::string, Attribute>> fields;
  /// What was asked for, in order of the names.
  std::map<std::string, std::string> looked;
};
} // namespace

SmallVector<LimitViolation> LimitTable::findViolations(OperatorOp op) const {
  SmallVector<LimitViolation> violations;
  for (OperatorKindAttrInterface kind : op.getOperatorKinds()) {
    auto it = byKind.find(kind.getKindName());
    if (it == byKind.end())
      continue;
    for (LimitOp limit : it->second) {
      Names names(op, kind);
      llvm::Expected<bool> holds =
          evaluateLimit(limit.getCondition(),
                        [&](StringRef name) { return names.lookup(name); });
      std::string text = ("the limit '" + limit.getCondition() + "'").str();
      if (auto reason = limit.getReason())
        text += " of " + reason->str();
      if (!holds)
        violations.push_back({limit, text + " can't be checked: " +
                                         llvm::toString(holds.takeError())});
      else if (!*holds)
        violations.push_back(
            {limit, "it is beyond " + text + ": " + names.describe()});
    }
  }
  return violations;
}
