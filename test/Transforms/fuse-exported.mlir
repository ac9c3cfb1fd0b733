// RUN: qbackend-opt %s --qbackend-fuse="backend=qnnpack_pt2e" | FileCheck %s
// RUN: qbackend-opt %s --qbackend-fuse="backend=@functions" | FileCheck %s --check-prefix=FUNCTIONS

// prepare_pt2e folds convolution and batch norm before it looks for patterns, of
// which none has a batch norm. A backend whose patterns are not those of exported
// programs says by patterns what is folded.
// CHECK: qbackend.operator [#qbackend.conv2d<{{.*}}>, #qbackend.relu] inputs(%arg0) weight(%{{.*}}) bias(%{{.*}})
// CHECK-NOT: #qbackend.batch_norm2d
// CHECK: return
// FUNCTIONS: qbackend.operator [#qbackend.batch_norm2d
qbackend.backend_config @functions version 1 default_qconfig @q {
  qbackend.pattern_config [conv2d] <
    dtypes = [#qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>],
    torch = ["torch.nn.Conv2d"]>
  qbackend.qconfig_mapping @q {
    qbackend.qconfig global none
  }
}
func.func @main(%x: tensor<1x3x3x1xf32>) -> tensor<1x3x3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x1x1x1xf32>
  %mean = arith.constant dense<0.0> : tensor<2xf32>
  %var = arith.constant dense<0.25> : tensor<2xf32>
  %gamma = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %beta = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %c = qbackend.operator [#qbackend.conv2d<stride = [1, 1], padding = [0, 0, 0, 0], dilation = [1, 1], groups = 1>] inputs(%x) weight(%w) : (tensor<1x3x3x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a: tensor<1x3x3x1xf32>, %v: tensor<2x1x1x1xf32>):
    %e = tensor.empty() : tensor<1x3x3x2xf32>
    qbackend.yield %e : tensor<1x3x3x2xf32>
  }
  %n = qbackend.operator [#qbackend.batch_norm2d<axis = 3, eps = 0.0>] inputs(%c) weight(%gamma) bias(%beta) running_mean(%mean) running_var(%var) : (tensor<1x3x3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a: tensor<1x3x3x2xf32>, %g: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>):
    qbackend.yield %a : tensor<1x3x3x2xf32>
  }
  %r = qbackend.operator [#qbackend.relu] inputs(%n) : (tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> {
  ^bb0(%a: tensor<1x3x3x2xf32>):
    qbackend.yield %a : tensor<1x3x3x2xf32>
  }
  return %r : tensor<1x3x3x2xf32>
}
