// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks vector code. What isn't known here is an error: nothing is guessed.

#include "Kernels/WalkKernel.h"

#include "Reading/ReadScalars.h"
#include "Reading/Reader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

KernelWalk::Lanes *KernelWalk::getLanes(Value value) {
  auto it = held.find(value);
  return it == held.end() ? nullptr : std::get_if<Lanes>(&it->second);
}

Linear *KernelWalk::getPlace(Value value) {
  auto it = held.find(value);
  return it == held.end() ? nullptr : std::get_if<Linear>(&it->second);
}

unsigned *KernelWalk::getBuffer(Value value) {
  auto it = held.find(value);
  return it == held.end() ? nullptr : std::get_if<unsigned>(&it->second);
}

Term KernelWalk::getElement(unsigned buffer, const Linear &at) {
  std::string name = "b" + std::to_string(buffer) + "[";
  for (auto [symbol, factor] : at.coefficients)
    name += std::to_string(factor) + " s" + std::to_string(symbol) + " ";
  name += std::to_string(at.offset) + "]";
  Term term = scope.terms.variable(name, buffers[buffer].sort);
  elements.try_emplace(term, KernelElement{buffer, at});
  return term;
}

//===----------------------------------------------------------------------===//
// Functions and loops
//===----------------------------------------------------------------------===//

static std::optional<Sort> getElementSort(MemRefType type) {
  Type element = type.getElementType();
  bool isFloat = element.isF32() || element.isF64();
  if (!type.getLayout().isIdentity() || (!isFloat && !element.isInteger()))
    return std::nullopt;
  unsigned width = element.getIntOrFloatBitWidth();
  if (width % 8 != 0 || width > 64)
    return std::nullopt;
  return Sort{isFloat, width};
}

Error KernelWalk::walk(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto sort = type ? getElementSort(type) : std::nullopt;
    if (!sort)
      return fail(function, "has an argument without a meaning here");
    KernelBuffer buffer{KernelBuffer::Argument, argument.getArgNumber(), *sort};
    buffer.size = 1;
    for (int64_t size : type.getShape())
      buffer.size *= ShapedType::isDynamic(size) ? assumed : size;
    held[argument] = unsigned(buffers.size());
    buffers.push_back(std::move(buffer));
  }
  return walkBlock(function.front());
}

Error KernelWalk::walkBlock(Block &block) {
  for (Operation &op : block)
    if (Error error = walkOp(&op))
      return error;
  return Error::success();
}

Error KernelWalk::walkLoop(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  Linear *lower = getPlace(loop.getLowerBound()),
         *upper = getPlace(loop.getUpperBound()),
         *step = getPlace(loop.getStep());
  if (!lower || !upper || !step || !step->isConstant() || step->offset <= 0)
    return fail(op, "has bounds that are not followed");
  Symbol symbol{Symbol::Loop, *lower, *upper, step->offset};
  Linear place = places.add(symbol);
  unsigned number = place.coefficients.begin()->first;
  held[loop.getInductionVar()] = place;
  unsigned count = loop.getNumResults();
  std::vector<Lanes> results(count);
  std::vector<KernelSum> carried;
  for (unsigned i = 0; i < count; ++i) {
    Lanes *init = getLanes(loop.getInitArgs()[i]);
    if (!init || init->per != 1)
      return fail(op, "carries what is no number");
    Lanes inside = *init;
    for (auto [lane, term] : llvm::enumerate(inside.parts)) {
      std::string place = " of loop " + std::to_string(number) + "." +
                          std::to_string(i) + "." + std::to_string(lane);
      KernelSum sum{number, term,
                    scope.terms.variable("carried" + place, term->sort)};
      results[i].parts.push_back(
          scope.terms.variable("sum" + place, term->sort));
      term = sum.carried;
      carried.push_back(sum);
    }
    held[loop.getRegionIterArgs()[i]] = std::move(inside);
  }
  loops.push_back(number);
  carrying += count != 0;
  if (Error error = walkBlock(*loop.getBody()))
    return error;
  carrying -= count != 0;
  loops.pop_back();
  size_t next = 0;
  for (unsigned i = 0; i < count; ++i) {
    Lanes *yielded = getLanes(loop.getBody()->getTerminator()->getOperand(i));
    if (!yielded || yielded->per != 1)
      return fail(op, "carries what is no number");
    for (auto [result, step] :
         llvm::zip_equal(results[i].parts, yielded->parts)) {
      carried[next].step = step;
      sums[result] = carried[next++];
    }
    held[loop.getResult(i)] = results[i];
  }
  return Error::success();
}

