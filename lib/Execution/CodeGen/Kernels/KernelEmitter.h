// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels share: loops, loads and stores of bytes, products, and what
// happens to a sum before it is stored.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_KERNELEMITTER_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_KERNELEMITTER_H

#include "Targets.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/Int8/Int8.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>
#include <memory>
#include <vector>

namespace qbackend::codegen {

using mlir::Value;

/// The geometry of a convolution.
struct ConvolutionShape {
  explicit ConvolutionShape(int8::Conv2dOp op);

  /// The batch may be ShapedType::kDynamic.
  int64_t batch, height, width, in, kernelHeight, kernelWidth, resultHeight,
      resultWidth, out, groups, inGroup, outGroup;
  int64_t strideY, strideX, dilationY, dilationX;
  int64_t top, bottom, left, right;

  int64_t paddedHeight() const { return height + top + bottom; }
  int64_t paddedWidth() const { return width + left + right; }
  /// Neighbouring taps of a row of the window are neighbouring bytes: they are
  /// one run, unless others are in between. How many runs a row has, and the
  /// bytes of each.
  int64_t runs() const { return isMerged() ? 1 : kernelWidth; }
  int64_t runBytes() const { return isMerged() ? kernelWidth * in : inGroup; }
  bool isMerged() const { return dilationX == 1 && groups == 1; }
};

/// The constants of a kernel in the order in which it reads them; each has
/// whole vectors.
struct PackedConstants {
  /// Elements of `KernelTarget::weightBits`.
  OwnedBytes weight;
  std::vector<int32_t> bias;
  /// The bits of floats, or integers, see IntegerMultipliers.
  std::vector<int32_t> multiplier;
  /// Those of fixed point, or the bits of their f64, in the place of the
  /// former.
  std::vector<int64_t> fixedPoint;
  /// Where the bytes for packed weights are, see PairedKernel; or empty.
  std::vector<int32_t> offsets;
};

/// Appends elements to a packed weight. There are millions of them, so that
/// this is no callback.
class WeightWriter {
public:
  /// `expected`: how many bytes it will have, most often.
  WeightWriter(OwnedBytes &bytes, size_t expected, bool isWide)
      : bytes(bytes), isWide(isWide) {
    grow(expected);
  }
  ~WeightWriter() { bytes.size = size; }
  WeightWriter(const WeightWriter &) = delete;

  void operator()(int32_t element) { append(&element, 1, 1); }

  /// Appends `elements`, and zeros up to `count` of them.
  void operator()(llvm::ArrayRef<int8_t> elements, int64_t count) {
    append(elements.data(), elements.size(), count);
  }

private:
  template <typename T>
  void append(const T *elements, int64_t given, int64_t count) {
    size_t added = count * (isWide ? 2 : 1);
    if (size + added > capacity)
      grow(size + added + size / 8);
    // Bytes may be anything's: what is in memory would be read for each.
    char *next = bytes.data.get() + size;
    size += added;
    // What most instructions multiply at once.
    if (sizeof(T) == 1 && !isWide && given == 4 && count == 4) {
      std::memcpy(next, elements, 4);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      int32_t element = i < given ? elements[i] : 0;
      *next++ = static_cast<char>(element);
      if (isWide)
        *next++ = static_cast<char>(element >> 8);
    }
  }
  void grow(size_t wanted);

  OwnedBytes &bytes;
  size_t size = 0, capacity = 0;
  bool isWide;
};

/// The buffers that a kernel gets, of one dimension, and its numbers.
struct KernelArguments {
  Value input; // null where `scratch` has its copy already
  Value weight, bias;
  Value multiplier, offsets, residual, scratch; // or null
  Value result;
  mlir::ValueRange numbers;
  /// Makes the copy in `scratch`, see KernelEmitter::emitCopy; or null.
  mlir::func::FuncOp copyImage;
  /// Computes units of an image, see KernelEmitter::emitPart; or null.
  mlir::func::FuncOp part;
};

/// Builds the kernel of a convolution. What it builds depends on the types and
/// attributes of the op, and on `getVariant`, alone.
class KernelEmitter {
public:
  KernelEmitter(const KernelTarget &target, int8::Conv2dOp op);
  virtual ~KernelEmitter() = default;

