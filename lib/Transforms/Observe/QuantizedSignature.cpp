// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of a network that are quantized for its caller.

#include "QuantizedSignature.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

/// Fails unless all `indices` are below `count`.
static LogicalResult verifyIndices(func::FuncOp function, StringRef option,
                                   ArrayRef<int64_t> indices, StringRef what,
                                   unsigned count) {
  for (int64_t index : indices)
    if (index < 0 || index >= int64_t(count))
      return function.emitOpError() << "has " << count << " " << what << "s, "
                                    << option << " asks for number " << index;
  return success();
}

static void addMark(DictionaryAttr &attributes) {
  NamedAttrList marked(attributes);
  marked.set(kQuantizedAttrName, UnitAttr::get(attributes.getContext()));
  attributes = marked.getDictionary(attributes.getContext());
}

/// Removes the marks, and returns the numbers of those that had one.
static SmallVector<unsigned>
takeMarks(MutableArrayRef<DictionaryAttr> attributesOfEach) {
  SmallVector<unsigned> marked;
  for (auto [i, attributes] : llvm::enumerate(attributesOfEach)) {
    NamedAttrList kept(attributes);
    if (!kept.erase(kQuantizedAttrName))
      continue;
    marked.push_back(i);
    attributes = kept.getDictionary(attributes.getContext());
  }
  return marked;
}

/// Sets the attribute where the options say so.
static LogicalResult setMarks(ModuleOp module, ArrayRef<int64_t> inputs,
                              ArrayRef<int64_t> outputs) {
  auto functions = llvm::filter_to_vector(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return function.isPublic(); });
  if (functions.size() != 1)
    return module.emitError()
           << "quantized-inputs and quantized-outputs are for a module with "
              "one public function, this one has "
           << functions.size() << "; put the attribute '" << kQuantizedAttrName
           << "' on arguments and results instead";
  func::FuncOp function = functions.front();
  if (failed(verifyIndices(function, "quantized-inputs", inputs, "argument",
                           function.getNumArguments())) ||
      failed(verifyIndices(function, "quantized-outputs", outputs, "result",
                           function.getNumResults())))
    return failure();
  SmallVector<DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  for (int64_t index : inputs)
    addMark(arguments[index]);
  for (int64_t index : outputs)
    addMark(results[index]);
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
  return mlir::verify(function, /*verifyRecursively=*/false);
}

LogicalResult qbackend::markQuantized(ModuleOp module, ArrayRef<int64_t> inputs,
                                      ArrayRef<int64_t> outputs) {
  return inputs.empty() && outputs.empty() ? success()
                                           : setMarks(module, inputs, outputs);
}

