// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

ml_program.global private @w(dense<1.0> : tensor<5x8xf32>) : tensor<5x8xf32>

// All weights in one argument.
// CHECK-LABEL: func.func @packed(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg1) weight(%{{.*}}) bias(%{{.*}}) : (tensor<3x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<3x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @packed(%w: tensor<46xf32>, %x: tensor<3x8xf32>) -> tensor<3x5xf32> {
  %s = tensor.extract_slice %w[1] [40] [1] : tensor<46xf32> to tensor<40xf32>
  %e = tensor.expand_shape %s [[0, 1]] output_shape [5, 8] : tensor<40xf32> into tensor<5x8xf32>
  %b = tensor.extract_slice %w[41] [5] [1] : tensor<46xf32> to tensor<5xf32>
  %f = "tosa.const"() <{values = dense<0.0> : tensor<3x5xf32>}> : () -> tensor<3x5xf32>
  %t = tosa.transpose %e {perms = array<i32: 1, 0>} : (tensor<5x8xf32>) -> tensor<8x5xf32>
  %m = linalg.matmul ins(%x, %t : tensor<3x8xf32>, tensor<8x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %s2 = tosa.const_shape {values = dense<[1, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b2 = tosa.reshape %b, %s2 : (tensor<5xf32>, !tosa.shape<2>) -> tensor<1x5xf32>
  %r = tosa.add %m, %b2 : (tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// Constants without data, and globals.
// CHECK-LABEL: func.func @resource(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) bias(%{{.*}}) : (tensor<4x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<4x5xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%{{.*}}) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
// CHECK-NOT: qbackend.operator
// CHECK: return
func.func @resource(%x: tensor<4x8xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %w = arith.constant dense_resource<__elided__> : tensor<8x5xf32>
  %b = arith.constant dense_resource<__elided__> : tensor<5xf32>
  %g = ml_program.global_load_const @w : tensor<5x8xf32>
  %f = arith.constant dense<0.0> : tensor<4x5xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %bb = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<4x5xf32>) dimensions = [0]
  %r = arith.addf %m, %bb : tensor<4x5xf32>
  %m2 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %g : tensor<4x8xf32>, tensor<5x8xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r, %m2 : tensor<4x5xf32>, tensor<4x5xf32>
}

// Gates of a recurrent cell; x, h and c are data.
// CHECK-LABEL: func.func @cell(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg3) bias(%arg5) : (tensor<1x8xf32>, tensor<12x8xf32>, tensor<12xf32>) -> tensor<1x12xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg1) weight(%arg4) bias(%arg6) : (tensor<1x3xf32>, tensor<12x3xf32>, tensor<12xf32>) -> tensor<1x12xf32>
// CHECK: %[[R2:.*]] = qbackend.operator [#qbackend.add] inputs(%[[R0]], %[[R1]]) : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<1x12xf32>
// CHECK-NOT: #qbackend.linear
// CHECK: return
func.func @cell(%x: tensor<1x8xf32>, %h: tensor<1x3xf32>, %c: tensor<1x12xf32>, %wx: tensor<12x8xf32>, %wh: tensor<12x3xf32>, %bx: tensor<12xf32>, %bh: tensor<12xf32>) -> tensor<1x12xf32> {
  %f = arith.constant dense<0.0> : tensor<1x12xf32>
  %e0 = tensor.empty() : tensor<8x12xf32>
  %e1 = tensor.empty() : tensor<3x12xf32>
  %e = tensor.empty() : tensor<1x12xf32>
  %wxt = linalg.transpose ins(%wx : tensor<12x8xf32>) outs(%e0 : tensor<8x12xf32>) permutation = [1, 0]
  %wht = linalg.transpose ins(%wh : tensor<12x3xf32>) outs(%e1 : tensor<3x12xf32>) permutation = [1, 0]
  %m = linalg.matmul ins(%x, %wxt : tensor<1x8xf32>, tensor<8x12xf32>) outs(%f : tensor<1x12xf32>) -> tensor<1x12xf32>
  %b1 = linalg.broadcast ins(%bx : tensor<12xf32>) outs(%e : tensor<1x12xf32>) dimensions = [0]
  %g = arith.addf %m, %b1 : tensor<1x12xf32>
  %m2 = linalg.matmul ins(%h, %wht : tensor<1x3xf32>, tensor<3x12xf32>) outs(%f : tensor<1x12xf32>) -> tensor<1x12xf32>
  %b2 = linalg.broadcast ins(%bh : tensor<12xf32>) outs(%e : tensor<1x12xf32>) dimensions = [0]
  %g2 = arith.addf %b2, %m2 : tensor<1x12xf32>
  %s = arith.addf %g, %g2 : tensor<1x12xf32>
  %t = math.tanh %s : tensor<1x12xf32>
  %r = arith.mulf %t, %c : tensor<1x12xf32>
  return %r : tensor<1x12xf32>
}

// The weights are transposed outside of the loop.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[R0:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg4) weight(%{{.*}}) : (tensor<1x5xf32>, tensor<5x5xf32>) -> tensor<1x5xf32>
// CHECK: %[[R1:.*]] = qbackend.operator [#qbackend.linear] inputs(%arg0) weight(%arg1) : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<1x5xf32>
// CHECK: %[[R2:.*]] = qbackend.operator [#qbackend.add] inputs(%[[R0]], %[[R1]]) : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
// CHECK-NOT: #qbackend.linear
// CHECK: return
func.func @loop(%x: tensor<1x8xf32>, %wi: tensor<5x8xf32>, %h: tensor<1x5xf32>) -> tensor<1x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %wh = arith.constant dense<0.5> : tensor<5x5xf32>
  %e0 = tensor.empty() : tensor<5x5xf32>
  %wt = linalg.transpose ins(%wh : tensor<5x5xf32>) outs(%e0 : tensor<5x5xf32>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<8x5xf32>
  %wit = linalg.transpose ins(%wi : tensor<5x8xf32>) outs(%e1 : tensor<8x5xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<1x5xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%hh = %h) -> tensor<1x5xf32> {
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x5xf32>) -> tensor<1x5xf32>
    %m = linalg.matmul ins(%hh, %wt : tensor<1x5xf32>, tensor<5x5xf32>) outs(%f : tensor<1x5xf32>) -> tensor<1x5xf32>
    %m2 = linalg.matmul ins(%x, %wit : tensor<1x8xf32>, tensor<8x5xf32>) outs(%f : tensor<1x5xf32>) -> tensor<1x5xf32>
    %s = arith.addf %m, %m2 : tensor<1x5xf32>
    %t = math.tanh %s : tensor<1x5xf32>
    scf.yield %t : tensor<1x5xf32>
  }
  return %r : tensor<1x5xf32>
}
