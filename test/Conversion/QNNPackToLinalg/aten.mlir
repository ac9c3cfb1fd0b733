// RUN: qbackend-opt %s --convert-qnnpack-to-linalg=unsigned-bytes | FileCheck %s

// Operators that ATen has a vector code for, with and without it, and prelu.

!u8 = !quant.uniform<u8:f32, 0.1:77>
!y8 = !quant.uniform<u8:f32, 0.2:3>
!w8 = !quant.uniform<u8:f32, 0.01:200>

// Two tables, of which the position selects one: ties differ.
// CHECK-LABEL: @vectorized
// CHECK: arith.remui
// CHECK: arith.constant dense<{{.*}}> : tensor<512xi8>
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: arith.select
// CHECK: tensor.extract
func.func @vectorized(%x: tensor<?x5x!u8>) -> tensor<?x5x!y8> {
  %0 = qnnpack.leaky_relu %x {negative_slope = 1.0 : f32, vectorized} : tensor<?x5x!u8> -> tensor<?x5x!y8>
  return %0 : tensor<?x5x!y8>
}

// All 64 elements are the vector code's.
// CHECK-LABEL: @one_code
// CHECK: tensor<256xi8>
// CHECK-NOT: linalg.index
// CHECK: return
func.func @one_code(%x: tensor<64x!u8>) -> tensor<64x!y8> {
  %0 = qnnpack.leaky_relu %x {negative_slope = 1.0 : f32, vectorized} : tensor<64x!u8> -> tensor<64x!y8>
  return %0 : tensor<64x!y8>
}

// CHECK-LABEL: @scalar
// CHECK: tensor<256xi8>
// CHECK-NOT: linalg.index
// CHECK: return
func.func @scalar(%x: tensor<?x5x!u8>) -> tensor<?x5x!y8> {
  %0 = qnnpack.elu %x {alpha = 1.0 : f32} : tensor<?x5x!u8> -> tensor<?x5x!y8>
  return %0 : tensor<?x5x!y8>
}

// Equal in both codes.
// CHECK-LABEL: @threshold
// CHECK: tensor<256xi8>
// CHECK-NOT: linalg.index
// CHECK: return
func.func @threshold(%x: tensor<?x5x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<?x5x!quant.uniform<u8:f32, 0.5:3>> {
  %0 = qnnpack.threshold %x {threshold = 1.0 : f32, value = 0.0 : f32, vectorized} : tensor<?x5x!quant.uniform<u8:f32, 0.5:3>> -> tensor<?x5x!quant.uniform<u8:f32, 0.5:3>>
  return %0 : tensor<?x5x!quant.uniform<u8:f32, 0.5:3>>
}

// CHECK-LABEL: @cat
// CHECK: linalg.index 3
// CHECK: arith.constant 8 : index
// CHECK: math.fma
// CHECK: arith.select
// CHECK: tensor.insert_slice
// CHECK-NOT: math.fma
// CHECK: return
func.func @cat(%x: tensor<?x2x2x9x!u8>, %y: tensor<?x2x2x8x!y8>) -> tensor<?x2x2x17x!y8> {
  %0 = qnnpack.cat %x, %y {axis = 3 : i64, channels_last} : tensor<?x2x2x9x!u8>, tensor<?x2x2x8x!y8> -> tensor<?x2x2x17x!y8>
  return %0 : tensor<?x2x2x17x!y8>
}

// CHECK-LABEL: @add
// CHECK: arith.addf
// CHECK: math.roundeven
func.func @add(%x: tensor<4x!u8>, %y: tensor<4x!y8>) -> tensor<4x!y8> {
  %0 = qnnpack.add %x, %y {aten} : tensor<4x!u8>, tensor<4x!y8> -> tensor<4x!y8>
  return %0 : tensor<4x!y8>
}

// The second operand is stretched along the first dimension: ATen's loop runs
// over the 14 * 5 elements of the others, of which 64 are its vector code's.
// CHECK-LABEL: @add_vectorized
// CHECK: %[[ROW:.*]] = linalg.index 1
// CHECK: %[[COLUMN:.*]] = linalg.index 2
// CHECK: %[[SIZE:.*]] = arith.constant 5 : index
// CHECK: %[[BASE:.*]] = arith.muli %[[ROW]], %[[SIZE]]
// CHECK: %[[POSITION:.*]] = arith.addi %[[BASE]], %[[COLUMN]]
// CHECK: arith.constant 64 : index
// CHECK: arith.cmpi ult, %[[POSITION]]
// CHECK-COUNT-2: math.fma
// CHECK: arith.select
func.func @add_vectorized(%x: tensor<3x14x5x!u8>, %y: tensor<14x5x!y8>) -> tensor<3x14x5x!y8> {
  %0 = qnnpack.add %x, %y {vectorized} : tensor<3x14x5x!u8>, tensor<14x5x!y8> -> tensor<3x14x5x!y8>
  return %0 : tensor<3x14x5x!y8>
}

// 1 is 100 steps of the slopes, but 55 are left above their zero point.
// CHECK-LABEL: @prelu
// CHECK: arith.cmpi sgt
// CHECK: arith.constant 55 : i32
// CHECK: arith.select
func.func @prelu(%x: tensor<?x3x!u8>, %w: tensor<3x!w8>) -> tensor<?x3x!y8> {
  %0 = qnnpack.prelu %x, %w : tensor<?x3x!u8>, tensor<3x!w8> -> tensor<?x3x!y8>
  return %0 : tensor<?x3x!y8>
}
