// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// Windows of different sizes, as far as they are those of PyTorch.

// CHECK-LABEL: func.func @adaptive_1d(
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool1d<output_size = [3]>]
func.func @adaptive_1d(%x: tensor<2x3x8xf32>) -> tensor<2x3x3xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n0 = arith.constant 8 : index
  %o0 = arith.constant 3 : index
  %k = tensor.empty() : tensor<4xi1>
  %e = tensor.empty() : tensor<2x3x3xf32>
  %ea = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %p = tensor.pad %x low[0, 0, 0] high[0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : f32
  } : tensor<2x3x8xf32> to tensor<2x3x9xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%k : tensor<4xi1>) outs(%f, %ea : tensor<2x3x3xf32>, tensor<3xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d3 : index
    %v = tensor.extract %p[%d0, %d1, %w0] : tensor<2x3x9xf32>
    %cc0 = arith.cmpi slt, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %sum = arith.addf %v0, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %vi = arith.index_cast %vv0 : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<2x3x3xf32>, tensor<3xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<3xf32>) outs(%s#0 : tensor<2x3x3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<2x3x3xf32>
  return %g : tensor<2x3x3xf32>
}

// CHECK-LABEL: func.func @adaptive_2d(
// CHECK: %[[X:.*]] = qbackend.transpose %arg0 [0, 2, 3, 1]
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool2d<output_size = [4, 3]>] inputs(%[[X]])
// CHECK-SAME: (tensor<2x9x7x3xf32>) -> tensor<2x4x3x3xf32>
func.func @adaptive_2d(%x: tensor<2x3x9x7xf32>) -> tensor<2x3x4x3xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n0 = arith.constant 9 : index
  %o0 = arith.constant 4 : index
  %n1 = arith.constant 7 : index
  %o1 = arith.constant 3 : index
  %k = tensor.empty() : tensor<3x3xi1>
  %e = tensor.empty() : tensor<2x3x4x3xf32>
  %ea = tensor.empty() : tensor<4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<2x3x9x7xf32> to tensor<2x3x10x8xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%k : tensor<3x3xi1>) outs(%f, %ea : tensor<2x3x4x3xf32>, tensor<4x3xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %d4 = linalg.index 4 : index
    %d5 = linalg.index 5 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d4 : index
    %s01 = arith.muli %d3, %n1 : index
    %s11 = arith.floordivsi %s01, %o1 : index
    %e01 = arith.addi %d3, %c1 : index
    %e11 = arith.muli %e01, %n1 : index
    %e21 = arith.subi %e11, %c1 : index
    %e31 = arith.floordivsi %e21, %o1 : index
    %e41 = arith.addi %e31, %c1 : index
    %w1 = arith.addi %s11, %d5 : index
    %v = tensor.extract %p[%d0, %d1, %w0, %w1] : tensor<2x3x10x8xf32>
    %cc0 = arith.cmpi slt, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %cc1 = arith.cmpi slt, %w1, %e41 : index
    %v1 = arith.select %cc1, %v0, %z : f32
    %sum = arith.addf %v1, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %l1 = arith.subi %e41, %s11 : index
    %vv1 = arith.muli %vv0, %l1 : index
    %vi = arith.index_cast %vv1 : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<2x3x4x3xf32>, tensor<4x3xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<4x3xf32>) outs(%s#0 : tensor<2x3x4x3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<2x3x4x3xf32>
  return %g : tensor<2x3x4x3xf32>
}

