// RUN: qbackend-opt %s --split-input-file --qbackend-observe="backend=qnnpack" --remarks-filter='qbackend.*' -verify-diagnostics | FileCheck %s

// Nothing is quantized around what makes integers of floats, or rounds
// them, in a way that is not recognised, whatever it is spelled in.

// CHECK-LABEL: @wide_and_back
// CHECK-NOT: qconfig
func.func @wide_and_back(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark @+1 {{makes integers of floats in a way that is not recognised}}
  %0 = arith.fptosi %x : tensor<1x4xf32> to tensor<1x4xi32>
  %1 = arith.constant dense<3> : tensor<1x4xi32>
  %2 = arith.addi %0, %1 : tensor<1x4xi32>
  %3 = arith.sitofp %2 : tensor<1x4xi32> to tensor<1x4xf32>
  // expected-remark @+1 {{QB141}}
  %4 = qbackend.operator [#qbackend.relu] inputs(%3) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %4 : tensor<1x4xf32>
}

// -----

#id = affine_map<(a, b) -> (a, b)>
// CHECK-LABEL: @inside_a_condition
// CHECK-NOT: qconfig
func.func @inside_a_condition(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  // expected-remark @+1 {{makes integers of floats in a way that is not recognised}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf ogt, %a, %z : f32
    %r = scf.if %c -> (f32) {
      %1 = math.roundeven %a : f32
      scf.yield %1 : f32
    } else {
      scf.yield %z : f32
    }
    linalg.yield %r : f32
  } -> tensor<1x4xf32>
  // expected-remark @+1 {{QB141}}
  %4 = qbackend.operator [#qbackend.relu] inputs(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %4 : tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @floats_of_8_bits
// CHECK-NOT: qconfig
func.func @floats_of_8_bits(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // expected-remark @+1 {{makes integers of floats in a way that is not recognised}}
  %0 = arith.truncf %x : tensor<1x4xf32> to tensor<1x4xf8E4M3FN>
  %1 = arith.extf %0 : tensor<1x4xf8E4M3FN> to tensor<1x4xf32>
  // expected-remark @+1 {{QB141}}
  %2 = qbackend.operator [#qbackend.relu] inputs(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %2 : tensor<1x4xf32>
}

// -----

// Labels and positions are no quantized numbers.
// CHECK-LABEL: @labels
// CHECK: qconfig
func.func @labels(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi32>) {
  %0 = arith.fptosi %x : tensor<1x4xf32> to tensor<1x4xi32>
  %1 = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %1, %0 : tensor<1x4xf32>, tensor<1x4xi32>
}

// -----

#id = affine_map<(a, b) -> (a, b)>
// A number of a table for each integer. Rows of one are an embedding.
// CHECK-LABEL: @table
// CHECK-NOT: qconfig
func.func @table(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %t = arith.constant dense<[0.0, 1.0, 4.0, 9.0]> : tensor<4xf32>
  %e = tensor.empty() : tensor<1x4xf32>
  // expected-remark @+1 {{makes integers of floats in a way that is not recognised}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.fptosi %a : f32 to i32
    %2 = arith.index_cast %1 : i32 to index
    %3 = tensor.extract %t[%2] : tensor<4xf32>
    linalg.yield %3 : f32
  } -> tensor<1x4xf32>
  // expected-remark @+1 {{QB141}}
  %4 = qbackend.operator [#qbackend.relu] inputs(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%a: tensor<1x4xf32>):
    qbackend.yield %a : tensor<1x4xf32>
  }
  return %4 : tensor<1x4xf32>
}

// -----

// The import has left code that rounds (QB140).
// CHECK: {{^}}module {
// CHECK-LABEL: @rounds
// CHECK-NOT: qconfig
module attributes {qbackend.rounds} {
  func.func @rounds(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
    // expected-remark @+1 {{QB141}}
    %0 = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
    ^bb0(%a: tensor<1x4xf32>):
      qbackend.yield %a : tensor<1x4xf32>
    }
    return %0 : tensor<1x4xf32>
  }
}
