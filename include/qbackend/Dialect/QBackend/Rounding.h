// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and prints the rounding of fixed-point numbers where it is a parameter
// of an attribute.

#ifndef QBACKEND_DIALECT_QBACKEND_ROUNDING_H
#define QBACKEND_DIALECT_QBACKEND_ROUNDING_H

#include "mlir/IR/DialectImplementation.h"
#include "qbackend/Numerics/Requantize.h"
#include "llvm/ADT/StringExtras.h"

namespace qbackend::numerics {

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Rounding rounding) {
  return os << stringifyRounding(rounding);
}

} // namespace qbackend::numerics

template <>
struct mlir::FieldParser<qbackend::numerics::Rounding,
                         qbackend::numerics::Rounding> {
  static FailureOr<qbackend::numerics::Rounding> parse(AsmParser &parser) {
    SMLoc loc = parser.getCurrentLocation();
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (auto rounding = qbackend::numerics::symbolizeRounding(name))
      return *rounding;
    return parser.emitError(loc)
           << "expected a rounding to be one of: "
           << llvm::join(qbackend::numerics::roundingNames, ", ");
  }
};

#endif // QBACKEND_DIALECT_QBACKEND_ROUNDING_H
