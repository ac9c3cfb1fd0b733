// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that print what is known of a network.

#ifndef QBACKEND_INSIGHT_EXPLANATION_PASSES
#define QBACKEND_INSIGHT_EXPLANATION_PASSES

include "mlir/Pass/PassBase.td"
include "qbackend/Transforms/PassOptions.td"

def PrintOperatorsPass
    : Pass<"qbackend-print-operators", "::mlir::ModuleOp"> {
  let summary = "print the graph of operators, whatever the spelling";
  let description = [{
    Raises a copy of the module, and prints to stdout what it computes, one
    operator a line: its number, kind, attributes, the shape of its weight and
    of its result, and the numbers of its inputs. The text is the same for each
    spelling of a network: transposes at the edges and changes of dimensions of
    size 1 are left out, and so are these dimensions, which axes don't count; sums
    don't depend on the order of their operands, and the order of lines is that
    in which results need them. What is no operator
    has a question mark. The last line is the share of floating-point operations
    that no operator does. The module stays as it is; `qbackend-opt` doesn't
    print it, unless `-o` names a file.
  }];
  let options = [NamedOpsOption];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrintObserversPass
    : Pass<"qbackend-print-observers", "::mlir::ModuleOp"> {
  let summary = "print the groups of values that share an observer";
  let description = [{
    Observes a copy of the module, and prints to stdout its operators, one a
    line: number, what its result is called, kinds, inputs, which ones were
    fused, and the observers of its weight, and of its activations if they are
    not observed here; then each observer with its class, type, range, scheme
    and smallest scale, and below it a line for each value that it sees, with
    the numbers of the operators that read what was observed. A value that
    another observer sees before is `after` that one. With `format=dot` it is a
    graph for Graphviz, in which the values of an observer are one cluster.

    A module with observers is printed as it is. The module stays as it is;
    `qbackend-opt` doesn't print it, unless `-o` names a file.
  }];
  let options = [BackendOption, QConfigOption, SharingOption, EntryOption,
    Option<"format", "format", "::qbackend::GraphFormat",
           "::qbackend::GraphFormat::Text", "Form of the output", [{
      ::llvm::cl::values(
        clEnumValN(::qbackend::GraphFormat::Text, "text", "lines"),
        clEnumValN(::qbackend::GraphFormat::Dot, "dot", "Graphviz"))
    }]>];
  let dependentDialects = ["::qbackend::QBackendDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // QBACKEND_INSIGHT_EXPLANATION_PASSES
