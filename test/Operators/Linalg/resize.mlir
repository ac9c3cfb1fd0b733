// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

#id = affine_map<(a, b, c, d) -> (a, b, c, d)>

// As PyTorch exports it: the position divided by the scale.
// CHECK-LABEL: func.func @nearest
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%[[X]]) : (tensor<?x5x7x3xf32>) -> tensor<?x8x21x3xf32>
func.func @nearest(%x: tensor<?x3x5x7xf32>) -> tensor<?x3x8x21xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x5x7xf32>
  %sy = arith.constant 1.6 : f32
  %c3 = arith.constant 3 : index
  %e = tensor.empty(%n) : tensor<?x3x8x21xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x3x8x21xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %k0 = arith.index_cast %k : index to i64
    %k1 = arith.sitofp %k0 : i64 to f32
    %k2 = arith.divf %k1, %sy : f32
    %k3 = math.floor %k2 : f32
    %k4 = arith.fptosi %k3 : f32 to i64
    %row = arith.index_cast %k4 : i64 to index
    %column = arith.floordivsi %l, %c3 : index
    %v = tensor.extract %x[%i, %j, %row, %column] : tensor<?x3x5x7xf32>
    linalg.yield %v : f32
  } -> tensor<?x3x8x21xf32>
  return %r : tensor<?x3x8x21xf32>
}

// Factors that aren't the ratio of the sizes: 5 * 1.7 = 8.5 rows.
// CHECK-LABEL: func.func @nearest_by_factor
// CHECK: qbackend.operator [#qbackend.interpolate<mode = nearest, scale_factors = {{.*}}1.7{{.*}}2.0{{.*}}>]
func.func @nearest_by_factor(%x: tensor<1x5x7x3xf32>) -> tensor<1x8x14x3xf32> {
  %sy = arith.constant 1.7 : f32
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x8x14x3xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x8x14x3xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 3 : index
    %k = linalg.index 1 : index
    %l = linalg.index 2 : index
    %k0 = arith.index_cast %k : index to i64
    %k1 = arith.sitofp %k0 : i64 to f32
    %k2 = arith.divf %k1, %sy : f32
    %k3 = math.floor %k2 : f32
    %k4 = arith.fptosi %k3 : f32 to i64
    %row = arith.index_cast %k4 : i64 to index
    %column = arith.floordivsi %l, %c2 : index
    %v = tensor.extract %x[%i, %row, %column, %j] : tensor<1x5x7x3xf32>
    linalg.yield %v : f32
  } -> tensor<1x8x14x3xf32>
  return %r : tensor<1x8x14x3xf32>
}

// tosa.resize by twice the size, as tosa-to-linalg has it.
// CHECK-LABEL: func.func @bilinear
// CHECK: qbackend.operator [#qbackend.interpolate<mode = bilinear>] inputs(%arg0) : (tensor<1x5x7x3xf32>) -> tensor<1x10x14x3xf32>
func.func @bilinear(%x: tensor<1x5x7x3xf32>) -> tensor<1x10x14x3xf32> {
  %cst = arith.constant 4.0 : f32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %c1_i32 = arith.constant 1 : i32
  %cm1_i32 = arith.constant -1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c6_i32 = arith.constant 6 : i32
  %c4_i32 = arith.constant 4 : i32
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<1x10x14x3xf32>
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<1x10x14x3xf32>) {
  ^bb0(%out: f32):
    %2 = linalg.index 1 : index
    %3 = linalg.index 2 : index
    %4 = linalg.index 3 : index
    %5 = arith.index_cast %2 : index to i32
    %6 = arith.index_cast %3 : index to i32
    %7 = arith.muli %5, %c2_i32 : i32
    %8 = arith.addi %7, %cm1_i32 : i32
    %9 = arith.floordivsi %8, %c4_i32 : i32
    %10 = arith.remsi %8, %c4_i32 : i32
    %11 = arith.sitofp %10 : i32 to f32
    %12 = arith.divf %11, %cst : f32
    %13 = arith.muli %6, %c2_i32 : i32
    %14 = arith.addi %13, %cm1_i32 : i32
    %15 = arith.floordivsi %14, %c4_i32 : i32
    %16 = arith.remsi %14, %c4_i32 : i32
    %17 = arith.sitofp %16 : i32 to f32
    %18 = arith.divf %17, %cst : f32
    %19 = arith.addi %9, %c1_i32 : i32
    %20 = arith.maxsi %9, %c0_i32 : i32
    %21 = arith.minsi %20, %c4_i32 : i32
    %22 = arith.maxsi %19, %c0_i32 : i32
    %23 = arith.minsi %22, %c4_i32 : i32
    %24 = arith.index_cast %21 : i32 to index
    %25 = arith.index_cast %23 : i32 to index
    %26 = arith.addi %15, %c1_i32 : i32
    %27 = arith.maxsi %15, %c0_i32 : i32
    %28 = arith.minsi %27, %c6_i32 : i32
    %29 = arith.maxsi %26, %c0_i32 : i32
    %30 = arith.minsi %29, %c6_i32 : i32
    %31 = arith.index_cast %28 : i32 to index
    %32 = arith.index_cast %30 : i32 to index
    %p00 = tensor.extract %x[%c0, %24, %31, %4] : tensor<1x5x7x3xf32>
    %p01 = tensor.extract %x[%c0, %24, %32, %4] : tensor<1x5x7x3xf32>
    %p10 = tensor.extract %x[%c0, %25, %31, %4] : tensor<1x5x7x3xf32>
    %p11 = tensor.extract %x[%c0, %25, %32, %4] : tensor<1x5x7x3xf32>
    %33 = arith.subf %one, %18 : f32
    %34 = arith.mulf %p00, %33 : f32
    %35 = arith.mulf %p01, %18 : f32
    %36 = arith.addf %34, %35 : f32
    %37 = arith.mulf %p10, %33 : f32
    %38 = arith.mulf %p11, %18 : f32
    %39 = arith.addf %37, %38 : f32
    %40 = arith.subf %one, %12 : f32
    %41 = arith.mulf %36, %40 : f32
    %42 = arith.mulf %39, %12 : f32
    %43 = arith.addf %41, %42 : f32
    linalg.yield %43 : f32
  } -> tensor<1x10x14x3xf32>
  return %1 : tensor<1x10x14x3xf32>
}

