// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops compute, against MLIR's own folders, against what TOSA is lowered to
// and against formulas.

#include "qbackend/Operators/ScalarOp.h"
#include "qbackend/Operators/ConstantEvaluator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace qbackend;

namespace {
class ScalarOpTest : public testing::Test {
protected:
  ScalarOpTest() : builder(&context) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect, tosa::TosaDialect>();
  }

  /// Numbers where functions and types end, and ties.
  std::vector<Attribute> getNumbers(Type type);
  /// The attributes that `name` wants, in all their values.
  std::vector<SmallVector<NamedAttribute>> getAttributes(StringRef name);
  /// How often the folder of `name` gave the same, of operands of these types.
  /// Adds a failure where it differs.
  unsigned compareWithFolder(OperationName name, ArrayRef<Type> operands,
                             Type result);
  /// What `body`, which computes %y of type `type` of constants, computes.
  DenseElementsAttr evaluateBody(StringRef body, StringRef type);

  MLIRContext context;
  OpBuilder builder;
};
} // namespace

std::vector<Attribute> ScalarOpTest::getNumbers(Type type) {
  std::vector<Attribute> numbers;
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    for (double number : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1,
                          3.0, 7.0, -100.0, 127.5, 300.0})
      numbers.push_back(FloatAttr::get(type, number));
    for (APFloat number :
         {APFloat::getInf(semantics), APFloat::getInf(semantics, true),
          APFloat::getNaN(semantics), APFloat::getLargest(semantics),
          APFloat::getLargest(semantics, true),
          APFloat::getSmallest(semantics)})
      numbers.push_back(FloatAttr::get(type, number));
    return numbers;
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  llvm::DenseSet<Attribute> seen;
  for (APInt number :
       {APInt(width, 0), APInt(width, 1), APInt::getAllOnes(width),
        APInt(width, 2, false, true), APInt(width, 3, false, true),
        APInt(width, 7, false, true), APInt(width, width, false, true),
        APInt(width, width - 1, false, true), APInt(width, 100, false, true),
        APInt(width, -3, true, true), APInt::getSignedMinValue(width),
        APInt::getSignedMaxValue(width)})
    if (Attribute attribute = IntegerAttr::get(type, number);
        seen.insert(attribute).second)
      numbers.push_back(attribute);
  return numbers;
}

std::vector<SmallVector<NamedAttribute>>
ScalarOpTest::getAttributes(StringRef name) {
  std::vector<SmallVector<NamedAttribute>> lists;
  auto add = [&](Attribute predicate) {
    lists.push_back({builder.getNamedAttr("predicate", predicate)});
  };
  if (name == "arith.cmpi")
    for (int i = 0; i < 10; ++i)
      add(arith::CmpIPredicateAttr::get(&context, arith::CmpIPredicate(i)));
  else if (name == "arith.cmpf")
    for (int i = 0; i < 16; ++i)
      add(arith::CmpFPredicateAttr::get(&context, arith::CmpFPredicate(i)));
  else
    lists.emplace_back();
  return lists;
}

/// The number that is the only element of `attribute`, as text: bits, but any
/// NaN is as good as another.
static std::string print(Attribute attribute) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute))
    attribute =
        elements.isSplat() ? elements.getSplatValue<Attribute>() : Attribute();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto real = dyn_cast_or_null<FloatAttr>(attribute)) {
    if (real.getValue().isNaN())
      os << "NaN";
    else
      os << real.getValueAsDouble()
         << (real.getValue().isNegative() ? " (negative)" : "");
    APInt bits = real.getValue().bitcastToAPInt();
    if (!real.getValue().isNaN())
      os << " " << bits.getZExtValue();
  } else if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute)) {
    os << integer.getValue().getSExtValue();
  } else {
    os << "none";
  }
  return text;
}

