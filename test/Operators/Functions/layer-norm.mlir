// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @layer_norm(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @layer_norm(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%5 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %7 = tensor.empty() : tensor<2x5x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%7 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%8 : tensor<2x5x12xf32>) outs(%10 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %12 = tensor.empty() : tensor<2x5x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1xf32>) outs(%12 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %14 = tensor.empty() : tensor<2x5x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1xf32>) outs(%14 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %16 = tensor.empty() : tensor<2x5x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1xf32>) outs(%16 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %18 = tensor.empty() : tensor<2x5x12xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%18 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %20 = tensor.empty() : tensor<2x5x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<12xf32>, tensor<2x5x12xf32>) outs(%20 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %22 = tensor.empty() : tensor<2x5x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x5x12xf32>, tensor<12xf32>) outs(%22 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %23 : tensor<2x5x12xf32>
}

// The statistics are broadcast by ops of their own.
// CHECK-LABEL: func.func @layer_norm_broadcast(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @layer_norm_broadcast(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%4 : tensor<2x5x1xf32>) outs(%5 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %7 = tensor.empty() : tensor<2x5x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %6 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%7 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %9 = tensor.empty() : tensor<2x5x12xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%8, %8 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%9 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %11 = tensor.empty() : tensor<2x5x1xf32>
  %12 = linalg.fill ins(%zero : f32) outs(%11 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%10 : tensor<2x5x12xf32>) outs(%12 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %14 = tensor.empty() : tensor<2x5x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1xf32>) outs(%14 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %16 = tensor.empty() : tensor<2x5x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1xf32>) outs(%16 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %18 = tensor.empty() : tensor<2x5x1xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%17 : tensor<2x5x1xf32>) outs(%18 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %20 = tensor.empty() : tensor<2x5x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%8, %19 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%20 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %22 = tensor.empty() : tensor<2x5x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %21 : tensor<12xf32>, tensor<2x5x12xf32>) outs(%22 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %24 = tensor.empty() : tensor<2x5x12xf32>
  %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%23, %b : tensor<2x5x12xf32>, tensor<12xf32>) outs(%24 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %25 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @layer_norm_of_two_dimensions(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [1, 2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @layer_norm_of_two_dimensions(%x: tensor<3x5x6xf32>, %w: tensor<5x6xf32>, %b: tensor<5x6xf32>) -> tensor<3x5x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 30.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<3x1x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, 0)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%x : tensor<3x5x6xf32>) outs(%1 : tensor<3x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<3x1x1xf32>
  %3 = tensor.empty() : tensor<3x1x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<3x1x1xf32>) outs(%3 : tensor<3x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<3x1x1xf32>
  %5 = tensor.empty() : tensor<3x5x6xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<3x5x6xf32>, tensor<3x1x1xf32>) outs(%5 : tensor<3x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<3x5x6xf32>
  %7 = tensor.empty() : tensor<3x5x6xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<3x5x6xf32>, tensor<3x5x6xf32>) outs(%7 : tensor<3x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<3x5x6xf32>
  %9 = tensor.empty() : tensor<3x1x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, 0)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%8 : tensor<3x5x6xf32>) outs(%10 : tensor<3x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<3x1x1xf32>
  %12 = tensor.empty() : tensor<3x1x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<3x1x1xf32>) outs(%12 : tensor<3x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<3x1x1xf32>
  %14 = tensor.empty() : tensor<3x1x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<3x1x1xf32>) outs(%14 : tensor<3x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<3x1x1xf32>
  %16 = tensor.empty() : tensor<3x1x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<3x1x1xf32>) outs(%16 : tensor<3x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.sqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<3x1x1xf32>
  %18 = tensor.empty() : tensor<3x5x6xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<3x5x6xf32>, tensor<3x1x1xf32>) outs(%18 : tensor<3x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.divf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<3x5x6xf32>
  %20 = tensor.empty() : tensor<3x5x6xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<5x6xf32>, tensor<3x5x6xf32>) outs(%20 : tensor<3x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<3x5x6xf32>
  %22 = tensor.empty() : tensor<3x5x6xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<3x5x6xf32>, tensor<5x6xf32>) outs(%22 : tensor<3x5x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<3x5x6xf32>
  return %23 : tensor<3x5x6xf32>
}

