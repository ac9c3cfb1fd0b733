// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @layernorm(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("l")
  %v3 = "tosa.const"() <{values = dense<"0x9820213F2C691EBF0A5418BF367F24BFFDBA0FBFFC563A3E9776223F9A0109BDEA77903CF84532BF940140BE3F7C363E"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("l")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("l")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("l")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("l")
  %v8 = "tosa.const"() <{values = dense<"0x7312C7BE91D8EABEA431E83E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("l")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  %v10 = tosa.reduce_sum %v9 {axis = 1 : i32} : (tensor<1x3xf32>) -> tensor<1x1xf32> loc("n")
  %v11 = "tosa.const"() <{values = dense<3.333333433e-01> : tensor<1x1xf32>}> : () -> tensor<1x1xf32> loc("n")
  %v12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("n")
  %v13 = tosa.mul %v10, %v11, %v12 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32> loc("n")
  %v14 = tosa.sub %v9, %v13 : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32> loc("n")
  %v15 = tosa.mul %v14, %v14, %v12 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("n")
  %v16 = tosa.reduce_sum %v15 {axis = 1 : i32} : (tensor<1x3xf32>) -> tensor<1x1xf32> loc("n")
  %v17 = tosa.mul %v16, %v11, %v12 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32> loc("n")
  %v18 = "tosa.const"() <{values = dense<9.999999747e-06> : tensor<1x1xf32>}> : () -> tensor<1x1xf32> loc("n")
  %v19 = tosa.add %v17, %v18 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32> loc("n")
  %v20 = tosa.rsqrt %v19 : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("n")
  %v21 = tosa.mul %v14, %v20, %v12 : (tensor<1x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("n")
  %v22 = "tosa.const"() <{values = dense<"0x78970E3F6C28B03FA738AB3F"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("n")
  %v23 = tosa.mul %v21, %v22, %v12 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("n")
  %v24 = "tosa.const"() <{values = dense<"0x25B866BE2334E33ED65B803E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("n")
  %v25 = tosa.add %v23, %v24 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("n")
  return %v25 : tensor<1x3xf32>
}
