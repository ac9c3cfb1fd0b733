// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a JSON document that know where they are in it.

#include "JsonValues.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::json;

Location Cursor::getLoc() const {
  return NameLoc::get(StringAttr::get(
      context, path.empty() ? StringRef("JSON document") : StringRef(path)));
}

InFlightDiagnostic Cursor::emitWrongType(StringRef expected) const {
  static constexpr StringRef kinds[] = {"null",     "a boolean", "a number",
                                        "a string", "a list",    "an object"};
  return emitError() << "found " << kinds[value->kind()] << ", expected "
                     << expected;
}

std::optional<StringRef> Cursor::getString() const {
  auto string = value->getAsString();
  if (!string)
    emitWrongType("a string");
  return string;
}

std::optional<bool> Cursor::getBoolean() const {
  auto boolean = value->getAsBoolean();
  if (!boolean)
    emitWrongType("true or false");
  return boolean;
}

std::optional<int64_t> Cursor::getInteger() const {
  auto integer = value->getAsInteger();
  if (!integer)
    emitWrongType("an integer");
  return integer;
}

FloatAttr Cursor::getNumber() const {
  auto number = value->getAsNumber();
  if (!number) {
    emitWrongType("a number");
    return {};
  }
  return Builder(context).getF64FloatAttr(*number);
}

std::optional<std::vector<Cursor>> Cursor::getArray() const {
  const llvm::json::Array *array = value->getAsArray();
  if (!array) {
    emitWrongType("a list");
    return std::nullopt;
  }
  std::vector<Cursor> elements;
  for (auto [i, element] : llvm::enumerate(*array))
    elements.emplace_back(element, context,
                          path + "[" + std::to_string(i) + "]");
  return elements;
}

std::optional<std::vector<std::pair<StringRef, Cursor>>>
Cursor::getObject() const {
  const llvm::json::Object *object = value->getAsObject();
  if (!object) {
    emitWrongType("an object");
    return std::nullopt;
  }
  std::vector<std::pair<StringRef, Cursor>> members;
  for (const auto &member : *object) {
    StringRef key = member.first;
    members.emplace_back(
        key, Cursor(member.second, context,
                    path.empty() ? key.str() : path + "." + key.str()));
  }
  llvm::sort(members, llvm::less_first());
  return members;
}

bool Cursor::readMembers(
    std::initializer_list<std::pair<StringRef, Reader>> readers) const {
  auto members = getObject();
  if (!members)
    return false;
  auto known = llvm::to_vector(llvm::make_first_range(readers));
  for (auto &[key, member] : *members) {
    auto *place = llvm::find(known, key);
    if (place == known.end()) {
      emitUnknownKey(key, known);
      return false;
    }
    if (!member.isNull() &&
        !readers.begin()[place - known.begin()].second(member))
      return false;
  }
  return true;
}

void Cursor::emitUnknownKey(StringRef key, ArrayRef<StringRef> known) const {
  auto nearest = llvm::min_element(known, [&](StringRef a, StringRef b) {
    return key.edit_distance(a) < key.edit_distance(b);
  });
  size_t length = std::min<size_t>(key.size(), 100);
  // A character isn't cut in two.
  while (length < key.size() && (key[length] & 0xC0) == 0x80)
    --length;
  InFlightDiagnostic diag = emitError()
                            << "unknown key '" << key.take_front(length)
                            << (key.size() > length ? "..." : "") << "'";
  if (key.edit_distance(*nearest) <= key.size() / 2)
    diag << ", did you mean '" << *nearest << "'?";
  diag << "; the keys are ";
  llvm::interleaveComma(known, diag);
}

Type qbackend::json::parseDType(MLIRContext *context, StringRef name) {
  name.consume_front("torch.");
  Builder builder(context);
  auto integer = [&](unsigned width, bool isSigned) -> Type {
    return builder.getIntegerType(width, isSigned);
  };
  return llvm::StringSwitch<std::function<Type()>>(name)
      .Cases({"quint8", "uint8"}, [&] { return integer(8, false); })
      .Cases({"qint8", "int8"}, [&] { return integer(8, true); })
      .Case("quint4x2", [&] { return integer(4, false); })
      .Case("int4", [&] { return integer(4, true); })
      .Case("uint16", [&] { return integer(16, false); })
      .Cases({"int16", "short"}, [&] { return integer(16, true); })
      .Cases({"qint32", "int32"}, [&] { return integer(32, true); })
      .Cases({"float16", "half"}, [&] { return builder.getF16Type(); })
      .Case("bfloat16", [&] { return builder.getBF16Type(); })
      .Case("float8_e4m3fn", [&] { return Float8E4M3FNType::get(context); })
      .Case("float8_e5m2", [&] { return Float8E5M2Type::get(context); })
      .Cases({"float32", "float"}, [&] { return builder.getF32Type(); })
      .Default([] { return Type(); })();
}

StringRef qbackend::json::stringifyDType(Type type) {
  if (type.isF16())
    return "float16";
  if (type.isBF16())
    return "bfloat16";
  if (isa<Float8E4M3FNType>(type))
    return "float8_e4m3fn";
  if (isa<Float8E5M2Type>(type))
    return "float8_e5m2";
  if (type.isF32())
    return "float32";
  auto integer = cast<IntegerType>(type);
  if (integer.getWidth() == 4)
    return integer.isSigned() ? "int4" : "quint4x2";
  if (integer.getWidth() == 16)
    return integer.isSigned() ? "int16" : "uint16";
  if (integer.getWidth() == 32)
    return "qint32";
  return integer.isSigned() ? "qint8" : "quint8";
}

Type qbackend::json::readDType(const Cursor &cursor) {
  auto name = cursor.getString();
  if (!name)
    return {};
  Type type = parseDType(cursor.getContext(), *name);
  if (!type)
    cursor.emitError() << "unknown dtype '" << *name
                       << "', expected quint8, qint8, quint4x2, int4, "
                          "uint16, int16, qint32, float16, bfloat16, "
                          "float8_e4m3fn, float8_e5m2 or float32";
  return type;
}
