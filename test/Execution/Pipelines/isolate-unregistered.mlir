// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op that nobody knows refers to isn't known: no function can be called unused,
// or get another name.
// RUN: not qbackend-opt %s --allow-unregistered-dialect --qbackend-isolate-network=entry=net 2>&1 | FileCheck %s

// CHECK: isolate-unregistered.mlir:[[@LINE+2]]:1: error: operation contains potentially unknown symbol table
// CHECK: error: cannot tell which functions the module uses; it may have an op of a dialect that is not registered{{$}}
func.func @net(%x: tensor<4xf32>) -> tensor<4xf32> {
  "strange.op"() ({
    "strange.end"() {callee = @malloc} : () -> ()
  }) : () -> ()
  %y = func.call @malloc(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @malloc(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