// CHECK-LABEL: func.func @adaptive_3d(
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool3d<output_size = [2, 4, 3]>]
func.func @adaptive_3d(%x: tensor<1x2x5x6x7xf32>) -> tensor<1x2x2x4x3xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n0 = arith.constant 5 : index
  %o0 = arith.constant 2 : index
  %n1 = arith.constant 6 : index
  %o1 = arith.constant 4 : index
  %n2 = arith.constant 7 : index
  %o2 = arith.constant 3 : index
  %k = tensor.empty() : tensor<3x3x3xi1>
  %e = tensor.empty() : tensor<1x2x2x4x3xf32>
  %ea = tensor.empty() : tensor<2x4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x2x4x3xf32>) -> tensor<1x2x2x4x3xf32>
  %p = tensor.pad %x low[0, 0, 0, 0, 0] high[0, 0, 1, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index, %i4: index):
    tensor.yield %z : f32
  } : tensor<1x2x5x6x7xf32> to tensor<1x2x6x7x8xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d5, d6, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%k : tensor<3x3x3xi1>) outs(%f, %ea : tensor<1x2x2x4x3xf32>, tensor<2x4x3xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %d4 = linalg.index 4 : index
    %d5 = linalg.index 5 : index
    %d6 = linalg.index 6 : index
    %d7 = linalg.index 7 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d5 : index
    %s01 = arith.muli %d3, %n1 : index
    %s11 = arith.floordivsi %s01, %o1 : index
    %e01 = arith.addi %d3, %c1 : index
    %e11 = arith.muli %e01, %n1 : index
    %e21 = arith.subi %e11, %c1 : index
    %e31 = arith.floordivsi %e21, %o1 : index
    %e41 = arith.addi %e31, %c1 : index
    %w1 = arith.addi %s11, %d6 : index
    %s02 = arith.muli %d4, %n2 : index
    %s12 = arith.floordivsi %s02, %o2 : index
    %e02 = arith.addi %d4, %c1 : index
    %e12 = arith.muli %e02, %n2 : index
    %e22 = arith.subi %e12, %c1 : index
    %e32 = arith.floordivsi %e22, %o2 : index
    %e42 = arith.addi %e32, %c1 : index
    %w2 = arith.addi %s12, %d7 : index
    %v = tensor.extract %p[%d0, %d1, %w0, %w1, %w2] : tensor<1x2x6x7x8xf32>
    %cc0 = arith.cmpi slt, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %cc1 = arith.cmpi slt, %w1, %e41 : index
    %v1 = arith.select %cc1, %v0, %z : f32
    %cc2 = arith.cmpi slt, %w2, %e42 : index
    %v2 = arith.select %cc2, %v1, %z : f32
    %sum = arith.addf %v2, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %l1 = arith.subi %e41, %s11 : index
    %vv1 = arith.muli %vv0, %l1 : index
    %l2 = arith.subi %e42, %s12 : index
    %vv2 = arith.muli %vv1, %l2 : index
    %vi = arith.index_cast %vv2 : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<1x2x2x4x3xf32>, tensor<2x4x3xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<2x4x3xf32>) outs(%s#0 : tensor<1x2x2x4x3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<1x2x2x4x3xf32>
  return %g : tensor<1x2x2x4x3xf32>
}

// CHECK-LABEL: func.func @dynamic_batch(
// CHECK: qbackend.operator [#qbackend.adaptive_avg_pool1d<output_size = [3]>]
func.func @dynamic_batch(%x: tensor<?x3x8xf32>) -> tensor<?x3x3xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %batch = tensor.dim %x, %c0 : tensor<?x3x8xf32>
  %n0 = arith.constant 8 : index
  %o0 = arith.constant 3 : index
  %k = tensor.empty() : tensor<4xi1>
  %e = tensor.empty(%batch) : tensor<?x3x3xf32>
  %ea = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %p = tensor.pad %x low[0, 0, 0] high[0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : f32
  } : tensor<?x3x8xf32> to tensor<?x3x9xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%k : tensor<4xi1>) outs(%f, %ea : tensor<?x3x3xf32>, tensor<3xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d3 : index
    %v = tensor.extract %p[%d0, %d1, %w0] : tensor<?x3x9xf32>
    %cc0 = arith.cmpi slt, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %sum = arith.addf %v0, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %vi = arith.index_cast %vv0 : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<?x3x3xf32>, tensor<3xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<3xf32>) outs(%s#0 : tensor<?x3x3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<?x3x3xf32>
  return %g : tensor<?x3x3xf32>
}

// The condition lets one element too many in.
// CHECK-LABEL: func.func @one_more(
// CHECK-NOT: qbackend.adaptive
func.func @one_more(%x: tensor<2x3x9x8xf32>) -> tensor<2x3x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n0 = arith.constant 9 : index
  %o0 = arith.constant 4 : index
  %n1 = arith.constant 8 : index
  %o1 = arith.constant 4 : index
  %k = tensor.empty() : tensor<3x3xi1>
  %e = tensor.empty() : tensor<2x3x4x4xf32>
  %ea = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<2x3x9x8xf32> to tensor<2x3x10x9xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%k : tensor<3x3xi1>) outs(%f, %ea : tensor<2x3x4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %d4 = linalg.index 4 : index
    %d5 = linalg.index 5 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d4 : index
    %s01 = arith.muli %d3, %n1 : index
    %s11 = arith.floordivsi %s01, %o1 : index
    %e01 = arith.addi %d3, %c1 : index
    %e11 = arith.muli %e01, %n1 : index
    %e21 = arith.subi %e11, %c1 : index
    %e31 = arith.floordivsi %e21, %o1 : index
    %e41 = arith.addi %e31, %c1 : index
    %w1 = arith.addi %s11, %d5 : index
    %v = tensor.extract %p[%d0, %d1, %w0, %w1] : tensor<2x3x10x9xf32>
    %cc0 = arith.cmpi sle, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %cc1 = arith.cmpi sle, %w1, %e41 : index
    %v1 = arith.select %cc1, %v0, %z : f32
    %sum = arith.addf %v1, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %l1 = arith.subi %e41, %s11 : index
    %vv1 = arith.muli %vv0, %l1 : index
    %vi = arith.index_cast %vv1 : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<2x3x4x4xf32>, tensor<4x4xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<4x4xf32>) outs(%s#0 : tensor<2x3x4x4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<2x3x4x4xf32>
  return %g : tensor<2x3x4x4xf32>
}

