// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what all generated kernels are made of: loads, broadcasts, dot
// products, loops, copies of images. More than 600 lines, as each is a method
// of a few lines of the one class that kernels derive from.

#include "KernelEmitter.h"

#include "Requantization/FloatMultipliers.h"

#include "qbackend/Dialect/QBackend/DiscardableAttrs.h"
#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <numeric>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

ConvolutionShape::ConvolutionShape(int8::Conv2dOp op) {
  ShapedType inputType = op.getInput().getType(),
             weightType = op.getWeight().getType(),
             resultType = op.getInit().getType();
  batch = inputType.getDimSize(0);
  height = inputType.getDimSize(1);
  width = inputType.getDimSize(2);
  in = inputType.getDimSize(3);
  kernelHeight = weightType.getDimSize(1);
  kernelWidth = weightType.getDimSize(2);
  resultHeight = resultType.getDimSize(1);
  resultWidth = resultType.getDimSize(2);
  out = resultType.getDimSize(3);
  groups = op.getGroups();
  inGroup = in / groups;
  outGroup = out / groups;
  strideY = op.getStride()[0];
  strideX = op.getStride()[1];
  dilationY = op.getDilation()[0];
  dilationX = op.getDilation()[1];
  top = op.getPadding()[0];
  bottom = op.getPadding()[1];
  left = op.getPadding()[2];
  right = op.getPadding()[3];
  bool isPointwise = kernelHeight == 1 && kernelWidth == 1 && strideY == 1 &&
                     strideX == 1 && top + bottom + left + right == 0;
  if (!isPointwise)
    return;
  // Pixels don't know of their rows.
  width = resultWidth = height * width;
  height = resultHeight = 1;
  if (ShapedType::isDynamic(batch))
    return;
  width = resultWidth = batch * width;
  batch = 1;
}

/// Whether the multipliers of `op` are fixed-point numbers.
static bool hasFixedPoint(int8::Conv2dOp op) {
  return op.getMultiplier() &&
         op.getMultiplier().getType().getElementType().isInteger(64);
}