// Corners keep their place; only rows and columns are loops, and the code adds
// the difference of two pixels.
// CHECK-LABEL: func.func @align_corners
// CHECK: qbackend.operator [#qbackend.interpolate<mode = bilinear, align_corners = true>] inputs({{.*}}) : (tensor<1x4x3x1xf32>) -> tensor<1x7x3x1xf32>
func.func @align_corners(%x: tensor<1x1x4x3xf32>) -> tensor<1x1x7x3xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<7x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<7x3xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 0 : index
    %l = linalg.index 1 : index
    %low = arith.divui %k, %c2 : index
    %next = arith.addi %low, %c1 : index
    %high = arith.minui %next, %c3 : index
    %rest = arith.remui %k, %c2 : index
    %rest0 = arith.index_cast %rest : index to i64
    %rest1 = arith.sitofp %rest0 : i64 to f32
    %w = arith.mulf %rest1, %half : f32
    %p0 = tensor.extract %x[%c0, %c0, %low, %l] : tensor<1x1x4x3xf32>
    %p1 = tensor.extract %x[%c0, %c0, %high, %l] : tensor<1x1x4x3xf32>
    %d = arith.subf %p1, %p0 : f32
    %s = arith.mulf %d, %w : f32
    %y = arith.addf %p0, %s : f32
    linalg.yield %y : f32
  } -> tensor<7x3xf32>
  %y = tensor.expand_shape %r [[0, 1, 2], [3]] output_shape [1, 1, 7, 3] : tensor<7x3xf32> into tensor<1x1x7x3xf32>
  return %y : tensor<1x1x7x3xf32>
}

// The next pixel, not the nearest; a sum of two that are not next to each
// other; a pixel that the channel chooses.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #qbackend.interpolate
// CHECK: return
func.func @others(%x: tensor<1x3x5x7xf32>) -> (tensor<1x3x10x7xf32>, tensor<1x3x5x7xf32>, tensor<1x3x5x7xf32>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<1x3x10x7xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x3x10x7xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %up = arith.ceildivsi %k, %c2 : index
    %row = arith.minsi %up, %c4 : index
    %v = tensor.extract %x[%i, %j, %row, %l] : tensor<1x3x5x7xf32>
    linalg.yield %v : f32
  } -> tensor<1x3x10x7xf32>
  %f = tensor.empty() : tensor<1x3x5x7xf32>
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%f : tensor<1x3x5x7xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %row = arith.subi %c4, %k : index
    %v = tensor.extract %x[%i, %j, %row, %l] : tensor<1x3x5x7xf32>
    %w = tensor.extract %x[%i, %j, %k, %l] : tensor<1x3x5x7xf32>
    %s = arith.addf %v, %w : f32
    %h = arith.mulf %s, %half : f32
    linalg.yield %h : f32
  } -> tensor<1x3x5x7xf32>
  %2 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%f : tensor<1x3x5x7xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = linalg.index 3 : index
    %v = tensor.extract %x[%i, %j, %j, %l] : tensor<1x3x5x7xf32>
    linalg.yield %v : f32
  } -> tensor<1x3x5x7xf32>
  return %0, %1, %2 : tensor<1x3x10x7xf32>, tensor<1x3x5x7xf32>, tensor<1x3x5x7xf32>
}

// Behind it a transpose that fusion has taken in: rows and columns of the source are
// dimensions 2 and 3 of the result.
// CHECK-LABEL: func.func @nearest_transposed
// CHECK: %[[R:.*]] = qbackend.operator [#qbackend.interpolate<mode = nearest>] inputs(%arg0) : (tensor<1x5x7x3xf32>) -> tensor<1x10x14x3xf32>
// CHECK: qbackend.transpose %[[R]] [0, 3, 1, 2]
func.func @nearest_transposed(%x: tensor<1x5x7x3xf32>) -> tensor<1x3x10x14xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x3x10x14xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x3x10x14xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %row = arith.floordivsi %k, %c2 : index
    %column = arith.floordivsi %l, %c2 : index
    %v = tensor.extract %x[%c0, %row, %column, %j] : tensor<1x5x7x3xf32>
    linalg.yield %v : f32
  } -> tensor<1x3x10x14xf32>
  return %r : tensor<1x3x10x14xf32>
}

// One loop for two dimensions is no resize.
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: qbackend.interpolate
// CHECK: return
func.func @diagonal(%x: tensor<3x5x7x3xf32>) -> tensor<3x3x10x14xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<3x3x10x14xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<3x3x10x14xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %row = arith.floordivsi %k, %c2 : index
    %column = arith.floordivsi %l, %c2 : index
    %v = tensor.extract %x[%j, %row, %column, %j] : tensor<3x5x7x3xf32>
    linalg.yield %v : f32
  } -> tensor<3x3x10x14xf32>
  return %r : tensor<3x3x10x14xf32>
}
