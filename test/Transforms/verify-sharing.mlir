// RUN: qbackend-opt %s --qbackend-observe --qbackend-verify-sharing | FileCheck %s
// RUN: qbackend-opt %s --qbackend-observe=qconfig=dynamic --qbackend-verify-sharing | FileCheck %s

// A pool of what a pool and an addition with itself gave: the addition of two
// tensors has an observer of its own. What is not static has none.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %0 = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    qbackend.yield %a : tensor<1x2x2x1xf32>
  }
  %1 = qbackend.operator [#qbackend.add] inputs(%0, %0) : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>, %b: tensor<1x2x2x1xf32>):
    qbackend.yield %a : tensor<1x2x2x1xf32>
  }
  return %1 : tensor<1x2x2x1xf32>
}

#shared = #qbackend.quantized<pattern = <relu>, dtypes = <input = <ui8>, output = <ui8>>, observation = output_share_observer_with_input>

// Parameters that a module comes with are kept, where they differ, too.
qbackend.observer @given_half <fixed_qparams, ui8, scale = 0.5, zero_point = 3>
qbackend.observer @given_quarter <fixed_qparams, ui8, scale = 0.25, zero_point = 0>
// CHECK-LABEL: func.func @given
func.func @given(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = qbackend.observe %x by @given_half : tensor<1x4xf32>
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>> decision(#shared) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<1x4xf32>):
    qbackend.yield %i : tensor<1x4xf32>
  }
  %2 = qbackend.observe %1 by @given_quarter : tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}