Error KernelWalk::walkCall(Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  if (!function || function.isExternal() || call.getNumResults() != 0 ||
      !function.getBody().hasOneBlock() || ++calls > 1000)
    return fail(op, "calls what is not followed");
  for (auto [argument, operand] :
       llvm::zip_equal(function.getArguments(), call.getOperands())) {
    auto it = held.find(operand);
    if (it == held.end())
      return fail(op, "has an operand without a meaning here");
    Held value = it->second;
    held[argument] = std::move(value);
  }
  return walkBlock(function.front());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<unsigned> KernelWalk::addGlobal(Operation *op) {
  auto get = cast<memref::GetGlobalOp>(op);
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, get.getNameAttr());
  if (!global || !global.getConstant() || !global.getInitialValue())
    return fail(op, "is no constant");
  if (auto it = globals.find(global); it != globals.end())
    return it->second;
  auto sort = getElementSort(global.getType());
  auto elements = dyn_cast<ElementsAttr>(*global.getInitialValue());
  auto bytes = elements ? getBytes(op, elements)
                        : Expected<Bytes>(fail(op, "is no constant"));
  if (!bytes)
    return bytes.takeError();
  if (!sort)
    return fail(op, "has elements without a meaning here");
  KernelBuffer buffer{KernelBuffer::Constant, 0, *sort};
  buffer.size = elements.getNumElements();
  for (int64_t i = 0; i < buffer.size; ++i)
    buffer.values.push_back(bytes->read(i).getSExtValue());
  buffers.push_back(std::move(buffer));
  globals[global] = buffers.size() - 1;
  return buffers.size() - 1;
}

/// False: it is no access that is followed.
bool KernelWalk::walkMemory(Operation *op) {
  auto access = [&](Value base, ValueRange indices, Type type) {
    unsigned *buffer = getBuffer(base);
    Linear *at = indices.size() == 1 ? getPlace(indices[0]) : nullptr;
    auto vector = dyn_cast<VectorType>(type);
    if (!buffer || !at || !vector || vector.getRank() != 1 ||
        vector.isScalable())
      return std::optional<KernelAccess>();
    return std::optional(
        KernelAccess{*buffer, *at, vector.getNumElements(), loops, {}});
  };
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    auto read = access(load.getBase(), load.getIndices(), load.getType());
    if (!read)
      return false;
    Lanes lanes;
    for (int64_t i = 0; i < read->count; ++i)
      lanes.parts.push_back(getElement(read->buffer, read->at + Linear(i)));
    loads.push_back(std::move(*read));
    held[load.getResult()] = std::move(lanes);
    return true;
  }
  auto store = cast<vector::StoreOp>(op);
  auto written = access(store.getBase(), store.getIndices(),
                        store.getValueToStore().getType());
  Lanes *lanes = getLanes(store.getValueToStore());
  if (!written || !lanes || lanes->per != 1 || carrying != 0)
    return false;
  written->lanes = lanes->parts;
  stores.push_back(std::move(*written));
  loadsBefore.push_back(loads.size());
  return true;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Error KernelWalk::walkIndex(Operation *op) {
  auto unknown = [&] {
    return fail(op, "computes a place in a way that is not "
                    "followed");
  };
  if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
    Lanes *number = getLanes(cast.getIn());
    if (!number || number->parts.size() != 1)
      return unknown();
    Term term = number->parts.front();
    if (term->op == Fn::Constant) {
      held[op->getResult(0)] = Linear(term->value.getSExtValue());
      return Error::success();
    }
    auto it = elements.find(term);
    if (it == elements.end() ||
        buffers[it->second.buffer].kind != KernelBuffer::Constant)
      return unknown();
    const KernelElement &element = it->second;
    Symbol symbol{Symbol::Entry, element.at, Linear(0)};
    tables.push_back(buffers[element.buffer].values);
    symbol.table = &tables.back();
    auto range = places.getRange(element.at);
    if (!range || range->first < 0 ||
        range->second >= int64_t(symbol.table->size()))
      return fail(op, "reads a list of places outside of it");
    held[op->getResult(0)] = places.add(symbol);
    return Error::success();
  }
  SmallVector<Linear, 2> operands;
  for (Value operand : op->getOperands()) {
    Linear *place = getPlace(operand);
    if (!place)
      return unknown();
    operands.push_back(*place);
  }
  Linear result;
  if (isa<arith::AddIOp>(op))
    result = operands[0] + operands[1];
  else if (isa<arith::SubIOp>(op))
    result = operands[0] + operands[1] * -1;
  else if (isa<arith::MulIOp>(op) && operands[1].isConstant())
    result = operands[0] * operands[1].offset;
  else if (isa<arith::MulIOp>(op) && operands[0].isConstant())
    result = operands[1] * operands[0].offset;
  else if (isa<arith::DivUIOp, arith::RemUIOp, arith::MinUIOp>(op)) {
    auto a = places.getRange(operands[0]), b = places.getRange(operands[1]);
    bool isMin = isa<arith::MinUIOp>(op);
    if (!a || !b || a->first < 0 || b->first < (isMin ? 0 : 1))
      return unknown();
    result = places.add({isMin                     ? Symbol::Minimum
                         : isa<arith::DivUIOp>(op) ? Symbol::Quotient
                                                   : Symbol::Remainder,
                         operands[0], operands[1]});
  } else {
    return unknown();
  }
  held[op->getResult(0)] = result;
  return Error::success();
}

