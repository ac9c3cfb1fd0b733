// RUN: qbackend-opt %s --qbackend-convert=backend=@real | FileCheck %s --check-prefix=REAL
// RUN: qbackend-opt %s --qbackend-convert="backend=@real lower-to=qnnpack" | FileCheck %s --check-prefix=INTEGER
// RUN: qbackend-opt %s --qbackend-convert=backend=@integer | FileCheck %s --check-prefix=INTEGER
// RUN: qbackend-opt %s --qbackend-convert="backend=@real fold-weights=false" | FileCheck %s --check-prefix=REAL
// RUN: not qbackend-opt %s --qbackend-convert="backend=@real lower-to=tosa" 2>&1 | FileCheck %s --check-prefix=FORM

// A backend whose engine adds a real bias has one in the reference form; kernels have
// an integer.
// REAL: %[[B:.*]] = arith.constant dense<1.100000e+00> : tensor<1xf32>
// REAL: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{.*}}) bias(%[[B]])
// INTEGER: quant.scast %{{[^ ]*}} : tensor<1xi32> to tensor<1x!quant.uniform<i32:f32, 0.0039215688593685627>>
// INTEGER: %[[D:.*]] = qbackend.dequantize %{{[^ ]*}} : tensor<1x!quant.uniform<i32:f32
// INTEGER: qbackend.operator [#qbackend.linear] inputs(%{{.*}}) weight(%{{.*}}) bias(%[[D]])
// FORM: error: {{.*}}tosa

#static = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.backend_config @real version 2 lowering ["reference", "qnnpack"] real_bias {
}
qbackend.backend_config @integer version 2 lowering ["reference", "qnnpack"] {
}
qbackend.observer @half <min_max, ui8> range [-1.0, 126.5] scale 0.5 zero_point 2
func.func @main(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %b = arith.constant dense<1.1> : tensor<1xf32>
  %0 = qbackend.observe %x by @half : tensor<3x1xf32>
  %1 = qbackend.operator [#qbackend.linear] inputs(%0) weight(%w) bias(%b) qconfig #static : (tensor<3x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<3x1xf32> {
  ^bb0(%a: tensor<3x1xf32>, %v: tensor<1x1xf32>, %c: tensor<1xf32>):
    %e = tensor.empty() : tensor<3x1xf32>
    qbackend.yield %e : tensor<3x1xf32>
  }
  %2 = qbackend.observe %1 by @half : tensor<3x1xf32>
  return %2 : tensor<3x1xf32>
}
