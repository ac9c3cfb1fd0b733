// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --qbackend-lower-to-llvm -verify-diagnostics -o /dev/null

// Bufferization would stop at a buffer of a number.
// expected-error @below {{is a number that is read as a variable; make it a tensor of rank 0}}
ml_program.global private mutable @count(1 : i32) : i32
func.func @main() -> i32 {
  %count = ml_program.global_load @count : i32
  return %count : i32
}
