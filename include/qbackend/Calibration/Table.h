// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration tables: a JSON file of what was observed, in order. It can be
// read in a diff, edited by hand, and reloads bit for bit.

#ifndef QBACKEND_CALIBRATION_TABLE_H
#define QBACKEND_CALIBRATION_TABLE_H

#include "qbackend/Calibration/Observer.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace qbackend::calibration {

/// One observer of a table.
struct TableEntry {
  /// Symbol name of the observer. No two entries have the same.
  std::string name;
  ObserverKind kind = ObserverKind::MinMax;
  /// What was recorded; may be empty if there are explicit parameters.
  Statistics stats;
  /// Parameters to use instead of those that the statistics give: one, or one
  /// for each channel.
  std::optional<std::vector<numerics::QuantParams>> explicitParams;

  /// Returns the explicit parameters, or those that the statistics give with
  /// `options`, whatever observer recorded them. An observer that wants a
  /// histogram where there is none takes the range.
  std::vector<numerics::QuantParams> qparams(ObserverOptions options) const;
};

/// The contents of a calibration table.
struct Table {
  /// The only version there is.
  static constexpr int64_t supportedVersion = 1;

  int64_t version = supportedVersion;
  /// Fingerprint of the network that was calibrated; may be empty.
  std::string network;
  std::vector<TableEntry> entries;

  /// Returns the entry called `name`, or null.
  const TableEntry *lookup(llvm::StringRef name) const;
};

/// Parses a table. Errors begin with `path` and name the entry and the field.
llvm::Expected<Table> parseTable(llvm::StringRef text, llvm::StringRef path);

/// Returns the text of a table, one entry a line.
std::string printTable(const Table &table);

/// Reads the table in the file `path`.
llvm::Expected<Table> readTable(llvm::StringRef path);

/// Writes a table to `path`. The file is replaced at once or not at all.
llvm::Error writeTable(const Table &table, llvm::StringRef path);

} // namespace qbackend::calibration

#endif // QBACKEND_CALIBRATION_TABLE_H
