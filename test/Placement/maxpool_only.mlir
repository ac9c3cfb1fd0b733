// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @maxpool_only(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2x2x3xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("p")
  %v2 = tosa.max_pool2d %v1 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x3x2xf32> loc("p")
  %v3 = tosa.transpose %v2 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x2x3x2xf32>) -> tensor<1x2x2x3xf32> loc("p")
  return %v3 : tensor<1x2x2x3xf32>
}
