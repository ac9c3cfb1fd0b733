// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator by operator: what is emitted for it, what its formula is, and
// whether they are one.

#include "qbackend/Insight/Proof/Prove.h"

#include "JudgeOperator.h"
#include "Kernels/Chains.h"
#include "Kernels/JudgeKernel.h"
#include "ONNX/GraphCode.h"

#include "qbackend/Conversion/QNNPackToLinalg.h"
#include "qbackend/Conversion/QNNPackToTosa.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Execution/Int8/Passes.h"
#include "qbackend/Support/Parts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

static constexpr std::pair<ProofForm, llvm::StringLiteral> formNames[] = {
    {ProofForm::Linalg, "linalg"},
    {ProofForm::UnsignedLinalg, "linalg-unsigned-bytes"},
    {ProofForm::Kernels, "kernels"},
    {ProofForm::Tosa, "tosa"},
    {ProofForm::Onnx, "onnx"}};

StringRef qbackend::getName(ProofForm form) {
  return llvm::find_if(formNames,
                       [&](auto &entry) { return entry.first == form; })
      ->second;
}

std::optional<ProofForm> qbackend::getProofForm(StringRef name) {
  for (auto &[form, known] : formNames)
    if (known == name)
      return form;
  return std::nullopt;
}

Verdict OperatorProof::getVerdict() const {
  Verdict worst = reason.empty() ? Verdict::Proven : Verdict::Open;
  for (const ProofStep &step : steps)
    worst = std::max(worst, step.verdict);
  return worst;
}

Verdict Certificate::getVerdict() const {
  Verdict worst = Verdict::Proven;
  for (const OperatorProof &proof : operators)
    worst = std::max(worst, proof.getVerdict());
  return worst;
}

//===----------------------------------------------------------------------===//
// Code of one operator
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<quant::StorageCastOp>(op))
    op = cast.getInput().getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// A module with a function of `ops` alone, each of which reads the one before
/// it: their constants are in it, their other operands are arguments.
static OwningOpRef<ModuleOp> isolate(ArrayRef<Operation *> ops) {
  Location loc = ops.back()->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(module->getBodyRegion());
  SmallVector<Value> operands;
  auto isInside = [&](Value value) {
    return llvm::is_contained(ops, value.getDefiningOp());
  };
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!isConstant(operand) && !isInside(operand) &&
          !llvm::is_contained(operands, operand))
        operands.push_back(operand);
  auto function = func::FuncOp::create(
      builder, loc, "operator",
      builder.getFunctionType(ValueRange(operands).getTypes(),
                              ops.back()->getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  mapping.map(operands, block->getArguments());
  Operation *copy = nullptr;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      if (mapping.contains(operand))
        continue;
      auto *source = operand.getDefiningOp();
      if (auto cast = dyn_cast<quant::StorageCastOp>(source))
        if (!mapping.contains(cast.getInput()))
          builder.clone(*cast.getInput().getDefiningOp(), mapping);
      builder.clone(*source, mapping);
    }
    copy = builder.clone(*op, mapping);
  }
  func::ReturnOp::create(builder, loc, copy->getResults());
  return module;
}

/// The op of qnnpack in `function`, if it is its only one.
static Operation *getOperator(func::FuncOp function) {
  Operation *found = nullptr;
  unsigned count = 0;
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<qnnpack::QNNPackDialect>(op->getDialect())) {
      found = op;
      ++count;
    }
  });
  return count == 1 ? found : nullptr;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static std::string hashModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return hashText(text);
}

/// Values of type `a`, of which `b` is the code's: the same shape, and elements
/// of the same width, which are floats in both or in none.
static bool fits(Type a, Type b) {
  auto first = dyn_cast<RankedTensorType>(a),
       second = dyn_cast<RankedTensorType>(b);
  if (!first || !second)
    return a == b;
  auto describe = [](Type element) -> std::pair<unsigned, bool> {
    if (auto quantized = dyn_cast<quant::QuantizedType>(element))
      return {quantized.getStorageTypeIntegralWidth(), false};
    return {element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0,
            isa<FloatType>(element)};
  };
  return first.getShape() == second.getShape() &&
         describe(first.getElementType()) == describe(second.getElementType());
}

