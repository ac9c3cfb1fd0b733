// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @matched_but_dtype_rejected_between(%arg0: tensor<1x4xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v2 = tosa.reshape %arg0, %v1 : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32> loc("l")
  %v3 = "tosa.const"() <{values = dense<"0x1FCA9C3E7A098BBED1EEF2BEBA52783E5C4E99BD986716BFB08125BF558E383FC7DD053F6DC09B3E114227BF8317993E"> : tensor<1x4x3xf32>}> : () -> tensor<1x4x3xf32> loc("l")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("l")
  %v5 = tosa.matmul %v2, %v3, %v4, %v4 : (tensor<1x1x4xf32>, tensor<1x4x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32> loc("l")
  %v6 = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v7 = tosa.reshape %v5, %v6 : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32> loc("l")
  %v8 = "tosa.const"() <{values = dense<"0xF7B982BE0BD0BDBE8D01553E"> : tensor<1x3xf32>}> : () -> tensor<1x3xf32> loc("l")
  %v9 = tosa.add %v7, %v8 : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32> loc("l")
  %v10 = "tosa.const"() <{values = dense<1.666666716e-01> : tensor<1x1xf32>}> : () -> tensor<1x1xf32> loc("hardswish")
  %v11 = "tosa.const"() <{values = dense<3.000000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32> loc("hardswish")
  %v12 = tosa.add %v9, %v11 : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32> loc("hardswish")
  %v13 = tosa.clamp %v12 {min_val = 0.000000000e+00 : f32, max_val = 6.000000000e+00 : f32} : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("hardswish")
  %v14 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8> loc("hardswish")
  %v15 = tosa.mul %v13, %v10, %v14 : (tensor<1x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("hardswish")
  %v16 = tosa.mul %v15, %v9, %v14 : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<1x3xf32> loc("hardswish")
  %v17 = tosa.const_shape {values = dense<[1, 1, 3]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l2")
  %v18 = tosa.reshape %v16, %v17 : (tensor<1x3xf32>, !tosa.shape<3>) -> tensor<1x1x3xf32> loc("l2")
  %v19 = "tosa.const"() <{values = dense<"0x614708BF0FCC40BF34C9C0BE07F2A8BE46B3B63E0D24363C"> : tensor<1x3x2xf32>}> : () -> tensor<1x3x2xf32> loc("l2")
  %v20 = tosa.matmul %v18, %v19, %v4, %v4 : (tensor<1x1x3xf32>, tensor<1x3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32> loc("l2")
  %v21 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l2")
  %v22 = tosa.reshape %v20, %v21 : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32> loc("l2")
  %v23 = "tosa.const"() <{values = dense<"0x25CB053E7FCECEBD"> : tensor<1x2xf32>}> : () -> tensor<1x2xf32> loc("l2")
  %v24 = tosa.add %v22, %v23 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("l2")
  return %v24 : tensor<1x2xf32>
}
