// RUN: split-file %s %t
// RUN: qbackend-opt %t/net.mlir --qbackend-calibrate=calibration=ranges | FileCheck %t/net.mlir
// RUN: not qbackend-opt %t/unknown.mlir --qbackend-calibrate=calibration=ranges 2>&1 | FileCheck %t/unknown.mlir

//--- net.mlir
// Of x in [-1, 2]: linear has sums of -1 * [2, -3] + 0.5 and 4 * x - 1.
// CHECK: @x <min_max, ui8> range [-1.000000e+00, 2.000000e+00]
// CHECK: @linear <min_max, ui8> range [-7.500000e+00, 7.500000e+00]
// CHECK: @relu <min_max, ui8> range [0.000000e+00, 7.500000e+00]
// CHECK: @sum <min_max, ui8> range [-1.000000e+00, 9.500000e+00]
// CHECK: @silu <min_max, ui8> range [-0.26894143223762512, 9.499
// CHECK: @shared <min_max, ui8> range [-7.500000e+00, 9.499
qbackend.observer @x <min_max, ui8>
qbackend.observer @linear <min_max, ui8>
qbackend.observer @relu <min_max, ui8>
qbackend.observer @sum <min_max, ui8>
qbackend.observer @silu <min_max, ui8>
qbackend.observer @shared <min_max, ui8>
func.func @main(%arg: tensor<1x2xf32> {qbackend.range = array<f64: -1.0, 2.0>}) -> tensor<1x4xf32> {
  %x = qbackend.observe %arg by @x : tensor<1x2xf32>
  %w = arith.constant dense<[[2.0, -3.0], [4.0, 0.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[0.5, -1.0]> : tensor<2xf32>
  %l = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) bias(%b) : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %c: tensor<2x2xf32>, %d: tensor<2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %lo = qbackend.observe %l by @linear : tensor<1x2xf32>
  %r = qbackend.operator [#qbackend.relu] inputs(%lo) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %ro = qbackend.observe %r by @relu : tensor<1x2xf32>
  %s = qbackend.operator [#qbackend.add] inputs(%ro, %x) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %c: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %so = qbackend.observe %s by @sum : tensor<1x2xf32>
  %u = qbackend.operator [#qbackend.silu] inputs(%so) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %uo = qbackend.observe %u by @silu : tensor<1x2xf32>
  %us = qbackend.observe %u by @shared : tensor<1x2xf32>
  %ls = qbackend.observe %l by @shared : tensor<1x2xf32>
  %k = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%us, %ls) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x2xf32>, %c: tensor<1x2xf32>):
    %e = tensor.empty() : tensor<1x4xf32>
    qbackend.yield %e : tensor<1x4xf32>
  }
  return %k : tensor<1x4xf32>
}

//--- unknown.mlir
// CHECK: error: calibration=ranges finds no range for 2 of the network's observers: x (argument 0 has no qbackend.range), y (div has no bounds)
qbackend.observer @x <min_max, ui8>
qbackend.observer @y <min_max, ui8>
func.func @main(%arg: tensor<1x2xf32>, %known: tensor<2x2xf32> {qbackend.range = array<f64: 0.0, 1.0>}) -> tensor<2x2xf32> {
  %x = qbackend.observe %arg by @x : tensor<1x2xf32>
  %m = qbackend.operator [#qbackend.div] inputs(%known, %known) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<2x2xf32>, %c: tensor<2x2xf32>):
    qbackend.yield %a : tensor<2x2xf32>
  }
  %y = qbackend.observe %m by @y : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
