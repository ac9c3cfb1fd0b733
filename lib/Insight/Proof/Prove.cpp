// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator by operator: what is emitted for it, what its formula is, and
// whether they are one.

#include "qbackend/Insight/Proof/Prove.h"

#include "Formulas.h"
#include "Laws.h"

#include "qbackend/Conversion/QNNPackToLinalg.h"
#include "qbackend/Conversion/QNNPackToTosa.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <set>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

static constexpr std::pair<ProofForm, llvm::StringLiteral> formNames[] = {
    {ProofForm::Linalg, "linalg"},
    {ProofForm::UnsignedLinalg, "linalg-unsigned-bytes"},
    {ProofForm::Tosa, "tosa"}};

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

/// A module with a function of `op` alone: its constants are in it, its other
/// operands are arguments.
static OwningOpRef<ModuleOp> isolate(Operation *op) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  OpBuilder builder(module->getBodyRegion());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!isConstant(operand) && !llvm::is_contained(operands, operand))
      operands.push_back(operand);
  auto function = func::FuncOp::create(
      builder, op->getLoc(), "operator",
      builder.getFunctionType(ValueRange(operands).getTypes(),
                              op->getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  mapping.map(operands, block->getArguments());
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    auto *source = operand.getDefiningOp();
    if (auto cast = dyn_cast<quant::StorageCastOp>(source))
      if (!mapping.contains(cast.getInput()))
        builder.clone(*cast.getInput().getDefiningOp(), mapping);
    builder.clone(*source, mapping);
  }
  Operation *copy = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
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
// One operator
//===----------------------------------------------------------------------===//

namespace {
class Judge {
public:
  Judge(Solver &solver, OperatorProof &proof, int64_t allowed)
      : solver(solver), proof(proof), allowed(allowed) {}

  Error judge(Operation *op, func::FuncOp lowered);

private:
  /// Elements of the result that are judged together: all, or those from
  /// `offset` on of one dimension. `name` is empty if they are all.
  struct Piece {
    std::string name;
    size_t dim = 0;
    int64_t offset = 0;
  };
  Error judgePiece(Operation *op, func::FuncOp lowered, const Piece &piece,
                   std::vector<SmallVector<int64_t>> digits);
  /// Judges with the loops over the result cut as `digits` says, one list for
  /// each dimension. False: `digits` were cut further.
  Expected<bool> judgeWith(Operation *op, func::FuncOp lowered,
                           const Piece &piece,
                           std::vector<SmallVector<int64_t>> &digits);

  Solver &solver;
  OperatorProof &proof;
  /// What a byte of the result may be off by.
  int64_t allowed;
};
} // namespace

/// The elements that a term reads.
static std::set<std::string> getElements(Term term) {
  std::set<std::string> names;
  for (Term node : order(term))
    if (node->op == Fn::Variable && StringRef(node->name).starts_with("%"))
      names.insert(node->name);
  return names;
}

Error Judge::judge(Operation *op, func::FuncOp lowered) {
  std::vector<SmallVector<int64_t>> digits;
  for (int64_t size : cast<ShapedType>(op->getResult(0).getType()).getShape())
    digits.push_back({size});
  auto cat = dyn_cast<qnnpack::CatOp>(op);
  if (!cat)
    return judgePiece(op, lowered, {}, digits);
  // The inputs one after the other: together they are all of the axis.
  Piece piece;
  piece.dim = cat.getAxis();
  for (auto [i, input] : llvm::enumerate(cat.getInputs())) {
    int64_t size = cast<ShapedType>(input.getType()).getDimSize(piece.dim);
    piece.name = " of input " + std::to_string(i);
    digits[piece.dim] = {size};
    if (size != 0)
      if (Error error = judgePiece(op, lowered, piece, digits))
        return error;
    piece.offset += size;
  }
  return Error::success();
}

Error Judge::judgePiece(Operation *op, func::FuncOp lowered, const Piece &piece,
                        std::vector<SmallVector<int64_t>> digits) {
  // A loop can be cut a few times, by sizes that divide it.
  for (int round = 0; round < 32; ++round) {
    auto isDone = judgeWith(op, lowered, piece, digits);
    if (!isDone)
      return isDone.takeError();
    if (*isDone)
      return Error::success();
  }
  proof.reason = "its shapes do not follow from loops";
  return Error::success();
}

Expected<bool> Judge::judgeWith(Operation *op, func::FuncOp lowered,
                                const Piece &piece,
                                std::vector<SmallVector<int64_t>> &digits) {
  Scope scope;
  if (auto cat = dyn_cast<qnnpack::CatOp>(op))
    scope.joinedDim = cat.getAxis();
  Position position;
  // Which digit a loop is.
  std::vector<std::pair<size_t, size_t>> owners;
  for (auto [d, sizes] : llvm::enumerate(digits)) {
    Linear place;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      std::string name = "d" + std::to_string(d);
      if (sizes.size() > 1)
        name += "." + std::to_string(i);
      unsigned loop = scope.addLoop(size, name);
      owners.push_back({d, i});
      place = (i ? place * size : Linear(0)) + scope.loop(loop);
    }
    position.push_back(place + Linear(d == piece.dim ? piece.offset : 0));
  }
  auto splits = [&] {
    if (!scope.wantedSplit || scope.wantedSplit->loop >= owners.size())
      return false;
    auto [d, i] = owners[scope.wantedSplit->loop];
    int64_t inner = scope.wantedSplit->inner;
    digits[d][i] /= inner;
    digits[d].insert(digits[d].begin() + i + 1, inner);
    return true;
  };

  auto formula = makeFormula(op, position, scope);
  if (!formula) {
    std::string why = llvm::toString(formula.takeError());
    if (splits())
      return false;
    proof.reason = why;
    return true;
  }
  proof.formula = formula->text;
  proof.sums = formula->sums;
  auto isOutside = [&] {
    if (scope.readsOutside)
      proof.reason = "a constant is read outside of it";
    return scope.readsOutside;
  };
  if (isOutside())
    return true;

  // The loops of the code are those of the formula in some order: one in which
  // both read the same elements, if there is any.
  const std::optional<Fold> &fold = formula->code.fold;
  SmallVector<unsigned> loops;
  if (fold)
    loops = fold->loops;
  SmallVector<int64_t> extents = getFoldExtents(lowered), wanted;
  for (unsigned loop : loops)
    wanted.push_back(scope.getLoops()[loop].extent);
  SmallVector<int64_t> sorted(extents), sortedWanted(wanted);
  llvm::sort(sorted);
  llvm::sort(sortedWanted);
  if (sorted != sortedWanted) {
    auto describe = [](ArrayRef<int64_t> sizes) {
      std::string text;
      for (int64_t size : sizes)
        text += (text.empty() ? "" : "x") + std::to_string(size);
      return sizes.empty() ? "one element" : "a sum over " + text;
    };
    // TOSA may cut a sum, or add up something else: that isn't followed.
    proof.steps.push_back({"the loops",
                           allowed ? Verdict::Open : Verdict::Counterexample,
                           "the code has " + describe(extents) +
                               ", the formula " + describe(wanted)});
    return true;
  }
  llvm::sort(loops);
  std::optional<Code> code;
  std::string why;
  bool isAligned = false;
  do {
    SmallVector<int64_t> sizes;
    for (unsigned loop : loops)
      sizes.push_back(scope.getLoops()[loop].extent);
    if (ArrayRef(sizes) != ArrayRef(extents))
      continue;
    auto read = readCode(lowered, position, loops, scope);
    if (!read) {
      why = llvm::toString(read.takeError());
      if (splits())
        return false;
      break;
    }
    if (isOutside())
      return true;
    isAligned = !fold || (read->fold && getElements(read->fold->step) ==
                                            getElements(fold->step));
    if (isAligned || !code)
      code = *read;
  } while (!isAligned && std::next_permutation(loops.begin(), loops.end()));
  if (!code) {
    proof.reason = why;
    return true;
  }

  Laws laws(scope, solver);
  Term emitted = code->result, defined = code->defined;
  if (fold.has_value() != code->fold.has_value()) {
    proof.reason = fold ? "the code carries nothing along, the formula does"
                        : "the code carries something along, the formula "
                          "doesn't";
    return true;
  }
  if (fold) {
    Term result = nullptr;
    auto steps = laws.proveFold(*code, formula->code, result);
    if (!steps)
      return steps.takeError();
    for (ProofStep &step : *steps) {
      bool isOther = allowed != 0 && step.verdict == Verdict::Counterexample;
      if (isOther)
        step.verdict = Verdict::Open;
      proof.steps.push_back(step);
      if (isOther)
        return true;
    }
    llvm::DenseMap<Term, Term> by = {{code->fold->result, result}};
    emitted = scope.terms.replace(emitted, by);
    defined = scope.terms.replace(defined, by);
  }
  Allowance allowance;
  auto type = dyn_cast<quant::QuantizedType>(
      getElementTypeOrSelf(op->getResult(0).getType()));
  if (type && allowed != 0)
    allowance = {allowed, type.isSigned(), formula->sums};
  auto step = laws.proveEqual("the result" + piece.name, defined, emitted,
                              formula->code.result, allowance);
  if (!step)
    return step.takeError();
  proof.steps.push_back(*step);
  return true;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static std::string hashText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
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

Expected<Certificate> qbackend::proveModule(ModuleOp module,
                                            const ProveOptions &options) {
  auto solver = Solver::find(options.solver, options.seconds);
  if (!solver)
    return solver.takeError();
  Certificate certificate;
  certificate.hash = hashText(module);
  if (options.lowered)
    certificate.loweredHash = hashText(options.lowered);
  certificate.form = options.lowered ? "given" : getName(options.form).str();
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<qnnpack::QNNPackDialect>(op->getDialect()))
      ops.push_back(op);
    else if (op->getNumResults() != 0 && !isConstant(op->getResult(0)) &&
             !isa<quant::StorageCastOp, tensor::EmptyOp>(op) &&
             !op->getParentOfType<linalg::LinalgOp>())
      ++certificate.others[op->getName().getStringRef().str()];
  });
  if (ops.empty())
    return llvm::createStringError(
        "there is no op of qnnpack in the module; quantize it first "
        "(qbackend-opt --apply-backend=qnnpack data=FILE in.mlir -o out.mlir)");
  PassManager passes(module.getContext());
  if (options.form == ProofForm::Tosa) {
    passes.addPass(createConvertQNNPackToTosaPass());
    passes.addPass(codegen::createLowerTosaPass());
  } else {
    ConvertQNNPackToLinalgPassOptions lowering;
    lowering.unsignedBytes = options.form == ProofForm::UnsignedLinalg;
    passes.addPass(createConvertQNNPackToLinalgPass(lowering));
  }
  for (auto [i, op] : llvm::enumerate(ops)) {
    OperatorProof &proof = certificate.operators.emplace_back();
    proof.number = i + 1;
    proof.name = op->getName().getStringRef().str();
    if (auto function = op->getParentOfType<func::FuncOp>())
      proof.function = function.getSymName().str();
    bool isNear = options.form == ProofForm::Tosa && !options.lowered;
    Judge judge(*solver, proof, isNear ? 1 : 0);
    if (op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType())) {
      proof.reason = "it has not one tensor as its result";
      continue;
    }
    if (options.lowered) {
      func::FuncOp code = findLowered(op, options.lowered, proof.reason);
      if (!code)
        continue;
      if (Error error = judge.judge(op, code))
        return error;
      continue;
    }
    OwningOpRef<ModuleOp> alone = isolate(op);
    OwningOpRef<ModuleOp> lowered(alone->clone());
    if (failed(passes.run(*lowered))) {
      proof.reason = "it is not lowered to this form";
      continue;
    }
    Operation *copy = getOperator(*alone->getOps<func::FuncOp>().begin());
    if (Error error =
            judge.judge(copy, *lowered->getOps<func::FuncOp>().begin()))
      return error;
  }
  certificate.laws = solver->countLaws();
  certificate.seconds = solver->getSeconds();
  return certificate;
}