KernelEmitter::KernelEmitter(const KernelTarget &target, int8::Conv2dOp op)
    : target(target), shape(op), isSigned(op.getIsSigned()),
      packs(target.pack && op.getRequantizeAttr() && !op.getResidual()),
      isFixedPoint(hasFixedPoint(op)), offset(0),
      activationBits(op.isWide() ? 16 : 8), isWide(op.isWide()),
      requantize(op.getRequantizeAttr()), add(op.getAddAttr()) {
  needsCopy = shape.top + shape.bottom + shape.left + shape.right != 0;
  copySize =
      shape.paddedHeight() * shape.paddedWidth() * shape.in + getCopySlack();
  if (target.sign == InputSign::Unsigned && isSigned)
    offset = 128;
  if (target.sign == InputSign::Signed && !isSigned)
    offset = -128;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static const int32_t shifterBits = llvm::bit_cast<int32_t>(shifter);

namespace {
/// Their order in getNumbers.
enum Number : unsigned {
  Padding,
  Low,
  High,
  Overflow,
  ZeroPoint,
  // With an addition:
  LeftFactor,
  RightFactor,
  SumOffset,
  SumLow,
  SumHigh,
  SumZeroPoint,
  // Without:
  PackedZeroPoint = LeftFactor,
  PackedLow,
  PackedHigh
};
} // namespace

bool KernelEmitter::isClampedBelow() const {
  return requantize.getLo() > (isSigned ? -128 : 0);
}

bool KernelEmitter::isClampedAbove() const {
  return (floatParts != 0 || requantize.getOverflow() != requantize.getHi()) &&
         requantize.getHi() < (isSigned ? 127 : 255);
}

bool KernelEmitter::isUnlimited() const {
  return floatParts != 0 && requantize.getLo() == -128 &&
         requantize.getHi() == 127;
}

SmallVector<StringRef> KernelEmitter::getNumberNames() const {
  SmallVector<StringRef> names = {"padding"};
  if (requantize)
    names.append({"low", "high", "overflow", "zeroPoint"});
  if (add)
    names.append({"leftFactor", "rightFactor", "sumOffset", "sumLow", "sumHigh",
                  "sumZeroPoint"});
  else if (packs)
    names.append({"packedZeroPoint", "packedLow", "packedHigh"});
  return names;
}

SmallVector<TypedAttr> KernelEmitter::getNumbers(int8::Conv2dOp op) const {
  Builder b(op.getContext());
  bool byIntegers = isFixedPoint || requantizer;
  SmallVector<TypedAttr> numbers = {
      b.getIntegerAttr(b.getIntegerType(getScratchBits()), op.getPadValue())};
  if (!requantize)
    return numbers;
  int64_t zeroPoint = requantize.getZeroPoint();
  for (int64_t number :
       {requantize.getLo(), requantize.getHi(), requantize.getOverflow()}) {
    if (floatParts != 0)
      numbers.push_back(b.getI32IntegerAttr(number + shifterBits));
    else if (byIntegers)
      numbers.push_back(
          b.getI32IntegerAttr(number - (byDoubles ? 0 : zeroPoint)));
    else
      numbers.push_back(b.getF32FloatAttr(number - zeroPoint));
  }
  if (floatParts != 0)
    numbers.push_back(b.getI32IntegerAttr(-shifterBits));
  else if (add || byDoubles)
    numbers.push_back(
        b.getI32IntegerAttr(zeroPoint - (byIntegers ? 0 : shifterBits)));
  else
    numbers.push_back(b.getI8IntegerAttr(zeroPoint));
  if (packs) {
    numbers.push_back(b.getI16IntegerAttr(zeroPoint));
    for (int64_t limit : {requantize.getLo(), requantize.getHi()})
      numbers.push_back(b.getI8IntegerAttr(static_cast<int8_t>(limit)));
  }
  if (!add)
    return numbers;
  // Half of the unit is added before the shift, and rounds up; for ties away
  // from zero it depends on the sign.
  uint32_t offset = -static_cast<uint32_t>(add.getOffset());
  if (add.getHalfUp())
    offset += uint32_t(1) << (add.getShift() - 1);
  int32_t y = add.getZeroPoint();
  for (int32_t number : {add.getLhs(), add.getRhs(), int32_t(offset),
                         add.getLo() - y, add.getHi() - y, y})
    numbers.push_back(b.getI32IntegerAttr(number));
  return numbers;
}

Attribute KernelEmitter::getNumbersKey(int8::Conv2dOp op) const {
  SmallVector<int64_t> key;
  if (requantize)
    key.append({requantize.getOverflow() != requantize.getHi(),
                requantize.getZeroPoint() != 0, isFixedPoint,
                static_cast<int64_t>(requantize.getRounding()),
                byDoubles && requantize.getLo() == -128,
                byDoubles && requantize.getHi() == 127, isUnlimited()});
  if (packs)
    key.append({isClampedBelow(), isClampedAbove()});
  if (add)
    key.append({add.getShift(), add.getHalfUp(), add.getZeroPoint() != 0});
  return DenseI64ArrayAttr::get(op.getContext(), key);
}

Value KernelEmitter::splatNumber(unsigned index) {
  Value number = buffers.numbers[index];
  int64_t lanes = target.lanes;
  if (packs && index >= PackedZeroPoint)
    lanes *= 32 / number.getType().getIntOrFloatBitWidth();
  return vector::BroadcastOp::create(*builder,
                                     vectorOf(lanes, number.getType()), number);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void WeightWriter::grow(size_t wanted) {
  Memory larger = allocateMemory(wanted);
  if (!larger)
    llvm::report_bad_alloc_error("weights in the order of the tiles");
  if (size != 0)
    std::memcpy(larger.get(), bytes.data.get(), size);
  bytes.data = std::move(larger);
  capacity = wanted;
}

PackedConstants KernelEmitter::pack(ArrayRef<int8_t> weight,
                                    ArrayRef<int32_t> bias,
                                    ArrayRef<int32_t> multiplier,
                                    ArrayRef<int64_t> fixedPoint) const {
  PackedConstants packed;
  packed.offsets = packOffsets();
  {
    WeightWriter writer(packed.weight, weight.size() * target.weightBits / 8,
                        target.weightBits == 16);
    packWeight(weight, writer);
  }
  int64_t perOutput = weight.size() / shape.out;
  std::vector<int64_t> order = getOrder();
  packed.bias.resize(order.size());
  int64_t parts = multiplier.size() / shape.out;
  packed.multiplier.resize(parts * order.size());
  if (!fixedPoint.empty())
    packed.fixedPoint.resize(order.size());
  for (auto [to, o] : llvm::enumerate(order)) {
    if (o < 0)
      continue;
    // sum x w = sum (x + offset) w - offset sum w
    uint32_t sum = 0;
    for (int8_t element : weight.slice(o * perOutput, perOutput))
      sum += static_cast<uint32_t>(static_cast<int32_t>(element));
    packed.bias[to] = static_cast<int32_t>(static_cast<uint32_t>(bias[o]) -
                                           static_cast<uint32_t>(offset) * sum);
    for (int64_t part = 0; part < parts; ++part)
      packed.multiplier[(to / target.lanes * parts + part) * target.lanes +
                        to % target.lanes] = multiplier[o * parts + part];
    if (!fixedPoint.empty())
      packed.fixedPoint[to] = fixedPoint[o];
  }
  return packed;
}

std::vector<int64_t> KernelEmitter::getOrder() const {
  std::vector<int64_t> order;
  int64_t padded = llvm::alignTo(shape.outGroup, target.lanes);
  for (int64_t g = 0; g < shape.groups; ++g)
    for (int64_t o = 0; o < padded; ++o)
      order.push_back(o < shape.outGroup ? g * shape.outGroup + o : -1);
  return order;
}

int64_t KernelEmitter::getOutput(int64_t lane, int64_t vectors) const {
  if (!isPacked(vectors))
    return lane;
  int64_t vector = lane / target.lanes, i = lane % target.lanes;
  return 16 * (i / 4) + 4 * vector + i % 4;
}

bool KernelEmitter::isLarge() const {
  // What threads need to begin and end together is some microseconds, in which
  // a kernel adds so many products; depthwise ones a tenth.
  constexpr int64_t least = int64_t(1) << 22;
  int64_t perResult = shape.kernelHeight * shape.kernelWidth * shape.inGroup;
  if (shape.inGroup == 1 && shape.outGroup == 1)
    perResult *= 10;
  return perResult * shape.resultHeight * shape.resultWidth * shape.out >=
         least;
}

void KernelEmitter::splatNumbers() {
  numbers.clear();
  for (unsigned i = 0; i < buffers.numbers.size(); ++i)
    numbers.push_back(splatNumber(i));
  padding = buffers.numbers[Padding];
}

void KernelEmitter::emit(ImplicitLocOpBuilder &b,
                         const KernelArguments &given) {
  builder = &b;
  buffers = given;
  image = needsCopy ? buffers.scratch : buffers.input;
  int64_t imageBytes = shape.height * shape.width * shape.in;
  if (!buffers.part) {
    splatNumbers();
    emitBegin();
  }
  auto emitBatch = [&](Value n) {
    Value position = advance(index(0), n, imageBytes);
    if (buffers.copyImage)
      func::CallOp::create(b, buffers.copyImage,
                           ValueRange{buffers.input, position,
                                      buffers.numbers[Padding],
                                      buffers.scratch});
    if (needsCopy)
      position = index(0);
    Value resultPosition = advance(
        index(0), n, shape.resultHeight * shape.resultWidth * shape.out);
    if (!buffers.part)
      return emitImage(position, resultPosition);
    SmallVector<Value> operands = getPartBuffers(buffers);
    llvm::append_range(operands, buffers.numbers);
    operands.append({position, resultPosition, index(0), index(units)});
    auto call = func::CallOp::create(b, buffers.part, operands);
    call->setAttr(kUnitsAttrName, b.getI64IntegerAttr(units));
  };
  auto emitLast = [&] {
    if (!buffers.part)
      emitEnd();
  };
  if (!ShapedType::isDynamic(shape.batch)) {
    forEach(shape.batch, 1, emitBatch);
    return emitLast();
  }
  Value count = memref::DimOp::create(b, buffers.input, 0);
  count = arith::DivUIOp::create(b, count, index(imageBytes));
  Value first = index(0), step = index(1);
  auto loop = scf::ForOp::create(b, first, count, step);
  b.setInsertionPointToStart(loop.getBody());
  emitBatch(loop.getInductionVar());
  b.setInsertionPointAfter(loop);
  emitLast();
}

SmallVector<Value>
KernelEmitter::getPartBuffers(const KernelArguments &arguments) const {
  SmallVector<Value> buffers = {needsCopy ? arguments.scratch : arguments.input,
                                arguments.weight, arguments.bias,
                                arguments.result};
  for (Value optional :
       {arguments.multiplier, arguments.offsets, arguments.residual})
    if (optional)
      buffers.push_back(optional);
  return buffers;
}

SmallVector<Type>
KernelEmitter::getPartTypes(const KernelArguments &arguments) const {
  SmallVector<Type> types =
      llvm::to_vector(ValueRange(getPartBuffers(arguments)).getTypes());
  llvm::append_range(types, arguments.numbers.getTypes());
  types.append(4, IndexType::get(arguments.weight.getContext()));
  return types;
}

void KernelEmitter::emitPart(ImplicitLocOpBuilder &b, ValueRange given) {
  builder = &b;
  ValueRange positions = given.take_back(4);
  partBegin = positions[2];
  partEnd = positions[3];
  given = given.drop_back(4);
  image = given[0];
  buffers = {};
  buffers.weight = given[1];
  buffers.bias = given[2];
  buffers.result = given[3];
  given = given.drop_front(4);
  auto takeIf = [&](bool isThere, Value &buffer) {
    if (!isThere)
      return;
    buffer = given[0];
    given = given.drop_front();
  };
  takeIf(static_cast<bool>(requantize), buffers.multiplier);
  takeIf(!getVariant().empty(), buffers.offsets);
  takeIf(static_cast<bool>(add), buffers.residual);
  buffers.numbers = given;
  splatNumbers();
  emitBegin();
  emitImage(positions[0], positions[1]);
  emitEnd();
  partBegin = partEnd = nullptr;
}

void KernelEmitter::emitCopy(ImplicitLocOpBuilder &b, Value input,
                             Value position, Value pad, Value scratch) {
  builder = &b;
  padding = pad;
  buffers.input = input;
  buffers.scratch = scratch;
  copyImage(position);
}

//===----------------------------------------------------------------------===//
// Numbers and loops
//===----------------------------------------------------------------------===//

Value KernelEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(*builder, value);
}

Value KernelEmitter::advance(Value base, Value position, int64_t factor) {
  if (matchPattern(position, m_Zero()))
    return base;
  Value step = builder->createOrFold<arith::MulIOp>(position, index(factor));
  return builder->createOrFold<arith::AddIOp>(base, step);
}

Value KernelEmitter::advance(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  return builder->createOrFold<arith::AddIOp>(base, index(offset));
}

void KernelEmitter::forEach(int64_t end, int64_t step,
                            function_ref<void(Value)> body,
                            int64_t stepsPerUnit) {
  bool isPart = partBegin && stepsPerUnit != 0;
  if (end <= 0)
    return;
  if (end <= step && !isPart)
    return body(index(0));
  Value first = index(0), last = index(end);
  if (isPart) {
    first = advance(first, partBegin, step * stepsPerUnit);
    last = arith::MinUIOp::create(
        *builder, last, advance(index(0), partEnd, step * stepsPerUnit));
  }
  auto loop = scf::ForOp::create(*builder, first, last, index(step));
  OpBuilder::InsertionGuard guard(*builder);
  builder->setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void KernelEmitter::forTiles(int64_t extent, int64_t tile,
                             function_ref<void(Value, int64_t)> body,
                             int64_t stepsPerUnit) {
  int64_t whole = extent / tile * tile;
  forEach(
      whole, tile, [&](Value begin) { body(begin, tile); }, stepsPerUnit);
  if (whole != extent)
    forRest([&] { body(index(whole), extent - whole); }, stepsPerUnit);
}

void KernelEmitter::forRest(function_ref<void()> body, int64_t stepsPerUnit) {
  if (!partBegin || stepsPerUnit == 0)
    return body();
  Value isLast = arith::CmpIOp::create(*builder, arith::CmpIPredicate::eq,
                                       partEnd, index(units));
  auto op = scf::IfOp::create(*builder, isLast, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(*builder);
  builder->setInsertionPointToStart(op.thenBlock());
  body();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

VectorType KernelEmitter::vectorOf(int64_t count, Type element) {
  return VectorType::get({count}, element);
}

Value KernelEmitter::splat(VectorType type, int64_t value) {
  return arith::ConstantOp::create(
      *builder,
      DenseElementsAttr::get(
          type, builder->getIntegerAttr(type.getElementType(), value)));
}

Value KernelEmitter::splat(VectorType type, float value) {
  return arith::ConstantOp::create(*builder,
                                   DenseElementsAttr::get(type, value));
}

Value KernelEmitter::splatPadding(VectorType type) {
  return vector::BroadcastOp::create(*builder, type, padding);
}

Value KernelEmitter::load(Value buffer, Value position, int64_t count) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return vector::LoadOp::create(*builder, vectorOf(count, element), buffer,
                                position);
}

SmallVector<Value> KernelEmitter::loadVectors(Value buffer, Value position,
                                              int64_t count, int64_t parts) {
  int64_t size = parts * target.lanes;
  SmallVector<Value> vectors;
  for (int64_t j = 0; j < count; ++j)
    vectors.push_back(load(buffer, advance(position, j * size), size));
  return vectors;
}

SmallVector<Value> KernelEmitter::loadMultipliers(Value position,
                                                  int64_t count) {
  if (!buffers.multiplier)
    return SmallVector<Value>(count);
  int64_t parts = std::max<int64_t>(floatParts, 1);
  return loadVectors(buffers.multiplier, advance(index(0), position, parts),
                     count, parts);
}

Value KernelEmitter::loadWeight(Value position) {
  Value loaded = load(buffers.weight, position, target.lanes * target.products);
  if (target.products != 1)
    return loaded;
  return arith::ExtSIOp::create(
      *builder, vectorOf(target.lanes, builder->getI32Type()), loaded);
}

Value KernelEmitter::extend(Value bytes, Type element) {
  if (cast<VectorType>(bytes.getType()).getElementType() == element)
    return bytes;
  Type type =
      vectorOf(cast<VectorType>(bytes.getType()).getDimSize(0), element);
  if (isSigned)
    return arith::ExtSIOp::create(*builder, type, bytes);
  return arith::ExtUIOp::create(*builder, type, bytes);
}

Value KernelEmitter::addOffset(Value bytes) {
  // x + 128 and x - 128 are the same bits.
  if (offset == 0)
    return bytes;
  return arith::XOrIOp::create(
      *builder, bytes, splat(cast<VectorType>(bytes.getType()), int64_t(-128)));
}

SmallVector<Value> KernelEmitter::broadcast(Value position) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t lanes = target.lanes;
  Type i8 = b.getI8Type(), i16 = b.getI16Type(), i32 = b.getI32Type();
  if (isWide && target.products == 2) {
    SmallVector<Value> operands;
    for (int64_t pair : {0, 2}) {
      Value word = vector::ExtractOp::create(
          b,
          vector::BitCastOp::create(b, vectorOf(1, i32),
                                    load(image, advance(position, pair), 2)),
          0);
      operands.push_back(vector::BitCastOp::create(
          b, vectorOf(2 * lanes, i16),
          vector::BroadcastOp::create(b, vectorOf(lanes, i32), word)));
    }
    return operands;
  }
  Value bytes = load(image, position, 4);
  if (target.products == 1) {
    Value wide = extend(bytes, i32);
    SmallVector<Value> operands;
    for (int64_t k = 0; k < 4; ++k)
      operands.push_back(vector::BroadcastOp::create(
          b, vectorOf(lanes, i32), vector::ExtractOp::create(b, wide, k)));
    return operands;
  }
  Value word = vector::ExtractOp::create(
      b, vector::BitCastOp::create(b, vectorOf(1, i32), bytes), 0);
  auto repeat = [&](int64_t count) -> Value {
    Value words = vector::BroadcastOp::create(b, vectorOf(count, i32), word);
    return vector::BitCastOp::create(b, vectorOf(4 * count, i8), words);
  };
  if (target.products == 4)
    return {flip(repeat(lanes))};
  // ab cd ab cd ... -> ab ab ab ab ..., cd cd cd cd ...
  Value pairs = vector::BitCastOp::create(b, vectorOf(lanes, i32),
                                          extend(repeat(lanes / 2), i16));
  SmallVector<Value> operands;
  for (int64_t half : {0, 1}) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane)
      from.push_back(lane / 2 * 2 + half);
    operands.push_back(vector::BitCastOp::create(
        b, vectorOf(2 * lanes, i16),
        vector::ShuffleOp::create(b, pairs, pairs, from)));
  }
  return operands;
}

