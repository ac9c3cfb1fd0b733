// RUN: qbackend-opt %s --qbackend-fuse=backend=@a,@b --qbackend-observe=backend=@a,@b | FileCheck %s
// RUN: qbackend-opt %s --qbackend-fuse=backend=@b,@a --qbackend-observe=backend=@b,@a | FileCheck %s --check-prefix=OTHER
// RUN: qbackend-opt %s --qbackend-fuse=backend=@a:@layer2,@b:@small --qbackend-observe=backend=@a:@layer2,@b:@small -o %t.mlir --remarks-filter=qbackend 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=MODULES < %t.mlir
// RUN: not qbackend-opt %s --qbackend-observe=backend=@a,@a 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not qbackend-opt %s --qbackend-observe="backend=@a,@b qconfig=m" 2>&1 | FileCheck %s --check-prefix=QCONFIG
// RUN: not qbackend-opt %s --qbackend-observe=backend=@a,@float 2>&1 | FileCheck %s --check-prefix=BIAS
// RUN: not qbackend-opt %s --qbackend-observe=backend=@a,@engine 2>&1 | FileCheck %s --check-prefix=LOWERING
// RUN: not qbackend-opt %s --qbackend-observe=backend=@a,qnnpak 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not qbackend-opt %s --qbackend-observe=backend=@a:@unknown,@b 2>&1 | FileCheck %s --check-prefix=TYPE

// A list of backends: the first one that has a pattern and a qconfig for an operator
// takes it, as in PyTorch's ComposableQuantizer.

// TWICE: error: backend '@a' is in the list '@a,@a' twice; leave one out
// QCONFIG: error: qconfig is 'm' beside a list of backends, each of which has its own; write BACKEND:m in the list
// BIAS: error: backend 'float' can't be in a list with 'a': it has real_bias, the other one has not; one engine adds all biases: give both the same
// BIAS: note: the first one
// LOWERING: error: backend 'engine' can't be in a list with 'a': they have no lowering in common; add one to 'lowering' of both
// NONE: error: no backend 'qnnpak': not a file, and the built-in ones are
// TYPE: error: 'qbackend.qconfig' op selects modules of the type "net.Blok", which none is of; the nearest are net.Block, net.Head

!t = tensor<1x4xf32>
#i8 = #qbackend.dtype_config<input = <si8>, output = <si8>>
#i16 = #qbackend.dtype_config<input = <si16>, output = <si16>>
#own = #qbackend.edges<inputs = [own], output = own>
#chain = #qbackend.edges<inputs = [shared producer], output = shared input0>

