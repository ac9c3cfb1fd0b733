// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a module before it is compiled, to be run here or to an object.

#include "qbackend/Execution/Runtime/IsolateNetwork.h"

#include "PrepareModule.h"

#include "qbackend/Dialect/QBackend/DiscardableAttrs.h"
#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Execution/CodeGen/CompiledOps.h"
#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/CodeGen/Passes.h"
#include "qbackend/Operators/UndefinedArithmetic.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace qbackend;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::success;

/// What functions of a C interface begin with.
static constexpr StringLiteral reservedPrefix("_mlir_");

/// What ops of a network and their attributes are made of, at any depth:
/// element types of tensors, parts of tuples and types that are attributes.
template <typename T> static bool isOfNetworks(T part) {
  StringRef name = part.getDialect().getNamespace();
  if constexpr (std::is_same_v<T, mlir::Attribute>)
    // Kernels of the int8 dialect round as the attributes of qnnpack say.
    return (is_contained(codegen::getCompiledDialects(), name) ||
            name == "qbackend" || name == "qnnpack") &&
           !isa<mlir::OpaqueAttr>(part);
  else
    return is_contained(codegen::getCompiledDialects(), name) &&
           !isa<mlir::BaseMemRefType, mlir::VectorType, mlir::OpaqueType>(part);
}

namespace {
/// Looks for parts of attributes and types that no network has. What it has
/// seen, it does not look into again.
class Parts {
public:
  Parts() {
    walker.addWalk([this](mlir::Type type) { return visit(type); });
    walker.addWalk(
        [this](mlir::Attribute attribute) { return visit(attribute); });
  }

  /// The first one in `whole`, as it is written; empty if there is none.
  template <typename T> std::string findForeign(T whole) {
    found.clear();
    walker.walk(whole);
    return found;
  }

private:
  template <typename T> mlir::WalkResult visit(T part) {
    if (isOfNetworks(part))
      return mlir::WalkResult::advance();
    raw_string_ostream(found) << part;
    return mlir::WalkResult::interrupt();
  }

  mlir::AttrTypeWalker walker;
  std::string found;
};
} // namespace

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

static LogicalResult checkTypes(Operation *op, mlir::TypeRange types,
                                Parts &parts) {
  for (mlir::Type type : types) {
    if (!parts.findForeign(type).empty())
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

/// Whether processors compute with numbers of `type`, without functions of a
/// library that isn't everywhere.
static bool isComputedWith(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<mlir::IntegerType>(element))
    return integer.getWidth() <= 128;
  return !isa<mlir::FloatType>(element) ||
         isa<mlir::Float16Type, mlir::BFloat16Type, mlir::Float32Type,
             mlir::Float64Type>(element);
}

static bool isWiderThan(mlir::Type type, unsigned bits) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > bits;
}

/// LLVM ends the process where it has no code for an op.
static LogicalResult checkNumbers(Operation *op) {
  if (!is_contained({"arith", "math", "tosa"},
                    op->getName().getDialectNamespace()) ||
      op->hasTrait<mlir::OpTrait::ConstantLike>() ||
      isa<mlir::arith::BitcastOp, mlir::arith::SelectOp>(op))
    return success();
  SmallVector<mlir::Type> types(op->getOperandTypes());
  append_range(types, op->getResultTypes());
  for (mlir::Type type : types)
    if (!isComputedWith(type))
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' op computes with " << type
             << "; cast to f16, bf16, f32, f64 or integers of at most 128 bits "
                "in the network";
  if (isa<mlir::arith::FPToSIOp, mlir::arith::FPToUIOp, mlir::arith::SIToFPOp,
          mlir::arith::UIToFPOp>(op)) {
    bool fromFloat = isa<mlir::arith::FPToSIOp, mlir::arith::FPToUIOp>(op);
    mlir::Type asFloat = types[fromFloat ? 0 : 1];
    mlir::Type integer = types[fromFloat ? 1 : 0];
    if (!isWiderThan(asFloat, 16) && isWiderThan(integer, 64))
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' op casts between " << asFloat
             << " and " << integer << "; cast to f32 or i64 in between";
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
  if (!blob->getData().empty() && codegen::getElementBytes(resource).empty())
    return mlir::emitError(op->getLoc())
           << "constant '" << name << "' is a resource of "
           << resource.getElementType()
           << ", which LLVM stores otherwise; write it as dense<...>";
  return success();
}

/// The divisors of floordiv, ceildiv and mod of a map, and the basis of an
/// index, have to be positive constants.
static LogicalResult checkDivisors(Operation *op) {
  if (auto loop = dyn_cast<mlir::affine::AffineForOp>(op);
      loop && loop.getStepAsInt() < 1)
    return mlir::emitError(op->getLoc())
           << "'affine.for' op has step " << loop.getStepAsInt()
           << "; expected a positive one";
  auto fail = [&]() -> LogicalResult {
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' op divides by what isn't known to be positive; write positive "
              "constants in its map or basis, or arith.floordivsi and "
              "arith.remsi";
  };
  ArrayRef<int64_t> basis;
  if (auto split = dyn_cast<mlir::affine::AffineDelinearizeIndexOp>(op))
    basis = split.getStaticBasis();
  else if (auto join = dyn_cast<mlir::affine::AffineLinearizeIndexOp>(op))
    basis = join.getStaticBasis();
  // What isn't constant is the smallest number.
  if (any_of(basis, [](int64_t size) { return size < 1; }))
    return fail();
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    auto map = dyn_cast<mlir::AffineMapAttr>(attribute.getValue());
    if (!map)
      continue;
    bool isSafe = true;
    map.getValue().walkExprs([&](mlir::AffineExpr expr) {
      auto binary = dyn_cast<mlir::AffineBinaryOpExpr>(expr);
      if (!binary ||
          is_contained({mlir::AffineExprKind::Add, mlir::AffineExprKind::Mul},
                       binary.getKind()))
        return;
      auto divisor = dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
      isSafe &= divisor && divisor.getValue() > 0;
    });
    if (!isSafe)
      return fail();
  }
  return success();
}

