// RUN: qbackend-opt %s --qbackend-observe=backend=@b --remarks-filter=qbackend -verify-diagnostics -o %t
// RUN: FileCheck %s --input-file=%t

// An operator beyond a limit stays float, with a remark for each limit that leads to
// the line of it; one within is quantized.

!t = tensor<1x4x4x6xf32>
!u = tensor<1x2x2x6xf32>
#types = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [max_pool2d] <dtypes = [#types]>
  qbackend.pattern_config [add] <dtypes = [#types]>
  qbackend.pattern_config [mean] <dtypes = [#types]>
  qbackend.pattern_config [elu] <dtypes = [#types]>
  // expected-note @+1 {{this limit}}
  qbackend.limit [max_pool2d] "product(kernel) <= 4 or stride == 1" because "the pool unit"
  // expected-note @+1 {{this limit}}
  qbackend.limit [max_pool2d] "input0.shape[-1] % 8 == 0"
  qbackend.limit [max_pool2d] "max(padding) < min(kernel) and padding[0] != 1"
  // expected-note @+1 {{this limit}}
  qbackend.limit [elu] "kernel < 3"
  qbackend.limit [add] "output.shape == input0.shape and (input0.rank - 2) * 2 >= 4"
  // expected-note @+1 {{this limit}}
  qbackend.limit [mean] "keepdim == true"
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  }
}

// CHECK-LABEL: func.func @limits
// CHECK: #qbackend.add] inputs({{.*}}) qconfig
func.func @limits(%x: !t) -> (!u, !t, tensor<1x6xf32>) {
  %0 = qbackend.operator [#qbackend.add] inputs(%x, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+2 {{Operator=max_pool2d, OperatorName=max_pool2d_0, Reason="it is beyond the limit 'product(kernel) <= 4 or stride == 1' of the pool unit: kernel is [3, 3], stride is [2, 2]"}}
  // expected-remark @+1 {{Operator=max_pool2d, OperatorName=max_pool2d_0, Reason="it is beyond the limit 'input0.shape[-1] % 8 == 0': input0.shape is [1, 4, 4, 6]"}}
  %1 = qbackend.operator [#qbackend.max_pool2d<kernel = [3, 3], stride = [2, 2], padding = [0, 1, 0, 1], dilation = [1, 1]>] inputs(%0) : (!t) -> !u {
  ^bb0(%a: !t):
    %e = tensor.empty() : !u
    qbackend.yield %e : !u
  }
  // expected-remark @+1 {{Reason="the limit 'kernel < 3' can't be checked: elu has no 'kernel'; it has alpha"}}
  %2 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{Reason="it is beyond the limit 'keepdim == true': keepdim is 0"}}
  %3 = qbackend.operator [#qbackend.mean<axes = [1, 2]>] inputs(%0) : (!t) -> tensor<1x6xf32> {
  ^bb0(%a: !t):
    %e = tensor.empty() : tensor<1x6xf32>
    qbackend.yield %e : tensor<1x6xf32>
  }
  return %1, %2, %3 : !u, !t, tensor<1x6xf32>
}
