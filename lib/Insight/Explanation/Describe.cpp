// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What configurations say, as text, and what kinds are known to have.

#include "Describe.h"

#include "qbackend/Backends/TorchNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string inspection::stringify(double number) {
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, number);
    double back;
    if (!std::isfinite(number) ||
        (!StringRef(text).getAsDouble(back) && back == number))
      break;
  }
  return text;
}

std::string inspection::stringify(Attribute attr) {
  if (auto string = dyn_cast<StringAttr>(attr))
    return string.str();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return stringify(number.getValueAsDouble());
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return boolean.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return std::to_string(integer.getInt());
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

std::string inspection::stringifyPattern(Attribute pattern) {
  auto join = [](auto elements) {
    return llvm::join(llvm::map_range(elements, stringifyPattern), ", ");
  };
  if (auto list = dyn_cast<ArrayAttr>(pattern))
    return "[" + join(list.getValue()) + "]";
  if (isa<UnitAttr>(pattern))
    return "_";
  auto node = dyn_cast<PatternNodeAttr>(pattern);
  if (!node)
    return stringify(pattern);
  std::string text = node.getName().str();
  return node.getOperands().empty()
             ? text
             : text + "(" + join(node.getOperands()) + ")";
}

std::string inspection::listNearest(StringRef wanted,
                                    ArrayRef<StringRef> candidates) {
  SmallVector<std::pair<unsigned, StringRef>> nearest;
  for (StringRef candidate : candidates)
    nearest.push_back({wanted.edit_distance(candidate), candidate});
  llvm::sort(nearest);
  nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  nearest.truncate(std::min<size_t>(nearest.size(), 3));
  return llvm::join(llvm::make_second_range(nearest), ", ");
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

std::optional<unsigned> inspection::getNumArguments(StringRef kind) {
  if (!llvm::is_contained(getDialectKinds(), kind) || kind == "cat")
    return std::nullopt;
  return llvm::is_contained({"add", "mul", "sub", "matmul"}, kind) ? 2 : 1;
}

bool inspection::hasWeight(PatternConfigOp pattern) {
  for (StringRef kind : pattern.getKinds()) {
    if (llvm::any_of(
            ArrayRef<StringRef>{"conv", "linear", "batch_norm", "embedding",
                                "prelu"},
            [&](StringRef prefix) { return kind.starts_with(prefix); }))
      return true;
    DictionaryAttr roles = pattern.getConfig().getInputTypeToIndex();
    if (kind.contains('.') && roles && roles.contains("weight"))
      return true;
  }
  return false;
}

bool inspection::isProduced(StringRef kind) {
  return kind.contains('.') || llvm::is_contained(getDialectKinds(), kind);
}

SmallVector<StringRef> inspection::getKnownKinds(BackendConfigOp backend) {
  SmallVector<StringRef> kinds(getTorchKinds());
  llvm::append_range(kinds, getDialectKinds());
  for (PatternConfigOp pattern : getPatterns(backend))
    llvm::append_range(kinds, pattern.getKinds());
  return kinds;
}

//===----------------------------------------------------------------------===//
// QConfigs
//===----------------------------------------------------------------------===//

StringRef inspection::getQConfigKind(PatternConfigOp pattern) {
  if (pattern.isFusion())
    return pattern.getFusedKinds().front();
  return pattern.getKinds().back();
}

QConfigOp inspection::lookupKind(QConfigMappingOp mapping, StringRef kind) {
  QConfigOp global;
  for (QConfigOp entry : getEntries(mapping)) {
    if (entry.getLevel() == QConfigLevel::ObjectType &&
        *entry.getSelector() == kind)
      return entry;
    if (entry.getLevel() == QConfigLevel::Global)
      global = entry;
  }
  return global;
}

PatternAttr inspection::getOnly(DTypeConfigAttr config) {
  PatternFields fields;
  fields.dtypes = ArrayAttr::get(config.getContext(), {config});
  return PatternAttr::get(config.getContext(), fields);
}
