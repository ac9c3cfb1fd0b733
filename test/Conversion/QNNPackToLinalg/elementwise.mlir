// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:10>
!i8 = !quant.uniform<i8:f32, 0.5>
!y8 = !quant.uniform<u8:f32, 1.0:7>
!p8 = !quant.uniform<u8:f32, 0.00390625>

// 0.5 / 1.0 = 2^-1: shift = 21 + 1, both multipliers are 2^21, and the zero
// points add up to 20 * 2^21. Ties go away from zero.
// CHECK-LABEL: @add
// CHECK: linalg.generic
// CHECK-DAG: arith.constant 2097152 : i32
// CHECK-DAG: arith.constant 41943040 : i32
// CHECK-DAG: arith.constant 4194303 : i32
// CHECK-DAG: arith.constant 22 : i32
// CHECK-DAG: arith.constant 2097151 : i32
// CHECK-NOT: f32
// CHECK: return
func.func @add(%a: tensor<4x!u8>, %b: tensor<4x!u8>) -> tensor<4x!y8> {
  %0 = qnnpack.add %a, %b : tensor<4x!u8>, tensor<4x!u8> -> tensor<4x!y8>
  return %0 : tensor<4x!y8>
}

// Broadcast: by way of floats, one element at a time.
// CHECK-LABEL: @add_broadcast
// CHECK: linalg.generic
// CHECK-NOT: xf32
// CHECK: arith.addf
// CHECK: math.roundeven
// CHECK: return
func.func @add_broadcast(%a: tensor<2x4x!u8>, %b: tensor<1x4x!u8>) -> tensor<2x4x!y8> {
  %0 = qnnpack.add %a, %b : tensor<2x4x!u8>, tensor<1x4x!u8> -> tensor<2x4x!y8>
  return %0 : tensor<2x4x!y8>
}

// Signed: XNNPACK's, which rounds ties up.
// CHECK-LABEL: @add_broadcast_signed
// CHECK: linalg.generic
// CHECK-NOT: arith.addf
// CHECK: arith.shrsi
// CHECK: return
func.func @add_broadcast_signed(%a: tensor<2x4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<1x4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:-2>> {
  %0 = qnnpack.add %a, %b : tensor<2x4x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x4x!quant.uniform<i8:f32, 0.25:3>> -> tensor<2x4x!quant.uniform<i8:f32, 0.5:-2>>
  return %0 : tensor<2x4x!quant.uniform<i8:f32, 0.5:-2>>
}

// CHECK-LABEL: @relu
// CHECK: arith.constant 10 : i8
// CHECK: arith.maxui
func.func @relu(%x: tensor<4x!u8>) -> tensor<4x!u8> {
  %0 = qnnpack.relu %x : tensor<4x!u8> -> tensor<4x!u8>
  return %0 : tensor<4x!u8>
}

// 6 / 0.5 + 10 = 22; the lower bound, -100, is below 0.
// CHECK-LABEL: @clamp
// CHECK-NOT: arith.maxui
// CHECK: arith.constant 22 : i8
// CHECK: arith.minui
func.func @clamp(%x: tensor<4x!u8>) -> tensor<4x!u8> {
  %0 = qnnpack.clamp %x {min = -100.0 : f32, max = 6.0 : f32} : tensor<4x!u8> -> tensor<4x!u8>
  return %0 : tensor<4x!u8>
}

// CHECK-LABEL: @table
// CHECK: arith.constant dense<"0x{{.*}}"> : tensor<256xi8>
// CHECK: arith.index_castui %{{[^ ]*}} : i8 to index
// CHECK: tensor.extract
func.func @table(%x: tensor<4x!u8>) -> tensor<4x!p8> {
  %0 = qnnpack.sigmoid %x : tensor<4x!u8> -> tensor<4x!p8>
  return %0 : tensor<4x!p8>
}

// The parameters of the type changed, the integers did not.
// CHECK-LABEL: @add_scalar
// CHECK-SAME: (%[[X:.*]]: tensor<4xi8>)
// CHECK-NEXT: return %[[X]]
func.func @add_scalar(%x: tensor<4x!u8>) -> tensor<4x!quant.uniform<u8:f32, 0.5:4>> {
  %0 = qnnpack.add_scalar %x, 3.0 : tensor<4x!u8> -> tensor<4x!quant.uniform<u8:f32, 0.5:4>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 0.5:4>>
}

// 255 * 255 * 2^24 is more than 2^31: products of 2^31 and up give the
// smallest integer.
// CHECK-LABEL: @overflow
// CHECK: arith.cmpf olt, %{{.*}}, %{{[^ ]*}} : f32
// CHECK: math.roundeven
func.func @overflow(%a: tensor<4x!quant.uniform<u8:f32, 4096.0>>) -> tensor<4x!quant.uniform<u8:f32, 1.0>> {
  %0 = qnnpack.mul %a, %a : tensor<4x!quant.uniform<u8:f32, 4096.0>>, tensor<4x!quant.uniform<u8:f32, 4096.0>> -> tensor<4x!quant.uniform<u8:f32, 1.0>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 1.0>>
}
