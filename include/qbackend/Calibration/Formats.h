// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration tables in the formats of other tools, and for people to look at.

#ifndef QBACKEND_CALIBRATION_FORMATS_H
#define QBACKEND_CALIBRATION_FORMATS_H

#include "qbackend/Calibration/Table.h"

namespace qbackend::calibration {

/// Files of other tools. They hold ranges or scales, not statistics: what is
/// imported serves observers of ranges only.
enum class TableFormat {
  /// TensorRT's calibration cache: a scale for each tensor, the bits of an f32
  /// as hexadecimal digits; symmetric, to 127.
  TensorRT,
  /// ONNX Runtime's JSON: [min, max] for each tensor. The form with objects of
  /// the class TensorData is read too.
  ONNXRuntime,
  /// AIMET's encodings of activations: min, max, scale, offset.
  AIMET,
  /// tpu-mlir's table: a threshold for symmetric types, min and max.
  TPUMLIR,
};

/// Returns the format called `tensorrt`, `onnxruntime`, `aimet` or `tpu-mlir`.
std::optional<TableFormat> symbolizeTableFormat(llvm::StringRef name);

/// Returns `table` in a format, with the range that `options` choose. Tensors
/// that saw nothing, and groups, are left out.
llvm::Expected<std::string> exportTable(const Table &table, TableFormat format,
                                        const ObserverOptions &options);

/// Reads a table from a format. Errors begin with `path`.
llvm::Expected<Table> importTable(llvm::StringRef text, TableFormat format,
                                  llvm::StringRef path);

/// Returns the tensors of `table`, a line for each, with the range that
/// `options` choose, its scale, and a small picture of the values.
std::string showTable(const Table &table, const ObserverOptions &options);

/// Returns the same as an SVG picture.
std::string drawTable(const Table &table, const ObserverOptions &options);

/// Returns what two tables have different, a line for each tensor; empty if
/// nothing. `options` choose the ranges that are compared.
std::string diffTables(const Table &before, const Table &after,
                       const ObserverOptions &options);

} // namespace qbackend::calibration

#endif // QBACKEND_CALIBRATION_FORMATS_H
