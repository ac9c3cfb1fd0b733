// RUN: qbackend-opt %s -qbackend-lower-to-llvm | FileCheck %s

// A dimension that becomes several of unknown extent; that the sizes are
// constants is not in the types.
// CHECK: llvm.func @expand
func.func @expand(%x: tensor<?x6xf32>) -> tensor<?x?x?xf32> {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %six = arith.constant 6 : index
  %loose = tensor.cast %x : tensor<?x6xf32> to tensor<?x?xf32>
  %y = tensor.expand_shape %loose [[0, 1], [2]] output_shape [%four, %one, %six] : tensor<?x?xf32> into tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
