// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What configurations say, as text, and what kinds are known to have.

#ifndef QBACKEND_LIB_INSIGHT_EXPLANATION_DESCRIBE_H
#define QBACKEND_LIB_INSIGHT_EXPLANATION_DESCRIBE_H

#include "qbackend/Dialect/QBackend/OperatorKinds.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend::inspection {

/// The pattern as it is written: [conv2d, relu], or relu(add(conv2d, _)).
std::string stringifyPattern(mlir::Attribute pattern);

/// `attr` as MLIR prints it; a name without its quotes.
std::string stringify(mlir::Attribute attr);

/// A number with as few digits as tell it apart.
std::string stringify(double number);

/// How many arguments, tensors and numbers, an operator of `kind` takes;
/// nullopt if that varies or is not known.
std::optional<unsigned> getNumArguments(llvm::StringRef kind);

/// True if `kind` has a weight, and may have a bias; of ops of other dialects,
/// their patterns say so.
bool hasWeight(PatternConfigOp pattern);

/// True if operators of the kind come out of raising: it is one of the
/// dialect's, or the name of an op.
bool isProduced(llvm::StringRef kind);

/// The kind that says which qconfig the operator of a pattern has: the first
/// one of what becomes one operator, else the last.
llvm::StringRef getQConfigKind(PatternConfigOp pattern);

/// The entry of `mapping` for operators of `kind` that nothing selects by name;
/// null if there is none.
QConfigOp lookupKind(QConfigMappingOp mapping, llvm::StringRef kind);

/// `pattern` with nothing but the dtype config `config`.
PatternAttr getOnly(DTypeConfigAttr config);

/// Up to three of `candidates` that are most like `wanted`, with commas.
std::string listNearest(llvm::StringRef wanted,
                        llvm::ArrayRef<llvm::StringRef> candidates);

/// All kinds that someone knows: the dialect's, PyTorch's, the backend's.
llvm::SmallVector<llvm::StringRef> getKnownKinds(BackendConfigOp backend);

/// The patterns and the mappings of a backend, in its order.
inline auto getPatterns(BackendConfigOp backend) {
  return backend.getBody().front().getOps<PatternConfigOp>();
}
inline auto getMappings(BackendConfigOp backend) {
  return backend.getBody().front().getOps<QConfigMappingOp>();
}
inline auto getEntries(QConfigMappingOp mapping) {
  return mapping.getBody().front().getOps<QConfigOp>();
}

} // namespace qbackend::inspection

#endif // QBACKEND_LIB_INSIGHT_EXPLANATION_DESCRIBE_H
