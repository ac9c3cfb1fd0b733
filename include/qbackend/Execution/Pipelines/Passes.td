// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module of any stage to plain code that may be compiled and run.

#ifndef QBACKEND_EXECUTION_PIPELINES_PASSES
#define QBACKEND_EXECUTION_PIPELINES_PASSES

include "mlir/Pass/PassBase.td"
include "qbackend/Transforms/PassOptions.td"

def IsolateNetworkPass
    : Pass<"qbackend-isolate-network", "::mlir::ModuleOp"> {
  let summary = "leave what a function reaches, if it only computes tensors";
  let description = [{
    Before: a module after `qbackend-execution-pipeline`. After: `entry` is its only
    public function, and what that doesn't reach is gone, as are all attributes of
    others than this project that no op asks for: those that bring code of their own
    (`llvm.module_asm`), or that passes and LLVM believe (`passthrough`,
    `bufferization.buffer_layout`, `target_features`, `llvm.byval` of a call's
    argument, a subprogram in a location). A module is data, often someone else's: an
    op on memory, a type of memory or of another dialect in a type or an attribute, a
    call of a function without a body, functions that call themselves, a tensor of
    more than 2^31 elements, a constant without its data, and arithmetic on other
    numbers than f16, bf16, f32, f64 and integers of at most 128 bits are errors.
    Functions with the name of one that LLVM may call get another one; for `entry`,
    which others call by its name, that is an error. What is run, and what is compiled
    to an object, passes here first.
  }];
  let options = [EntryOption];
}

def LowerObserversPass : Pass<"qbackend-lower-observers", "::mlir::ModuleOp"> {
  let summary = "observers to calls of what records them";
  let description = [{
    Before: inlined operators with observers. After: no observer is left. With a
    `hook`, the `n`-th `qbackend.observe` of the module, in the order of the
    code, calls the private function of that name with `n` and its tensor;
    without one it does nothing.
  }];
  let options = [Option<"hook", "hook", "std::string", "\"\"",
    "Name of the function that observers call; empty: none">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerEnginesPass : Pass<"qbackend-lower-engines", "::mlir::ModuleOp"> {
  let summary = "kernels of all engines, and ops of hosts, to code that runs";
  let description = [{
    Before: kernels of any engine, and ops of dialects that implement
    `RunnableDialectInterface`. After: `int8` kernels and upstream dialects. What
    an engine has no form `linalg` for, and other dialects, stay.
  }];
}

#endif // QBACKEND_EXECUTION_PIPELINES_PASSES
