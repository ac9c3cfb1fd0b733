// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests of linalg as terms: the body is read at the place of one element,
// a reduction becomes a variable, whose first value and whose step are kept.

#include "Reading/Reader.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::APInt;
using llvm::Expected;

/// Loops of `op` that a reduction runs over, or all others.
static SmallVector<unsigned> getLoops(linalg::LinalgOp op,
                                      utils::IteratorType type) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  if (type == utils::IteratorType::parallel) {
    loops.clear();
    op.getParallelDims(loops);
  }
  return loops;
}

/// Whether `op` finds the largest element of an argument, or the smallest one:
/// nothing if neither. Both are the same in any order, NaN and zeros included.
static std::optional<bool> findsLargest(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1 ||
      generic.getNumReductionLoops() != generic.getNumLoops() ||
      !generic.getIndexingMapsArray().front().isIdentity() ||
      !isa<BlockArgument>(generic.getInputs().front()))
    return std::nullopt;
  Block &body = generic.getRegion().front();
  Operation *compare = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::MinimumFOp, arith::MaximumFOp>(compare) ||
      !compare->getResult(0).getType().isF32())
    return std::nullopt;
  auto flags = cast<arith::ArithFastMathInterface>(compare);
  if (flags.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
    return std::nullopt;
  for (Value argument : body.getArguments())
    if (!llvm::is_contained(compare->getOperands(), argument))
      return std::nullopt;
  return isa<arith::MaximumFOp>(compare);
}

SmallVector<int64_t> qbackend::proof::getFoldExtents(func::FuncOp function) {
  SmallVector<int64_t> extents;
  auto add = [&](int64_t size) {
    if (size != 1)
      extents.push_back(size);
  };
  function.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<int8::Conv2dOp>(op))
      llvm::for_each(kernel.getWeight().getType().getShape().drop_front(), add);
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    if (!loops || findsLargest(loops))
      return;
    SmallVector<int64_t> ranges = loops.getStaticLoopRanges();
    for (unsigned loop : getLoops(loops, utils::IteratorType::reduction))
      add(ranges[loop]);
  });
  return extents;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// `expr` of loops that are sums of others.
