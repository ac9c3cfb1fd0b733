// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @add_two_inputs(%arg0: tensor<1x2x4x6xf32> loc("x"), %arg1: tensor<1x2x4x6xf32> loc("y")) -> (tensor<1x2x4x6xf32>) {
  %v1 = tosa.add %arg0, %arg1 : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> loc("add")
  return %v1 : tensor<1x2x4x6xf32>
}
