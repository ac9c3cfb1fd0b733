// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of the operands of a tile.

#include "TileAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace qbackend::codegen;

TileAccess::TileAccess(OpBuilder &builder, Location loc, const LoopNest &nest,
                       const Schedule &schedule)
    : b(builder), loc(loc), nest(nest), schedule(schedule),
      parts(nest.loops.size()) {
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (loop.isReduction && !llvm::is_contained(schedule.order, i))
      reductions.push_back(i);
}

Access TileAccess::getAccess(const NestOperand &operand, SymbolTable &symbols,
                             ConstantStore *store) {
  Access access;
  access.operand = &operand;
  if (operand.scalar)
    return access;
  access.inner = access.outer = operand.strides;
  if (pack(access, symbols, store))
    return access;
  auto type = cast<MemRefType>(operand.buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  OpFoldResult begin = b.getIndexAttr(offset + operand.offset);
  if (ShapedType::isDynamic(offset)) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(b, loc, operand.buffer);
    begin = add(metadata.getOffset(), operand.offset);
  }
  // Its size only matters to who checks bounds.
  auto flat =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(),
                                             ShapedType::isDynamic(offset)
                                                 ? ShapedType::kDynamic
                                                 : offset + operand.offset,
                                             {1}),
                      type.getMemorySpace());
  access.view = memref::ReinterpretCastOp::create(
      b, loc, flat, operand.buffer, begin,
      ArrayRef<OpFoldResult>(index(std::numeric_limits<int32_t>::max())),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  return access;
}

/// Copies `count` numbers of `width` bytes, which are `apart` numbers apart,
/// next to each other.
static void copyNumbers(char *to, const char *from, int64_t count,
                        int64_t apart, int64_t width) {
  if (apart == 1) {
    std::memcpy(to, from, count * width);
    return;
  }
  for (int64_t i = 0; i < count; ++i, to += width, from += apart * width)
    if (width == sizeof(float))
      std::memcpy(to, from, sizeof(float));
    else
      std::memcpy(to, from, width);
}

