// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that several passes have.

#ifndef QBACKEND_TRANSFORMS_PASSOPTIONS
#define QBACKEND_TRANSFORMS_PASSOPTIONS

include "mlir/Pass/PassBase.td"

defvar BackendOption = Option<"backend", "backend", "std::string", "\"qnnpack\"",
    "Name of a built-in backend, path of a configuration file, or @symbol of "
    "a qbackend.backend_config in the module">;
defvar QConfigOption = Option<"qconfig", "qconfig", "std::string", "\"\"",
    "Name of a qconfig mapping of the backend, or @symbol of one in the "
    "module; empty: the backend's default">;

defvar SharingOption = Option<"sharing", "sharing", "::qbackend::Sharing",
    "::qbackend::Sharing::Groups",
    "Which values have one observer, where outputs share their inputs'", [{
      ::llvm::cl::values(
        clEnumValN(::qbackend::Sharing::Groups, "groups",
                   "all that share with each other, directly or not"),
        clEnumValN(::qbackend::Sharing::FX, "fx",
                   "PyTorch FX's: operator by operator, the first input's"))
    }]>;

defvar QuantizedInputsOption = ListOption<"quantizedInputs", "quantized-inputs",
    "int64_t", "Numbers of the arguments of the function that are integers for "
    "its caller">;
defvar QuantizedOutputsOption = ListOption<"quantizedOutputs",
    "quantized-outputs", "int64_t", "Numbers of the results of the function "
    "that are integers for its caller">;

defvar EntryOption = Option<"entry", "entry", "std::string", "\"\"",
    "Function that is the network; empty: main, forward, or the only public "
    "one">;

defvar KeepFloatOption = ListOption<"keepFloat", "keep-float", "std::string",
    "Names of operators, or of modules that they are in, that stay float">;

defvar LowerToOption = Option<"lowerTo", "lower-to", "std::string", "\"\"",
    "reference, or a form of the backend's engine; empty: what the backend lowers "
    "to">;

defvar NamedOpsOption = Option<"backend", "backend", "std::string", "\"\"",
    "Backend whose patterns may name ops: a built-in name, the path of a "
    "configuration file, or @symbol in the module; empty: none">;

#endif // QBACKEND_TRANSFORMS_PASSOPTIONS