// The variance as mean(x * x) - mean * mean.
// CHECK-LABEL: func.func @layer_norm_without_parameters(
// CHECK: qbackend.operator [#qbackend.layer_norm<axes = [1], eps = 1.0{{0*}}e-05>] inputs(%arg0
// CHECK-NOT: qbackend.operator
func.func @layer_norm_without_parameters(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 10.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<4x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x10xf32>) outs(%1 : tensor<4x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %3 = tensor.empty() : tensor<4x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%2 : tensor<4x1xf32>) outs(%3 : tensor<4x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %5 = tensor.empty() : tensor<4x10xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x10xf32>) outs(%5 : tensor<4x10xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<4x10xf32>
  %7 = tensor.empty() : tensor<4x1xf32>
  %8 = linalg.fill ins(%zero : f32) outs(%7 : tensor<4x1xf32>) -> tensor<4x1xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
    ins(%6 : tensor<4x10xf32>) outs(%8 : tensor<4x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %10 = tensor.empty() : tensor<4x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%9, %4 : tensor<4x1xf32>, tensor<4x1xf32>) outs(%10 : tensor<4x1xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %q = arith.divf %a0, %n : f32
    %p = arith.mulf %a1, %a1 : f32
    %y = arith.subf %q, %p : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %12 = tensor.empty() : tensor<4x10xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %4 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%12 : tensor<4x10xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<4x10xf32>
  %14 = tensor.empty() : tensor<4x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%11 : tensor<4x1xf32>) outs(%14 : tensor<4x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %16 = tensor.empty() : tensor<4x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%15 : tensor<4x1xf32>) outs(%16 : tensor<4x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<4x1xf32>
  %18 = tensor.empty() : tensor<4x10xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%13, %17 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%18 : tensor<4x10xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<4x10xf32>
  return %19 : tensor<4x10xf32>
}

// CHECK-LABEL: func.func @instance_norm1d(
// CHECK: qbackend.operator [#qbackend.instance_norm1d<axis = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @instance_norm1d(%x: tensor<2x5x12xf32>, %w: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%5 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %7 = tensor.empty() : tensor<2x5x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%7 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%8 : tensor<2x5x12xf32>) outs(%10 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %12 = tensor.empty() : tensor<2x5x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1xf32>) outs(%12 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %14 = tensor.empty() : tensor<2x5x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1xf32>) outs(%14 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %16 = tensor.empty() : tensor<2x5x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1xf32>) outs(%16 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %18 = tensor.empty() : tensor<2x5x12xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%18 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %20 = tensor.empty() : tensor<2x5x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<5xf32>, tensor<2x5x12xf32>) outs(%20 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %22 = tensor.empty() : tensor<2x5x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x5x12xf32>, tensor<5xf32>) outs(%22 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %23 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @instance_norm2d(
// CHECK: qbackend.operator [#qbackend.instance_norm2d<axis = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0
// CHECK-NOT: qbackend.operator
func.func @instance_norm2d(%x: tensor<2x5x6x7xf32>) -> tensor<2x5x6x7xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 42.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1x1xf32>) -> tensor<2x5x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x : tensor<2x5x6x7xf32>) outs(%1 : tensor<2x5x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1xf32>
  %3 = tensor.empty() : tensor<2x5x1x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1x1xf32>) outs(%3 : tensor<2x5x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1xf32>
  %5 = tensor.empty() : tensor<2x5x6x7xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x6x7xf32>, tensor<2x5x1x1xf32>) outs(%5 : tensor<2x5x6x7xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x6x7xf32>
  %7 = tensor.empty() : tensor<2x5x6x7xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x6x7xf32>, tensor<2x5x6x7xf32>) outs(%7 : tensor<2x5x6x7xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x6x7xf32>
  %9 = tensor.empty() : tensor<2x5x1x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1x1xf32>) -> tensor<2x5x1x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%8 : tensor<2x5x6x7xf32>) outs(%10 : tensor<2x5x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1xf32>
  %12 = tensor.empty() : tensor<2x5x1x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1x1xf32>) outs(%12 : tensor<2x5x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1xf32>
  %14 = tensor.empty() : tensor<2x5x1x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1x1xf32>) outs(%14 : tensor<2x5x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1xf32>
  %16 = tensor.empty() : tensor<2x5x1x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1x1xf32>) outs(%16 : tensor<2x5x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.sqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1xf32>
  %18 = tensor.empty() : tensor<2x5x6x7xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x6x7xf32>, tensor<2x5x1x1xf32>) outs(%18 : tensor<2x5x6x7xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.divf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x6x7xf32>
  return %19 : tensor<2x5x6x7xf32>
}

