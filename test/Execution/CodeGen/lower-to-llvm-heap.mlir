// RUN: qbackend-opt %s --qbackend-lower-to-llvm=bare-pointers -verify-diagnostics -o /dev/null
// RUN: qbackend-opt %s --qbackend-lower-to-llvm -o /dev/null

// A tensor that each turn of a loop makes anew needs a heap.
func.func @main(%x: tensor<1x5120xf32>) -> tensor<1x5120xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<1x5120xf32>
  %r = scf.for %n = %c0 to %c5 step %c1 iter_args(%v = %x) -> tensor<1x5120xf32> {
    %y = linalg.exp ins(%v : tensor<1x5120xf32>) outs(%e : tensor<1x5120xf32>) -> tensor<1x5120xf32>
    scf.yield %y : tensor<1x5120xf32>
  }
  // expected-error @+1 {{a loop carries a tensor in buffers that take turns, for which code without a heap has no place; unroll the loop, or run the network in memory}}
  return %r : tensor<1x5120xf32>
}
