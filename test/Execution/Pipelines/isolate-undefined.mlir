// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --split-input-file --verify-diagnostics --qbackend-isolate-network=entry=net -o /dev/null

// Integer ops that have no value by what is constant of them are refused where a
// network is compiled: whatever LLVM makes of one differs between processors, and
// between runs.

// The ends of what TOSA 1.0 has.
func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<[0, 2147483647]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = "tosa.const"() <{values = dense<[2, 62]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op has the shift -128; expected one in [2, 62]}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<[5, 5]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = "tosa.const"() <{values = dense<[2, 1]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op has the shift 1; expected one in [2, 62]}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<63> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op has the shift 63; expected one in [2, 62]}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<-1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op has the multiplier -1; expected one in [0, 2147483647]}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<-32768> : tensor<1xi16>}> : () -> tensor<1xi16>
  %s = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op has the multiplier -32768; expected one in [0, 32767]}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x2xi32>, tensor<1xi16>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<500> : tensor<1xi16>}> : () -> tensor<1xi16>
  %s = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op rounds twice with multipliers of 16 bits; expected SINGLE_ROUND}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = false} : (tensor<1x2xi32>, tensor<1xi16>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<1x2xi48>) -> tensor<1x2xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<40> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %zy = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.rescale' op has multipliers of 32 bits for numbers of 48; expected scale32 = false}}
  %y = tosa.rescale %x, %m, %s, %zx, %zy {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x2xi48>, tensor<1xi32>, tensor<1xi8>, tensor<1xi48>, tensor<1xi8>) -> tensor<1x2xi8>
  return %y : tensor<1x2xi8>
}

// -----

