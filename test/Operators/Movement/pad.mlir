// RUN: qbackend-opt %s --qbackend-raise | FileCheck %s

// CHECK-LABEL: func.func @pad
// CHECK: qbackend.operator [#qbackend.pad<low = [0, 1, 2], high = [0, 2, 3], value = 5.000000e-01>] inputs(%arg0) : (tensor<?x3x4xf32>) -> tensor<?x6x9xf32>
func.func @pad(%x: tensor<?x3x4xf32>) -> tensor<?x6x9xf32> {
  %c = arith.constant 0.5 : f32
  %0 = tensor.pad %x low[0, 1, 2] high[0, 2, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %c : f32
  } : tensor<?x3x4xf32> to tensor<?x6x9xf32>
  return %0 : tensor<?x6x9xf32>
}

// CHECK-LABEL: func.func @insert_into_fill
// CHECK: qbackend.operator [#qbackend.pad<low = [0, 1, 2], high = [0, 2, 3], value = -2.000000e+00>] inputs(%arg0) : (tensor<1x3x4xf32>) -> tensor<1x6x9xf32>
func.func @insert_into_fill(%x: tensor<1x3x4xf32>) -> tensor<1x6x9xf32> {
  %c = arith.constant -2.0 : f32
  %e = tensor.empty() : tensor<1x6x9xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<1x6x9xf32>) -> tensor<1x6x9xf32>
  %0 = tensor.insert_slice %x into %f[0, 1, 2] [1, 3, 4] [1, 1, 1] : tensor<1x3x4xf32> into tensor<1x6x9xf32>
  return %0 : tensor<1x6x9xf32>
}

// With any batch, which is inserted as a whole.
// CHECK-LABEL: func.func @insert_any_batch
// CHECK: qbackend.operator [#qbackend.pad<low = [0, 1, 2], high = [0, 2, 3], value = -2.000000e+00>] inputs(%arg0) : (tensor<?x3x4xf32>) -> tensor<?x6x9xf32>
func.func @insert_any_batch(%x: tensor<?x3x4xf32>) -> tensor<?x6x9xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x4xf32>
  %c = arith.constant -2.0 : f32
  %e = tensor.empty(%n) : tensor<?x6x9xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x6x9xf32>) -> tensor<?x6x9xf32>
  %0 = tensor.insert_slice %x into %f[0, 1, 2] [%n, 3, 4] [1, 1, 1] : tensor<?x3x4xf32> into tensor<?x6x9xf32>
  return %0 : tensor<?x6x9xf32>
}

// Into one of another batch: behind it are as many as nobody knows.
// CHECK-LABEL: func.func @insert_some_of_a_batch
// CHECK-NOT: qbackend.pad
// CHECK: return
func.func @insert_some_of_a_batch(%x: tensor<?x3x4xf32>, %y: tensor<?xf32>) -> tensor<?x6x9xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x4xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %c = arith.constant -2.0 : f32
  %e = tensor.empty(%m) : tensor<?x6x9xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x6x9xf32>) -> tensor<?x6x9xf32>
  %0 = tensor.insert_slice %x into %f[0, 1, 2] [%n, 3, 4] [1, 1, 1] : tensor<?x3x4xf32> into tensor<?x6x9xf32>
  return %0 : tensor<?x6x9xf32>
}

// As TOSA's pads are lowered: the amounts are constants.
// CHECK-LABEL: func.func @constant_amounts
// CHECK: qbackend.operator [#qbackend.pad<low = [0, 1], high = [0, 2], value = -1.500000e+00>] inputs(%arg0)
func.func @constant_amounts(%x: tensor<2x9xf32>) -> tensor<2x12xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c = arith.constant -1.5 : f32
  %0 = tensor.pad %x low[%c0, %c1] high[%c0, %c2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<2x9xf32> to tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @amounts_of_the_caller
// CHECK-NOT: #qbackend.pad
// CHECK: return
func.func @amounts_of_the_caller(%x: tensor<2x9xf32>, %n: index) -> tensor<2x?xf32> {
  %c0 = arith.constant 0 : index
  %c = arith.constant -1.5 : f32
  %0 = tensor.pad %x low[%c0, %n] high[%c0, %c0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<2x9xf32> to tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @tosa
// CHECK: qbackend.operator [#qbackend.pad<low = [0, 1], high = [0, 2], value = -1.500000e+00>] inputs(%arg0)
func.func @tosa(%x: tensor<2x9xf32>) -> tensor<2x12xf32> {
  %m = tosa.const_shape {values = dense<[0, 0, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %c = "tosa.const"() <{values = dense<-1.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.pad %x, %m, %c : (tensor<2x9xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// A number that isn't constant, zeros between elements, and what no activation
// can be.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #qbackend.pad
// CHECK: return
func.func @others(%x: tensor<1x3x4xf32>, %n: f32) -> (tensor<1x6x9xf32>, tensor<1x6x4xf32>, tensor<1x5x4xf32>) {
  %0 = tensor.pad %x low[0, 1, 2] high[0, 2, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %n : f32
  } : tensor<1x3x4xf32> to tensor<1x6x9xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
  %1 = tensor.insert_slice %x into %f[0, 0, 0] [1, 3, 4] [1, 2, 1] : tensor<1x3x4xf32> into tensor<1x6x4xf32>
  %inf = arith.constant 0xFF800000 : f32
  %2 = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %inf : f32
  } : tensor<1x3x4xf32> to tensor<1x5x4xf32>
  return %0, %1, %2 : tensor<1x6x9xf32>, tensor<1x6x4xf32>, tensor<1x5x4xf32>
}
