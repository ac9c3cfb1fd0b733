// RUN: qbackend-opt %s --qbackend-convert | FileCheck %s

// A weight is observed by what its qconfig says, once: 18 numbers from -0.17 to
// 0.17 by 0.02, -1 and 2, to 100 integers on each side. The range of all of them
// is 2 on one side; `percentile` = 90 leaves out one at each end.

#min_max = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric, quant_min = -100, quant_max = 100>>
#moving = #qbackend.qconfig<activation = <min_max, ui8>, weight = <moving_average_min_max, si8, per_tensor_symmetric, quant_min = -100, quant_max = 100>>
#percentile = #qbackend.qconfig<activation = <min_max, ui8>, weight = <percentile, si8, per_tensor_symmetric, percentile = 90.0, quant_min = -100, quant_max = 100>>
!x = tensor<1x20xf32>
!y = tensor<1x1xf32>

qbackend.observer @half <min_max, ui8> range [-1.0, 126.5] scale 0.5 zero_point 2

// CHECK-LABEL: func.func @main
// CHECK: quant.scast %{{[^ ]*}} : tensor<1x20xi8> to tensor<1x20x!quant.uniform<i8:f32, 0.019999999552965164>>
// CHECK: quant.scast %{{[^ ]*}} : tensor<1x20xi8> to tensor<1x20x!quant.uniform<i8:f32, 0.019999999552965164>>
// The numbers left are at most a cell of the grid, 2^-10, from 0.17.
// CHECK: quant.scast %{{[^ ]*}} : tensor<1x20xi8> to tensor<1x20x!quant.uniform<i8:f32, 0.0017{{[0-9]*}}>>
func.func @main(%x: !x) -> (!y, !y, !y) {
  %w = arith.constant dense<[[-1.0, -0.17, -0.15, -0.13, -0.11, -0.09, -0.07, -0.05, -0.03, -0.01, 0.01, 0.03, 0.05, 0.07, 0.09, 0.11, 0.13, 0.15, 0.17, 2.0]]> : !x
  %0 = qbackend.observe %x by @half : !x
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #min_max : (!x, !x) -> !y {
  ^bb0(%a: !x, %v: !x):
    %e = tensor.empty() : !y
    qbackend.yield %e : !y
  }
  %2 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #moving : (!x, !x) -> !y {
  ^bb0(%a: !x, %v: !x):
    %e = tensor.empty() : !y
    qbackend.yield %e : !y
  }
  %3 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig #percentile : (!x, !x) -> !y {
  ^bb0(%a: !x, %v: !x):
    %e = tensor.empty() : !y
    qbackend.yield %e : !y
  }
  return %1, %2, %3 : !y, !y, !y
}