/// Code of `op` in `lowered`; null and a reason if there is none.
static func::FuncOp findLowered(Operation *op, ModuleOp lowered,
                                std::string &reason) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function || getOperator(function) != op) {
    reason = "its function has other operators, so that no function that is "
             "given is its code";
    return nullptr;
  }
  Operation *returned = function.front().getTerminator();
  if (returned->getNumOperands() != 1 ||
      returned->getOperand(0).getDefiningOp() != op) {
    reason = "its function returns something else";
    return nullptr;
  }
  auto code = lowered.lookupSymbol<func::FuncOp>(function.getSymName());
  if (!code || code.isExternal()) {
    reason = "there is no function '" + function.getSymName().str() +
             "' with its code";
    return nullptr;
  }
  FunctionType wanted = function.getFunctionType(),
               given = code.getFunctionType();
  bool isSame = wanted.getNumInputs() == given.getNumInputs() &&
                wanted.getNumResults() == given.getNumResults();
  for (unsigned i = 0; isSame && i < wanted.getNumInputs(); ++i)
    isSame = fits(wanted.getInput(i), given.getInput(i));
  for (unsigned i = 0; isSame && i < wanted.getNumResults(); ++i)
    isSame = fits(wanted.getResult(i), given.getResult(i));
  if (!isSame) {
    reason = "the function that is given has other types";
    return nullptr;
  }
  return code;
}

/// Judges the code that is emitted for kernels on buffers: each of `op`, an
/// int8.conv2d that has no tensors.
static Error judgeBuffers(int8::Conv2dOp op, const ProveOptions &options,
                          Solver &solver, OperatorProof &proof) {
  auto function = op->getParentOfType<func::FuncOp>();
  OwningOpRef<ModuleOp> emitted;
  ModuleOp code = options.lowered;
  if (!code) {
    emitted = op->getParentOfType<ModuleOp>().clone();
    PassManager passes(op.getContext());
    passes.addPass(codegen::createGenerateKernelsPass(options.target));
    if (failed(passes.run(*emitted)))
      return llvm::createStringError("no kernel is generated");
    code = *emitted;
  }
  auto lowered = function
                     ? code.lookupSymbol<func::FuncOp>(function.getSymName())
                     : func::FuncOp();
  unsigned count = 0;
  if (function)
    function.walk([&](int8::Conv2dOp) { ++count; });
  if (count != 1 || !lowered || lowered.isExternal() ||
      lowered.getFunctionType() != function.getFunctionType()) {
    proof.reason = "there is no function of one kernel and its code";
    return Error::success();
  }
  auto steps = judgeKernel(op, lowered, solver);
  if (!steps)
    return steps.takeError();
  llvm::append_range(proof.steps, *steps);
  return Error::success();
}

/// Adds the passes that make the code of `form`.
static void addLowering(PassManager &passes, ProofForm form) {
  if (form == ProofForm::Tosa) {
    passes.addPass(createConvertQNNPackToTosaPass());
    passes.addPass(codegen::createLowerTosaPass());
    return;
  }
  if (form == ProofForm::Kernels)
    passes.addPass(createConvertQNNPackToInt8Pass());
  ConvertQNNPackToLinalgPassOptions lowering;
  lowering.unsignedBytes = form != ProofForm::Linalg;
  passes.addPass(createConvertQNNPackToLinalgPass(lowering));
}

/// The code that `options` ask for of `alone`; an error says why there is none.
static Expected<OwningOpRef<ModuleOp>> emitCode(ModuleOp alone,
                                                const ProveOptions &options) {
  OwningOpRef<ModuleOp> lowered(alone.clone());
  if (options.form != ProofForm::Onnx) {
    PassManager passes(lowered->getContext());
    addLowering(passes, options.form);
    if (failed(passes.run(*lowered)))
      return llvm::createStringError("it is not lowered to this form");
    return std::move(lowered);
  }
  auto function = *alone.getOps<func::FuncOp>().begin();
  if (isa<qnnpack::QuantizeOp>(function.front().front()))
    return llvm::createStringError(
        "floats: ONNX divides by the scale, where a tie may be another one, "
        "says nothing of NaN, and saturates beyond 2^63");
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  std::string why;
  ScopedDiagnosticHandler handler(
      alone.getContext(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          why = diagnostic.str();
        return success();
      });
  if (!options.onnx || failed(options.onnx(*lowered, os)))
    return llvm::createStringError("it has no ONNX form: " + why);
  return makeGraphCode(bytes, function.getFunctionType(), function.getLoc());
}

