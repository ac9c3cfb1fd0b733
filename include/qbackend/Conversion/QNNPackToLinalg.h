// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the qnnpack dialect to linalg on integers.

#ifndef QBACKEND_CONVERSION_QNNPACKTOLINALG_H
#define QBACKEND_CONVERSION_QNNPACKTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace qbackend {

#define GEN_PASS_DECL_CONVERTQNNPACKTOLINALGPASS
#include "qbackend/Conversion/Passes.h.inc"

/// Tensors of quantized types become tensors of their storage types, as
/// signless integers; other types stay.
void addQuantizedTypeConversions(mlir::TypeConverter &converter);

/// The patterns of the pass, for use in another dialect conversion. With
/// `signedBytes`, a byte of an unsigned type is held less 128 in all converted
/// values; `quant.scast` is where storage becomes that, and back.
void populateQNNPackToLinalgPatterns(const mlir::TypeConverter &converter,
                                     mlir::RewritePatternSet &patterns,
                                     bool signedBytes);

} // namespace qbackend

#endif // QBACKEND_CONVERSION_QNNPACKTOLINALG_H