// CHECK-LABEL: func.func @instance_norm2d_channels_last(
// CHECK: qbackend.operator [#qbackend.instance_norm2d<axis = 3, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @instance_norm2d_channels_last(%x: tensor<2x6x7x5xf32>, %w: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<2x6x7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 42.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x1x1x5xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x1x1x5xf32>) -> tensor<2x1x1x5xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
    ins(%x : tensor<2x6x7x5xf32>) outs(%1 : tensor<2x1x1x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x5xf32>
  %3 = tensor.empty() : tensor<2x1x1x5xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x1x1x5xf32>) outs(%3 : tensor<2x1x1x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x5xf32>
  %5 = tensor.empty() : tensor<2x6x7x5xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x6x7x5xf32>, tensor<2x1x1x5xf32>) outs(%5 : tensor<2x6x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x7x5xf32>
  %7 = tensor.empty() : tensor<2x6x7x5xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x6x7x5xf32>, tensor<2x6x7x5xf32>) outs(%7 : tensor<2x6x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x7x5xf32>
  %9 = tensor.empty() : tensor<2x1x1x5xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x1x1x5xf32>) -> tensor<2x1x1x5xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
    ins(%8 : tensor<2x6x7x5xf32>) outs(%10 : tensor<2x1x1x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x5xf32>
  %12 = tensor.empty() : tensor<2x1x1x5xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x1x1x5xf32>) outs(%12 : tensor<2x1x1x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x5xf32>
  %14 = tensor.empty() : tensor<2x1x1x5xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x1x1x5xf32>) outs(%14 : tensor<2x1x1x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x5xf32>
  %16 = tensor.empty() : tensor<2x1x1x5xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x1x1x5xf32>) outs(%16 : tensor<2x1x1x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x5xf32>
  %18 = tensor.empty() : tensor<2x6x7x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x6x7x5xf32>, tensor<2x1x1x5xf32>) outs(%18 : tensor<2x6x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x7x5xf32>
  %20 = tensor.empty() : tensor<2x6x7x5xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<5xf32>, tensor<2x6x7x5xf32>) outs(%20 : tensor<2x6x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x7x5xf32>
  %22 = tensor.empty() : tensor<2x6x7x5xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x6x7x5xf32>, tensor<5xf32>) outs(%22 : tensor<2x6x7x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x7x5xf32>
  return %23 : tensor<2x6x7x5xf32>
}

