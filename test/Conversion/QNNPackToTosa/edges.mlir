// quantize and dequantize stay; between them nothing is cast but at the ends.
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa | FileCheck %s
// With convert-qnnpack-to-linalg after it nothing of qnnpack or quant is left.
// RUN: qbackend-opt %s --convert-qnnpack-to-tosa --convert-qnnpack-to-linalg -o %t.mlir
// RUN: FileCheck --check-prefix=PLAIN %s < %t.mlir
// RUN: mlir-opt %t.mlir --tosa-attach-target="specification_version=1.1.draft profiles=pro_int" --tosa-validate=strict-op-spec-alignment -o %t.valid
// PLAIN-NOT: {{qnnpack|quant}}

!x8 = !quant.uniform<u8:f32, 0.5:3>

// The batch may be dynamic, from TOSA 1.1 on.
// CHECK-LABEL: func.func @network
// CHECK: qnnpack.quantize
// CHECK-NEXT: quant.scast
// CHECK: tosa.rescale {{.*}}input_unsigned = true
// CHECK-NOT: {{qnnpack|quant.scast|_unsigned = true}}
// CHECK: tosa.rescale {{.*}}output_unsigned = true
// CHECK-NEXT: quant.scast
// CHECK-NEXT: qnnpack.dequantize
func.func @network(%x: tensor<?x4x4x2xf32>) -> tensor<?x8xf32> {
  %0 = qnnpack.quantize %x : tensor<?x4x4x2xf32> -> tensor<?x4x4x2x!x8>
  %1 = qnnpack.avg_pool2d %0 {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<?x4x4x2x!x8> -> tensor<?x2x2x2x!x8>
  %2 = qnnpack.add %1, %1 : tensor<?x2x2x2x!x8>, tensor<?x2x2x2x!x8> -> tensor<?x2x2x2x!x8>
  %3 = qnnpack.reshape %2 : tensor<?x2x2x2x!x8> -> tensor<?x8x!x8>
  %4 = qnnpack.dequantize %3 : tensor<?x8x!x8> -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}
