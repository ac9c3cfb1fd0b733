// RUN: qbackend-opt --apply-backend=qnnpack qconfig=dynamic %s 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=per_channel_dynamic %s 2>&1 | FileCheck %s --check-prefix=CHANNEL
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=float_qparams_weight_only %s 2>&1 | FileCheck %s --check-prefix=BYTE
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=float_qparams_weight_only_4bit %s 2>&1 | FileCheck %s --check-prefix=NIBBLE
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=float16_dynamic %s 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=float16_dynamic lower-to=linalg %s -o %t.f16.mlir
// RUN: mlir-opt %t.f16.mlir -o /dev/null
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=dynamic lower-to=linalg %s | mlir-opt -o /dev/null
// RUN: qbackend-opt --apply-backend=qnnpack qconfig=float_qparams_weight_only_4bit lower-to=reference %s | FileCheck %s --check-prefix=REFERENCE

// Ways of quantizing that need no calibration: there is no warning about made-up
// ranges.

// DYNAMIC-NOT: warning
// DYNAMIC: QB000: quantized 1 of 3 operators
// DYNAMIC: qnnpack.linear_dynamic %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<5x2xf32>, tensor<2x2x!quant.uniform<i8:f32, {{.*}}>>, tensor<2xf32> -> tensor<5x2xf32>
// DYNAMIC: math.exp
// CHANNEL: qnnpack.linear_dynamic {{.*}}tensor<2x2x!quant.uniform<i8:f32:0, {
// BYTE-NOT: warning
// BYTE: qnnpack.embedding_byte %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<5xi64>, tensor<3x2xi8>,
// BYTE-NOT: qbackend.
// NIBBLE: qnnpack.embedding_4bit %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<5xi64>, tensor<3x1xi8>,
// HALF: QB108 {{.*}}Operator=linear,{{.*}}no kernel computes with 16-bit floats
// HALF: arith.constant dense<{{.*}}> : tensor<2x2xf16>
// HALF: arith.extf
// REFERENCE: linalg.generic
// REFERENCE: qbackend.operator [#qbackend.embedding]
func.func @main(%i: tensor<5xi64>) -> tensor<5x2xf32> {
  %t = arith.constant dense<[[1.0, 2.0], [-3.0, 0.5], [0.0, 7.0]]> : tensor<3x2xf32>
  %w = arith.constant dense<[[1.0, -0.3], [0.25, 2.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%t) : (tensor<5xi64>, tensor<3x2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5xi64>, %v: tensor<3x2xf32>):
    %e = tensor.empty() : tensor<5x2xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<5xi64>) outs(%e : tensor<5x2xf32>) {
    ^bb0(%row: i64, %o: f32):
      %j = linalg.index 1 : index
      %k = arith.index_cast %row : i64 to index
      %x = tensor.extract %v[%k, %j] : tensor<3x2xf32>
      linalg.yield %x : f32
    } -> tensor<5x2xf32>
    qbackend.yield %r : tensor<5x2xf32>
  }
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) bias(%b) : (tensor<5x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5x2xf32>, %v: tensor<2x2xf32>, %c: tensor<2xf32>):
    %e = linalg.broadcast ins(%c : tensor<2xf32>) outs(%a : tensor<5x2xf32>) dimensions = [0]
    %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%a, %v : tensor<5x2xf32>, tensor<2x2xf32>) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
    qbackend.yield %r : tensor<5x2xf32>
  }
  %2 = qbackend.operator [#qbackend.sigmoid] inputs(%1) : (tensor<5x2xf32>) -> tensor<5x2xf32> {
  ^bb0(%a: tensor<5x2xf32>):
    %r = math.exp %a : tensor<5x2xf32>
    qbackend.yield %r : tensor<5x2xf32>
  }
  return %2 : tensor<5x2xf32>
}