// CHECK-LABEL: func.func @instance_norm3d(
// CHECK: qbackend.operator [#qbackend.instance_norm3d<axis = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @instance_norm3d(%x: tensor<2x5x3x4x6xf32>, %w: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<2x5x3x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 72.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1x1x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1x1x1xf32>) -> tensor<2x5x1x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x : tensor<2x5x3x4x6xf32>) outs(%1 : tensor<2x5x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1x1xf32>
  %3 = tensor.empty() : tensor<2x5x1x1x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1x1x1xf32>) outs(%3 : tensor<2x5x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1x1xf32>
  %5 = tensor.empty() : tensor<2x5x3x4x6xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, 0, 0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x3x4x6xf32>, tensor<2x5x1x1x1xf32>) outs(%5 : tensor<2x5x3x4x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x3x4x6xf32>
  %7 = tensor.empty() : tensor<2x5x3x4x6xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x3x4x6xf32>, tensor<2x5x3x4x6xf32>) outs(%7 : tensor<2x5x3x4x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x3x4x6xf32>
  %9 = tensor.empty() : tensor<2x5x1x1x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1x1x1xf32>) -> tensor<2x5x1x1x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%8 : tensor<2x5x3x4x6xf32>) outs(%10 : tensor<2x5x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1x1xf32>
  %12 = tensor.empty() : tensor<2x5x1x1x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1x1x1xf32>) outs(%12 : tensor<2x5x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1x1xf32>
  %14 = tensor.empty() : tensor<2x5x1x1x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1x1x1xf32>) outs(%14 : tensor<2x5x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1x1xf32>
  %16 = tensor.empty() : tensor<2x5x1x1x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1x1x1xf32>) outs(%16 : tensor<2x5x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1x1x1xf32>
  %18 = tensor.empty() : tensor<2x5x3x4x6xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, 0, 0)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x3x4x6xf32>, tensor<2x5x1x1x1xf32>) outs(%18 : tensor<2x5x3x4x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x3x4x6xf32>
  %20 = tensor.empty() : tensor<2x5x3x4x6xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<5xf32>, tensor<2x5x3x4x6xf32>) outs(%20 : tensor<2x5x3x4x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x3x4x6xf32>
  %22 = tensor.empty() : tensor<2x5x3x4x6xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x5x3x4x6xf32>, tensor<5xf32>) outs(%22 : tensor<2x5x3x4x6xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x3x4x6xf32>
  return %23 : tensor<2x5x3x4x6xf32>
}

// One group.
// CHECK-LABEL: func.func @group_norm_of_all(
// CHECK: qbackend.operator [#qbackend.group_norm<axis = 1, num_groups = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @group_norm_of_all(%x: tensor<2x6x4x5xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 120.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x1x1x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
    ins(%x : tensor<2x6x4x5xf32>) outs(%1 : tensor<2x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x1xf32>
  %3 = tensor.empty() : tensor<2x1x1x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x1x1x1xf32>) outs(%3 : tensor<2x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x1xf32>
  %5 = tensor.empty() : tensor<2x6x4x5xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x6x4x5xf32>, tensor<2x1x1x1xf32>) outs(%5 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  %7 = tensor.empty() : tensor<2x6x4x5xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>) outs(%7 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  %9 = tensor.empty() : tensor<2x1x1x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x1x1x1xf32>) -> tensor<2x1x1x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
    ins(%8 : tensor<2x6x4x5xf32>) outs(%10 : tensor<2x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x1xf32>
  %12 = tensor.empty() : tensor<2x1x1x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x1x1x1xf32>) outs(%12 : tensor<2x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x1xf32>
  %14 = tensor.empty() : tensor<2x1x1x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x1x1x1xf32>) outs(%14 : tensor<2x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x1xf32>
  %16 = tensor.empty() : tensor<2x1x1x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x1x1x1xf32>) outs(%16 : tensor<2x1x1x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x1x1x1xf32>
  %18 = tensor.empty() : tensor<2x6x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x6x4x5xf32>, tensor<2x1x1x1xf32>) outs(%18 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  %20 = tensor.empty() : tensor<2x6x4x5xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<6xf32>, tensor<2x6x4x5xf32>) outs(%20 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  %22 = tensor.empty() : tensor<2x6x4x5xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x6x4x5xf32>, tensor<6xf32>) outs(%22 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  return %23 : tensor<2x6x4x5xf32>
}

