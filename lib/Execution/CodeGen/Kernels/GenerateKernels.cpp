// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes calls of generated functions of the ops of the int8 dialect.

#include "Lowering/LowerToLLVM.h"

#include "Lowering/Subtarget.h"
#include "PackLayer.h"

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

struct GenerateKernelsPass
    : qbackend::codegen::impl::GenerateKernelsPassBase<GenerateKernelsPass> {
  using GenerateKernelsPassBase::GenerateKernelsPassBase;
  GenerateKernelsPass(const GenerateKernelsPassOptions &options,
                      ConstantStore *store)
      : GenerateKernelsPassBase(options), store(store) {}

  LogicalResult initialize(MLIRContext *context) final;
  void runOnOperation() final;

  void lower(Layer &layer, Kernels &kernels, SymbolTable &symbols);
  /// A constant with these elements, which a store takes from `owned` if that
  /// has them.
  Value addConstant(ImplicitLocOpBuilder &b, SymbolTable &symbols, Type element,
                    ArrayRef<char> bytes, OwnedBytes *owned = nullptr);

  KernelTargets targets;
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
    if (!targets.bytes &&
        (target.empty() ? !candidate.hasTiles && !candidate.isPortable
                        : candidate.name == target))
      targets.bytes = &candidate;
    if (targets.bytes && !targets.wide && candidate.products != 4 &&
        (!candidate.isPortable || targets.bytes == &candidate))
      targets.wide = &candidate;
  }
  if (targets.bytes) {
    targets.avoidsFloats =
        targets.bytes->isPortable || !hasFloats(*subtarget, false);
    targets.hasDoubles = targets.bytes->architecture == "x86";
    targets.hasFma =
        !targets.bytes->architecture.empty() && hasFusedFloats(*subtarget);
    return success();
  }
  return error() << "target '" << target
                 << "' is not known; this processor has " << available;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

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
                                       ArrayRef<char> bytes,
                                       OwnedBytes *owned) {
  int64_t size = bytes.size() / getStoredBytes(element);
  auto type = MemRefType::get({size}, element);
  OpBuilder detached(b.getContext());
  auto global = memref::GlobalOp::create(
      detached, b.getLoc(), nameConstant(b.getLoc()),
      /*sym_visibility=*/StringAttr(), type, /*initial_value=*/Attribute(),
      /*constant=*/false,
      /*alignment=*/IntegerAttr());
  symbols.insert(global);
  if (store && owned) {
    store->symbols.emplace_back(global.getSymName().str(),
                                store->keep(std::move(*owned)));
  } else if (store) {
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

bool qbackend::codegen::isKernel(Operation *function) {
  auto attributes = function->getAttrOfType<ArrayAttr>("passthrough");
  return attributes &&
         llvm::is_contained(attributes, StringAttr::get(function->getContext(),
                                                        kKernelAttribute));
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

void GenerateKernelsPass::lower(Layer &layer, Kernels &kernels,
                                SymbolTable &symbols) {
  int8::Conv2dOp op = layer.op;
  KernelEmitter *emitter = layer.emitter.get();
  PackedConstants &packed = layer.packed;
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
                                  packed.weight.get(), &packed.weight));
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
      FailureOr<Layer> layer = Layer::read(op, symbols);
      if (failed(layer))
        return signalPassFailure();
      layers.push_back(std::move(*layer));
    }
    parallelForEach(&getContext(), layers,
                    [&](Layer &layer) { layer.pack(targets); });
    for (Layer &layer : layers)
      lower(layer, kernels, symbols);
    rest = rest.drop_front(layers.size());
  }
}

std::unique_ptr<Pass> qbackend::codegen::createGenerateKernelsPass(
    const GenerateKernelsPassOptions &options, ConstantStore *store) {
  return std::make_unique<GenerateKernelsPass>(options, store);
}
