// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives the buffers of a function places in one arena: those that are not in
// use at the same time may have the same place.

#include "Lowering/LowerToLLVM.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <map>

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
  int64_t bytes = 0;
  int64_t offset = 0;
  unsigned first = 0;
  unsigned last = 0;
};

/// The parts of an arena that are free, by where they begin. What is behind the
/// last one that is used is free, too.
class FreeParts {
public:
  /// A place of `bytes`: the smallest part that has them, or the end.
  int64_t take(int64_t bytes) {
    auto best = parts.end();
    for (auto part = parts.begin(); part != parts.end(); ++part)
      if (part->second >= bytes &&
          (best == parts.end() || part->second < best->second))
        best = part;
    int64_t offset = end, rest = 0;
    if (best != parts.end()) {
      offset = best->first;
      rest = best->second - bytes;
      parts.erase(best);
    } else if (!parts.empty() &&
               parts.rbegin()->first + parts.rbegin()->second == end) {
      // What is free at the end is made longer.
      offset = parts.rbegin()->first;
      parts.erase(std::prev(parts.end()));
    }
    if (rest)
      parts[offset + bytes] = rest;
    end = std::max(end, offset + bytes);
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    auto part = parts.emplace(offset, bytes).first;
    if (auto next = std::next(part);
        next != parts.end() && offset + bytes == next->first) {
      part->second += next->second;
      parts.erase(next);
    }
    if (part == parts.begin())
      return;
    auto before = std::prev(part);
    if (before->first + before->second != offset)
      return;
    before->second += part->second;
    parts.erase(part);
  }

  int64_t size() const { return end; }

private:
  std::map<int64_t, int64_t> parts;
  int64_t end = 0;
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

/// Adds a string attribute that the function has in LLVM, too.
static void addAttribute(func::FuncOp function, StringRef name,
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
  std::vector<SmallVector<unsigned, 2>> beginsAt(order.size());
  std::vector<SmallVector<unsigned, 2>> endsAt(order.size());
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
    buffer.bytes = llvm::alignTo(
        std::max<int64_t>(1, getStoredBytes(element) * type.getNumElements()),
        alignment);
    beginsAt[buffer.first].push_back(buffers.size());
    endsAt[buffer.last].push_back(buffers.size());
    buffers.push_back(buffer);
  }

  FreeParts parts;
  for (auto [begun, ended] : llvm::zip(beginsAt, endsAt)) {
    for (unsigned index : begun)
      buffers[index].offset = parts.take(buffers[index].bytes);
    for (unsigned index : ended)
      parts.release(buffers[index].offset, buffers[index].bytes);
  }

  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Location loc = function.getLoc();
  auto type = MemRefType::get({parts.size()}, builder.getI8Type());
  Value arena;
  if (!isCalled && (bytes || asArgument)) {
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, type, {}, loc)))
      return signalPassFailure();
    arena = function.getArgument(index);
    if (bytes)
      *bytes = parts.size();
    else
      addAttribute(function, "qbackend-arena-bytes",
                   std::to_string(parts.size()));
  } else if (!buffers.empty()) {
    arena = memref::AllocOp::create(builder, loc, type,
                                    builder.getI64IntegerAttr(alignment));
    OpBuilder atEnd(block.getTerminator());
    memref::DeallocOp::create(atEnd, loc, arena);
  }
  for (Buffer &buffer : buffers) {
    builder.setInsertionPoint(buffer.alloc);
    Value offset = arith::ConstantIndexOp::create(
        builder, buffer.alloc.getLoc(), buffer.offset);
    Value view =
        memref::ViewOp::create(builder, buffer.alloc.getLoc(),
                               buffer.alloc.getType(), arena, offset, {});
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
