// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the functions that a backend gives as its patterns' arithmetic.
//
// Such a function works on stored integers. An argument says by its
// `qbackend.role` what it is: a tensor ("input0", "weight", "bias"), or the
// scale or zero point of one ("input0.scale", "output.zero_point"), or an
// attribute of the operator ("attribute.stride").

#include "ReferenceImplementation.h"

#include "qbackend/Transforms/Analysis/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace qbackend;

func::FuncOp ReferenceImplementations::getOrCopy(StringAttr name) {
  if (func::FuncOp copy = copies.lookup(name))
    return copy;
  auto original = functions.lookupSymbol<func::FuncOp>(name);
  if (!original)
    return {};
  if (functions == symbols.getOp())
    return copies[name] = original;
  auto copy = cast<func::FuncOp>(original->clone());
  copy.setPrivate();
  symbols.insert(copy);
  copies[name] = copy;
  // A callee is renamed if the module has that name already.
  copy.walk([&](func::CallOp call) {
    if (func::FuncOp callee = getOrCopy(call.getCalleeAttr().getAttr()))
      call.setCallee(callee.getSymName());
  });
  return copy;
}

/// The quantized tensor behind a float value.
static Value getQuantized(Value asFloat) {
  auto producer =
      asFloat ? asFloat.getDefiningOp<DequantizeOp>() : DequantizeOp();
  return producer ? producer.getInput() : Value();
}

/// The tensor of `role` in `op`; null if there is none.
static Value getTensor(OperatorOp op, StringRef role) {
  if (role == "weight")
    return getQuantized(op.getWeight());
  if (role == "bias")
    return getQuantized(op.getBias());
  unsigned index;
  if (!role.consume_front("input") || role.getAsInteger(10, index) ||
      index >= op.getInputs().size())
    return {};
  return getQuantized(op.getInputs()[index]);
}

/// The scales or zero points of `type` as `wanted`, a number or a tensor of
/// one number for each channel; null if they don't fit.
static TypedAttr getParameters(Type type, bool scale, Type wanted) {
  SmallVector<double> numbers;
  Type element = cast<RankedTensorType>(type).getElementType();
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(element)) {
    numbers.push_back(scale ? perTensor.getScale() : perTensor.getZeroPoint());
  } else if (auto perAxis =
                 dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    if (scale)
      llvm::append_range(numbers, perAxis.getScales());
    else
      llvm::append_range(numbers, perAxis.getZeroPoints());
  }
  Builder builder(type.getContext());
  auto number = [&](double value, Type as) -> TypedAttr {
    if (isa<FloatType>(as))
      return builder.getFloatAttr(as, value);
    return builder.getIntegerAttr(as, int64_t(value));
  };
  auto tensor = dyn_cast<RankedTensorType>(wanted);
  Type as = tensor ? tensor.getElementType() : wanted;
  if (scale ? !as.isF32() && !as.isF64() : !as.isInteger(32))
    return {};
  if (!tensor)
    return numbers.size() == 1 ? number(numbers[0], as) : TypedAttr();
  if (tensor.getRank() != 1)
    return {};
  auto values = llvm::map_to_vector(
      numbers, [&](double value) -> Attribute { return number(value, as); });
  return DenseElementsAttr::get(
      RankedTensorType::get({int64_t(values.size())}, as), values);
}

/// `attribute`, a number or a list of integers, as `wanted`: a number, or a
/// tensor of as many; null if it doesn't fit.
static TypedAttr convertAttribute(Attribute attribute, Type wanted) {
  Builder builder(attribute.getContext());
  auto list = dyn_cast<ArrayAttr>(attribute);
  auto tensor = dyn_cast<RankedTensorType>(wanted);
  Type as = tensor ? tensor.getElementType() : wanted;
  auto convert = [&](Attribute number) -> TypedAttr {
    if (auto integer = dyn_cast<IntegerAttr>(number);
        integer && (as.isInteger(32) || as.isInteger(64) || as.isIndex()))
      return builder.getIntegerAttr(as, integer.getInt());
    if (auto asFloat = dyn_cast<FloatAttr>(number);
        asFloat && (as.isF32() || as.isF64()))
      return builder.getFloatAttr(as, asFloat.getValueAsDouble());
    return {};
  };
  if (!tensor)
    return list ? TypedAttr() : convert(attribute);
  if (!list || tensor.getRank() != 1)
    return {};
  SmallVector<Attribute> numbers = llvm::map_to_vector(
      list, [&](Attribute number) -> Attribute { return convert(number); });
  if (llvm::is_contained(numbers, Attribute()))
    return {};
  return DenseElementsAttr::get(
      RankedTensorType::get({int64_t(numbers.size())}, as), numbers);
}

