// RUN: %python %S/placement.py %s
// Written by write.py.

#default = #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
#min_max = #qbackend.qconfig<activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig object_type "linear" #min_max
  qbackend.qconfig object_type "relu" #default
}

func.func @pat_AB(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x3xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("linear")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("linear")
  %v3 = "tosa.const"() <{values = dense<"0xDFFA2EBF1C05123F367AF7BE88732DBDBE17E13ECD061C3D9FE863BDD55ECEBE233609BFF0BF06BD3C577B3EDB45B33C"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("linear")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("linear")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("linear")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("linear")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("linear")
  %v8 = "tosa.const"() <{values = dense<"0x5AC8D7BE9A04F43EE214EB3E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("linear")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("linear")
  %v10 = tosa.clamp %v9 {min_val = 0.000000000e+00 : f32, max_val = 3.402823466e+38 : f32} : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("relu")
  return %v10 : tensor<1x3xf32>
}
