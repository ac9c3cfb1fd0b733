// RUN: qbackend-opt %s --qbackend-raise --remarks-filter='qbackend.*' -verify-diagnostics -o /dev/null

// What computes on other types than f32, or on buffers, says so, op by op.

func.func @types(%h: tensor<1x4xf16>, %b: tensor<1x4xbf16>, %d: tensor<1x4xf64>, %i: tensor<1x4xi32>) -> (tensor<1x4xf16>, tensor<1x4xbf16>, tensor<1x4xf64>, tensor<1x4xi32>) {
  // expected-remark @+1 {{[Missed] QB004 | Category:qbackend | Function=types | Operator=tosa.tanh, Reason="its elements are f16, those of operators are f32"}}
  %0 = tosa.tanh %h : (tensor<1x4xf16>) -> tensor<1x4xf16>
  // expected-remark @+1 {{its elements are bf16}}
  %1 = math.tanh %b : tensor<1x4xbf16>
  // expected-remark @+1 {{its elements are f64}}
  %2 = arith.addf %d, %d : tensor<1x4xf64>
  %3 = arith.addi %i, %i : tensor<1x4xi32>
  return %0, %1, %2, %3 : tensor<1x4xf16>, tensor<1x4xbf16>, tensor<1x4xf64>, tensor<1x4xi32>
}

func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%y : memref<4xf32>)
  // expected-remark @+1 {{QB004 | Category:qbackend | Function=buffers | Operator=linalg.add, Reason="it works on buffers (memref), operators are of tensors"}}
  linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