static std::optional<Linear> substitute(AffineExpr expr,
                                        ArrayRef<Linear> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Linear(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto a = substitute(binary.getLHS(), loops),
       b = substitute(binary.getRHS(), loops);
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *a + *b;
  if (expr.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  if (b->isConstant())
    return *a * b->offset;
  if (a->isConstant())
    return *b * a->offset;
  return std::nullopt;
}

/// `cut` is the first one that is read, whatever else there is.
template <typename ReadT> auto Reader::readApart(Cut &cut, ReadT read) {
  Term outer = std::exchange(defined, scope.terms.constant(1, 1));
  auto result = read();
  if (result && !cut.term) {
    if constexpr (std::is_same_v<decltype(result), Expected<Term>>)
      cut = {*result, defined};
    else if (auto *term = std::get_if<Term>(&*result))
      cut = {*term, defined};
  }
  defined = scope.terms.both(outer, defined);
  return result;
}

/// Whether an extent that isn't known comes from one that is.
static bool isNumber(Value tensor, unsigned dim) {
  auto [from, d] = getOrigin(tensor, dim);
  auto type = dyn_cast<RankedTensorType>(from.getType());
  return type && !type.isDynamicDim(d);
}

Expected<Term> Reader::readLoops(linalg::LinalgOp op, const Position &at) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
    return fail(op, "has more than one result, or writes memory");
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<Linear> loops(op.getNumLoops(), Linear(-1));
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  llvm::SmallBitVector isWritten(op.getNumLoops());
  for (auto [d, expr] : llvm::enumerate(written.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || isWritten[dim.getPosition()] ||
        types[dim.getPosition()] != utils::IteratorType::parallel)
      return fail(op, "writes elements in another order than that of its "
                      "loops, or more than once");
    isWritten.set(dim.getPosition());
    loops[dim.getPosition()] = at[d];
  }
  // A loop over an unknown extent has that of all that it is over.
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d)
      if (type.isDynamicDim(d) && isNumber(operand.get(), d))
        return fail(op, "has a number as an unknown extent");
  }
  if (auto isLargest = findsLargest(op)) {
    auto init = readTensor(op.getDpsInits()[0], at);
    if (!init)
      return init;
    if ((*init)->op != Fn::Constant)
      return fail(op, "begins with what is no constant");
    auto argument = cast<BlockArgument>(op.getDpsInputs()[0]);
    return scope.extreme({argument.getArgNumber(), *isLargest, (*init)->value});
  }
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> inner;
  bool reduces = false;
  for (unsigned i = 0; i < loops.size(); ++i) {
    if (isWritten[i])
      continue;
    if (types[i] != utils::IteratorType::reduction)
      return fail(op, "writes an element in more than one step of a parallel "
                      "loop");
    reduces = true;
    loops[i] = Linear(0);
    if (ranges[i] == 1)
      continue;
    if (inner.size() == foldLoops.size() ||
        scope.getLoops()[foldLoops[inner.size()]].extent != ranges[i])
      return fail(op, "has other loops than the formula: one of " +
                          Twine(ranges[i]));
    loops[i] = scope.loop(foldLoops[inner.size()]);
    inner.push_back(foldLoops[inner.size()]);
  }
  auto sort = getSort(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!sort)
    return fail(op, "is neither of integers nor of floats");
  if (!reduces) {
    auto isFloat = [](Value value) {
      return isa<FloatType>(getElementTypeOrSelf(value.getType()));
    };
    auto body = [&] { return readBody(op, loops, nullptr); };
    return *sort == bits(8) && llvm::any_of(op.getDpsInputs(), isFloat)
               ? readApart(quantized, body)
               : body();
  }
  if (inner.size() != foldLoops.size())
    return fail(op, "has fewer loops than the formula");
  Fold found;
  found.loops = inner;
  auto init = readTensor(op.getDpsInits()[0], at);
  if (!init)
    return init;
  found.init = *init;
  found.carried = scope.terms.variable("carried", *sort);
  found.result = scope.terms.variable("sum", *sort);
  Term outer = std::exchange(defined, scope.terms.constant(1, 1));
  auto step = readBody(op, loops, found.carried);
  if (!step)
    return step;
  stepDefined = std::exchange(defined, outer);
  found.step = *step;
  return addFold(op, std::move(found));
}

Expected<Term> Reader::addFold(Operation *op, Fold found) {
  // The same one may be read twice, at one place or at several.
  if (fold)
    return fail(op, "is a second reduction");
  fold = std::move(found);
  return fold->result;
}

Expected<Term> Reader::readBody(linalg::LinalgOp op, ArrayRef<Linear> loops,
                                Term carried) {
  Values values;
  Block &body = op->getRegion(0).front();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    if (carried && op.isDpsInit(&operand)) {
      values[argument] = carried;
      continue;
    }
    if (!isa<RankedTensorType>(operand.get().getType())) {
      auto scalar = readScalar(operand.get(), values, loops);
      if (!scalar)
        return scalar.takeError();
      values[argument] = *scalar;
      continue;
    }
    Position place;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto at = substitute(expr, loops);
      if (!at)
        return fail(op, "reads at a place that is no sum of its loops");
      place.push_back(*at);
    }
    auto read = readTensor(operand.get(), place);
    if (!read)
      return read;
    values[argument] = *read;
  }
  auto result = readScalar(body.getTerminator()->getOperand(0), values, loops);
  if (!result)
    return result.takeError();
  if (!std::holds_alternative<Term>(*result))
    return fail(op, "yields an index");
  return std::get<Term>(*result);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Memoized, operands first.
