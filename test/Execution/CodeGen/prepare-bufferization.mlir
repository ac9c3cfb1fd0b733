// RUN: qbackend-opt %s --qbackend-prepare-bufferization | FileCheck %s

// An argument of a public function is the caller's, and so are two results.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {bufferization.writable = false}, %{{.*}}: f32)
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK: return %[[X]], %[[COPY]]
func.func @twice(%x: tensor<4xf32>, %n: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// Each op has a tensor of its own to write.
// CHECK-LABEL: func.func private @both(
// CHECK-SAME: %{{.*}}: tensor<4xf32>)
// CHECK-COUNT-2: tensor.empty
func.func private @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.log ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
