// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files for the families of ops write their nodes with: the graph that
// is being built, and where in it the values of the module are.

#ifndef QBACKEND_LIB_INTERFACES_ONNX_EXPORTER_H
#define QBACKEND_LIB_INTERFACES_ONNX_EXPORTER_H

#include "Model.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Operators/ConstantEvaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

namespace qbackend::onnx {

inline mlir::RankedTensorType getType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// How the dimensions of a tensor lie. ONNX has the channels of images, which
/// are last here, behind the batch; below rank 3 the two are the same.
enum class Layout { AsIs, ChannelsFirst };

/// Dimension `i` in `layout` is dimension `permutation[i]`.
llvm::SmallVector<int64_t> getPermutation(Layout layout, int64_t rank);

/// Where dimension `axis` is in `layout`.
int64_t getAxis(int64_t axis, Layout layout, int64_t rank);

/// `values`, one for each dimension, in the order of `layout`.
llvm::SmallVector<int64_t> permute(llvm::ArrayRef<int64_t> values,
                                   Layout layout);

/// The most bytes that a message of protocol buffers can have.
inline constexpr uint64_t kLargestFile = std::numeric_limits<int32_t>::max();

/// Builds the graph of one function. What fails has emitted an error.
class Exporter {
public:
  explicit Exporter(mlir::func::FuncOp function) : function(function) {}

  mlir::LogicalResult run();
  Model &getModel() { return model; }

  //===--------------------------------------------------------------------===//
  // Values of the module
  //===--------------------------------------------------------------------===//

  /// The layout that `value` is there in; in both, that in which it was
  /// computed.
  Layout getLayout(mlir::Value value);
  /// One for all of them, the one with the least transpositions.
  Layout getLayout(mlir::ValueRange values);

  /// `value` in `layout`, integers as they are; null after an error.
  Tensor get(mlir::Value value, Layout layout);
  /// `value` as floats.
  Tensor getFloat(mlir::Value value, Layout layout);
  /// Says where a value is. Integers as they are.
  void set(mlir::Value value, Layout layout, Tensor tensor);
  /// The same from floats: quantizes them if `value` is quantized. With
  /// `relu`, what is below 0 becomes 0. `written`: as of getWeight.
  mlir::LogicalResult setFloat(mlir::Value value, Layout layout, Tensor asFloat,
                               bool relu = false,
                               mlir::quant::QuantizedType written = {});

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  /// The shape that a weight is seen in, and the order of its dimensions then.
  struct View {
    llvm::SmallVector<int64_t> shape, permutation;
    /// What `shape` becomes in the end.
    llvm::SmallVector<int64_t> result;
  };
  /// A weight as it is, integers if it is quantized.
  Tensor getIntegers(mlir::Value weight, const View &view);
  /// A weight as floats. `axis` is where its channels end up. The scales
  /// of `written`, if it is given, stand in the file, and the weight's own in
  /// the documentation of that tensor.
  Tensor getWeight(mlir::Value weight, const View &view, int64_t axis,
                   mlir::quant::QuantizedType written = {});
  /// An int32 bias as floats of these scales, one or one each; a float one
  /// as it is.
  Tensor getBias(mlir::Value bias, llvm::ArrayRef<float> scales);
  /// The elements of a constant, or null with an error at `op`.
  mlir::DenseElementsAttr getConstant(mlir::Value value, mlir::Operation *op);
  bool isConstant(mlir::Value value) { return constants.isConstant(value); }