SmallVector<Value> KernelEmitter::broadcastElements(Value position) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t lanes = target.lanes;
  Value bytes = flip(load(image, position, 4 * lanes));
  Value words =
      vector::BitCastOp::create(b, vectorOf(lanes, b.getI32Type()), bytes);
  SmallVector<Value> operands;
  for (int64_t lane = 0; lane < lanes; ++lane)
    operands.push_back(vector::BitCastOp::create(
        b, bytes.getType(),
        vector::ShuffleOp::create(b, words, words,
                                  SmallVector<int64_t>(lanes, lane))));
  return operands;
}

SmallVector<Value> KernelEmitter::combine(ArrayRef<Value> rows) {
  ImplicitLocOpBuilder &b = *builder;
  auto type = cast<VectorType>(rows[0].getType());
  int64_t bytes = type.getDimSize(0);
  if (bytes != target.lanes) {
    // Pieces of `size` bytes from either half of each 16 bytes, in turns.
    auto unpack = [&](Value even, Value odd, int64_t size) {
      SmallVector<Value> halves;
      for (int64_t half : {0, 8}) {
        SmallVector<int64_t> from;
        for (int64_t segment = 0; segment < bytes; segment += 16)
          for (int64_t i = 0; i < 8; i += size)
            for (int64_t operand : {int64_t(0), bytes})
              for (int64_t k = 0; k < size; ++k)
                from.push_back(operand + segment + half + i + k);
        halves.push_back(vector::ShuffleOp::create(b, even, odd, from));
      }
      return halves;
    };
    SmallVector<Value> operands;
    if (target.products == 4) {
      SmallVector<Value> flipped =
          llvm::map_to_vector(rows, [&](Value row) { return flip(row); });
      SmallVector<Value> evens = unpack(flipped[0], flipped[1], 1),
                         odds = unpack(flipped[2], flipped[3], 1);
      for (auto [even, odd] : llvm::zip(evens, odds))
        llvm::append_range(operands, unpack(even, odd, 2));
      return operands;
    }
    VectorType words = vectorOf(bytes / 2, b.getI16Type());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (Value pairs : unpack(rows[0], rows[1], 1)) {
      SmallVector<Value> halves =
          isSigned ? unpack(zero, pairs, 1) : unpack(pairs, zero, 1);
      for (Value half : halves) {
        Value word = vector::BitCastOp::create(b, words, half);
        operands.push_back(
            isSigned ? arith::ShRSIOp::create(b, word, splat(words, int64_t(8)))
                     : word);
      }
    }
    return operands;
  }
  auto interleave = [&](Value even, Value odd) -> Value {
    return vector::InterleaveOp::create(b, even, odd);
  };
  if (target.products == 1)
    return {extend(rows[0], b.getI32Type())};
  if (target.products == 2)
    return {extend(interleave(rows[0], rows[1]), b.getI16Type())};
  Value even = interleave(rows[0], rows[2]);
  Value odd = interleave(rows[1], rows[3]);
  return {flip(interleave(even, odd))};
}

