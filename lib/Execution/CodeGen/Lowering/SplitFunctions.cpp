// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts long blocks of functions in parts: register allocation, scheduling and
// instruction selection of LLVM take more than linear time for one of them.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_SPLITFUNCTIONSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The descriptors that an entry takes and gives are fields in registers by
/// now, thousands of them. Moves the body of what `wrapper` calls, and nothing
/// else does, to the wrapper, which takes pointers to descriptors; each field
/// is read, and each result is written, where it is used and made.
static void moveToWrapper(LLVM::LLVMFuncOp wrapper, LLVM::CallOp call,
                          LLVM::LLVMFuncOp entry,
                          DenseSet<Operation *> &fieldReads) {
  Block &body = entry.getBody().front();
  if (!entry.getBody().hasOneBlock())
    return;
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), call.getArgOperands()))
    argument.replaceAllUsesWith(operand);
  Operation *end = body.getTerminator();
  call->getBlock()->getOperations().splice(call->getIterator(),
                                           body.getOperations());
  if (call->getNumResults() == 1)
    call.getResult().replaceAllUsesWith(end->getOperand(0));
  end->erase();
  call.erase();
  entry.erase();
  // A field is read by itself.
  Block &block = wrapper.getBody().front();
  for (auto load : llvm::make_early_inc_range(block.getOps<LLVM::LoadOp>())) {
    if (!isa<BlockArgument>(load.getAddr()) ||
        !isa<LLVM::LLVMStructType>(load.getType()) ||
        !llvm::all_of(load->getUsers(), llvm::IsaPred<LLVM::ExtractValueOp>))
      continue;
    for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
      auto extract = cast<LLVM::ExtractValueOp>(user);
      if (extract->use_empty()) {
        extract.erase();
        continue;
      }
      ImplicitLocOpBuilder b(extract.getLoc(), extract);
      SmallVector<LLVM::GEPArg> indices = {0};
      for (int64_t position : extract.getPosition())
        indices.push_back(int32_t(position));
      Value address = LLVM::GEPOp::create(
          b, load.getAddr().getType(), load.getType(), load.getAddr(), indices);
      Value field = LLVM::LoadOp::create(b, extract.getType(), address);
      fieldReads.insert(field.getDefiningOp());
      extract.replaceAllUsesWith(field);
      extract.erase();
    }
    if (load->use_empty())
      load.erase();
  }
}

/// Writes each field of a struct that is put together to be written.
static void writeFields(LLVM::StoreOp store) {
  auto type = dyn_cast<LLVM::LLVMStructType>(store.getValue().getType());
  if (!type)
    return;
  SmallVector<Value> fields(type.getBody().size());
  SmallVector<Operation *> chain;
  Value rest = store.getValue();
  while (auto insert = rest.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition().size() != 1)
      return;
    Value &field = fields[insert.getPosition().front()];
    if (!field)
      field = insert.getValue();
    chain.push_back(insert);
    rest = insert.getContainer();
  }
  if (!llvm::all_of(fields, [](Value field) { return bool(field); }))
    return;
  for (auto [i, field] : llvm::enumerate(fields)) {
    ImplicitLocOpBuilder b(store.getLoc(), store);
    if (field.getParentBlock() == store->getBlock())
      b.setInsertionPointAfterValue(field);
    Value address =
        LLVM::GEPOp::create(b, store.getAddr().getType(), type, store.getAddr(),
                            ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
    LLVM::StoreOp::create(b, field, address);
  }
  store.erase();
  for (Operation *op : chain)
    if (op->use_empty())
      op->erase();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// Cuts one block.
class BlockSplitter {
public:
  BlockSplitter(LLVM::LLVMFuncOp function, Block &block, int64_t maxOps,
                const DenseSet<Operation *> &fieldReads, SymbolTable &symbols)
      : function(function), block(block), maxOps(maxOps),
        fieldReads(fieldReads), symbols(symbols),
        pointer(LLVM::LLVMPointerType::get(function.getContext())) {}

  void run();

private:
  /// Whether `op` is cheaper to do again than to keep its result in memory: the
  /// fields of descriptors, and addresses.
  bool isRepeated(Operation *op) {
    return op->hasTrait<OpTrait::ConstantLike>() || fieldReads.contains(op) ||
           isa<LLVM::ZeroOp, LLVM::PoisonOp, LLVM::UndefOp, LLVM::AddressOfOp,
               LLVM::InsertValueOp, LLVM::ExtractValueOp, LLVM::GEPOp>(op);
  }
  bool assignParts();
  void findCrossing();
  /// Has `value` in the part that `b` is in, which is `part`.
  Value get(Value value, unsigned part, OpBuilder &b);
  void move(unsigned part, ArrayRef<Operation *> ops);
  Value getPlace(Value value, Value frame, OpBuilder &b);

  LLVM::LLVMFuncOp function;
  Block &block;
  int64_t maxOps;
  const DenseSet<Operation *> &fieldReads;
  SymbolTable &symbols;
  Type pointer;

  /// Those that are moved, and to which part.
  std::vector<SmallVector<Operation *>> parts;
  DenseMap<Operation *, unsigned> partOf;
  /// The values that another part reads, each a field of the frame.
  llvm::MapVector<Value, unsigned> crossing;
  LLVM::LLVMStructType frameType;
  Value frame;

  /// Of the part at hand: what is had already, and its arguments so far.
  IRMapping known;
  llvm::SetVector<Value> arguments;
};
} // namespace

