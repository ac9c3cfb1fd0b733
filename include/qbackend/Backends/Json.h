// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations as JSON: PyTorch's BackendConfig.to_dict and from_dict.

#ifndef QBACKEND_BACKENDS_JSON_H
#define QBACKEND_BACKENDS_JSON_H

#include "qbackend/Backends/Backends.h"

namespace qbackend {

/// Prints `config` with the keys of PyTorch's `BackendConfig.to_dict`: `name`
/// and `configs`. What is not PyTorch's follows: `lowering`, `default_qconfig`,
/// `qconfig_mappings`, each left out if there is none. Enums are their names,
/// dtypes PyTorch's ("quint8"), modules, functions and methods dotted names.
/// `root_node_getter` is the list of operand indices of `root`,
/// `extra_inputs_getter` the list of such lists of `extra_inputs`. Fails, and
/// says so, on a number that JSON has no form for.
mlir::LogicalResult toJSON(BackendConfigOp config, llvm::raw_ostream &os);

/// Prints `config` as a Python file with a quantizer of exported programs (PT2E)
/// that annotates by it, for a PyTorch without this project. Fails, and says so,
/// on what quantizers have no counterpart of: limits, qconfigs by number, or if no
/// pattern names operators of exported programs.
mlir::LogicalResult toPython(BackendConfigOp config, llvm::raw_ostream &os);

/// The configuration of such text, as a module with one backend_config. A later
/// entry of the same pattern replaces an earlier one, in its place. Fails, and
/// says so with the path of the value ("configs[3].observation_type"), on text
/// that is no JSON, on keys and values that are not known, and on what the
/// verifiers refuse.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
fromJSON(llvm::StringRef text, mlir::MLIRContext *context);

/// One mapping, with the keys of PyTorch's `QConfigMapping.to_dict`. A qconfig
/// is
/// {"activation": OBSERVER, "weight": OBSERVER} or null, an observer
/// {"observer": "MinMaxObserver", "dtype": "qint8", ...} without the arguments
/// that are PyTorch's defaults; "fake_quantize" is the class that it is inside
/// of.
mlir::LogicalResult toJSON(QConfigMappingOp mapping, llvm::raw_ostream &os);

/// The mapping of such text, called `name`, as a module that holds it. Fails as
/// the one above.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
mappingFromJSON(llvm::StringRef text, llvm::StringRef name,
                mlir::MLIRContext *context);

/// The observer of such text, {"observer": "MinMaxObserver", "dtype": "qint8"}.
/// Fails as those above.
mlir::FailureOr<ObserverAttr> observerFromJSON(llvm::StringRef text,
                                               mlir::MLIRContext *context);

/// Prints the table of qbackend/Calibration/ObserverKinds.h: "observers" has
/// {"kind": "min_max", "observer": "MinMaxObserver", "torch": true,
///  "per_channel": false, "arguments": {"dtype": "quint8", ...}} for each kind.
/// An argument without a default is null. "fake_quantizers" are the classes
/// that an observer can be inside of.
void printObserverKinds(llvm::raw_ostream &os);

} // namespace qbackend

#endif // QBACKEND_BACKENDS_JSON_H
