// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a scheduled nest.
//
//   for tiles of the parallel loops:
//     sums = start, or load y
//     for the reductions, in their order:
//       sums[p][v] = body(x[p], w[v], sums[p][v])     (unrolled over p and v)
//     store finish(sums) to y
//
// Each lane is an element of the result, whose sum is taken in the order of the
// op: the number of lanes changes no bit.

#include "VectorMath.h"
#include "Vectorize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace qbackend::codegen;

/// Reductions of so few steps are unrolled if the tile isn't large.
static constexpr int64_t maxUnrolledSteps = 9, maxUnrolledProducts = 72;

namespace {
/// An operand, once it is known where its elements are.
struct Access {
  const NestOperand *operand;
  /// A flat view of the buffer.
  Value view;
  /// The distance of neighbours in a tile, and that of tiles over their size.
  /// They differ if the operand is stored in the order of the tiles.
  SmallVector<Stride> inner, outer;
  bool isPacked = false;
};

/// Part of a loop that a tile covers.
struct Part {
  Value begin;
  /// How many iterations, if that is known.
  int64_t size = 1;
  /// Else, of the vector loop.
  Value dynamicSize;
};

class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const LoopNest &nest,
          const Schedule &schedule)
      : b(builder), loc(loc), nest(nest), schedule(schedule) {}

  void emit(SymbolTable &symbols, ConstantStore *store) {
    for (auto [i, loop] : llvm::enumerate(nest.loops))
      if (loop.isReduction && !llvm::is_contained(schedule.order, i))
        reductions.push_back(i);
    for (const NestOperand &input : nest.inputs)
      inputs.push_back(getAccess(input, symbols, store));
    for (const NestOperand &output : nest.outputs)
      outputs.push_back(getAccess(output, symbols, store));
    if (nest.start)
      for (const NestOperand &input : nest.start->inputs)
        startInputs.push_back(getAccess(input, symbols, store));
    if (nest.finish)
      for (const NestOperand &input : nest.finish->inputs)
        finishInputs.push_back(getAccess(input, symbols, store));
    parts.assign(nest.loops.size(), Part());
    emitParallel(0);
  }

