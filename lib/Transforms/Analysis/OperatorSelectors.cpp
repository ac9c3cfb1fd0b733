// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators are called, and which number each one has.

#include "qbackend/Transforms/Analysis/OperatorSelectors.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

StringRef qbackend::getParentPath(StringRef path) {
  size_t dot = path.rfind('.');
  return dot == StringRef::npos ? StringRef() : path.take_front(dot);
}

/// `"text"`, as it is written in a mapping.
static std::string quote(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream os(quoted);
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
  return quoted;
}

OperatorSelectors::OperatorSelectors(ModuleOp module, TensorNames &names)
    : moduleTypes(module->getAttrOfType<DictionaryAttr>(kModuleTypesAttrName)) {
  module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    OperatorSelector &selector = selectors[op];
    std::string location = getLocationName(op.getLoc());
    selector.name = names.lookup(op.getOutput()).name;
    selector.path = location.empty() ? selector.name : location;
    selector.module = getParentPath(location).str();
    for (StringRef path = location; moduleTypes && !path.empty();
         path = getParentPath(path))
      if (auto type = moduleTypes.getAs<StringAttr>(path))
        selector.moduleTypes.push_back(type.getValue());
    selector.parts.push_back(selector.name);
    op.getLoc()->walk([&](Location inner) {
      if (auto named = dyn_cast<NameLoc>(inner))
        selector.parts.push_back(named.getName().str());
      return WalkResult::advance();
    });
    for (OperatorKindAttrInterface kind : op.getOperatorKinds())
      selector.kinds.push_back({kind.getKindName().str(),
                                counts[selector.module][kind.getKindName()]++});
    return WalkResult::skip();
  });

  // How many operators each name selects. The path of one may be the name of
  // another's result: then it is the path's.
  llvm::StringMap<unsigned> selected;
  for (auto &[op, selector] : selectors)
    for (StringRef path = selector.path; !path.empty();
         path = getParentPath(path))
      ++selected[path];
  for (auto &entry : selectors) {
    OperatorSelector &selector = entry.second;
    if (selector.name != selector.path && selected.contains(selector.name)) {
      selector.name = selector.path;
      selector.parts.front() = selector.path;
    }
    selector.hasOwnName =
        selector.name != selector.path || selected.lookup(selector.name) == 1;
    if (selector.hasOwnName) {
      selector.entries.push_back("module_name " + quote(selector.name));
      continue;
    }
    auto addEntry = [&](const OperatorSelector::Kind &kind) {
      selector.entries.push_back(
          "module_name_object_type_order " + quote(selector.module) + ", " +
          quote(kind.name) + ", " + std::to_string(kind.index));
    };
    addEntry(selector.kinds.front());
    if (selector.kinds.size() > 1)
      addEntry(selector.kinds.back());
  }
}

int64_t OperatorSelectors::count(StringRef module, StringRef kind) const {
  auto it = counts.find(module);
  return it == counts.end() ? 0 : it->second.lookup(kind);
}
