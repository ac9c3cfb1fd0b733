// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engines: dialects whose ops are the kernels that compute on integers.
//
// An engine implements EngineDialectInterface and says by `registerEngine` that
// it is there. Backends name the forms that it offers in their `lowering`.

#ifndef QBACKEND_TRANSFORMS_ENGINE_H
#define QBACKEND_TRANSFORMS_ENGINE_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/FormDifference.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace qbackend {

/// The form that stock MLIR compiles; what is run is lowered to it.
inline constexpr llvm::StringLiteral kLinalgForm = "linalg";

/// What a kernel does to the integers of its operands: it gives others, the
/// same within limits, the same elsewhere, or those of the same numbers by
/// other parameters, or in floats.
enum class KernelEffect { Computes, Clamps, Moves, Converts };

/// What a kernel multiplies by its weight: it sums up an output channel for
/// each element of the result; it multiplies each element of the input by all
/// of its input channel (transposed convolutions); it looks rows up and
/// multiplies nothing.
enum class WeightUse { PerResult, PerInput, Lookup };

/// What a dialect implements to be an engine.
class EngineDialectInterface
    : public mlir::DialectInterface::Base<EngineDialectInterface> {
public:
  explicit EngineDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The name in messages.
  llvm::StringRef getName() const { return getDialect()->getNamespace(); }

  /// What quantized code can end in: names for `lowering` and `lower-to`. The
  /// first one is the engine's own ops. In the others nothing is left of a
  /// dialect of this project; one that is called `linalg` can be run.
  virtual llvm::ArrayRef<llvm::StringRef> getForms() const = 0;

  /// Appends what makes `form`, one of getForms but the first, of the engine's
  /// own ops. Other ops on quantized tensors stay: what is left on the way is
  /// lowered to linalg afterwards, and `quant.scast` leads from integers to
  /// quantized tensors and back.
  virtual void addLoweringPasses(llvm::StringRef form,
                                 mlir::OpPassManager &manager) const = 0;

  /// What each result of `network`, which is of the engine's own ops, can be
  /// off by in `form`; nothing if that has the same integers.
  virtual std::optional<llvm::SmallVector<ResultDifference>>
  getDifferences(mlir::func::FuncOp network, llvm::StringRef form) const {
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Parameters
  //===--------------------------------------------------------------------===//

  /// The parameters that the kernel of `kind` gives its result in `dtype`,
  /// whatever was observed; null if it takes any.
  virtual mlir::quant::UniformQuantizedType
  getFixedResult(OperatorKindAttrInterface kind, mlir::Type dtype) const {
    return {};
  }

  /// The parameters that the kernel of `kind` gives its result, if that shares
  /// the observer of the `input`: PyTorch's, see getSharedResultParameters.
  virtual mlir::quant::UniformQuantizedType
  getSharedResult(OperatorKindAttrInterface kind,
                  mlir::quant::UniformQuantizedType input) const;

  //===--------------------------------------------------------------------===//
  // Integer code
  //===--------------------------------------------------------------------===//

  /// Makes kernels of integer code of `module` that computes what a kernel of
  /// this engine can: the same integers. Other code stays as it is.
  virtual void importIntegers(mlir::ModuleOp module) const {}

  /// Whether `op`, one of the engine's, is, or belongs to, what importIntegers
  /// makes.
  virtual bool isImported(mlir::Operation *op) const { return false; }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  /// What `op`, one of the engine's, does to integers. Reports count and
  /// compare what is computed.
  virtual KernelEffect getEffect(mlir::Operation *op) const {
    return KernelEffect::Computes;
  }

  /// What `op`, one of the engine's, multiplies by its weight.
  virtual WeightUse getWeightUse(mlir::Operation *op) const {
    return WeightUse::PerResult;
  }

  /// The result, of `type`, of a kernel for `op`, built where `builder` is.
  /// Static inputs and weights are dequantized: `getQuantized` gives the
  /// integers. Where it refuses, or an op that it built doesn't verify, all
  /// that it built is erased, and `op` stays in the reference form. `form`, one
  /// of getForms, is what the module will end in: there may be a kernel whose
  /// habits only some of them have.
  virtual OrRefusal<mlir::Value> createKernel(OperatorOp op,
                                              mlir::OpBuilder &builder,
                                              mlir::RankedTensorType type,
                                              llvm::StringRef form) const = 0;

  /// Integers of `type` for the floats `input`; null if that stays
  /// `qbackend.quantize`.
  virtual mlir::Value createQuantize(mlir::OpBuilder &builder,
                                     mlir::Location loc, mlir::Type type,
                                     mlir::Value input) const {
    return {};
  }

  /// The numbers of the integers `input`; null if that stays
  /// `qbackend.dequantize`.
  virtual mlir::Value createDequantize(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Type type,
                                       mlir::Value input) const {
    return {};
  }

  /// The integers `input` as those of `type`; null if that takes floats
  /// in between.
  virtual mlir::Value createRequantize(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Type type,
                                       mlir::Value input) const {
    return {};
  }

  /// The integers `input` with dimensions in another order; null if that stays
  /// `qbackend.transpose`.
  virtual mlir::Value createTranspose(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::Type type,
                                      mlir::Value input,
                                      llvm::ArrayRef<int64_t> order) const {
    return {};
  }
};

/// The engine that `op` is one of; null: none.
const EngineDialectInterface *getEngine(mlir::Operation *op);

/// The multiply-accumulates of a kernel on quantized tensors, with the constant
/// operands `parameters`: a weight is one of two dimensions or more, whose
/// first one is the output channel, but for WeightUse::PerInput. Without a
/// weight there are none.
int64_t countKernelMultiplyAccumulates(mlir::Operation *op,
                                       mlir::ValueRange parameters);

/// The integers behind a float value; null if it isn't dequantized.
mlir::Value getQuantized(mlir::Value asFloat);

/// The parameters of a result that shares the observer of its `input`: the
/// same, but for a sum with a number, or a product, which PyTorch computes from
/// them.
mlir::quant::UniformQuantizedType
getSharedResultParameters(OperatorKindAttrInterface kind,
                          mlir::quant::UniformQuantizedType input);

/// Gives each quantized operator of `module` that `engine` has a kernel for
/// that kernel, and says of the others why not (QB108); quantize, dequantize
/// and transposes of integers become the engine's. `form`, one of the engine's,
/// is what the module will end in.
void createKernels(mlir::ModuleOp module, const EngineDialectInterface &engine,
                   llvm::StringRef form);

/// The engines of a context, by name.
llvm::SmallVector<const EngineDialectInterface *>
getEngines(mlir::MLIRContext *context);

struct Backend;

/// The engine that offers all forms of the backend's `lowering`; null if there
/// is nothing in it but the reference form. A form that no engine offers, or
/// forms of different ones, are an error at `backend` which lists what there
/// is.
mlir::FailureOr<const EngineDialectInterface *>
findEngine(BackendConfigOp backend);

/// What modules of a backend become.
struct Lowering {
  /// Null if the backend has only the reference form.
  const EngineDialectInterface *engine;
  /// The form that a module ends in.
  llvm::StringRef form;
};

/// The engine of `backend` and the form `lowerTo`, or the usual one if that is
/// empty. An error at `loc` if the backend doesn't lower to it; without a
/// backend, which was an error before, it fails.
mlir::FailureOr<Lowering> findLowering(const Backend *backend,
                                       llvm::StringRef lowerTo,
                                       mlir::Location loc);

/// Has contexts of `registry` bring the engine `EngineT` of the dialect
/// `DialectT` along with this project's dialect. `More` are dialects that its
/// passes make ops of: they can't be loaded while passes run.
template <typename EngineT, typename DialectT, typename... More>
void registerEngine(mlir::DialectRegistry &registry) {
  registry.insert<DialectT, More...>();
  registry.addExtension(+[](mlir::MLIRContext *context, QBackendDialect *) {
    context->loadDialect<DialectT, More...>();
    context->getLoadedDialect<DialectT>()->template addInterfaces<EngineT>();
  });
}

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ENGINE_H
