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
// expected-error @+1 {{the module has functions that call themselves}}
module {
func.func @calls_itself(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = func.call @calls_itself(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{calibration failed: 'arg0' has more than 67108864 elements, too many to run on; give ranges in a calibration table}}
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

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{calibration failed: 'x' has more than 67108864 elements, too many to run on; give ranges in a calibration table}}
module {
func.func @eight_gigabytes(%x: tensor<1x16384x16384x8xf32> loc("x")) -> tensor<1x16384x16384x8xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x16384x16384x8xf32>) -> tensor<1x16384x16384x8xf32>
  return %0 : tensor<1x16384x16384x8xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{calibration failed: 'x' has more than 67108864 elements, too many to run on; give ranges in a calibration table}}
module {
func.func @extents_overflow(%x: tensor<4294967296x4294967296xf32> loc("x")) -> tensor<4294967296x4294967296xf32> {
  %0 = tosa.sigmoid %x : (tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
  return %0 : tensor<4294967296x4294967296xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{'tensor.empty' op has a tensor of more than 2147483648 elements, too many to run on}}
module {
func.func @overflows_inside(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tensor.empty() : tensor<4294967296x4294967296xf32>
  %1 = tosa.sigmoid %0 : (tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
  %2 = tensor.extract_slice %1[0, 0] [1, 4] [1, 1] : tensor<4294967296x4294967296xf32> to tensor<1x4xf32>
  %3 = tosa.add %x, %2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %3 : tensor<1x4xf32>
}
}

// -----

// A model computes tensors, and nothing else.
// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{function '_exit' has no body; only the operators of a network are compiled}}
module {
func.func private @_exit(i32)
func.func @calls_exit(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c = arith.constant 77 : i32
  func.call @_exit(%c) : (i32) -> ()
  %0 = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{'llvm.mlir.constant' op is not compiled: only the operators of a network are}}
module {
func.func @stores_anywhere(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c = llvm.mlir.constant(64 : i64) : i64
  %p = llvm.inttoptr %c : i64 to !llvm.ptr
  llvm.store %c, %p : i64, !llvm.ptr
  %0 = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{'tensor.extract' op has an index outside of dimension 1 of tensor<1x4xf32>}}
module {
func.func @extracts_out_of_bounds(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %c = arith.constant 100000000000 : index
  %v = tensor.extract %x[%c0, %c] : tensor<1x4xf32>
  %s = tensor.splat %v : tensor<1x4xf32>
  %0 = tosa.add %x, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{variable 'state' is written in a branch, a loop or another function, which cannot be run for samples on their own; pass the state as an argument}}
module {
tosa.variable @state = dense<0.5> : tensor<1x4xf32>
func.func @writes_in_a_branch(%x: tensor<1x4xf32>, %flag: tensor<i1>) -> tensor<1x4xf32> {
  %0 = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // expected-remark @+1 {{QB001}}
  %1 = tosa.cond_if %flag : tensor<i1> -> tensor<1x4xf32> {
    // expected-warning @+1 {{each sample begins with the initial value of what is written here}}
    tosa.variable_write @state, %0 : tensor<1x4xf32>
    tosa.yield %0 : tensor<1x4xf32>
  } else {
    tosa.yield %x : tensor<1x4xf32>
  }
  return %1 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{variable 'state' has no initial value, so that nothing is known of it; give it one, or pass it as an argument}}
module {
tosa.variable @state : tensor<1x4xf32>
func.func @begins_with_nothing(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.variable_read @state : tensor<1x4xf32>
  %1 = tosa.add %x, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
}

// -----

// expected-warning @+2 {{calibrated on synthetic inputs}}
// expected-error @+1 {{variable 'state' is read by another function than the one that is run; pass the state as an argument}}
module {
tosa.variable @state = dense<0.5> : tensor<1x4xf32>
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // expected-warning @+1 {{each sample begins with the initial value of what is written here}}
  tosa.variable_write @state, %0 : tensor<1x4xf32>
  %1 = func.call @other(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func @other(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.variable_read @state : tensor<1x4xf32>
  %1 = tosa.add %x, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
}
