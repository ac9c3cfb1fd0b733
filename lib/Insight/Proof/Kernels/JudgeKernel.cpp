// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector code against int8.conv2d. Its loops are symbols, so that each body is
// walked once, and a sum is a list of
//
//   function(x[place]) * w[place],   in each step of loops
//
// from which follows what each byte of the image is multiplied by, for all
// images. Three things are visited, all of each: results (where a tile is, and
// which window it reads), weights (what the bytes of a window are multiplied
// by), and the copy of an image with its padding. So it takes time linear in
// results and weights, not in their products.

#include "Kernels/JudgeKernel.h"

#include "Kernels/KernelJudge.h"
#include "Reading/Reader.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

template <typename T> std::vector<T> KernelJudge::readConstant(Value buffer) {
  ElementsAttr elements = codegen::getConstantElements(buffer, symbols);
  auto bytes = elements ? getBytes(op, elements) : Expected<Bytes>(Bytes());
  if (!bytes || bytes->width != 8 * sizeof(T)) {
    llvm::consumeError(bytes.takeError());
    return {};
  }
  std::vector<T> values;
  for (int64_t i = 0; i < elements.getNumElements(); ++i)
    values.push_back(static_cast<T>(bytes->read(i).getZExtValue()));
  return values;
}

KernelJudge::Result KernelJudge::readOp() {
  ShapedType inputType = op.getInput().getType(),
             weightType = op.getWeight().getType(),
             resultType = op.getInit().getType();
  auto input = dyn_cast<BlockArgument>(op.getInput()),
       result = dyn_cast<BlockArgument>(op.getInit()),
       other = dyn_cast_or_null<BlockArgument>(op.getResidual());
  if (!input || !result || input == result || other == result ||
      (op.getResidual() && !other))
    return open("its buffers are no arguments that differ");
  inputArgument = input.getArgNumber();
  resultArgument = result.getArgNumber();
  if (other)
    residualArgument = other.getArgNumber();
  inputBits = inputType.getElementTypeBitWidth();
  weight = readConstant<int8_t>(op.getWeight());
  bias = readConstant<int32_t>(op.getBias());
  if (op.getMultiplier() && isFixedPoint()) {
    multiplierSort = bits(64);
    multiplier = readConstant<uint64_t>(op.getMultiplier());
  } else if (op.getMultiplier()) {
    auto floats = readConstant<uint32_t>(op.getMultiplier());
    multiplier.assign(floats.begin(), floats.end());
  }
  batch = inputType.isDynamicDim(0) ? assumedBatch : inputType.getDimSize(0);
  height = inputType.getDimSize(1);
  width = inputType.getDimSize(2);
  in = inputType.getDimSize(3);
  out = weightType.getDimSize(0);
  kernelY = weightType.getDimSize(1);
  kernelX = weightType.getDimSize(2);
  inGroup = weightType.getDimSize(3);
  outGroup = out / op.getGroups();
  resultY = resultType.getDimSize(1);
  resultX = resultType.getDimSize(2);
  if (weight.empty() || int64_t(bias.size()) != out ||
      (op.getMultiplier() && int64_t(multiplier.size()) != out))
    return open("its weight, bias or multiplier is no constant");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

KernelJudge::Result KernelJudge::checkAccesses() {
  for (auto *accesses : {&walk.loads, &walk.stores})
    for (const KernelAccess &access : *accesses) {
      const KernelBuffer &buffer = walk.buffers[access.buffer];
      auto range = walk.places.getRange(access.at);
      if (!range)
        continue; // never done
      if (range->first < 0 || range->second + access.count > buffer.size)
        return wrong((accesses == &walk.loads ? "elements " : "results ") +
                     Twine(range->first) + " to " +
                     Twine(range->second + access.count - 1) +
                     " are accessed of a buffer that has " +
                     Twine(buffer.size));
    }
  return std::nullopt;
}

/// An unknown extent is for the number of images alone, and that is for a loop
/// over them, whose value only places are made of.
KernelJudge::Result KernelJudge::checkBatch() {
  const std::vector<Symbol> &symbols = walk.places.getSymbols();
  auto isOnly = [&](const Linear &at, unsigned number) {
    return at.offset == 0 && at.coefficients.size() == 1 &&
           at.coefficients.count(number) && at.coefficients.at(number) == 1;
  };
  auto uses = [&](const Linear &at, unsigned number) {
    return at.coefficients.count(number) != 0;
  };
  std::set<unsigned> extents, counts, images;
  int64_t perImage = height * width * in;
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    if (symbol.kind == Symbol::Extent)
      extents.insert(number);
    for (unsigned extent : extents) {
      if (!uses(symbol.a, extent) && !uses(symbol.b, extent))
        continue;
      if (symbol.kind != Symbol::Quotient || !isOnly(symbol.a, extent) ||
          !(symbol.b == Linear(perImage)))
        return open("an unknown extent is used in a way that is not followed");
      counts.insert(number);
    }
    for (unsigned count : counts) {
      if (!uses(symbol.a, count) && !uses(symbol.b, count))
        continue;
      if (symbol.kind != Symbol::Loop || !isOnly(symbol.b, count) ||
          !(symbol.a == Linear(0)) || symbol.step != 1)
        return open("a number of images is used in a way that is not followed");
      images.insert(number);
    }
    for (unsigned image : images)
      if (uses(symbol.a, image) || uses(symbol.b, image))
        return open("a number depends on that of an image");
  }
  for (auto *accesses : {&walk.loads, &walk.stores})
    for (const KernelAccess &access : *accesses)
      for (auto [number, factor] : access.at.coefficients)
        if (extents.count(number) || counts.count(number))
          return open("a place depends on the number of images");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

Expected<std::vector<ProofStep>> KernelJudge::judge(func::FuncOp code) {
  std::vector<ProofStep> steps;
  ProofStep step;
  step.what = "the sums of the kernel";
  auto stop = [&](const Finding &finding) {
    step.verdict = finding.verdict;
    step.how = finding.verdict == Verdict::Open ? "not judged: " + finding.text
                                                : finding.text;
    if (finding.verdict == Verdict::Counterexample)
      step.run = run(code);
    return std::vector<ProofStep>{step};
  };
  if (auto finding = readOp())
    return stop(*finding);
  sum = scope.terms.variable("sum", bits(32));
  residual = scope.terms.variable("the other byte", bits(8));
  offset = scope.terms.variable("its offset", bits(32));
  if (!multiplier.empty()) {
    Table table;
    table.shape = {out};
    table.position = {scope.loop(scope.addLoop(out, "o"))};
    table.read = [this](int64_t o) {
      return llvm::APInt(multiplierSort.width, multiplier[o]);
    };
    m = scope.element(std::move(table), multiplierSort, "m");
  }
  if (Error error = walk.walk(code))
    return stop({Verdict::Open, llvm::toString(std::move(error))});
  for (auto check : {&KernelJudge::checkBatch, &KernelJudge::checkAccesses,
                     &KernelJudge::sortStores})
    if (auto finding = (this->*check)())
      return stop(*finding);
  written.assign(batch * resultY * resultX * out, false);
  Environment values = walk.places.makeEnvironment();
  Result finding;
  std::vector<unsigned> images;
  if (imageLoop)
    images.push_back(*imageLoop);
  walk.places.forEach(images, values, [&] {
    if (isCopied)
      finding = checkCopy(values);
    if (!finding)
      finding = checkResults(values);
    return !finding;
  });
  if (finding)
    return stop(*finding);
  if (auto it = llvm::find(written, false); it != written.end())
    return stop({Verdict::Counterexample,
                 "result " + std::to_string(it - written.begin()) +
                     " is never stored"});
  step.verdict = Verdict::Proven;
  step.how = "each product once, in the walk of its loops";
  steps.push_back(step);
  auto results = proveResults(code);
  if (!results)
    return results.takeError();
  llvm::append_range(steps, *results);
  return steps;
}

Expected<std::vector<ProofStep>> qbackend::proof::judgeKernel(int8::Conv2dOp op,
                                                              func::FuncOp code,
                                                              Solver &solver) {
  return KernelJudge(op, solver).judge(code);
}

OwningOpRef<ModuleOp> qbackend::proof::isolateKernel(int8::Conv2dOp op) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  b.setInsertionPointToStart(module->getBody());
  auto toBuffer = [](Value value) -> Type {
    auto type = cast<ShapedType>(value.getType());
    return MemRefType::get(type.getShape(), type.getElementType());
  };
  SmallVector<Value> given = {op.getInput()};
  if (op.getResidual())
    given.push_back(op.getResidual());
  given.push_back(op.getInit());
  SmallVector<Type> types = llvm::map_to_vector(given, toBuffer);
  SmallVector<std::pair<Value, memref::GlobalOp>> globals;
  for (Value value : {Value(op.getWeight()), Value(op.getBias()),
                      Value(op.getMultiplier())}) {
    ElementsAttr elements;
    if (!value || !matchPattern(value, m_Constant(&elements)))
      continue;
    auto global = memref::GlobalOp::create(
        b, ("constant" + Twine(globals.size())).str(),
        b.getStringAttr("private"), cast<MemRefType>(toBuffer(value)), elements,
        /*constant=*/true, /*alignment=*/IntegerAttr());
    globals.push_back({value, global});
  }
  auto function =
      func::FuncOp::create(b, "kernel", b.getFunctionType(types, {}));
  Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  IRMapping mapping;
  mapping.map(given, block->getArguments());
  for (auto &[value, global] : globals)
    mapping.map(value, memref::GetGlobalOp::create(b, global.getType(),
                                                   global.getSymName())
                           .getResult());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value mapped = mapping.lookupOrNull(operand);
    if (!mapped)
      return nullptr;
    operands.push_back(mapped);
  }
  b.insert(Operation::create(op.getLoc(), op->getName(), TypeRange(), operands,
                             op->getDiscardableAttrDictionary(),
                             op->getPropertiesStorage(), BlockRange(), 0));
  func::ReturnOp::create(b);
  return module;
}
