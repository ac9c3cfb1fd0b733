// RUN: split-file %s %t
// RUN: qbackend-opt %t/call.mlir --qbackend-convert=backend=%t/real.mlir | FileCheck %t/call.mlir
// RUN: not qbackend-opt %t/call.mlir --qbackend-convert=backend=%t/integer.mlir 2>&1 | FileCheck %t/integer.mlir

// The arithmetic of a backend with real biases is given the bias as it is.

//--- real.mlir
#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
qbackend.backend_config @real version 2 real_bias {
  qbackend.pattern_config [linear] <dtypes = [#u8], reference = @dense>
}
func.func private @dense(tensor<?x1xi8> {qbackend.role = "input0"}, tensor<1x1xi8> {qbackend.role = "weight"}, tensor<?xf32> {qbackend.role = "bias"}) -> tensor<?x1xi8>

//--- integer.mlir
#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
qbackend.backend_config @integer version 2 real_bias {
  // CHECK: error: {{.*}}can't call @dense: argument 2 is of type 'tensor<?xi32>', the bias of 'tensor<1xf32>'
  // CHECK: integer.mlir:[[@LINE+1]]:3: note: reference required by this pattern
  qbackend.pattern_config [linear] <dtypes = [#u8], reference = @dense>
}
func.func private @dense(tensor<?x1xi8> {qbackend.role = "input0"}, tensor<1x1xi8> {qbackend.role = "weight"}, tensor<?xi32> {qbackend.role = "bias"}) -> tensor<?x1xi8>

//--- call.mlir
// CHECK: %[[B:.*]] = arith.constant dense<1.100000e+00> : tensor<1xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[B]] : tensor<1xf32> to tensor<?xf32>
// CHECK: call @dense(%{{.*}}, %{{.*}}, %[[C]])
#dense = #qbackend.quantized<pattern = <linear>, dtypes = <input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>, reference = @dense>
qbackend.observer @half <min_max, ui8> range [-1.0, 126.5] scale 0.5 zero_point 2
func.func @main(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %b = arith.constant dense<1.1> : tensor<1xf32>
  %0 = qbackend.observe %x by @half : tensor<3x1xf32>
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) bias(%b) qconfig <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>> decision(#dense) : (tensor<3x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<3x1xf32> {
  ^bb0(%a: tensor<3x1xf32>, %v: tensor<1x1xf32>, %c: tensor<1xf32>):
    %e = tensor.empty() : tensor<3x1xf32>
    qbackend.yield %e : tensor<3x1xf32>
  }
  %2 = qbackend.observe %1 by @half : tensor<3x1xf32>
  return %2 : tensor<3x1xf32>
}
