// RUN: qbackend-opt %s -split-input-file -verify-diagnostics --apply-backend=qnnpack

func.func @bias_of_other_size(%x: tensor<1x2xf32>, %w: tensor<4x2xf32>, %b: tensor<9xf32>) -> tensor<1x4xf32> {
  // expected-error @+1 {{the bias is 'tensor<9xf32>', expected 'tensor<4xf32>'}}
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) bias(%b) : (tensor<1x2xf32>, tensor<4x2xf32>, tensor<9xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<1x2xf32>, %v: tensor<4x2xf32>, %c: tensor<9xf32>):
    %1 = tensor.empty() : tensor<1x4xf32>
    qbackend.yield %1 : tensor<1x4xf32>
  }
  return %0 : tensor<1x4xf32>
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{calibration failed: the module has functions that call themselves}}
module {
func.func @calls_itself(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = func.call @calls_itself(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{calibration failed: 'arg0' has more than 2147483648 elements, too many to run on; give ranges in a calibration table}}
module {
func.func @too_large(%x: tensor<1x1000000x1000000xf32>) -> tensor<1x1000000x1000000xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x1000000x1000000xf32>) -> tensor<1x1000000x1000000xf32>
  return %0 : tensor<1x1000000x1000000xf32>
}
}

// -----

// Observers of a nested module are none of the outer one's.
module {
  // expected-remark @+1 {{its code is left as it is}}
  module {
    // expected-note @+1 {{this observer}}
    qbackend.observer @a <histogram, ui8>
    func.func @f(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
      // expected-error @+1 {{'qbackend.observe' op of @a has no range; run qbackend-calibrate}}
      %0 = qbackend.observe %x by @a : tensor<1x4xf32>
      return %0 : tensor<1x4xf32>
    }
  }
}