// CHECK-LABEL: func.func @wrong_volume(
// CHECK-NOT: qbackend.adaptive
func.func @wrong_volume(%x: tensor<2x3x9x7xf32>) -> tensor<2x3x4x3xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n0 = arith.constant 9 : index
  %o0 = arith.constant 4 : index
  %n1 = arith.constant 7 : index
  %o1 = arith.constant 3 : index
  %k = tensor.empty() : tensor<3x3xi1>
  %e = tensor.empty() : tensor<2x3x4x3xf32>
  %ea = tensor.empty() : tensor<4x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %z : f32
  } : tensor<2x3x9x7xf32> to tensor<2x3x10x8xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%k : tensor<3x3xi1>) outs(%f, %ea : tensor<2x3x4x3xf32>, tensor<4x3xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %d4 = linalg.index 4 : index
    %d5 = linalg.index 5 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d4 : index
    %s01 = arith.muli %d3, %n1 : index
    %s11 = arith.floordivsi %s01, %o1 : index
    %e01 = arith.addi %d3, %c1 : index
    %e11 = arith.muli %e01, %n1 : index
    %e21 = arith.subi %e11, %c1 : index
    %e31 = arith.floordivsi %e21, %o1 : index
    %e41 = arith.addi %e31, %c1 : index
    %w1 = arith.addi %s11, %d5 : index
    %v = tensor.extract %p[%d0, %d1, %w0, %w1] : tensor<2x3x10x8xf32>
    %cc0 = arith.cmpi slt, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %cc1 = arith.cmpi slt, %w1, %e41 : index
    %v1 = arith.select %cc1, %v0, %z : f32
    %sum = arith.addf %v1, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %l1 = arith.subi %e41, %s11 : index
    %vv1 = arith.muli %vv0, %l1 : index
    %vx = arith.addi %vv1, %c1 : index
    %vi = arith.index_cast %vx : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<2x3x4x3xf32>, tensor<4x3xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<4x3xf32>) outs(%s#0 : tensor<2x3x4x3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<2x3x4x3xf32>
  return %g : tensor<2x3x4x3xf32>
}

// CHECK-LABEL: func.func @start_at_one(
// CHECK-NOT: qbackend.adaptive
// CHECK: return
func.func @start_at_one(%x: tensor<2x3x8xf32>) -> tensor<2x3x3xf32> {
  %one = arith.constant 1.0 : f32
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n0 = arith.constant 8 : index
  %o0 = arith.constant 3 : index
  %k = tensor.empty() : tensor<4xi1>
  %e = tensor.empty() : tensor<2x3x3xf32>
  %ea = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %p = tensor.pad %x low[0, 0, 0] high[0, 0, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %z : f32
  } : tensor<2x3x8xf32> to tensor<2x3x9xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%k : tensor<4xi1>) outs(%f, %ea : tensor<2x3x3xf32>, tensor<3xf32>) {
  ^bb0(%in: i1, %acc: f32, %aux: f32):
    %d0 = linalg.index 0 : index
    %d1 = linalg.index 1 : index
    %d2 = linalg.index 2 : index
    %d3 = linalg.index 3 : index
    %s00 = arith.muli %d2, %n0 : index
    %s10 = arith.floordivsi %s00, %o0 : index
    %e00 = arith.addi %d2, %c1 : index
    %e10 = arith.muli %e00, %n0 : index
    %e20 = arith.subi %e10, %c1 : index
    %e30 = arith.floordivsi %e20, %o0 : index
    %e40 = arith.addi %e30, %c1 : index
    %w0 = arith.addi %s10, %d3 : index
    %v = tensor.extract %p[%d0, %d1, %w0] : tensor<2x3x9xf32>
    %cc0 = arith.cmpi slt, %w0, %e40 : index
    %v0 = arith.select %cc0, %v, %z : f32
    %sum = arith.addf %v0, %acc : f32
    %l0 = arith.subi %e40, %s10 : index
    %vv0 = arith.muli %c1, %l0 : index
    %vi = arith.index_cast %vv0 : index to i64
    %vf = arith.sitofp %vi : i64 to f32
    linalg.yield %sum, %vf : f32, f32
  } -> (tensor<2x3x3xf32>, tensor<3xf32>)
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s#1 : tensor<3xf32>) outs(%s#0 : tensor<2x3x3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.divf %acc, %in : f32
    linalg.yield %q : f32
  } -> tensor<2x3x3xf32>
  return %g : tensor<2x3x3xf32>
}
