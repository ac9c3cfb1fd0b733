// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @weight_shared(%arg0: tensor<1x4xf32> loc("x"), %arg1: tensor<1x4xf32> loc("y")) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("linear")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("linear")
  %v3 = "tosa.const"() <{values = dense<"0x9B97A6BE7B95003F23181CBE50891D3F4D5F1B3FB7B6E23DDE3BF53EACB4A5BEFFEDECBE13579FBE21ED163FD918013F"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("linear")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("linear")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("linear")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("linear")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("linear")
  %v8 = tosa.reshape %arg1, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("linear_1")
  %v9 = tosa.matmul %v8, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("linear_1")
  %v10 = tosa.reshape %v9, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("linear_1")
  return %v7, %v10 : tensor<1x3xf32>, tensor<1x3xf32>
}
