// RUN: split-file %s %t
// RUN: not qbackend-opt %t/index.mlir --qbackend-observe=quantized-inputs=1 2>&1 | FileCheck %t/index.mlir --check-prefix=INPUT
// RUN: not qbackend-opt %t/index.mlir --qbackend-observe=quantized-outputs=-1 2>&1 | FileCheck %t/index.mlir --check-prefix=OUTPUT
// RUN: not qbackend-opt %t/functions.mlir --qbackend-observe=quantized-inputs=0 2>&1 | FileCheck %t/functions.mlir
// RUN: not qbackend-opt %t/indices.mlir --qbackend-observe=quantized-inputs=0 2>&1 | FileCheck %t/indices.mlir
// RUN: qbackend-opt %t/called.mlir --qbackend-convert -verify-diagnostics

//--- index.mlir
// INPUT: index.mlir:[[#@LINE+2]]:1: error: 'func.func' op has 1 arguments, quantized-inputs asks for number 1
// OUTPUT: index.mlir:[[#@LINE+1]]:1: error: 'func.func' op has 1 results, quantized-outputs asks for number -1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- functions.mlir
// CHECK: error: quantized-inputs and quantized-outputs are for a module with one public function, this one has 2; put the attribute 'qbackend.quantized' on arguments and results instead
func.func @a(%x: tensor<4xf32>) {
  return
}
func.func @b(%x: tensor<4xf32>) {
  return
}

//--- indices.mlir
// CHECK: indices.mlir:[[#@LINE+1]]:1: error: 'func.func' op argument 0 has 'qbackend.quantized' and is 'tensor<4xi64>'; expected a tensor of f32
func.func @indices(%x: tensor<4xi64>) {
  return
}

//--- called.mlir
// expected-error @+1 {{has 'qbackend.quantized', but is called in the module; expected an entry function}}
func.func @inner(%x: tensor<4xf32> {qbackend.quantized}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