/// Where a folder gives a number to what the op leaves undefined, or has none
/// where C defines one.
static bool isLeftOut(StringRef name, ArrayRef<Attribute> operands) {
  if (name == "math.atan2")
    return cast<FloatAttr>(operands[0]).getValue().isZero() &&
           cast<FloatAttr>(operands[1]).getValue().isZero();
  if (name != "arith.remsi" && name != "arith.ceildivsi" &&
      name != "arith.floordivsi" && name != "arith.divsi")
    return false;
  APInt lhs = cast<IntegerAttr>(operands[0]).getValue();
  APInt rhs = cast<IntegerAttr>(operands[1]).getValue();
  return lhs.isMinSignedValue() && rhs.isAllOnes();
}

unsigned ScalarOpTest::compareWithFolder(OperationName name,
                                         ArrayRef<Type> operandTypes,
                                         Type resultType) {
  Location loc = builder.getUnknownLoc();
  std::vector<std::vector<Attribute>> choices;
  for (Type type : operandTypes)
    choices.push_back(getNumbers(type));
  unsigned compared = 0;
  for (const auto &attributes : getAttributes(name.getStringRef())) {
    std::vector<size_t> position(choices.size(), 0);
    while (true) {
      Block block;
      builder.setInsertionPointToEnd(&block);
      SmallVector<Attribute> numbers;
      SmallVector<Value> operands;
      for (auto [choice, index] : llvm::zip_equal(choices, position)) {
        numbers.push_back(choice[index]);
        operands.push_back(arith::ConstantOp::create(
            builder, loc, cast<TypedAttr>(choice[index])));
      }
      OperationState state(loc, name, operands, {resultType}, attributes);
      Operation *op = builder.create(state);
      if (failed(verify(op)))
        return 0;
      SmallVector<OpFoldResult> folded;
      Operation *copy = op->clone();
      if (succeeded(copy->fold(numbers, folded)) && folded.size() == 1) {
        Attribute expected = dyn_cast<Attribute>(folded[0]);
        if (auto value = dyn_cast<Value>(folded[0]))
          expected = numbers[llvm::find(operands, value) - operands.begin()];
        DenseElementsAttr found =
            ConstantEvaluator().evaluate(op->getResult(0));
        if (isa<FloatAttr, IntegerAttr>(expected) &&
            !isLeftOut(name.getStringRef(), numbers)) {
          ++compared;
          std::string text;
          llvm::raw_string_ostream os(text);
          op->print(os);
          for (Attribute number : numbers)
            os << " " << number;
          EXPECT_EQ(print(found), print(expected)) << text;
        }
      }
      copy->erase();
      op->dropAllReferences();
      size_t next = 0;
      while (next < position.size() && ++position[next] == choices[next].size())
        position[next++] = 0;
      if (next == position.size())
        break;
    }
  }
  return compared;
}

DenseElementsAttr ScalarOpTest::evaluateBody(StringRef body, StringRef type) {
  std::string text = ("func.func @f() -> " + type + " {\n" + body +
                      "\nreturn %y : " + type + "\n}")
                         .str();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << text;
    return {};
  }
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  return ConstantEvaluator().evaluate(
      function.front().getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Completeness
//===----------------------------------------------------------------------===//

/// Elementwise ops that the table leaves out, and why.
static const std::pair<StringRef, StringRef> kLeftOut[] = {
    {"arith.addui_extended", "two results"},
    {"arith.mulsi_extended", "two results"},
    {"arith.mului_extended", "two results"},
    {"math.sincos", "two results"},
    {"arith.scaling_extf", "scales are shared by blocks"},
    {"arith.scaling_truncf", "scales are shared by blocks"},
    {"tosa.apply_scale", "what a rescale, which is none, is lowered to"},
};

TEST_F(ScalarOpTest, TheTableHasAllElementwiseOps) {
  llvm::StringSet<> leftOut;
  for (auto [name, reason] : kLeftOut)
    leftOut.insert(name);
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "arith" && dialect != "math" && dialect != "tosa")
      continue;
    bool isElementwise =
        name.hasTrait<OpTrait::Elementwise>() ||
        name.hasTrait<OpTrait::tosa::TosaElementwiseOperator>();
    if (isElementwise || isScalarOp(name)) {
      EXPECT_NE(isScalarOp(name), leftOut.contains(name.getStringRef()))
          << name.getStringRef().str();
    }
  }
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

