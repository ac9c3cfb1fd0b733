// RUN: qbackend-opt %s --qbackend-observe=backend=qnnpack --remarks-filter=none | FileCheck %s

// An operator fills up with what stands for infinity, another with a number.

!t = tensor<1x4xf32>
!p = tensor<1x5xf32>
// CHECK: [#qbackend.pad<{{.*}} value = -1.000000e+09>] {{.*}}"QB103"
// CHECK: [#qbackend.relu] {{.*}}decision(#qbackend.float<code = "QB123">)
// CHECK: [#qbackend.pad<{{.*}} value = -9.000000e+08>] {{.*}}"QB103"
// CHECK: [#qbackend.relu] {{.*}}decision(#qbackend.quantized
func.func @pads(%x: !t) -> (!p, !p) {
  %0 = qbackend.operator [#qbackend.pad<low = [0, 0], high = [0, 1], value = -1.0e9>] inputs(%x) : (!t) -> !p {
  ^bb0(%a: !t):
    %e = tensor.empty() : !p
    qbackend.yield %e : !p
  }
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) : (!p) -> !p {
  ^bb0(%a: !p):
    qbackend.yield %a : !p
  }
  %2 = qbackend.operator [#qbackend.pad<low = [0, 0], high = [0, 1], value = -9.0e8>] inputs(%x) : (!t) -> !p {
  ^bb0(%a: !t):
    %e = tensor.empty() : !p
    qbackend.yield %e : !p
  }
  %3 = qbackend.operator [#qbackend.relu] inputs(%2) : (!p) -> !p {
  ^bb0(%a: !p):
    qbackend.yield %a : !p
  }
  return %1, %3 : !p, !p
}
