// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is taken back, and in which order.

#include "qbackend/Operators/PreparationRewriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace qbackend;

namespace {
class PreparationRewriterTest : public testing::Test {
protected:
  PreparationRewriterTest() : constants(), rewriter(constants, &context) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect>();
    module = parseSourceString<ModuleOp>(R"(
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = math.tanh %x : tensor<4xf32>
        return %0 : tensor<4xf32>
      })",
                                         &context);
    module->walk([&](math::TanhOp found) { op = found; });
  }

  /// Records a rewrite of `op` whose undo gives `last`, and notes that it ran.
  void record(StringRef name, Operation *last) {
    rewriter.recordUndo(op, op, [this, name, last](PreparationRewriter &) {
      order.push_back(name.str());
      return last;
    });
  }

  MLIRContext context;
  ConstantEvaluator constants;
  PreparationRewriter rewriter;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
  std::vector<std::string> order;
};
} // namespace

TEST_F(PreparationRewriterTest, TakesBackInReverse) {
  record("first", op);
  record("second", op);
  EXPECT_EQ(rewriter.noteUnrecognized(op), op);
  EXPECT_EQ(order, (std::vector<std::string>{"second", "first"}));
  EXPECT_TRUE(rewriter.isRestored(op));
}

// One that can't be taken back has changed nothing that older ones rely on.
TEST_F(PreparationRewriterTest, ARefusalIsPassed) {
  record("first", op);
  record("second", nullptr);
  EXPECT_EQ(rewriter.noteUnrecognized(op), op);
  EXPECT_EQ(order, (std::vector<std::string>{"second", "first"}));
  EXPECT_TRUE(rewriter.isRestored(op));
}

TEST_F(PreparationRewriterTest, RefusalsAlone) {
  record("first", nullptr);
  record("second", nullptr);
  EXPECT_EQ(rewriter.noteUnrecognized(op), nullptr);
  EXPECT_EQ(order, (std::vector<std::string>{"second", "first"}));
  EXPECT_FALSE(rewriter.isRestored(op));
  // Once is enough.
  EXPECT_EQ(rewriter.noteUnrecognized(op), nullptr);
  EXPECT_EQ(order.size(), 2u);
}
