// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s

// What nobody reads is no other reader of what an operator is made of.

// CHECK: 0: elu<alpha = 1.000000e+00> [4, 6] <- input0
// CHECK-NEXT: result 0
func.func @elu(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x6xf32>
  %one = arith.constant dense<1.0> : tensor<4x6xf32>
  %p = arith.maximumf %x, %zero : tensor<4x6xf32>
  %n = arith.minimumf %x, %zero : tensor<4x6xf32>
  %e = math.exp %n : tensor<4x6xf32>
  %dead = math.log %e : tensor<4x6xf32>
  %dead2 = arith.addf %dead, %n : tensor<4x6xf32>
  %m = arith.subf %e, %one : tensor<4x6xf32>
  %r = arith.addf %p, %m : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