// CHECK-LABEL: func.func @group_norm(
// CHECK: qbackend.operator [#qbackend.group_norm<axis = 1, num_groups = 3, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @group_norm(%x: tensor<2x6x4x5xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 3, 2, 4, 5] : tensor<2x6x4x5xf32> into tensor<2x3x2x4x5xf32>
  %1 = tensor.empty() : tensor<2x3xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%0 : tensor<2x3x2x4x5xf32>) outs(%2 : tensor<2x3xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %4 = tensor.empty() : tensor<2x3xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%3 : tensor<2x3xf32>) outs(%4 : tensor<2x3xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %6 = tensor.empty() : tensor<2x3x2x4x5xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %5 : tensor<2x3x2x4x5xf32>, tensor<2x3xf32>) outs(%6 : tensor<2x3x2x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x2x4x5xf32>
  %8 = tensor.empty() : tensor<2x3x2x4x5xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x2x4x5xf32>) outs(%8 : tensor<2x3x2x4x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x2x4x5xf32>
  %10 = tensor.empty() : tensor<2x3xf32>
  %11 = linalg.fill ins(%zero : f32) outs(%10 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%9 : tensor<2x3x2x4x5xf32>) outs(%11 : tensor<2x3xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %13 = tensor.empty() : tensor<2x3xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%12 : tensor<2x3xf32>) outs(%13 : tensor<2x3xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %v = arith.divf %a0, %n : f32
    %t = arith.truncf %eps : f64 to f32
    %u = arith.addf %v, %t : f32
    %y = math.rsqrt %u : f32
    linalg.yield %y : f32
  } -> tensor<2x3xf32>
  %15 = tensor.empty() : tensor<2x3x2x4x5xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%7, %14 : tensor<2x3x2x4x5xf32>, tensor<2x3xf32>) outs(%15 : tensor<2x3x2x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x2x4x5xf32>
  %17 = tensor.collapse_shape %16 [[0], [1, 2], [3], [4]] : tensor<2x3x2x4x5xf32> into tensor<2x6x4x5xf32>
  %18 = tensor.empty() : tensor<2x6x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%17, %w : tensor<2x6x4x5xf32>, tensor<6xf32>) outs(%18 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  %20 = tensor.empty() : tensor<2x6x4x5xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%19, %b : tensor<2x6x4x5xf32>, tensor<6xf32>) outs(%20 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  return %21 : tensor<2x6x4x5xf32>
}

// CHECK-LABEL: func.func @group_norm_without_parameters(
// CHECK: qbackend.operator [#qbackend.group_norm<axis = 1, num_groups = 2, eps = 1.0{{0*}}e-05>] inputs(%arg0
// CHECK-NOT: qbackend.operator
func.func @group_norm_without_parameters(%x: tensor<2x6x4x5xf32>) -> tensor<2x6x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 60.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 2, 3, 4, 5] : tensor<2x6x4x5xf32> into tensor<2x2x3x4x5xf32>
  %1 = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%0 : tensor<2x2x3x4x5xf32>) outs(%2 : tensor<2x2xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x2xf32>
  %4 = tensor.empty() : tensor<2x2xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%3 : tensor<2x2xf32>) outs(%4 : tensor<2x2xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x2xf32>
  %6 = tensor.empty() : tensor<2x2x3x4x5xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %5 : tensor<2x2x3x4x5xf32>, tensor<2x2xf32>) outs(%6 : tensor<2x2x3x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x3x4x5xf32>
  %8 = tensor.empty() : tensor<2x2x3x4x5xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x2x3x4x5xf32>) outs(%8 : tensor<2x2x3x4x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x3x4x5xf32>
  %10 = tensor.empty() : tensor<2x2xf32>
  %11 = linalg.fill ins(%zero : f32) outs(%10 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%9 : tensor<2x2x3x4x5xf32>) outs(%11 : tensor<2x2xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x2xf32>
  %13 = tensor.empty() : tensor<2x2xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%12 : tensor<2x2xf32>) outs(%13 : tensor<2x2xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %v = arith.divf %a0, %n : f32
    %t = arith.truncf %eps : f64 to f32
    %u = arith.addf %v, %t : f32
    %y = math.rsqrt %u : f32
    linalg.yield %y : f32
  } -> tensor<2x2xf32>
  %15 = tensor.empty() : tensor<2x2x3x4x5xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%7, %14 : tensor<2x2x3x4x5xf32>, tensor<2x2xf32>) outs(%15 : tensor<2x2x3x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x2x3x4x5xf32>
  %17 = tensor.collapse_shape %16 [[0], [1, 2], [3], [4]] : tensor<2x2x3x4x5xf32> into tensor<2x6x4x5xf32>
  return %17 : tensor<2x6x4x5xf32>
}