  /// What the code depends on of the weights; empty: nothing.
  virtual llvm::SmallVector<int64_t> getVariant() const { return {}; }

  /// The constants, from the elements of the operands of an op.
  PackedConstants pack(llvm::ArrayRef<int8_t> weight,
                       llvm::ArrayRef<int32_t> bias,
                       llvm::ArrayRef<int32_t> multiplier,
                       llvm::ArrayRef<int64_t> fixedPoint) const;

  /// Requantizes by a function of addRequantizer instead of by floats, which
  /// the multipliers of `op` have to be.
  void setRequantizer(mlir::func::FuncOp function) { requantizer = function; }
  /// Its name; empty: there is none.
  llvm::StringRef getRequantizer() const {
    auto function = requantizer;
    return function ? function.getName() : llvm::StringRef();
  }

  /// Multiplies by f64 instead of fixed-point numbers, see DoubleMultipliers.h.
  void setDoubles() { byDoubles = true; }
  bool usesDoubles() const { return byDoubles; }
  /// Multiplies by f32, see FloatMultipliers.h: with another offset and addend
  /// for negative sums, or not. `pack` takes, of each output, the numbers of
  /// scaleByFloats.
  void setFloats(bool bySign) { floatParts = bySign ? 5 : 2; }
  int64_t getFloatParts() const { return floatParts; }

  /// Numbers of an op that its kernel gets as arguments: ops that differ in
  /// these alone share it. They are, in this order, a byte of the padding;
  /// then, with `requantize`, what `finish` clamps a scaled sum to (two, f32)
  /// and has for one that doesn't fit (f32), all three i32 of fixed-point
  /// multipliers, and what it adds to the integer, with the limits of the bytes
  /// if it adds that before, as it does for f64; for f32 all have the bits of
  /// `shifter`, which come off then;
  /// then, with `add`, both factors, what is added to their sum, its limits,
  /// and what is added to it (i32); else, if bytes are packed, the zero point
  /// (i16) and the limits (i8). With a requantizer, those of floats are
  /// integers.
  llvm::SmallVector<mlir::TypedAttr> getNumbers(int8::Conv2dOp op) const;
  /// What they are called, in the same order.
  llvm::SmallVector<llvm::StringRef> getNumberNames() const;
  /// What the code of a kernel depends on of these numbers, and of `add`.
  mlir::Attribute getNumbersKey(int8::Conv2dOp op) const;

  unsigned getWeightBits() const { return target.weightBits; }

  /// Elements of the buffer that the kernel uses as it likes, 0: none, and
  /// their bits.
  int64_t getScratchSize() const { return needsCopy ? copySize : 0; }
  unsigned getScratchBits() const { return isWide ? 16 : 8; }

  /// How many units the work for an image can be cut into, if it is worth it;
  /// else 1.
  int64_t getUnits() const { return isLarge() ? units : 1; }

  /// Builds the body where `builder` is.
  void emit(mlir::ImplicitLocOpBuilder &builder,
            const KernelArguments &arguments);

  /// The types that a function for parts of an image takes, from those of the
  /// kernel.
  llvm::SmallVector<mlir::Type>
  getPartTypes(const KernelArguments &arguments) const;
  /// Builds the body of that function.
  void emitPart(mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange given);

  /// Builds the body of what copies the image at `position` of `input`. It has
  /// to be a function of its own: of a kernel that sees which vectors were
  /// stored, LLVM makes arithmetic on integers of 512 bits, and may never end.
  void emitCopy(mlir::ImplicitLocOpBuilder &builder, Value input,
                Value position, Value padding, Value scratch);

protected:
  /// The offsets of PackedConstants.
  virtual std::vector<int32_t> packOffsets() const { return {}; }
  /// The output whose sum is in each lane of the vectors of bias and
  /// multiplier; -1: of none.
  virtual std::vector<int64_t> getOrder() const;
  /// Appends the packed weight.
  virtual void packWeight(llvm::ArrayRef<int8_t> weight,
                          WeightWriter &append) const = 0;
  /// Builds the kernel for one image: from `position` of `image`, to `result`
  /// from `resultPosition` on.
  virtual void emitImage(Value position, Value resultPosition) = 0;
  /// Builds what comes before the first image, and after the last one.
  virtual void emitBegin() {}
  virtual void emitEnd() {}

