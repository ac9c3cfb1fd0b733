// RUN: qbackend-opt %s --qbackend-import-quantization | FileCheck %s
//
// A batch of 1 that is read at 0, as torch-mlir does it, is the batch. What is
// broadcast is no quantization of what it comes from.

#batch = affine_map<(d0, d1) -> (0, d1)>
#one = affine_map<(d0, d1) -> (0, 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @unit_batch
// CHECK: %[[Q:.*]] = qbackend.quantize %arg0
// CHECK-SAME: tensor<1x4x!quant.uniform<u8:f32, 5.000000e-01:3>>
// CHECK: qbackend.dequantize %[[Q]]
// CHECK-NOT: linalg.generic
func.func @unit_batch(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %scale = arith.constant 0.5 : f32
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %zero_point = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<1x4xf32>
  %y = linalg.generic {indexing_maps = [#batch, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%empty : tensor<1x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %scale : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %zero_point : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.subf %4, %zero_point : f32
    %6 = arith.mulf %5, %scale : f32
    linalg.yield %6 : f32
  } -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// CHECK-LABEL: @broadcast
// CHECK-NOT: qbackend.quantize
// CHECK: linalg.generic
func.func @broadcast(%x: tensor<1x1xf32>) -> tensor<1x4xf32> {
  %scale = arith.constant 0.5 : f32
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %zero_point = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<1x4xf32>
  %y = linalg.generic {indexing_maps = [#one, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x1xf32>) outs(%empty : tensor<1x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %scale : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %zero_point : f32
    %3 = arith.maximumf %2, %low : f32
    %4 = arith.minimumf %3, %high : f32
    %5 = arith.subf %4, %zero_point : f32
    %6 = arith.mulf %5, %scale : f32
    linalg.yield %6 : f32
  } -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