Expected<Scalar> Reader::readScalar(Value value, Values &values,
                                    ArrayRef<Linear> loops) {
  if (auto it = values.find(value); it != values.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return llvm::createStringError("a scalar argument has no meaning here");
  llvm::SaveAndRestore deeper(depth, depth + 1);
  if (depth > mostDepth)
    return fail(op, "is computed in a longer chain than is followed");
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return Scalar(loops[index.getDim()]);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    auto number = dim.getConstantIndex();
    if (type && number && *number >= 0 && *number < type.getRank() &&
        !type.isDynamicDim(*number))
      return Scalar(Linear(type.getDimSize(*number)));
    return fail(op, "is an extent that isn't known");
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return readExtract(extract, values, loops);
  SmallVector<Scalar> operands;
  for (Value operand : op->getOperands()) {
    // A loop's body that reads an integer of the function.
    Operation *source = operand.getDefiningOp();
    bool isShared = source && source->getBlock() != op->getBlock() &&
                    operand.getType().isInteger(32) &&
                    !source->hasTrait<OpTrait::ConstantLike>();
    auto own = [&] { return readScalar(operand, values, loops); };
    auto read = isShared ? readApart(zeroPoint, own) : own();
    if (!read)
      return read;
    operands.push_back(*read);
  }
  auto result = readScalarOp(op, operands, scope, defined);
  if (result)
    values[value] = *result;
  return result;
}

/// What `index` is less than by an assertion before `op`, as unsigned numbers.
static std::optional<int64_t> getAssertedBound(Value index, Operation *op) {
  for (Operation *user : index.getUsers()) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    auto bound = compare ? getConstantIntValue(compare.getRhs()) : std::nullopt;
    if (!bound || compare.getLhs() != index ||
        compare.getPredicate() != arith::CmpIPredicate::ult)
      continue;
    for (Operation *check : compare->getUsers())
      if (isa<cf::AssertOp>(check) && check->getBlock() == op->getBlock() &&
          check->isBeforeInBlock(op))
        return bound;
  }
  return std::nullopt;
}

Expected<Scalar> Reader::readExtract(tensor::ExtractOp op, Values &values,
                                     ArrayRef<Linear> loops) {
  Position place;
  Term index = nullptr;
  for (Value operand : op.getIndices()) {
    auto read = readScalar(operand, values, loops);
    if (!read)
      return read;
    if (auto *at = std::get_if<Linear>(&*read)) {
      place.push_back(*at);
      continue;
    }
    // A constant that is a sum of loops, extended or as it is.
    Term term = std::get<Term>(*read), number = term;
    if (number->op == Fn::ExtS || number->op == Fn::ExtU)
      number = number->operands.front();
    auto table = scope.tables.find(number);
    auto at = number->op == Fn::Constant
                  ? std::optional(Linear(number->value.getSExtValue()))
              : table != scope.tables.end() ? scope.solve(table->second)
                                            : std::nullopt;
    // A row that an operand says.
    auto bound = getAssertedBound(operand, op);
    auto reading = scope.readings.find(number);
    if (!at && bound && *bound > 0 && reading != scope.readings.end() &&
        reading->second.operand)
      at = scope.choose(number, *bound);
    if (at)
      place.push_back(*at);
    else
      index = term;
  }
  if (!index) {
    if (scope.inside(place,
                     cast<ShapedType>(op.getTensor().getType()).getShape()) !=
        scope.terms.constant(1, 1))
      scope.readsOutside = true;
    auto read = readTensor(op.getTensor(), place);
    if (!read)
      return read.takeError();
    return Scalar(*read);
  }
  Operation *source = op.getTensor().getDefiningOp();
  if (op.getIndices().size() != 1 || !source)
    return fail(op, "reads at a computed place of what is no table");
  auto bytes = getBytes(source);
  if (!bytes)
    return bytes.takeError();
  auto sort = getSort(bytes->attribute.getElementType());
  if (!sort)
    return fail(source, "has elements that can't be read");
  int64_t count = bytes->attribute.getNumElements();
  if (count < 2 || count > 4096 || !llvm::isPowerOf2_64(count))
    return fail(op, "reads a table of another size than a power of 2");
  std::vector<APInt> table;
  for (int64_t i = 0; i < count; ++i)
    table.push_back(bytes->read(i));
  // Beyond the table is no entry.
  Terms &terms = scope.terms;
  defined = terms.both(defined,
                       terms.compare(Fn::LessU, index,
                                     terms.constant(index->sort.width, count)));
  Term narrow = terms.make(Fn::Trunc, bits(llvm::Log2_64(count)), {index});
  return Scalar(terms.lookup(std::move(table), narrow, *sort));
}
