// RUN: qbackend-opt %s -split-input-file --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax" --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// What only moves values of code that is no operator stays float, however many
// such operators there are, and in front of the code as well as behind it.

// CHECK-LABEL: func.func @between
// CHECK-NOT: qbackend.observe
// CHECK: [#qbackend.reshape] {{.*}} decision(#qbackend.float<code = "QB119">)
// CHECK: tosa.exp
// CHECK: [#qbackend.cat<{{.*}}>] {{.*}} decision(#qbackend.float<code = "QB119">)
// CHECK: [#qbackend.reshape] {{.*}} decision(#qbackend.float<code = "QB119">)
// CHECK: tosa.floor
func.func @between(%x: tensor<2x6xf32>) -> tensor<24xf32> {
  %s = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-remark @+1 {{QB119 | Category:qbackend | Function=between | Operator=reshape, OperatorName=reshape_0, Reason="it only moves values of code that is not recognised", Suggestion="see the remarks QB001 at what is before and after it"}}
  %0 = tosa.reshape %x, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>
  // expected-remark @+1 {{QB001}}
  %1 = tosa.exp %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  // expected-remark @+1 {{QB119}}
  %2 = tosa.concat %1, %1 {axis = 0 : i32} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %t = tosa.const_shape {values = dense<24> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-remark @+1 {{QB119}}
  %3 = tosa.reshape %2, %t : (tensor<6x4xf32>, !tosa.shape<1>) -> tensor<24xf32>
  // expected-remark @+1 {{QB001}}
  %4 = tosa.floor %3 : (tensor<24xf32>) -> tensor<24xf32>
  return %4 : tensor<24xf32>
}

// -----

// With an operator that computes on integers before it, or after it, a movement
// has their observer, and is quantized: its elements are a quarter of the size.

// CHECK-LABEL: func.func @behind_an_operator
// CHECK: [#qbackend.relu] {{.*}} qconfig
// CHECK: [#qbackend.reshape] {{.*}} qconfig
// CHECK: tosa.exp
// CHECK: [#qbackend.reshape] {{.*}} qconfig
// CHECK: [#qbackend.relu] {{.*}} qconfig
func.func @behind_an_operator(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %s = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %t = tosa.const_shape {values = dense<[2, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %1 = tosa.reshape %0, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>
  // expected-remark @+1 {{QB001}}
  %2 = tosa.exp %1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = tosa.reshape %2, %t : (tensor<3x4xf32>, !tosa.shape<2>) -> tensor<2x6xf32>
  %4 = tosa.clamp %3 {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %4 : tensor<2x6xf32>
}

// -----

// The network that is movement alone is placed as PyTorch places it, and so is
// what the caller has or wants quantized.

// CHECK-LABEL: func.func @only_movement
// CHECK: [#qbackend.cat<{{.*}}>] {{.*}} qconfig
func.func @only_movement(%x: tensor<2x6xf32>, %y: tensor<2x6xf32>) -> tensor<4x6xf32> {
  %0 = tosa.concat %x, %y {axis = 0 : i32} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @quantized_argument
// CHECK: [#qbackend.reshape] {{.*}} qconfig
// CHECK: tosa.exp
// CHECK: [#qbackend.reshape] {{.*}} qconfig
func.func @quantized_argument(%x: tensor<2x6xf32> {qbackend.quantized}) -> (tensor<12xf32> {qbackend.quantized}) {
  %s = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>
  // expected-remark @+1 {{QB001}}
  %1 = tosa.exp %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %t = tosa.const_shape {values = dense<12> : tensor<1xindex>} : () -> !tosa.shape<1>
  %2 = tosa.reshape %1, %t : (tensor<3x4xf32>, !tosa.shape<1>) -> tensor<12xf32>
  return %2 : tensor<12xf32>
}

// -----

// What else reads the value has its observer, and so has the movement.

// CHECK-LABEL: func.func @beside_an_operator
// CHECK: [#qbackend.reshape] {{.*}} qconfig
// CHECK: tosa.exp
// CHECK: [#qbackend.relu] {{.*}} qconfig
func.func @beside_an_operator(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>) {
  %s = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>
  // expected-remark @+1 {{QB001}}
  %1 = tosa.exp %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %1, %2 : tensor<3x4xf32>, tensor<2x6xf32>
}

// -----

// An argument is observed where the network begins, as in PyTorch, also if its first
// reader comes late and reads it in another layout: before what shares its observer.

// CHECK-LABEL: func.func @argument_read_late
// CHECK-NEXT: qbackend.observe %arg0 by @[[O:.*]] :
// CHECK-NEXT: %[[T:.*]] = qbackend.transpose %arg1 [0, 2, 3, 1]
// CHECK-NEXT: qbackend.observe %[[T]] by @[[O]] :
// CHECK-NEXT: qbackend.operator [#qbackend.max_pool2d
// CHECK: qbackend.observe {{.*}} by @[[O]]
// CHECK: qbackend.operator [#qbackend.cat
func.func @argument_read_late(%x: tensor<1x4x6x3xf32>, %y: tensor<1x3x4x6xf32>) -> tensor<1x2x6x3xf32> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x6x3xf32>) -> tensor<1x2x6x3xf32>
  %t = tosa.transpose %y {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x4x6xf32>) -> tensor<1x4x6x3xf32>
  %q = tosa.max_pool2d %t {kernel = array<i64: 3, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x6x3xf32>) -> tensor<1x2x6x3xf32>
  %c = tosa.concat %q, %p {axis = 1 : i32} : (tensor<1x2x6x3xf32>, tensor<1x2x6x3xf32>) -> tensor<1x4x6x3xf32>
  %r = tosa.max_pool2d %c {kernel = array<i64: 3, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x6x3xf32>) -> tensor<1x2x6x3xf32>
  return %r : tensor<1x2x6x3xf32>
}

// -----

// What other code computes is observed where it does, before what comes after it in the
// code and shares its observer, also if it is read late, in another layout.

// CHECK-LABEL: func.func @other_code_read_late
// CHECK: %[[E:.*]] = tosa.exp
// CHECK-NEXT: %[[T:.*]] = qbackend.transpose %[[E]] [0, 2, 3, 1]
// CHECK-NEXT: qbackend.observe %[[T]] by @[[O:.*]] :
// CHECK-NEXT: qbackend.operator [#qbackend.max_pool2d
// CHECK: qbackend.observe {{.*}} by @[[O]]
// CHECK: qbackend.operator [#qbackend.cat
func.func @other_code_read_late(%x: tensor<1x4x6x3xf32>, %y: tensor<1x4x4x1xf32>) -> tensor<1x8x4x1xf32> {
  // expected-remark @+1 {{QB001}}
  %e = tosa.exp %y : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<1x4x4x1xf32>
  %init = linalg.fill ins(%least : f32) outs(%empty : tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %p = linalg.pooling_nchw_max ins(%x, %window : tensor<1x4x6x3xf32>, tensor<3x3xf32>) outs(%init : tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  %c = tensor.concat dim(1) %p, %e : (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) -> tensor<1x8x4x1xf32>
  return %c : tensor<1x8x4x1xf32>
}
