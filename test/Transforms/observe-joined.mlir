// RUN: qbackend-opt %s -split-input-file --qbackend-prepare-pipeline="backend=qnnpack qconfig=minmax sharing=fx" --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// FX gives what is joined the observer of the first element, but the argument, of which
// it is the transpose, keeps its own: here they are one tensor.

// CHECK-LABEL: func.func @transposed
// CHECK: qbackend.observe %{{[^ ]*}} by @x {qbackend.source_values = array<i64: 0, 1>}
// CHECK: qbackend.observe %{{[^ ]*}} by @x :
func.func @transposed(%x: tensor<1x2x2xf32> loc("x")) -> (tensor<1x2x2xf32>, tensor<1x4x2xf32>) {
  %0 = tosa.add %x, %x : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("add")
  %1 = tosa.transpose %x {perms = array<i32: 0, 2, 1>} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("permute")
  // expected-remark @+1 {{QB127 | Category:qbackend | Function=transposed | Operator=cat, Reason="'x' is 2 values of the network, moved, which all get the observer of the first input; FX gives it to the one that is joined", Suggestion="leave sharing=fx out"}}
  %2 = tosa.concat %0, %1 {axis = 1 : i32} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x4x2xf32>
  return %0, %2 : tensor<1x2x2xf32>, tensor<1x4x2xf32>
}

// -----

// One value, or several of the first element, whose observer nobody changes.

// CHECK-LABEL: func.func @as_it_is
func.func @as_it_is(%x: tensor<1x2x2xf32> loc("x")) -> (tensor<1x2x2xf32>, tensor<1x4x2xf32>) {
  %0 = tosa.transpose %x {perms = array<i32: 0, 2, 1>} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("permute")
  %1 = tosa.add %x, %x : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("add")
  %2 = tosa.concat %0, %1 {axis = 1 : i32} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x4x2xf32>
  // expected-remark @+1 {{QB128 | Category:qbackend | Function=as_it_is | Operator=func.return, Reason="it reads 'x' in float, which the network moves; FX quantizes what is moved", Suggestion="leave sharing=fx out"}}
  return %0, %2 : tensor<1x2x2xf32>, tensor<1x4x2xf32>
}

// -----

// What is joined gets the observer of the first element, after a pool passed its own on.

// CHECK-LABEL: func.func @passed_on
// CHECK: qbackend.observe %{{[^ ]*}} by @[[Y:.*]] :
func.func @passed_on(%x: tensor<1x2x2x1xf32> loc("x"), %y: tensor<1x1x1x1xf32> loc("y")) -> tensor<1x1x1x2xf32> {
  %0 = tosa.add %y, %y : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> loc("add")
  // expected-remark @+1 {{QB127 | Category:qbackend | Function=passed_on | Operator=max_pool2d, Reason="FX gives its result another observer than its input has, as one of them is joined with other values; PyTorch's kernel passes the input's parameters on", Suggestion="leave sharing=fx out"}}
  %1 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32>
  %2 = tosa.concat %0, %1 {axis = 3 : i32} : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x2xf32>
  return %2 : tensor<1x1x1x2xf32>
}

// -----

// What is joined gets the observer of the first element, which float code gives; the kernel
// of a sigmoid has its own parameters.

// CHECK-LABEL: func.func @fixed_and_joined
func.func @fixed_and_joined(%x: tensor<1x2x2xf32> loc("x")) -> tensor<1x2x4xf32> {
  %0 = tosa.add %x, %x : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("add")
  // expected-remark @+1 {{QB001}}
  %1 = tosa.exp %0 : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  // expected-remark @+1 {{QB127 | Category:qbackend | Function=fixed_and_joined | Operator=sigmoid, Reason="FX gives its result the observer of what it is joined with; PyTorch's kernel has its own, fixed parameters", Suggestion="leave sharing=fx out"}}
  %2 = tosa.sigmoid %0 : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %3 = tosa.concat %1, %2 {axis = 2 : i32} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x4xf32> loc("cat")
  return %3 : tensor<1x2x4xf32>
}

// -----

// In FX the argument that tanh reads has the fixed parameters, and its transpose others.

// CHECK-LABEL: func.func @fixed_and_moved
func.func @fixed_and_moved(%x: tensor<1x2x2xf32> loc("x")) -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>) {
  %0 = tosa.transpose %x {perms = array<i32: 0, 2, 1>} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("permute")
  %1 = tosa.add %0, %0 : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("add")
  // expected-remark @+1 {{QB128 | Category:qbackend | Function=fixed_and_moved | Operator=tanh, Reason="its input 'x' is 2 values of the network, moved, with one observer; the one that FX quantizes may have the fixed parameters of the result", Suggestion="leave sharing=fx out"}}
  %2 = tosa.tanh %x : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return %1, %2 : tensor<1x2x2xf32>, tensor<1x2x2xf32>
}

// -----

// A reshape's result is observed as its input is, also where it counts with that since
// another movement is the same code: a sigmoid reads it as it is.

// CHECK-LABEL: func.func @fixed_and_reshaped
// CHECK: qbackend.observe %{{[^ ]*}} by @x {qbackend.source_values = array<i64: 0, 1>}
// CHECK: %[[RESHAPED:.*]] = qbackend.observe %{{[^ ]*}} by @x {qbackend.source_values = 0 : i64}
// CHECK: qbackend.operator [#qbackend.sigmoid] inputs(%[[RESHAPED]])
func.func @fixed_and_reshaped(%x: tensor<1x6x4xf32> loc("x")) -> (tensor<1x12x2xf32>, tensor<1x24xf32>, tensor<1x12x2xf32>) {
  %0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<1x6x4xf32> into tensor<1x24xf32> loc("reshape")
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [1, 12, 2] : tensor<1x24xf32> into tensor<1x12x2xf32> loc("reshape")
  %2 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<1x6x4xf32> into tensor<1x24xf32> loc("flatten")
  %3 = tosa.sigmoid %1 : (tensor<1x12x2xf32>) -> tensor<1x12x2xf32> loc("sigmoid")
  return %1, %2, %3 : tensor<1x12x2xf32>, tensor<1x24xf32>, tensor<1x12x2xf32>
}

// -----

// Who reads a value after it has been joined with fixed parameters observes it again.

// CHECK-LABEL: func.func @joined_and_read
// CHECK: %[[READ:.*]] = qbackend.observe %{{[^ ]*}} by @x_0 :
// CHECK: %[[JOINED:.*]] = qbackend.observe %{{[^ ]*}} by @tanh_0 :
// CHECK: qbackend.operator [#qbackend.cat<axis = 2>] inputs(%{{.*}}, %[[JOINED]])
// CHECK: qbackend.operator [#qbackend.add] inputs(%[[READ]], %[[READ]])
func.func @joined_and_read(%x: tensor<1x2x2xf32> loc("x")) -> (tensor<1x2x4xf32>, tensor<1x2x2xf32>) {
  // expected-remark @+1 {{QB114}}
  %0 = tosa.tanh %x : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  // expected-remark @+1 {{QB114}}
  %1 = tosa.concat %0, %x {axis = 2 : i32} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x4xf32>
  %2 = tosa.add %x, %x : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32> loc("add")
  return %1, %2 : tensor<1x2x4xf32>, tensor<1x2x2xf32>
}
