// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other tools leave on a module as attributes is taken, printed copies of the
// module don't combine its data layout with their own, and what runs heeds none of it.

// RUN: qbackend-opt %s | FileCheck %s --check-prefix=KEPT
// RUN: qbackend-opt %s --qbackend-print-operators | FileCheck %s --check-prefix=OPERATORS
// RUN: qbackend-opt %s --qbackend-print-observers | FileCheck %s --check-prefix=OBSERVERS
// RUN: qbackend-opt %s --apply-backend="qnnpack samples=2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=APPLIED
// RUN: qbackend-opt %s --explain=clamp --apply-backend="qnnpack samples=2" \
// RUN:   | FileCheck %s --check-prefix=EXPLAINED
// RUN: %python -c "import numpy; numpy.savez('%t.npz', x=numpy.float32([[-1, 2, 5, 9]]))"
// RUN: qbackend-run %s --input=%t.npz -o %t.csv
// RUN: FileCheck %s --input-file=%t.csv --check-prefix=RESULT

// KEPT: dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>
// KEPT-SAME: gpu.container_module
// KEPT-SAME: transform.with_named_sequence
// OPERATORS: relu6
// OBSERVERS: clamp
// APPLIED: quantized 1 of 1 operators
// EXPLAINED: relu6
// RESULT: {{^}}0{{.*}},2{{.*}},5{{.*}},6{{.*}}{{$}}

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>, gpu.container_module,
                   transform.with_named_sequence} {
  func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32}
      : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("clamp")
    return %0 : tensor<1x4xf32>
  }
}