void KernelEmitter::store(Value result, Value position, int64_t count) {
  if (count != cast<VectorType>(result.getType()).getDimSize(0))
    result = vector::ExtractStridedSliceOp::create(
        *builder, result, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  vector::StoreOp::create(*builder, result, buffers.result, position);
}

void KernelEmitter::finish(ValueRange sums, ArrayRef<Value> multipliers,
                           Value position, ArrayRef<int64_t> counts) {
  if (isPacked(sums.size()))
    return store(packSums(sums, multipliers), position,
                 std::accumulate(counts.begin(), counts.end(), int64_t(0)));
  for (auto [j, count] : llvm::enumerate(counts)) {
    Value to = advance(position, j * target.lanes);
    store(requantize ? requantizeSums(sums[j], multipliers[j], to, count)
                     : sums[j],
          to, count);
  }
}

Value KernelEmitter::packSums(ValueRange sums, ArrayRef<Value> multipliers) {
  ImplicitLocOpBuilder &b = *builder;
  SmallVector<Value> all;
  for (auto [sum, multiplier] : llvm::zip(sums, multipliers)) {
    if (floatParts != 0) {
      all.push_back(arith::AddIOp::create(b, scaleByFloats(sum, multiplier),
                                          numbers[ZeroPoint]));
      continue;
    }
    Value scaled = arith::MulFOp::create(
        b, arith::SIToFPOp::create(b, multiplier.getType(), sum), multiplier);
    if (requantize.getOverflow() == requantize.getHi()) {
      Value fits = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, scaled,
                                         numbers[High]);
      scaled = arith::SelectOp::create(b, fits, scaled, numbers[High]);
    }
    all.push_back(scaled);
  }
  Value zeroPoint = requantize.getZeroPoint() != 0 && floatParts == 0
                        ? numbers[PackedZeroPoint]
                        : Value();
  Value bytes = target.pack(b, all, zeroPoint, isSigned);
  Value lo = numbers[PackedLow], hi = numbers[PackedHigh];
  if (isClampedBelow())
    bytes = isSigned ? Value(arith::MaxSIOp::create(b, bytes, lo))
                     : Value(arith::MaxUIOp::create(b, bytes, lo));
  if (isClampedAbove())
    bytes = isSigned ? Value(arith::MinSIOp::create(b, bytes, hi))
                     : Value(arith::MinUIOp::create(b, bytes, hi));
  return bytes;
}