bool BlockSplitter::assignParts() {
  // Stack of the function stays there.
  int64_t count = 0;
  for (Operation &op : block.without_terminator()) {
    if (op.getNumRegions() || isa<LLVM::StackSaveOp, LLVM::StackRestoreOp>(op))
      return false;
    // The size of what stays would be known behind all parts.
    if (auto alloca = dyn_cast<LLVM::AllocaOp>(op);
        alloca && !matchPattern(alloca.getArraySize(), m_Constant()))
      return false;
    count += !isRepeated(&op) && !isa<LLVM::AllocaOp>(op);
  }
  if (count <= 2 * maxOps)
    return false;
  for (Operation &op : block.without_terminator()) {
    if (isRepeated(&op) || isa<LLVM::AllocaOp>(op))
      continue;
    if (parts.empty() || int64_t(parts.back().size()) == maxOps)
      parts.emplace_back();
    partOf[&op] = parts.size() - 1;
    parts.back().push_back(&op);
  }
  return true;
}

void BlockSplitter::findCrossing() {
  // What is repeated is read by whoever reads what is made of it.
  DenseMap<Operation *, SmallVector<unsigned, 2>> readers;
  unsigned outside = parts.size();
  SmallVector<Type> fields;
  for (Operation &op : llvm::reverse(block)) {
    auto own = partOf.find(&op);
    SmallVector<unsigned, 2> uses;
    auto add = [&](unsigned part) {
      if (!llvm::is_contained(uses, part))
        uses.push_back(part);
    };
    for (Operation *user : op.getUsers()) {
      if (auto part = partOf.find(user); part != partOf.end())
        add(part->second);
      else if (auto known = readers.find(user); known != readers.end())
        llvm::for_each(known->second, add);
      else
        add(outside);
    }
    if (own == partOf.end()) {
      if (isRepeated(&op))
        readers[&op] = std::move(uses);
      continue;
    }
    if (llvm::all_of(uses, [&](unsigned use) { return use == own->second; }))
      continue;
    for (Value result : op.getResults()) {
      crossing.insert({result, fields.size()});
      fields.push_back(result.getType());
    }
  }
  frameType = LLVM::LLVMStructType::getLiteral(function.getContext(), fields);
}

Value BlockSplitter::getPlace(Value value, Value frame, OpBuilder &b) {
  return LLVM::GEPOp::create(
      b, value.getLoc(), pointer, frameType, frame,
      ArrayRef<LLVM::GEPArg>{0, int32_t(crossing.lookup(value))});
}

Value BlockSplitter::get(Value value, unsigned part, OpBuilder &b) {
  if (Value had = known.lookupOrNull(value))
    return had;
  // What is in another part is in another function by now.
  Operation *op = value.getDefiningOp();
  if (auto own = op ? partOf.find(op) : partOf.end(); own != partOf.end()) {
    if (own->second == part)
      return value;
    Value place = getPlace(value, known.lookup(frame), b);
    Value loaded =
        LLVM::LoadOp::create(b, value.getLoc(), value.getType(), place);
    known.map(value, loaded);
    return loaded;
  }
  if (op && (op->hasTrait<OpTrait::ConstantLike>() ||
             (op->getBlock() == &block && isRepeated(op)))) {
    for (Value operand : op->getOperands())
      get(operand, part, b);
    return b.clone(*op, known)->getResult(0);
  }
  // The argument comes when all are known.
  arguments.insert(value);
  return value;
}