bool TileAccess::pack(Access &access, SymbolTable &symbols,
                      ConstantStore *store) {
  const NestOperand &operand = *access.operand;
  if (!operand.constant ||
      !llvm::any_of(reductions, [&](unsigned i) { return operand.varies(i); }))
    return false;
  ArrayRef<char> bytes = getElementBytes(operand.constant);
  int64_t width = getStoredBytes(operand.elementType);
  if (bytes.empty() ||
      int64_t(bytes.size()) != operand.constant.getNumElements() * width)
    return false;
  SmallVector<unsigned> varying;
  for (auto [i, loop] : llvm::enumerate(nest.loops)) {
    if (!operand.varies(i))
      continue;
    if (ShapedType::isDynamic(loop.extent) || !operand.strides[i].constant)
      return false;
    varying.push_back(i);
  }

  int64_t size = 1;
  access.inner.assign(nest.loops.size(), Stride());
  access.outer = access.inner;
  auto place = [&](Stride &stride, int64_t extent) {
    stride.constant = size;
    size *= extent;
  };
  unsigned lanes = schedule.vectorLoop;
  if (operand.varies(lanes))
    place(access.inner[lanes], schedule.tile[lanes]);
  for (unsigned i : llvm::reverse(varying))
    if (i != lanes && schedule.tile[i] != 1)
      place(access.inner[i], schedule.tile[i]);
  for (unsigned i : llvm::reverse(reductions))
    if (operand.varies(i))
      place(access.outer[i], nest.loops[i].extent);
  for (unsigned i : llvm::reverse(schedule.order))
    if (operand.varies(i))
      place(access.outer[i],
            llvm::divideCeil(nest.loops[i].extent, schedule.tile[i]));
  // A window over a constant would be stored once for each position.
  if (size > 4 * operand.constant.getNumElements() + 4096)
    return false;

  std::vector<char> zeros(store ? 0 : size * width);
  char *packed = store ? store->allocate(size * width) : zeros.data();
  // The vectors of one tile after another: lines of memory are read whole.
  bool hasLanes = operand.varies(lanes);
  int64_t extent = hasLanes ? nest.loops[lanes].extent : 1;
  int64_t lanesApart = hasLanes ? *operand.strides[lanes].constant : 1;
  int64_t tile = hasLanes ? schedule.tile[lanes] : 1;
  llvm::erase(varying, lanes);
  SmallVector<int64_t> at(varying.size(), 0);
  for (int64_t first = 0; first < extent; first += tile)
    for (bool done = false; !done;) {
      int64_t from = operand.offset + first * lanesApart, to = 0;
      if (hasLanes)
        to = first / tile * *access.outer[lanes].constant;
      for (auto [i, position] : llvm::zip(varying, at)) {
        from += position * *operand.strides[i].constant;
        to += position / schedule.tile[i] * *access.outer[i].constant +
              position % schedule.tile[i] * *access.inner[i].constant;
      }
      copyNumbers(packed + to * width, bytes.data() + from * width,
                  std::min(tile, extent - first), lanesApart, width);
      done = true;
      for (unsigned k = varying.size(); k-- > 0;) {
        if (++at[k] != nest.loops[varying[k]].extent) {
          done = false;
          break;
        }
        at[k] = 0;
      }
    }
  // A loop counts iterations, not tiles.
  for (unsigned i : schedule.order)
    if (operand.varies(i))
      *access.outer[i].constant /= schedule.tile[i];
  for (unsigned i : reductions)
    access.inner[i] = access.outer[i];

  auto type = MemRefType::get({size}, operand.elementType);
  OpBuilder detached(b.getContext());
  auto global = memref::GlobalOp::create(
      detached, loc, "qbackend_packed", /*sym_visibility=*/StringAttr(), type,
      /*initial_value=*/Attribute(), /*constant=*/false,
      /*alignment=*/IntegerAttr());
  symbols.insert(global);
  if (store) {
    store->symbols.emplace_back(global.getSymName().str(), packed);
  } else {
    global.setPrivate();
    global.setConstant(true);
    global.setInitialValueAttr(DenseElementsAttr::getFromRawBuffer(
        RankedTensorType::get({size}, operand.elementType), zeros));
    global.setAlignment(64);
  }
  access.view = memref::GetGlobalOp::create(b, loc, type, global.getSymName());
  access.isPacked = true;
  return true;
}

