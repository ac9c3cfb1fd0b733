// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a module before it is compiled, to be run here or to an object.

#include "qbackend/Runtime/IsolateNetwork.h"

#include "qbackend/CodeGen/Passes.h"
#include "qbackend/Dialect/QBackend/Elements.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace qbackend;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::success;

/// Dialects whose ops compute values from values. Buffers are made by the
/// lowering only.
static constexpr StringLiteral dialects[] = {
    "affine", "arith", "builtin", "cf",   "func",
    "index",  "int8",  "linalg",  "math", "ml_program",
    "scf",    "shape", "tensor",  "tosa", "ub"};

/// What the execution engine calls the functions that it adds.
static constexpr StringLiteral reservedPrefix("_mlir_");

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

static LogicalResult checkTypes(Operation *op, mlir::TypeRange types) {
  for (mlir::Type type : types) {
    if (!isValue(type))
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' op has a value of type " << type
             << "; only the operators of a network are compiled, which have "
                "tensors";
    if (isTooLarge(type))
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' op has a tensor of more than "
             << codegen::kMaxElements << " elements, too many to run on";
  }
  return success();
}

/// Whether the data of a constant is there, as it is in a file that is whole.
static LogicalResult checkData(Operation *op,
                               mlir::DenseResourceElementsAttr resource) {
  StringRef name = resource.getRawHandle().getKey();
  const mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return mlir::emitError(op->getLoc())
           << "constant '" << name
           << "' has no data; export the model again with its weights (without "
              "eliding large constants)";
  if (!hasWholeData(resource))
    return mlir::emitError(op->getLoc())
           << "constant '" << name << "' has " << blob->getData().size()
           << " bytes, which are not the elements of its type; export the "
              "model again";
  return success();
}

/// Fails if `op` is none of a network.
static LogicalResult checkOp(Operation *op) {
  bool isKnown =
      is_contained(dialects, op->getName().getDialectNamespace()) &&
      !isa<mlir::UnrealizedConversionCastOp, mlir::func::CallIndirectOp>(op);
  if (!isKnown)
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' op is not compiled: only the operators of a network are, in "
              "ops of "
           << join(ArrayRef(dialects), ", ");
  if (failed(checkTypes(op, op->getResultTypes())))
    return failure();
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (failed(checkTypes(op, block.getArgumentTypes())))
        return failure();
  auto name = op->getAttrOfType<mlir::StringAttr>(
      mlir::SymbolTable::getSymbolAttrName());
  if (name && name.getValue().starts_with(reservedPrefix))
    return mlir::emitError(op->getLoc())
           << "symbol '" << name.getValue() << "' begins with '"
           << reservedPrefix << "', which is reserved; rename it";
  for (mlir::NamedAttribute attribute : op->getAttrs())
    if (auto resource =
            dyn_cast<mlir::DenseResourceElementsAttr>(attribute.getValue()))
      if (failed(checkData(op, resource)))
        return failure();
  return success();
}

/// Whether an attribute tells LLVM more than the code does, or brings code of
/// its own (`llvm.module_asm`).
static bool isClaim(mlir::NamedAttribute attribute) {
  return attribute.getName() == "passthrough" ||
         attribute.getName().strref().starts_with("llvm.");
}

static mlir::DictionaryAttr drop(mlir::DictionaryAttr attributes) {
  if (!attributes || none_of(attributes, isClaim))
    return attributes;
  mlir::NamedAttrList kept;
  for (mlir::NamedAttribute attribute : attributes)
    if (!isClaim(attribute))
      kept.append(attribute);
  return kept.getDictionary(attributes.getContext());
}

static void dropClaims(Operation *op) {
  if (any_of(op->getDiscardableAttrs(), isClaim))
    op->setDiscardableAttrs(drop(op->getDiscardableAttrDictionary()));
  auto function = dyn_cast<mlir::func::FuncOp>(op);
  if (!function)
    return;
  SmallVector<mlir::DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  llvm::transform(arguments, arguments.begin(), drop);
  llvm::transform(results, results.begin(), drop);
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

LogicalResult runtime::isolateNetwork(ModuleOp module, mlir::func::FuncOp entry,
                                      ArrayRef<StringRef> hooks) {
  module.walk(dropClaims);
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function != entry)
      function.setPrivate();
  entry.setPublic();

  // What the entry does not reach need not compile or link.
  mlir::PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(mlir::createSymbolDCEPass());
  if (failed(pm.run(module)))
    return mlir::emitError(module.getLoc())
           << "cannot tell which functions the module uses; it may have an op "
              "of a dialect that is not registered";
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isExternal() && !is_contained(hooks, function.getName()))
      return mlir::emitError(function.getLoc())
             << "function '" << function.getName()
             << "' has no body; only the operators of a network are compiled";
  // One that doesn't end would overflow the stack, and take us along.
  mlir::CallGraph calls(module);
  for (auto scc = llvm::scc_begin(&std::as_const(calls)); !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      return mlir::emitError(scc->front()->getCallableRegion()->getLoc())
             << "the module has functions that call themselves; write the "
                "repetition as scf.for or scf.while";
  mlir::WalkResult walk = module.walk([](Operation *op) {
    return failed(checkOp(op)) ? mlir::WalkResult::interrupt()
                               : mlir::WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