// CHECK-LABEL: func.func @groups_of_one_channel(
// CHECK: qbackend.operator [#qbackend.instance_norm2d<axis = 1, eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1) bias(%arg2)
// CHECK-NOT: qbackend.operator
func.func @groups_of_one_channel(%x: tensor<2x6x4x5xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 20.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [2, 6, 1, 4, 5] : tensor<2x6x4x5xf32> into tensor<2x6x1x4x5xf32>
  %1 = tensor.empty() : tensor<2x6xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<2x6xf32>) -> tensor<2x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%0 : tensor<2x6x1x4x5xf32>) outs(%2 : tensor<2x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x6xf32>
  %4 = tensor.empty() : tensor<2x6xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%3 : tensor<2x6xf32>) outs(%4 : tensor<2x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x6xf32>
  %6 = tensor.empty() : tensor<2x6x1x4x5xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %5 : tensor<2x6x1x4x5xf32>, tensor<2x6xf32>) outs(%6 : tensor<2x6x1x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x1x4x5xf32>
  %8 = tensor.empty() : tensor<2x6x1x4x5xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x6x1x4x5xf32>) outs(%8 : tensor<2x6x1x4x5xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x1x4x5xf32>
  %10 = tensor.empty() : tensor<2x6xf32>
  %11 = linalg.fill ins(%zero : f32) outs(%10 : tensor<2x6xf32>) -> tensor<2x6xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%9 : tensor<2x6x1x4x5xf32>) outs(%11 : tensor<2x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x6xf32>
  %13 = tensor.empty() : tensor<2x6xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%12 : tensor<2x6xf32>) outs(%13 : tensor<2x6xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %v = arith.divf %a0, %n : f32
    %t = arith.truncf %eps : f64 to f32
    %u = arith.addf %v, %t : f32
    %y = math.rsqrt %u : f32
    linalg.yield %y : f32
  } -> tensor<2x6xf32>
  %15 = tensor.empty() : tensor<2x6x1x4x5xf32>
  %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%7, %14 : tensor<2x6x1x4x5xf32>, tensor<2x6xf32>) outs(%15 : tensor<2x6x1x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x1x4x5xf32>
  %17 = tensor.collapse_shape %16 [[0], [1, 2], [3], [4]] : tensor<2x6x1x4x5xf32> into tensor<2x6x4x5xf32>
  %18 = tensor.empty() : tensor<2x6x4x5xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%17, %w : tensor<2x6x4x5xf32>, tensor<6xf32>) outs(%18 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  %20 = tensor.empty() : tensor<2x6x4x5xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%19, %b : tensor<2x6x4x5xf32>, tensor<6xf32>) outs(%20 : tensor<2x6x4x5xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x6x4x5xf32>
  return %21 : tensor<2x6x4x5xf32>
}

