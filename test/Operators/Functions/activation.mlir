// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @relu(
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @relu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c0 = arith.cmpf ugt, %a0, %zero : f32
    %y = arith.select %c0, %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @relu_fused(
// CHECK: qbackend.operator [#qbackend.relu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @relu_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %c0 = arith.cmpf ugt, %a0, %zero : f32
    %y = arith.select %c0, %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @relu6(
// CHECK: qbackend.operator [#qbackend.relu6] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @relu6(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %six = arith.constant 6.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %zero, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minnumf %a0, %six : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @relu6_fused(
// CHECK: qbackend.operator [#qbackend.relu6] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @relu6_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %six = arith.constant 6.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %m = arith.maximumf %zero, %a0 : f32
    %y = arith.minnumf %m, %six : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @hardtanh(
// CHECK: qbackend.operator [#qbackend.hardtanh<min = -1.0{{.*}}, max = 1.0{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardtanh(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %minus = arith.constant -1.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %a0, %minus : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minimumf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @hardtanh_fused(
// CHECK: qbackend.operator [#qbackend.hardtanh<min = -1.0{{.*}}, max = 1.0{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardtanh_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %minus = arith.constant -1.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %m = arith.maximumf %a0, %minus : f32
    %y = arith.minimumf %m, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @sigmoid(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.negf %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.exp %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %one, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %7 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @sigmoid_fused(
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @sigmoid_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %n = arith.negf %a0 : f32
    %e = math.exp %n : f32
    %p = arith.addf %e, %one : f32
    %y = arith.divf %one, %p : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @silu(
// CHECK: qbackend.operator [#qbackend.silu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @silu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.negf %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.exp %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %one, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %9 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @silu_fused(
// CHECK: qbackend.operator [#qbackend.silu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @silu_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %n = arith.negf %a0 : f32
    %e = math.exp %n : f32
    %p = arith.addf %e, %one : f32
    %g = arith.divf %one, %p : f32
    %y = arith.mulf %g, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu(
// CHECK: qbackend.operator [#qbackend.gelu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @gelu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %half = arith.constant 5.0e-01 : f32
  %one = arith.constant 1.0 : f32
  %root2 = arith.constant 1.41421354 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %root2 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.erf %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %half : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %7 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %9 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu_fused(
// CHECK: qbackend.operator [#qbackend.gelu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @gelu_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %half = arith.constant 5.0e-01 : f32
  %one = arith.constant 1.0 : f32
  %root2 = arith.constant 1.41421354 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %d = arith.divf %a0, %root2 : f32
    %r = math.erf %d : f32
    %a = arith.addf %r, %one : f32
    %h = arith.mulf %a, %half : f32
    %y = arith.mulf %a0, %h : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh(
// CHECK: qbackend.operator [#qbackend.gelu<tanh = true>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @gelu_tanh(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = arith.constant 4.471500e-02 : f32
  %half = arith.constant 5.0e-01 : f32
  %kk = arith.constant 0.797724035 : f32
  %one = arith.constant 1.0 : f32
  %i3 = arith.constant 3 : i64
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.fpowi %a0, %i3 : f32, i64
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %kk : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %10 = tensor.empty() : tensor<2x3x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%9 : tensor<2x3x4xf32>) outs(%10 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %12 = tensor.empty() : tensor<2x3x4xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x3x4xf32>) outs(%12 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %half : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %14 = tensor.empty() : tensor<2x3x4xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%14 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %15 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh_fused(
// CHECK: qbackend.operator [#qbackend.gelu<tanh = true>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @gelu_tanh_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = arith.constant 4.471500e-02 : f32
  %half = arith.constant 5.0e-01 : f32
  %kk = arith.constant 0.797724035 : f32
  %one = arith.constant 1.0 : f32
  %i3 = arith.constant 3 : i64
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %p = math.fpowi %a0, %i3 : f32, i64
    %q = arith.mulf %p, %c : f32
    %s = arith.addf %a0, %q : f32
    %t = arith.mulf %s, %kk : f32
    %u = math.tanh %t : f32
    %v = arith.addf %u, %one : f32
    %z = arith.mulf %v, %half : f32
    %y = arith.mulf %z, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu_cubed(
// CHECK: qbackend.operator [#qbackend.gelu<tanh = true>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @gelu_cubed(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = arith.constant 4.471500e-02 : f32
  %half = arith.constant 5.0e-01 : f32
  %k = arith.constant 0.797884583 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %c : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %5 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %k : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %10 = tensor.empty() : tensor<2x3x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%9 : tensor<2x3x4xf32>) outs(%10 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %12 = tensor.empty() : tensor<2x3x4xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x3x4xf32>) outs(%12 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %14 = tensor.empty() : tensor<2x3x4xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%14 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %half : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %16 = tensor.empty() : tensor<2x3x4xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%15, %13 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%16 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %17 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu_cubed_fused(
// CHECK: qbackend.operator [#qbackend.gelu<tanh = true>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @gelu_cubed_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = arith.constant 4.471500e-02 : f32
  %half = arith.constant 5.0e-01 : f32
  %k = arith.constant 0.797884583 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %p = arith.mulf %a0, %a0 : f32
    %p3 = arith.mulf %p, %a0 : f32
    %q = arith.mulf %p3, %c : f32
    %s = arith.addf %a0, %q : f32
    %t = arith.mulf %s, %k : f32
    %u = math.tanh %t : f32
    %v = arith.addf %u, %one : f32
    %hx = arith.mulf %a0, %half : f32
    %y = arith.mulf %hx, %v : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @elu(
// CHECK: qbackend.operator [#qbackend.elu<alpha = 1.5{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @elu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %alpha = arith.constant 1.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minimumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.exp %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.subf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %alpha : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %10 = tensor.empty() : tensor<2x3x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %9 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%10 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %11 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @elu_fused(
// CHECK: qbackend.operator [#qbackend.elu<alpha = 1.5{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @elu_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %alpha = arith.constant 1.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %m = arith.maximumf %a0, %zero : f32
    %l = arith.minimumf %a0, %zero : f32
    %e = math.exp %l : f32
    %s = arith.subf %e, %one : f32
    %t = arith.mulf %s, %alpha : f32
    %y = arith.addf %m, %t : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @celu(
// CHECK: qbackend.operator [#qbackend.celu<alpha = 1.5{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @celu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %alpha = arith.constant 1.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %alpha : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.exp %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.subf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %alpha : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %10 = tensor.empty() : tensor<2x3x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%9 : tensor<2x3x4xf32>) outs(%10 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minimumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %12 = tensor.empty() : tensor<2x3x4xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %11 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%12 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %13 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @celu_fused(
// CHECK: qbackend.operator [#qbackend.celu<alpha = 1.5{{.*}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @celu_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %alpha = arith.constant 1.5 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %m = arith.maximumf %a0, %zero : f32
    %d = arith.divf %a0, %alpha : f32
    %e = math.exp %d : f32
    %s = arith.subf %e, %one : f32
    %t = arith.mulf %s, %alpha : f32
    %l = arith.minimumf %t, %zero : f32
    %y = arith.addf %m, %l : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @hardsigmoid(
// CHECK: qbackend.operator [#qbackend.hardsigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardsigmoid(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %six = arith.constant 6.0 : f32
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %three : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %six : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minimumf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %7 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @hardsigmoid_fused(
// CHECK: qbackend.operator [#qbackend.hardsigmoid] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardsigmoid_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %six = arith.constant 6.0 : f32
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %a = arith.addf %a0, %three : f32
    %d = arith.divf %a, %six : f32
    %l = arith.minimumf %d, %one : f32
    %y = arith.maximumf %l, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @hardswish(
// CHECK: qbackend.operator [#qbackend.hardswish] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardswish(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %six = arith.constant 6.0 : f32
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %three : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minimumf %a0, %six : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %a0, %six : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %9 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @hardswish_fused(
// CHECK: qbackend.operator [#qbackend.hardswish] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @hardswish_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %six = arith.constant 6.0 : f32
  %three = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %a = arith.addf %a0, %three : f32
    %m = arith.maximumf %a, %zero : f32
    %l = arith.minimumf %m, %six : f32
    %d = arith.divf %l, %six : f32
    %y = arith.mulf %d, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @leaky_relu(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %slope = arith.constant 2.0e-01 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %zero, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.minimumf %zero, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %slope : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %5 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %7 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @leaky_relu_fused(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %slope = arith.constant 2.0e-01 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %m = arith.maximumf %zero, %a0 : f32
    %l = arith.minimumf %zero, %a0 : f32
    %s = arith.mulf %l, %slope : f32
    %y = arith.addf %m, %s : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// One after the other, with a slope of 0.2 each, in one region or in two: not one
// of 0.04.
// CHECK-LABEL: func.func @leaky_relu_twice(
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK: %[[B:.*]] = qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%[[A]])
// CHECK: %[[C:.*]] = qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%[[B]])
// CHECK: return %[[C]]
func.func @leaky_relu_twice(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %s = arith.constant 0.2 : f32
  %e = tensor.empty() : tensor<2x3x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf ogt, %i, %z : f32
    %m = arith.mulf %i, %s : f32
    %a = arith.select %c, %i, %m : f32
    %d = arith.cmpf ogt, %a, %z : f32
    %n = arith.mulf %a, %s : f32
    %b = arith.select %d, %a, %n : f32
    linalg.yield %b : f32
  } -> tensor<2x3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%t : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf ogt, %i, %z : f32
    %m = arith.mulf %i, %s : f32
    %a = arith.select %c, %i, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// The absolute value of one is no leaky relu whose slope is below zero.
// CHECK-LABEL: func.func @leaky_relu_then_abs(
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK: %[[B:.*]] = linalg.abs ins(%[[A]]
// CHECK: return %[[B]]
func.func @leaky_relu_then_abs(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %z = arith.constant 0.0 : f32
  %s = arith.constant 0.2 : f32
  %e = tensor.empty() : tensor<2x3x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %c = arith.cmpf ogt, %i, %z : f32
    %m = arith.mulf %i, %s : f32
    %a = arith.select %c, %i, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x3x4xf32>
  %a = linalg.abs ins(%r : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %a : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @leaky_relu_selected(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu_selected(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %slope = arith.constant 2.0e-01 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %slope : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %c0 = arith.cmpf olt, %a0, %zero : f32
    %y = arith.select %c0, %a1, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @leaky_relu_selected_fused(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu_selected_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %slope = arith.constant 2.0e-01 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %s = arith.mulf %a0, %slope : f32
    %c0 = arith.cmpf olt, %a0, %zero : f32
    %y = arith.select %c0, %s, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @leaky_relu_maximum(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu_maximum(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %slope = arith.constant 2.0e-01 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %slope : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.maximumf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @leaky_relu_maximum_fused(
// CHECK: qbackend.operator [#qbackend.leaky_relu<negative_slope = {{0.2|2.0*e-01}}>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @leaky_relu_maximum_fused(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %slope = arith.constant 2.0e-01 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %s = arith.mulf %a0, %slope : f32
    %y = arith.maximumf %s, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @prelu(
// CHECK: qbackend.operator [#qbackend.prelu<axis = 1>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @prelu(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %w : tensor<2x3x4xf32>, tensor<3xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %c0 = arith.cmpf ult, %a0, %zero : f32
    %y = arith.select %c0, %a1, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @prelu_of_last(
// CHECK: qbackend.operator [#qbackend.prelu<axis = 2>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @prelu_of_last(%x: tensor<2x3x4xf32>, %w: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %w : tensor<2x3x4xf32>, tensor<4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %m = arith.maximumf %a0, %zero : f32
    %l = arith.minimumf %a0, %zero : f32
    %s = arith.mulf %a1, %l : f32
    %y = arith.addf %m, %s : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @gelu_of_other_constant(
// CHECK-NOT: #qbackend.{{gelu|silu|leaky_relu|elu|celu|hardswish}}
// CHECK: return
func.func @gelu_of_other_constant(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %bad = arith.constant 5.0e-01 : f32
  %half = arith.constant 5.0e-01 : f32
  %k = arith.constant 0.797884583 : f32
  %one = arith.constant 1.0 : f32
  %i3 = arith.constant 3 : i64
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.fpowi %a0, %i3 : f32, i64
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %bad : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %k : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %10 = tensor.empty() : tensor<2x3x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%9 : tensor<2x3x4xf32>) outs(%10 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %12 = tensor.empty() : tensor<2x3x4xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%11 : tensor<2x3x4xf32>) outs(%12 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %half : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %14 = tensor.empty() : tensor<2x3x4xf32>
  %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%13, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%14 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %15 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @quick_gelu(
// CHECK-NOT: #qbackend.{{gelu|silu|leaky_relu|elu|celu|hardswish}}
// CHECK: return
func.func @quick_gelu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %one = arith.constant 1.0 : f32
  %oneseven = arith.constant 1.702 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %oneseven : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.negf %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %4 = tensor.empty() : tensor<2x3x4xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%3 : tensor<2x3x4xf32>) outs(%4 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.exp %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %6 = tensor.empty() : tensor<2x3x4xf32>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%5 : tensor<2x3x4xf32>) outs(%6 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.addf %a0, %one : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %8 = tensor.empty() : tensor<2x3x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%7 : tensor<2x3x4xf32>) outs(%8 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.divf %one, %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %10 = tensor.empty() : tensor<2x3x4xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%9, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%10 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.mulf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %11 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @steep_maximum(
// CHECK-NOT: #qbackend.{{gelu|silu|leaky_relu|elu|celu|hardswish}}
// CHECK: return
func.func @steep_maximum(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %two = arith.constant 2.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %two : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.maximumf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @absolute_value(
// CHECK-NOT: #qbackend.{{gelu|silu|leaky_relu|elu|celu|hardswish}}
// CHECK: return
func.func @absolute_value(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.absf %a0 : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @scaled_relu(
// CHECK-NOT: #qbackend.{{gelu|silu|leaky_relu|elu|celu|hardswish}}
// CHECK: return
func.func @scaled_relu(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.maximumf %a0, %zero : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  %2 = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%1 : tensor<2x3x4xf32>) outs(%2 : tensor<2x3x4xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = arith.mulf %a0, %two : f32
    linalg.yield %y : f32
  } -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// Ops on tensors.
// CHECK-LABEL: func.func @on_tensors(
// CHECK: %[[TANH:.*]] = qbackend.operator [#qbackend.tanh] inputs(%arg0)
// CHECK: qbackend.operator [#qbackend.silu] inputs(%[[TANH]])
// CHECK-NOT: qbackend.operator
func.func @on_tensors(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %i0 = arith.constant 0 : index
  %t = math.tanh %x : tensor<?x3xf32>
  %n = tensor.dim %t, %i0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f1 = arith.constant 1.0 : f32
  %f = linalg.fill ins(%f1 : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = arith.negf %t : tensor<?x3xf32>
  %1 = math.exp %0 : tensor<?x3xf32>
  %2 = arith.addf %1, %f : tensor<?x3xf32>
  %r = arith.divf %t, %2 : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @clampf(
// CHECK: qbackend.operator [#qbackend.clamp<min = -2.0{{.*}}, max = 3.0{{.*}}>] inputs(%arg0)
func.func @clampf(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %lo = arith.constant dense<-2.0> : tensor<2x3xf32>
  %hi = arith.constant dense<3.0> : tensor<2x3xf32>
  %r = math.clampf %x to [%lo, %hi] : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Equal slopes, but one for each channel.
// CHECK-LABEL: func.func @tosa_prelu(
// CHECK: %[[W:.*]] = arith.constant dense<2.500000e-01> : tensor<3xf32>
// CHECK: qbackend.operator [#qbackend.prelu<axis = 1>] inputs(%arg0) weight(%[[W]])
// CHECK-NOT: qbackend.operator
func.func @tosa_prelu(%x: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32> {
  %w = "tosa.const"() <{values = dense<0.25> : tensor<1x3x1x1xf32>}> : () -> tensor<1x3x1x1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %w, %s : (tensor<2x3x4x4xf32>, tensor<1x3x1x1xf32>, tensor<1xi8>) -> tensor<2x3x4x4xf32>
  %1 = tosa.greater_equal %x, %z : (tensor<2x3x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<2x3x4x4xi1>
  %2 = tosa.select %1, %x, %0 : (tensor<2x3x4x4xi1>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  return %2 : tensor<2x3x4x4xf32>
}

// CHECK-LABEL: func.func @tosa_prelu_of_one(
// CHECK: qbackend.operator [#qbackend.prelu<axis = 1>] inputs(%arg0) weight(%arg1)
// CHECK-NOT: qbackend.operator
func.func @tosa_prelu_of_one(%x: tensor<2x3x4x4xf32>, %p: tensor<1xf32>) -> tensor<2x3x4x4xf32> {
  %one = tosa.const_shape {values = dense<1> : tensor<4xindex>} : () -> !tosa.shape<4>
  %w = tosa.reshape %p, %one : (tensor<1xf32>, !tosa.shape<4>) -> tensor<1x1x1x1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %w, %s : (tensor<2x3x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x4x4xf32>
  %1 = tosa.greater_equal %x, %z : (tensor<2x3x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<2x3x4x4xi1>
  %2 = tosa.select %1, %x, %0 : (tensor<2x3x4x4xi1>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  return %2 : tensor<2x3x4x4xf32>
}

// CHECK-LABEL: func.func @tosa_silu(
// CHECK: qbackend.operator [#qbackend.silu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @tosa_silu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.mul %x, %0, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @tosa_gelu(
// CHECK: qbackend.operator [#qbackend.gelu] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @tosa_gelu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %k = "tosa.const"() <{values = dense<0.707106769> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %one = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %0 = tosa.sub %x, %zero : (tensor<2x3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %1 = tosa.mul %0, %k, %s : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %2 = tosa.erf %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = tosa.add %2, %one : (tensor<2x3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %4 = tosa.mul %3, %half, %s : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %5 = tosa.mul %4, %x, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @tosa_gelu_tanh(
// CHECK: qbackend.operator [#qbackend.gelu<tanh = true>] inputs(%arg0)
// CHECK-NOT: qbackend.operator
func.func @tosa_gelu_tanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %three = "tosa.const"() <{values = dense<3.0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %c = "tosa.const"() <{values = dense<4.471500e-02> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %k = "tosa.const"() <{values = dense<0.797884583> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %one = "tosa.const"() <{values = dense<1.0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %half = "tosa.const"() <{values = dense<0.5> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %0 = tosa.pow %x, %three : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.mul %0, %c, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %2 = tosa.add %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = tosa.mul %2, %k, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %4 = tosa.tanh %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = tosa.add %4, %one : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = tosa.mul %x, %half, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %7 = tosa.mul %6, %5, %s : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}
