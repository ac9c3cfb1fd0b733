// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of linalg on tensors as terms. A tensor is read at a position: an
// op that moves elements makes it another position, the body of a loop nest
// becomes a term of what it reads, and a reduction a variable, whose first
// value and whose step are kept.

#include "ReadCode.h"

#include "ReadScalars.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace qbackend::proof;
using llvm::APInt;
using llvm::Error;
using llvm::Expected;

static std::optional<Sort> getSort(Type type) {
  if (type.isF32() || type.isF64())
    return Sort{true, type.getIntOrFloatBitWidth()};
  if (auto integer = dyn_cast<IntegerType>(type))
    return bits(integer.getWidth());
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return bits(quantized.getStorageTypeIntegralWidth());
  return std::nullopt;
}

static Error fail(Operation *op, const Twine &what) {
  return llvm::createStringError("'" + op->getName().getStringRef() + "' " +
                                 what);
}

namespace {
class Reader {
public:
  Reader(Scope &scope, ArrayRef<unsigned> foldLoops)
      : scope(scope), foldLoops(foldLoops),
        defined(scope.terms.constant(1, 1)) {}

  Expected<Code> read(func::FuncOp function, const Position &position);

private:
  Expected<Term> readTensor(Value tensor, const Position &at);
  Expected<Term> readArgument(BlockArgument argument, const Position &at);
  Expected<Term> readConstant(Operation *op, const Position &at);
  Expected<Term> readPad(tensor::PadOp op, const Position &at);
  Expected<Term> readInserted(tensor::InsertSliceOp op, const Position &at);
  Expected<Term> readLoops(linalg::LinalgOp op, const Position &at);
  Expected<Term> readBody(linalg::LinalgOp op, ArrayRef<Linear> loops,
                          Term carried);
  Expected<std::vector<APInt>> readTable(tensor::ExtractOp op);
  Expected<Scalar> readScalar(Value value, Values &values,
                              ArrayRef<Linear> loops);
  Expected<Scalar> readExtract(tensor::ExtractOp op, Values &values,
                               ArrayRef<Linear> loops);
  std::string getConstantName(ElementsAttr attribute);

  Scope &scope;
  ArrayRef<unsigned> foldLoops;
  Term defined;
  std::optional<Fold> fold;
  Term stepDefined = nullptr;
  llvm::DenseMap<ElementsAttr, unsigned> constants;
  /// A tensor is read anew by each reader of it, and chains recurse.
  static constexpr unsigned mostReadings = 20000, mostDepth = 1000;
  unsigned readings = 0, depth = 0;
};
} // namespace

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

SmallVector<int64_t> qbackend::proof::getFoldExtents(func::FuncOp function) {
  SmallVector<int64_t> extents;
  function.walk([&](linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    for (unsigned loop : getLoops(op, utils::IteratorType::reduction))
      if (ranges[loop] != 1)
        extents.push_back(ranges[loop]);
  });
  return extents;
}

Expected<Code> qbackend::proof::readCode(func::FuncOp function,
                                         const Position &position,
                                         ArrayRef<unsigned> foldLoops,
                                         Scope &scope) {
  return Reader(scope, foldLoops).read(function, position);
}

/// What an extent that isn't known comes from: that of an argument or of an
/// op's result, or a number.
static std::pair<Value, unsigned> getOrigin(Value tensor, unsigned dim) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      tensor = insert.getDest();
      continue;
    }
    if (auto loops = dyn_cast<DestinationStyleOpInterface>(op)) {
      tensor = loops.getTiedOpOperand(cast<OpResult>(tensor))->get();
      continue;
    }
    auto empty = dyn_cast<tensor::EmptyOp>(op);
    if (!empty || !empty.getType().isDynamicDim(dim))
      break;
    Value size = empty.getDynamicSize(dim);
    auto read = size.getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> from = read ? read.getConstantIndex() : std::nullopt;
    if (!from)
      return {size, 0};
    tensor = read.getSource();
    dim = *from;
  }
  return {tensor, dim};
}

