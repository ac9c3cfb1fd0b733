// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Not convolutions: they add to an activation, their filter is one, or they
// belong to no usual image.
// CHECK-LABEL: func.func @accumulation
// CHECK-NOT: qbackend.operator
func.func @accumulation(%x: tensor<1x3x6xf32>, %w: tensor<4x3x2xf32>, %y: tensor<1x4x5xf32>) -> tensor<1x4x5xf32> {
  %a = math.floor %y : tensor<1x4x5xf32>
  %c = linalg.conv_1d_ncw_fcw
    ins(%x, %w : tensor<1x3x6xf32>, tensor<4x3x2xf32>) outs(%a : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %c : tensor<1x4x5xf32>
}

// CHECK-LABEL: func.func @filtered_by_activation
// CHECK-NOT: qbackend.operator
func.func @filtered_by_activation(%x: tensor<1x3x6xf32>, %w: tensor<4x3x2xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %a = math.floor %w : tensor<4x3x2xf32>
  %e = tensor.empty() : tensor<1x4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  %c = linalg.conv_1d_ncw_fcw
    ins(%x, %a : tensor<1x3x6xf32>, tensor<4x3x2xf32>) outs(%f : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %c : tensor<1x4x5xf32>
}

// CHECK-LABEL: func.func @no_channels
// CHECK-NOT: qbackend.operator
func.func @no_channels(%x: tensor<5x6xf32>, %w: tensor<2x3xf32>) -> tensor<4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.conv_2d
    ins(%x, %w : tensor<5x6xf32>, tensor<2x3xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// Fewer windows than there is room for.
// CHECK-LABEL: func.func @part_of_the_image
// CHECK-NOT: qbackend.operator
func.func @part_of_the_image(%x: tensor<1x3x9xf32>, %w: tensor<4x3x2xf32>) -> tensor<1x4x5xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  %c = linalg.conv_1d_ncw_fcw {dilations = dense<[1]> : vector<1xi64>, strides = dense<[1]> : vector<1xi64>}
    ins(%x, %w : tensor<1x3x9xf32>, tensor<4x3x2xf32>) outs(%f : tensor<1x4x5xf32>) -> tensor<1x4x5xf32>
  return %c : tensor<1x4x5xf32>
}

// A linear layer, however small its batch.
// CHECK-LABEL: func.func @batch_matmul
// CHECK: qbackend.operator [#qbackend.linear]
// CHECK-SAME: weight({{.*}}) : (tensor<1x1x6xf32>, tensor<5x6xf32>) -> tensor<1x1x5xf32>
// CHECK-NOT: qbackend.operator
func.func @batch_matmul(%x: tensor<1x1x6xf32>, %w: tensor<5x6xf32>) -> tensor<1x1x5xf32> {
  %z = arith.constant 0.0 : f32
  %te = tensor.empty() : tensor<6x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x6xf32>) outs(%te : tensor<6x5xf32>) permutation = [1, 0]
  %v = tensor.expand_shape %t [[0, 1], [2]] output_shape [1, 6, 5] : tensor<6x5xf32> into tensor<1x6x5xf32>
  %e = tensor.empty() : tensor<1x1x5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x5xf32>) -> tensor<1x1x5xf32>
  %c = linalg.batch_matmul
    ins(%x, %v : tensor<1x1x6xf32>, tensor<1x6x5xf32>) outs(%f : tensor<1x1x5xf32>) -> tensor<1x1x5xf32>
  return %c : tensor<1x1x5xf32>
}