void BlockSplitter::move(unsigned part, ArrayRef<Operation *> ops) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  auto target = LLVM::LLVMFuncOp::create(
      b, (function.getName() + "_part").str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {}),
      LLVM::Linkage::Internal);
  SmallVector<Attribute> attributes = {b.getStringAttr("noinline")};
  if (ArrayAttr others = function.getPassthroughAttr())
    llvm::append_range(attributes, others);
  target.setPassthroughAttr(b.getArrayAttr(attributes));
  Block *body = target.addEntryBlock(b);
  known.clear();
  arguments.clear();
  if (frame) {
    known.map(frame, body->addArgument(pointer, b.getLoc()));
    arguments.insert(frame);
  }
  b.setInsertionPointToEnd(body);
  auto end = LLVM::ReturnOp::create(b, ValueRange());
  OpBuilder caller(ops.back()->getNextNode());
  for (Operation *op : ops) {
    b.setInsertionPoint(end);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(get(operand.get(), part, b));
    op->moveBefore(end);
    b.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (crossing.contains(result))
        LLVM::StoreOp::create(b, result,
                              getPlace(result, known.lookup(frame), b));
  }
  SmallVector<Type> types;
  for (Value argument : arguments) {
    types.push_back(argument.getType());
    if (argument == frame)
      continue;
    Value inside = body->addArgument(argument.getType(), argument.getLoc());
    argument.replaceUsesWithIf(inside, [&](OpOperand &use) {
      return use.getOwner()->getBlock() == body;
    });
  }
  target.setFunctionType(LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types));
  symbols.insert(target);
  LLVM::CallOp::create(caller, function.getLoc(), target,
                       arguments.getArrayRef());
}

void BlockSplitter::run() {
  if (!assignParts())
    return;
  findCrossing();
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  if (!crossing.empty()) {
    b.setInsertionPointToStart(&function.getBody().front());
    Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
    frame = LLVM::AllocaOp::create(b, pointer, frameType, one);
  }
  for (auto [part, ops] : llvm::enumerate(parts))
    move(part, ops);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isRepeated(&op) && op.use_empty())
      op.erase();
  // What is left of it, for the end and for other blocks, is behind all parts.
  llvm::SetVector<Operation *> late;
  for (Operation &op : block.without_terminator())
    if (isRepeated(&op) && llvm::any_of(op.getOperands(), [&](Value operand) {
          return crossing.contains(operand) ||
                 late.contains(operand.getDefiningOp());
        }))
      late.insert(&op);
  for (Operation *op : late)
    op->moveBefore(block.getTerminator());
  b.setInsertionPoint(late.empty() ? block.getTerminator() : late.front());
  for (auto [value, field] : crossing) {
    auto isHere = [&](OpOperand &use) {
      return use.getOwner()->getParentOp() == function;
    };
    if (llvm::any_of(value.getUses(), isHere))
      value.replaceUsesWithIf(
          LLVM::LoadOp::create(b, value.getType(), getPlace(value, frame, b)),
          isHere);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SplitFunctionsPass
    : qbackend::codegen::impl::SplitFunctionsPassBase<SplitFunctionsPass> {
  using SplitFunctionsPassBase::SplitFunctionsPassBase;

  void runOnOperation() final {
    fieldReads.clear();
    SymbolTable symbols(getOperation());
    moveEntries(symbols);
    SmallVector<LLVM::LLVMFuncOp> functions;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      functions.push_back(function);
    for (LLVM::LLVMFuncOp function : functions)
      for (Block &block : function.getBody())
        BlockSplitter(function, block, maxOps, fieldReads, symbols).run();
  }

  bool isLong(LLVM::LLVMFuncOp function) {
    Block &block = function.getBody().front();
    return function.getNumArguments() > maxOps ||
           std::distance(block.begin(), block.end()) > 2 * maxOps;
  }

  void moveEntries(SymbolTable &symbols) {
    llvm::StringMap<unsigned> uses;
    getOperation().walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
        ++uses[*call.getCallee()];
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        ++uses[address.getGlobalName()];
    });
    SmallVector<std::pair<LLVM::LLVMFuncOp, LLVM::CallOp>> wrappers;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      StringRef name = function.getName();
      if (!name.consume_front("_mlir_ciface_") ||
          !function.getBody().hasOneBlock())
        continue;
      for (auto call : function.getBody().front().getOps<LLVM::CallOp>())
        if (call.getCallee() == name && uses.lookup(name) == 1)
          wrappers.push_back({function, call});
    }
    for (auto [wrapper, call] : wrappers) {
      auto entry = symbols.lookup<LLVM::LLVMFuncOp>(*call.getCallee());
      if (!entry || entry.isExternal() || !isLong(entry) ||
          (!openEntries && entry.getLinkage() == LLVM::Linkage::External))
        continue;
      moveToWrapper(wrapper, call, entry, fieldReads);
      for (auto store : llvm::make_early_inc_range(
               wrapper.getBody().front().getOps<LLVM::StoreOp>()))
        if (isa<BlockArgument>(store.getAddr()))
          writeFields(store);
    }
  }

  /// Reads of the descriptors that the caller gives, which stay as they are.
  DenseSet<Operation *> fieldReads;
};
} // namespace