Expected<Code> Reader::read(func::FuncOp function, const Position &position) {
  if (!function.getBody().hasOneBlock() || function.getNumResults() != 1)
    return fail(function, "has more than one block or result");
  Value returned = function.front().getTerminator()->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(returned.getType());
  for (int64_t d = 0; type && d < type.getRank(); ++d)
    if (type.isDynamicDim(d) &&
        getOrigin(returned, d).first.getType().isIndex())
      return fail(function, "returns an unknown extent that is none of an "
                            "argument");
  auto result = readTensor(returned, position);
  if (!result)
    return result.takeError();
  if (!fold && !foldLoops.empty())
    return fail(function, "adds nothing up");
  return Code{*result, defined, stepDefined, fold};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Expected<Term> Reader::readArgument(BlockArgument argument,
                                    const Position &at) {
  auto sort = getSort(getElementTypeOrSelf(argument.getType()));
  if (!sort)
    return fail(argument.getOwner()->getParentOp(),
                "has an argument that is neither of integers nor of floats");
  return scope.element(argument.getArgNumber(), *sort, at);
}

std::string Reader::getConstantName(ElementsAttr attribute) {
  unsigned number =
      constants.try_emplace(attribute, constants.size()).first->second;
  return "constant" + std::to_string(number);
}

/// The element `index` of `attribute`, as bits.
static APInt readElement(ArrayRef<char> bytes, unsigned width, bool isSplat,
                         int64_t index) {
  unsigned size = width / 8;
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + (isSplat ? 0 : index * size), size);
  return APInt(64, value).trunc(width);
}

namespace {
/// The stored bytes of a constant.
struct Bytes {
  ElementsAttr attribute;
  ArrayRef<char> data;
  bool isSplat = false;
  unsigned width = 0;
};
} // namespace

static Expected<Bytes> getBytes(Operation *op) {
  Bytes bytes;
  if (!matchPattern(op, m_Constant(&bytes.attribute)))
    return fail(op, "is no constant tensor");
  if (auto dense = dyn_cast<DenseElementsAttr>(bytes.attribute)) {
    bytes.data = dense.getRawData();
    bytes.isSplat = dense.isSplat();
  } else if (auto resource =
                 dyn_cast<DenseResourceElementsAttr>(bytes.attribute)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes.data = blob->getData();
  }
  Type element = bytes.attribute.getElementType();
  bytes.width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  int64_t count = bytes.isSplat ? 1 : bytes.attribute.getNumElements();
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, bytes.width) ||
      int64_t(bytes.data.size()) < count * int64_t(bytes.width / 8))
    return fail(op, "has elements that can't be read");
  return bytes;
}

Expected<Term> Reader::readConstant(Operation *op, const Position &at) {
  auto bytes = getBytes(op);
  if (!bytes)
    return bytes.takeError();
  Table table;
  table.read = [bytes = *bytes](int64_t index) {
    return readElement(bytes.data, bytes.width, bytes.isSplat, index);
  };
  table.shape.assign(bytes->attribute.getShapedType().getShape().begin(),
                     bytes->attribute.getShapedType().getShape().end());
  table.position = at;
  auto sort = getSort(bytes->attribute.getElementType());
  if (!sort)
    return fail(op, "has elements that can't be read");
  if (bytes->isSplat) {
    scope.checkInside(at, table.shape);
    return scope.terms.constantBits(*sort, table.read(0));
  }
  return scope.element(std::move(table), *sort,
                       getConstantName(bytes->attribute));
}

/// `size` is the extent `dim` of `tensor`, whatever that is.
static bool isExtentOf(OpFoldResult size, Value tensor, unsigned dim,
                       const Scope &scope) {
  auto value = dyn_cast<Value>(size);
  if (!value)
    return false;
  auto wanted = getOrigin(tensor, dim);
  auto read = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> from = read ? read.getConstantIndex() : std::nullopt;
  auto given = from ? getOrigin(read.getSource(), *from)
                    : std::pair<Value, unsigned>(value, 0);
  if (wanted == given)
    return true;
  return scope.joinedDim && isa<BlockArgument>(wanted.first) &&
         isa<BlockArgument>(given.first) && wanted.second == given.second &&
         wanted.second != *scope.joinedDim;
}

