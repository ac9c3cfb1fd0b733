// RUN: %python %S/placement.py %s
// Written by write.py.

#float_qparams = #qbackend.qconfig<activation = <placeholder, f32>, weight = <per_channel_min_max, ui8, per_channel_affine_float_qparams>>
qbackend.qconfig_mapping @m {
  qbackend.qconfig object_type "embedding" #float_qparams
}

func.func @embedding_weight_only(%arg0: tensor<1x3xi64> loc("x")) -> (tensor<1x3x4xf32>) {
  %v1 = arith.constant dense<"0x968DE73E845877BF8F2B763FA6FEE53ECF17B53DC55C07BF71615A3E211B90BEC245363EB6B5F4BEC55570BF82753F3EB557413F257F5FBF6752333F9374773F31DB98BE842A1ABF54FCDABE899BDD3E668EAFBE9990DA3DC3D145BED6520DBFAC4F5D3ECB07DF3E8EE83EBE983E043F82282B3F9F52243F854E4A3F845145BE3ACBB43DDFA9713F945050BFD43A183EECB60C3F661DA6BE2B4E593C313D823E"> : tensor<10x4xf32> loc("e")
  %v2 = tensor.empty() : tensor<1x3x4xf32> loc("e")
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3xi64>) outs(%v2 : tensor<1x3x4xf32>) {
  ^bb0(%b3: i64, %b4: f32):
    %b5 = arith.index_cast %b3 : i64 to index
    %b6 = linalg.index 2 : index
    %b7 = tensor.extract %v1[%b5, %b6] : tensor<10x4xf32>
    linalg.yield %b7 : f32
  } -> tensor<1x3x4xf32> loc("e")
  return %v8 : tensor<1x3x4xf32>
}
