// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a module before it is compiled, and marks its functions.

#include "PrepareModule.h"

#include "InitialState.h"

#include "qbackend/CodeGen/Passes.h"
#include "qbackend/Dialect/QBackend/Elements.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend;
using mlir::ModuleOp;

/// Dialects whose ops compute values from values. Buffers are made by the
/// lowering only.
static constexpr StringLiteral dialects[] = {
    "affine", "arith", "builtin", "cf",   "func",
    "index",  "int8",  "linalg",  "math", "ml_program",
    "scf",    "shape", "tensor",  "tosa", "ub"};

/// What the execution engine calls the functions that it adds.
static constexpr StringLiteral reservedPrefix("_mlir_");

Error runtime::makeErrorAt(mlir::Location location, const Twine &message) {
  std::string text;
  raw_string_ostream os(text);
  if (!isa<mlir::UnknownLoc>(location))
    os << location << ": ";
  os << message;
  return createStringError(text);
}

static bool isValue(mlir::Type type) {
  return is_contained(dialects, type.getDialect().getNamespace()) &&
         !isa<mlir::BaseMemRefType, mlir::VectorType>(type);
}

/// Whether memory can't hold a tensor of `type`: an extent that is a slip of
/// the pen shouldn't take all of it.
static bool isTooLarge(mlir::Type type) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  double elements = 1;
  if (tensor)
    for (int64_t extent : tensor.getShape())
      elements *= mlir::ShapedType::isDynamic(extent) ? 1 : extent;
  return elements > codegen::kMaxElements;
}

/// Fails if `op` is none of a network.
static Error checkOp(mlir::Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool isKnown =
      is_contained(dialects, dialect) &&
      !isa<mlir::UnrealizedConversionCastOp, mlir::func::CallIndirectOp>(op);
  if (!isKnown)
    return runtime::makeErrorAt(
        op->getLoc(), "'" + op->getName().getStringRef() +
                          "' op is not run: only the operators of a network "
                          "are, in ops of " +
                          join(ArrayRef(dialects), ", "));
  auto check = [&](mlir::TypeRange types) -> Error {
    for (mlir::Type type : types)
      if (!isValue(type)) {
        std::string text;
        raw_string_ostream(text) << type;
        return runtime::makeErrorAt(
            op->getLoc(), "'" + op->getName().getStringRef() +
                              "' op has a value of type " + text +
                              "; only the operators of a network are run, "
                              "which have tensors");
      } else if (isTooLarge(type)) {
        return runtime::makeErrorAt(op->getLoc(),
                                    "'" + op->getName().getStringRef() +
                                        "' op has a tensor of more than " +
                                        Twine(codegen::kMaxElements) +
                                        " elements, too many to run on");
      }
    return Error::success();
  };
  if (Error error = check(op->getResultTypes()))
    return error;
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (Error error = check(block.getArgumentTypes()))
        return error;

  auto name = op->getAttrOfType<mlir::StringAttr>(
      mlir::SymbolTable::getSymbolAttrName());
  if (name && name.getValue().starts_with(reservedPrefix))
    return runtime::makeErrorAt(
        op->getLoc(), "symbol '" + name.getValue() + "' begins with '" +
                          reservedPrefix + "', which is reserved; rename it");
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    auto resource =
        dyn_cast<mlir::DenseResourceElementsAttr>(attribute.getValue());
    if (!resource)
      continue;
    std::string text = ("constant '" + resource.getRawHandle().getKey()).str();
    const mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return runtime::makeErrorAt(
          op->getLoc(), text + "' has no data; export the model again with its "
                               "weights (without eliding large constants)");
    if (!hasWholeData(resource))
      return runtime::makeErrorAt(
          op->getLoc(), text + "' has " + Twine(blob->getData().size()) +
                            " bytes, which are not the elements of its type; "
                            "export the model again");
  }
  return Error::success();
}

/// Attributes without those that tell LLVM more than the code does, or bring
/// code of their own (`llvm.module_asm`).
static mlir::DictionaryAttr drop(mlir::DictionaryAttr attributes) {
  mlir::NamedAttrList kept;
  for (mlir::NamedAttribute attribute : attributes)
    if (attribute.getName() != "passthrough" &&
        !attribute.getName().strref().starts_with("llvm."))
      kept.append(attribute);
  return kept.getDictionary(attributes.getContext());
}

static void dropClaims(mlir::func::FuncOp function) {
  function->setDiscardableAttrs(drop(function->getDiscardableAttrDictionary()));
  SmallVector<mlir::DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  llvm::transform(arguments, arguments.begin(), drop);
  llvm::transform(results, results.begin(), drop);
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

/// Marks what is called from outside and how.
static void markFunctions(ModuleOp module, mlir::func::FuncOp entry,
                          ArrayRef<StringRef> hooks) {
  mlir::Builder builder(module.getContext());
  mlir::UnitAttr unit = builder.getUnitAttr();
  StringRef wrapper = mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName();
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    dropClaims(function);
    if (function != entry)
      function.setPrivate();
    if (!function.isExternal() || !is_contained(hooks, function.getName()))
      continue;
    function->setAttr(wrapper, unit);
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      if (isa<mlir::TensorType>(function.getArgumentTypes()[i]))
        function.setArgAttr(i, "bufferization.access",
                            builder.getStringAttr("read"));
  }
  entry.setPublic();
  entry->setAttr(wrapper, unit);
  // Inlining into the C wrapper would lose that arguments are not aliased by
  // fresh buffers.
  entry->setAttr("passthrough",
                 builder.getArrayAttr({builder.getStringAttr("noinline")}));
}

Error runtime::prepareModule(ModuleOp module, mlir::func::FuncOp entry,
                             ArrayRef<StringRef> hooks) {
  module.walk([](ModuleOp nested) {
    nested->setDiscardableAttrs(drop(nested->getDiscardableAttrDictionary()));
  });
  markFunctions(module, entry, hooks);

  // What the entry does not reach need not compile or link.
  mlir::PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(mlir::createSymbolDCEPass());
  if (failed(pm.run(module)))
    return createStringError(
        "cannot tell which functions the module uses; it may have an op of a "
        "dialect that is not registered");
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isExternal() && !is_contained(hooks, function.getName()))
      return runtime::makeErrorAt(
          function.getLoc(),
          "function '" + function.getName() +
              "' has no body; only the operators of a network "
              "are run");
  if (Error error = startFromInitialState(module, entry))
    return error;
  // One that doesn't end would overflow the stack, and take us along.
  mlir::CallGraph calls(module);
  for (auto scc = llvm::scc_begin(&std::as_const(calls)); !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      return createStringError("the module has functions that call themselves; "
                               "write the repetition as scf.for or scf.while");

  std::string message;
  module.walk([&](mlir::Operation *op) {
    Error error = checkOp(op);
    if (!error)
      return mlir::WalkResult::advance();
    message = toString(std::move(error));
    return mlir::WalkResult::interrupt();
  });
  if (!message.empty())
    return createStringError(message);
  return Error::success();
}
