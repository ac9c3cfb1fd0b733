// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel each operator kind has.

#ifndef QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELTABLE_H
#define QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELTABLE_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace qbackend {

class KernelBuilder;

/// How the integers of a kind are computed.
struct KernelEntry {
  /// The result of the kernel, or null if there is none in this form; null if
  /// the kind has none in any.
  mlir::Value (*create)(KernelBuilder &builder, mlir::Attribute kind) = nullptr;
  /// The parameters of its result, given those of its first input; null, or
  /// giving null, if it takes any.
  mlir::quant::UniformQuantizedType (*getResultElement)(
      mlir::Attribute kind, mlir::quant::UniformQuantizedType input) = nullptr;
  /// Whether it computes a relu behind it, too.
  bool takesRelu = false;
  /// Why there is none.
  llvm::StringRef reason;
};

/// By the kinds' TypeID. Each kind of the qbackend dialect has an entry, with a
/// kernel or without; those of others have none.
class KernelTable {
public:
  static const KernelTable &get();

  /// Null if nothing is said of the kind.
  const KernelEntry *lookup(mlir::Attribute kind) const {
    auto it = byType.find(kind.getTypeID());
    return it == byType.end() ? nullptr : &it->second;
  }
  const KernelEntry *lookup(llvm::StringRef kindName) const {
    auto it = byName.find(kindName);
    return it == byName.end() ? nullptr : lookup(it->second);
  }

private:
  KernelTable();

  const KernelEntry *lookup(mlir::TypeID type) const {
    return &byType.find(type)->second;
  }
  template <typename KindT> void add(KernelEntry entry) {
    byType[mlir::TypeID::get<KindT>()] = entry;
    byName[KindT::getMnemonic()] = mlir::TypeID::get<KindT>();
  }
  /// The kernels that KernelBuilder creates for these kinds.
  template <typename... KindTs> void addKernels(KernelEntry entry);
  template <typename... KindTs> void addMissing(llvm::StringRef reason) {
    KernelEntry entry;
    entry.reason = reason;
    (add<KindTs>(entry), ...);
  }

  llvm::DenseMap<mlir::TypeID, KernelEntry> byType;
  llvm::StringMap<mlir::TypeID> byName;
};

} // namespace qbackend

#endif // QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELTABLE_H
