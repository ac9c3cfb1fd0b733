// RUN: split-file %s %t
// RUN: qbackend-opt %t/call.mlir --qbackend-convert=backend=%t/npu.mlir | FileCheck %t/call.mlir
// RUN: not qbackend-opt %t/call.mlir --qbackend-convert=backend=%t/odd.mlir 2>&1 | FileCheck %t/odd.mlir

//--- npu.mlir
#s8 = #qbackend.dtype_config<input = <si8>, output = <si8>>
qbackend.backend_config @npu version 2 {
  qbackend.pattern_config [hardswish] <dtypes = [#s8], reference = @swish>
}
func.func @swish(%x: tensor<?xi8> {qbackend.role = "input0"},
                 %s: f32 {qbackend.role = "input0.scale"},
                 %z: tensor<?xi32> {qbackend.role = "output.zero_point"}) -> tensor<?xi8> {
  %y = func.call @double(%x) : (tensor<?xi8>) -> tensor<?xi8>
  return %y : tensor<?xi8>
}
func.func @double(%x: tensor<?xi8>) -> tensor<?xi8> {
  %y = arith.addi %x, %x : tensor<?xi8>
  return %y : tensor<?xi8>
}

//--- odd.mlir
#s8 = #qbackend.dtype_config<input = <si8>, output = <si8>>
qbackend.backend_config @odd version 2 {
  // CHECK: error: {{.*}}can't call @swish: argument 0 is of type 'tensor<?x?xi8>', which does not fit "input0" of
  // CHECK: odd.mlir:[[@LINE+1]]:3: note: reference required by this pattern
  qbackend.pattern_config [hardswish] <dtypes = [#s8], reference = @swish>
}
func.func private @swish(tensor<?x?xi8> {qbackend.role = "input0"}) -> tensor<?x?xi8>

//--- call.mlir
// The function and what it calls are copied, under names that are free.
// CHECK-LABEL: func.func @double
// CHECK: %[[Q:.*]] = qbackend.quantize
// CHECK: %[[X:.*]] = quant.scast %[[Q]] : tensor<4x!quant.uniform<i8:f32, 5.000000e-01>> to tensor<4xi8>
// CHECK: %[[D:.*]] = tensor.cast %[[X]] : tensor<4xi8> to tensor<?xi8>
// CHECK: %[[S:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[Z:.*]] = arith.constant dense<3> : tensor<1xi32>
// CHECK: %[[C:.*]] = tensor.cast %[[Z]] : tensor<1xi32> to tensor<?xi32>
// CHECK: %[[Y:.*]] = call @swish(%[[D]], %[[S]], %[[C]])
// CHECK: %[[T:.*]] = tensor.cast %[[Y]] : tensor<?xi8> to tensor<4xi8>
// CHECK: quant.scast %[[T]] : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 2.500000e-01:3>>
// CHECK: func.func private @swish
// CHECK: call @[[DOUBLE:double_[0-9]+]]
// CHECK: func.func private @[[DOUBLE]]
#swish = #qbackend.quantized<pattern = <hardswish>, dtypes = <input = <si8>, output = <si8>>, reference = @swish>
qbackend.observer @x <min_max, si8> scale 0.5 zero_point 0
qbackend.observer @y <min_max, si8> scale 0.25 zero_point 3
func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = qbackend.observe %x by @x : tensor<4xf32>
  %b = qbackend.operator [#qbackend.hardswish] inputs(%a) qconfig <activation = <min_max, si8>, weight = <min_max, si8>> decision(#swish) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<4xf32>):
    qbackend.yield %i : tensor<4xf32>
  }
  %c = qbackend.observe %b by @y : tensor<4xf32>
  return %c : tensor<4xf32>
}
