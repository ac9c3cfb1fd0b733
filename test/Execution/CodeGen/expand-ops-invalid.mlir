// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --qbackend-expand-ops --split-input-file -verify-diagnostics -o /dev/null

// Bufferization would stop at a buffer of a number.
// expected-error @below {{is a number that is read as a variable; make it a tensor of rank 0}}
ml_program.global private mutable @count(1 : i32) : i32
func.func @main() -> i32 {
  %count = ml_program.global_load @count : i32
  return %count : i32
}

// -----

ml_program.global private @weight(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  // expected-error @below {{reads a global without a value; give it one, or pass it as an argument}}
  %weight = ml_program.global_load_const @weight : tensor<4xf32>
  return %weight : tensor<4xf32>
}