// CHECK-LABEL: func.func @rms_norm_pow(
// CHECK: qbackend.operator [#qbackend.rms_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @rms_norm_pow(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-06 : f64
  %0 = tensor.empty() : tensor<2x5x12xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x5x12xf32>) outs(%0 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %two = arith.constant 2 : i64
    %y = math.fpowi %a0, %two : f32, i64
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %2 = tensor.empty() : tensor<2x5x1xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%1 : tensor<2x5x12xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x1xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%4 : tensor<2x5x1xf32>) outs(%5 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %7 = tensor.empty() : tensor<2x5x1xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6 : tensor<2x5x1xf32>) outs(%7 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%8 : tensor<2x5x1xf32>) outs(%9 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %11 = tensor.empty() : tensor<2x5x12xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %10 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%11 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %13 = tensor.empty() : tensor<2x5x12xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %12 : tensor<12xf32>, tensor<2x5x12xf32>) outs(%13 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %14 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @rms_norm_powf(
// CHECK: qbackend.operator [#qbackend.rms_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @rms_norm_powf(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-06 : f64
  %0 = tensor.empty() : tensor<2x5x12xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x5x12xf32>) outs(%0 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %two = arith.constant 2.0 : f32
    %y = math.powf %a0, %two : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %2 = tensor.empty() : tensor<2x5x1xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%1 : tensor<2x5x12xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x1xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%4 : tensor<2x5x1xf32>) outs(%5 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %7 = tensor.empty() : tensor<2x5x1xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6 : tensor<2x5x1xf32>) outs(%7 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%8 : tensor<2x5x1xf32>) outs(%9 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %11 = tensor.empty() : tensor<2x5x12xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %10 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%11 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %13 = tensor.empty() : tensor<2x5x12xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %12 : tensor<12xf32>, tensor<2x5x12xf32>) outs(%13 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %14 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @rms_norm_fused(
// CHECK: qbackend.operator [#qbackend.rms_norm<axes = [2], eps = 1.0{{0*}}e-05>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @rms_norm_fused(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-06 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %s = arith.mulf %a0, %a0 : f32
    %y = arith.addf %o, %s : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x12xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %2, %w : tensor<2x5x12xf32>, tensor<2x5x1xf32>, tensor<12xf32>) outs(%3 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %o: f32):
    %v = arith.divf %a1, %n : f32
    %t = arith.truncf %eps : f64 to f32
    %u = arith.addf %v, %t : f32
    %r = math.rsqrt %u : f32
    %p = arith.mulf %a0, %r : f32
    %y = arith.mulf %p, %a2 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %4 : tensor<2x5x12xf32>
}

// The variance is over another dimension.
// CHECK-LABEL: func.func @other_axes(
// CHECK-NOT: #qbackend.layer_norm
func.func @other_axes(%x: tensor<2x12x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x12x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x12x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x12x1xf32>) -> tensor<2x12x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x12x12xf32>) outs(%1 : tensor<2x12x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x12x1xf32>
  %3 = tensor.empty() : tensor<2x12x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x12x1xf32>) outs(%3 : tensor<2x12x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x12x1xf32>
  %5 = tensor.empty() : tensor<2x12x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x12x12xf32>, tensor<2x12x1xf32>) outs(%5 : tensor<2x12x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x12x12xf32>
  %7 = tensor.empty() : tensor<2x12x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x12x12xf32>, tensor<2x12x12xf32>) outs(%7 : tensor<2x12x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x12x12xf32>
  %9 = tensor.empty() : tensor<2x1x12xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x1x12xf32>) -> tensor<2x1x12xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%8 : tensor<2x12x12xf32>) outs(%10 : tensor<2x1x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x1x12xf32>
  %12 = tensor.empty() : tensor<2x1x12xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x1x12xf32>) outs(%12 : tensor<2x1x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x1x12xf32>
  %14 = tensor.empty() : tensor<2x1x12xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x1x12xf32>) outs(%14 : tensor<2x1x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x1x12xf32>
  %16 = tensor.empty() : tensor<2x1x12xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x1x12xf32>) outs(%16 : tensor<2x1x12xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x1x12xf32>
  %18 = tensor.empty() : tensor<2x12x12xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x12x12xf32>, tensor<2x1x12xf32>) outs(%18 : tensor<2x12x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x12x12xf32>
  %20 = tensor.empty() : tensor<2x12x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<12xf32>, tensor<2x12x12xf32>) outs(%20 : tensor<2x12x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x12x12xf32>
  %22 = tensor.empty() : tensor<2x12x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x12x12xf32>, tensor<12xf32>) outs(%22 : tensor<2x12x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x12x12xf32>
  return %23 : tensor<2x12x12xf32>
}

