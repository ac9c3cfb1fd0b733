// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{arm} = target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4
// RUN: qbackend-opt %s --qbackend-lower-to-llvm="bare-pointers %{arm}" | FileCheck %s --implicit-check-not=unrealized
// RUN: qbackend-opt %s --qbackend-lower-to-llvm="bare-pointers parallel %{arm}" | FileCheck %s --implicit-check-not=unrealized
// RUN: qbackend-opt %s --qbackend-lower-to-llvm="%{arm}" | FileCheck %s --check-prefix=WIDE
// RUN: qbackend-opt %s --qbackend-lower-to-llvm="bare-pointers %{arm}" | mlir-translate --mlir-to-llvmir | opt -S -O3 -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4 | llc -O3 -mtriple=thumbv7em-none-eabihf -mcpu=cortex-m4 | FileCheck %s --check-prefix=CODE --implicit-check-not=adc

// Indices have the bits of an address: code adds none of 64, which takes two
// instructions. Descriptors, which a caller shares, have 64 everywhere.
// CHECK-LABEL: llvm.func @main
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
// CHECK: llvm.trunc %{{.*}} : i64 to i32
// CHECK: llvm.getelementptr {{.*}} : (!llvm.ptr, i32) -> !llvm.ptr, f32
// WIDE-LABEL: llvm.func @main
// WIDE: !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
// WIDE: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
// CODE-LABEL: main:
// CODE: vmul.f32
func.func @main(%x: tensor<5x24xf32>, %w: tensor<24x9xf32>, %i: tensor<5xi64>) -> tensor<5x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x9xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<5x9xf32>) -> tensor<5x9xf32>
  %y = linalg.matmul ins(%x, %w : tensor<5x24xf32>, tensor<24x9xf32>) outs(%init : tensor<5x9xf32>) -> tensor<5x9xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<5xi64>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%n: i64, %o: f32):
    %r = arith.index_cast %n : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %y[%r, %c] : tensor<5x9xf32>
    linalg.yield %v : f32
  } -> tensor<5x9xf32>
  return %g : tensor<5x9xf32>
}
