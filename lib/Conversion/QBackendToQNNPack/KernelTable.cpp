// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel each operator kind has.

#include "KernelTable.h"

#include "qbackend/Conversion/QBackendToQNNPack.h"

using namespace mlir;
using namespace qbackend;

KernelTable::KernelTable() {
  addActivations(*this);
  addBinary(*this);
  addMovement(*this);
  addNormalizations(*this);
  addPooling(*this);
  addWeighted(*this);
}

const KernelTable &KernelTable::get() {
  static const KernelTable table;
  return table;
}

std::optional<StringRef> qbackend::whyNoQNNPackKernel(StringRef kindName) {
  const KernelEntry *entry = KernelTable::get().lookup(kindName);
  if (!entry)
    return std::nullopt;
  return entry->reason;
}