Value TileAccess::index(int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

Value TileAccess::add(Value value, int64_t number) {
  return number == 0 ? value
                     : arith::AddIOp::create(b, loc, value, index(number));
}

Value TileAccess::advance(Value base, Value position, const Stride &stride) {
  if (stride.is(0) || !position)
    return base;
  Value step = position;
  if (!stride.is(1))
    step = arith::MulIOp::create(b, loc, position,
                                 stride.constant ? index(*stride.constant)
                                                 : stride.value);
  return arith::AddIOp::create(b, loc, base, step);
}

VectorType TileAccess::getVectorType(Type element) {
  return VectorType::get({schedule.lanes}, element);
}

std::optional<int64_t> TileAccess::getLanes(int64_t vector) {
  const Part &part = parts[schedule.vectorLoop];
  if (part.dynamicSize)
    return std::nullopt;
  return std::min(part.size - vector * schedule.lanes, schedule.lanes);
}

Value TileAccess::getMask(int64_t lanes, int64_t width) {
  SmallVector<bool> bits(width);
  for (int64_t i = 0; i < width; ++i)
    bits[i] = i < lanes;
  auto type = VectorType::get({width}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, type,
                                   DenseElementsAttr::get(type, bits));
}

Value TileAccess::getMask(int64_t vector) {
  if (std::optional<int64_t> lanes = getLanes(vector))
    return getMask(*lanes, schedule.lanes);
  return vector::CreateMaskOp::create(
      b, loc, getVectorType(b.getI1Type()),
      ValueRange(parts[schedule.vectorLoop].dynamicSize));
}

Value TileAccess::getFiller(Type element) {
  VectorType type = getVectorType(element);
  Attribute one = isa<FloatType>(element)
                      ? Attribute(b.getFloatAttr(element, 1.0))
                      : Attribute(b.getIntegerAttr(element, 1));
  return arith::ConstantOp::create(b, loc, type,
                                   DenseElementsAttr::get(type, one));
}

Value TileAccess::getOffsets(const Stride &stride) {
  bool fits = stride.constant &&
              std::abs(*stride.constant) * schedule.lanes <= INT32_MAX;
  if (fits) {
    VectorType type = getVectorType(b.getI32Type());
    SmallVector<int32_t> offsets;
    for (int64_t i = 0; i < schedule.lanes; ++i)
      offsets.push_back(i * *stride.constant);
    return arith::ConstantOp::create(
        b, loc, type, DenseElementsAttr::get(type, ArrayRef(offsets)));
  }
  VectorType type = getVectorType(b.getIndexType());
  Value step = vector::StepOp::create(b, loc, type);
  Value factor = vector::BroadcastOp::create(
      b, loc, type, stride.constant ? index(*stride.constant) : stride.value);
  return arith::MulIOp::create(b, loc, step, factor);
}

Value TileAccess::getAddress(const Access &access, Value base,
                             const Point &point) {
  int64_t constant = 0;
  for (auto [i, position] : llvm::enumerate(point.at)) {
    int64_t steps =
        i == schedule.vectorLoop ? point.vector * schedule.lanes : position;
    if (steps == 0)
      continue;
    const Stride &stride = access.inner[i];
    if (stride.constant)
      constant += steps * *stride.constant;
    else
      base = advance(base, index(steps), stride);
  }
  return add(base, constant);
}

Value TileAccess::loadFirst(const Access &access, Value at, int64_t count) {
  Type element = access.operand->elementType;
  VectorType type = getVectorType(element);
  if (count == schedule.lanes)
    return vector::LoadOp::create(b, loc, type, access.view, at);
  Value filler = getFiller(element);
  if (count == 1)
    return vector::InsertOp::create(
        b, loc, memref::LoadOp::create(b, loc, access.view, at), filler, 0);
  return vector::MaskedLoadOp::create(b, loc, type, access.view, at,
                                      getMask(count, schedule.lanes), filler);
}

void TileAccess::storeFirst(const Access &access, Value at, Value vector,
                            int64_t count) {
  if (count == schedule.lanes)
    vector::StoreOp::create(b, loc, vector, access.view, at);
  else if (count == 1)
    // LLVM 22 stores the wide number, where the vector has been truncated and
    // the only lane of a mask is the first.
    memref::StoreOp::create(
        b, loc, vector::ExtractOp::create(b, loc, vector, 0), access.view, at);
  else
    vector::MaskedStoreOp::create(b, loc, access.view, at,
                                  getMask(count, schedule.lanes), vector);
}

Value TileAccess::load(const Access &access, Value base, const Point &point) {
  if (access.operand->scalar)
    return access.operand->scalar;
  Value at = getAddress(access, base, point);
  const Stride &stride = access.inner[schedule.vectorLoop];
  if (stride.is(0))
    return memref::LoadOp::create(b, loc, access.view, at);
  Type element = access.operand->elementType;
  VectorType type = getVectorType(element);
  std::optional<int64_t> lanes = getLanes(point.vector);
  if (stride.is(1) && access.isPacked)
    return vector::LoadOp::create(b, loc, type, access.view, at);
  if (stride.is(1) && lanes)
    return loadFirst(access, at, *lanes);
  if (stride.is(1)) {
    Value mask = getMask(point.vector);
    return vector::MaskedLoadOp::create(b, loc, type, access.view, at, mask,
                                        getFiller(element));
  }
  if (stride.is(2) && lanes)
    return loadEverySecond(access, at, *lanes);
  Value offsets = getOffsets(stride), mask = getMask(point.vector);
  return vector::GatherOp::create(b, loc, type, access.view, at, offsets, mask,
                                  getFiller(element));
}

Value TileAccess::loadEverySecond(const Access &access, Value at,
                                  int64_t lanes) {
  int64_t width = schedule.lanes;
  auto loadPart = [&](int64_t begin, int64_t count) -> Value {
    return loadFirst(access, add(at, begin),
                     std::clamp<int64_t>(count, 0, width));
  };
  int64_t count = 2 * lanes - 1;
  Value low = loadPart(0, count),
        high = loadPart(width - 1, count - (width - 1));
  SmallVector<int64_t> chosen;
  for (int64_t i = 0; i < width; ++i)
    chosen.push_back(2 * i < width ? 2 * i : 2 * i + 1);
  return vector::ShuffleOp::create(b, loc, low, high, chosen);
}

void TileAccess::store(const Access &access, Value base, const Point &point,
                       Value value) {
  Value at = getAddress(access, base, point);
  const Stride &stride = access.inner[schedule.vectorLoop];
  value = broadcast(value);
  if (!stride.is(1)) {
    Value offsets = getOffsets(stride), mask = getMask(point.vector);
    vector::ScatterOp::create(b, loc, /*resultType=*/Type(), access.view, at,
                              offsets, mask, value);
  } else if (std::optional<int64_t> lanes = getLanes(point.vector)) {
    storeFirst(access, at, value, *lanes);
  } else {
    vector::MaskedStoreOp::create(b, loc, access.view, at,
                                  getMask(point.vector), value);
  }
}

SmallVector<TileAccess::Row> TileAccess::getRows(const Access &access,
                                                 ArrayRef<Point> points) {
  if (access.isPacked || parts[schedule.vectorLoop].dynamicSize)
    return {};
  std::optional<unsigned> along =
      findInterleavedLoop(nest, *access.operand, schedule.vectorLoop);
  // A part of the neighbours is no run.
  if (along && parts[*along].size != nest.loops[*along].extent)
    return {};
  if (!along)
    along = findTransposedLoop(nest, *access.operand, schedule.vectorLoop);
  if (!along || parts[*along].size < 2)
    return {};
  SmallVector<Row> rows;
  llvm::DenseMap<int64_t, unsigned> rowOf;
  for (auto [p, point] : llvm::enumerate(points)) {
    int64_t key = point.vector;
    for (auto [i, position] : llvm::enumerate(point.at))
      key = key * schedule.tile[i] + (i == *along ? 0 : position);
    auto [it, isNew] = rowOf.try_emplace(key, rows.size());
    if (isNew)
      rows.emplace_back();
    rows[it->second].push_back(p);
  }
  return rows;
}

void TileAccess::transpose(MutableArrayRef<Value> vectors) {
  int64_t lanes = schedule.lanes;
  for (int64_t distance = 1; distance < lanes; distance *= 2)
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & distance)
        continue;
      Value &first = vectors[i], &second = vectors[i + distance];
      Value top = first ? first : second, bottom = second ? second : first;
      if (!top)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        bool isSecond = lane & distance;
        low.push_back(isSecond ? lanes + lane - distance : lane);
        high.push_back(isSecond ? lanes + lane : lane + distance);
      }
      first = vector::ShuffleOp::create(b, loc, top, bottom, low);
      second = vector::ShuffleOp::create(b, loc, top, bottom, high);
    }
}

