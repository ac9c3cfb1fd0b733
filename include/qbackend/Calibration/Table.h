// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration tables: a JSON file of what was observed, in order. It can be
// read in a diff, edited by hand, and reloads bit for bit.

#ifndef QBACKEND_CALIBRATION_TABLE_H
#define QBACKEND_CALIBRATION_TABLE_H

#include "qbackend/Calibration/Observer.h"
#include "qbackend/Calibration/Patches.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace qbackend::calibration {

/// One tensor of a table, or several that share an observer.
struct TableEntry {
  /// Name of the tensor, or of the observer. No two entries have the same.
  std::string name;
  /// Fingerprint of the tensor's producer and of those before it, for tensors
  /// that have no name of their own: the same wherever the network is changed
  /// elsewhere. Empty for those with a name.
  std::string structure;
  /// Extents but for the first, the batch; -1 is any. Empty if not known.
  std::vector<int64_t> shape;
  /// The tensors that share the observer; empty if it is one.
  std::vector<std::string> group;
  ObserverKind kind = ObserverKind::MinMax;
  /// What was recorded; may be empty if there are explicit parameters.
  Statistics stats;
  /// What layers that read the tensor get of it, one for each geometry; empty
  /// unless corrections are to do without samples.
  std::vector<PatchSums> patches;
  /// Parameters to use instead of those that the statistics give: one, or one
  /// for each channel.
  std::optional<std::vector<numerics::QuantParams>> explicitParams;

  /// Returns the explicit parameters, or those that the statistics give with
  /// `options`, whatever observer recorded them. An observer that wants a
  /// histogram takes the grid, one that wants an average the range; where there
  /// is no grid either, the range.
  std::vector<numerics::QuantParams>
  qparams(const ObserverOptions &options) const;
};

/// Samples that went into a table.
struct SampleRange {
  /// File they came from, without its directory.
  std::string source;
  int64_t first = 0;
  int64_t count = 0;
  /// How many there are in all, of a part of them; 0: not known, or these.
  int64_t total = 0;
  /// Hash of what `source` holds and is scaled by, of a part; empty: not known.
  std::string hash;
};

/// The contents of a calibration table.
struct Table {
  /// What is written; version 1 is read too.
  static constexpr int64_t supportedVersion = 2;
  /// What is written with mergeable statistics.
  static constexpr int64_t mergeableVersion = 3;

  int64_t version = supportedVersion;
  /// Whether nothing in it depends on the order of batches, so that tables of
  /// parts of the samples merge to that of all of them, to the byte.
  bool isMergeable = false;
  /// The program that made a mergeable table, and its version; may be empty.
  std::string tool;
  /// Hash of the module that was calibrated, of mergeable tables; may be empty.
  std::string model;
  /// Fingerprint of the network that was calibrated; may be empty.
  std::string network;
  /// The backend that it was calibrated for, as the user named it; may be
  /// empty.
  std::string backend;
  /// What was calibrated on, in order.
  std::vector<SampleRange> samples;
  std::vector<TableEntry> entries;

  /// Returns the entry called `name`, or null.
  const TableEntry *lookup(llvm::StringRef name) const;
};

/// A table and where it is from, for messages.
struct NamedTable {
  std::string path;
  Table table;
};

/// Merges tables of parts of the samples. The result doesn't depend on their
/// order or on how the samples were cut, and is that of one run over all of
/// them; one table stays as it is. It is an error
/// - if a sample is in two of them: by its number, by the hash of what the
///   sources of two parts hold, or by all that two mergeable tables recorded;
/// - if sources of one name have different hashes;
/// - if they are of different networks, modules or versions;
/// - unless `dropOrdered`, if their observers differ or one has what depends on
///   the order of batches. `dropOrdered` leaves that out.
llvm::Expected<Table> mergeTables(llvm::ArrayRef<NamedTable> tables,
                                  bool dropOrdered = false);

/// Says which samples of parts are in none of the tables: "samples 20 to 39 of
/// 'x.npz'". Empty if none is missing.
std::string describeMissing(const Table &table);

/// Parses a table. Errors begin with `path` and name the entry and the field.
llvm::Expected<Table> parseTable(llvm::StringRef text, llvm::StringRef path);

/// Returns the text of a table, one entry a line.
std::string printTable(const Table &table);

/// Reads the table in the file `path`.
llvm::Expected<Table> readTable(llvm::StringRef path);

/// Writes a table to `path`. The file is replaced at once or not at all.
llvm::Error writeTable(const Table &table, llvm::StringRef path);

/// Writes any text so.
llvm::Error writeText(llvm::StringRef text, llvm::StringRef path);

} // namespace qbackend::calibration

#endif // QBACKEND_CALIBRATION_TABLE_H
