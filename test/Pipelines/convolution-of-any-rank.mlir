// RUN: qbackend-opt --apply-backend="qnnpack_pt2e calibration=ranges lower-to=qnnpack" %s 2>&1 | FileCheck %s --implicit-check-not=QB103
// RUN: qbackend-opt --apply-backend="qnnpack_pt2e calibration=ranges lower-to=reference" %s | FileCheck %s --check-prefix=REFERENCE

// aten.convolution is of any rank, and transposed too, in PyTorch's configuration for
// exported programs; a pool of one dimension is exported as one of images.

// CHECK-LABEL: func.func @rows
// CHECK: qnnpack.conv
// CHECK: qnnpack.max_pool
// CHECK-NOT: linalg.conv
// CHECK: return
// REFERENCE-LABEL: func.func @rows
// REFERENCE: #qbackend.conv1d<{{.*}}>, #qbackend.relu] {{.*}} decision(#qbackend.quantized<pattern = <relu(conv1d)>
// REFERENCE: #qbackend.max_pool1d<{{.*}} decision(#qbackend.quantized<pattern = <max_pool1d>
func.func @rows(%x: tensor<1x2x8xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x3x3xf32> {
  %w = arith.constant dense<[[[0.5, 0.25], [1.0, -1.0]], [[-0.5, 0.75], [0.25, 0.0]], [[1.0, 0.5], [0.125, -0.25]]]> : tensor<3x2x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  %c = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x2x8xf32>, tensor<3x2x2xf32>) outs(%f : tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  %r = tosa.clamp %c {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x3x7xf32>) -> tensor<1x3x7xf32>
  %low = arith.constant 0xFF800000 : f32
  %pe = tensor.empty() : tensor<1x3x3xf32>
  %pf = linalg.fill ins(%low : f32) outs(%pe : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  %window = tensor.empty() : tensor<2xf32>
  %p = linalg.pooling_ncw_max {strides = dense<2> : vector<1xi64>, dilations = dense<1> : vector<1xi64>} ins(%r, %window : tensor<1x3x7xf32>, tensor<2xf32>) outs(%pf : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  return %p : tensor<1x3x3xf32>
}

// CHECK-LABEL: func.func @transposed
// CHECK: qnnpack.conv_transpose
// REFERENCE-LABEL: func.func @transposed
// REFERENCE: #qbackend.conv_transpose2d<{{.*}} decision(#qbackend.quantized<pattern = <conv_transpose2d>
func.func @transposed(%x: tensor<1x2x2x1xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x4x4x2xf32> {
  %w = "tosa.const"() <{values = dense<[[[[1.0], [2.0]], [[3.0], [-1.0]]], [[[0.5], [0.25]], [[1.0], [2.0]]]]> : tensor<2x2x2x1xf32>}> : () -> tensor<2x2x2x1xf32>
  %b = "tosa.const"() <{values = dense<[0.5, -0.5]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x2x2x1xf32>, tensor<2x2x2x1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}

// CHECK-LABEL: func.func @volumes
// CHECK: qnnpack.conv
// REFERENCE-LABEL: func.func @volumes
// REFERENCE: #qbackend.conv3d<{{.*}} decision(#qbackend.quantized<pattern = <conv3d>
func.func @volumes(%x: tensor<1x2x2x2x1xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<1x1x1x1x1xf32> {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<1x2x2x2x1xf32>}> : () -> tensor<1x2x2x2x1xf32>
  %b = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv3d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x2x2x2x1xf32>, tensor<1x2x2x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x1x1xf32>
  return %0 : tensor<1x1x1x1x1xf32>
}
