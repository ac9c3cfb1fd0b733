// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of linalg on tensors as terms. A tensor is read at a position: an
// op that moves elements makes it another position, the body of a loop nest
// becomes a term of what it reads, and a reduction a variable, whose first
// value and whose step are kept.

#include "Reading/Reader.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::APFloat;
using llvm::APInt;
using llvm::Error;
using llvm::Expected;

std::optional<Sort> qbackend::proof::getSort(Type type) {
  if (type.isF32() || type.isF64())
    return Sort{true, type.getIntOrFloatBitWidth()};
  if (auto integer = dyn_cast<IntegerType>(type))
    return bits(integer.getWidth());
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return bits(quantized.getStorageTypeIntegralWidth());
  return std::nullopt;
}

Expected<Code> qbackend::proof::readCode(func::FuncOp function,
                                         const Position &position,
                                         ArrayRef<unsigned> foldLoops,
                                         Scope &scope) {
  return Reader(scope, foldLoops).read(function, position);
}

/// The dimension of the source of a reshape whose extent is that of `dim` of
/// its result, since the others of its group are 1.
static std::optional<unsigned>
getReshaped(ArrayRef<ReassociationIndices> groups, bool expands,
            RankedTensorType wide, unsigned dim) {
  for (auto [g, group] : llvm::enumerate(groups)) {
    if (expands ? !llvm::is_contained(group, int64_t(dim)) : g != dim)
      continue;
    std::optional<unsigned> found;
    for (int64_t d : group) {
      if (wide.getDimSize(d) == 1)
        continue;
      if (found)
        return std::nullopt;
      found = d;
    }
    if (!found || (expands && *found != dim))
      return std::nullopt;
    return expands ? g : *found;
  }
  return std::nullopt;
}

std::pair<Value, unsigned> qbackend::proof::getOrigin(Value tensor,
                                                      unsigned dim) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      tensor = insert.getDest();
      continue;
    }
    if (auto loops = dyn_cast<DestinationStyleOpInterface>(op)) {
      tensor = loops.getTiedOpOperand(cast<OpResult>(tensor))->get();
      continue;
    }
    if (isa<quant::StorageCastOp, tensor::CastOp>(op)) {
      tensor = op->getOperand(0);
      continue;
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
      auto from =
          expand
              ? getReshaped(expand.getReassociationIndices(), true,
                            expand.getResultType(), dim)
              : getReshaped(
                    cast<tensor::CollapseShapeOp>(op).getReassociationIndices(),
                    false, cast<tensor::CollapseShapeOp>(op).getSrcType(), dim);
      if (!from)
        break;
      tensor = op->getOperand(0);
      dim = *from;
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
  for (int64_t d = 0; type && d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    auto [from, dim] = getOrigin(returned, d);
    if (from.getType().isIndex())
      return fail(function, "returns an unknown extent that is none of an "
                            "argument");
    auto argument = dyn_cast<BlockArgument>(from);
    if (!argument || d >= int64_t(scope.extents.size()) ||
        scope.extents[d].empty())
      continue;
    std::pair<unsigned, unsigned> source = {argument.getArgNumber(), dim};
    if (!llvm::is_contained(scope.extents[d], source))
      return fail(function, "returns dimension " + Twine(d) +
                                " with the extent of dimension " + Twine(dim) +
                                " of argument " + Twine(source.first) +
                                ", which is another one");
  }
  auto result = readTensor(returned, position);
  if (!result)
    return result.takeError();
  if (!fold && !foldLoops.empty())
    return fail(function, "adds nothing up");
  return Code{*result,   defined,   stepDefined, fold,
              addedByte, zeroPoint, quantized};
}

void Code::replace(Terms &terms, const llvm::DenseMap<Term, Term> &by) {
  SmallVector<Term *> all = {&result, &defined, &stepDefined};
  for (Cut *cut : {&addedByte, &zeroPoint, &quantized})
    all.append({&cut->term, &cut->defined});
  if (fold)
    all.append({&fold->init, &fold->step});
  for (Term *term : all)
    if (*term)
      *term = terms.replace(*term, by);
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
  return scope.element(argument.getArgNumber(), *sort, at,
                       cast<ShapedType>(argument.getType()).getShape());
}

std::string Reader::getConstantName(ElementsAttr attribute) {
  unsigned number =
      constants.try_emplace(attribute, constants.size()).first->second;
  return "constant" + std::to_string(number);
}

