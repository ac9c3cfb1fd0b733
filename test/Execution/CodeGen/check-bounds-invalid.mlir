// RUN: qbackend-opt %s -split-input-file -qbackend-check-bounds -verify-diagnostics

// Upstream's verifier looks at the first and the last element of an operand.
func.func @dilation(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %y: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error @+1 {{'linalg.conv_2d_nchw_fchw' op reads element -2 of dimension 2 of 'tensor<1x3x8x8xf32>'; its strides or dilations have to stay within that}}
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<-1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%y : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// -----

func.func @beyond(%x: tensor<6xf32>, %w: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.generic' op reads element 7 of dimension 0 of 'tensor<6xf32>'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i - k + 4)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<6xf32>, tensor<3xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The last step reads element 0, the one before element 7.
func.func @remainder(%x: tensor<4xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{'linalg.generic' op may read element 7 of dimension 0 of 'tensor<4xf32>'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 8)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// The loop has nine steps, whatever the extent of %x is.
func.func @quotient(%x: tensor<4x?xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{'linalg.generic' op may read element 5 of dimension 0 of 'tensor<4x?xf32>'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2 + 1, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4x?xf32>) outs(%y : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// What a tensor without a rank holds isn't known.
func.func @rank(%x: tensor<*xf32>) -> tensor<4000xf32> {
  // expected-error @+1 {{'tensor.cast' op is of a tensor whose rank isn't known; give it the type that it has}}
  %0 = tensor.cast %x : tensor<*xf32> to tensor<4000xf32>
  return %0 : tensor<4000xf32>
}

// -----

// 8 * 2^61 is 0.
func.func @wraps(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{has strides or offsets that are too large in dimension 0 of 'tensor<4xf32>', whose extents aren't known; expected less than 2^63 for 2147483648 elements}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2305843009213693952)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Upstream looks at no extent if one is dynamic.
func.func @read_beside_dynamic(%x: tensor<?x40xi32>, %t: tensor<2xi32>, %y: tensor<?x40xi32>) -> tensor<?x40xi32> {
  // expected-error @+1 {{'linalg.generic' op has operands of different extents along loop 1: 40 and 2; make dimension 0 of operand 1 40, or pad, slice or broadcast it}}
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<?x40xi32>, tensor<2xi32>) outs(%y : tensor<?x40xi32>) {
  ^bb0(%a: i32, %b: i32, %s: i32):
    linalg.yield %b : i32
  } -> tensor<?x40xi32>
  return %r : tensor<?x40xi32>
}

// -----

func.func @written_beside_dynamic(%x: tensor<?x40xi32>, %y: tensor<?x2xi32>) -> tensor<?x2xi32> {
  // expected-error @+1 {{'linalg.generic' op has operands of different extents along loop 1: 40 and 2; make dimension 1 of operand 1 40, or pad, slice or broadcast it}}
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n, k)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x40xi32>) outs(%y : tensor<?x2xi32>) {
  ^bb0(%a: i32, %s: i32):
    linalg.yield %a : i32
  } -> tensor<?x2xi32>
  return %r : tensor<?x2xi32>
}
