// RUN: qbackend-opt %s --qbackend-convert -split-input-file -verify-diagnostics

// expected-note @+1 {{this observer}}
qbackend.observer @o <min_max, ui8>
func.func @not_calibrated(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-error @+1 {{of @o has no range; run qbackend-calibrate with data or a calibration table first}}
  %0 = qbackend.observe %x by @o : tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

qbackend.observer @o <min_max, ui8> scale 0.5 zero_point 0
func.func @weight_is_argument(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = qbackend.observe %x by @o : tensor<1x4xf32>
  // expected-error @+1 {{has a qconfig, but its weight is not a constant with data}}
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>, %v: tensor<4x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  %2 = qbackend.observe %1 by @o : tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}

// -----

qbackend.observer @o <min_max, ui8> scale 0.5 zero_point 0
func.func @weight_is_not_finite(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %w = arith.constant dense<0x7FC00000> : tensor<1x1xf32>
  %0 = qbackend.observe %x by @o : tensor<1x1xf32>
  // expected-error @+1 {{in its weight, which has no range; check the trained parameters}}
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x1xf32>, %v: tensor<1x1xf32>):
    qbackend.yield %a : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @o : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

qbackend.observer @o <min_max, ui8> scale 0.5 zero_point 0
func.func @weight_observer_is_real(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %0 = qbackend.observe %x by @o : tensor<1x1xf32>
  // expected-error @+1 {{has a weight observer of 'f32', expected integers}}
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) qconfig <activation = <min_max, ui8>, weight = <placeholder, f32>>
      : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x1xf32>, %v: tensor<1x1xf32>):
    qbackend.yield %a : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @o : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

qbackend.observer @o <min_max, ui8> scale 0.5 zero_point 0
func.func @bias_is_argument(%x: tensor<1x1xf32>, %b: tensor<1xf32>) -> tensor<1x1xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %0 = qbackend.observe %x by @o : tensor<1x1xf32>
  // expected-error @+1 {{has a qconfig, but its bias is not a constant with data}}
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) bias(%b) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x1xf32>, %v: tensor<1x1xf32>, %c: tensor<1xf32>):
    qbackend.yield %a : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @o : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

qbackend.observer @o <min_max, ui8> scale 0.5 zero_point 0
func.func @input_is_not_observed(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %b = arith.constant dense<1.0> : tensor<1xf32>
  // expected-error @+1 {{has a qconfig, but its input is not observed}}
  %1 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) bias(%b) qconfig <activation = <min_max, ui8>, weight = <min_max, si8>>
      : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x1xf32>, %v: tensor<1x1xf32>, %c: tensor<1xf32>):
    qbackend.yield %a : tensor<1x1xf32>
  }
  %2 = qbackend.observe %1 by @o : tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}
