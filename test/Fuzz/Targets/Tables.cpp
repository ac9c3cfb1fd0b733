// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as a calibration table, ours or of another tool: an error, or a
// table that prints as one which reads the same.

#include "qbackend/Calibration/Formats.h"
#include "qbackend/Calibration/Table.h"

#include <cstdlib>

using namespace qbackend::calibration;

static constexpr TableFormat formats[] = {
    TableFormat::TensorRT, TableFormat::ONNXRuntime, TableFormat::AIMET,
    TableFormat::TPUMLIR};

/// What the commands of qbackend-calib do with a table.
static void use(const Table &table) {
  std::string text = printTable(table);
  llvm::Expected<Table> again = parseTable(text, "printed");
  if (!again || printTable(*again) != text)
    std::abort();
  for (ObserverKind kind : {ObserverKind::MinMax, ObserverKind::Histogram,
                            ObserverKind::Entropy, ObserverKind::Percentile}) {
    ObserverOptions options;
    options.kind = kind;
    (void)showTable(table, options);
    if (!diffTables(table, table, options).empty())
      std::abort();
    for (TableFormat format : formats)
      llvm::consumeError(exportTable(table, format, options).takeError());
  }
  llvm::consumeError(
      mergeTables({{"first", table}, {"second", *again}}).takeError());
}

static void check(llvm::Expected<Table> table) {
  if (table)
    use(*table);
  else if (llvm::toString(table.takeError()).empty())
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  check(parseTable(text, "input"));
  for (TableFormat format : formats)
    check(importTable(text, format, "input"));
  return 0;
}