  //===--------------------------------------------------------------------===//
  // Numbers and loops
  //===--------------------------------------------------------------------===//

  Value index(int64_t value);
  /// base + position * factor.
  Value advance(Value base, Value position, int64_t factor);
  Value advance(Value base, int64_t offset);
  /// Builds `body` for 0, step, ... below `end`: as a loop, unless that is one.
  /// If `stepsPerUnit` steps are a unit of work, for those of this part.
  void forEach(int64_t end, int64_t step, llvm::function_ref<void(Value)> body,
               int64_t stepsPerUnit = 0);
  /// Cuts `extent` in tiles of `tile` and what is left: `body` gets where a
  /// tile begins and how long it is.
  void forTiles(int64_t extent, int64_t tile,
                llvm::function_ref<void(Value, int64_t)> body,
                int64_t stepsPerUnit = 0);
  /// Builds `body` for what is left behind equal steps, which is of the last
  /// unit if there are any.
  void forRest(llvm::function_ref<void()> body, int64_t stepsPerUnit);

  //===--------------------------------------------------------------------===//
  // Vectors
  //===--------------------------------------------------------------------===//

  mlir::VectorType vectorOf(int64_t count, mlir::Type element);
  Value load(Value buffer, Value position, int64_t count);
  /// What is read outside of the image.
  Value splatPadding(mlir::VectorType type);
  /// The vectors from element `position` of `buffer` on, of `parts` times as
  /// many elements as there are lanes.
  llvm::SmallVector<Value> loadVectors(Value buffer, Value position,
                                       int64_t count, int64_t parts = 1);
  /// What `finish` takes of the outputs from `position` on; null ones where
  /// nothing is requantized.
  llvm::SmallVector<Value> loadMultipliers(Value position, int64_t count);
  /// An operand of `dot`, from element `position` of the packed weight on.
  Value loadWeight(Value position);
  /// Bytes of `image` plus `offset`, which those of a copy have already.
  Value flip(Value bytes) { return needsCopy ? bytes : addOffset(bytes); }
  Value addOffset(Value bytes);
  /// What the four bytes of the image at `position` are for `dot`, the same in
  /// all lanes: an operand for each step of `products`.
  llvm::SmallVector<Value> broadcast(Value position);
  /// The same for each four bytes of a vector of them, by element.
  llvm::SmallVector<Value> broadcastElements(Value position);
  /// What `products` rows of a byte for each lane are for `dot`. Rows of four
  /// vectors give four operands, whose lanes are in the order of `pack`.
  llvm::SmallVector<Value> combine(llvm::ArrayRef<Value> rows);
  /// Whether a block of so many vectors becomes bytes by `pack`; and, of its
  /// outputs, the one whose sum is in `lane` of all of its lanes.
  bool isPacked(int64_t vectors) const { return packs && vectors == 4; }
  int64_t getOutput(int64_t lane, int64_t vectors) const;
  /// Stores the sums of a block, of each vector as many as `counts` has, as
  /// elements of the result.
  void finish(mlir::ValueRange sums, llvm::ArrayRef<Value> multipliers,
              Value position, llvm::ArrayRef<int64_t> counts);