bool qbackend::isQuantizedArgument(Value value) {
  while (auto transpose = value.getDefiningOp<TransposeOp>())
    value = transpose.getInput();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function &&
         function.getArgAttr(argument.getArgNumber(), kQuantizedAttrName);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What quantizes `value`, through changes of layout, in the order of uses.
static void collectQuantizes(Value value, SmallVectorImpl<QuantizeOp> &found) {
  for (Operation *user : value.getUsers()) {
    if (auto quantize = dyn_cast<QuantizeOp>(user))
      found.push_back(quantize);
    else if (auto transpose = dyn_cast<TransposeOp>(user))
      collectQuantizes(transpose.getOutput(), found);
  }
}

/// `value` is `from`, or layouts of it: the same layouts of `to`.
static Value rebuildLayout(Value value, Value from, Value to) {
  if (value == from)
    return to;
  auto transpose = value.getDefiningOp<TransposeOp>();
  Value input = rebuildLayout(transpose.getInput(), from, to);
  OpBuilder builder(transpose);
  return TransposeOp::create(builder, transpose.getLoc(), input,
                             transpose.getPermutation());
}

/// Erases `op`, and what gives it its layout, as far as nobody reads them.
static void eraseUnread(Operation *op) {
  while (op && isa<TransposeOp, DequantizeOp>(op) && op->use_empty()) {
    Operation *producer = op->getOperand(0).getDefiningOp();
    op->erase();
    op = producer;
  }
}

/// Says what the integers of argument or result `index` stand for.
static void remarkParameters(func::FuncOp function, StringRef what,
                             unsigned index, Type type) {
  auto element = cast<quant::UniformQuantizedType>(
      cast<RankedTensorType>(type).getElementType());
  std::string text;
  llvm::raw_string_ostream(text)
      << what << " " << index << " of @" << function.getSymName()
      << " has integers of scale " << llvm::format("%.9g", element.getScale())
      << " and zero point " << element.getZeroPoint();
  remark::analysis(function.getLoc(),
                   remark::RemarkOpts::name("QB116").category("qbackend"))
      << text;
}

static void remarkFloat(func::FuncOp function, StringRef what, unsigned index,
                        const Twine &reason) {
  remarkMissed(
      function, "QB115",
      (what + " " + Twine(index) + " of @" + function.getSymName()).str(),
      reason,
      "give it to or take it from a quantized operator, or leave it "
      "out of what is quantized for the caller");
}

/// The argument has the type that the first one to quantize it has; who reads
/// it otherwise reads what its integers stand for.
static void quantizeArgument(func::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  SmallVector<QuantizeOp> quantizes;
  collectQuantizes(argument, quantizes);
  if (quantizes.empty())
    return remarkFloat(function, "argument", index,
                       "no quantized operator reads it");
  QuantizeOp first = quantizes.front();
  for (QuantizeOp other : ArrayRef(quantizes).drop_front())
    if (other->getBlock() == first->getBlock() && other->isBeforeInBlock(first))
      first = other;
  auto asFloat = cast<RankedTensorType>(argument.getType());
  Type element =
      cast<RankedTensorType>(first.getOutput().getType()).getElementType();
  auto type = asFloat.clone(element);
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(argument.getOwner());
  argument.setType(type);
  auto dequantized =
      DequantizeOp::create(builder, argument.getLoc(), asFloat, argument);
  argument.replaceAllUsesExcept(dequantized.getOutput(), dequantized);
  for (QuantizeOp quantize : quantizes) {
    if (cast<RankedTensorType>(quantize.getOutput().getType())
            .getElementType() != element)
      continue;
    quantize.replaceAllUsesWith(
        rebuildLayout(quantize.getInput(), dequantized.getOutput(), argument));
    Operation *layout = quantize.getInput().getDefiningOp();
    quantize.erase();
    eraseUnread(layout);
  }
  remarkParameters(function, "argument", index, type);
}

/// The type of what is dequantized to `value`, in its layout; null if nothing
/// is. `made`, unless null, is set to what is dequantized, in that layout.
static Type getQuantizedSource(Value value, Value *made) {
  Value source = value;
  while (auto transpose = source.getDefiningOp<TransposeOp>())
    source = transpose.getInput();
  auto dequantize = source.getDefiningOp<DequantizeOp>();
  if (!dequantize)
    return {};
  if (made)
    *made = rebuildLayout(value, source, dequantize.getInput());
  Type element =
      cast<RankedTensorType>(dequantize.getInput().getType()).getElementType();
  return cast<RankedTensorType>(value.getType()).clone(element);
}

static void quantizeResult(func::FuncOp function, unsigned index) {
  SmallVector<func::ReturnOp> returns;
  function.walk([&](func::ReturnOp op) { returns.push_back(op); });
  Type type;
  for (func::ReturnOp op : returns) {
    Type other = getQuantizedSource(op.getOperand(index), nullptr);
    if (!other)
      return remarkFloat(function, "result", index, "what gives it is float");
    if (type && other != type)
      return remarkFloat(function, "result", index,
                         "the places that return it have different scales or "
                         "zero points");
    type = other;
  }
  if (!type)
    return;
  for (func::ReturnOp op : returns) {
    Value integers;
    getQuantizedSource(op.getOperand(index), &integers);
    Operation *layout = op.getOperand(index).getDefiningOp();
    op.setOperand(index, integers);
    eraseUnread(layout);
  }
  remarkParameters(function, "result", index, type);
}

LogicalResult qbackend::quantizeSignatures(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    // All at once: the attributes of a function's arguments are one array.
    SmallVector<DictionaryAttr> ofArguments, ofResults;
    function.getAllArgAttrs(ofArguments);
    function.getAllResultAttrs(ofResults);
    SmallVector<unsigned> inputs = takeMarks(ofArguments),
                          outputs = takeMarks(ofResults);
    if (inputs.empty() && outputs.empty())
      continue;
    function.setAllArgAttrs(ofArguments);
    function.setAllResultAttrs(ofResults);
    if (!SymbolTable::symbolKnownUseEmpty(function, module))
      return function.emitError()
             << "has '" << kQuantizedAttrName
             << "', but is called in the module; expected an entry function";
    for (unsigned index : inputs)
      quantizeArgument(function, index);
    for (unsigned index : outputs)
      quantizeResult(function, index);
    // Without a return there is nothing to go by.
    SmallVector<Type> results(function.getResultTypes());
    function.walk([&](func::ReturnOp op) {
      results.assign(op->operand_type_begin(), op->operand_type_end());
    });
    function.setType(FunctionType::get(
        function.getContext(),
        function.getFunctionBody().front().getArgumentTypes(), results));
  }
  return success();
}