KernelWalk::Lanes KernelWalk::join(const Lanes &lanes) {
  if (lanes.per == 1)
    return lanes;
  Terms &terms = scope.terms;
  Lanes result;
  for (size_t i = 0; i < lanes.count(); ++i) {
    ArrayRef<Term> parts =
        ArrayRef(lanes.parts).slice(i * lanes.per, lanes.per);
    unsigned width = 0, at = 0;
    for (Term part : parts)
      width += part->sort.width;
    Term joined = nullptr;
    for (Term part : parts) {
      Term wide = terms.make(Fn::ExtU, bits(width), {part});
      Term moved =
          at ? terms.binary(Fn::Shl, wide, terms.constant(width, at)) : wide;
      at += part->sort.width;
      if (part->op == Fn::Constant && part->value.isZero())
        continue;
      joined = joined ? terms.binary(Fn::Or, joined, moved) : moved;
    }
    result.parts.push_back(joined ? joined : terms.constant(width, 0));
  }
  return result;
}

/// arith on numbers and vectors, lane by lane.
Error KernelWalk::walkLanes(Operation *op) {
  SmallVector<Lanes, 3> operands;
  for (Value operand : op->getOperands()) {
    Lanes *lanes = getLanes(operand);
    if (!lanes || llvm::any_of(lanes->parts, [&](Term part) {
          return lanes->per != 1 && part->sort.isFloat;
        }))
      return fail(op, "has an operand without a meaning here");
    operands.push_back(join(*lanes));
    if (operands.back().count() != operands.front().count())
      return fail(op, "has operands of several sizes");
  }
  if (operands.empty())
    return fail(op, "has no meaning here");
  Terms &terms = scope.terms;
  Lanes result;
  SmallVector<Scalar, 3> scalars;
  for (size_t i = 0; i < operands.front().count(); ++i) {
    scalars.clear();
    for (const Lanes &lanes : operands)
      scalars.push_back(lanes.parts[i]);
    Term defined = terms.constant(1, 1);
    auto read = readScalarOp(op, scalars, scope, defined);
    if (!read)
      return read.takeError();
    Term term = std::get<Term>(*read);
    if (defined != terms.constant(1, 1)) {
      if (carrying != 0)
        return fail(op, "is undefined for some numbers, in a loop of a sum");
      conditions[term] = defined;
    }
    result.parts.push_back(term);
  }
  held[op->getResult(0)] = std::move(result);
  return Error::success();
}

/// False: it has no meaning here.
bool KernelWalk::walkVector(Operation *op) {
  for (Value operand : op->getOperands())
    if (!getLanes(operand))
      return false;
  Lanes *first = getLanes(op->getOperand(0));
  Lanes *second =
      op->getNumOperands() > 1 ? getLanes(op->getOperand(1)) : first;
  Lanes result;
  result.per = first->per;
  auto take = [&](const Lanes &from, int64_t lane) {
    result.parts.insert(result.parts.end(),
                        from.parts.begin() + lane * from.per,
                        from.parts.begin() + (lane + 1) * from.per);
  };
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (type && (type.getRank() != 1 || type.isScalable()))
    return false;
  if (isa<vector::BroadcastOp>(op)) {
    if (first->count() != 1)
      return false;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      take(*first, 0);
  } else if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    ArrayRef<int64_t> at = extract.getStaticPosition();
    if (at.size() != 1 || at[0] < 0 || at[0] >= int64_t(first->count()))
      return false;
    take(*first, at[0]);
  } else if (auto insert = dyn_cast<vector::InsertOp>(op)) {
    ArrayRef<int64_t> at = insert.getStaticPosition();
    if (at.size() != 1 || at[0] < 0 || at[0] >= int64_t(second->count()) ||
        first->per != second->per)
      return false;
    for (int64_t i = 0; i < int64_t(second->count()); ++i)
      i == at[0] ? take(*first, 0) : take(*second, i);
  } else if (isa<vector::BitCastOp>(op)) {
    int64_t lanes = type.getNumElements();
    if (lanes == 0 || first->parts.size() % lanes != 0)
      return false;
    result = *first;
    result.per = first->parts.size() / lanes;
    unsigned width = 0;
    for (unsigned i = 0; i < result.per; ++i)
      width += result.parts[i]->sort.width;
    if (width != type.getElementTypeBitWidth())
      return false;
  } else if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    int64_t count = first->count();
    for (int64_t from : shuffle.getMask()) {
      if (from < 0 || from >= count + int64_t(second->count()) ||
          first->per != second->per)
        return false;
      from < count ? take(*first, from) : take(*second, from - count);
    }
  } else if (isa<vector::InterleaveOp>(op)) {
    if (first->per != second->per)
      return false;
    for (size_t i = 0; i < first->count(); ++i) {
      take(*first, i);
      take(*second, i);
    }
  } else if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
            stride = cast<IntegerAttr>(slice.getStrides()[0]).getInt();
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      take(*first, offset + i * stride);
  } else if (auto slice = dyn_cast<vector::InsertStridedSliceOp>(op)) {
    int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
            stride = cast<IntegerAttr>(slice.getStrides()[0]).getInt(),
            count = first->count();
    if (stride != 1 || first->per != second->per)
      return false;
    for (int64_t i = 0; i < int64_t(second->count()); ++i)
      i >= offset &&i < offset + count ? take(*first, i - offset)
                                       : take(*second, i);
  } else {
    return false;
  }
  held[op->getResult(0)] = std::move(result);
  return true;
}

