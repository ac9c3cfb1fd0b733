// RUN: qbackend-opt %s --qbackend-fuse=backend=@b --qbackend-calibrate=calibration=ranges | FileCheck %s

// How many inputs belong to the first of several operators is for its kind to
// say: a difference has two like a sum.

qbackend.backend_config @b version 2 {
  qbackend.pattern_config [sub, relu] <dtypes = [], fuser_method = "sequential_wrapper2">
  qbackend.pattern_config [matmul, relu] <dtypes = [], fuser_method = "sequential_wrapper2">
}

// Of x in [-1, 2] and y in [0, 3]: x - y is in [-4, 2], a sum of two products
// in 2 * [-3, 6].
// CHECK: @difference <min_max, ui8> range [0.000000e+00, 2.000000e+00]
// CHECK: @product <min_max, ui8> range [0.000000e+00, 1.200000e+01]
qbackend.observer @difference <min_max, ui8>
qbackend.observer @product <min_max, ui8>

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x2xf32> {{.*}}, %[[Y:.*]]: tensor<2x2xf32>
// CHECK: qbackend.operator [#qbackend.sub, #qbackend.relu] inputs(%[[X]], %[[Y]]) :
// CHECK: qbackend.operator [#qbackend.matmul, #qbackend.relu] inputs(%[[X]], %[[Y]]) :
func.func @main(%x: tensor<2x2xf32> {qbackend.range = array<f64: -1.0, 2.0>},
                %y: tensor<2x2xf32> {qbackend.range = array<f64: 0.0, 3.0>}) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = qbackend.operator [#qbackend.sub] inputs(%x, %y) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    %d = arith.subf %a, %b : tensor<2x2xf32>
    qbackend.yield %d : tensor<2x2xf32>
  }
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    qbackend.yield %a : tensor<2x2xf32>
  }
  %2 = qbackend.observe %1 by @difference : tensor<2x2xf32>
  %3 = qbackend.operator [#qbackend.matmul] inputs(%x, %y) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    qbackend.yield %a : tensor<2x2xf32>
  }
  %4 = qbackend.operator [#qbackend.relu] inputs(%3) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>):
    qbackend.yield %a : tensor<2x2xf32>
  }
  %5 = qbackend.observe %4 by @product : tensor<2x2xf32>
  return %2, %5 : tensor<2x2xf32>, tensor<2x2xf32>
}
