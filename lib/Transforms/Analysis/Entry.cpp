// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of a module that is the network.

#include "qbackend/Transforms/Analysis/Entry.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

llvm::Expected<func::FuncOp> qbackend::findEntry(ModuleOp module,
                                                 StringRef name) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      functions.push_back(function);
  auto list = [&] {
    SmallVector<StringRef> names;
    for (func::FuncOp function : functions)
      names.push_back(function.getName());
    return llvm::join(names, ", ");
  };
  if (functions.empty())
    return llvm::createStringError(
        "the module has no public function with a body to run");
  SmallVector<StringRef> wanted = {name};
  if (name.empty())
    wanted = {"main", "forward"};
  for (StringRef candidate : wanted)
    for (func::FuncOp function : functions)
      if (function.getName() == candidate)
        return function;
  if (!name.empty())
    return llvm::createStringError("no function '" + name +
                                   "' in the module; it has " + list());
  if (functions.size() > 1)
    return llvm::createStringError(
        "which function to run? The module has " + list() +
        "; name one 'main', make the others private, or say entry=");
  return functions.front();
}

llvm::DenseSet<Operation *> qbackend::getReachedFunctions(func::FuncOp entry) {
  SymbolTable symbols(entry->getParentOp());
  llvm::DenseSet<Operation *> reached = {entry};
  SmallVector<Operation *> worklist = {entry};
  while (!worklist.empty()) {
    auto uses = SymbolTable::getSymbolUses(worklist.pop_back_val());
    if (!uses)
      continue;
    for (const SymbolTable::SymbolUse &use : *uses) {
      Operation *callee = symbols.lookup(use.getSymbolRef().getRootReference());
      if (isa_and_nonnull<func::FuncOp>(callee) &&
          reached.insert(callee).second)
        worklist.push_back(callee);
    }
  }
  return reached;
}

//===----------------------------------------------------------------------===//
// Names of arguments
//===----------------------------------------------------------------------===//

/// Empty if nobody chose one.
static std::string getChosenName(func::FuncOp function, unsigned index) {
  std::string name = getLocationName(function.getArgument(index).getLoc());
  if (!name.empty())
    return name;
  auto attr = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
  return attr ? attr.str() : "";
}

std::string qbackend::getArgumentName(func::FuncOp function, unsigned index) {
  std::string name = getChosenName(function, index);
  return name.empty() ? "arg" + std::to_string(index) : name;
}

void qbackend::recordArgumentNames(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    // All at once: the attributes of a function's arguments are one array.
    SmallVector<DictionaryAttr> arguments;
    function.getAllArgAttrs(arguments);
    for (BlockArgument argument : function.getArguments()) {
      std::string name = getLocationName(argument.getLoc());
      if (name.empty())
        continue;
      DictionaryAttr &attributes = arguments[argument.getArgNumber()];
      NamedAttrList named(attributes);
      named.set(kNameAttrName, StringAttr::get(module.getContext(), name));
      attributes = named.getDictionary(module.getContext());
    }
    function.setAllArgAttrs(arguments);
  }
}

bool qbackend::hasArgumentName(func::FuncOp function, unsigned index) {
  return !getChosenName(function, index).empty();
}

//===----------------------------------------------------------------------===//
// Signedness
//===----------------------------------------------------------------------===//

static bool isUnsigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return element.isUnsignedInteger() || (quantized && !quantized.isSigned());
}

SmallVector<bool> qbackend::findUnsignedResults(func::FuncOp function) {
  SmallVector<bool> result;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    result.push_back(isUnsigned(type) ||
                     function.getResultAttr(i, kUnsignedAttrName));
  return result;
}

SmallVector<bool> qbackend::findUnsignedArguments(func::FuncOp function) {
  SmallVector<bool> result;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    result.push_back(isUnsigned(type) ||
                     function.getArgAttr(i, kUnsignedAttrName));
  return result;
}
