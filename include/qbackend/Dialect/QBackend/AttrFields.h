// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What attributes with many parameters are made of, by name. Part of
// QBackend.h, behind the enums.

#ifndef QBACKEND_DIALECT_QBACKEND_ATTRFIELDS_H
#define QBACKEND_DIALECT_QBACKEND_ATTRFIELDS_H

#include "qbackend/Calibration/ObserverKinds.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace qbackend {

/// Those of `#qbackend.observer`: see ObserverField for which kind has which.
struct ObserverFields {
  ObserverKind kind = ObserverKind::MinMax;
  mlir::Type dtype;
  QScheme scheme = QScheme::PerTensorAffine;
  std::optional<int64_t> quantMin;
  std::optional<int64_t> quantMax;
  bool reduceRange = false;
  mlir::FloatAttr eps;
  mlir::FloatAttr averagingConstant;
  std::optional<int64_t> bins;
  mlir::FloatAttr scale;
  std::optional<int64_t> zeroPoint;
  bool isDynamic = false;
  std::optional<int64_t> channelAxis;
  mlir::FloatAttr percentile;
  FakeQuantizeKind fakeQuantize = FakeQuantizeKind::None;

  /// Calls `visit(field, member)` for each parameter but the scheme, in the
  /// order in which they are written: members are std::optional<int64_t>, bool
  /// or FloatAttr.
  template <typename Visitor> void visit(Visitor &&visit) {
    visit(ObserverField::QuantMin, quantMin);
    visit(ObserverField::QuantMax, quantMax);
    visit(ObserverField::ReduceRange, reduceRange);
    visit(ObserverField::Eps, eps);
    visit(ObserverField::AveragingConstant, averagingConstant);
    visit(ObserverField::Bins, bins);
    visit(ObserverField::Scale, scale);
    visit(ObserverField::ZeroPoint, zeroPoint);
    visit(ObserverField::IsDynamic, isDynamic);
    visit(ObserverField::ChAxis, channelAxis);
    visit(ObserverField::Percentile, percentile);
  }

  bool operator==(const ObserverFields &other) const;
};

llvm::hash_code hash_value(const ObserverFields &fields);

/// Those of `#qbackend.dtype`.
struct DTypeFields {
  mlir::Type dtype;
  std::optional<int64_t> quantMin;
  std::optional<int64_t> quantMax;
  mlir::FloatAttr scaleMin;
  mlir::FloatAttr scaleMax;
  mlir::FloatAttr scaleExactMatch;
  std::optional<int64_t> zeroPointExactMatch;
  mlir::ArrayAttr qschemes;
};

/// Those of `#qbackend.pattern`.
struct PatternFields {
  ObservationType observation =
      ObservationType::OutputUseDifferentObserverAsInput;
  mlir::ArrayAttr dtypes;
  mlir::Attribute numTensorArgsToObservationType;
  mlir::DenseI64ArrayAttr root;
  mlir::ArrayAttr extraInputs;
  mlir::StringAttr rootModule;
  mlir::StringAttr qatModule;
  mlir::StringAttr referenceQuantizedModule;
  mlir::StringAttr fusedModule;
  mlir::StringAttr fuserMethod;
  mlir::ArrayAttr fusedOperator;
  mlir::FlatSymbolRefAttr reference;
  mlir::DictionaryAttr inputTypeToIndex;
  mlir::Attribute torch;
};

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_ATTRFIELDS_H
