// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@bags" | FileCheck %s --check-prefixes=BAGS,CHECK
// RUN: qbackend-opt %s --qbackend-prepare-pipeline="backend=qnnpack qconfig=@both" | FileCheck %s --check-prefixes=BOTH,CHECK
// RUN: qbackend-opt %s --apply-backend=qnnpack qconfig=@bags lower-to=qnnpack samples=1 2>/dev/null | FileCheck %s --check-prefix=KERNEL

// The table of an embedding whose rows are summed has the entry for bags, where
// there is none for embeddings; one whose rows others read, too, is no bag.

// CHECK-LABEL: func.func @main
// BAGS: [#qbackend.embedding] {{.*}} qconfig{{.*}}pattern = <embedding_bag>
// BOTH: [#qbackend.embedding] {{.*}} decision(#qbackend.float<code = "QB104">)
// CHECK: [#qbackend.mean<axes = [1]>]
// CHECK: [#qbackend.embedding] {{.*}} decision(#qbackend.float<code = "QB104">)

// KERNEL-LABEL: func.func @main
// KERNEL: qnnpack.embedding_byte
// KERNEL-NOT: qnnpack.embedding_byte
func.func @main(%i: tensor<4x3xi64>) -> (tensor<4x6xf32>, tensor<4x3x6xf32>, tensor<4x6xf32>) {
  %t = arith.constant dense<0.5> : tensor<10x6xf32>
  %u = arith.constant dense<0.25> : tensor<10x6xf32>
  %z = arith.constant dense<0.0> : tensor<4x6xf32>
  %n = arith.constant dense<3.0> : tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x3x6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, c)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%i : tensor<4x3xi64>) outs(%z : tensor<4x6xf32>) {
  ^bb0(%in: i64, %o: f32):
    %x = arith.index_cast %in : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %t[%x, %c] : tensor<10x6xf32>
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %m = arith.divf %0, %n : tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%i : tensor<4x3xi64>) outs(%e : tensor<4x3x6xf32>) {
  ^bb0(%in: i64, %o: f32):
    %x = arith.index_cast %in : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %u[%x, %c] : tensor<10x6xf32>
    linalg.yield %v : f32
  } -> tensor<4x3x6xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<4x3x6xf32>) outs(%z : tensor<4x6xf32>) dimensions = [1]
  return %m, %1, %2 : tensor<4x6xf32>, tensor<4x3x6xf32>, tensor<4x6xf32>
}

qbackend.qconfig_mapping @bags {
  qbackend.qconfig object_type "embedding_bag" <activation = <placeholder, f32>, weight = <per_channel_min_max, ui8, per_channel_affine_float_qparams>>
}
qbackend.qconfig_mapping @both {
  qbackend.qconfig object_type "embedding_bag" <activation = <placeholder, f32>, weight = <per_channel_min_max, ui8, per_channel_affine_float_qparams>>
  qbackend.qconfig object_type "embedding" none
}
