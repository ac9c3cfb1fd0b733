// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives the buffers of a function places in one arena: those that are not in
// use at the same time may have the same place.

#include "Lowering/LowerToLLVM.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Support/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace qbackend::codegen {
#define GEN_PASS_DEF_PLACEBUFFERSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

/// A cache line: where a vector begins.
static constexpr int64_t alignment = 64;

namespace {
/// A buffer, and the numbers of the operations from its first to its last use.
struct Buffer {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  /// Whole cache lines, and what its elements take.
  int64_t bytes = 0;
  int64_t elementBytes = 0;
  int64_t offset = 0;
  unsigned first = 0;
  unsigned last = 0;
  bool isFast = false;
};

struct PlaceBuffersPass
    : qbackend::codegen::impl::PlaceBuffersPassBase<PlaceBuffersPass> {
  using PlaceBuffersPassBase::PlaceBuffersPassBase;
  PlaceBuffersPass(const PlaceBuffersPassOptions &options, int64_t *bytes)
      : PlaceBuffersPassBase(options), bytes(bytes) {}

  void runOnOperation() final;
  void place(func::FuncOp function, bool isCalled);

  int64_t *bytes = nullptr;
};
} // namespace

/// Finds what uses `buffer`, or a view of it, in the block of its allocation;
/// false if that can't be told, or if it isn't the block's to free. Where it is
/// allocated says nothing: front ends have one `tensor.empty` for all results
/// of a shape, at the beginning of the function.
static bool findUses(Buffer &buffer,
                     const DenseMap<Operation *, unsigned> &order) {
  memref::AllocOp alloc = buffer.alloc;
  std::optional<unsigned> first;
  SmallVector<Value> aliases = {alloc.getMemref()};
  while (!aliases.empty()) {
    Value alias = aliases.pop_back_val();
    for (Operation *user : alias.getUsers()) {
      if (auto found = dyn_cast<memref::DeallocOp>(user)) {
        if (buffer.dealloc || alias != alloc.getMemref() ||
            user->getBlock() != alloc->getBlock())
          return false;
        buffer.dealloc = found;
        continue;
      }
      Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
      if (!top || user->hasTrait<OpTrait::IsTerminator>())
        return false;
      bool isView = isa<ViewLikeOpInterface>(user);
      unsigned number = order.lookup(top);
      buffer.last = std::max(buffer.last, number);
      // A view by itself neither reads nor writes.
      if (!isView)
        first = std::min(first.value_or(number), number);
      // A buffer that comes out of anything else might be this one.
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType())) {
          if (!isView)
            return false;
          aliases.push_back(result);
        }
    }
  }
  buffer.first = first.value_or(buffer.last);
  return bool(buffer.dealloc);
}

/// The lowest offset of `bytes` bytes that are not in `taken`.
static int64_t findLowest(SmallVectorImpl<std::pair<int64_t, int64_t>> &taken,
                          int64_t bytes) {
  llvm::sort(taken);
  int64_t offset = 0;
  for (auto [begin, end] : taken) {
    if (begin - offset >= bytes)
      break;
    offset = std::max(offset, end);
  }
  return offset;
}

/// The highest one below `ceiling`; negative: there is none.
static int64_t findHighest(SmallVectorImpl<std::pair<int64_t, int64_t>> &taken,
                           int64_t bytes, int64_t ceiling) {
  llvm::sort(taken, [](const auto &a, const auto &b) {
    return std::make_pair(a.second, a.first) >
           std::make_pair(b.second, b.first);
  });
  int64_t top = ceiling;
  for (auto [begin, end] : taken) {
    if (top - end >= bytes)
      break;
    top = std::min(top, begin);
  }
  return top - bytes;
}

/// Where buffers are placed: all at the lowest offset, or every second one at
/// the highest one that ends below a ceiling, so that what is in use between
/// them leaves one gap.
struct Ends {
  int64_t ceiling = 0; // none
  bool isFirstHigh = false;
};

/// Gives `buffers`, in `sequence`, offsets where no buffer is that is in use at
/// the same time, and returns where the last one ends.
static int64_t assignOffsets(ArrayRef<unsigned> sequence, unsigned opCount,
                             MutableArrayRef<Buffer> buffers, Ends ends) {
  // Of each operation, the buffers in use that have a place.
  std::vector<SmallVector<unsigned, 4>> placed(opCount);
  SmallVector<std::pair<int64_t, int64_t>> taken;
  int64_t size = 0;
  unsigned turn = 0;
  for (unsigned index : sequence) {
    Buffer &buffer = buffers[index];
    taken.clear();
    for (unsigned op = buffer.first; op <= buffer.last; ++op)
      for (unsigned other : placed[op])
        // Once: at the first operation that both are in use at.
        if (op == std::max(buffer.first, buffers[other].first))
          taken.push_back({buffers[other].offset,
                           buffers[other].offset + buffers[other].bytes});
    buffer.offset = findLowest(taken, buffer.bytes);
    bool isHigh = ends.isFirstHigh ^ (turn++ % 2 == 1) ||
                  buffer.offset + buffer.bytes > ends.ceiling;
    if (ends.ceiling && isHigh)
      if (int64_t offset = findHighest(taken, buffer.bytes, ends.ceiling);
          offset >= 0)
        buffer.offset = offset;
    for (unsigned op = buffer.first; op <= buffer.last; ++op)
      placed[op].push_back(index);
    size = std::max(size, buffer.offset + buffer.bytes);
  }
  return size;
}

