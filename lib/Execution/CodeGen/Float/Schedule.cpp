// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop of a nest becomes the vector, and which are unrolled.
//
// A tile of a sum holds P x V vectors in registers: for each step of the
// reductions it takes V vectors of one operand and P numbers of the other.
// That is P V products for P + V loads.

#include "Vectorize.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend::codegen;

/// Cycles of a load of elements that aren't neighbours, over one of those that
/// are. What matters is their order. A tile whose neighbours lie across its
/// vectors is transposed in registers.
static constexpr double gatherCost = 16, transposeCost = 5, everySecondCost = 3,
                        interleaveCost = 2;

/// The extent that stands for one only known at run time.
static constexpr int64_t assumedExtent = 64;

static int64_t getExtent(const Loop &loop) {
  return ShapedType::isDynamic(loop.extent) ? assumedExtent : loop.extent;
}

/// Returns how many bytes the widest element has.
static int64_t getWidestElement(const LoopNest &nest) {
  int64_t bytes = 1;
  for (const NestOperand *operand : nest.getOperands())
    if (operand->buffer)
      bytes = std::max(bytes, getStoredBytes(operand->elementType));
  auto addBody = [&](Block *body) {
    // Constants, and indices of tables, are no vectors.
    for (Operation &op : body->without_terminator())
      if (!op.hasTrait<OpTrait::ConstantLike>() &&
          !nest.tableIndices.contains(&op))
        bytes = std::max(bytes, getStoredBytes(op.getResult(0).getType()));
  };
  addBody(nest.body);
  if (nest.start)
    addBody(nest.start->body);
  if (nest.finish)
    addBody(nest.finish->body);
  // Lanes are a power of two for i48, too.
  return llvm::PowerOf2Ceil(bytes);
}

/// Returns whether the operand will be stored in the order of the tiles.
static bool isPacked(const LoopNest &nest, const NestOperand &operand) {
  if (!operand.constant || getElementBytes(operand.constant).empty())
    return false;
  for (auto [loop, stride] : llvm::zip(nest.loops, operand.strides))
    if (loop.isReduction && !stride.is(0))
      return true;
  return false;
}

/// Returns how many products of a tile an element of the operand is in: V if
/// all lanes share it, else P.
static int64_t getReuse(const LoopNest &nest, const NestOperand &operand,
                        unsigned vectorLoop, int64_t lanes) {
  if (!operand.varies(vectorLoop))
    return std::min<int64_t>(
        llvm::divideCeil(getExtent(nest.loops[vectorLoop]), lanes), 2);
  int64_t reuse = 1;
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (!loop.isReduction && !operand.varies(i))
      reuse = std::max(reuse, getExtent(loop));
  return std::min<int64_t>(reuse, 8);
}

std::optional<unsigned> qbackend::codegen::findTransposedLoop(
    const LoopNest &nest, const NestOperand &operand, unsigned vectorLoop) {
  // Fewer neighbours aren't worth it.
  constexpr int64_t fewest = 4;
  if (operand.scalar || operand.strides[vectorLoop].is(0) ||
      operand.strides[vectorLoop].is(1) ||
      ShapedType::isDynamic(nest.loops[vectorLoop].extent))
    return std::nullopt;
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (i != vectorLoop && !loop.isReduction &&
        !ShapedType::isDynamic(loop.extent) && loop.extent >= fewest &&
        operand.strides[i].is(1))
      return i;
  return std::nullopt;
}

std::optional<unsigned> qbackend::codegen::findInterleavedLoop(
    const LoopNest &nest, const NestOperand &operand, unsigned vectorLoop) {
  // Each of n vectors takes n - 1 shuffles.
  constexpr int64_t most = 4;
  if (operand.scalar || nest.hasReductions() ||
      ShapedType::isDynamic(nest.loops[vectorLoop].extent))
    return std::nullopt;
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (i != vectorLoop && !ShapedType::isDynamic(loop.extent) &&
        loop.extent >= 2 && loop.extent <= most && operand.strides[i].is(1) &&
        operand.strides[vectorLoop].is(loop.extent))
      return i;
  return std::nullopt;
}

/// Returns the cycles that a vector of results takes for each step of the
/// reductions; nothing if `loop` can't be the vector.
static std::optional<double> rate(const LoopNest &nest, unsigned loop,
                                  int64_t lanes) {
  double steps = 1;
  for (const Loop &other : nest.loops)
    if (other.isReduction)
      steps *= getExtent(other);
  double cost = 1;
  for (const NestOperand &input : nest.inputs) {
    if (input.scalar)
      continue;
    const Stride &stride = input.strides[loop];
    double load = 1;
    if (findInterleavedLoop(nest, input, loop))
      load = interleaveCost;
    else if (!nest.hasReductions() && findTransposedLoop(nest, input, loop))
      load = transposeCost;
    else if (!stride.is(0) && !stride.is(1) && !isPacked(nest, input))
      load = stride.is(2) ? everySecondCost : gatherCost;
    cost += load / getReuse(nest, input, loop, lanes);
  }
  for (const NestOperand &output : nest.outputs) {
    const Stride &stride = output.strides[loop];
    if (stride.is(0))
      return std::nullopt;
    double access = stride.is(1)                              ? 1
                    : findInterleavedLoop(nest, output, loop) ? interleaveCost
                    : findTransposedLoop(nest, output, loop)  ? transposeCost
                                                              : gatherCost;
    cost += 2 * access / steps;
  }
  int64_t extent = getExtent(nest.loops[loop]);
  return cost * llvm::divideCeil(extent, lanes) * lanes / extent;
}

