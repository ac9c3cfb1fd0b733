// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --split-input-file --qbackend-define-helpers=target-triple=x86_64-linux-gnu | FileCheck %s
// RUN: qbackend-opt %s --split-input-file --qbackend-define-helpers=target-triple=aarch64-linux-gnu | FileCheck %s --check-prefix=NONE

// What they return is compared in test/Integration/halves.test.
// NONE-NOT: weak
// NONE-NOT: round_to_odd

// CHECK: llvm.data_layout = "{{[^"]*}}i128:128-
// CHECK-LABEL: @bfloat
// CHECK-NOT: hf
// CHECK-DAG: llvm.func weak hidden @__truncsfbf2(%{{.*}}: f32) -> bf16
// CHECK-DAG: llvm.func weak hidden @__truncdfbf2(%{{.*}}: f64) -> bf16
// CHECK-DAG: llvm.func internal @qbackend_round_to_odd(%{{.*}}: f64) -> f32
// CHECK-NOT: hf
llvm.func @bfloat(%x: vector<2xf64>) -> vector<2xbf16> {
  %y = llvm.fptrunc %x : vector<2xf64> to vector<2xbf16>
  llvm.return %y : vector<2xbf16>
}

// -----

// CHECK-LABEL: @half
// CHECK-DAG: llvm.func weak hidden @__truncsfhf2(%{{.*}}: f32) -> f16
// CHECK-DAG: llvm.func weak hidden @__truncdfhf2(%{{.*}}: f64) -> f16
// CHECK-DAG: llvm.func weak hidden @__extendhfsf2(%{{.*}}: f16) -> f32
// CHECK-DAG: llvm.func internal @qbackend_round_to_odd(%{{.*}}: f64) -> f32
// CHECK-NOT: bf2
llvm.func @half(%p: !llvm.ptr) -> f32 {
  %x = llvm.load %p : !llvm.ptr -> f16
  %y = llvm.fpext %x : f16 to f32
  llvm.return %y : f32
}

// -----

// CHECK-LABEL: @float
// CHECK-NOT: weak
// CHECK-NOT: round_to_odd
llvm.func @float(%x: f64) -> f32 {
  %y = llvm.fptrunc %x : f64 to f32
  llvm.return %y : f32
}