// The mean is of another activation.
// CHECK-LABEL: func.func @other_input(
// CHECK-NOT: #qbackend.layer_norm
func.func @other_input(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>, %z: tensor<2x5x12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%z : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%5 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %7 = tensor.empty() : tensor<2x5x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%7 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%8 : tensor<2x5x12xf32>) outs(%10 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %12 = tensor.empty() : tensor<2x5x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1xf32>) outs(%12 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %14 = tensor.empty() : tensor<2x5x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1xf32>) outs(%14 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %16 = tensor.empty() : tensor<2x5x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1xf32>) outs(%16 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %18 = tensor.empty() : tensor<2x5x12xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%18 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %20 = tensor.empty() : tensor<2x5x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<12xf32>, tensor<2x5x12xf32>) outs(%20 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %22 = tensor.empty() : tensor<2x5x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x5x12xf32>, tensor<12xf32>) outs(%22 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %23 : tensor<2x5x12xf32>
}

// CHECK-LABEL: func.func @negative_eps(
// CHECK-NOT: #qbackend.layer_norm
func.func @negative_eps(%x: tensor<2x5x12xf32>, %w: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant -1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%5 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %7 = tensor.empty() : tensor<2x5x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%7 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%8 : tensor<2x5x12xf32>) outs(%10 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %12 = tensor.empty() : tensor<2x5x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1xf32>) outs(%12 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %14 = tensor.empty() : tensor<2x5x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1xf32>) outs(%14 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %16 = tensor.empty() : tensor<2x5x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1xf32>) outs(%16 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %18 = tensor.empty() : tensor<2x5x12xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%18 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %20 = tensor.empty() : tensor<2x5x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<12xf32>, tensor<2x5x12xf32>) outs(%20 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %22 = tensor.empty() : tensor<2x5x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x5x12xf32>, tensor<12xf32>) outs(%22 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %23 : tensor<2x5x12xf32>
}

// A weight along the dimensions that stay.
// CHECK-LABEL: func.func @weight_of_a_batch(
// CHECK-NOT: weight(
// CHECK: #qbackend.layer_norm<axes = [2]
// CHECK-NOT: weight(
func.func @weight_of_a_batch(%x: tensor<2x5x12xf32>, %w: tensor<2x5xf32>, %b: tensor<2x5xf32>) -> tensor<2x5x12xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 12.0 : f32
  %eps = arith.constant 1.0e-05 : f64
  %0 = tensor.empty() : tensor<2x5x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x5x12xf32>) outs(%1 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %3 = tensor.empty() : tensor<2x5x1xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%2 : tensor<2x5x1xf32>) outs(%3 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %5 = tensor.empty() : tensor<2x5x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %4 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%5 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.subf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %7 = tensor.empty() : tensor<2x5x12xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %6 : tensor<2x5x12xf32>, tensor<2x5x12xf32>) outs(%7 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %9 = tensor.empty() : tensor<2x5x1xf32>
  %10 = linalg.fill ins(%zero : f32) outs(%9 : tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%8 : tensor<2x5x12xf32>) outs(%10 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %12 = tensor.empty() : tensor<2x5x1xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x5x1xf32>) outs(%12 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %n : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %14 = tensor.empty() : tensor<2x5x1xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13 : tensor<2x5x1xf32>) outs(%14 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %t = arith.truncf %eps : f64 to f32
    %y = arith.addf %a0, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %16 = tensor.empty() : tensor<2x5x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15 : tensor<2x5x1xf32>) outs(%16 : tensor<2x5x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.rsqrt %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x1xf32>
  %18 = tensor.empty() : tensor<2x5x12xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%6, %17 : tensor<2x5x12xf32>, tensor<2x5x1xf32>) outs(%18 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %20 = tensor.empty() : tensor<2x5x12xf32>
  %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %19 : tensor<2x5xf32>, tensor<2x5x12xf32>) outs(%20 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  %22 = tensor.empty() : tensor<2x5x12xf32>
  %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%21, %b : tensor<2x5x12xf32>, tensor<2x5xf32>) outs(%22 : tensor<2x5x12xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x5x12xf32>
  return %23 : tensor<2x5x12xf32>
}
