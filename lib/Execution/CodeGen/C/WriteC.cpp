// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a module of func, scf, memref, arith and math on scalars as C11: its
// functions, constants, and what a compiler is asked.

#include "qbackend/Execution/CodeGen/WriteC.h"

#include "Writer.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

using namespace mlir;
using namespace qbackend::codegen;

LogicalResult Writer::writeFunction(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock() ||
      function.getNumResults() > 1 ||
      (function.getNumResults() == 1 && function.isPublic()))
    return function.emitError()
           << "function @" << function.getName()
           << (function.isExternal()
                   ? " has no body"
                   : " has results or blocks that branch, which aren't "
                     "written as C");
  names.clear();
  bases.clear();
  inlined.clear();
  locals = globals;
  lastComment.clear();
  std::string result = "void";
  for (Type type : function.getResultTypes()) {
    FailureOr<std::string> name = getType(function, type);
    if (failed(name))
      return failure();
    result = *name;
  }
  body << spellLayers(callers[function], 0);
  std::string head =
      "static " + result + " " + symbolNames[function.getNameAttr()] + "(";
  SmallVector<std::string> parameters, unused;
  for (BlockArgument argument : function.getArguments()) {
    FailureOr<std::string> type = getPointer(function, argument);
    if (failed(type))
      return failure();
    bool isBuffer = isa<MemRefType>(argument.getType());
    if (auto buffer = dyn_cast<MemRefType>(argument.getType())) {
      SmallVector<int64_t> strides;
      int64_t offset;
      if (failed(buffer.getStridesAndOffset(strides, offset)) || offset != 0)
        return function.emitError()
               << "argument " << argument.getArgNumber() << " of @"
               << function.getName() << " is " << buffer
               << ", expected one without an offset";
    }
    // The names that kernels give; a layer's name stands at a place.
    auto named = dyn_cast<NameLoc>(argument.getLoc());
    StringRef name = "a";
    if (named && isa<UnknownLoc>(named.getChildLoc()))
      name = named.getName();
    else if (function.isPublic() && isBuffer)
      name = StringRef(*type).starts_with("const") ? "input" : "output";
    bases[argument] = addName(argument, name);
    parameters.push_back(*type + (isBuffer ? "" : " ") + names[argument]);
    if (argument.use_empty())
      unused.push_back(names[argument]);
  }
  if (parameters.empty())
    parameters.push_back("void");
  writeList(head, parameters, ") {");
  depth = 1;
  for (const std::string &name : unused)
    line() << "(void)" << name << ";\n";
  if (failed(writeBlock(function.front())))
    return failure();
  for (Value value : function.front().getTerminator()->getOperands())
    line() << "return " << spell(value) << ";\n";
  depth = 0;
  body << "}\n\n";
  return success();
}

void Writer::writeList(StringRef head, ArrayRef<std::string> items,
                       StringRef end) {
  constexpr size_t width = 80;
  line() << head;
  size_t column = 2 * depth + head.size();
  for (auto [i, item] : llvm::enumerate(items)) {
    std::string text = item + (i + 1 == items.size() ? end.str() : ",");
    if (i != 0 && column + text.size() + 1 > width) {
      body << "\n";
      body.indent(2 * depth + 4);
      column = 2 * depth + 4;
    } else if (i != 0) {
      body << " ";
      ++column;
    }
    body << text;
    column += text.size();
  }
  if (items.empty())
    body << end;
  body << "\n";
}

LogicalResult Writer::writeGlobal(memref::GlobalOp global) {
  auto elements = global.getConstant() && global.getInitialValue()
                      ? dyn_cast<ElementsAttr>(*global.getInitialValue())
                      : ElementsAttr();
  auto values = dyn_cast_or_null<DenseElementsAttr>(elements);
  if (elements && !values)
    if (ArrayRef<char> bytes = getElementBytes(elements); !bytes.empty())
      values =
          DenseElementsAttr::getFromRawBuffer(elements.getShapedType(), bytes);
  if (!values)
    return global.emitError() << "buffer @" << global.getSymName()
                              << " has no elements that are known";
  FailureOr<std::string> type =
      getType(global, global.getType().getElementType());
  if (failed(type))
    return failure();
  Layers layers;
  addLayers(global.getLoc(), layers);
  std::string comment = spellLayers(layers, 0);
  body << (comment != lastComment ? comment : "");
  lastComment = comment;
  body << "static QBACKEND_CONSTANT const " << getElementType(*type) << " "
       << symbolNames[global.getSymNameAttr()] << "["
       << std::max<int64_t>(elements.getNumElements(), 1) << "] = {";
  constexpr size_t width = 80;
  size_t column = width;
  for (Attribute element : values.getValues<Attribute>()) {
    std::string number = spellNumber(cast<TypedAttr>(element)) + ",";
    if (column + number.size() + 1 > width) {
      body << "\n   ";
      column = 3;
    }
    body << " " << number;
    column += number.size() + 1;
  }
  body << (elements.getNumElements() ? "\n};\n" : "0};\n");
  return success();
}