  const KernelTarget target;
  const ConvolutionShape shape;
  bool isSigned;
  /// Whether results are packed by the target, where a block has four vectors.
  bool packs;
  /// Whether multipliers are fixed-point numbers.
  bool isFixedPoint;
  /// Whether they are f64; and how many numbers of 32 bits each is as f32, see
  /// scaleByFloats, or 0.
  bool byDoubles = false;
  int64_t floatParts = 0;
  /// What is added to a byte of the input for `dot`: 128, -128 or 0.
  int64_t offset;
  /// Whether the input is read from a copy with its padding, and with room
  /// behind it for vectors that begin in the image.
  bool needsCopy;
  /// Bits of an activation: 8 or 16.
  unsigned activationBits;
  /// Whether the image, or its copy, has 16 bits for each element.
  bool isWide;
  /// Units of work for an image, which differ in the bytes that they store.
  int64_t units = 1;
  KernelArguments buffers;
  /// What the input is read from.
  Value image;
  mlir::ImplicitLocOpBuilder *builder = nullptr;

private:
  Value splat(mlir::VectorType type, int64_t value);
  Value splat(mlir::VectorType type, float value);
  /// Extends bytes of the input.
  Value extend(Value bytes, mlir::Type element);
  /// The integers that `sums` are after requantization, without the zero point.
  Value requantizeByIntegers(Value sums, Value multiplierVector);
  bool isLarge() const;
  /// The buffers of a function for parts of an image.
  llvm::SmallVector<Value>
  getPartBuffers(const KernelArguments &arguments) const;
  /// Stores a vector of bytes or sums, but for the lanes from `count` on.
  void store(Value result, Value position, int64_t count);
  /// Whether packed bytes have to be clamped from below, or from above, where a
  /// sum that doesn't fit isn't clamped before.
  bool isClampedBelow() const;
  bool isClampedAbove() const;
  /// Whether f32 multipliers give all signed bytes, and nothing but the type
  /// limits them.
  bool isUnlimited() const;
  Value packSums(mlir::ValueRange sums, llvm::ArrayRef<Value> multipliers);
  /// `sums` as bytes. A residual has `count` of them at `position`.
  Value requantizeSums(Value sums, Value multiplierVector, Value position,
                       int64_t count);
  /// The products of `sums` with fixed-point multipliers as int8.conv2d has
  /// them, rounded, in i32.
  Value scaleByFixedPoint(Value sums, Value multiplierVector,
                          numerics::Rounding rounding);
  /// The bits of `shifter` plus the bytes of `sums`, not yet clamped. Of f32, a
  /// vector has factors and addends, and with two of these, those of negative
  /// sums, the offset that is in the sums, and how far that of negative ones is
  /// from it.
  Value scaleByFloats(Value sums, Value numbers);
  /// The same as scaleByFixedPoint by multipliers of f64.
  Value scaleByDoubles(Value sums, Value multiplierVector,
                       numerics::Rounding rounding);
  void splatNumbers();
  void copyImage(Value position);
  void forBytes(int64_t bytes,
                llvm::function_ref<void(Value offset, int64_t count)> body);
  void fill(Value position, int64_t bytes);
  void copy(Value from, Value to, int64_t bytes);

  /// A number of the kernel in all lanes.
  Value splatNumber(unsigned index);

  int8::RequantizeAttr requantize; // null: sums are the result
  int8::AddAttr add;               // or null
  mlir::func::FuncOp requantizer;  // or null
  /// Elements behind a copied image: a vector of bytes may begin at its last
  /// one.
  int64_t getCopySlack() const { return 4 * target.lanes; }
  int64_t copySize;
  /// The range of units to compute; null: all of them.
  Value partBegin, partEnd;
  /// The numbers in all lanes, but for the padding, which is one.
  llvm::SmallVector<Value> numbers;
  Value padding;
};

std::unique_ptr<KernelEmitter> createDenseKernel(const KernelTarget &target,
                                                 int8::Conv2dOp op);
/// By `multiplyBytes`, which the target has; null if `weight` is too large for
/// it to be faster.
std::unique_ptr<KernelEmitter>
createPairedKernel(const KernelTarget &target, int8::Conv2dOp op,
                   llvm::ArrayRef<int8_t> weight);
/// By `reduce`, which the target has; null if it is no faster.
std::unique_ptr<KernelEmitter> createReducedKernel(const KernelTarget &target,
                                                   int8::Conv2dOp op);
/// With AMX tiles; null if the shape is none for them.
std::unique_ptr<KernelEmitter> createTileKernel(const KernelTarget &target,
                                                int8::Conv2dOp op);
std::unique_ptr<KernelEmitter> createDepthwiseKernel(const KernelTarget &target,
                                                     int8::Conv2dOp op);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_KERNELEMITTER_H
