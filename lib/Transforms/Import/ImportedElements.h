// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and constants of the integers that a module comes with.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_IMPORTEDELEMENTS_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_IMPORTEDELEMENTS_H

#include "QuantizationForms.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace qbackend {

/// The type of the integers of `form`, of 8 bits and with the whole range.
OrRefusal<mlir::quant::QuantizedType> getElement(const QuantizationForm &form,
                                                 mlir::MLIRContext *context);

/// `type` with the whole range of its storage, if it is of 8 bits and per
/// tensor or per channel.
OrRefusal<mlir::quant::QuantizedType>
getElement(mlir::quant::QuantizedType type);

/// The integers of float `elements` by `element`, limited to [min, max].
mlir::DenseElementsAttr quantizeElements(mlir::DenseElementsAttr elements,
                                         mlir::quant::QuantizedType element,
                                         int64_t min, int64_t max);

/// The integers `elements`, limited to those of `form`.
mlir::DenseElementsAttr limitElements(mlir::DenseElementsAttr elements,
                                      const QuantizationForm &form);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_IMPORTEDELEMENTS_H
