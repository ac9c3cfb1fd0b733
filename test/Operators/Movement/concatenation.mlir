// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @constant_input
// CHECK: %[[C:.*]] = arith.constant dense<{{.*}}> : tensor<2x2xf32>
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%[[C]], %arg0) : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
func.func @constant_input(%x: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = tensor.concat dim(1) %c, %x : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @one_input
// CHECK-NEXT: return %arg0
func.func @one_input(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tosa.concat %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @tosa_twice
// CHECK: qbackend.operator [#qbackend.cat<axis = 2>] inputs(%arg0, %arg1, %arg0)
func.func @tosa_twice(%x: tensor<1x2x3xf32>, %y: tensor<1x2x4xf32>) -> tensor<1x2x10xf32> {
  %0 = tosa.concat %x, %y, %x {axis = 2 : i32} : (tensor<1x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x10xf32>
  return %0 : tensor<1x2x10xf32>
}

// CHECK-LABEL: func.func @dynamic_batch
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%arg0, %arg1) : (tensor<?x2x4xf32>, tensor<?x3x4xf32>) -> tensor<?x5x4xf32>
func.func @dynamic_batch(%a: tensor<?x2x4xf32>, %b: tensor<?x3x4xf32>) -> tensor<?x5x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?x2x4xf32>
  %e = tensor.empty(%d) : tensor<?x5x4xf32>
  %0 = tensor.insert_slice %b into %e[0, 2, 0] [%d, 3, 4] [1, 1, 1] : tensor<?x3x4xf32> into tensor<?x5x4xf32>
  %1 = tensor.insert_slice %a into %0[0, 0, 0] [%d, 2, 4] [1, 1, 1] : tensor<?x2x4xf32> into tensor<?x5x4xf32>
  return %1 : tensor<?x5x4xf32>
}

// CHECK-LABEL: func.func @stack
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg0) : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
// CHECK: %[[B:.*]] = qbackend.operator [#qbackend.reshape] inputs(%arg1) : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%[[A]], %[[B]])
func.func @stack(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x2x3xf32> {
  %e = tensor.empty() : tensor<2x2x3xf32>
  %0 = tensor.insert_slice %a into %e[0, 0, 0] [2, 1, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<2x2x3xf32>
  %1 = tensor.insert_slice %b into %0[0, 1, 0] [2, 1, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<2x2x3xf32>
  return %1 : tensor<2x2x3xf32>
}

// One of the inputs is such a chain itself.
// CHECK-LABEL: func.func @nested
// CHECK: %[[A:.*]] = qbackend.operator [#qbackend.cat<axis = 1>] inputs(%arg0, %arg1) : (tensor<1x2x4xf32>, tensor<1x3x4xf32>) -> tensor<1x5x4xf32>
// CHECK: qbackend.operator [#qbackend.cat<axis = 2>] inputs(%[[A]], %arg2) : (tensor<1x5x4xf32>, tensor<1x5x2xf32>) -> tensor<1x5x6xf32>
func.func @nested(%a: tensor<1x2x4xf32>, %b: tensor<1x3x4xf32>, %c: tensor<1x5x2xf32>) -> tensor<1x5x6xf32> {
  %e = tensor.empty() : tensor<1x5x4xf32>
  %f = tensor.empty() : tensor<1x5x6xf32>
  %0 = tensor.insert_slice %a into %e[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xf32> into tensor<1x5x4xf32>
  %1 = tensor.insert_slice %b into %0[0, 2, 0] [1, 3, 4] [1, 1, 1] : tensor<1x3x4xf32> into tensor<1x5x4xf32>
  %2 = tensor.insert_slice %1 into %f[0, 0, 0] [1, 5, 4] [1, 1, 1] : tensor<1x5x4xf32> into tensor<1x5x6xf32>
  %3 = tensor.insert_slice %c into %2[0, 0, 4] [1, 5, 2] [1, 1, 1] : tensor<1x5x2xf32> into tensor<1x5x6xf32>
  return %3 : tensor<1x5x6xf32>
}

// Four quarters, a hole, and a change of a part of an activation.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #qbackend.cat
// CHECK: return
func.func @others(%a: tensor<2x2xf32>, %x: tensor<4x4xf32>, %b: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<6x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %1 = tensor.insert_slice %a into %0[0, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %2 = tensor.insert_slice %a into %1[2, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %3 = tensor.insert_slice %a into %2[2, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %4 = tensor.insert_slice %b into %f[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<6x4xf32>
  %5 = tensor.insert_slice %b into %4[4, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<6x4xf32>
  %6 = tensor.insert_slice %b into %x[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  %7 = tensor.insert_slice %b into %6[2, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
  return %3, %5, %7 : tensor<4x4xf32>, tensor<6x4xf32>, tensor<4x4xf32>
}

// Inserted into a fill that was made generic.
// CHECK-LABEL: func.func @generic_fill(
// CHECK: qbackend.operator [#qbackend.cat<axis = 1>] inputs(%arg0, %arg1)
// CHECK-NOT: qbackend.operator
func.func @generic_fill(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x7xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%z : f32) outs(%e : tensor<2x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x7xf32>
  %a = tensor.insert_slice %x into %f[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x7xf32>
  %b = tensor.insert_slice %y into %a[0, 3] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x7xf32>
  return %b : tensor<2x7xf32>
}
