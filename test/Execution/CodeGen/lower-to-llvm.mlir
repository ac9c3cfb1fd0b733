// RUN: qbackend-opt %s -qbackend-lower-to-llvm="bare-pointers target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" | FileCheck %s
// RUN: qbackend-opt %s -qbackend-lower-to-llvm="target-triple=x86_64-linux-gnu" | FileCheck %s --check-prefix=DESCRIPTOR
// RUN: qbackend-opt %s -qbackend-lower-to-llvm="bare-pointers" | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// Sums are kept in registers; arguments are the caller's: the sum is not added
// to the second one in place.
// CHECK-LABEL: llvm.func @main
// CHECK-SAME: (%[[X:[^:]*]]: !llvm.ptr, %[[Y:[^:]*]]: !llvm.ptr, %[[RESULT:[^:]*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-NOT: llvm.store {{.*}}, %[[Y]]
// CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
// CHECK-NOT: unrealized_conversion_cast
// DESCRIPTOR-LABEL: llvm.func @main(
// DESCRIPTOR-SAME: -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// IR: define void @main(ptr %0, ptr %1, ptr %2, ptr %3)
func.func @main(%x: tensor<8x4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.reduce ins(%x : tensor<8x4xf32>) outs(%y : tensor<8xf32>) dimensions = [1]
    (%a: f32, %sum: f32) {
      %next = arith.addf %sum, %a : f32
      linalg.yield %next : f32
    }
  return %0 : tensor<8xf32>
}

// An assertion that fails ends the program, with its message.
// CHECK: llvm.func @positive
// CHECK: llvm.call @abort
func.func @positive(%x: tensor<1xi32>) -> tensor<1xi32> {
  %zero = arith.constant 0 : index
  %null = arith.constant 0 : i32
  %first = tensor.extract %x[%zero] : tensor<1xi32>
  %isPositive = arith.cmpi sgt, %first, %null : i32
  cf.assert %isPositive, "not positive"
  return %x : tensor<1xi32>
}

// A constant weight that is transposed is read where it is: no buffer.
// CHECK-LABEL: llvm.func @transposed_weight
// CHECK-SAME: "qbackend-arena-bytes", "0"
func.func @transposed_weight(%x: tensor<4x40xf32>) -> tensor<4x2xf32> {
  %b = arith.constant dense<[[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5, 18.5, 19.5, 20.5, 21.5, 22.5, 23.5, 24.5, 25.5, 26.5, 27.5, 28.5, 29.5, 30.5, 31.5, 32.5, 33.5, 34.5, 35.5, 36.5, 37.5, 38.5, 39.5], [-0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0, -9.0, -10.0, -11.0, -12.0, -13.0, -14.0, -15.0, -16.0, -17.0, -18.0, -19.0, -20.0, -21.0, -22.0, -23.0, -24.0, -25.0, -26.0, -27.0, -28.0, -29.0, -30.0, -31.0, -32.0, -33.0, -34.0, -35.0, -36.0, -37.0, -38.0, -39.0]]> : tensor<2x40xf32>
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<40x2xf32>
  %v = linalg.transpose ins(%b : tensor<2x40xf32>) outs(%t : tensor<40x2xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<4x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.matmul ins(%x, %v : tensor<4x40xf32>, tensor<40x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// What is returned twice is copied into the second result of the caller.
// IR-LABEL: define void @twice(ptr %0, ptr %1, ptr %2, ptr %3)
// IR: call void @llvm.memcpy
func.func @twice(%x: tensor<40xi32>) -> (tensor<40xi32>, tensor<40xi32>) {
  %e = tensor.empty() : tensor<40xi32>
  %0 = linalg.add ins(%x, %x : tensor<40xi32>, tensor<40xi32>) outs(%e : tensor<40xi32>) -> tensor<40xi32>
  return %0, %0 : tensor<40xi32>, tensor<40xi32>
}
