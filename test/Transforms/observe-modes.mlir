// RUN: qbackend-opt %s -split-input-file '--qbackend-observe=backend=@b qconfig=@m' | FileCheck %s
// RUN: qbackend-opt %s -split-input-file '--qbackend-observe=backend=@b qconfig=@m' --remarks-filter='qbackend.*' 2>&1 >%t | FileCheck %s --check-prefix=REMARK

// What is quantized otherwise than by calibration has a qconfig, and no
// observers.

#dynamic = #qbackend.dtype_config<input = <ui8>, output = <f32>, weight = <si8>, bias = f32, is_dynamic = true>
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [linear] <dtypes = [#dynamic]>
  qbackend.pattern_config [sigmoid] <dtypes = [#dynamic]>
  qbackend.qconfig_mapping @m {
  }
}
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8, per_tensor_symmetric>>
}

// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: qbackend.observe
// CHECK: qbackend.operator [#qbackend.linear] inputs(%arg0) weight({{.*}}) qconfig <activation = <placeholder, ui8, is_dynamic = true>,
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%{{.*}}) decision(#qbackend.float<code = "QB107">) :
// REMARK: QB107 {{.*}}Operator=sigmoid,{{.*}}only convolutions and linear layers are quantized dynamically
func.func @dynamic(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %0 = qbackend.operator [#qbackend.linear] inputs(%x) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %1 = qbackend.operator [#qbackend.sigmoid] inputs(%0) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  return %1 : tensor<1x2xf32>
}

// -----

#table = #qbackend.dtype_config<input = <f32>, output = <f32>, weight = <ui4>>
#any = #qbackend.dtype_config<input = <f32>, output = <f32>>
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [embedding] <dtypes = [#table]>
  qbackend.pattern_config [linear] <dtypes = [#any]>
  qbackend.pattern_config [relu] <dtypes = [#any]>
  qbackend.qconfig_mapping @m {
  }
}
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <placeholder, f32>, weight = <per_channel_min_max, ui4, per_channel_affine_float_qparams>>
}

// CHECK-LABEL: func.func @weight_only
// CHECK-NOT: qbackend.observe
// CHECK: qbackend.operator [#qbackend.embedding] inputs(%arg0) weight({{.*}}) qconfig <
// CHECK: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{.*}}) decision(#qbackend.float<code = "QB107">) :
// CHECK: qbackend.operator [#qbackend.relu] inputs(%{{.*}}) decision(#qbackend.float<code = "QB107">) :
// REMARK: QB107 {{.*}}Operator=linear,{{.*}}zero points that are floats are for embeddings
// REMARK: QB107 {{.*}}Operator=relu,{{.*}}its activations stay float and it has no weight to quantize
func.func @weight_only(%i: tensor<1xi64>) -> tensor<1x2xf32> {
  %t = arith.constant dense<1.0> : tensor<3x2xf32>
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %e = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%t) : (tensor<1xi64>, tensor<3x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1xi64>, %b: tensor<3x2xf32>):
    %y = tensor.empty() : tensor<1x2xf32>
    qbackend.yield %y : tensor<1x2xf32>
  }
  %0 = qbackend.operator [#qbackend.linear] inputs(%e) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  return %1 : tensor<1x2xf32>
}

// -----

// Indices have no range.
#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [embedding] <dtypes = [#u8]>
  qbackend.pattern_config [linear] <dtypes = [#u8]>
  qbackend.qconfig_mapping @m {
  }
}
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <placeholder, f32>>
}

// CHECK-LABEL: func.func @static
// CHECK-NOT: qbackend.observe
// CHECK-NOT: qconfig
// REMARK: QB107 {{.*}}Operator=embedding,{{.*}}its input holds indices, so only its weight can be quantized
// REMARK: QB107 {{.*}}Operator=linear,{{.*}}its weight would stay float: the qconfig observes it as f32
func.func @static(%i: tensor<1xi64>) -> tensor<1x2xf32> {
  %t = arith.constant dense<1.0> : tensor<3x2xf32>
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %e = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%t) : (tensor<1xi64>, tensor<3x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1xi64>, %b: tensor<3x2xf32>):
    %y = tensor.empty() : tensor<1x2xf32>
    qbackend.yield %y : tensor<1x2xf32>
  }
  %0 = qbackend.operator [#qbackend.linear] inputs(%e) weight(%w) : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>):
    qbackend.yield %a : tensor<1x2xf32>
  }
  return %0 : tensor<1x2xf32>
}

// -----

// Of a kind that shares, the input has the fixed parameters as well: the global
// entry, which is for another type, is not for it.

qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [max_pool2d] <observation = output_share_observer_with_input, dtypes = [#qbackend.dtype_config<input = <ui8>, output = <ui8>>]>
  qbackend.qconfig_mapping @m {
  }
}
qbackend.qconfig_mapping @m {
  qbackend.qconfig global <activation = <min_max, si8>, weight = <min_max, si8>>
  qbackend.qconfig object_type "max_pool2d" <activation = <fixed_qparams, ui8, scale = 0.5, zero_point = 3>, weight = <min_max, si8>>
}

// CHECK: qbackend.observer @[[O:.*]] <fixed_qparams, ui8, scale = 5.000000e-01, zero_point = 3>
// CHECK-LABEL: func.func @shared_fixed
// CHECK: qbackend.observe %arg0 by @[[O]]
// CHECK: qbackend.operator [#qbackend.max_pool2d
// CHECK: qbackend.observe %{{.*}} by @[[O]]
func.func @shared_fixed(%x: tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> {
  %0 = qbackend.operator [#qbackend.max_pool2d<kernel = [2, 2], stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1]>] inputs(%x) : (tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> {
  ^bb0(%a: tensor<1x2x2x1xf32>):
    %e = tensor.empty() : tensor<1x1x1x1xf32>
    qbackend.yield %e : tensor<1x1x1x1xf32>
  }
  return %0 : tensor<1x1x1x1xf32>
}
