// RUN: qbackend-opt %s --qbackend-print-operators -o /dev/null | FileCheck %s
// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s --check-prefix=RAISED
// RUN: qbackend-opt %s --apply-backend=qnnpack calibration=ranges entry=image --remarks-filter=qbackend -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The largest of an image, of rows or of channels: PyTorch's amax, max with a
// dimension and adaptive_max_pool, of which no configuration of PyTorch's has one.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#keep = affine_map<(n, c, h, w) -> (n, c, 0, 0)>
#drop = affine_map<(n, c, h, w) -> (n, c)>

// CHECK-LABEL: @image
// CHECK-NEXT: 0: amax<axes = [2, 3]> [2, 3] <- input0
// CHECK-NEXT: result 0
// RAISED-LABEL: @image
// RAISED: qbackend.operator [#qbackend.amax<axes = [2, 3], keepdim = true>] inputs(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32>
// REMARK: QB103 {{.*}}Function=image | Operator=amax
func.func @image(%x: tensor<2x3x4x5xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<2x3x1x1xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x3x1x1xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %0 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x3x4x5xf32>) outs(%f : tensor<2x3x1x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %g = arith.cmpf ogt, %i, %o : f32
    %y = arith.select %g, %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x3x1x1xf32>
  return %0 : tensor<2x3x1x1xf32>
}

// One dimension after the other; what is between two of them may be read by
// others, too.
// CHECK-LABEL: @rows
// CHECK-NEXT: 0: amax<axes = [2, 3]> [2, 3] <- input0
// CHECK-NEXT: 1: amax<axes = [2]> [2, 3, 5] <- input1
// CHECK-NEXT: 2: amax<axes = [2]> [2, 3] <- 1
// CHECK-NEXT: 3: amax<axes = [1]> [2, 4, 5] <- input0
// CHECK-NEXT: result 0, 1, 2, 3
func.func @rows(%x: tensor<2x3x4x5xf32>, %z: tensor<2x3x4x5xf32>) -> (tensor<2x3xf32>, tensor<2x3x1x5xf32>, tensor<2x3x1x1xf32>, tensor<2x4x5xf32>) {
  %shape = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.reduce_max %x {axis = 3 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x1xf32>
  %b = tosa.reduce_max %a {axis = 2 : i32} : (tensor<2x3x4x1xf32>) -> tensor<2x3x1x1xf32>
  %0 = tosa.reshape %b, %shape : (tensor<2x3x1x1xf32>, !tosa.shape<2>) -> tensor<2x3xf32>
  %1 = tosa.reduce_max %z {axis = 2 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x5xf32>
  %2 = tosa.reduce_max %1 {axis = 3 : i32} : (tensor<2x3x1x5xf32>) -> tensor<2x3x1x1xf32>
  %low = arith.constant dense<-3.40282347E+38> : tensor<2x4x5xf32>
  %3 = linalg.reduce { arith.maximumf } ins(%x : tensor<2x3x4x5xf32>) outs(%low : tensor<2x4x5xf32>) dimensions = [1]
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3x1x5xf32>, tensor<2x3x1x1xf32>, tensor<2x4x5xf32>
}

// From another start it isn't the largest; the smallest is no maximum.
// CHECK-LABEL: @others
// CHECK-NEXT: 0: linalg.generic ? [2, 3] <- input0, constant
// CHECK-NEXT: 1: tosa.reduce_min ? [2, 3, 4] <- input0
// CHECK-NEXT: result 0, 1
func.func @others(%x: tensor<2x3x4x5xf32>) -> (tensor<2x3xf32>, tensor<2x3x4x1xf32>) {
  %zero = arith.constant dense<-1.0> : tensor<2x3xf32>
  %0 = linalg.generic {indexing_maps = [#id, #drop], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<2x3x4x5xf32>) outs(%zero : tensor<2x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.maximumf %i, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %1 = tosa.reduce_min %x {axis = 3 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x1xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3x4x1xf32>
}

// Sums one after the other are one, too.
// CHECK-LABEL: @sums
// CHECK-NEXT: 0: sum<axes = [2, 3]> [2, 3] <- input0
// CHECK-NEXT: result 0
func.func @sums(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> {
  %a = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x5xf32>
  %0 = tosa.reduce_sum %a {axis = 3 : i32} : (tensor<2x3x1x5xf32>) -> tensor<2x3x1x1xf32>
  return %0 : tensor<2x3x1x1xf32>
}