module attributes {qbackend.module_types = {layer1 = "net.Block", layer2 = "net.Block", "layer2.head" = "net.Head"}} {

// 8 bits: sums, with a relu if there is a qconfig for that, and chains behind what this backend quantized itself.
qbackend.backend_config @a version 2 default_qconfig @m {
  qbackend.pattern_config [add] <dtypes = [#i8]> {qbackend.edges = #own}
  qbackend.pattern_config [tanh] <dtypes = [#i8]> {qbackend.edges = #chain}
  qbackend.pattern_config [add, relu] <dtypes = [#i8]> {qbackend.edges = #own}
  qbackend.limit [add] "input0.shape[1] < 5"
  qbackend.qconfig_mapping @m {
    qbackend.qconfig object_type "relu" none
    qbackend.qconfig global <activation = <histogram, si8>, weight = <min_max, si8>>
  }
}

// 16 bits: sums with their relu, and whatever comes.
qbackend.backend_config @b version 2 default_qconfig @m {
  qbackend.pattern_config [add, relu] <dtypes = [#i16]> {qbackend.edges = #own}
  qbackend.pattern_config [add] <dtypes = [#i16]> {qbackend.edges = #own}
  qbackend.pattern_config [relu] <dtypes = [#i16]> {qbackend.edges = #own}
  qbackend.pattern_config [elu] <dtypes = [#i16]> {qbackend.edges = #chain}
  qbackend.pattern_config [tanh] <dtypes = [#i16]> {qbackend.edges = #own}
  qbackend.limit [tanh] "input0.shape[1] < 5"
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <min_max, si16>, weight = <min_max, si8>>
  }
}

// By the class of a module, and by its name.
qbackend.qconfig_mapping @layer2 {
  qbackend.qconfig module_type "net.Block" <activation = <histogram, si8>, weight = <min_max, si8>>
  qbackend.qconfig module_type "net.Head" none
  qbackend.qconfig module_name "layer1" none
}
qbackend.qconfig_mapping @small {
  qbackend.qconfig module_name "layer1" <activation = <min_max, si16>, weight = <min_max, si8>>
}
qbackend.qconfig_mapping @unknown {
  qbackend.qconfig module_type "net.Blok" none
}

qbackend.backend_config @float version 2 default_qconfig @m real_bias {
  qbackend.qconfig_mapping @m {
  }
}
qbackend.backend_config @engine version 2 default_qconfig @m lowering ["qnnpack"] {
  qbackend.qconfig_mapping @m {
  }
}

// The sum is the first backend's, so that it is no part of the other one's unit; the
// relu is of the second one. The tanh behind that has nothing to share of its own
// backend, and is left to the next one; behind a sum it has. The elu would share 8 bits
// with the first one's sum, which its pattern doesn't support. In the other order, sum
// and relu are one.
// CHECK: qbackend.observer @layer1.add <histogram, si8>
// CHECK-LABEL: func.func @main
// CHECK: qbackend.operator [#qbackend.add] {{.*}}activation = <histogram, si8>
// CHECK: qbackend.operator [#qbackend.relu] {{.*}}activation = <min_max, si16>
// CHECK: qbackend.operator [#qbackend.tanh] {{.*}}activation = <min_max, si16>
// CHECK: qbackend.operator [#qbackend.add] {{.*}}activation = <histogram, si8>
// CHECK: qbackend.operator [#qbackend.tanh] {{.*}}activation = <histogram, si8>
// CHECK: qbackend.operator [#qbackend.elu{{.*}} decision({{.*}}QB124
// OTHER-LABEL: func.func @main
// OTHER: qbackend.operator [#qbackend.add, #qbackend.relu] {{.*}}activation = <min_max, si16>
// OTHER: qbackend.operator [#qbackend.tanh] {{.*}}activation = <min_max, si16>
// OTHER: qbackend.operator [#qbackend.add] {{.*}}activation = <min_max, si16>
// OTHER: qbackend.operator [#qbackend.tanh] {{.*}}activation = <min_max, si16>
// OTHER: qbackend.operator [#qbackend.elu{{.*}}activation = <min_max, si16>

// What a mapping leaves out, or says none of, is left to the next backend. An operator
// in layer2 is in a net.Block, one in its head in a net.Head, which is inside of it.
// Of one that none takes, each says why.
// REMARK: QB104 {{.*}} OperatorName=layer2.head.tanh, Reason="its qconfig is none"
// REMARK: QB104 {{.*}} OperatorName=layer2.head.tanh, Reason="it has no qconfig"
// MODULES-LABEL: func.func @main
// MODULES: qbackend.operator [#qbackend.add, #qbackend.relu] {{.*}}activation = <min_max, si16>
// MODULES: qbackend.operator [#qbackend.tanh] {{.*}}activation = <min_max, si16>
// MODULES: qbackend.operator [#qbackend.add] {{.*}}activation = <histogram, si8>
// MODULES: qbackend.operator [#qbackend.tanh] {{.*}}QB104
func.func @main(%x: !t loc("x")) -> (!t, !t) {
  %0 = qbackend.operator [#qbackend.add] inputs(%x, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    %s = arith.addf %a, %b : !t
    qbackend.yield %s : !t
  } loc("layer1.add")
  %1 = qbackend.operator [#qbackend.relu] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("layer1.relu")
  %2 = qbackend.operator [#qbackend.tanh] inputs(%1) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("layer1.tanh")
  %3 = qbackend.operator [#qbackend.add] inputs(%2, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    %s = arith.addf %a, %b : !t
    qbackend.yield %s : !t
  } loc("layer2.add")
  %4 = qbackend.operator [#qbackend.tanh] inputs(%3) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("layer2.head.tanh")
  %5 = qbackend.operator [#qbackend.add] inputs(%x, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    %s = arith.addf %a, %b : !t
    qbackend.yield %s : !t
  } loc("layer1.sum")
  %6 = qbackend.operator [#qbackend.elu<alpha = 1.0>] inputs(%5) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  } loc("layer1.elu")
  return %4, %6 : !t, !t
}
}