/// What a variable begins with has to be of its type, which nothing else
/// compares.
static LogicalResult checkVariable(mlir::ml_program::GlobalOp variable) {
  auto value = dyn_cast_or_null<mlir::TypedAttr>(variable.getValueAttr());
  if (!value || value.getType() == variable.getType())
    return success();
  return mlir::emitError(variable.getLoc())
         << "variable '" << variable.getSymName() << "' is of type "
         << variable.getType() << ", but begins with a value of type "
         << value.getType() << "; give it the type of its value";
}

/// Fails if `op` is none of a network.
static LogicalResult checkOp(Operation *op, Parts &parts,
                             ConstantEvaluator &constants) {
  std::optional<codegen::RuntimeCheck> known =
      codegen::findCompiledOp(op->getName());
  if (!known)
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' op is not compiled: only the operators of a network are, in "
              "ops of "
           << join(codegen::getCompiledDialects(), ", ");
  if (*known == codegen::RuntimeCheck::ConstantDivision &&
      failed(checkDivisors(op)))
    return failure();
  if (auto variable = dyn_cast<mlir::ml_program::GlobalOp>(op))
    if (failed(checkVariable(variable)))
      return failure();
  if (failed(checkTypes(op, op->getResultTypes(), parts)))
    return failure();
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (failed(checkTypes(op, block.getArgumentTypes(), parts)))
        return failure();
  if (failed(checkNumbers(op)))
    return failure();
  if (std::optional<std::string> undefined = findUndefined(op, constants))
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' op " << *undefined;
  auto name = op->getAttrOfType<mlir::StringAttr>(
      mlir::SymbolTable::getSymbolAttrName());
  if (name && name.getValue().starts_with(reservedPrefix))
    return mlir::emitError(op->getLoc())
           << "symbol '" << name.getValue() << "' begins with '"
           << reservedPrefix << "', which is reserved; rename it";
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    std::string foreign = parts.findForeign(attribute.getValue());
    if (!foreign.empty())
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' op has '" << foreign << "' in '"
             << attribute.getName().strref()
             << "'; only the operators of a network are compiled, which have "
                "tensors";
    if (auto resource =
            dyn_cast<mlir::DenseResourceElementsAttr>(attribute.getValue()))
      if (failed(checkData(op, resource)))
        return failure();
  }
  return success();
}

/// Whether an attribute that no op has asked for may stay. Most are claims that
/// a pass believes, such as how a buffer is laid out (`bufferization`), what
/// LLVM may assume (`llvm`, `passthrough`, or the name of a property of
/// llvm.func) and which loops run in parallel; some bring code of their own
/// (`llvm.module_asm`).
static bool isKept(mlir::NamedAttribute attribute) {
  return attribute.getName().strref().starts_with("qbackend.") &&
         attribute.getName() != kUnitsAttrName &&
         attribute.getName() != kParallelAttrName;
}

static mlir::DictionaryAttr drop(mlir::DictionaryAttr attributes) {
  if (!attributes || all_of(attributes, isKept))
    return attributes;
  mlir::NamedAttrList kept;
  for (mlir::NamedAttribute attribute : attributes)
    if (isKept(attribute))
      kept.append(attribute);
  return kept.getDictionary(attributes.getContext());
}

/// Of arguments or results: null if nothing is left.
static mlir::ArrayAttr drop(mlir::ArrayAttr attributes) {
  if (!attributes)
    return attributes;
  SmallVector<mlir::Attribute> kept;
  for (auto dictionary : attributes.getAsRange<mlir::DictionaryAttr>())
    kept.push_back(drop(dictionary));
  if (all_of(kept, [](mlir::Attribute attribute) {
        return cast<mlir::DictionaryAttr>(attribute).empty();
      }))
    return {};
  return mlir::ArrayAttr::get(attributes.getContext(), kept);
}

