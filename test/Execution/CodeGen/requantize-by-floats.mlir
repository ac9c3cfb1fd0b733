// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-requantize-by-floats="target-triple=x86_64-linux-gnu target-features=+avx2,+fma" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-requantize-by-floats="target-triple=aarch64-linux-gnu" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-requantize-by-floats="target-triple=x86_64-linux-gnu target-features=+avx2" | FileCheck %s --check-prefix=INTEGERS
// RUN: not qbackend-opt %s -qbackend-requantize-by-floats="target-triple=none-such" 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: error: qbackend-requantize-by-floats: target-triple 'none-such{{.*}}' is not known
// INTEGERS-NOT: f32

// A product of two bytes, with two roundings: numbers for either sign.
// CHECK-LABEL: func.func @product
// CHECK: %[[PRODUCT:.*]] = arith.muli
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[PRODUCT]],
// CHECK: %[[OFFSET:.*]] = arith.select %[[NEGATIVE]], %{{.*}} : i32
// CHECK: %[[ADDEND:.*]] = arith.select %[[NEGATIVE]], %{{.*}} : f32
// CHECK: %[[SUM:.*]] = arith.addi %[[PRODUCT]], %[[OFFSET]] : i32
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[SUM]] : i32 to f32
// CHECK: %[[SCALED:.*]] = math.fma %[[FLOAT]], %{{.*}}, %[[ADDEND]] : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SCALED]] : f32 to i32
// CHECK: %[[INTEGER:.*]] = arith.subi %[[BITS]],
// CHECK: return %[[INTEGER]]
// CHECK-NOT: i64
// INTEGERS-LABEL: func.func @product
// INTEGERS: arith.shrsi %{{.*}} : i64
func.func @product(%a: i8, %b: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %za = arith.constant -128 : i32
  %m = arith.constant 1417339207 : i64
  %half = arith.constant 137438953472 : i64
  %up = arith.constant 1073741824 : i64
  %down = arith.constant -1073741824 : i64
  %shift = arith.constant 38 : i64
  %0 = arith.extsi %a : i8 to i32
  %1 = arith.subi %0, %za : i32
  %2 = arith.extsi %b : i8 to i32
  %3 = arith.muli %1, %2 : i32
  %4 = arith.extsi %3 : i32 to i64
  %5 = arith.muli %4, %m : i64
  %6 = arith.addi %5, %half : i64
  %7 = arith.cmpi sge, %3, %zero : i32
  %8 = arith.select %7, %up, %down : i64
  %9 = arith.addi %6, %8 : i64
  %10 = arith.shrsi %9, %shift : i64
  %11 = arith.trunci %10 : i64 to i32
  return %11 : i32
}

// Times 1, of any integer, and without floats.
// CHECK-LABEL: func.func @same
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK-NEXT: return %[[X]]
// INTEGERS-LABEL: func.func @same
// INTEGERS-SAME: (%[[X:.*]]: i32)
// INTEGERS-NEXT: return %[[X]]
func.func @same(%x: i32) -> i32 {
  %m = arith.constant 1073741824 : i64
  %half = arith.constant 536870912 : i64
  %shift = arith.constant 30 : i64
  %0 = arith.extsi %x : i32 to i64
  %1 = arith.muli %0, %m : i64
  %2 = arith.addi %1, %half : i64
  %3 = arith.shrsi %2, %shift : i64
  %4 = arith.trunci %3 : i64 to i32
  return %4 : i32
}

// It is not known how large the sum is; a half that is another number rounds
// otherwise; and the second rounding is of another number's sign.
// CHECK-LABEL: func.func @others
// CHECK-NOT: f32
// CHECK-COUNT-3: arith.shrsi %{{.*}} : i64
// CHECK-NOT: f32
func.func @others(%x: i32, %a: i8, %b: i8) -> (i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %m = arith.constant 1417339207 : i64
  %half = arith.constant 137438953472 : i64
  %less = arith.constant 137438953471 : i64
  %up = arith.constant 1073741824 : i64
  %down = arith.constant -1073741824 : i64
  %shift = arith.constant 38 : i64
  %0 = arith.extsi %x : i32 to i64
  %1 = arith.muli %0, %m : i64
  %2 = arith.addi %1, %half : i64
  %3 = arith.shrsi %2, %shift : i64
  %4 = arith.trunci %3 : i64 to i32
  %5 = arith.extsi %a : i8 to i32
  %6 = arith.extsi %5 : i32 to i64
  %7 = arith.muli %6, %m : i64
  %8 = arith.addi %7, %less : i64
  %9 = arith.shrsi %8, %shift : i64
  %10 = arith.trunci %9 : i64 to i32
  %11 = arith.extsi %b : i8 to i32
  %12 = arith.addi %7, %half : i64
  %13 = arith.cmpi sge, %11, %zero : i32
  %14 = arith.select %13, %up, %down : i64
  %15 = arith.addi %12, %14 : i64
  %16 = arith.shrsi %15, %shift : i64
  %17 = arith.trunci %16 : i64 to i32
  return %4, %10, %17 : i32, i32, i32
}
