// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of `#qbackend.quantized`, by name.

#ifndef QBACKEND_DIALECT_QBACKEND_QUANTIZEDFIELDS_H
#define QBACKEND_DIALECT_QBACKEND_QUANTIZEDFIELDS_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// What QBackendAttrs.td says of each: to change one of an attribute,
/// `QuantizedFields fields(attr); fields.imported = true; fields.get()`.
struct QuantizedFields {
  /// What a pattern decides; the other fields have their defaults.
  QuantizedFields(PatternNodeAttr pattern, DTypeConfigAttr dtypes)
      : pattern(pattern), dtypes(dtypes) {}
  explicit QuantizedFields(QuantizedAttr attr)
      : pattern(attr.getPattern()), dtypes(attr.getDtypes()),
        observation(attr.getObservation()), reference(attr.getReference()),
        code(attr.getCode()), imported(attr.getImported()) {}

  QuantizedAttr get() const {
    return QuantizedAttr::get(pattern.getContext(), pattern, dtypes,
                              observation, reference, code, imported);
  }

  PatternNodeAttr pattern;
  DTypeConfigAttr dtypes;
  ObservationType observation =
      ObservationType::OutputUseDifferentObserverAsInput;
  mlir::FlatSymbolRefAttr reference;
  mlir::StringAttr code;
  bool imported = false;
};

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_QUANTIZEDFIELDS_H
