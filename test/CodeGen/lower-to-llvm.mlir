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
