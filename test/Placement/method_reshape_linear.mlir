// RUN: %python %S/placement.py %s
// Written by write.py.

func.func @method_reshape_linear(%arg0: tensor<1x2x4x6xf32> loc("x")) -> (tensor<1x2xf32>) {
  %v1 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v2 = "tosa.const"() <{values = dense<"0x286AA53EA8C177BF6D5382BF4D36383F"> : tensor<2x1x1x2xf32>}> : () -> tensor<2x1x1x2xf32> loc("c")
  %v3 = "tosa.const"() <{values = dense<"0x0E78B23D70F38CBE"> : tensor<2xf32>}> : () -> tensor<2xf32> loc("c")
  %v4 = "tosa.const"() <{values = dense<0.000000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32> loc("c")
  %v5 = tosa.conv2d %v1, %v2, %v3, %v4, %v4 {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x6x2xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x6x2xf32> loc("c")
  %v6 = tosa.transpose %v5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32> loc("c")
  %v7 = tosa.const_shape {values = dense<[1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("reshape")
  %v8 = tosa.reshape %v6, %v7 : (tensor<1x2x4x6xf32>, !tosa.shape<2>) -> tensor<1x48xf32> loc("reshape")
  %v9 = tosa.const_shape {values = dense<[1, 1, 48]> : tensor<3xindex>} : () -> !tosa.shape<3> loc("l")
  %v10 = tosa.reshape %v8, %v9 : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32> loc("l")
  %v11 = "tosa.const"() <{values = dense<"0xBA4ADF3D2EF25BBE648FD1BDDA1F183EC5ED0DBD194F9FBC14B4ADBCBD97023D86E3493E449C053E6BC52D3E3A73E93D7A4FC4BDBF7B203EE365C4BD46E59DBDD6570ABDE5C507BEF9E45BBED61158BEC572A9BDF55A38BD5C4F483E4FE63C3D31F6153E3AF4EB3C7B37793C11F8273E07E7CDBBAB56113E145F453E7FA4C4BA6F41253DFA4C27BEAF5E443EEFE6823965C35C3E92003A3E28BB4EBE95DF283ED42129BE3A5F9A3D3DA2E73D51EB8C3DC4C525BEFDE4113E5E418CBD17DEA53D4B58B1BD5C455C3DB611B53CD43C2EBDE84147BEA03C32BD7AEBADBC60C5C1BB6B93C43CCE42293E98DC28BECC037B3D36A08CBD1350103E4F2B013B1828983A80D8ADBD055A813C25BA11BDA54AB03D4C8917BD5C8DAC3DA15334BE14C6F8BD7A121C3D144E3D3EA3DD3CBE8229F4BD96CF0E3D42458C3DF5F438BE3C2174BD15C88A3C4EC4C1BD61881B3EE9B25A3E2F4CBBBDB3359F3D550339BE801EC0BD37339FBD3779C93DE5E805BDB10DE03D6DF0463D1B3873BD35831ABE4011403E"> : tensor<1x48x2xf32>}> : () -> tensor<1x48x2xf32> loc("l")
  %v12 = tosa.matmul %v10, %v11, %v4, %v4 : (tensor<1x1x48xf32>, tensor<1x48x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32> loc("l")
  %v13 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2> loc("l")
  %v14 = tosa.reshape %v12, %v13 : (tensor<1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32> loc("l")
  %v15 = "tosa.const"() <{values = dense<"0x5B60F03E163570BE"> : tensor<1x2xf32>}> : () -> tensor<1x2xf32> loc("l")
  %v16 = tosa.add %v14, %v15 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("l")
  return %v16 : tensor<1x2xf32>
}