TEST_F(ScalarOpTest, FoldersGiveTheSame) {
  // Types that an op doesn't have are none of the test's business.
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  Type i1 = builder.getI1Type(), i8 = builder.getI8Type(),
       i32 = builder.getI32Type(), i64 = builder.getI64Type(),
       index = builder.getIndexType(), f16 = builder.getF16Type(),
       bf16 = builder.getBF16Type(), f32 = builder.getF32Type(),
       f64 = builder.getF64Type();
  Type all[] = {i1, i8, i32, i64, index, f16, bf16, f32, f64};
  // Those that upstream doesn't fold; formulas below.
  llvm::StringSet<> unfolded = {"math.rsqrt", "math.cbrt", "math.fma",
                                "math.clampf", "math.fpowi"};
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || !isScalarOp(name))
      continue;
    unsigned compared = 0;
    for (Type type : all) {
      compared += compareWithFolder(name, {type}, type);
      compared += compareWithFolder(name, {type, type}, type);
      compared += compareWithFolder(name, {type, type}, i1);
      compared += compareWithFolder(name, {i1, type, type}, type);
      for (Type result : all)
        if (type != result)
          compared += compareWithFolder(name, {type}, result);
    }
    EXPECT_EQ(compared == 0, unfolded.contains(name.getStringRef()))
        << name.getStringRef().str() << " " << compared;
  }
}

//===----------------------------------------------------------------------===//
// TOSA
//===----------------------------------------------------------------------===//

namespace {
/// An op on %a, %b and so on, of these types, and the type of its result.
struct TosaCase {
  const char *op;
  const char *operands;
  const char *result;
};
} // namespace

#define UNARY(op, type)                                                        \
  { "tosa." op " %a", type, type }
#define BINARY(op, type)                                                       \
  { "tosa." op " %a, %b", type "," type, type }
#define COMPARE(op, type)                                                      \
  { "tosa." op " %a, %b", type "," type, "i1" }
#define CAST(from, to)                                                         \
  { "tosa.cast %a", from, to }

static const TosaCase kTosaCases[] = {
    UNARY("identity", "f32"),
    BINARY("add", "f32"),
    BINARY("add", "i32"),
    BINARY("sub", "f32"),
    BINARY("sub", "i32"),
    {"tosa.mul %a, %b, %shift", "f32,f32", "f32"},
    {"tosa.mul %a, %b, %shift", "i8,i8", "i32"},
    {"tosa.mul %a, %b, %shift", "i32,i32", "i32"},
    BINARY("intdiv", "i32"),
    BINARY("maximum", "f32"),
    BINARY("minimum", "f32"),
    BINARY("maximum", "i32"),
    BINARY("minimum", "i32"),
    {"tosa.clamp %a {min_val = -1.0 : f32, max_val = 2.5 : f32}", "f32", "f32"},
    {"tosa.clamp %a {min_val = -3 : i8, max_val = 7 : i8}", "i8", "i8"},
    {"tosa.negate %a, %zero, %zero", "f32", "f32"},
    {"tosa.negate %a, %zero, %zero", "i8", "i8"},
    {"tosa.negate %a, %zero, %zero", "i32", "i32"},
    {"tosa.negate %a, %three, %minus_four", "i8", "i8"},
    UNARY("abs", "f32"),
    UNARY("abs", "i32"),
    UNARY("clz", "i32"),
    BINARY("bitwise_and", "i32"),
    BINARY("bitwise_or", "i8"),
    BINARY("bitwise_xor", "i16"),
    UNARY("bitwise_not", "i32"),
    BINARY("logical_and", "i1"),
    BINARY("logical_or", "i1"),
    BINARY("logical_xor", "i1"),
    UNARY("logical_not", "i1"),
    BINARY("logical_left_shift", "i32"),
    BINARY("logical_right_shift", "i32"),
    {"tosa.arithmetic_right_shift %a, %b {round = false}", "i32,i32", "i32"},
    {"tosa.arithmetic_right_shift %a, %b {round = true}", "i32,i32", "i32"},
    COMPARE("greater", "f32"),
    COMPARE("greater", "i32"),
    COMPARE("greater_equal", "f32"),
    COMPARE("greater_equal", "i32"),
    COMPARE("equal", "f32"),
    COMPARE("equal", "i32"),
    {"tosa.select %a, %b, %c", "i1,f32,f32", "f32"},
    UNARY("floor", "f32"),
    UNARY("ceil", "f32"),
    UNARY("rsqrt", "f32"),
    UNARY("exp", "f32"),
    UNARY("log", "f32"),
    BINARY("pow", "f32"),
    UNARY("sin", "f32"),
    UNARY("cos", "f32"),
    UNARY("tanh", "f32"),
    UNARY("erf", "f32"),
    UNARY("reciprocal", "f32"),
    UNARY("sigmoid", "f32"),
    CAST("f32", "f16"),
    CAST("f16", "f32"),
    CAST("f32", "i8"),
    CAST("f32", "i16"),
    CAST("f32", "i32"),
    CAST("f32", "i1"),
    CAST("i8", "f32"),
    CAST("i32", "f32"),
    CAST("i1", "f32"),
    CAST("i1", "i32"),
    CAST("i8", "i32"),
    CAST("i32", "i8"),
    CAST("i32", "i1"),
};

