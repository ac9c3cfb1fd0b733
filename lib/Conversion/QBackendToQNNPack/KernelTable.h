// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel each operator kind has.

#ifndef QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELTABLE_H
#define QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELTABLE_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace qbackend {

class KernelBuilder;

/// How the integers of a kind are computed.
struct KernelEntry {
  /// The result of the kernel, or null if there is none in this form; null if
  /// the kind has none in any.
  std::function<mlir::Value(KernelBuilder &builder, mlir::Attribute kind)>
      create;
  /// The parameters of its result, given those of its first input; null, or
  /// giving null, if it takes any.
  mlir::quant::UniformQuantizedType (*getResultElement)(
      mlir::Attribute kind, mlir::quant::UniformQuantizedType input) = nullptr;
  /// Whether it computes a relu behind it, too.
  bool takesRelu = false;
  /// Whether it requantizes as its pattern asks it to.
  bool takesRequantization = false;
  /// Why there is none.
  llvm::StringRef reason;

  /// Of a kernel whose result has the parameters of its input.
  static KernelEntry ofInput() {
    KernelEntry entry;
    entry.getResultElement = [](mlir::Attribute,
                                mlir::quant::UniformQuantizedType input) {
      return input;
    };
    return entry;
  }
  /// Of one that computes a relu behind it, too.
  static KernelEntry withRelu() {
    KernelEntry entry;
    entry.takesRelu = true;
    return entry;
  }
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

  /// The kernels of kinds, each with a function that creates it.
  template <typename... KindTs>
  void add(const KernelEntry &entry,
           mlir::Value (*...create)(KernelBuilder &, KindTs)) {
    (addOne(entry, create), ...);
  }
  template <typename... KindTs> void addMissing(llvm::StringRef reason) {
    KernelEntry entry;
    entry.reason = reason;
    (set<KindTs>(entry), ...);
  }

private:
  KernelTable();

  const KernelEntry *lookup(mlir::TypeID type) const {
    return &byType.find(type)->second;
  }
  template <typename KindT> void set(KernelEntry entry) {
    byType[mlir::TypeID::get<KindT>()] = std::move(entry);
    byName[KindT::getMnemonic()] = mlir::TypeID::get<KindT>();
  }
  template <typename KindT>
  void addOne(KernelEntry entry,
              mlir::Value (*create)(KernelBuilder &, KindT)) {
    entry.create = [create](KernelBuilder &builder, mlir::Attribute kind) {
      return create(builder, mlir::cast<KindT>(kind));
    };
    set<KindT>(std::move(entry));
  }

  llvm::DenseMap<mlir::TypeID, KernelEntry> byType;
  llvm::StringMap<mlir::TypeID> byName;
};

/// The kinds of each family, those without a kernel among them.
void addActivations(KernelTable &table);
void addBinary(KernelTable &table);
void addMovement(KernelTable &table);
void addNormalizations(KernelTable &table);
void addPooling(KernelTable &table);
void addWeighted(KernelTable &table);

} // namespace qbackend

#endif // QBACKEND_LIB_CONVERSION_QBACKENDTOQNNPACK_KERNELTABLE_H
