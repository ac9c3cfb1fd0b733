// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @dynamic_functional_linear(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("linear")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("linear")
  %v3 = "tosa.const"() <{values = dense<"0x8C21ADBD375E083E94CCE4BEAA67D23DF76258BED9E6C53C3CB61C3F1BE5C43EE019C6BE81BCBCBEDE46843DEAF62CBF"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("linear")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("linear")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("linear")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("linear")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("linear")
  %v8 = "tosa.const"() <{values = dense<"0x8F2FC6BE27FC20BEBB18F8BE"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("linear")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("linear")
  return %v9 : tensor<1x3xf32>
}
