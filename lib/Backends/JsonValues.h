// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a JSON document that know where they are in it.

#ifndef QBACKEND_LIB_BACKENDS_JSONVALUES_H
#define QBACKEND_LIB_BACKENDS_JSONVALUES_H

#include "qbackend/Dialect/QBackend/QBackend.h"
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

/// Reads an observer; null, after an error, if it isn't one.
ObserverAttr readObserver(const Cursor &cursor);

/// Reads and prints an entry of "qconfig_mappings".
mlir::LogicalResult readMapping(const Cursor &cursor, mlir::OpBuilder &builder,
                                llvm::StringRef name);
mlir::LogicalResult printMapping(QConfigMappingOp mapping,
                                 llvm::json::OStream &os);

} // namespace qbackend::json

#endif // QBACKEND_LIB_BACKENDS_JSONVALUES_H