static Error readConstant(arith::ConstantOp op, Terms &terms,
                          std::vector<Term> &parts) {
  auto add = [&](Attribute value) {
    if (auto integer = dyn_cast<IntegerAttr>(value))
      parts.push_back(terms.constant(integer.getValue()));
    else if (auto real = dyn_cast<FloatAttr>(value);
             real && (real.getType().isF32() || real.getType().isF64()))
      parts.push_back(
          terms.constantBits({true, real.getType().getIntOrFloatBitWidth()},
                             real.getValue().bitcastToAPInt()));
    else
      return false;
    return true;
  };
  bool isKnown = true;
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
    for (Attribute value : elements.getValues<Attribute>())
      isKnown &= add(value);
  } else {
    isKnown = add(op.getValue());
  }
  return isKnown ? Error::success() : fail(op, "has no meaning here");
}

Error KernelWalk::walkOp(Operation *op) {
  if (isa<scf::YieldOp, func::ReturnOp, memref::DeallocOp>(op))
    return Error::success();
  if (isa<scf::ForOp>(op))
    return walkLoop(op);
  if (isa<func::CallOp>(op))
    return walkCall(op);
  if (isa<LLVM::CallIntrinsicOp, LLVM::SAddSat>(op))
    return walkIntrinsic(op);
  if (isa<memref::GetGlobalOp>(op)) {
    auto buffer = addGlobal(op);
    if (!buffer)
      return buffer.takeError();
    held[op->getResult(0)] = *buffer;
    return Error::success();
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    auto sort = getElementSort(alloc.getType());
    if (!sort || sort->isFloat || !alloc.getType().hasStaticShape() ||
        !loops.empty())
      return fail(op, "makes a buffer that is not followed");
    KernelBuffer buffer{KernelBuffer::Scratch, 0, *sort};
    buffer.size = alloc.getType().getNumElements();
    held[op->getResult(0)] = unsigned(buffers.size());
    buffers.push_back(std::move(buffer));
    return Error::success();
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    unsigned *buffer = getBuffer(collapse.getSrc());
    if (!buffer || collapse.getResultType().getRank() != 1 ||
        !collapse.getResultType().getLayout().isIdentity())
      return fail(op, "makes a shape that is not followed");
    unsigned number = *buffer;
    held[op->getResult(0)] = number;
    return Error::success();
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    unsigned *buffer = getBuffer(dim.getSource());
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!buffer || !type || type.getRank() != 1)
      return fail(op, "is the extent of what is not followed");
    int64_t size = buffers[*buffer].size;
    held[op->getResult(0)] =
        type.hasStaticShape()
            ? Linear(size)
            : places.add({Symbol::Extent, Linear(size), Linear(0)});
    return Error::success();
  }
  if (isa<vector::LoadOp, vector::StoreOp>(op))
    return walkMemory(op) ? Error::success()
                          : fail(op, "has an access that is not followed");
  if (op->getNumResults() != 1)
    return fail(op, "has no meaning here");
  Type type = op->getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (type.isIndex()) {
      held[op->getResult(0)] =
          Linear(cast<IntegerAttr>(constant.getValue()).getInt());
      return Error::success();
    }
    Lanes lanes;
    if (Error error = readConstant(constant, scope.terms, lanes.parts))
      return error;
    held[op->getResult(0)] = std::move(lanes);
    return Error::success();
  }
  if (type.isIndex())
    return walkIndex(op);
  if (isa<vector::VectorDialect>(op->getDialect()))
    return walkVector(op) ? Error::success() : fail(op, "has no meaning here");
  return walkLanes(op);
}
