// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes ops of scf, memref, arith and math on scalars as statements of C.

#include "Writer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend::codegen;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether the elements behind `buffer`, an argument or a view of one, are
/// stored to.
static bool isWritten(Value buffer, SymbolTableCollection &symbols) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (auto store = dyn_cast<memref::StoreOp>(user)) {
      if (store.getMemref() == buffer)
        return true;
    } else if (auto copy = dyn_cast<memref::CopyOp>(user)) {
      if (copy.getTarget() == buffer)
        return true;
    } else if (auto call = dyn_cast<func::CallOp>(user)) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || callee.isExternal() ||
          isWritten(callee.getArgument(use.getOperandNumber()), symbols))
        return true;
    } else if (isa<ViewLikeOpInterface>(user) &&
               isWritten(user->getResult(0), symbols)) {
      return true;
    }
  }
  return false;
}

FailureOr<std::string> Writer::getType(Operation *op, Type type) {
  if (auto name = getCType(type))
    return *name;
  return op->emitError() << "'" << op->getName() << "' op has type " << type
                         << ", for which C11 has none; keep it out of the "
                            "network, or compile an object (--emit=firmware)";
}

FailureOr<std::string> Writer::getPointer(Operation *op, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return getType(op, buffer.getType());
  FailureOr<std::string> element = getType(op, type.getElementType());
  if (failed(element))
    return failure();
  // What a constant, or an argument that is only read, is seen through.
  Value root = buffer;
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
    root = view.getViewSource();
  bool isConst = root.getDefiningOp<memref::GetGlobalOp>() ||
                 (isa<BlockArgument>(root) && !isWritten(root, symbols));
  return (isConst ? "const " : "") + getElementType(*element) + " *";
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool Writer::isInlined(Operation *op) {
  auto found = inlined.find(op);
  if (found != inlined.end())
    return found->second.first;
  constexpr unsigned mostNested = 3;
  unsigned height = 1;
  for (Value operand : op->getOperands())
    if (Operation *inner = operand.getDefiningOp();
        inner && !matchPattern(operand, m_Constant()) && isInlined(inner))
      height = std::max(height, inlined[inner].second + 1);
  Value result = op->getNumResults() == 1 ? op->getResult(0) : Value();
  bool holds = result && getCType(result.getType()) && result.hasOneUse() &&
               isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
               height <= mostNested &&
               (*op->user_begin())->getBlock() == op->getBlock();
  inlined[op] = {holds, height};
  return holds;
}

/// Whether `text` binds as a name: a name or a number, or the call of a
/// function, behind casts.
static bool isAtom(StringRef text) {
  while (text.starts_with("(")) {
    size_t end = text.find(')');
    StringRef type = text.substr(1, end - 1);
    if (!type.ends_with("_t") && type != "float" && type != "double")
      return false;
    text = text.drop_front(end + 1);
  }
  bool isNumber =
      text.starts_with("-") || (!text.empty() && llvm::isDigit(text.front()));
  if (isNumber)
    return llvm::all_of(text.drop_front(),
                        [](char c) { return llvm::isAlnum(c) || c == '.'; });
  size_t end =
      text.find_if_not([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (end == StringRef::npos)
    return true;
  if (text[end] != '(' || end == 0)
    return false;
  unsigned open = 0;
  for (size_t i = end; i < text.size(); ++i) {
    open += text[i] == '(';
    open -= text[i] == ')';
    if (open == 0)
      return i + 1 == text.size();
  }
  return false;
}

std::string Writer::spell(Value value) {
  TypedAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return spellNumber(number);
  auto found = names.find(value);
  if (found != names.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands())
    operands.push_back(spellOperand(operand));
  // It was spelt before where it stands.
  return *scalars.spell(op, operands);
}

std::string Writer::spellOperand(Value value) {
  std::string text = spell(value);
  return isAtom(text) ? text : "(" + text + ")";
}

FailureOr<std::string> Writer::spellElement(Operation *op, Value buffer,
                                            ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamicShape(strides))
    return op->emitError() << "'" << op->getName() << "' op accesses " << type
                           << ", whose strides are only known at run time; "
                              "export the network with static shapes";
  std::string position;
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    if (matchPattern(index, m_Zero()))
      continue;
    position += position.empty() ? "" : " + ";
    position += stride == 1
                    ? spell(index)
                    : spellOperand(index) + " * " + std::to_string(stride);
  }
  return names[buffer] + "[" + (position.empty() ? "0" : position) + "]";
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Writer::writeScalar(Operation &op) {
  SmallVector<std::string> operands;
  for (Value operand : op.getOperands())
    operands.push_back(getCType(operand.getType()) ? spellOperand(operand)
                                                   : std::string());
  std::optional<std::string> text = scalars.spell(&op, operands);
  if (!text) {
    for (Type type : op.getOperandTypes())
      if (type.isIntOrIndexOrFloat() && failed(getType(&op, type)))
        return failure();
    return op.emitError() << "'" << op.getName()
                          << "' op isn't written as C; compile an object of "
                             "the network (--emit=firmware)";
  }
  if (isInlined(&op))
    return success();
  line() << *getCType(op.getResult(0).getType()) << " "
         << addName(op.getResult(0), "v") << " = " << *text << ";\n";
  return success();
}

LogicalResult Writer::writeView(memref::ViewOp view) {
  FailureOr<std::string> type = getPointer(view, view.getResult());
  if (failed(type))
    return failure();
  Layers layers;
  addLayers(view.getLoc(), layers);
  std::string name = addName(view.getResult(),
                             layers.empty() ? "buffer" : layers[0].getValue());
  bases[view.getResult()] = name;
  line() << *type << name << " = (void *)(" << names[view.getSource()] << " + "
         << spellOperand(view.getByteShift()) << ");\n";
  return success();
}

LogicalResult Writer::writeCast(memref::ReinterpretCastOp cast) {
  FailureOr<std::string> type = getPointer(cast, cast.getResult());
  if (failed(type))
    return failure();
  std::string base = bases.lookup(cast.getSource());
  bases[cast.getResult()] = base;
  OpFoldResult offset = cast.getMixedOffsets()[0];
  if (isConstantIntValue(offset, 0)) {
    names[cast.getResult()] = base;
    return success();
  }
  std::string position;
  if (auto value = dyn_cast<Value>(offset))
    position = spellOperand(value);
  else
    position = std::to_string(*getConstantIntValue(offset));
  std::string name = addName(cast.getResult(), "part");
  line() << *type << name << " = " << base << " + " << position << ";\n";
  return success();
}

LogicalResult Writer::writeCopy(memref::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getTarget().getType());
  if (!type.hasStaticShape())
    return copy.emitError()
           << "'memref.copy' op is of " << type << ", expected a static shape";
  line() << "memcpy(" << names[copy.getTarget()] << ", "
         << names[copy.getSource()] << ", " << type.getNumElements()
         << " * sizeof *" << names[copy.getTarget()] << ");\n";
  return success();
}

LogicalResult Writer::writeCall(func::CallOp call) {
  if (call.getNumResults() > 1)
    return call.emitError() << "'func.call' op has several results, for which "
                               "C has no function";
  SmallVector<std::string> arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(isa<MemRefType>(operand.getType()) ? names[operand]
                                                           : spell(operand));
  std::string result;
  if (call.getNumResults() == 1) {
    FailureOr<std::string> type = getType(call, call.getResult(0).getType());
    if (failed(type))
      return failure();
    if (!call.getResult(0).use_empty())
      result = *type + " " + addName(call.getResult(0), "v") + " = ";
  }
  writeList(result + symbolNames[call.getCalleeAttr().getAttr()] + "(",
            arguments, ");");
  return success();
}

LogicalResult Writer::writeYield(Operation *yield,
                                 ArrayRef<std::string> variables) {
  SmallVector<std::string> values;
  for (Value operand : yield->getOperands())
    values.push_back(spell(operand));
  // What reads a variable that is assigned before it has a copy.
  for (auto [i, value] : llvm::enumerate(values)) {
    bool isLate = false;
    for (size_t before = 0; before < i; ++before)
      isLate |= values[before] != variables[before] &&
                mentionsWord(value, variables[before]);
    if (!isLate)
      continue;
    std::string copy = locals.add("next");
    line() << *getCType(yield->getOperand(i).getType()) << " " << copy << " = "
           << value << ";\n";
    value = copy;
  }
  for (auto [variable, value] : llvm::zip_equal(variables, values))
    if (variable != value)
      line() << variable << " = " << value << ";\n";
  return success();
}

LogicalResult Writer::writeFor(scf::ForOp loop) {
  SmallVector<std::string> variables;
  for (auto [init, argument, result] : llvm::zip_equal(
           loop.getInits(), loop.getRegionIterArgs(), loop.getResults())) {
    FailureOr<std::string> type = getType(loop, argument.getType());
    if (failed(type))
      return failure();
    // A sum that goes on is the same variable.
    auto outer = dyn_cast<BlockArgument>(init);
    auto nest = outer ? dyn_cast<scf::ForOp>(outer.getOwner()->getParentOp())
                      : scf::ForOp();
    bool goesOn =
        nest && outer.getOwner() == loop->getBlock() && init.hasOneUse() &&
        outer != nest.getInductionVar() && result.hasOneUse() &&
        result.use_begin()->getOwner() == nest.getBody()->getTerminator() &&
        result.use_begin()->getOperandNumber() + 1 == outer.getArgNumber();
    if (goesOn) {
      std::string name = names.lookup(init);
      names[argument] = name;
    } else {
      std::string value = spell(init);
      line() << *type << " " << addName(argument, "sum") << " = " << value
             << ";\n";
    }
    variables.push_back(names.lookup(argument));
    names[result] = variables.back();
  }
  static const char *const counters[] = {"i", "j", "k", "l", "m", "n"};
  std::string counter =
      addName(loop.getInductionVar(),
              loopDepth < std::size(counters) ? counters[loopDepth] : "n");
  FailureOr<std::string> type = getType(loop, loop.getInductionVar().getType());
  if (failed(type))
    return failure();
  std::string step = spell(loop.getStep());
  line() << "for (" << *type << " " << counter << " = "
         << spell(loop.getLowerBound()) << "; " << counter << " < "
         << spellOperand(loop.getUpperBound()) << "; "
         << (step == "1" ? "++" + counter : counter + " += " + step) << ") {\n";
  ++depth;
  ++loopDepth;
  if (failed(writeBlock(*loop.getBody())) ||
      failed(writeYield(loop.getBody()->getTerminator(), variables)))
    return failure();
  --loopDepth;
  --depth;
  line() << "}\n";
  return success();
}

LogicalResult Writer::writeIf(scf::IfOp branch) {
  SmallVector<std::string> variables;
  for (Value result : branch.getResults()) {
    FailureOr<std::string> type = getType(branch, result.getType());
    if (failed(type))
      return failure();
    variables.push_back(addName(result, "v"));
    line() << *type << " " << variables.back() << ";\n";
  }
  line() << "if (" << spell(branch.getCondition()) << ") {\n";
  auto writePart = [&](Block &block) -> LogicalResult {
    ++depth;
    LogicalResult written = writeBlock(block);
    if (succeeded(written))
      written = writeYield(block.getTerminator(), variables);
    --depth;
    return written;
  };
  if (failed(writePart(*branch.thenBlock())))
    return failure();
  if (branch.elseBlock()) {
    line() << "} else {\n";
    if (failed(writePart(*branch.elseBlock())))
      return failure();
  }
  line() << "}\n";
  return success();
}

LogicalResult Writer::writeOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp op) -> LogicalResult {
        return getType(op, op.getType());
      })
      .Case([&](memref::GetGlobalOp op) {
        names[op.getResult()] = bases[op.getResult()] =
            symbolNames.lookup(op.getNameAttr().getAttr());
        return success();
      })
      .Case([&](memref::CastOp op) {
        std::string name = names.lookup(op.getSource()),
                    base = bases.lookup(op.getSource());
        names[op.getResult()] = name;
        bases[op.getResult()] = base;
        return success();
      })
      .Case([&](memref::ViewOp op) { return writeView(op); })
      .Case([&](memref::ReinterpretCastOp op) { return writeCast(op); })
      .Case([&](memref::CopyOp op) { return writeCopy(op); })
      .Case([&](memref::LoadOp op) -> LogicalResult {
        FailureOr<std::string> type = getType(op, op.getType()),
                               element = spellElement(op, op.getMemref(),
                                                      op.getIndices());
        if (failed(type) || failed(element))
          return failure();
        line() << *type << " " << addName(op.getResult(), "x") << " = "
               << *element << ";\n";
        return success();
      })
      .Case([&](memref::StoreOp op) -> LogicalResult {
        FailureOr<std::string> element =
            spellElement(op, op.getMemref(), op.getIndices());
        if (failed(element))
          return failure();
        line() << *element << " = " << spell(op.getValue()) << ";\n";
        return success();
      })
      .Case<memref::AllocOp, memref::AllocaOp>([&](Operation *op)
                                                   -> LogicalResult {
        return op->emitError()
               << "'" << op->getName()
               << "' op has a buffer whose place in the arena isn't known: it "
                  "is in a loop or a branch, or of a dynamic shape; export the "
                  "network with static shapes and without control flow";
      })
      .Case([&](func::CallOp op) { return writeCall(op); })
      .Case([&](scf::ForOp op) { return writeFor(op); })
      .Case([&](scf::IfOp op) { return writeIf(op); })
      .Default([&](Operation *op) { return writeScalar(*op); });
}

LogicalResult Writer::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    bool isStep = isa<func::CallOp, scf::ForOp, memref::CopyOp>(op) &&
                  isa<func::FuncOp>(op.getParentOp()) &&
                  cast<func::FuncOp>(op.getParentOp()).isPublic();
    if (isStep) {
      Layers layers;
      addLayers(op.getLoc(), layers);
      std::string comment = spellLayers(layers, 2 * depth);
      if (comment != lastComment)
        body << comment;
      lastComment = comment;
    }
    if (failed(writeOp(op)))
      return failure();
  }
  return success();
}
