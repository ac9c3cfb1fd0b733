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

#include "TileAccess.h"
#include "VectorMath.h"

#include "qbackend/Dialect/QBackend/DiscardableAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend::codegen;

/// Reductions of so few steps are unrolled if the tile isn't large.
static constexpr int64_t maxUnrolledSteps = 9, maxUnrolledProducts = 72;

/// Nests of fewer steps are done before other threads have begun.
static constexpr int64_t fewestShared = 1 << 22;

namespace {
class Emitter : TileAccess {
public:
  using TileAccess::TileAccess;

  void emit(SymbolTable &symbols, ConstantStore *store) {
    auto getAccesses = [&](ArrayRef<NestOperand> operands) {
      return llvm::map_to_vector(operands, [&](const NestOperand &operand) {
        return getAccess(operand, symbols, store);
      });
    };
    inputs = getAccesses(nest.inputs);
    outputs = getAccesses(nest.outputs);
    if (nest.start)
      startInputs = getAccesses(nest.start->inputs);
    if (nest.finish)
      finishInputs = getAccesses(nest.finish->inputs);
    emitParallel(0, /*isOutermost=*/true);
  }

private:
  //===--------------------------------------------------------------------===//
  // Parallel loops
  //===--------------------------------------------------------------------===//

  /// Whether threads may share the turns of the loop, and it is worth it.
  bool isParallel(unsigned i) {
    int64_t steps = 1;
    for (const Loop &loop : nest.loops) {
      if (ShapedType::isDynamic(loop.extent))
        return false;
      steps *= loop.extent;
    }
    return steps >= fewestShared && !nest.loops[i].isReduction &&
           llvm::all_of(outputs, [&](const Access &output) {
             return output.operand->varies(i);
           });
  }

  /// Emits the loops from `level` on; `isOutermost` if none is around them.
  void emitParallel(unsigned level, bool isOutermost) {
    if (level == schedule.order.size())
      return emitTile();
    unsigned i = schedule.order[level];
    const Loop &loop = nest.loops[i];
    int64_t tile = schedule.tile[i];
    Part &part = parts[i];
    auto emitLoop = [&](Value end) {
      Value zero = index(0), step = index(tile);
      auto op = scf::ForOp::create(b, loc, zero, end, step);
      if (isOutermost && isParallel(i))
        op->setAttr(qbackend::kParallelAttrName, b.getUnitAttr());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(op.getBody());
      part = {op.getInductionVar(), tile, Value()};
      emitParallel(level + 1, /*isOutermost=*/false);
    };
    if (!ShapedType::isDynamic(loop.extent)) {
      int64_t whole = loop.extent / tile * tile;
      if (whole == tile) {
        part = {index(0), tile, Value()};
        emitParallel(level + 1, isOutermost);
      } else if (whole > 0) {
        emitLoop(index(whole));
      }
      if (whole != loop.extent) {
        part = {index(whole), loop.extent - whole, Value()};
        emitParallel(level + 1, isOutermost);
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
    emitParallel(level + 1, isOutermost);
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
      Value all = broadcast(first),
            steps = vector::StepOp::create(b, loc, type);
      return arith::AddIOp::create(b, loc, all, steps);
    }
    return index(0);
  }

  Value lookUp(memref::LoadOp load, const TableLoad &read,
               const IRMapping &mapping) {
    Value bytes = broadcast(mapping.lookupOrDefault(read.byte));
    if (read.flipsSign) {
      Value sign = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(-128));
      bytes = arith::XOrIOp::create(b, loc, bytes, broadcast(sign));
    }
    return emitLookup(b, loc, nest.lookup, load.getMemRef(), bytes);
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
      if (nest.tableIndices.contains(&op))
        continue;
      if (auto load = nest.tableLoads.find(&op);
          load != nest.tableLoads.end()) {
        mapping.map(op.getResult(0),
                    lookUp(cast<memref::LoadOp>(op), load->second, mapping));
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
    Value zero = index(0), one = index(1);
    auto op = scf::ForOp::create(b, loc, zero, end, one, sums);
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

  SmallVector<Access> inputs, outputs, startInputs, finishInputs;
};
} // namespace

void qbackend::codegen::emitLoops(OpBuilder &builder, Location loc,
                                  SymbolTable &symbols, LoopNest nest,
                                  const Schedule &schedule,
                                  ConstantStore *store) {
  Emitter(builder, loc, nest, schedule).emit(symbols, store);
}