Expected<Term> Reader::readPad(tensor::PadOp op, const Position &at) {
  SmallVector<int64_t> low(op.getStaticLow()), high(op.getStaticHigh());
  Value padding = op.getConstantPaddingValue();
  APInt value;
  if (!padding || !matchPattern(padding, m_ConstantInt(&value)) ||
      llvm::any_of(low, ShapedType::isDynamic))
    return fail(op, "pads by what is no constant");
  for (auto [d, size] : llvm::enumerate(op.getSourceType().getShape()))
    if (ShapedType::isDynamic(high[d]) ||
        (ShapedType::isDynamic(size) && (low[d] != 0 || high[d] != 0)))
      return fail(op, "pads an unknown extent, or by one");
  Position inner = at;
  for (auto [place, size] : llvm::zip_equal(inner, low))
    place.offset -= size;
  auto read = readTensor(op.getSource(), inner);
  if (!read)
    return read;
  Term inside = scope.inside(inner, op.getSourceType().getShape());
  return scope.terms.select(inside, *read, scope.terms.constant(value));
}

Expected<Term> Reader::readInserted(tensor::InsertSliceOp op,
                                    const Position &at) {
  SmallVector<int64_t> offsets(op.getStaticOffsets());
  bool isPlain =
      op.getSourceType().getRank() == op.getDestType().getRank() &&
      llvm::none_of(offsets, ShapedType::isDynamic) &&
      llvm::all_of(op.getStaticStrides(), [](int64_t s) { return s == 1; });
  if (!isPlain)
    return fail(op, "has an offset that is no constant, or a stride");
  Position inner = at;
  for (auto [place, offset] : llvm::zip_equal(inner, offsets))
    place.offset -= offset;
  // What is behind an unknown extent is not known: it has to be all there is.
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  for (auto [d, size] : llvm::enumerate(op.getSourceType().getShape()))
    if (ShapedType::isDynamic(size) &&
        (offsets[d] != 0 || !isExtentOf(sizes[d], op.getDest(), d, scope)))
      return fail(op, "has a part of unknown extent");
  Term inside = scope.inside(inner, op.getSourceType().getShape());
  Term one = scope.terms.constant(1, 1), zero = scope.terms.constant(1, 0);
  if (inside == one)
    return readTensor(op.getSource(), inner);
  auto around = readTensor(op.getDest(), at);
  if (!around || inside == zero)
    return around;
  auto read = readTensor(op.getSource(), inner);
  if (!read)
    return read;
  return scope.terms.select(inside, *read, *around);
}