template <typename Function>
void TileAccess::forSquares(const Access &access, Value base,
                            ArrayRef<Point> points, const Row &row,
                            Function function) {
  int64_t lanes = schedule.lanes;
  int64_t inside = *getLanes(points[row[0]].vector);
  for (int64_t begin = 0; begin < int64_t(row.size()); begin += lanes) {
    int64_t count = std::min<int64_t>(row.size() - begin, lanes);
    Value at = getAddress(access, base, points[row[begin]]);
    SmallVector<Value> addresses;
    for (int64_t lane = 0; lane < inside; ++lane)
      addresses.push_back(
          advance(at, index(lane), access.inner[schedule.vectorLoop]));
    function(ArrayRef(row).slice(begin, count), addresses);
  }
}

bool TileAccess::isInterleaved(const Access &access) {
  return findInterleavedLoop(nest, *access.operand, schedule.vectorLoop)
      .has_value();
}

Value TileAccess::gather(
    ArrayRef<Value> vectors,
    function_ref<std::pair<int64_t, int64_t>(int64_t)> getPlace) {
  Value result;
  for (auto [v, vector] : llvm::enumerate(vectors)) {
    SmallVector<int64_t> chosen;
    bool isUsed = false;
    for (int64_t lane = 0; lane < schedule.lanes; ++lane) {
      auto [from, place] = getPlace(lane);
      isUsed |= from == int64_t(v);
      chosen.push_back(from == int64_t(v) ? schedule.lanes + place : lane);
    }
    if (!result)
      result = vector;
    if (isUsed)
      result = vector::ShuffleOp::create(b, loc, result, vector, chosen);
  }
  return result;
}