/// Returns how many iterations of `extent` to unroll, `most` at most: a divisor
/// if that isn't much less.
static int64_t divideEvenly(int64_t extent, int64_t most) {
  if (extent <= most)
    return extent;
  for (int64_t size = most; size * 5 >= most * 3; --size)
    if (extent % size == 0)
      return size;
  return llvm::divideCeil(extent, llvm::divideCeil(extent, most));
}

/// Chooses the loops that are unrolled: those along which an operand stays.
static void chooseTile(const LoopNest &nest, const VectorUnit &unit,
                       Schedule &schedule) {
  schedule.tile.assign(nest.loops.size(), 1);
  const Loop &vectorLoop = nest.loops[schedule.vectorLoop];
  int64_t &vectors = schedule.vectors;
  bool isDynamic = ShapedType::isDynamic(vectorLoop.extent);
  if (nest.hasReductions()) {
    SmallVector<unsigned> candidates;
    for (unsigned i = nest.loops.size(); i-- > 0;) {
      const Loop &loop = nest.loops[i];
      if (i == schedule.vectorLoop || loop.isReduction ||
          ShapedType::isDynamic(loop.extent))
        continue;
      if (llvm::any_of(nest.inputs, [&](const NestOperand &input) {
            return !input.scalar && !input.varies(i);
          }))
        candidates.push_back(i);
    }
    // A vector that stays is worth more than a number that does.
    llvm::stable_sort(candidates, [&](unsigned a, unsigned b) {
      auto keepsVectors = [&](unsigned i) {
        return llvm::all_of(nest.inputs, [&](const NestOperand &input) {
          return input.scalar || !input.varies(schedule.vectorLoop) ||
                 !input.varies(i);
        });
      };
      return keepsVectors(a) > keepsVectors(b);
    });
    int64_t most = unit.registers * 3 / 4, points = 1;
    int64_t available =
        isDynamic ? 1 : llvm::divideCeil(vectorLoop.extent, schedule.lanes);
    int64_t reuse = 1;
    for (unsigned i : candidates)
      reuse *= nest.loops[i].extent;
    // Several sums at once hide the latency of an addition.
    vectors = std::min<int64_t>(available, reuse >= 4 ? 2 : reuse > 1 ? 4 : 8);
    if (reuse == 2 || reuse == 3)
      vectors = std::min<int64_t>(available, 4);
    // A last tile that is half empty costs more than a smaller tile.
    while (vectors > 1 && available % vectors != 0 && available < 2 * vectors)
      --vectors;
    most = std::max<int64_t>(most / vectors, 1);
    // One operand stays along each of two loops; the inner ones come first.
    for (unsigned i : candidates) {
      if (points * 2 > most)
        break;
      schedule.tile[i] = divideEvenly(nest.loops[i].extent, most / points);
      points *= schedule.tile[i];
    }
  }
  // A square of elements that one operand has in rows, another in columns; or
  // all of a few neighbours. A tile of several such loops is too much code.
  std::optional<unsigned> along, few;
  if (!nest.hasReductions())
    for (const auto *operands : {&nest.inputs, &nest.outputs})
      for (const NestOperand &operand : *operands) {
        auto found = findInterleavedLoop(nest, operand, schedule.vectorLoop);
        if (found && !few)
          few = found;
        if (!found && !along)
          along = findTransposedLoop(nest, operand, schedule.vectorLoop);
      }
  if (along) {
    // A square of 64 bytes takes LLVM half a second.
    schedule.lanes = std::min<int64_t>(schedule.lanes, 16);
    schedule.tile[*along] =
        divideEvenly(nest.loops[*along].extent, schedule.lanes);
  } else if (few) {
    schedule.tile[*few] = nest.loops[*few].extent;
  }
  schedule.tile[schedule.vectorLoop] = schedule.lanes * vectors;
}

/// Splits a reduction into an outer loop and one of `inner` steps.
static void splitLoop(LoopNest &nest, unsigned i, int64_t inner) {
  Loop outer = nest.loops[i];
  outer.extent /= inner;
  nest.loops[i].extent = inner;
  nest.loops.insert(nest.loops.begin() + i, outer);
  for (NestOperand *operand : nest.getOperands()) {
    if (operand->scalar)
      continue;
    Stride stride = operand->strides[i];
    *stride.constant *= inner;
    operand->strides.insert(operand->strides.begin() + i, stride);
  }
}