  Tensor addFloat(float value) { return addFloats(value, {}); }
  Tensor addFloats(llvm::ArrayRef<float> values, llvm::ArrayRef<int64_t> shape,
                   llvm::StringRef documentation = "");
  Tensor addInts(llvm::ArrayRef<int64_t> values);
  /// Small integers of any type.
  Tensor addIntegers(ElementType type, llvm::ArrayRef<int64_t> values,
                     llvm::ArrayRef<int64_t> shape);

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  /// The operation that this is for: nodes are called after it.
  mlir::Operation *getOp() { return current; }
  /// What `current` is about: called by its name, or its name and the kind.
  Tensor addMain(llvm::StringRef kind, llvm::ArrayRef<Tensor> inputs,
                 llvm::ArrayRef<NodeAttr> attributes = {});
  Tensor add(llvm::StringRef kind, llvm::ArrayRef<Tensor> inputs,
             llvm::ArrayRef<NodeAttr> attributes = {});
  llvm::SmallVector<Tensor> addAll(llvm::StringRef kind,
                                   llvm::ArrayRef<Tensor> inputs,
                                   unsigned numResults);
  Tensor reshape(Tensor input, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(Tensor input, llvm::ArrayRef<int64_t> permutation);
  /// To the parameters of `type`. `axis` counts for scales of channels. Those
  /// of `exact`, where they are others, are what documentation says.
  mlir::FailureOr<Tensor> quantize(Tensor asFloat,
                                   mlir::quant::QuantizedType type,
                                   int64_t axis = 0,
                                   mlir::quant::QuantizedType exact = {});
  mlir::FailureOr<Tensor> dequantize(Tensor integers,
                                     mlir::quant::QuantizedType type,
                                     int64_t axis = 0,
                                     mlir::quant::QuantizedType exact = {});

  /// The element type of a tensor, integers of quantized ones; fails with an
  /// error.
  mlir::FailureOr<ElementType> getElementType(mlir::Type type);

private:
  /// Where a value is.
  struct Places {
    Tensor asIs, channelsFirst;
    Layout first = Layout::AsIs;
  };

  mlir::LogicalResult addArguments();
  mlir::LogicalResult addResults();
  mlir::LogicalResult checkOps(const llvm::DenseSet<mlir::Operation *> &live);
  /// The elements of the constant `value` in the order of `view`.
  Tensor addElements(mlir::ElementsAttr elements, mlir::Value value,
                     const View &view);
  mlir::LogicalResult addScalesOf(mlir::quant::QuantizedType type,
                                  llvm::SmallVectorImpl<Tensor> &inputs,
                                  mlir::quant::QuantizedType exact = {});
  /// What nodes of `current` are called.
  std::string getName();

  mlir::func::FuncOp function;
  Model model;
  ConstantEvaluator constants;
  mlir::Operation *current = nullptr;
  /// Of all weights.
  uint64_t constantBytes = 0;
  llvm::DenseMap<mlir::Value, Places> places;
  llvm::DenseMap<mlir::Operation *, std::string> names;
  llvm::StringMap<unsigned> counts;
  /// Constants that are there, by type, shape and contents.
  llvm::StringMap<Tensor> pool;
  /// A constant that is there.
  struct Weight {
    ElementType type;
    View view;
    Tensor tensor;
  };
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<Weight, 1>> weights;
  /// Floats of integers, by both.
  llvm::DenseMap<std::pair<unsigned, mlir::Type>, Tensor> asFloats;
};

//===----------------------------------------------------------------------===//
// What can be written
//===----------------------------------------------------------------------===//

/// How ops and operator kinds become nodes: each family adds its own.
class Writers {
public:
  template <typename OpTy>
  void add(mlir::LogicalResult (*write)(OpTy, Exporter &)) {
    ops[mlir::TypeID::get<OpTy>()] = [write](mlir::Operation *op,
                                             Exporter &exporter) {
      return write(llvm::cast<OpTy>(op), exporter);
    };
  }
  template <typename KindTy>
  void addKind(mlir::LogicalResult (*write)(KindTy, OperatorOp, Exporter &)) {
    kinds[mlir::TypeID::get<KindTy>()] =
        [write](mlir::Attribute kind, OperatorOp op, Exporter &exporter) {
          return write(llvm::cast<KindTy>(kind), op, exporter);
        };
  }

  bool has(mlir::Operation *op) const;
  mlir::LogicalResult write(mlir::Operation *op, Exporter &exporter) const;

private:
  llvm::DenseMap<mlir::TypeID, std::function<mlir::LogicalResult(
                                   mlir::Operation *, Exporter &)>>
      ops;
  llvm::DenseMap<mlir::TypeID, std::function<mlir::LogicalResult(
                                   mlir::Attribute, OperatorOp, Exporter &)>>
      kinds;
};

/// What an op with a weight reads and gives, and whether it ends in a relu.
struct Layer {
  explicit Layer(OperatorOp op)
      : input(op.getInputs().front()), weight(op.getWeight()),
        bias(op.getBias()), output(op.getOutput()), relu(op.isFused()) {}
  template <typename OpTy>
  explicit Layer(OpTy op, bool relu = false)
      : input(op.getInput()), weight(op.getWeight()), bias(op.getBias()),
        output(op.getOutput()), relu(relu) {}

  mlir::Value input, weight, bias, output;
  bool relu;
};

/// What ONNX Runtime multiplies the sums of `op` by, an op with a weight: once,
/// or for each output channel.
llvm::SmallVector<float> getRuntimeMultipliers(mlir::Operation *op);

void addArithmetic(Writers &writers);
void addFunctions(Writers &writers);
void addLayers(Writers &writers);
void addMovement(Writers &writers);
void addNormalization(Writers &writers);
void addPooling(Writers &writers);
void addResize(Writers &writers);

} // namespace qbackend::onnx

#endif // QBACKEND_LIB_INTERFACES_ONNX_EXPORTER_H
