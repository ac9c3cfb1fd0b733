// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector code that isn't its int8.conv2d, on images.

#include "Kernels/KernelJudge.h"

#include "Laws/Laws.h"
#include "Reading/ReadKernel.h"
#include "Running/RunCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using arrays::Array;
using llvm::APInt;

/// Results that are computed in one run.
static constexpr int64_t mostProducts = int64_t(1) << 22;

/// What this machine has to have for the instruction `name`, as LLVM calls it;
/// empty: any has it; nothing: it is another architecture's, or not known. A
/// compiler ends the process where an instruction is missing.
static std::optional<SmallVector<StringRef, 3>> getFeatures(StringRef name) {
  using Features = SmallVector<StringRef, 3>;
  if (!name.consume_front("llvm."))
    return std::nullopt;
  if (!name.consume_front("x86."))
    return name.starts_with("fshr.") || name.starts_with("lrint.")
               ? std::optional(Features())
               : std::nullopt;
  if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
    return std::nullopt;
  if (name == "avx512.vpdpbusd.256")
    return Features{"avx512vnni", "avx512vl"};
  if (name.starts_with("avx512."))
    return Features{"avx512bw", "avx512vl",
                    name.contains("vpdpbusd") ? "avx512vnni" : "avx512f"};
  return Features{name.split('.').first};
}

/// Why `module` can't be compiled here; empty: it can.
static std::string findMissing(ModuleOp module) {
  llvm::StringMap<bool> own = llvm::sys::getHostCPUFeatures();
  std::string missing;
  module.walk([&](LLVM::CallIntrinsicOp call) {
    auto features = getFeatures(call.getIntrin());
    if (!features || llvm::any_of(*features, [&](StringRef feature) {
          return !own.lookup(feature);
        }))
      missing = "this machine has no '" + call.getIntrin().str() + "'";
  });
  return missing;
}

std::string KernelJudge::run(func::FuncOp code) {
  OwningOpRef<ModuleOp> module(code->getParentOfType<ModuleOp>().clone());
  if (std::string why = findMissing(*module); !why.empty())
    return "not run: " + why;
  // A function that calls it, and returns the result.
  ImplicitLocOpBuilder b(code.getLoc(), code.getContext());
  b.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputs(code.getArgumentTypes());
  auto resultType = cast<MemRefType>(inputs[resultArgument]);
  inputs.erase(inputs.begin() + resultArgument);
  auto entry = func::FuncOp::create(b, "qbackend_run",
                                    b.getFunctionType(inputs, resultType));
  Block *block = entry.addEntryBlock();
  b.setInsertionPointToStart(block);
  SmallVector<Value> operands(block->getArguments()), sizes;
  if (!resultType.hasStaticShape())
    sizes.push_back(memref::DimOp::create(b, operands[0], 0));
  Value result = memref::AllocOp::create(b, resultType, sizes);
  operands.insert(operands.begin() + resultArgument, result);
  func::CallOp::create(b, code.getSymName(), TypeRange(), operands);
  func::ReturnOp::create(b, result);

  // Without the result, arguments behind it are one less.
  auto getInput = [&](unsigned argument) {
    return argument - (argument > resultArgument);
  };
  Term formula = makeKernelResult(op, makeKernelByte(op, sum, m, scope.terms),
                                  residual, scope.terms);
  Evaluator evaluator(formula);
  auto compare = [&](ArrayRef<Array> arrays,
                     const Array &found) -> std::optional<std::string> {
    int64_t elements = batch * resultY * resultX * out, stride = 1;
    // All results, or some of them, of all channels.
    while (elements / stride >
           std::max<int64_t>(mostProducts / (kernelY * kernelX * inGroup), 1))
      stride = stride * 2 + 1;
    for (int64_t i = 0; i < elements; i += stride) {
      int64_t o = i % out;
      std::vector<APInt> values;
      for (Term variable : evaluator.variables())
        values.push_back(
            variable == sum ? addUp(arrays[getInput(inputArgument)], i)
            : variable == m
                ? APInt(multiplierSort.width, multiplier[o])
                : getElement(arrays[getInput(*residualArgument)], i));
      evaluator.run(values);
      APInt emitted = getElement(found, i);
      if (emitted != evaluator.result(0))
        return "emitted " + printValue(formula->sort, emitted) + ", formula " +
               printValue(formula->sort, evaluator.result(0)) + " at result " +
               std::to_string(i);
    }
    return std::nullopt;
  };
  // What is 0 to the sums.
  std::vector<Filling> given(inputs.size());
  given[getInput(inputArgument)].value =
      APInt(64, op.getPadValue()).trunc(inputBits);
  return runCode(*module, entry.getSymName(), given, compare, manyRuns,
                 /*onBuffers=*/true);
}

/// The sum of result `index`, by the text of the op.
APInt KernelJudge::addUp(const Array &image, int64_t index) {
  int64_t o = index % out, x = index / out % resultX,
          y = index / out / resultX % resultY,
          n = index / out / resultX / resultY, first = o / outGroup * inGroup;
  uint32_t total = bias[o];
  for (int64_t ky = 0; ky < kernelY; ++ky)
    for (int64_t kx = 0; kx < kernelX; ++kx) {
      int64_t row = y * op.getStride()[0] + ky * op.getDilation()[0] -
                    op.getPadding()[0],
              column = x * op.getStride()[1] + kx * op.getDilation()[1] -
                       op.getPadding()[2];
      bool isInside = row >= 0 && row < height && column >= 0 && column < width;
      for (int64_t i = 0; i < inGroup; ++i) {
        int64_t at = ((n * height + row) * width + column) * in + first + i,
                value = op.getPadValue();
        if (isInside && op.getIsSigned())
          value = getElement(image, at).getSExtValue();
        else if (isInside)
          value = getElement(image, at).getZExtValue();
        else
          // The byte of that value.
          value = op.getIsSigned() ? llvm::SignExtend64(value, inputBits)
                                   : uint8_t(value);
        total += uint32_t(value * getWeight(o, ky, kx, i));
      }
    }
  return APInt(32, total);
}
