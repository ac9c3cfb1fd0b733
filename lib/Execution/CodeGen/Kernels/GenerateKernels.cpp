// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes calls of generated functions of the ops of the int8 dialect.

#include "Lowering/LowerToLLVM.h"

#include "KernelEmitter.h"
#include "Lowering/Subtarget.h"
#include "Requantization/DoubleMultipliers.h"
#include "Requantization/FloatMultipliers.h"
#include "Requantization/IntegerRequantizer.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Support/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

namespace qbackend::codegen {
#define GEN_PASS_DEF_GENERATEKERNELSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

namespace {
/// The function of a kernel, and the one that is called before it, which copies
/// the image with its padding; null: the kernel calls it, for each image of a
/// batch, or there is none.
struct Kernel {
  func::FuncOp function;
  func::FuncOp copyImage;
};
using Kernels = DenseMap<Attribute, Kernel>;

/// What the kernel of a layer reads: elements of the op's operands, and then in
/// the order of the kernel. `multiplier` or `fixedPoint` is empty.
struct Layer {
  int8::Conv2dOp op;
  /// Of `splat`, or of the constant.
  ArrayRef<int8_t> weight;
  std::vector<int8_t> splat;
  SmallVector<int32_t> bias;
  SmallVector<float> multiplier;
  SmallVector<int64_t> fixedPoint;
  std::unique_ptr<KernelEmitter> emitter;
  std::optional<IntegerMultipliers> integers;
  /// Whether it is requantized by FloatMultipliers.
  bool isFixedByFloats = false;
  PackedConstants packed;
};

struct GenerateKernelsPass
    : qbackend::codegen::impl::GenerateKernelsPassBase<GenerateKernelsPass> {
  using GenerateKernelsPassBase::GenerateKernelsPassBase;
  GenerateKernelsPass(const GenerateKernelsPassOptions &options,
                      ConstantStore *store)
      : GenerateKernelsPassBase(options), store(store) {}

  LogicalResult initialize(MLIRContext *context) final;
  void runOnOperation() final;

  /// Fails if a number is no constant.
  FailureOr<Layer> readLayer(int8::Conv2dOp op, const SymbolTable &symbols);
  /// Has no effect but on `layer`.
  void pack(Layer &layer);
  void lower(Layer &layer, Kernels &kernels, SymbolTable &symbols);
  std::unique_ptr<KernelEmitter>
  createEmitter(int8::Conv2dOp op, ArrayRef<int8_t> weight, bool packs);
  /// A constant with these elements.
  Value addConstant(ImplicitLocOpBuilder &b, SymbolTable &symbols, Type element,
                    ArrayRef<char> bytes);

  const KernelTarget *kernelTarget = nullptr;
  /// That of kernels on 16 bits, which have no products by fours.
  const KernelTarget *wideTarget = nullptr;
  /// Whether there are no instructions for floats, or none that C can rely on.
  bool avoidsFloats = false;
  /// Whether vectors of f64 are faster than products of 64 bits.
  bool hasDoubles = false;
  /// Whether vectors of f32 are multiplied and added with one rounding.
  bool hasFma = false;
  ConstantStore *store = nullptr;
};
} // namespace

LogicalResult GenerateKernelsPass::initialize(MLIRContext *context) {
  auto error = [&]() {
    return emitError(UnknownLoc::get(context)) << getArgument() << ": ";
  };
  auto subtarget = getSubtarget(context, getArgument(), triple, cpu, features);
  if (!subtarget)
    return failure();
  std::string available;
  for (const KernelTarget &candidate : getKernelTargets()) {
    if (!supports(*subtarget, candidate)) {
      if (candidate.name == target)
        return error() << "target '" << target << "' needs "
                       << candidate.architecture << " with "
                       << candidate.features << ", which "
                       << subtarget->getTargetTriple().getArchName() << " '"
                       << subtarget->getCPU()
                       << "' doesn't have; add it to target-features, or "
                          "leave target out";
      continue;
    }
    available += (available.empty() ? "" : ", ") + candidate.name.str();
    if (!kernelTarget &&
        (target.empty() ? !candidate.hasTiles && !candidate.isPortable
                        : candidate.name == target))
      kernelTarget = &candidate;
    if (kernelTarget && !wideTarget && candidate.products != 4 &&
        (!candidate.isPortable || kernelTarget == &candidate))
      wideTarget = &candidate;
  }
  if (kernelTarget) {
    avoidsFloats = kernelTarget->isPortable || !hasFloats(*subtarget, false);
    hasDoubles = kernelTarget->architecture == "x86";
    hasFma = !kernelTarget->architecture.empty() && hasFusedFloats(*subtarget);
    return success();
  }
  return error() << "target '" << target
                 << "' is not known; this processor has " << available;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements of the constant behind a buffer; nothing if it is none.
template <typename T>
static std::optional<SmallVector<T>> readConstant(Value buffer,
                                                  const SymbolTable &symbols) {
  ElementsAttr elements = getConstantElements(buffer, symbols);
  if (!elements)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    if (dense.isSplat())
      return SmallVector<T>(dense.getNumElements(), dense.getSplatValue<T>());
  ArrayRef<char> bytes = getElementBytes(elements);
  if (bytes.size() != elements.getNumElements() * sizeof(T))
    return std::nullopt;
  SmallVector<T> values(elements.getNumElements());
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The bytes of the constant behind a buffer, which are those of `splat` if all
/// are the same; nothing if it is none.
static std::optional<ArrayRef<int8_t>> readBytes(Value buffer,
                                                 const SymbolTable &symbols,
                                                 std::vector<int8_t> &splat) {
  ElementsAttr elements = getConstantElements(buffer, symbols);
  if (!elements || !elements.getElementType().isInteger(8))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements);
      dense && dense.isSplat()) {
    splat.assign(dense.getNumElements(), dense.getSplatValue<int8_t>());
    return splat;
  }
  ArrayRef<char> bytes = getElementBytes(elements);
  if (int64_t(bytes.size()) != elements.getNumElements())
    return std::nullopt;
  return ArrayRef(reinterpret_cast<const int8_t *>(bytes.data()), bytes.size());
}

/// What a constant of the layer at `loc` is called, by which reports tell whose
/// it is.
static std::string nameConstant(Location loc) {
  std::string name = getLocationName(loc);
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name.empty() ? "qbackend_packed" : "qbackend_packed_" + name;
}

Value GenerateKernelsPass::addConstant(ImplicitLocOpBuilder &b,
                                       SymbolTable &symbols, Type element,
                                       ArrayRef<char> bytes) {
  int64_t size = bytes.size() / getStoredBytes(element);
  auto type = MemRefType::get({size}, element);
  OpBuilder detached(b.getContext());
  auto global = memref::GlobalOp::create(
      detached, b.getLoc(), nameConstant(b.getLoc()),
      /*sym_visibility=*/StringAttr(), type, /*initial_value=*/Attribute(),
      /*constant=*/false,
      /*alignment=*/IntegerAttr());
  symbols.insert(global);
  if (store) {
    char *data = store->allocate(bytes.size());
    std::memcpy(data, bytes.data(), bytes.size());
    store->symbols.emplace_back(global.getSymName().str(), data);
  } else {
    global.setPrivate();
    global.setConstant(true);
    global.setInitialValueAttr(DenseElementsAttr::getFromRawBuffer(
        RankedTensorType::get({size}, element), bytes));
    global.setAlignment(64);
  }
  return memref::GetGlobalOp::create(b, type, global.getSymName());
}

template <typename T> static ArrayRef<char> getBytes(const std::vector<T> &v) {
  return {reinterpret_cast<const char *>(v.data()), v.size() * sizeof(T)};
}

/// What no sum of products of bytes with `weight`, of each bias, is beyond;
/// they wrap.
static int64_t boundSums(ArrayRef<int8_t> weight, ArrayRef<int32_t> bias) {
  int64_t products = weight.size() / std::max<size_t>(bias.size(), 1);
  int64_t bound = 0;
  for (int64_t number : bias)
    bound = std::max(bound, std::abs(number));
  return std::min(bound + products * 255 * 128, int64_t(1) << 31);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// All that the kernel of `op` depends on.
static Attribute getKey(int8::Conv2dOp op, const KernelEmitter &emitter) {
  Builder b(op.getContext());
  SmallVector<Attribute> parts = {op.getStrideAttr(),
                                  op.getPaddingAttr(),
                                  op.getDilationAttr(),
                                  op.getGroupsAttr(),
                                  emitter.getNumbersKey(op),
                                  b.getBoolAttr(op.getIsSigned()),
                                  b.getBoolAttr(op.isWide()),
                                  b.getStringAttr(emitter.getRequantizer()),
                                  b.getBoolAttr(emitter.usesDoubles()),
                                  b.getI64IntegerAttr(emitter.getFloatParts()),
                                  b.getDenseI64ArrayAttr(emitter.getVariant())};
  for (Value value :
       {Value(op.getInput()), Value(op.getWeight()), Value(op.getInit())})
    parts.push_back(DenseI64ArrayAttr::get(
        op.getContext(), cast<ShapedType>(value.getType()).getShape()));
  return ArrayAttr::get(op.getContext(), parts);
}

static MemRefType getFlatType(Value value) {
  auto type = cast<MemRefType>(value.getType());
  int64_t size = type.hasStaticShape() ? type.getNumElements()
                                       : int64_t(ShapedType::kDynamic);
  return MemRefType::get({size}, type.getElementType());
}

/// Whether `value` is one piece of memory that `flatten` takes.
static bool isContiguous(Value value) {
  auto type = cast<MemRefType>(value.getType());
  if (type.getLayout().isIdentity())
    return true;
  auto view = value.getDefiningOp<memref::SubViewOp>();
  return view && memref::isStaticShapeAndContiguousRowMajor(type) &&
         type.getElementType().isInteger(8) &&
         view.getSourceType().getLayout().isIdentity() &&
         view.getSourceType().hasStaticShape();
}

/// `value` with one dimension. A part of a buffer begins at an address of its
/// own: functions take buffers by these alone.
static Value flatten(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<MemRefType>(value.getType());
  if (auto view = value.getDefiningOp<memref::SubViewOp>();
      view && !type.getLayout().isIdentity()) {
    SmallVector<int64_t> strides =
        view.getSourceType().getStridesAndOffset().first;
    Value begin = arith::ConstantIndexOp::create(b, 0);
    for (auto [offset, stride] :
         llvm::zip_equal(view.getMixedOffsets(), strides)) {
      Value step = b.createOrFold<arith::MulIOp>(
          getValueOrCreateConstantIndexOp(b, b.getLoc(), offset),
          arith::ConstantIndexOp::create(b, stride));
      begin = b.createOrFold<arith::AddIOp>(begin, step);
    }
    return memref::ViewOp::create(b, getFlatType(value),
                                  flatten(b, view.getSource()), begin,
                                  ValueRange());
  }
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return memref::CollapseShapeOp::create(b, getFlatType(value), value,
                                         ArrayRef<ReassociationIndices>{all});
}

std::unique_ptr<KernelEmitter>
GenerateKernelsPass::createEmitter(int8::Conv2dOp op, ArrayRef<int8_t> weight,
                                   bool packs) {
  KernelTarget target = op.isWide() ? *wideTarget : *kernelTarget;
  if (!packs)
    target.pack = nullptr;
  std::unique_ptr<KernelEmitter> emitter;
  if (target.hasTiles)
    emitter = createTileKernel(target, op);
  if (emitter)
    return emitter;
  if (op.isDepthwise()) {
    KernelTarget rows = target.interleaves ? target : getKernelTargets().back();
    rows.copyBytes = target.copyBytes;
    return createDepthwiseKernel(rows, op);
  }
  if (op.isWide())
    return createDenseKernel(target, op);
  if (target.multiplyBytes)
    emitter = createPairedKernel(target, op, weight);
  if (target.reduce)
    emitter = createReducedKernel(target, op);
  return emitter ? std::move(emitter) : createDenseKernel(target, op);
}

/// A function that is not inlined: one that is called once would go where it is
/// called, which leaves one giant function for the passes of LLVM.
static func::FuncOp addFunction(Location loc, StringRef name, TypeRange types,
                                SymbolTable &symbols) {
  ImplicitLocOpBuilder b(loc, loc.getContext());
  auto function =
      func::FuncOp::create(b, name, b.getFunctionType(types, TypeRange()));
  function.setPrivate();
  function->setAttr("passthrough",
                    b.getStrArrayAttr({"noinline", kKernelAttribute}));
  // Descriptors are many arguments, at each call.
  if (llvm::all_of(types, [](Type type) {
        auto buffer = dyn_cast<MemRefType>(type);
        return !buffer || buffer.hasStaticShape();
      }))
    function->setAttr("llvm.bareptr", b.getUnitAttr());
  symbols.insert(function);
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b);
  return function;
}

/// Builds the kernel of `op`, which takes `types`, `numbers` of which are no
/// buffers and come last, and what it calls. With `copiesBefore` it takes the
/// copy of the image instead of the image.
static Kernel addFunctions(KernelEmitter &emitter, int8::Conv2dOp op,
                           TypeRange types, unsigned numbers, bool copiesBefore,
                           bool parallel, SymbolTable &symbols) {
  Location loc = op.getLoc();
  Kernel made;
  func::FuncOp kernel = addFunction(loc, "int8_conv2d", types, symbols);
  made.function = kernel;
  auto next = kernel.args_begin();
  KernelArguments buffers;
  // What reads the code, such as a person who reads C, is told what they are.
  auto name = [&](BlockArgument argument, StringRef what) {
    argument.setLoc(NameLoc::get(StringAttr::get(loc.getContext(), what)));
    return argument;
  };
  (copiesBefore ? buffers.scratch : buffers.input) = name(*next++, "input");
  buffers.weight = name(*next++, "weight");
  buffers.bias = name(*next++, "bias");
  if (op.getMultiplier())
    buffers.multiplier = name(*next++, "multiplier");
  if (!emitter.getVariant().empty())
    buffers.offsets = name(*next++, "offsets");
  if (op.getResidual())
    buffers.residual = name(*next++, "residual");
  ImplicitLocOpBuilder b(loc, op.getContext());
  if (emitter.getScratchSize()) {
    if (!copiesBefore)
      buffers.scratch = name(*next++, "scratch");
    func::FuncOp copyImage = addFunction(
        loc, "int8_copy_image",
        {getFlatType(op.getInput()), b.getIndexType(),
         b.getIntegerType(emitter.getScratchBits()), buffers.scratch.getType()},
        symbols);
    (copiesBefore ? made.copyImage : buffers.copyImage) = copyImage;
    Block &body = copyImage.front();
    static constexpr StringLiteral names[] = {"input", "position", "padding",
                                              "copy"};
    for (auto [argument, what] : llvm::zip_equal(body.getArguments(), names))
      name(argument, what);
    b.setInsertionPointToStart(&body);
    emitter.emitCopy(b, body.getArgument(0), body.getArgument(1),
                     body.getArgument(2), body.getArgument(3));
  }
  buffers.result = name(*next++, "result");
  buffers.numbers = ValueRange(kernel.getArguments()).take_back(numbers);
  for (auto [argument, what] : llvm::zip_equal(
           kernel.getArguments().take_back(numbers), emitter.getNumberNames()))
    name(argument, what);
  if (parallel && emitter.getUnits() > 1) {
    buffers.part = addFunction(loc, "int8_conv2d_part",
                               emitter.getPartTypes(buffers), symbols);
    b.setInsertionPointToStart(&buffers.part.front());
    emitter.emitPart(b, buffers.part.getArguments());
  }
  b.setInsertionPointToStart(&kernel.front());
  emitter.emit(b, buffers);
  return made;
}

FailureOr<Layer> GenerateKernelsPass::readLayer(int8::Conv2dOp op,
                                                const SymbolTable &symbols) {
  Layer layer;
  std::optional<ArrayRef<int8_t>> weight =
      readBytes(op.getWeight(), symbols, layer.splat);
  std::optional<SmallVector<int32_t>> bias =
      readConstant<int32_t>(op.getBias(), symbols);
  std::optional<SmallVector<float>> multiplier = SmallVector<float>();
  std::optional<SmallVector<int64_t>> fixedPoint = SmallVector<int64_t>();
  if (Value given = op.getMultiplier()) {
    if (cast<ShapedType>(given.getType()).getElementType().isF32())
      multiplier = readConstant<float>(given, symbols);
    else
      fixedPoint = readConstant<int64_t>(given, symbols);
  }
  if (!weight || !bias || !multiplier || !fixedPoint)
    return op.emitError() << "a kernel is generated for constant weights; the "
                          << (!weight ? "weight"
                              : !bias ? "bias"
                                      : "multiplier")
                          << " is none";
  layer.op = op;
  layer.weight = *weight;
  layer.bias = std::move(*bias);
  layer.multiplier = std::move(*multiplier);
  layer.fixedPoint = std::move(*fixedPoint);
  return layer;
}

void GenerateKernelsPass::pack(Layer &layer) {
  int8::Conv2dOp op = layer.op;
  SmallVector<int64_t> &fixedPoint = layer.fixedPoint;
  std::optional<std::vector<FloatMultiplier>> floats;
  int64_t bound = boundSums(layer.weight, layer.bias);
  int8::RequantizeAttr requantize = op.getRequantizeAttr();
  if (!fixedPoint.empty() && hasFma && !op.isWide())
    floats = findFloatMultipliers(fixedPoint,
                                  {requantize.getRounding(),
                                   requantize.getZeroPoint(),
                                   requantize.getLo(), requantize.getHi()},
                                  bound);
  layer.emitter = createEmitter(
      op, layer.weight, /*packs=*/fixedPoint.empty() || floats.has_value());
  KernelEmitter &emitter = *layer.emitter;
  if (!layer.multiplier.empty() && avoidsFloats)
    layer.integers = findIntegerMultipliers(layer.multiplier);
  SmallVector<int32_t> factors;
  if (layer.integers)
    factors.assign(layer.integers->multipliers.begin(),
                   layer.integers->multipliers.end());
  else
    for (float factor : layer.multiplier)
      factors.push_back(llvm::bit_cast<int32_t>(factor));
  if (floats) {
    layer.isFixedByFloats = true;
    fixedPoint.clear();
    bool bySign = llvm::any_of(*floats, [](const FloatMultiplier &each) {
      return each.offset[0] != each.offset[1] ||
             each.addend[0] != each.addend[1];
    });
    emitter.setFloats(bySign);
    for (auto [each, number] : llvm::zip_equal(*floats, layer.bias)) {
      number += each.offset[0];
      factors.append({llvm::bit_cast<int32_t>(each.factor),
                      llvm::bit_cast<int32_t>(each.addend[0])});
      if (bySign)
        factors.append({llvm::bit_cast<int32_t>(each.addend[1]), each.offset[0],
                        each.offset[1] - each.offset[0]});
    }
  } else if (!fixedPoint.empty() && hasDoubles && !op.isWide()) {
    if (auto doubles = findDoubleMultipliers(fixedPoint,
                                             requantize.getRounding(), bound)) {
      fixedPoint.assign(doubles->begin(), doubles->end());
      emitter.setDoubles();
    }
  }
  layer.packed = emitter.pack(layer.weight, layer.bias, factors, fixedPoint);
}

void GenerateKernelsPass::lower(Layer &layer, Kernels &kernels,
                                SymbolTable &symbols) {
  int8::Conv2dOp op = layer.op;
  KernelEmitter *emitter = layer.emitter.get();
  const PackedConstants &packed = layer.packed;
  const std::optional<IntegerMultipliers> &integers = layer.integers;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> arguments;
  SmallVector<Value> temporaries;
  // `like` has the extent of a dynamic batch.
  auto allocate = [&](MemRefType type, Value like = {}) -> Value {
    SmallVector<Value> sizes;
    if (!type.hasStaticShape())
      sizes.push_back(memref::DimOp::create(b, like, 0));
    Value buffer =
        memref::AllocOp::create(b, type, sizes, b.getI64IntegerAttr(64));
    temporaries.push_back(buffer);
    return buffer;
  };
  auto makeContiguous = [&](Value value) -> Value {
    if (isContiguous(value))
      return value;
    auto type = cast<MemRefType>(value.getType());
    Value buffer = allocate(
        MemRefType::get(type.getShape(), type.getElementType()), value);
    memref::CopyOp::create(b, value, buffer);
    return buffer;
  };
  auto pass = [&](Value value) {
    arguments.push_back(flatten(b, makeContiguous(value)));
  };
  pass(op.getInput());
  if (integers)
    emitter->setRequantizer(
        getRequantizer(op.getLoc(), integers->shift, symbols));
  arguments.push_back(addConstant(b, symbols,
                                  b.getIntegerType(emitter->getWeightBits()),
                                  getBytes(packed.weight)));
  arguments.push_back(
      addConstant(b, symbols, b.getI32Type(), getBytes(packed.bias)));
  if (!packed.multiplier.empty())
    arguments.push_back(addConstant(b, symbols,
                                    integers || layer.isFixedByFloats
                                        ? b.getI32Type()
                                        : Type(b.getF32Type()),
                                    getBytes(packed.multiplier)));
  if (!packed.fixedPoint.empty())
    arguments.push_back(addConstant(
        b, symbols,
        emitter->usesDoubles() ? Type(b.getF64Type()) : b.getI64Type(),
        getBytes(packed.fixedPoint)));
  if (!packed.offsets.empty())
    arguments.push_back(
        addConstant(b, symbols, b.getI32Type(), getBytes(packed.offsets)));
  if (op.getResidual())
    pass(op.getResidual());
  // Of one image, the copy is a call of its own, behind which nothing reads the
  // image: what the kernel writes may have its place.
  bool copiesBefore =
      emitter->getScratchSize() &&
      cast<ShapedType>(op.getInput().getType()).getDimSize(0) == 1;
  Value image = arguments.front();
  if (int64_t size = emitter->getScratchSize()) {
    Value scratch = allocate(
        MemRefType::get({size}, b.getIntegerType(emitter->getScratchBits())));
    if (copiesBefore)
      arguments.front() = scratch;
    else
      arguments.push_back(scratch);
  }
  Value result = op.getInit();
  if (!isContiguous(result)) {
    auto type = cast<MemRefType>(result.getType());
    result = allocate(MemRefType::get(type.getShape(), type.getElementType()),
                      result);
  }
  arguments.push_back(flatten(b, result));
  SmallVector<TypedAttr> numbers = emitter->getNumbers(op);
  for (TypedAttr number : numbers)
    arguments.push_back(arith::ConstantOp::create(b, number));

  Kernel &kernel = kernels[getKey(op, *emitter)];
  if (!kernel.function)
    kernel = addFunctions(*emitter, op, ValueRange(arguments).getTypes(),
                          numbers.size(), copiesBefore, parallel, symbols);
  if (copiesBefore) {
    Value padding = arguments[arguments.size() - numbers.size()];
    func::CallOp::create(b, kernel.copyImage,
                         {image, arith::ConstantIndexOp::create(b, 0), padding,
                          arguments.front()});
  }
  func::CallOp::create(b, kernel.function, arguments);
  if (result != op.getInit())
    memref::CopyOp::create(b, result, op.getInit());
  for (Value buffer : temporaries)
    memref::DeallocOp::create(b, buffer);
  op.erase();
}

void GenerateKernelsPass::runOnOperation() {
  Kernels kernels;
  SymbolTable symbols(getOperation());
  SmallVector<int8::Conv2dOp> ops;
  getOperation().walk([&](int8::Conv2dOp op) { ops.push_back(op); });
  // Weights are in memory once more for a few layers at a time.
  constexpr size_t groupSize = 8;
  ArrayRef<int8::Conv2dOp> rest = ops;
  while (!rest.empty()) {
    std::vector<Layer> layers;
    for (int8::Conv2dOp op : rest.take_front(groupSize)) {
      FailureOr<Layer> layer = readLayer(op, symbols);
      if (failed(layer))
        return signalPassFailure();
      layers.push_back(std::move(*layer));
    }
    parallelForEach(&getContext(), layers, [&](Layer &layer) { pack(layer); });
    for (Layer &layer : layers)
      lower(layer, kernels, symbols);
    rest = rest.drop_front(layers.size());
  }
}

std::unique_ptr<Pass> qbackend::codegen::createGenerateKernelsPass(
    const GenerateKernelsPassOptions &options, ConstantStore *store) {
  return std::make_unique<GenerateKernelsPass>(options, store);
}
