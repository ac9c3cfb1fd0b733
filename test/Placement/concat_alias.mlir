// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @concat_alias(%arg0: tensor<1x2x4x6xf32> loc("x"), %arg1: tensor<1x2x4x6xf32> loc("y")) -> (tensor<1x4x4x6xf32>) {
  %v1 = tosa.concat %arg0, %arg1 {axis = 1 : i32} : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x4x4x6xf32> loc("concat")
  return %v1 : tensor<1x4x4x6xf32>
}
