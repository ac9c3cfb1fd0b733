// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads code that quantizes and dequantizes, however it is spelled.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZATIONFORMS_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZATIONFORMS_H

#include "ElementProgram.h"

#include "qbackend/Support/Remarks.h"

namespace qbackend {

/// What dequantizes numbers, and maybe quantized them before.
struct QuantizationForm {
  /// The tensor, or the scalar of a region, that is quantized, or the integers
  /// that are dequantized.
  mlir::Value source;
  /// Whether `source` holds integers: of constants, or of an argument. Those of
  /// 32 bits are sums, and have no zero point.
  bool isDequantize = false;
  /// For each channel.
  llvm::SmallVector<double> scales;
  llvm::SmallVector<int64_t> zeroPoints;
  /// The dimension of the channels.
  std::optional<int64_t> axis;
  /// The smallest and largest integer that is told from others.
  int64_t min = 0, max = 0;
  bool isSigned = false;
  /// Whether ties round like those of the kernels' quantize: to even, and
  /// before the zero point is added.
  bool roundsTiesToEven = true;
};

/// Reads the form that ends with a float. What code means is found by
/// asking it: for each integer where it begins and ends, and what it stands
/// for. So spellings don't matter, and nothing that computes something else is
/// taken for a form.
class QuantizationReader {
public:
  explicit QuantizationReader(ConstantEvaluator &constants)
      : constants(constants), programs(constants) {}

  /// The form whose end is `result`, a tensor or a scalar of a region. There is
  /// a reason why not if it rounds like one and yet is none.
  OrRefusal<QuantizationForm> read(mlir::Value result);

  /// Whether what was refused last makes few numbers of many: those of a grid,
  /// or those with fewer bits.
  bool isGrid() const { return isGridFound; }

  /// The quantize that gives `integers`, a tensor of i8, read by their sign or
  /// without; nullopt if that is none, or one of several channels.
  std::optional<QuantizationForm> readQuantize(mlir::Value integers,
                                               bool isSigned);

private:
  bool mayBeEnd(mlir::Value result);
  bool mayRoundLast(mlir::Value result);
  bool addsLargeNumber(mlir::Value result);
  bool isScaledLater(mlir::Value result);

  ConstantEvaluator &constants;
  ElementProgramReader programs;
  bool isGridFound = false;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_QUANTIZATIONFORMS_H
