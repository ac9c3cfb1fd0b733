// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounding of fixed-point numbers as a parameter of attributes of any
// dialect, by the names that Numerics gives them.

#ifndef QBACKEND_DIALECT_QBACKEND_ROUNDING
#define QBACKEND_DIALECT_QBACKEND_ROUNDING

include "mlir/IR/AttrTypeBase.td"

def QBackend_RoundingParameter
    : AttrParameter<"::qbackend::numerics::Rounding",
                    "how a product with a fixed-point number is rounded">;

#endif // QBACKEND_DIALECT_QBACKEND_ROUNDING