/// The integers of a quantized tensor.
static Value createStorage(OpBuilder &builder, Location loc, Value quantized) {
  auto type = cast<RankedTensorType>(quantized.getType());
  auto element = cast<quant::QuantizedType>(type.getElementType());
  auto storage = builder.getIntegerType(element.getStorageTypeIntegralWidth());
  return quant::StorageCastOp::create(builder, loc, type.clone(storage),
                                      quantized);
}

/// `value` in `type`, which is less or more static; null if it can't be.
static Value createCast(OpBuilder &builder, Location loc, Value value,
                        Type type) {
  if (value.getType() == type)
    return value;
  if (!tensor::CastOp::areCastCompatible(value.getType(), type))
    return {};
  return tensor::CastOp::create(builder, loc, type, value);
}

LogicalResult ReferenceImplementations::apply(OperatorOp op) {
  FlatSymbolRefAttr reference = op.getQuantized().getReference();
  func::FuncOp function = getOrCopy(reference.getAttr());
  auto fail = [&]() {
    InFlightDiagnostic diag = op.emitOpError();
    for (auto pattern : config.getBody().front().getOps<PatternConfigOp>())
      if (pattern.getConfig().getReference() == reference &&
          pattern.getTree() == op.getQuantized().getPattern())
        diag.attachNote(pattern.getLoc())
            << "reference required by this pattern";
    return diag;
  };
  if (!function)
    return fail() << "has the reference " << reference
                  << ", which is no function of the backend's file";
  QuantizeOp quantize;
  if (op->hasOneUse())
    quantize = dyn_cast<QuantizeOp>(*op->user_begin());
  if (!quantize)
    return fail() << "can't call " << reference
                  << ": its result is not quantized";
  Location loc = op.getLoc();
  OpBuilder builder(quantize);
  SmallVector<Value> arguments;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    Type wanted = function.getArgumentTypes()[i];
    auto name = function.getArgAttrOfType<StringAttr>(i, kRoleAttrName);
    if (!name)
      return fail() << "can't call " << reference << ": argument " << i
                    << " has no '" << kRoleAttrName << "'";
    auto [role, parameter] = name.getValue().split('.');
    if (role == "attribute") {
      // Of what is fused, the first that has it: the layer.
      TypedAttr value;
      std::string known;
      for (OperatorKindAttrInterface kind : op.getOperatorKinds())
        for (auto &[found, attribute] : getKindFields(kind)) {
          known += (known.empty() ? "" : ", ") + found;
          if (found == parameter && !value)
            value = convertAttribute(attribute, wanted);
        }
      Value constant =
          value ? createCast(builder, loc,
                             arith::ConstantOp::create(builder, loc, value),
                             wanted)
                : Value();
      if (!constant)
        return fail() << "can't call " << reference << ": argument " << i
                      << " of type " << wanted << " is the attribute '"
                      << parameter << "'; " << op.getKindName() << " has "
                      << (known.empty() ? "none" : known)
                      << ", lists as tensors of i32 or i64, single numbers as "
                         "they are";
      arguments.push_back(constant);
      continue;
    }
    // A bias that stays float is passed as it is.
    if (name.getValue() == "bias" && op.getBias() &&
        !getQuantized(op.getBias())) {
      Value bias = createCast(builder, loc, op.getBias(), wanted);
      if (!bias)
        return fail() << "can't call " << reference << ": argument " << i
                      << " is of type " << wanted << ", the bias of "
                      << op.getBias().getType();
      arguments.push_back(bias);
      continue;
    }
    Type type;
    Value tensor;
    if (role == "output") {
      type = quantize.getOutput().getType();
    } else {
      tensor = getTensor(op, role);
      if (!tensor)
        return fail() << "can't call " << reference << ": the operator has no "
                      << role << " that is quantized";
      type = tensor.getType();
    }
    Value argument;
    if (parameter.empty())
      argument =
          createCast(builder, loc, createStorage(builder, loc, tensor), wanted);
    else if (TypedAttr numbers =
                 getParameters(type, parameter == "scale", wanted))
      argument =
          createCast(builder, loc,
                     arith::ConstantOp::create(builder, loc, numbers), wanted);
    if (!argument)
      return fail() << "can't call " << reference << ": argument " << i
                    << " is of type " << wanted << ", which does not fit "
                    << name << " of " << type;
    arguments.push_back(argument);
  }
  auto type = cast<RankedTensorType>(quantize.getOutput().getType());
  auto element = cast<quant::QuantizedType>(type.getElementType());
  auto storage =
      type.clone(builder.getIntegerType(element.getStorageTypeIntegralWidth()));
  auto call = func::CallOp::create(builder, loc, function, arguments);
  Value result = call.getNumResults() == 1
                     ? createCast(builder, loc, call.getResult(0), storage)
                     : Value();
  if (!result)
    return fail() << "can't call " << reference << ": it gives "
                  << function.getResultTypes() << ", expected " << storage;
  quantize.getOutput().replaceAllUsesWith(
      quant::StorageCastOp::create(builder, loc, type, result));
  quantize.erase();
  op.erase();
  return success();
}