APInt Bytes::read(int64_t index) const {
  unsigned size = width / 8;
  uint64_t value = 0;
  std::memcpy(&value, data.data() + (isSplat ? 0 : index * size), size);
  return APInt(64, value).trunc(width);
}

Expected<Bytes> qbackend::proof::getBytes(Operation *op) {
  ElementsAttr attribute;
  if (!matchPattern(op, m_Constant(&attribute)))
    return fail(op, "is no constant tensor");
  return getBytes(op, attribute);
}

Expected<Bytes> qbackend::proof::getBytes(Operation *op,
                                          ElementsAttr attribute) {
  Bytes bytes;
  bytes.attribute = attribute;
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
  if (!llvm::is_contained({8u, 16u, 32u, 48u, 64u}, bytes.width) ||
      int64_t(bytes.data.size()) < count * int64_t(bytes.width / 8))
    return fail(op, "has elements that can't be read");
  return bytes;
}

Expected<Term> Reader::readConstant(Operation *op, const Position &at) {
  auto bytes = getBytes(op);
  if (!bytes)
    return bytes.takeError();
  Table table;
  table.read = [bytes = *bytes](int64_t index) { return bytes.read(index); };
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

/// The only unknown dimension of a group, and the product of the others;
/// nothing if there are more of them.
static std::optional<std::pair<int64_t, int64_t>>
getUnknownDim(RankedTensorType type, ArrayRef<int64_t> group) {
  std::pair<int64_t, int64_t> found(-1, 1);
  for (int64_t d : group)
    if (!type.isDynamicDim(d))
      found.second *= type.getDimSize(d);
    else if (std::exchange(found.first, d) >= 0)
      return std::nullopt;
  return found;
}

/// Whether the unknown extents that `op` is given are those that there are: of
/// a group, the only one, which is all of it, a part by a division, or what it
/// was before dimensions were joined.
static bool givesOwnExtents(tensor::ExpandShapeOp op, const Scope &scope) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    auto unknown = getUnknownDim(op.getResultType(), group);
    if (!unknown)
      return false;
    auto [dim, others] = *unknown;
    if (dim < 0 ||
        (others == 1 && isExtentOf(sizes[dim], op.getSrc(), from, scope)))
      continue;
    auto origin = getOrigin(op.getSrc(), from);
    if (auto collapse = origin.first.getDefiningOp<tensor::CollapseShapeOp>()) {
      auto before =
          getUnknownDim(collapse.getSrcType(),
                        collapse.getReassociationIndices()[origin.second]);
      if (before && before->first >= 0 && before->second == others &&
          isExtentOf(sizes[dim], collapse.getSrc(), before->first, scope))
        continue;
    }
    auto size = dyn_cast<Value>(sizes[dim]);
    Operation *division = size ? size.getDefiningOp() : nullptr;
    if (!isa_and_nonnull<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
            division) ||
        getConstantIntValue(division->getOperand(1)) != others ||
        !isExtentOf(division->getOperand(0), op.getSrc(), from, scope))
      return false;
  }
  return true;
}

Expected<Term> Reader::readPad(tensor::PadOp op, const Position &at) {
  auto getSizes = [](ArrayRef<OpFoldResult> sizes) {
    return llvm::map_to_vector(sizes, [](OpFoldResult size) {
      return getConstantIntValue(size).value_or(ShapedType::kDynamic);
    });
  };
  SmallVector<int64_t> low = getSizes(op.getMixedLowPad()),
                       high = getSizes(op.getMixedHighPad());
  Value padding = op.getConstantPaddingValue();
  APInt value;
  APFloat number(0.0f);
  bool isFloat = padding && matchPattern(padding, m_ConstantFloat(&number));
  if (isFloat)
    value = number.bitcastToAPInt();
  auto sort = padding ? getSort(padding.getType()) : std::nullopt;
  if (!sort || (!isFloat && !matchPattern(padding, m_ConstantInt(&value))) ||
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
  return scope.terms.select(inside, *read,
                            scope.terms.constantBits(*sort, value));
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
  if (auto kernel = dyn_cast<int8::Conv2dOp>(op))
    return readKernel(kernel, at);
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
    if (!givesOwnExtents(expand, scope))
      return fail(op, "gives an unknown extent that is not its operand's");
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
