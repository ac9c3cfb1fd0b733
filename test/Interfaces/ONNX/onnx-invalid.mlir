// RUN: qbackend-translate --qbackend-to-onnx %s -split-input-file -verify-diagnostics -o %t

// What has no form is one error, with how many there are of each.
func.func @no_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{no ONNX form of: tosa.exp (2), tosa.abs (1); docs/Exporting.md lists what has one}}
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{first tosa.abs}}
  %1 = tosa.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tosa.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Nobody reads this, so that nothing is wrong.
func.func @not_needed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
func.func @constant_without_data(%x: tensor<1x16x!x>) -> tensor<1x10x!x> {
  %c = arith.constant dense_resource<elsewhere> : tensor<10x16xi8>
  %w = quant.scast %c : tensor<10x16xi8> to tensor<10x16x!w>
  // expected-error @+1 {{a constant of type 'tensor<10x16xi8>' has no data in this file; give the one that it was printed from without --mlir-elide-*}}
  %y = qnnpack.linear %x, %w : tensor<1x16x!x>, tensor<10x16x!w> -> tensor<1x10x!x>
  return %y : tensor<1x10x!x>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
!w = !quant.uniform<i8:f32, 0.25>
func.func @too_large(%x: tensor<1x65536x!x>) -> tensor<1x32769x!x> {
  %c = arith.constant dense<1> : tensor<32769x65536xi8>
  %w = quant.scast %c : tensor<32769x65536xi8> to tensor<32769x65536x!w>
  // expected-error @+1 {{have 2147549184 bytes, and no reader takes more than 2147483647; export the network in parts}}
  %y = qnnpack.linear %x, %w : tensor<1x65536x!x>, tensor<32769x65536x!w> -> tensor<1x32769x!x>
  return %y : tensor<1x32769x!x>
}

// -----

// expected-error @+1 {{tensors of 'i16' have no ONNX type here, expected f16, f32, f64, i8, i32, i64 or 8-bit quantized ones}}
func.func @element_type(%x: tensor<4xi16>) -> tensor<4xi16> {
  return %x : tensor<4xi16>
}

// -----

// expected-error @+1 {{argument 0 has type 'index', expected a tensor with a rank}}
func.func @no_tensor(%i: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @wide_integers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{can't be computed in ONNX, where quantized integers have 8 bits}}
  %0 = qnnpack.quantize %x : tensor<4xf32> -> tensor<4x!quant.uniform<i32:f32, 0.5>>
  %1 = qnnpack.dequantize %0 : tensor<4x!quant.uniform<i32:f32, 0.5>> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @zero_point_of_wide_integers(%x: tensor<4x!quant.uniform<i32:f32, 0.5:1>>) -> tensor<4xf32> {
  // expected-error @+1 {{the zero point of 32-bit integers is 0 there}}
  %0 = qnnpack.dequantize %x : tensor<4x!quant.uniform<i32:f32, 0.5:1>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
func.func @two_dynamic_extents(%x: tensor<?x?x4x!x>) -> tensor<?x?x4x!x> {
  // expected-error @+1 {{and a Reshape finds one dynamic extent at most}}
  %0 = qnnpack.channel_shuffle %x {groups = 2 : i64} : tensor<?x?x4x!x> -> tensor<?x?x4x!x>
  return %0 : tensor<?x?x4x!x>
}

// -----

!x = !quant.uniform<u8:f32, 0.5:3>
func.func @table_is_no_constant(%i: tensor<2xi64>, %t: tensor<6x4xi8>, %s: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{an operand of qnnpack.embedding_byte is no constant whose data is there, as ONNX needs it}}
  %0 = qnnpack.embedding_byte %i, %t, %s, %z : tensor<2xi64>, tensor<6x4xi8>, tensor<6xf32>, tensor<6xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// expected-error @+1 {{has branches, expected one block}}
func.func @branches(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
^bb2:
  return %x : tensor<4xf32>
}
