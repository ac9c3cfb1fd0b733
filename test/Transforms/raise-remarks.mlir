// RUN: qbackend-opt %s --qbackend-raise --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: qbackend-opt %s --qbackend-raise --remark-format=yaml --remarks-output-file=%t.yaml --remarks-filter='qbackend.*' -o %t
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml

// YAML: --- !Missed
// YAML: Pass: qbackend
// YAML: Name: QB001
// YAML: not recognised as an operator

func.func @qb001(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark @+1 {{[Missed] QB001 | Category:qbackend | Function=qb001 | Operator=tosa.floor, Reason="not recognised as an operator"}}
  %c = tosa.floor %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %u = tosa.tanh %c : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %u : tensor<1x4xf32>
}

// What a recogniser has nothing to do with gets none: constants, extents.
func.func @none(%x: tensor<?x4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  return %d : index
}
