// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{pass} = qbackend-opt %s --qbackend-legalize-floats=
// RUN: %{pass}"target-triple=thumbv7em-none-eabihf target-cpu=cortex-m4" | FileCheck %s --check-prefix=COMPARE
// RUN: %{pass}"target-triple=riscv32-unknown-elf target-features=+f" | FileCheck %s --check-prefix=COMPARE
// RUN: %{pass}"target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | FileCheck %s --check-prefix=COMPARE
// RUN: %{pass}"target-triple=thumbv8.1m.main-none-eabihf target-cpu=cortex-m55" | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=thumbv8.1m.main-none-eabihf -mcpu=cortex-m55 | FileCheck %s --check-prefix=ENDS
// ENDS: maximum:
// RUN: %{pass}"target-triple=thumbv7em-none-eabihf target-cpu=cortex-m7" | FileCheck %s --check-prefix=KEEP
// RUN: %{pass}"target-triple=x86_64-linux-gnu target-cpu=x86-64" | FileCheck %s --check-prefix=KEEP

// An FPU of floats has nothing for doubles.
// COMPARE: llvm.and %{{.*}} : vector<2xi64>
// COMPARE: llvm.fcmp "ogt" %{{.*}} : vector<2xf64>
// COMPARE-NOT: llvm.intr
// KEEP: llvm.intr.maximum
llvm.func @maximum(%x: vector<2xf64>, %y: vector<2xf64>) -> vector<2xf64> {
  %0 = llvm.intr.maximum(%x, %y) : (vector<2xf64>, vector<2xf64>) -> vector<2xf64>
  llvm.return %0 : vector<2xf64>
}