/// The most `bytes` that are in use at an operation: no arena is smaller.
static int64_t getLiveBytes(ArrayRef<Buffer> buffers, unsigned opCount,
                            int64_t Buffer::*bytes) {
  std::vector<int64_t> change(opCount + 1);
  for (const Buffer &buffer : buffers) {
    change[buffer.first] += buffer.*bytes;
    change[buffer.last + 1] -= buffer.*bytes;
  }
  int64_t live = 0, most = 0;
  for (int64_t step : change)
    most = std::max(most, live += step);
  return most;
}

/// Gives each of `buffers` an offset, and returns the size of the arena. Which
/// order is the best one depends on the network, so that several are tried.
static int64_t placeAll(MutableArrayRef<Buffer> buffers, unsigned opCount) {
  int64_t least = getLiveBytes(buffers, opCount, &Buffer::bytes);
  SmallVector<unsigned> bySize =
      llvm::to_vector(llvm::seq<unsigned>(buffers.size()));
  llvm::stable_sort(bySize, [&](unsigned a, unsigned b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  SmallVector<unsigned> byUse = bySize, byTime = bySize;
  llvm::stable_sort(byUse, [&](unsigned a, unsigned b) {
    return buffers[a].first < buffers[b].first;
  });
  // What is in use for long stands below what comes and goes.
  llvm::stable_sort(byTime, [&](unsigned a, unsigned b) {
    return buffers[a].last - buffers[a].first >
           buffers[b].last - buffers[b].first;
  });
  // What is in use for a moment, as most is, alternates between two ends.
  const std::pair<ArrayRef<unsigned>, Ends> tries[] = {
      {byUse, {}},
      {bySize, {}},
      {byTime, {}},
      {byUse, {least, false}},
      {byUse, {least, true}},
  };
  const std::pair<ArrayRef<unsigned>, Ends> *best = nullptr;
  int64_t size = std::numeric_limits<int64_t>::max();
  for (const auto &candidate : tries) {
    int64_t found =
        assignOffsets(candidate.first, opCount, buffers, candidate.second);
    if (found < size) {
      size = found;
      best = &candidate;
    }
    if (size == least)
      return size;
  }
  return assignOffsets(best->first, opCount, buffers, best->second);
}

/// Moves those of `buffers` that are in fast memory, of at most `capacity`
/// bytes, to the end, gives all of them offsets, and returns how many stay in
/// front. The fast ones are those that are in use the shortest, of which each
/// byte serves the most accesses; of equal ones the larger.
static size_t chooseFast(SmallVector<Buffer> &buffers, unsigned opCount,
                         int64_t capacity) {
  llvm::stable_sort(buffers, [](const Buffer &a, const Buffer &b) {
    unsigned left = a.last - a.first, right = b.last - b.first;
    return left != right ? left < right : a.bytes > b.bytes;
  });
  SmallVector<Buffer> fast;
  for (Buffer &buffer : buffers) {
    fast.push_back(buffer);
    buffer.isFast = placeAll(fast, opCount) <= capacity;
    if (!buffer.isFast)
      fast.pop_back();
  }
  auto middle = std::stable_partition(
      buffers.begin(), buffers.end(),
      [](const Buffer &buffer) { return !buffer.isFast; });
  return middle - buffers.begin();
}

/// How much is in use at each layer of `block`, as `name=bytes;...`.
static std::string spellLayers(Block &block, ArrayRef<Buffer> buffers) {
  std::string text, last;
  int64_t most = 0;
  auto flush = [&] {
    if (!last.empty())
      text += (text.empty() ? "" : ";") + last + "=" + std::to_string(most);
  };
  for (auto [i, op] : llvm::enumerate(block)) {
    if (isa<ViewLikeOpInterface>(op) || isMemoryEffectFree(&op) ||
        isa<memref::AllocOp, memref::DeallocOp>(op))
      continue;
    std::string name = qbackend::getLocationName(op.getLoc());
    for (char &c : name)
      if (c == ';' || c == '=' || c == '"' || c == '\\' || !llvm::isPrint(c))
        c = '_';
    if (name.empty())
      continue;
    int64_t live = 0;
    for (const Buffer &buffer : buffers)
      if (buffer.first <= i && i <= buffer.last)
        live += buffer.elementBytes;
    if (name != last) {
      flush();
      last = name;
      most = 0;
    }
    most = std::max(most, live);
  }
  flush();
  return text;
}

void qbackend::codegen::addLLVMAttribute(func::FuncOp function, StringRef name,
                                         const std::string &value) {
  constexpr StringLiteral passthrough("passthrough");
  Builder builder(function.getContext());
  SmallVector<Attribute> attributes;
  if (auto others = function->getAttrOfType<ArrayAttr>(passthrough))
    llvm::append_range(attributes, others);
  attributes.push_back(builder.getStrArrayAttr({name, value}));
  function->setAttr(passthrough, builder.getArrayAttr(attributes));
}

void PlaceBuffersPass::place(func::FuncOp function, bool isCalled) {
  Block &block = function.front();
  DenseMap<Operation *, unsigned> order;
  for (auto [i, op] : llvm::enumerate(block))
    order[&op] = i;
  SmallVector<Buffer> buffers;
  for (auto alloc : block.getOps<memref::AllocOp>()) {
    MemRefType type = alloc.getType();
    Type element = type.getElementType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
        type.getMemorySpace() || !element.isIntOrFloat())
      continue;
    Buffer buffer;
    buffer.alloc = alloc;
    if (!findUses(buffer, order))
      continue;
    buffer.elementBytes = getStoredBytes(element) * type.getNumElements();
    buffer.bytes =
        llvm::alignTo(std::max<int64_t>(1, buffer.elementBytes), alignment);
    buffers.push_back(buffer);
  }

  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Location loc = function.getLoc();
  bool isArgument = !isCalled && (bytes || asArgument);
  bool hasFast = isArgument && !bytes && fastBytes >= 0;
  if (isArgument && !bytes)
    if (std::string layers = spellLayers(block, buffers); !layers.empty())
      addLLVMAttribute(function, "qbackend-arena-layers", layers);
  size_t slowCount =
      hasFast ? chooseFast(buffers, order.size(), fastBytes) : buffers.size();
  auto slow = MutableArrayRef<Buffer>(buffers).take_front(slowCount),
       fast = MutableArrayRef<Buffer>(buffers).drop_front(slowCount);
  int64_t size = placeAll(slow, order.size());
  auto addArena = [&](int64_t size) -> Value {
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(
            index, MemRefType::get({size}, builder.getI8Type()), {}, loc))) {
      signalPassFailure();
      return nullptr;
    }
    return function.getArgument(index);
  };
  Value arena, fastArena;
  if (isArgument) {
    if (!(arena = addArena(size)))
      return;
    if (bytes) {
      *bytes = size;
    } else {
      addLLVMAttribute(function, "qbackend-arena-bytes", std::to_string(size));
      addLLVMAttribute(function, "qbackend-live-bytes",
                       std::to_string(getLiveBytes(slow, order.size(),
                                                   &Buffer::elementBytes)));
    }
    if (hasFast) {
      int64_t fastSize = placeAll(fast, order.size());
      if (!(fastArena = addArena(fastSize)))
        return;
      addLLVMAttribute(function, "qbackend-fast-arena-bytes",
                       std::to_string(fastSize));
    }
  } else if (!buffers.empty()) {
    arena = memref::AllocOp::create(
        builder, loc, MemRefType::get({size}, builder.getI8Type()),
        builder.getI64IntegerAttr(alignment));
    OpBuilder atEnd(block.getTerminator());
    memref::DeallocOp::create(atEnd, loc, arena);
  }
  for (Buffer &buffer : buffers) {
    builder.setInsertionPoint(buffer.alloc);
    Value offset = arith::ConstantIndexOp::create(
        builder, buffer.alloc.getLoc(), buffer.offset);
    Value view = memref::ViewOp::create(
        builder, buffer.alloc.getLoc(), buffer.alloc.getType(),
        buffer.isFast ? fastArena : arena, offset, {});
    buffer.dealloc.erase();
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }
}

void PlaceBuffersPass::runOnOperation() {
  llvm::StringMap<func::CallOp> called;
  getOperation().walk(
      [&](func::CallOp op) { called.try_emplace(op.getCallee(), op); });
  // Upstream's helper frees those of several that nothing else is, which only a
  // run tells, such as buffers that take turns in a loop.
  if (auto helper = called.find("dealloc_helper");
      asArgument && helper != called.end()) {
    helper->second.emitError(
        "a loop carries a tensor in buffers that take turns, for "
        "which code without a heap has no place; unroll the loop, "
        "or run the network in memory (qbackend-run)");
    return signalPassFailure();
  }
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        function.getBody().hasOneBlock())
      place(function, called.contains(function.getName()));
}

std::unique_ptr<Pass> qbackend::codegen::createPlaceBuffersPass(
    const PlaceBuffersPassOptions &options, int64_t *bytes) {
  return std::make_unique<PlaceBuffersPass>(options, bytes);
}