/// Takes so many steps of the reductions at once that what stays of `operand`,
/// whose loops are outermost, fits a cache; sums are kept in the
/// result meanwhile. The order of each sum is the same.
static void blockReductions(LoopNest &nest, const NestOperand *&operand,
                            Schedule &schedule) {
  constexpr int64_t minSteps = 32, minTiles = 4;
  // Sums that have to be transposed each time should rarely be: there it is the
  // second-level cache.
  int64_t cacheBytes = 16 << 10;
  for (const NestOperand &output : nest.outputs)
    if (!output.strides[schedule.vectorLoop].is(1))
      cacheBytes = 256 << 10;
  int64_t bytes = getStoredBytes(operand->elementType), steps = 1, tiles = 1;
  for (auto [i, loop] : llvm::enumerate(nest.loops)) {
    if (ShapedType::isDynamic(loop.extent))
      return;
    for (const NestOperand *other : nest.getOperands())
      if (!other->scalar && !other->strides[i].constant)
        return;
    if (loop.isReduction)
      steps *= loop.extent;
    else if (operand->varies(i))
      bytes *= schedule.tile[i];
    else
      tiles *= llvm::divideCeil(loop.extent, schedule.tile[i]);
  }
  int64_t most = cacheBytes / bytes;
  if (nest.usesIndex || steps <= most * 2 || most < minSteps ||
      tiles < minTiles)
    return;
  int64_t inside = 1;
  unsigned i = nest.loops.size();
  while (i-- > 0) {
    if (!nest.loops[i].isReduction)
      continue;
    int64_t extent = nest.loops[i].extent;
    if (inside * extent <= most) {
      inside *= extent;
      continue;
    }
    int64_t part = most / inside;
    while (extent % part != 0)
      --part;
    if (inside * part < minSteps)
      return;
    if (part == 1)
      break;
    size_t index = operand - nest.inputs.data();
    splitLoop(nest, i, part);
    operand = &nest.inputs[index];
    schedule.tile.insert(schedule.tile.begin() + i, 1);
    for (unsigned &loop : schedule.order)
      loop += loop >= i;
    schedule.vectorLoop += schedule.vectorLoop >= i;
    break;
  }
  SmallVector<unsigned> outer;
  for (unsigned k = 0; k <= i; ++k)
    if (nest.loops[k].isReduction)
      outer.push_back(k);
  auto *place = llvm::find_if(
      schedule.order, [&](unsigned loop) { return !operand->varies(loop); });
  schedule.order.insert(place, outer.begin(), outer.end());
}

/// Puts the loops of the largest operand outside, so that it is read once and
/// the others stay in the cache.
static void chooseOrder(LoopNest &nest, Schedule &schedule) {
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (!loop.isReduction)
      schedule.order.push_back(i);
  auto count = [&](const NestOperand &operand) {
    double elements = 1;
    for (auto [i, loop] : llvm::enumerate(nest.loops))
      if (operand.varies(i))
        elements *= getExtent(loop);
    return elements;
  };
  const NestOperand *largest = nullptr;
  unsigned buffers = 0;
  for (const NestOperand &input : nest.inputs) {
    if (input.scalar)
      continue;
    ++buffers;
    if (!largest || count(input) > count(*largest))
      largest = &input;
  }
  if (nest.hasReductions()) {
    // Windows overlap along loops that an operand does vary with: only a sum of
    // products of operands that each stay somewhere profits.
    bool isProduct = buffers == 2;
    for (const NestOperand &input : nest.inputs)
      isProduct &= input.scalar ||
                   llvm::any_of(schedule.order,
                                [&](unsigned i) { return !input.varies(i); });
    if (!isProduct)
      return;
    llvm::stable_sort(schedule.order, [&](unsigned a, unsigned b) {
      return largest->varies(a) > largest->varies(b);
    });
    blockReductions(nest, largest, schedule);
    return;
  }
  // A transposition takes a new line for each lane, and uses up those lines
  // next if the loop along them comes last.
  for (const NestOperand &input : nest.inputs) {
    if (input.scalar || input.strides[schedule.vectorLoop].is(0) ||
        input.strides[schedule.vectorLoop].is(1))
      continue;
    auto along = llvm::find_if(
        schedule.order, [&](unsigned i) { return input.strides[i].is(1); });
    if (along == schedule.order.end())
      continue;
    std::rotate(along, along + 1, schedule.order.end());
    break;
  }
}

std::optional<Schedule>
qbackend::codegen::chooseSchedule(LoopNest &nest, const VectorUnit &unit) {
  std::optional<Schedule> best;
  double least = 0;
  int64_t widest = getWidestElement(nest);
  for (auto [i, loop] : llvm::enumerate(nest.loops)) {
    if (loop.isReduction)
      continue;
    int64_t lanes = std::max<int64_t>(unit.bytes / widest, 2);
    if (!ShapedType::isDynamic(loop.extent))
      lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(loop.extent));
    std::optional<double> cost = rate(nest, i, unit.bytes / widest);
    if (!cost || (best && *cost > least))
      continue;
    least = *cost;
    best.emplace();
    best->vectorLoop = i;
    best->lanes = lanes;
  }
  if (!best)
    return std::nullopt;
  chooseTile(nest, unit, *best);
  chooseOrder(nest, *best);
  return best;
}
