// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @qat_symmetric_linear(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("l")
  %v3 = "tosa.const"() <{values = dense<"0x702BFF3E795832BC70F825BFF2530E3FA679C23E0ED85ABC4E4CD8BEBBD99C3E9A3A78BE0F49CFBE57AE2B3F5A8B1C3E"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("l")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("l")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("l")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("l")
  %v8 = "tosa.const"() <{values = dense<"0x8859EABE94D723BE6F2BD6BE"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("l")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  return %v9 : tensor<1x3xf32>
}