/// A function of the operands of `each` that returns its result.
static std::string writeFunction(const TosaCase &each,
                                 ArrayRef<StringRef> types) {
  std::string text, signature;
  llvm::raw_string_ostream os(text), typeStream(signature);
  os << "func.func @f(";
  for (auto [i, type] : llvm::enumerate(types)) {
    os << (i ? ", %" : "%") << char('a' + i) << ": tensor<1x" << type << ">";
    typeStream << (i ? ", " : "") << "tensor<1x" << type << ">";
  }
  os << ") -> tensor<1x" << each.result << "> {\n";
  for (auto [name, number] : {std::pair("zero", "0"),
                              {"three", "3"},
                              {"minus_four", "-4"},
                              {"shift", "0"}}) {
    StringRef type = name == StringRef("shift") ? "i8" : types[0];
    size_t uses = StringRef(each.op).count(("%" + Twine(name)).str());
    if (uses == 0)
      continue;
    for (size_t i = 0; i < uses; ++i)
      typeStream << ", tensor<1x" << type << ">";
    os << "%" << name << " = \"tosa.const\"() <{values = dense<" << number
       << (type.starts_with("f") ? ".0" : "") << "> : tensor<1x" << type
       << ">}> : () -> tensor<1x" << type << ">\n";
  }
  os << "%y = " << each.op << " : (" << signature << ") -> tensor<1x"
     << each.result << ">\nreturn %y : tensor<1x" << each.result << ">\n}";
  return text;
}

/// Constants in the place of the arguments of the only function.
static std::vector<arith::ConstantOp> addConstants(ModuleOp module,
                                                   OpBuilder &builder) {
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  builder.setInsertionPointToStart(&function.front());
  std::vector<arith::ConstantOp> constants;
  for (BlockArgument argument : function.getArguments()) {
    constants.push_back(arith::ConstantOp::create(
        builder, function.getLoc(),
        cast<TypedAttr>(builder.getZeroAttr(argument.getType()))));
    argument.replaceAllUsesWith(constants.back());
  }
  return constants;
}

