// RUN: qbackend-opt %s -split-input-file -verify-diagnostics

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @slice_offsets(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{offsets}}
  %0 = qnnpack.slice %x {offsets = array<i64: 0>, strides = array<i64: 1, 1>} : tensor<1x6x!u8> -> tensor<1x3x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @slice_stride(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{strides}}
  %0 = qnnpack.slice %x {offsets = array<i64: 0, 0>, strides = array<i64: 1, 0>} : tensor<1x6x!u8> -> tensor<1x3x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @slice_outside(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{takes 3 elements from 2 on, by steps of 2, of dimension 1, which has 6}}
  %0 = qnnpack.slice %x {offsets = array<i64: 0, 2>, strides = array<i64: 1, 2>} : tensor<1x6x!u8> -> tensor<1x3x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @slice_dynamic(%x: tensor<?x6x!u8>) {
  // expected-error @+1 {{takes a part of dimension 0, which is dynamic; only whole dimensions may be dynamic}}
  %0 = qnnpack.slice %x {offsets = array<i64: 0, 0>, strides = array<i64: 1, 1>} : tensor<?x6x!u8> -> tensor<2x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
!y8 = !quant.uniform<u8:f32, 0.25:3>
func.func @slice_parameters(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{qnnpack.slice}}
  %0 = qnnpack.slice %x {offsets = array<i64: 0, 0>, strides = array<i64: 1, 1>} : tensor<1x6x!u8> -> tensor<1x6x!y8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @pad_negative(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{low}}
  %0 = qnnpack.pad %x {low = array<i64: 0, -1>, high = array<i64: 0, 1>, value = 0.0 : f32} : tensor<1x6x!u8> -> tensor<1x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @pad_size(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{the output has 8 along dimension 1, expected 9}}
  %0 = qnnpack.pad %x {low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 0.0 : f32} : tensor<1x6x!u8> -> tensor<1x8x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @repeat_none(%x: tensor<1x6x!u8>) {
  // expected-error @+1 {{multiples}}
  %0 = qnnpack.repeat %x {multiples = array<i64: 1, 0>} : tensor<1x6x!u8> -> tensor<1x0x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @repeat_size(%x: tensor<?x6x!u8>) {
  // expected-error @+1 {{the output has 12 along dimension 0, expected a dynamic size}}
  %0 = qnnpack.repeat %x {multiples = array<i64: 2, 1>} : tensor<?x6x!u8> -> tensor<12x6x!u8>
  return
}

// -----

!u8 = !quant.uniform<u8:f32, 0.5:3>
func.func @repeat_rank(%x: tensor<6x!u8>) {
  // expected-error @+1 {{the output has rank 2, expected 1}}
  %0 = qnnpack.repeat %x {multiples = array<i64: 1>} : tensor<6x!u8> -> tensor<1x6x!u8>
  return
}