template <typename Function>
void TileAccess::forRun(const Access &access, Value base,
                        ArrayRef<Point> points, const Row &row,
                        Function function) {
  int64_t lanes = schedule.lanes,
          elements = *getLanes(points[row[0]].vector) * row.size();
  Value begin = getAddress(access, base, points[row[0]]);
  for (int64_t k = 0; k * lanes < elements; ++k)
    function(k, add(begin, k * lanes), std::min(elements - k * lanes, lanes));
}

void TileAccess::loadRow(const Access &access, Value base,
                         ArrayRef<Point> points, const Row &row,
                         function_ref<void(unsigned, Value)> loaded) {
  int64_t lanes = schedule.lanes, groups = row.size();
  if (isInterleaved(access)) {
    SmallVector<Value> run(groups, getFiller(access.operand->elementType));
    forRun(access, base, points, row, [&](int64_t k, Value at, int64_t count) {
      run[k] = loadFirst(access, at, count);
    });
    for (auto [i, point] : llvm::enumerate(row))
      loaded(point, gather(run, [&, i = i](int64_t lane) {
               int64_t place = lane * groups + i;
               return std::make_pair(place / lanes, place % lanes);
             }));
    return;
  }
  forSquares(access, base, points, row, [&](auto square, auto addresses) {
    SmallVector<Value> vectors(schedule.lanes);
    int64_t count = square.size();
    for (auto [vector, address] : llvm::zip(vectors, addresses))
      vector = loadFirst(access, address, count);
    transpose(vectors);
    for (auto [point, vector] : llvm::zip(square, vectors))
      loaded(point, vector);
  });
}

void TileAccess::storeRow(const Access &access, Value base,
                          ArrayRef<Point> points, const Row &row,
                          function_ref<Value(unsigned)> getResult) {
  int64_t lanes = schedule.lanes, groups = row.size();
  if (isInterleaved(access)) {
    SmallVector<Value> vectors;
    for (unsigned point : row)
      vectors.push_back(broadcast(getResult(point)));
    forRun(access, base, points, row, [&](int64_t k, Value at, int64_t count) {
      Value run = gather(vectors, [&](int64_t lane) {
        int64_t place = k * lanes + lane;
        return std::make_pair(place % groups, place / groups);
      });
      storeFirst(access, at, run, count);
    });
    return;
  }
  forSquares(access, base, points, row, [&](auto square, auto addresses) {
    SmallVector<Value> vectors(schedule.lanes);
    int64_t count = square.size();
    for (auto [point, vector] : llvm::zip(square, vectors))
      vector = broadcast(getResult(point));
    transpose(vectors);
    for (auto [address, vector] : llvm::zip(addresses, vectors))
      storeFirst(access, address, vector, count);
  });
}

Value TileAccess::broadcast(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, loc, getVectorType(value.getType()),
                                     value);
}
