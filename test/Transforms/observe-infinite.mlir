// RUN: qbackend-opt %s --qbackend-observe=backend=qnnpack --remarks-filter='qbackend.*' -verify-diagnostics -o %t
// RUN: FileCheck %s --input-file=%t

// What a constant makes infinite has no range: softmax with a mask of -inf, and
// what moves or adds such values, is float, whatever calls it. What has
// its own limits is quantized as before.

!t = tensor<1x4xf32>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>

// Code that isn't recognised gives infinities on.
// CHECK-LABEL: func.func @select
// CHECK-NOT: qbackend.observe
// CHECK: return
func.func @select(%x: !t, %keep: tensor<1x4xi1>) -> !t {
  // expected-note @+1 {{this constant}}
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : !t
  %masked = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%keep, %x : tensor<1x4xi1>, !t) outs(%e : !t) {
  ^bb0(%k: i1, %v: f32, %o: f32):
    %s = arith.select %k, %v, %lowest : f32
    %h = arith.truncf %s : f32 to f16
    %w = arith.extf %h : f16 to f32
    linalg.yield %w : f32
  } -> !t
  // expected-remark @+1 {{[Missed] QB123 | Category:qbackend | Function=select | Operator=reshape, OperatorName=reshape_0, Reason="a constant makes its values infinite, or stands for it, and no scale holds that beside other numbers", Suggestion="nothing, if they are what a softmax is to leave out; mask with a finite number of the size of the others to quantize it"}}
  %0 = qbackend.operator [#qbackend.reshape] inputs(%masked) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=select | Operator=softmax,}}
  %1 = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %1 : !t
}

// An operator does, too, and its result has what its input is without.
func.func @add(%x: !t) -> !t {
  // expected-note @+1 {{this constant}}
  %mask = arith.constant dense<[[0.0, 0.0, 0.0, 0xFF800000]]> : !t
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=add | Operator=add,}}
  %0 = qbackend.operator [#qbackend.add] inputs(%x, %mask) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=add | Operator=softmax,}}
  %1 = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=add | Operator=relu,}}
  %2 = qbackend.operator [#qbackend.relu] inputs(%0) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %3 = arith.addf %1, %2 : !t
  return %3 : !t
}

// Filled up with infinity, and with numbers.
func.func @pad(%x: tensor<1x2xf32>) -> (!t, !t) {
  // expected-note @+1 {{this constant}}
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %lowest : f32
  } : tensor<1x2xf32> to !t
  %q = tensor.pad %x low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<1x2xf32> to !t
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=pad | Operator=tanh,}}
  %0 = qbackend.operator [#qbackend.tanh] inputs(%p) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %1 = qbackend.operator [#qbackend.tanh] inputs(%q) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %0, %1 : !t, !t
}

// Nothing infinite comes out of these: the start of a maximum, a maximum, a
// function with limits, a divisor, an arm that another operator takes.
// CHECK-LABEL: func.func @finite
// CHECK-COUNT-5: qbackend.observe
func.func @finite(%x: !t) -> !t {
  %lowest = arith.constant 0xFF800000 : f32
  %mask = arith.constant dense<[[0.0, 0.0, 0.0, 0xFF800000]]> : !t
  %e = tensor.empty() : tensor<1x1xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !t) outs(%f : tensor<1x1xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.maximumf %v, %o : f32
    linalg.yield %n : f32
  } -> tensor<1x1xf32>
  %0 = qbackend.operator [#qbackend.relu] inputs(%m) : (tensor<1x1xf32>) -> tensor<1x1xf32> {
  ^bb0(%a: tensor<1x1xf32>):
    qbackend.yield %a : tensor<1x1xf32>
  }
  %g = tensor.empty() : !t
  %clipped = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mask : !t, !t) outs(%g : !t) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %y = arith.addf %v, %w : f32
    %z = arith.maximumf %y, %v : f32
    linalg.yield %z : f32
  } -> !t
  %1 = qbackend.operator [#qbackend.relu] inputs(%clipped) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.operator [#qbackend.add] inputs(%1, %0) : (!t, tensor<1x1xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<1x1xf32>):
    qbackend.yield %a : !t
  }
  return %2 : !t
}

// What stands for infinity, by an operator's own number, too; and what may be data.
func.func @large(%x: !t) -> (!t, !t, !t) {
  // expected-note @+1 {{this constant}}
  %mask = arith.constant dense<[[0.0, 0.0, 0.0, -1.0e9]]> : !t
  %data = arith.constant dense<[[0.0, 0.0, 0.0, -0.99e9]]> : !t
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=large | Operator=add,}}
  %0 = qbackend.operator [#qbackend.add] inputs(%x, %mask) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  %1 = qbackend.operator [#qbackend.add] inputs(%x, %data) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+2 {{QB123 | Category:qbackend | Function=large | Operator=mul,}}
  // expected-note @+1 {{this constant}}
  %2 = qbackend.operator [#qbackend.mul<scalar = -3.0e38>] inputs(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=large | Operator=add,}}
  %3 = qbackend.operator [#qbackend.add] inputs(%x, %2) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  return %0, %1, %3 : !t, !t, !t
}

// In volts: a range that is known, and a layer behind it.
func.func @units(%x: !t {qbackend.range = array<f64: -1.0e-12, 1.0e-12>}, %y: !t) -> (!t, !t) {
  %k = arith.constant dense<1.0e12> : !t
  %w = arith.constant dense<0.5> : tensor<4x4xf32>
  %0 = qbackend.operator [#qbackend.mul] inputs(%x, %k) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  %1 = qbackend.operator [#qbackend.add] inputs(%0, %x) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  %2 = qbackend.operator [#qbackend.mul] inputs(%y, %k) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  %3 = qbackend.operator [#qbackend.linear] inputs(%2) weight(%w) : (!t, tensor<4x4xf32>) -> !t {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    qbackend.yield %a : !t
  }
  %4 = qbackend.operator [#qbackend.add] inputs(%3, %y) : (!t, !t) -> !t {
  ^bb0(%a: !t, %b: !t):
    qbackend.yield %a : !t
  }
  return %1, %4 : !t, !t
}

// Of another type.
func.func @halves(%x: tensor<1x4xf16>, %keep: tensor<1x4xi1>) -> !t {
  // expected-note @+1 {{this constant}}
  %lowest = "tosa.const"() <{values = dense<0xFC00> : tensor<1x1xf16>}> : () -> tensor<1x1xf16>
  %s = tosa.select %keep, %x, %lowest : (tensor<1x4xi1>, tensor<1x4xf16>, tensor<1x1xf16>) -> tensor<1x4xf16>
  %f = tosa.cast %s : (tensor<1x4xf16>) -> !t
  // expected-remark @+1 {{QB123 | Category:qbackend | Function=halves | Operator=softmax,}}
  %0 = qbackend.operator [#qbackend.softmax<axis = 1>] inputs(%f) : (!t) -> !t {
  ^bb0(%a: !t):
    qbackend.yield %a : !t
  }
  return %0 : !t
}