/// Judges what is emitted for the ops of `chain`, of which each but the first
/// reads the one before it.
static Error judgeChain(ArrayRef<Operation *> chain,
                        const ProveOptions &options, Solver &solver,
                        OperatorProof &proof) {
  bool isTosa = options.form == ProofForm::Tosa;
  Judge judge(solver, proof, isTosa || options.form == ProofForm::Onnx ? 1 : 0,
              isTosa || options.form == ProofForm::Kernels);
  OwningOpRef<ModuleOp> alone = isolate(chain);
  auto lowered = emitCode(*alone, options);
  if (!lowered) {
    proof.reason = llvm::toString(lowered.takeError());
    return Error::success();
  }
  auto function = *alone->getOps<func::FuncOp>().begin(),
       code = *(*lowered)->getOps<func::FuncOp>().begin();
  Operation *last =
      function.front().getTerminator()->getOperand(0).getDefiningOp();
  if (Error error = judge.judge(last, code))
    return error;
  if (options.form != ProofForm::Kernels)
    return Error::success();
  SmallVector<int8::Conv2dOp> kernels;
  code.walk([&](int8::Conv2dOp op) { kernels.push_back(op); });
  for (int8::Conv2dOp kernel : kernels) {
    OwningOpRef<ModuleOp> buffers = isolateKernel(kernel);
    if (!buffers) {
      proof.reason = "its kernel has no constant weight";
      continue;
    }
    int8::Conv2dOp op;
    buffers->walk([&](int8::Conv2dOp found) { op = found; });
    if (Error error = judgeBuffers(op, options, solver, proof))
      return error;
  }
  return Error::success();
}

Expected<Certificate> qbackend::proveModule(ModuleOp module,
                                            const ProveOptions &options) {
  auto solver = Solver::find(options.solver, options.seconds);
  if (!solver)
    return solver.takeError();
  Certificate certificate;
  certificate.hash = hashModule(module);
  if (options.lowered)
    certificate.loweredHash = hashModule(options.lowered);
  certificate.form = options.lowered ? "given" : getName(options.form).str();
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    auto kernel = dyn_cast<int8::Conv2dOp>(op);
    bool isKernel = kernel && options.form == ProofForm::Kernels &&
                    kernel.hasPureBufferSemantics();
    if (isa_and_nonnull<qnnpack::QNNPackDialect>(op->getDialect()) || isKernel)
      ops.push_back(op);
    else if (op->getNumResults() != 0 && !isConstant(op->getResult(0)) &&
             !isa<quant::StorageCastOp, tensor::EmptyOp, memref::GetGlobalOp>(
                 op) &&
             !op->getParentOfType<linalg::LinalgOp>())
      ++certificate.others[op->getName().getStringRef().str()];
  });
  if (ops.empty())
    return llvm::createStringError(
        "there is no op of qnnpack in the module; quantize it first "
        "(qbackend-opt --apply-backend=qnnpack data=FILE in.mlir -o out.mlir)");
  std::vector<SmallVector<Operation *>> chains;
  if (options.form == ProofForm::Kernels && !options.lowered) {
    auto found = findChains(module);
    if (failed(found))
      return llvm::createStringError("the module is not lowered to kernels");
    chains = std::move(*found);
  } else {
    for (Operation *op : ops)
      if (!isa<int8::Conv2dOp>(op))
        chains.push_back({op});
  }
  for (Operation *op : ops)
    if (isa<int8::Conv2dOp>(op))
      chains.push_back({op});
  for (auto [i, chain] : llvm::enumerate(chains)) {
    OperatorProof &proof = certificate.operators.emplace_back();
    proof.number = i + 1;
    for (Operation *op : chain)
      proof.name += (proof.name.empty() ? "" : " + ") +
                    op->getName().getStringRef().str();
    Operation *op = chain.back();
    if (auto function = op->getParentOfType<func::FuncOp>())
      proof.function = function.getSymName().str();
    if (auto kernel = dyn_cast<int8::Conv2dOp>(op)) {
      if (Error error = judgeBuffers(kernel, options, *solver, proof))
        return error;
      continue;
    }
    if (op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType())) {
      proof.reason = "it has not one tensor as its result";
      continue;
    }
    if (options.lowered) {
      func::FuncOp code = findLowered(op, options.lowered, proof.reason);
      if (!code)
        continue;
      Judge judge(*solver, proof, 0, options.form != ProofForm::Linalg);
      if (Error error = judge.judge(op, code))
        return error;
      continue;
    }
    if (Error error = judgeChain(chain, options, *solver, proof))
      return error;
  }
  certificate.laws = solver->countLaws();
  certificate.seconds = solver->getSeconds();
  return certificate;
}
