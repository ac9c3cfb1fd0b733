// RUN: not qbackend-opt %s -qbackend-vectorize="target-triple=pdp11" 2>&1 | FileCheck %s --check-prefix=TRIPLE
// RUN: not qbackend-opt %s -qbackend-vectorize="target-triple=aarch64-linux-gnu target-cpu=skylake" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not qbackend-opt %s -qbackend-lower-to-llvm="target-triple=x86_64-linux-gnu target-cpu=z80" 2>&1 | FileCheck %s --check-prefix=PIPELINE

// TRIPLE: error: qbackend-vectorize: target-triple 'pdp11' is not known:
// CPU: error: qbackend-vectorize: target-cpu 'skylake' is not one of aarch64; 'llc -mtriple=aarch64-unknown-linux-gnu -mcpu=help' lists them
// PIPELINE: error: qbackend-generate-kernels: target-cpu 'z80' is not one of x86_64;
func.func @main() {
  return
}
