// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers of modules that come quantized.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_IMPORTEDOBSERVERS_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_IMPORTEDOBSERVERS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace qbackend {

class TensorNames;

/// The quantization that a module came with says which of its operators are
/// quantized, and by which parameters: each `qbackend.quantize` with its
/// `dequantize` becomes an observer with fixed parameters.
class ImportedObservers {
public:
  explicit ImportedObservers(mlir::ModuleOp module);

  bool empty() const { return pairs.empty(); }

  /// Makes observers of all of them. `qconfigs` has those of the operators that
  /// can be quantized, in the order of the code: an observer has the sign that
  /// the operator it is for wants. Then what only moves or selects numbers is
  /// observed like what is before, or after, it.
  void insert(const llvm::MapVector<OperatorOp, QConfigAttr> &qconfigs,
              TensorNames &names);

  /// Why `op` isn't quantized in this module; empty if it is.
  static std::string whyNotObserved(OperatorOp op);

  /// Why no kernel computes `op` with the parameters that it has, which is
  /// quantized: the factor of its sums is beyond those of the engines. Empty if
  /// there is none.
  std::string whyNoKernel(OperatorOp op);

  /// How many numbers of the bias of `op`, which is quantized, have no integer
  /// of 32 bits.
  size_t countUnrepresentableBiases(OperatorOp op);

private:
  /// The scales of sums of `op`, one or one for each channel; none if it has no
  /// quantized weight.
  llvm::SmallVector<double> getSumScales(OperatorOp op);
  double getScale(ObserveOp op);

  void insert(DequantizeOp op, mlir::Type dtype, TensorNames &names);

  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  /// Those of a `qbackend.quantize`.
  llvm::SmallVector<DequantizeOp> pairs;
};

/// The observer of a weight that the module came with as integers: that of
/// `qconfig` if they satisfy it, or one with what is different. Null if the
/// weight is a float constant.
ObserverAttr getImportedWeightObserver(OperatorOp op, QConfigAttr qconfig);

/// Gives the integers of a weight that the module came with the sign that
/// `observer` wants; the numbers stay.
void setWeightSign(OperatorOp op, ObserverAttr observer);

/// Whether `value` is the numbers of constant integers.
bool isQuantizedConstant(mlir::Value value);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_IMPORTEDOBSERVERS_H