Expected<Term> Reader::readTensor(Value tensor, const Position &at) {
  llvm::SaveAndRestore deeper(depth, depth + 1);
  if (++readings > mostReadings || depth > mostDepth)
    return llvm::createStringError("the code reads tensors more often, or in "
                                   "longer chains, than is followed");
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return readArgument(argument, at);
  Operation *op = tensor.getDefiningOp();
  auto read = [&](Value source, const Position &place) {
    return readTensor(source, place);
  };
  if (op->hasTrait<OpTrait::ConstantLike>())
    return readConstant(op, at);
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    return readLoops(loops, at);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return readPad(pad, at);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return readInserted(insert, at);
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType()),
         to = dyn_cast<RankedTensorType>(cast.getType());
    if (!from || !to)
      return fail(op, "has a tensor of unknown rank");
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (!from.isDynamicDim(d) && to.isDynamicDim(d))
        return fail(op, "has a result of unknown extent, which is not that of "
                        "an argument");
    return read(cast.getSource(), at);
  }
  if (isa<quant::StorageCastOp>(op))
    return read(op->getOperand(0), at);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<int64_t> offsets(slice.getStaticOffsets()),
        strides(slice.getStaticStrides());
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    Position place;
    unsigned next = 0;
    for (auto [d, offset] : llvm::enumerate(offsets)) {
      if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(strides[d]))
        return fail(op, "has an offset or a stride that is no constant");
      bool isKnown =
          !slice.getSourceType().isDynamicDim(d) && isa<Attribute>(sizes[d]);
      if (!isKnown && (offset != 0 || strides[d] != 1 ||
                       !isExtentOf(sizes[d], slice.getSource(), d, scope)))
        return fail(op, "has a part of unknown extent");
      Linear own = dropped[d] ? Linear(0) : at[next++] * strides[d];
      place.push_back(own + Linear(offset));
    }
    return read(slice.getSource(), place);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    Position place;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      Linear whole;
      for (int64_t d : group) {
        int64_t size = expand.getResultType().getDimSize(d);
        // The first one of a group may be unknown.
        whole =
            (ShapedType::isDynamic(size) ? Linear(0) : whole * size) + at[d];
      }
      place.push_back(whole);
    }
    return read(expand.getSrc(), place);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    Position place(collapse.getSrcType().getRank());
    for (auto [d, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      Linear whole = at[d];
      for (int64_t inner : llvm::reverse(ArrayRef(group).drop_front())) {
        int64_t size = collapse.getSrcType().getDimSize(inner);
        auto parts = ShapedType::isDynamic(size) ? std::nullopt
                                                 : scope.divide(whole, size);
        if (!parts)
          return fail(op, "cuts " + scope.print(whole) + " by " + Twine(size) +
                              ", which is not followed");
        place[inner] = parts->second;
        whole = parts->first;
      }
      place[group.front()] = whole;
    }
    return read(collapse.getSrc(), place);
  }
  // What is in it is known to nobody: two readings are two values.
  if (isa<tensor::EmptyOp>(op))
    if (auto sort = getSort(getElementTypeOrSelf(tensor.getType())))
      return scope.terms.variable("nothing that was written" + scope.print(at) +
                                      " in reading " + std::to_string(readings),
                                  *sort);
  return fail(op, "has no meaning here");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// `expr` of loops that are sums of others.
static std::optional<Linear> apply(AffineExpr expr, ArrayRef<Linear> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Linear(constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto a = apply(binary.getLHS(), loops), b = apply(binary.getRHS(), loops);
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
  if (!reduces)
    return readBody(op, loops, nullptr);
  if (fold) {
    // The same one, read twice at one place.
    return fail(op, "is a second reduction");
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
  fold = found;
  return found.result;
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
      auto at = apply(expr, loops);
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
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return readExtract(extract, values, loops);
  SmallVector<Scalar> operands;
  for (Value operand : op->getOperands()) {
    auto read = readScalar(operand, values, loops);
    if (!read)
      return read;
    operands.push_back(*read);
  }
  auto result = readScalarOp(op, operands, scope, defined);
  if (result)
    values[value] = *result;
  return result;
}

Expected<Scalar> Reader::readExtract(tensor::ExtractOp op, Values &values,
                                     ArrayRef<Linear> loops) {
  Position place;
  Term index = nullptr;
  for (Value operand : op.getIndices()) {
    auto read = readScalar(operand, values, loops);
    if (!read)
      return read;
    if (auto *at = std::get_if<Linear>(&*read))
      place.push_back(*at);
    else
      index = std::get<Term>(*read);
  }
  if (!index) {
    scope.checkInside(place,
                      cast<ShapedType>(op.getTensor().getType()).getShape());
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
    table.push_back(readElement(bytes->data, bytes->width, bytes->isSplat, i));
  // Beyond the table is no entry.
  Terms &terms = scope.terms;
  defined = terms.both(defined,
                       terms.compare(Fn::LessU, index,
                                     terms.constant(index->sort.width, count)));
  Term narrow = terms.make(Fn::Trunc, bits(llvm::Log2_64(count)), {index});
  return Scalar(terms.lookup(std::move(table), narrow, *sort));
}