private:
  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  Access getAccess(const NestOperand &operand, SymbolTable &symbols,
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

  /// Stores a constant in the order in which the loops walk it: tiles of the
  /// parallel loops, reductions, unrolled loops, lanes. Lanes behind the end
  /// are zeros.
  bool pack(Access &access, SymbolTable &symbols, ConstantStore *store) {
    const NestOperand &operand = *access.operand;
    if (!operand.constant || !llvm::any_of(reductions, [&](unsigned i) {
          return operand.varies(i);
        }))
      return false;
    ArrayRef<char> bytes = getElementBytes(operand.constant);
    int64_t width = operand.elementType.isIndex()
                        ? 8
                        : operand.elementType.getIntOrFloatBitWidth() / 8;
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
    SmallVector<int64_t> at(varying.size(), 0);
    for (bool done = false; !done;) {
      int64_t from = operand.offset, to = 0;
      for (auto [i, position] : llvm::zip(varying, at)) {
        from += position * *operand.strides[i].constant;
        to += position / schedule.tile[i] * *access.outer[i].constant +
              position % schedule.tile[i] * *access.inner[i].constant;
      }
      std::memcpy(packed + to * width, bytes.data() + from * width, width);
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
    access.view =
        memref::GetGlobalOp::create(b, loc, type, global.getSymName());
    access.isPacked = true;
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Indices
  //===--------------------------------------------------------------------===//

  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  }

  Value add(Value value, int64_t number) {
    return number == 0 ? value
                       : arith::AddIOp::create(b, loc, value, index(number));
  }

  /// Returns `base + position * stride`.
  Value advance(Value base, Value position, const Stride &stride) {
    if (stride.is(0) || !position)
      return base;
    Value step = position;
    if (!stride.is(1))
      step = arith::MulIOp::create(b, loc, position,
                                   stride.constant ? index(*stride.constant)
                                                   : stride.value);
    return arith::AddIOp::create(b, loc, base, step);
  }

  //===--------------------------------------------------------------------===//
  // Parallel loops
  //===--------------------------------------------------------------------===//

  void emitParallel(unsigned level) {
    if (level == schedule.order.size())
      return emitTile();
    unsigned i = schedule.order[level];
    const Loop &loop = nest.loops[i];
    int64_t tile = schedule.tile[i];
    Part &part = parts[i];
    auto emitLoop = [&](Value end) {
      auto op = scf::ForOp::create(b, loc, index(0), end, index(tile));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(op.getBody());
      part = {op.getInductionVar(), tile, Value()};
      emitParallel(level + 1);
    };
    if (!ShapedType::isDynamic(loop.extent)) {
      int64_t whole = loop.extent / tile * tile;
      if (whole == tile) {
        part = {index(0), tile, Value()};
        emitParallel(level + 1);
      } else if (whole > 0) {
        emitLoop(index(whole));
      }
      if (whole != loop.extent) {
        part = {index(whole), loop.extent - whole, Value()};
        emitParallel(level + 1);
      }
      return;
    }
    if (tile == 1)
      return emitLoop(loop.size);
    Value rest = arith::RemUIOp::create(b, loc, loop.size, index(tile));
    Value whole = arith::SubIOp::create(b, loc, loop.size, rest);
    emitLoop(whole);
    Value isLeft =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, index(0));
    auto last = scf::IfOp::create(b, loc, isLeft, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(last.thenBlock());
    part = {whole, tile, rest};
    emitParallel(level + 1);
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  /// A vector of results: which of the tile, and the position of each unrolled
  /// loop.
  struct Point {
    SmallVector<int64_t> at;
    int64_t vector;
  };

  VectorType getVectorType(Type element) {
    return VectorType::get({schedule.lanes}, element);
  }

  /// Returns how many lanes of a vector of the tile are inside; nothing if that
  /// is only known at run time.
  std::optional<int64_t> getLanes(int64_t vector) {
    const Part &part = parts[schedule.vectorLoop];
    if (part.dynamicSize)
      return std::nullopt;
    return std::min(part.size - vector * schedule.lanes, schedule.lanes);
  }

  /// Returns the mask of the first `lanes` of `width` lanes.
  Value getMask(int64_t lanes, int64_t width) {
    SmallVector<bool> bits(width);
    for (int64_t i = 0; i < width; ++i)
      bits[i] = i < lanes;
    auto type = VectorType::get({width}, b.getI1Type());
    return arith::ConstantOp::create(b, loc, type,
                                     DenseElementsAttr::get(type, bits));
  }

  Value getMask(int64_t vector) {
    if (std::optional<int64_t> lanes = getLanes(vector))
      return getMask(*lanes, schedule.lanes);
    return vector::CreateMaskOp::create(
        b, loc, getVectorType(b.getI1Type()),
        ValueRange(parts[schedule.vectorLoop].dynamicSize));
  }

  bool isWhole(int64_t vector) { return getLanes(vector) == schedule.lanes; }

  /// What lanes outside hold: no function traps on 1.
  Value getFiller(Type element) {
    VectorType type = getVectorType(element);
    Attribute one = isa<FloatType>(element)
                        ? Attribute(b.getFloatAttr(element, 1.0))
                        : Attribute(b.getIntegerAttr(element, 1));
    return arith::ConstantOp::create(b, loc, type,
                                     DenseElementsAttr::get(type, one));
  }

  /// Returns the positions of `lanes`, `stride` apart.
  Value getOffsets(const Stride &stride) {
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

  /// Returns where a point's first lane is, `base` being that of the tile.
  Value getAddress(const Access &access, Value base, const Point &point) {
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

  /// Returns the element of an operand at a point: a number if it is the same
  /// in all lanes, else a vector.
  Value load(const Access &access, Value base, const Point &point) {
    if (access.operand->scalar)
      return access.operand->scalar;
    Value at = getAddress(access, base, point);
    const Stride &stride = access.inner[schedule.vectorLoop];
    if (stride.is(0))
      return memref::LoadOp::create(b, loc, access.view, at);
    Type element = access.operand->elementType;
    VectorType type = getVectorType(element);
    if (stride.is(1) && (access.isPacked || isWhole(point.vector)))
      return vector::LoadOp::create(b, loc, type, access.view, at);
    if (stride.is(1))
      return vector::MaskedLoadOp::create(b, loc, type, access.view, at,
                                          getMask(point.vector),
                                          getFiller(element));
    std::optional<int64_t> lanes = getLanes(point.vector);
    if (stride.is(2) && lanes)
      return loadEverySecond(access, at, type, *lanes);
    return vector::GatherOp::create(b, loc, type, access.view, at,
                                    getOffsets(stride), getMask(point.vector),
                                    getFiller(element));
  }

  /// Elements 0, 2, ..., 2 (lanes - 1): the even ones of a vector that begins
  /// with the first, and the odd ones of one that ends with the last.
  Value loadEverySecond(const Access &access, Value at, VectorType type,
                        int64_t lanes) {
    int64_t width = schedule.lanes;
    auto loadPart = [&](int64_t begin, int64_t count) -> Value {
      Value from = add(at, begin);
      if (count >= width)
        return vector::LoadOp::create(b, loc, type, access.view, from);
      return vector::MaskedLoadOp::create(
          b, loc, type, access.view, from,
          getMask(std::max<int64_t>(count, 0), width),
          getFiller(type.getElementType()));
    };
    int64_t count = 2 * lanes - 1;
    Value low = loadPart(0, count),
          high = loadPart(width - 1, count - (width - 1));
    SmallVector<int64_t> chosen;
    for (int64_t i = 0; i < width; ++i)
      chosen.push_back(2 * i < width ? 2 * i : 2 * i + 1);
    return vector::ShuffleOp::create(b, loc, low, high, chosen);
  }

  void store(const Access &access, Value base, const Point &point,
             Value value) {
    Value at = getAddress(access, base, point);
    const Stride &stride = access.inner[schedule.vectorLoop];
    value = broadcast(value);
    if (!stride.is(1))
      vector::ScatterOp::create(b, loc, /*resultType=*/Type(), access.view, at,
                                getOffsets(stride), getMask(point.vector),
                                value);
    else if (isWhole(point.vector))
      vector::StoreOp::create(b, loc, value, access.view, at);
    else
      vector::MaskedStoreOp::create(b, loc, access.view, at,
                                    getMask(point.vector), value);
  }

  //===--------------------------------------------------------------------===//
  // Transposed tiles
  //===--------------------------------------------------------------------===//

  /// The points of a tile that differ along one loop only, by their numbers.
  using Row = SmallVector<unsigned>;

  /// The rows of a tile along the loop in which elements of the operand are
  /// neighbours; none if a vector has neighbours itself, or is cut at run time.
  SmallVector<Row> getRows(const Access &access, ArrayRef<Point> points) {
    if (access.isPacked || parts[schedule.vectorLoop].dynamicSize)
      return {};
    std::optional<unsigned> along =
        findTransposedLoop(nest, *access.operand, schedule.vectorLoop);
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

  /// Transposes a square of vectors, in which null is anything.
  void transpose(MutableArrayRef<Value> vectors) {
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

  /// Calls `access` with the vectors, and where each is, of squares of a row:
  /// the lanes of each vector are then neighbours.
  template <typename Function>
  void forSquares(const Access &access, Value base, ArrayRef<Point> points,
                  const Row &row, Function function) {
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

  /// Loads the vectors of a row: `loaded` gets each point and its vector.
  void loadRow(const Access &access, Value base, ArrayRef<Point> points,
               const Row &row, function_ref<void(unsigned, Value)> loaded) {
    VectorType type = getVectorType(access.operand->elementType);
    Value filler = getFiller(access.operand->elementType);
    forSquares(access, base, points, row, [&](auto square, auto addresses) {
      SmallVector<Value> vectors(schedule.lanes);
      int64_t count = square.size();
      for (auto [vector, address] : llvm::zip(vectors, addresses))
        vector =
            count == schedule.lanes
                ? vector::LoadOp::create(b, loc, type, access.view, address)
                      .getResult()
                : vector::MaskedLoadOp::create(
                      b, loc, type, access.view, address,
                      getMask(count, schedule.lanes), filler)
                      .getResult();
      transpose(vectors);
      for (auto [point, vector] : llvm::zip(square, vectors))
        loaded(point, vector);
    });
  }

  /// Stores the vectors of a row: `getResult` has that of each point.
  void storeRow(const Access &access, Value base, ArrayRef<Point> points,
                const Row &row, function_ref<Value(unsigned)> getResult) {
    forSquares(access, base, points, row, [&](auto square, auto addresses) {
      SmallVector<Value> vectors(schedule.lanes);
      int64_t count = square.size();
      for (auto [point, vector] : llvm::zip(square, vectors))
        vector = broadcast(getResult(point));
      transpose(vectors);
      for (auto [address, vector] : llvm::zip(addresses, vectors))
        if (count == schedule.lanes)
          vector::StoreOp::create(b, loc, vector, access.view, address);
        else
          vector::MaskedStoreOp::create(b, loc, access.view, address,
                                        getMask(count, schedule.lanes), vector);
    });
  }

  Value broadcast(Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, loc, getVectorType(value.getType()),
                                       value);
  }

  //===--------------------------------------------------------------------===//
  // The body
  //===--------------------------------------------------------------------===//

  Value getIndex(linalg::IndexOp op, const Point &point) {
    for (auto [i, loop] : llvm::enumerate(nest.loops)) {
      if (loop.dimension != op.getDim())
        continue;
      if (i != schedule.vectorLoop)
        return add(parts[i].begin, point.at[i]);
      Value first = add(parts[i].begin, point.vector * schedule.lanes);
      VectorType type = getVectorType(b.getIndexType());
      return arith::AddIOp::create(b, loc, broadcast(first),
                                   vector::StepOp::create(b, loc, type));
    }
    return index(0);
  }

  /// Returns what the body yields for the given arguments. What is the same in
  /// all lanes is computed once.
  SmallVector<Value> evaluate(Block *body, IRMapping &mapping,
                              const Point &point) {
    for (Operation &op : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op)) {
        mapping.map(op.getResult(0), getIndex(index, point));
        continue;
      }
      bool isVector = llvm::any_of(op.getOperands(), [&](Value operand) {
        return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
      });
      IRMapping operands;
      for (Value operand : op.getOperands()) {
        Value value = mapping.lookupOrDefault(operand);
        operands.map(operand, isVector ? broadcast(value) : value);
      }
      if (isVector && op.getNumOperands() == 1)
        if (Value value =
                emitVectorMath(b, &op, operands.lookup(op.getOperand(0)))) {
          mapping.map(op.getResult(0), value);
          continue;
        }
      Operation *clone = b.clone(op, operands);
      if (isVector)
        clone->getResult(0).setType(
            getVectorType(clone->getResult(0).getType()));
      mapping.map(op.getResult(0), clone->getResult(0));
    }
    SmallVector<Value> results;
    for (Value operand : body->getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(operand));
    return results;
  }

  /// The elements of operands at the points of a tile: what one holds at one
  /// point, it may hold at several.
  class Elements {
  public:
    /// `bases`: where the tile of each operand begins.
    Elements(Emitter &emitter, ArrayRef<Access> accesses, ArrayRef<Value> bases,
             ArrayRef<Point> points)
        : emitter(emitter), accesses(accesses), bases(bases), points(points) {}

    /// Loads those of rows that are better transposed, all at once.
    void loadRows() {
      for (auto [k, access] : llvm::enumerate(accesses))
        for (const Row &row : emitter.getRows(access, points))
          emitter.loadRow(access, bases[k], points, row,
                          [&, k = k](unsigned p, Value vector) {
                            getLoaded(k, points[p]) = vector;
                          });
    }

    /// Maps the arguments of a body to the elements at a point.
    void map(IRMapping &mapping, const Point &point) {
      for (auto [k, access] : llvm::enumerate(accesses)) {
        Value &value = getLoaded(k, point);
        if (!value)
          value = emitter.load(access, bases[k], point);
        mapping.map(access.operand->argument, value);
      }
    }

  private:
    Value &getLoaded(unsigned k, const Point &point) {
      const NestOperand &operand = *accesses[k].operand;
      const Schedule &schedule = emitter.schedule;
      int64_t key = 0;
      if (!operand.scalar)
        for (auto [i, position] : llvm::enumerate(point.at))
          if (operand.varies(i))
            key = key * schedule.tile[i] +
                  (i == schedule.vectorLoop ? point.vector : position);
      return loaded[{k, key}];
    }

    Emitter &emitter;
    ArrayRef<Access> accesses;
    ArrayRef<Value> bases;
    ArrayRef<Point> points;
    llvm::DenseMap<std::pair<unsigned, int64_t>, Value> loaded;
  };

  /// One step of the reductions, with the operands' addresses in `bases`.
  SmallVector<Value> emitStep(ArrayRef<Point> points, ArrayRef<Value> bases,
                              ValueRange sums) {
    Elements elements(*this, inputs, bases, points);
    if (!nest.hasReductions())
      elements.loadRows();
    SmallVector<Value> results;
    for (auto [p, point] : llvm::enumerate(points)) {
      IRMapping mapping;
      elements.map(mapping, point);
      for (auto [k, access] : llvm::enumerate(outputs))
        if (access.operand->isRead)
          mapping.map(access.operand->argument, sums[p * outputs.size() + k]);
      for (Value value : evaluate(nest.body, mapping, point))
        results.push_back(nest.hasReductions() ? broadcast(value) : value);
    }
    return results;
  }

  /// What a stage makes of the sums of a tile, null if it doesn't read them.
  SmallVector<Value> emitStage(const Stage &stage, ArrayRef<Access> accesses,
                               ArrayRef<Point> points, ValueRange sums) {
    SmallVector<Value> bases;
    for (const Access &access : accesses)
      bases.push_back(getBase(access));
    Elements elements(*this, accesses, bases, points);
    elements.loadRows();
    SmallVector<Value> results;
    for (auto [p, point] : llvm::enumerate(points)) {
      IRMapping mapping;
      elements.map(mapping, point);
      if (stage.sum)
        mapping.map(stage.sum, sums[p]);
      results.push_back(broadcast(evaluate(stage.body, mapping, point)[0]));
    }
    return results;
  }

  /// The loops of the reductions from `level` on.
  SmallVector<Value> emitReductions(unsigned level, ArrayRef<Point> points,
                                    ArrayRef<Value> bases,
                                    SmallVector<Value> sums) {
    if (level == reductions.size())
      return emitStep(points, bases, sums);
    unsigned i = reductions[level];
    const Loop &loop = nest.loops[i];
    auto step = [&](Value position, SmallVector<Value> sums) {
      SmallVector<Value> advanced;
      for (auto [access, base] : llvm::zip(inputs, bases))
        advanced.push_back(access.operand->scalar
                               ? Value()
                               : advance(base, position, access.outer[i]));
      parts[i].begin = position;
      return emitReductions(level + 1, points, advanced, std::move(sums));
    };
    int64_t steps = 1;
    for (unsigned inner : ArrayRef(reductions).drop_front(level))
      steps = ShapedType::isDynamic(nest.loops[inner].extent)
                  ? maxUnrolledSteps + 1
                  : std::min(steps * nest.loops[inner].extent,
                             maxUnrolledSteps + 1);
    if (steps <= maxUnrolledSteps &&
        steps * int64_t(points.size()) <= maxUnrolledProducts) {
      for (int64_t position = 0; position < loop.extent; ++position)
        sums = step(index(position), std::move(sums));
      return sums;
    }
    Value end =
        ShapedType::isDynamic(loop.extent) ? loop.size : index(loop.extent);
    auto op = scf::ForOp::create(b, loc, index(0), end, index(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    SmallVector<Value> results = step(
        op.getInductionVar(), SmallVector<Value>(op.getRegionIterArgs().begin(),
                                                 op.getRegionIterArgs().end()));
    scf::YieldOp::create(b, loc, results);
    return SmallVector<Value>(op.getResults());
  }

  void emitTile() {
    // All points of the tile, the vector's innermost.
    SmallVector<Point> points = {{SmallVector<int64_t>(parts.size(), 0), 0}};
    auto multiply = [&](int64_t count, auto set) {
      SmallVector<Point> more;
      for (const Point &point : points)
        for (int64_t k = 0; k < count; ++k) {
          more.push_back(point);
          set(more.back(), k);
        }
      points = std::move(more);
    };
    for (unsigned i : schedule.order)
      if (i != schedule.vectorLoop)
        multiply(parts[i].size,
                 [&](Point &point, int64_t k) { point.at[i] = k; });
    multiply(llvm::divideCeil(parts[schedule.vectorLoop].size, schedule.lanes),
             [&](Point &point, int64_t k) { point.vector = k; });

    SmallVector<Value> inputBases;
    for (const Access &access : inputs)
      inputBases.push_back(getBase(access));
    SmallVector<Value> sums;
    if (nest.start)
      sums = emitIf(
          isAtEnd(/*last=*/false), points.size(),
          [&] { return emitStage(*nest.start, startInputs, points, {}); },
          [&] { return loadOutputs(points); });
    else
      sums = loadOutputs(points);
    SmallVector<Value> results =
        emitReductions(0, points, inputBases, std::move(sums));
    if (nest.finish)
      results = emitIf(
          isAtEnd(/*last=*/true), points.size(),
          [&] {
            return emitStage(*nest.finish, finishInputs, points, results);
          },
          [&] { return results; });
    storeOutputs(points, results);
  }

  /// Returns where the tile of an operand begins.
  Value getBase(const Access &access) {
    if (access.operand->scalar)
      return Value();
    Value base = index(0);
    for (unsigned i : schedule.order)
      base = advance(base, parts[i].begin, access.outer[i]);
    return base;
  }

  /// Returns whether the sums are those of the first steps, or of the last;
  /// null if all steps are done at once.
  Value isAtEnd(bool last) {
    Value isAtEnd;
    for (unsigned i : schedule.order) {
      const Loop &loop = nest.loops[i];
      if (!loop.isReduction)
        continue;
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          parts[i].begin,
                                          index(last ? loop.extent - 1 : 0));
      isAtEnd = isAtEnd
                    ? arith::AndIOp::create(b, loc, isAtEnd, equal).getResult()
                    : equal;
    }
    return isAtEnd;
  }

  /// The vectors that `then` returns, or `otherwise` if there is a condition.
  SmallVector<Value> emitIf(Value condition, size_t count,
                            function_ref<SmallVector<Value>()> then,
                            function_ref<SmallVector<Value>()> otherwise) {
    if (!condition)
      return then();
    SmallVector<Type> types(count,
                            getVectorType(outputs[0].operand->elementType));
    auto op = scf::IfOp::create(b, loc, types, condition,
                                /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.thenBlock());
    scf::YieldOp::create(b, loc, then());
    b.setInsertionPointToStart(op.elseBlock());
    SmallVector<Value> others = otherwise();
    for (Value &value : others)
      value = broadcast(value);
    scf::YieldOp::create(b, loc, others);
    return SmallVector<Value>(op.getResults());
  }

  /// What the outputs hold, if the body reads it.
  SmallVector<Value> loadOutputs(ArrayRef<Point> points) {
    size_t numOutputs = outputs.size();
    SmallVector<Value> sums(points.size() * numOutputs);
    for (auto [k, access] : llvm::enumerate(outputs)) {
      Value base = getBase(access);
      if (access.operand->isRead)
        for (const Row &row : getRows(access, points))
          loadRow(access, base, points, row,
                  [&, k = k](unsigned p, Value vector) {
                    sums[p * numOutputs + k] = vector;
                  });
      for (auto [p, point] : llvm::enumerate(points)) {
        Value &sum = sums[p * numOutputs + k];
        if (!sum)
          sum = access.operand->isRead ? load(access, base, point)
                                       : getFiller(access.operand->elementType);
      }
    }
    return sums;
  }

  void storeOutputs(ArrayRef<Point> points, ArrayRef<Value> results) {
    size_t numOutputs = outputs.size();
    for (auto [k, access] : llvm::enumerate(outputs)) {
      Value base = getBase(access);
      SmallVector<Row> rows = getRows(access, points);
      for (const Row &row : rows)
        storeRow(access, base, points, row, [&, k = k](unsigned p) {
          return results[p * numOutputs + k];
        });
      if (rows.empty())
        for (auto [p, point] : llvm::enumerate(points))
          store(access, base, point, results[p * numOutputs + k]);
    }
  }

  OpBuilder &b;
  Location loc;
  const LoopNest &nest;
  const Schedule &schedule;
  SmallVector<Access> inputs, outputs, startInputs, finishInputs;
  SmallVector<unsigned> reductions;
  SmallVector<Part> parts;
};
} // namespace

void qbackend::codegen::emitLoops(OpBuilder &builder, Location loc,
                                  SymbolTable &symbols, LoopNest nest,
                                  const Schedule &schedule,
                                  ConstantStore *store) {
  Emitter(builder, loc, nest, schedule).emit(symbols, store);
}