func.func @net(%x: tensor<2xi32>) -> tensor<2xi32> {
  %s = "tosa.const"() <{values = dense<62> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.mul %x, %x, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

// Its rounding is more than 64 bits hold.
func.func @net(%x: tensor<2xi32>) -> tensor<2xi32> {
  %s = "tosa.const"() <{values = dense<63> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.mul' op has the shift 63; expected one in [0, 62]}}
  %y = tosa.mul %x, %x, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @net(%x: tensor<2xi32>) -> tensor<2xi32> {
  %s = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.mul' op has the shift -1; expected one in [0, 62]}}
  %y = tosa.mul %x, %x, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @net(%x: tensor<2xi16>) -> tensor<2xi16> {
  %n = "tosa.const"() <{values = dense<[15, 16]> : tensor<2xi16>}> : () -> tensor<2xi16>
  // expected-error @+1 {{'tosa.arithmetic_right_shift' op has the shift 16; expected one in [0, 15]}}
  %y = tosa.arithmetic_right_shift %x, %n {round = false} : (tensor<2xi16>, tensor<2xi16>) -> tensor<2xi16>
  return %y : tensor<2xi16>
}

// -----

func.func @net(%x: tensor<2xi16>) -> tensor<2xi16> {
  %n = "tosa.const"() <{values = dense<[15, 16]> : tensor<2xi16>}> : () -> tensor<2xi16>
  // expected-error @+1 {{'tosa.logical_left_shift' op has the shift 16; expected one in [0, 15]}}
  %y = tosa.logical_left_shift %x, %n : (tensor<2xi16>, tensor<2xi16>) -> tensor<2xi16>
  return %y : tensor<2xi16>
}

// -----

func.func @net(%x: tensor<2xi16>) -> tensor<2xi16> {
  %n = "tosa.const"() <{values = dense<[15, 16]> : tensor<2xi16>}> : () -> tensor<2xi16>
  // expected-error @+1 {{'tosa.logical_right_shift' op has the shift 16; expected one in [0, 15]}}
  %y = tosa.logical_right_shift %x, %n : (tensor<2xi16>, tensor<2xi16>) -> tensor<2xi16>
  return %y : tensor<2xi16>
}

// -----

// What a rescale becomes in linalg, per channel: the shift is an element of an operand.
func.func @net(%x: tensor<1x2xi32>) -> tensor<1x2xi32> {
  %s = arith.constant dense<[62, 63]> : tensor<2xi8>
  %m = arith.constant 5 : i32
  %e = tensor.empty() : tensor<1x2xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1x2xi32>, tensor<2xi8>) outs(%e : tensor<1x2xi32>) {
  ^bb0(%a: i32, %b: i8, %out: i32):
    // expected-error @+1 {{'tosa.apply_scale' op has the shift 63; expected one in [1, 62]}}
    %r = tosa.apply_scale %a, %m, %b {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
    linalg.yield %r : i32
  } -> tensor<1x2xi32>
  return %y : tensor<1x2xi32>
}

// -----

// And in arith: zeros are put before -128, which are 128 places.
func.func @net(%x: tensor<1x2xi64>) -> tensor<1x2xi64> {
  %s = arith.constant dense<[23, -128]> : tensor<2xi8>
  %e = tensor.empty() : tensor<1x2xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1x2xi64>, tensor<2xi8>) outs(%e : tensor<1x2xi64>) {
  ^bb0(%a: i64, %b: i8, %out: i64):
    %n = arith.extui %b : i8 to i64
    // expected-error @+1 {{'arith.shrsi' op has the shift 128; expected one in [0, 63]}}
    %r = arith.shrsi %a, %n : i64
    linalg.yield %r : i64
  } -> tensor<1x2xi64>
  return %y : tensor<1x2xi64>
}

// -----

// Of any number of samples.
func.func @net(%x: tensor<?x2xi64>) -> tensor<?x2xi64> {
  %s = arith.constant dense<[1, 64]> : tensor<2xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<2xi64>) outs(%x : tensor<?x2xi64>) {
  ^bb0(%b: i64, %a: i64):
    // expected-error @+1 {{'arith.shli' op has the shift 64; expected one in [0, 63]}}
    %r = arith.shli %a, %b : i64
    linalg.yield %r : i64
  } -> tensor<?x2xi64>
  return %y : tensor<?x2xi64>
}

// -----

func.func @net(%x: tensor<2xi8>) -> tensor<2xi8> {
  %n = arith.constant dense<-1> : tensor<2xi8>
  // expected-error @+1 {{'arith.shrui' op has the shift -1; expected one in [0, 7]}}
  %y = arith.shrui %x, %n : tensor<2xi8>
  return %y : tensor<2xi8>
}

// -----

func.func @net(%x: tensor<2xi96>) -> tensor<2xi96> {
  %n = arith.constant dense<96> : tensor<2xi96>
  // expected-error @+1 {{'arith.shrsi' op has the shift 96; expected one in [0, 95]}}
  %y = arith.shrsi %x, %n : tensor<2xi96>
  return %y : tensor<2xi96>
}

// -----

// An index has 32 bits on some targets.
func.func @net(%x: tensor<?xi8>) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %n = arith.constant 32 : index
  %d = tensor.dim %x, %c0 : tensor<?xi8>
  // expected-error @+1 {{'index.shrs' op has the shift 32; expected one in [0, 31]}}
  %k = index.shrs %d, %n
  %y = tensor.empty(%k) : tensor<?xi8>
  return %y : tensor<?xi8>
}

// -----

// Upstream's apply_scale in 32 bits shifts by what only one side of a select means.
func.func @net(%x: tensor<2xi32>) -> tensor<2xi32> {
  %s = arith.constant dense<[40, 20]> : tensor<2xi32>
  %e = tensor.empty() : tensor<2xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %s : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %zero = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %over = arith.cmpi uge, %b, %c32 : i32
    %low = arith.shrui %a, %b : i32
    %r = arith.select %over, %zero, %low : i32
    linalg.yield %r : i32
  } -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

// What isn't constant is known when it runs.
func.func @net(%x: tensor<2xi32>, %n: tensor<2xi32>) -> tensor<2xi32> {
  %y = arith.shrsi %x, %n : tensor<2xi32>
  return %y : tensor<2xi32>
}
