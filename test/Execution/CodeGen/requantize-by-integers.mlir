// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s -qbackend-requantize-by-integers="target-triple=thumbv6m-none-eabi target-cpu=cortex-m0plus" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-requantize-by-integers="target=portable" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-requantize-by-integers="target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4" | FileCheck %s --check-prefix=FLOAT

// FLOAT-NOT: requantize_
// FLOAT-NOT: qbackend-float-layers

// An average of six: f32(1/6) is 11184811 * 2^-26.
// CHECK-LABEL: func.func @average
// CHECK-SAME: (%[[SUM:.*]]: i32) -> i32
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant 11184811 : i32
// CHECK: %[[ROUNDED:.*]] = call @requantize_26(%[[SUM]], %[[FACTOR]]) : (i32, i32) -> i32
// CHECK: arith.maxsi %[[ROUNDED]]
// CHECK-NOT: f32
func.func @average(%sum: i32) -> i32 {
  %m = arith.constant 0.16666667 : f32
  %lo = arith.constant -37 : i32
  %hi = arith.constant 218 : i32
  %0 = arith.sitofp %sum : i32 to f32
  %1 = arith.mulf %0, %m : f32
  %2 = math.roundeven %1 : f32
  %3 = arith.fptosi %2 : f32 to i32
  %4 = arith.maxsi %3, %lo : i32
  %5 = arith.minsi %4, %hi : i32
  return %5 : i32
}

// Vectors, of narrow integers, with what is added before the limits: a call for each
// lane.
// CHECK-LABEL: func.func @vectors
// CHECK: arith.extsi %{{.*}} : vector<2xi16> to vector<2xi32>
// CHECK-COUNT-2: call @requantize_26(
// CHECK: arith.addi
func.func @vectors(%sum: vector<2xi16>) -> vector<2xi32> {
  %scalar = arith.constant 0.16666667 : f32
  %m = vector.broadcast %scalar : f32 to vector<2xf32>
  %zero_point = arith.constant dense<37> : vector<2xi32>
  %lo = arith.constant dense<0> : vector<2xi32>
  %hi = arith.constant dense<255> : vector<2xi32>
  %0 = arith.sitofp %sum : vector<2xi16> to vector<2xf32>
  %1 = arith.mulf %m, %0 : vector<2xf32>
  %2 = math.roundeven %1 : vector<2xf32>
  %3 = arith.fptosi %2 : vector<2xf32> to vector<2xi32>
  %4 = arith.addi %3, %zero_point : vector<2xi32>
  %5 = arith.minsi %4, %hi : vector<2xi32>
  %6 = arith.maxsi %5, %lo : vector<2xi32>
  return %6 : vector<2xi32>
}

// A table: 1/4 and 1/9, f32(1/9) = 14913081 * 2^-27. The mantissa is moved to a shift of
// 27: by 27 - 150 and the exponent.
memref.global "private" constant @table : memref<2xf32> = dense<[0.25, 0.11111111]>
// CHECK-LABEL: func.func @from_table
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[FRACTION:.*]] = arith.constant 8388607 : i32
// CHECK: arith.andi %[[BITS]], %[[FRACTION]]
// CHECK: arith.constant 8388608 : i32
// CHECK: %[[EXPONENT:.*]] = arith.shrui %[[BITS]]
// CHECK: %[[MOVE:.*]] = arith.constant -123 : i32
// CHECK: %[[PLACES:.*]] = arith.addi %[[EXPONENT]], %[[MOVE]]
// CHECK: arith.shli %{{.*}}, %[[PLACES]]
// CHECK: call @requantize_27(
func.func @from_table(%sum: i32, %i: index) -> i32 {
  %table = memref.get_global @table : memref<2xf32>
  %m = memref.load %table[%i] : memref<2xf32>
  %lo = arith.constant -256 : i32
  %hi = arith.constant 256 : i32
  %0 = arith.sitofp %sum : i32 to f32
  %1 = arith.mulf %0, %m : f32
  %2 = math.roundeven %1 : f32
  %3 = arith.fptosi %2 : f32 to i32
  %4 = arith.maxsi %3, %lo : i32
  %5 = arith.minsi %4, %hi : i32
  return %5 : i32
}

// What the proof doesn't hold for stays, and the layers are named: limits beyond 256 (one
// on each side), a multiplier of 1, one that isn't known, and a sum before it is rounded.
// CHECK-LABEL: func.func @stays
// CHECK-SAME: ["qbackend-float-layers", "above;below;one;any;moved"]
// CHECK-NOT: call
// CHECK: return
func.func @stays(%sum: i32, %any: f32) -> (i32, i32, i32, i32, i32) {
  %m = arith.constant 0.16666667 : f32
  %one = arith.constant 1.0 : f32
  %lo = arith.constant 0 : i32
  %hi = arith.constant 255 : i32
  %below = arith.constant -257 : i32
  %above = arith.constant 257 : i32
  %a = arith.sitofp %sum : i32 to f32 loc("above")
  %b = arith.mulf %a, %m : f32 loc("above")
  %c = math.roundeven %b : f32 loc("above")
  %d = arith.fptosi %c : f32 to i32 loc("above")
  %e = arith.maxsi %d, %lo : i32 loc("above")
  %f = arith.minsi %e, %above : i32 loc("above")
  %g = arith.fptosi %c : f32 to i32 loc("below")
  %h = arith.maxsi %g, %below : i32 loc("below")
  %i = arith.minsi %h, %hi : i32 loc("below")
  %j = arith.mulf %a, %one : f32 loc("one")
  %k = math.roundeven %j : f32 loc("one")
  %l = arith.fptosi %k : f32 to i32 loc("one")
  %n = arith.maxsi %l, %lo : i32 loc("one")
  %o = arith.minsi %n, %hi : i32 loc("one")
  %p = arith.mulf %a, %any : f32 loc("any")
  %q = math.roundeven %p : f32 loc("any")
  %r = arith.fptosi %q : f32 to i32 loc("any")
  %s = arith.maxsi %r, %lo : i32 loc("any")
  %t = arith.minsi %s, %hi : i32 loc("any")
  %u = arith.addf %b, %one : f32 loc("moved")
  %v = math.roundeven %u : f32 loc("moved")
  %w = arith.fptosi %v : f32 to i32 loc("moved")
  %x = arith.maxsi %w, %lo : i32 loc("moved")
  %y = arith.minsi %x, %hi : i32 loc("moved")
  return %f, %i, %o, %t, %y : i32, i32, i32, i32, i32
}