Value KernelEmitter::requantizeByIntegers(Value sums, Value multiplierVector) {
  ImplicitLocOpBuilder &b = *builder;
  Value scaled = splat(cast<VectorType>(sums.getType()), int64_t(0));
  for (int64_t lane = 0; lane < target.lanes; ++lane) {
    Value sum = vector::ExtractOp::create(b, sums, lane),
          multiplier = vector::ExtractOp::create(b, multiplierVector, lane);
    Value number =
        func::CallOp::create(b, requantizer, ValueRange{sum, multiplier})
            .getResult(0);
    scaled = vector::InsertOp::create(b, number, scaled, lane);
  }
  return scaled;
}

Value KernelEmitter::requantizeSums(Value sums, Value multiplierVector,
                                    Value position, int64_t count) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t lanes = target.lanes;
  VectorType f32 = vectorOf(lanes, b.getF32Type()),
             i32 = vectorOf(lanes, b.getI32Type()),
             elements = vectorOf(lanes, b.getIntegerType(activationBits));
  auto roundFloats = [&]() -> Value {
    auto select = [&](arith::CmpFPredicate predicate, Value value, Value bound,
                      Value otherwise) -> Value {
      Value holds = arith::CmpFOp::create(b, predicate, value, bound);
      return arith::SelectOp::create(b, holds, value, otherwise);
    };
    Value lo = numbers[Low], hi = numbers[High];
    Value scaled = arith::MulFOp::create(
        b, arith::SIToFPOp::create(b, f32, sums), multiplierVector);
    if (requantize.getOverflow() != requantize.getHi())
      scaled = select(arith::CmpFPredicate::OLT, scaled, splat(f32, 0x1p31f),
                      numbers[Overflow]);
    // Limits are integers: rounding keeps what is within.
    scaled = select(arith::CmpFPredicate::OGT, scaled, lo, lo);
    scaled = select(arith::CmpFPredicate::OLT, scaled, hi, hi);
    return arith::BitcastOp::create(
        b, i32, arith::AddFOp::create(b, scaled, splat(f32, shifter)));
  };
  auto clamp = [&](Value scaled) -> Value {
    scaled = arith::MaxSIOp::create(b, scaled, numbers[Low]);
    return arith::MinSIOp::create(b, scaled, numbers[High]);
  };
  Value bits;
  if (floatParts != 0) {
    bits = scaleByFloats(sums, multiplierVector);
    if (isUnlimited()) {
      // One instruction with the truncation.
      bits = arith::AddIOp::create(b, bits, numbers[ZeroPoint]);
      bits = arith::MaxSIOp::create(b, bits, splat(i32, int64_t(-128)));
      bits = arith::MinSIOp::create(b, bits, splat(i32, int64_t(127)));
    } else {
      bits = clamp(bits);
    }
  } else if (byDoubles) {
    bits = arith::AddIOp::create(
        b, scaleByDoubles(sums, multiplierVector, requantize.getRounding()),
        numbers[ZeroPoint]);
    // All that bytes hold is one instruction with the truncation.
    if (requantize.getLo() == -128) {
      if (requantize.getHi() != 127)
        bits = arith::MinSIOp::create(b, bits, numbers[High]);
      bits = arith::MaxSIOp::create(b, bits, splat(i32, int64_t(-128)));
      bits = arith::MinSIOp::create(b, bits, splat(i32, int64_t(127)));
    } else {
      bits = clamp(bits);
    }
  } else if (isFixedPoint)
    bits = clamp(
        scaleByFixedPoint(sums, multiplierVector, requantize.getRounding()));
  else if (requantizer)
    bits = clamp(requantizeByIntegers(sums, multiplierVector));
  else
    bits = roundFloats();
  Value bytes;
  if (!add) {
    bytes = arith::TruncIOp::create(b, elements, bits);
    if (requantize.getZeroPoint() != 0 && !byDoubles && floatParts == 0)
      bytes = arith::AddIOp::create(b, bytes, numbers[ZeroPoint]);
  } else {
    Value integer = byDoubles || isUnlimited()
                        ? bits
                        : arith::AddIOp::create(b, bits, numbers[ZeroPoint]);
    Value other = load(buffers.residual, position, count);
    if (count != lanes)
      other = vector::InsertStridedSliceOp::create(
          b, other, splat(elements, int64_t(0)), ArrayRef<int64_t>{0},
          ArrayRef<int64_t>{1});
    other = extend(other, b.getI32Type());
    Value left = arith::MulIOp::create(b, integer, numbers[LeftFactor]);
    Value right = arith::MulIOp::create(b, other, numbers[RightFactor]);
    Value sum = arith::AddIOp::create(b, left, right);
    int64_t places = add.getShift(), half = int64_t(1) << (places - 1);
    sum = arith::AddIOp::create(b, sum, numbers[SumOffset]);
    if (!add.getHalfUp()) {
      // Away from zero: a negative tie has to stay below the half.
      Value sign = arith::ShRSIOp::create(b, sum, splat(i32, int64_t(31)));
      sum = arith::AddIOp::create(
          b, arith::AddIOp::create(b, sum, splat(i32, half)), sign);
    }
    sum = arith::ShRSIOp::create(b, sum, splat(i32, places));
    sum = arith::MaxSIOp::create(b, sum, numbers[SumLow]);
    sum = arith::MinSIOp::create(b, sum, numbers[SumHigh]);
    if (add.getZeroPoint() != 0)
      sum = arith::AddIOp::create(b, sum, numbers[SumZeroPoint]);
    bytes = arith::TruncIOp::create(b, elements, sum);
  }
  return bytes;
}