/// What the code relies on, which a compiler is asked.
static constexpr llvm::StringLiteral assertions = R"(
_Static_assert(sizeof(int) >= 4 && sizeof(ptrdiff_t) >= 4,
               "int and ptrdiff_t have 32 bits or more");
_Static_assert((int8_t)200 == -56 && (-1 >> 1) == -1,
               "integers are converted and shifted as two's complement");
)";

/// The same bits: no sums that are rounded once for two ops, no other order.
static constexpr llvm::StringLiteral floats = R"(
#include <float.h>
#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)
#error "floats need IEEE 754 without excess precision, such as by -msse2 -mfpmath=sse, and without -ffast-math"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
)";

/// What stands before the first constant.
static constexpr llvm::StringLiteral elements = R"(
/* Buffers of other elements may have had the same place. */
#if defined(__GNUC__)
#define QBACKEND_ELEMENT __attribute__((__may_alias__))
#else
#define QBACKEND_ELEMENT
#endif
)";

LogicalResult Writer::write(raw_ostream &output) {
  // What is called comes first.
  llvm::SetVector<Operation *> order;
  llvm::DenseSet<Operation *> visited;
  std::function<LogicalResult(func::FuncOp)> visit =
      [&](func::FuncOp function) -> LogicalResult {
    LogicalResult result = success();
    function.walk([&](func::CallOp call) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || callee == function) {
        result = call.emitError() << "'func.call' op has no function to call";
        return WalkResult::interrupt();
      }
      addLayers(call.getLoc(), callers[callee]);
      if (!visited.insert(callee).second)
        return WalkResult::advance();
      if (failed(visit(callee))) {
        result = failure();
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    order.insert(function);
    return result;
  };
  for (auto global : module.getOps<memref::GlobalOp>())
    symbolNames[global.getSymNameAttr()] = globals.add(global.getSymName());
  for (auto function : module.getOps<func::FuncOp>()) {
    std::string name = function.getName().str();
    symbolNames[function.getNameAttr()] =
        globals.add(function.isPublic() ? name + "_network" : name);
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && failed(visit(function)))
      return failure();
  for (auto global : module.getOps<memref::GlobalOp>())
    if (failed(writeGlobal(global)))
      return failure();
  body << "\n";
  for (Operation *function : order)
    if (failed(writeFunction(cast<func::FuncOp>(function))))
      return failure();

  std::string helpers = scalars.spellHelpers();
  StringRef code = body.str();
  auto isUsed = [&](StringRef word) {
    return mentionsWord(code, word) || mentionsWord(helpers, word);
  };
  if (scalars.callsMath() || isUsed("NAN") || isUsed("INFINITY"))
    output << "#include <math.h>\n";
  output << "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n";
  // Without a C library there is no <string.h>, but what a compiler calls.
  if (isUsed("memcpy"))
    output << "\nvoid *memcpy(void *restrict, const void *restrict, size_t);\n";
  output << assertions;
  if (isUsed("float") || isUsed("double") || isUsed("float_element"))
    output << floats;
  output << elements;
  for (StringRef type :
       {"bool", "int16_t", "int32_t", "int64_t", "float", "double"})
    if (std::string element = getElementType(type); isUsed(element))
      output << "typedef " << type << " QBACKEND_ELEMENT " << element << ";\n";
  output
      << "\n#if !defined(QBACKEND_CONSTANT)\n/* Where constants are, such as "
         "__attribute__((section(\".model\"))). */\n#define "
         "QBACKEND_CONSTANT\n#endif\n\n"
      << helpers << code.rtrim() << "\n";
  return success();
}

LogicalResult qbackend::codegen::writeC(ModuleOp module, raw_ostream &output) {
  return Writer(module).write(output);
}

void qbackend::codegen::registerToCTranslation() {
  TranslateFromMLIRRegistration registration(
      "qbackend-to-c",
      "a network that qbackend-lower-to-c made to loops over scalars, as C11",
      [](ModuleOp module, llvm::raw_ostream &output) {
        return writeC(module, output);
      },
      registerCodeGenDialects);
}