TEST_F(ScalarOpTest, TosaIsWhatItIsLoweredTo) {
  llvm::StringSet<> seen;
  for (const TosaCase &each : kTosaCases) {
    seen.insert(StringRef(each.op).split(' ').first);
    SmallVector<StringRef> types;
    StringRef(each.operands).split(types, ',');
    std::string text = writeFunction(each, types);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    OwningOpRef<ModuleOp> lowered = module->clone();
    // Of arguments: the folders of TOSA, which lowering calls, are wrong for
    // products of zeros, of i8, and casts of truth values.
    PassManager manager(&context);
    manager.nest<func::FuncOp>().addPass(tosa::createTosaToLinalg());
    ASSERT_TRUE(succeeded(manager.run(*lowered))) << text;
    std::vector<std::vector<arith::ConstantOp>> constants = {
        addConstants(*module, builder), addConstants(*lowered, builder)};
    auto evaluate = [](ModuleOp module) {
      func::FuncOp function = *module.getOps<func::FuncOp>().begin();
      return ConstantEvaluator().evaluate(
          function.front().getTerminator()->getOperand(0));
    };

    std::vector<std::vector<Attribute>> choices;
    for (StringRef type : types)
      choices.push_back(getNumbers(parseType(type, &context)));
    std::vector<size_t> position(choices.size(), 0);
    unsigned compared = 0;
    for (bool isDone = false; !isDone;) {
      std::string numbers;
      llvm::raw_string_ostream os(numbers);
      for (size_t i = 0; i < types.size(); ++i) {
        Attribute number = choices[i][position[i]];
        os << " " << number;
        for (std::vector<arith::ConstantOp> &list : constants)
          list[i].setValueAttr(DenseElementsAttr::get(
              cast<ShapedType>(list[i].getType()), number));
      }
      DenseElementsAttr found = evaluate(*module),
                        expected = evaluate(*lowered);
      // What one leaves undefined is not compared: shifts and casts of what is
      // out of range.
      if (found && expected) {
        ++compared;
        EXPECT_EQ(print(found), print(expected)) << each.op << numbers;
      }
      size_t next = 0;
      while (next < position.size() && ++position[next] == choices[next].size())
        position[next++] = 0;
      isDone = next == position.size();
    }
    EXPECT_GT(compared, 1u) << each.op;
  }
  // `tosa.cast` and others without the trait are here, too.
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "tosa" && isScalarOp(name)) {
      EXPECT_TRUE(seen.contains(name.getStringRef()))
          << name.getStringRef().str() << " has no case";
    }
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

TEST_F(ScalarOpTest, FormulasOfWhatIsNotFolded) {
  auto f32 = [&](const char *op, double a, double b, double c) {
    std::string body;
    llvm::raw_string_ostream os(body);
    for (auto [name, number] : {std::pair("a", a), {"b", b}, {"c", c}}) {
      os << "%" << name << " = arith.constant ";
      FloatAttr::get(builder.getF32Type(), number).print(os);
      os << "\n";
    }
    os << "%i = arith.fptosi %b : f32 to i32\n%y = " << op;
    DenseElementsAttr result = evaluateBody(body, "f32");
    return result ? result.getSplatValue<float>() : NAN;
  };
  const char *fma = "math.fma %a, %b, %c : f32";
  // 1 + 2^-23 squared is 1 + 2^-22 + 2^-46; the last term decides only without
  // a rounding in between.
  float x = 1 + 0x1p-23f;
  EXPECT_EQ(f32(fma, x, x, -1), 0x1p-22f + 0x1p-46f);
  EXPECT_EQ(f32(fma, 3, 5, 7), 22);
  const char *rsqrt = "math.rsqrt %a : f32";
  EXPECT_EQ(f32(rsqrt, 3, 0, 0), 1.0f / std::sqrt(3.0f));
  EXPECT_EQ(f32(rsqrt, 0, 0, 0), std::numeric_limits<float>::infinity());
  const char *cbrt = "math.cbrt %a : f32";
  EXPECT_EQ(f32(cbrt, -27, 0, 0), -3);
  const char *clamp = "math.clampf %a to [%b, %c] : f32";
  EXPECT_EQ(f32(clamp, -2, -1, 6), -1);
  EXPECT_EQ(f32(clamp, 7, -1, 6), 6);
  EXPECT_EQ(f32(clamp, 2.5, -1, 6), 2.5);
  const char *power = "math.fpowi %a, %i : f32, i32";
  EXPECT_EQ(f32(power, 3, 5, 0), 243);
  EXPECT_EQ(f32(power, -2, -3, 0), -0.125);
  EXPECT_EQ(f32(power, 0, 0, 0), 1);
}