static void dropClaims(Operation *op, mlir::AttrTypeReplacer &locations) {
  op->setDiscardableAttrs(drop(op->getDiscardableAttrDictionary()));
  // What arithmetic never is, such as a sum that wraps: LLVM would leave out
  // the check of an index that is one.
  if (auto integers =
          dyn_cast<mlir::arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(integers.getIntegerOverflowAttrName(),
                mlir::arith::IntegerOverflowFlagsAttr::get(
                    op->getContext(), mlir::arith::IntegerOverflowFlags::none));
  if (auto asFloats = dyn_cast<mlir::arith::ArithFastMathInterface>(op))
    if (mlir::arith::FastMathFlagsAttr flags = asFloats.getFastMathFlagsAttr())
      op->setAttr(asFloats.getFastMathAttrName(),
                  mlir::arith::FastMathFlagsAttr::get(
                      op->getContext(),
                      flags.getValue() & ~(mlir::arith::FastMathFlags::nnan |
                                           mlir::arith::FastMathFlags::ninf)));
  if (isa_and_nonnull<mlir::arith::ArithDialect>(op->getDialect()))
    op->removeAttr("isExact");
  if (auto join = dyn_cast<mlir::affine::AffineLinearizeIndexOp>(op))
    join.setDisjoint(false);
  // Of functions and calls.
  if (auto described = dyn_cast<mlir::ArgAndResultAttrsOpInterface>(op)) {
    if (mlir::ArrayAttr kept = drop(described.getArgAttrsAttr()))
      described.setArgAttrsAttr(kept);
    else
      described.removeArgAttrsAttr();
    if (mlir::ArrayAttr kept = drop(described.getResAttrsAttr()))
      described.setResAttrsAttr(kept);
    else
      described.removeResAttrsAttr();
  }
  locations.replaceElementsIn(op, /*replaceAttrs=*/false, /*replaceLocs=*/true);
}

bool runtime::isRuntimeFunction(StringRef name) {
  static const StringSet<> names = {
      "aligned_alloc", "free",   "malloc", "memcpy",
      "memmove",       "memset", "acos",   "acosh",
      "asin",          "asinh",  "atan",   "atan2",
      "atanh",         "cbrt",   "ceil",   "cos",
      "cosh",          "erf",    "erfc",   "exp",
      "exp2",          "expm1",  "fabs",   "floor",
      "fma",           "fmod",   "log",    "log10",
      "log1p",         "log2",   "pow",    "round",
      "roundeven",     "sin",    "sinh",   "sqrt",
      "tan",           "tanh",   "trunc",  "qbackend_runtime_assert_failed"};
  return names.contains(name) ||
         (name.consume_back("f") && names.contains(name));
}

/// Whether the lowering or LLVM could take a function of this name for another
/// one.
static bool isTaken(StringRef name) {
  return runtime::isRuntimeFunction(name) || name.starts_with("__") ||
         name.starts_with("qbackend_runtime_") ||
         name == "qbackend_round_to_odd" || name == "dealloc_helper";
}

/// Uses of symbols are not known inside of an op with a region that nobody
/// knows.
static LogicalResult failOnUnknownUses(ModuleOp module) {
  return mlir::emitError(module.getLoc())
         << "cannot tell which functions the module uses; it may have an op of "
            "a dialect that is not registered";
}

/// Gives functions other names where theirs are taken.
static LogicalResult rename(ModuleOp module, mlir::func::FuncOp entry,
                            bool mayRename) {
  mlir::SymbolTable table(module);
  for (auto function : llvm::to_vector(module.getOps<mlir::func::FuncOp>())) {
    if (function.isExternal() || !isTaken(function.getName()))
      continue;
    if (function == entry && !mayRename)
      return mlir::emitError(function.getLoc())
             << "function '" << function.getName()
             << "' has the name of one that its code may call; rename it";
    if (failed(table.renameToUnique(function, {})))
      return failOnUnknownUses(module);
  }
  return success();
}

LogicalResult runtime::isolateNetwork(ModuleOp module, mlir::func::FuncOp entry,
                                      ArrayRef<StringRef> hooks,
                                      bool mayRename) {
  // LLVM takes what describes a program in another language for its own.
  mlir::AttrTypeReplacer locations;
  locations.addReplacement([](mlir::FusedLoc fused) -> mlir::Attribute {
    mlir::Attribute metadata = fused.getMetadata();
    if (!metadata || isa<mlir::BuiltinDialect>(metadata.getDialect()))
      return fused;
    return mlir::FusedLoc::get(fused.getLocations(), {}, fused.getContext());
  });
  module.walk([&](Operation *op) { dropClaims(op, locations); });
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function != entry)
      function.setPrivate();
  entry.setPublic();

  // What the entry does not reach need not compile or link.
  mlir::PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(mlir::createSymbolDCEPass());
  if (failed(pm.run(module)))
    return failOnUnknownUses(module);
  if (failed(rename(module, entry, mayRename)))
    return failure();
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
  Parts parts;
  ConstantEvaluator constants;
  mlir::WalkResult walk = module.walk([&](Operation *op) {
    return failed(checkOp(op, parts, constants)) ? mlir::WalkResult::interrupt()
                                                 : mlir::WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
