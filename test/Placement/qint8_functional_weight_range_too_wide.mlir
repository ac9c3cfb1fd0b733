// RUN: %python %S/placement.py %s
// Written by write.py.

#wide_weight = #qbackend.qconfig<activation = <min_max, si8, eps = 2.44140625E-4>, weight = <min_max, si8, per_tensor_symmetric, eps = 2.44140625E-4>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig global #wide_weight
}

func.func @qint8_functional_weight_range_too_wide(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("linear")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("linear")
  %v3 = "tosa.const"() <{values = dense<"0xE306943E60F2DB3DF71084BD2C8CF23E7DD707BF99C2363FC1FD6EBE3404A83E792AD83E3AC82EBF4C886DBEF003043F"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("linear")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("linear")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("linear")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("linear")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("linear")
  %v8 = "tosa.const"() <{values = dense<"0x9FBF613D321CE23E009EF6BE"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("linear")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("linear")
  return %v9 : tensor<1x3xf32>
}
