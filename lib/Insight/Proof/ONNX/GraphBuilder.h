// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of linalg for a graph, node by node.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_ONNX_GRAPHBUILDER_H
#define QBACKEND_LIB_INSIGHT_PROOF_ONNX_GRAPHBUILDER_H

#include "ONNX/ReadGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <optional>

namespace qbackend::proof {

class GraphBuilder {
public:
  explicit GraphBuilder(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  llvm::Error build(const OnnxGraph &graph, mlir::ValueRange arguments);
  llvm::Expected<mlir::Value> getResult(const OnnxGraph &graph);

private:
  /// Floats that integers stand for.
  struct Quantized {
    mlir::Value value;
    bool isSigned = false;
    llvm::SmallVector<float> scales;
    llvm::SmallVector<int32_t> zeroPoints;
    int64_t axis = 0;
  };
  /// A sum of products of quantized values, which begins with `bias`, and of
  /// which each step is worth one of `scales`.
  struct Sum {
    std::function<mlir::Value(llvm::ArrayRef<int32_t> bias)> make;
    llvm::SmallVector<int32_t> bias;
    llvm::SmallVector<float> scales;
    int64_t axis = 0;
    bool relu = false;
  };
  /// A value of the graph: one of these three.
  struct Known {
    mlir::Value value;
    std::optional<Quantized> integers;
    std::optional<Sum> sum;
    bool isSigned = false;
    /// What it, or its integers, are, if these are in the file.
    const OnnxConstant *constant = nullptr;
  };
  /// What a loop nest reads, and where.
  struct Operand {
    mlir::Value value;
    llvm::SmallVector<mlir::AffineExpr> at;
  };
  using Body = std::function<mlir::Value(mlir::ValueRange)>;

  // Code.
  static llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }
  mlir::Value map(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                  llvm::ArrayRef<Operand> operands, Body body,
                  unsigned inner = 0, mlir::Value init = {});
  llvm::SmallVector<mlir::AffineExpr> dims(unsigned count, unsigned first = 0);
  Operand broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Numbers, one for all or one for each place of dimension `axis`.
  template <typename T>
  Operand alongAxis(llvm::ArrayRef<T> numbers, int64_t axis) {
    mlir::Type type = std::is_same_v<T, float> ? mlir::Type(b.getF32Type())
                                               : mlir::Type(b.getI32Type());
    llvm::SmallVector<int64_t, 1> shape;
    Operand operand;
    if (numbers.size() != 1) {
      shape.push_back(numbers.size());
      operand.at.push_back(b.getAffineDimExpr(axis));
    }
    operand.value = mlir::arith::ConstantOp::create(
        b, mlir::DenseElementsAttr::get(
               mlir::RankedTensorType::get(shape, type), numbers));
    return operand;
  }
  mlir::Value extend(mlir::Value byte, bool isSigned);
  mlir::Value relu(mlir::Value x);
  mlir::Value saturate(mlir::Value v, int64_t zeroPoint, bool isSigned);
  mlir::Value integer(int64_t value) {
    return mlir::arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }

  // The node.
  /// Of one that isn't there, nothing.
  const Known &getInput(unsigned i) {
    static const Known none;
    return i < node->inputs.size() ? values[node->inputs[i]] : none;
  }
  const OnnxConstant *getConstant(unsigned i) { return getInput(i).constant; }
  /// Whether the shape of a value has `rank` dimensions.
  static bool hasRank(mlir::Value value, size_t rank) {
    return value && getShape(value).size() == rank;
  }
  static bool isPositive(llvm::ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers, [](int64_t n) { return n > 0; });
  }
  /// Of one that isn't there, 0 and nothing.
  const OnnxAttribute &getAttribute(llvm::StringRef name) {
    static const OnnxAttribute none;
    auto it = node->attributes.find(name);
    return it == node->attributes.end() ? none : it->second;
  }
  mlir::Value getFloat(const Known &known);
  void set(Known known) { values[node->outputs.front()] = std::move(known); }
  llvm::Error fail(const llvm::Twine &what) {
    return llvm::createStringError("'" + node->kind + "' of ONNX " + what);
  }
  llvm::Error failOperand() {
    return fail("reads what has no meaning between quantized values");
  }

  // Operators.
  llvm::Error quantizeLinear();
  llvm::Error dequantizeLinear();
  llvm::Error elements(Body body, mlir::Type element);
  llvm::Expected<bool> function();
  llvm::Error gather();
  llvm::Error cast();
  llvm::Error convolution();
  llvm::Error product();
  bool addToSum();
  llvm::Expected<Sum> makeSum(unsigned outputs, int64_t axis);
  std::optional<llvm::SmallVector<int32_t>> getBias(const Known &known,
                                                    const Sum &sum);
  llvm::Error maxPool();
  llvm::Error move(llvm::function_ref<mlir::Value(mlir::Value)> make);
  llvm::Error transpose();
  llvm::Error reshape();
  llvm::Error tile();
  llvm::Error slice();
  mlir::Value takeAlong(mlir::Value x, int64_t axis, int64_t extent,
                        llvm::function_ref<mlir::Value(mlir::Value)> find);
  mlir::Value takeAlong(mlir::Value x, int64_t axis,
                        llvm::ArrayRef<int64_t> places);
  llvm::Error resize();
  llvm::Error pad();
  llvm::Error concat();

  mlir::ImplicitLocOpBuilder &b;
  const OnnxNode *node = nullptr;
  llvm::StringMap<Known> values;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_ONNX_GRAPHBUILDER_H
