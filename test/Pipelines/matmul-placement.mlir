// RUN: qbackend-opt --apply-backend=qnnpack_pt2e calibration=ranges lower-to=reference %s | FileCheck %s --check-prefix=REAL
// RUN: qbackend-opt --apply-backend=executorch calibration=ranges lower-to=reference %s | FileCheck %s --check-prefix=REAL
// RUN: qbackend-opt --apply-backend=qnnpack calibration=ranges lower-to=qnnpack %s | FileCheck %s --check-prefix=REFERENCE

// Products of activations stay float where PyTorch's configuration has none, with
// nothing quantized for them; where it has torch.matmul, tensors are integers, but
// the product itself is one of floats.
// REAL-NOT: qbackend.quantize
// REAL: qbackend.operator [#qbackend.matmul] inputs({{.*}}) decision(#qbackend.float<code = "QB103">)
// REAL-NOT: qbackend.quantize
// REFERENCE: qnnpack.tanh
// REFERENCE: %[[A:.*]] = qnnpack.dequantize
// REFERENCE: tosa.matmul %{{.*}}, %{{.*}} -> tensor<2x3x5xf32>
// REFERENCE: qnnpack.quantize
func.func @main(%x: tensor<2x3x4xf32> {qbackend.range = array<f64: -1.0, 1.0>}, %y: tensor<2x4x5xf32> {qbackend.range = array<f64: -1.0, 1.0>}) -> tensor<2x3x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.tanh %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = tosa.matmul %0, %y, %z, %z : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}