TEST_F(ScalarOpTest, WhatIsUndefinedHasNoValue) {
  for (const char *op :
       {"arith.divsi %a, %zero : i8", "arith.divui %a, %zero : i8",
        "arith.remsi %a, %zero : i8", "arith.remui %a, %zero : i8",
        "arith.floordivsi %a, %zero : i8", "arith.ceildivui %a, %zero : i8",
        "arith.divsi %min, %ones : i8", "arith.shli %a, %eight : i8",
        "arith.shrsi %a, %eight : i8", "arith.shrui %a, %ones : i8",
        "arith.fptosi %big : f32 to i8", "arith.fptosi %nan : f32 to i8",
        "arith.fptoui %minus : f32 to i8", "arith.fptosi %end : f32 to i8",
        "math.ipowi %zero, %ones : i8"}) {
    std::string body = R"(
      %a = arith.constant 5 : i8
      %zero = arith.constant 0 : i8
      %ones = arith.constant -1 : i8
      %eight = arith.constant 8 : i8
      %min = arith.constant -128 : i8
      %big = arith.constant 1.0e10 : f32
      %end = arith.constant 128.0 : f32
      %minus = arith.constant -1.0 : f32
      %nan = arith.constant 0x7FC00000 : f32
      %y = )";
    EXPECT_FALSE(evaluateBody(body + op, "i8")) << op;
  }
}

TEST_F(ScalarOpTest, ProductsAreShiftedAsTosaSays) {
  // (7 * 5 + 2) >> 2 = 9, (-7 * 6 + 2) >> 2 = -10, and ties go up.
  DenseElementsAttr found = evaluateBody(R"(
    %a = arith.constant dense<[7, -7, 3, -3]> : tensor<4xi32>
    %b = arith.constant dense<[5, 6, 2, 2]> : tensor<4xi32>
    %s = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %y = tosa.mul %a, %b, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>)",
                                         "tensor<4xi32>");
  ASSERT_TRUE(found);
  EXPECT_EQ(llvm::to_vector(found.getValues<int32_t>()),
            (SmallVector<int32_t>{9, -10, 2, -1}));
}

TEST_F(ScalarOpTest, WhatIsReadTwiceIsAConstant) {
  // %x by one op twice; %z by an op and by the one that it reads.
  DenseElementsAttr found = evaluateBody(R"(
    %x = arith.constant 3.0 : f32
    %z = arith.mulf %x, %x : f32
    %s = arith.addf %z, %x : f32
    %t = arith.subf %z, %s : f32
    %y = arith.addf %s, %t : f32)",
                                         "f32");
  ASSERT_TRUE(found);
  EXPECT_EQ(found.getSplatValue<float>(), 9);
}

TEST_F(ScalarOpTest, RegionsOfConstantsAreComputed) {
  // Positions, elements at positions, integers of 4 bits, and an op that only
  // its folder knows.
  DenseElementsAttr found = evaluateBody(R"(
    %table = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
    %x = arith.constant dense<[[1, -8, 7], [2, 3, -1]]> : tensor<2x3xi4>
    %e = tensor.empty() : tensor<3x2xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<2x3xi4>) outs(%e : tensor<3x2xf32>) {
      ^bb0(%in: i4, %out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %two = arith.constant 2 : index
        %k = arith.subi %two, %j : index
        %t = tensor.extract %table[%k] : tensor<3xf32>
        %row = arith.index_cast %i : index to i32
        %hundred = arith.constant 100 : i32
        %low, %high = arith.mulsi_extended %row, %hundred : i32
        %n = arith.sitofp %low : i32 to f32
        %v = arith.sitofp %in : i4 to f32
        %a = arith.addf %t, %n : f32
        %b = arith.addf %a, %v : f32
        linalg.yield %b : f32
    } -> tensor<3x2xf32>)",
                                         "tensor<3x2xf32>");
  ASSERT_TRUE(found);
  EXPECT_EQ(llvm::to_vector(found.getValues<float>()),
            (SmallVector<float>{31, 132, 12, 123, 17, 109}));
}
