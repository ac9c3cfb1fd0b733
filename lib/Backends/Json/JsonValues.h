// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a JSON document that know where they are in it.

#ifndef QBACKEND_LIB_BACKENDS_JSON_JSONVALUES_H
#define QBACKEND_LIB_BACKENDS_JSON_JSONVALUES_H

#include "qbackend/Dialect/QBackend/Edges.h"
#include "llvm/Support/JSON.h"

namespace qbackend::json {

/// A value, and its path: configs[3].dtype_configs[0]. The getters return
/// nothing, after an error at that path, if the value is of another type.
class Cursor {
public:
  Cursor(const llvm::json::Value &value, mlir::MLIRContext *context,
         std::string path)
      : value(&value), context(context), path(std::move(path)) {}

  const llvm::json::Value &getValue() const { return *value; }
  mlir::MLIRContext *getContext() const { return context; }
  mlir::Location getLoc() const;
  mlir::InFlightDiagnostic emitError() const {
    return mlir::emitError(getLoc());
  }
  bool isNull() const { return value->kind() == llvm::json::Value::Null; }

  std::optional<llvm::StringRef> getString() const;
  std::optional<bool> getBoolean() const;
  std::optional<int64_t> getInteger() const;
  /// An f64 attribute; null on failure.
  mlir::FloatAttr getNumber() const;
  std::optional<std::vector<Cursor>> getArray() const;
  /// The members, sorted by key.
  std::optional<std::vector<std::pair<llvm::StringRef, Cursor>>>
  getObject() const;

  /// Sets what a member says; false after an error.
  using Reader = llvm::function_ref<bool(const Cursor &member)>;
  /// Has each member of an object read by the one of its key, in the order of
  /// keys; null is as none. False after an error, such as another key.
  bool readMembers(
      std::initializer_list<std::pair<llvm::StringRef, Reader>> readers) const;

  /// Says that `key` is not one of `known`, of which the nearest is named.
  void emitUnknownKey(llvm::StringRef key,
                      llvm::ArrayRef<llvm::StringRef> known) const;

private:
  mlir::InFlightDiagnostic emitWrongType(llvm::StringRef expected) const;

  const llvm::json::Value *value;
  mlir::MLIRContext *context;
  std::string path;
};

/// The symbol of a backend without a name, as PyTorch has them: a symbol can't
/// be empty.
inline constexpr llvm::StringLiteral kNoName = "_";

/// PyTorch's name of a dtype ("quint8", also "torch.quint8"), and back. Null if
/// there is no such dtype.
mlir::Type parseDType(mlir::MLIRContext *context, llvm::StringRef name);
llvm::StringRef stringifyDType(mlir::Type type);
/// A dtype; null, after an error, if it isn't one.
mlir::Type readDType(const Cursor &cursor);

/// A dtype with its constraints, or a name alone; null, after an error, if it
/// isn't one.
DTypeAttr readDTypeWithConstraints(const Cursor &cursor);
/// Prints one of them as the member `key`.
void printDType(llvm::StringRef key, DTypeAttr dtype, llvm::json::OStream &os);

/// Reads an observer; null, after an error, if it isn't one.
ObserverAttr readObserver(const Cursor &cursor);
/// Prints one. Fails, and says so at `op`, on a number that JSON has no form
/// for.
mlir::LogicalResult printObserver(ObserverAttr observer, mlir::Operation *op,
                                  llvm::json::OStream &os);

/// An array of names; null after an error.
mlir::ArrayAttr readNames(const Cursor &cursor);

/// Reads and prints the "edges" of a pattern. A spec is "own", "none",
/// {"own": OBSERVER}, {"shared": "input0"}, {"shared_or_own": "producer"} or
/// {"derived": "scale_product", "from": ["input0", "weight"], "dtype": DTYPE}.
EdgesAttr readEdges(const Cursor &cursor);
mlir::LogicalResult printEdges(EdgesAttr edges, mlir::Operation *op,
                               llvm::json::OStream &os);
/// Reads and prints the "requantization" of a pattern: {"rounding": "double",
/// "multiplier": "fixed_point"} with or without a "quotient".
RequantizationRuleAttr readRequantization(const Cursor &cursor);
void printRequantization(RequantizationRuleAttr rule, llvm::json::OStream &os);
/// Reads and prints the "limits" of a backend, each {"kinds": [...],
/// "condition": "stride <= 3"} with or without a "reason".
mlir::LogicalResult readLimits(const Cursor &cursor, mlir::OpBuilder &builder);
void printLimits(BackendConfigOp config, llvm::json::OStream &os);

/// Reads and prints an entry of "qconfig_mappings".
mlir::LogicalResult readMapping(const Cursor &cursor, mlir::OpBuilder &builder,
                                llvm::StringRef name);
mlir::LogicalResult printMapping(QConfigMappingOp mapping,
                                 llvm::json::OStream &os);

} // namespace qbackend::json

#endif // QBACKEND_LIB_BACKENDS_JSON_JSONVALUES_H
