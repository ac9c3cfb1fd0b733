// RUN: qbackend-opt %s --qbackend-verify-integer-only -split-input-file -verify-diagnostics

!a8 = !quant.uniform<u8:f32, 0.5:3>

func.func @real_valued_operator(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{computed from these integers}}
  %0 = qnnpack.quantize %x : tensor<4xf32> -> tensor<4x!a8>
  // expected-error @+1 {{'qnnpack.dequantize' op computes 'tensor<4xf32>' between quantized tensors, expected integers}}
  %1 = qnnpack.dequantize %0 : tensor<4x!a8> -> tensor<4xf32>
  // expected-error @+1 {{'math.erf' op computes 'tensor<4xf32>' between quantized tensors, expected integers: give what comes after it the qconfig none, or what is here a kernel}}
  %2 = math.erf %1 : tensor<4xf32>
  // expected-note @+1 {{these integers are computed from it}}
  %3 = qnnpack.quantize %2 : tensor<4xf32> -> tensor<4x!a8>
  %4 = qnnpack.dequantize %3 : tensor<4x!a8> -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

!a8 = !quant.uniform<u8:f32, 0.5:3>

// Of two branches of a network only the float one is an offender.
// expected-note @+1 {{computed from these integers}}
func.func @one_branch(%q: tensor<4x!a8>) -> (tensor<4xf32>, tensor<4x!a8>) {
  // expected-error @+1 {{'qnnpack.dequantize' op computes}}
  %0 = qnnpack.dequantize %q : tensor<4x!a8> -> tensor<4xf32>
  %1 = math.absf %0 : tensor<4xf32>
  // expected-note @+1 {{these integers are computed from it}}
  %2 = qnnpack.quantize %0 : tensor<4xf32> -> tensor<4x!a8>
  return %1, %2 : tensor<4xf32>, tensor<4x!a8>
}

// -----

!a8 = !quant.uniform<u8:f32, 0.5:3>

func.func private @softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.log1p' op computes}}
  %0 = math.log1p %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// expected-note @+1 {{computed from these integers}}
func.func @through_a_call(%q: tensor<4x!a8>) -> tensor<4x!a8> {
  // expected-error @+1 {{'qnnpack.dequantize' op computes}}
  %0 = qnnpack.dequantize %q : tensor<4x!a8> -> tensor<4xf32>
  %1 = call @softplus(%0) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{these integers are computed from it}}
  %2 = qnnpack.quantize %1 : tensor<4xf32> -> tensor<4x!a8>
  return %2 : tensor<4x!a8>
}

// -----

// In a loop, integers of one iteration are floats of the next one.
func.func @through_a_loop(%q: tensor<4xi8>, %n: index) -> tensor<4xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{computed from these integers}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> tensor<4xi8> {
    // expected-error @+1 {{'arith.sitofp' op computes}}
    %0 = arith.sitofp %x : tensor<4xi8> to tensor<4xf32>
    // expected-note @+1 {{these integers are computed from it}}
    %1 = arith.fptosi %0 : tensor<4xf32> to tensor<4xi8>
    scf.yield %1 : tensor<4xi8>
  }
  return %y : tensor<4xi8>
}

// -----

!a8 = !quant.uniform<u8:f32, 0.5:3>

// expected-note @+1 {{computed from these integers}}
func.func @through_branches(%q: tensor<4x!a8>, %c: i1) -> tensor<4x!a8> {
  // expected-error @+1 {{'qnnpack.dequantize' op computes}}
  %0 = qnnpack.dequantize %q : tensor<4x!a8> -> tensor<4xf32>
  cf.cond_br %c, ^bb1(%0 : tensor<4xf32>), ^bb2(%q : tensor<4x!a8>)
^bb1(%1: tensor<4xf32>):
  // expected-note @+1 {{these integers are computed from it}}
  %2 = qnnpack.quantize %1 : tensor<4xf32> -> tensor<4x!a8>
  cf.br ^bb2(%2 : tensor<4x!a8>)
^bb2(%3: tensor<4x!a8>):
  return %3 : tensor<4x!a8>
}

// -----

// Accumulators are made float, and read in the body of an op.
#id = affine_map<(d0) -> (d0)>
// expected-note @+1 {{computed from these integers}}
func.func @linalg(%x: tensor<4xi8>) -> tensor<4xi8> {
  %acc = arith.extsi %x : tensor<4xi8> to tensor<4xi32>
  // expected-error @+1 {{'arith.sitofp' op computes 'tensor<4xf32>' between quantized tensors}}
  %real = arith.sitofp %acc : tensor<4xi32> to tensor<4xf32>
  %byte = tensor.empty() : tensor<4xi8>
  // expected-note @+1 {{these integers are computed from it}}
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%byte : tensor<4xi8>) {
  ^bb0(%o: i8):
    %i = linalg.index 0 : index
    %f = tensor.extract %real[%i] : tensor<4xf32>
    %t = arith.fptosi %f : f32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

// A constant scale is not dynamic quantization.
#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
// expected-note @+1 {{computed from these integers}}
func.func @constant_scale(%x: tensor<4xi8>) -> tensor<4xi8> {
  %s = arith.constant dense<0.5> : tensor<f32>
  // expected-error @+1 {{'arith.sitofp' op computes}}
  %real = arith.sitofp %x : tensor<4xi8> to tensor<4xf32>
  %byte = tensor.empty() : tensor<4xi8>
  // expected-note @+1 {{these integers are computed from it}}
  %y = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
      ins(%real, %s : tensor<4xf32>, tensor<f32>) outs(%byte : tensor<4xi8>) {
  ^bb0(%a: f32, %m: f32, %o: i8):
    %p = arith.mulf %a, %m : f32
    %t = arith.fptosi %p : f32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

!a8 = !quant.uniform<u8:f32, 0.5:3>

func.func @reference_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'qbackend.quantize' op is the reference form, which computes on floats by definition, expected ops of an engine or linalg: run qbackend-create-kernels first}}
  %0 = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!a8>
  %1 = qbackend.dequantize %0 : tensor<4x!a8> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
