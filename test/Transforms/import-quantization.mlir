// RUN: qbackend-opt %s --qbackend-import-quantization | FileCheck %s

// All spellings of one thing.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#scalar = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @casts(
// CHECK-NEXT: %[[Q:.*]] = qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:3>>
// CHECK-NEXT: %[[Y:.*]] = qbackend.dequantize %[[Q]]
// CHECK-NEXT: return %[[Y]]
func.func @casts(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %q = quant.qcast %x : tensor<2x3xf32> to tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>
  %y = quant.dcast %q : tensor<2x3x!quant.uniform<u8:f32, 0.5:3>> to tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The integers are there for a while; kernels have the whole range of bytes, and a
// limit at the zero point is a relu.
// CHECK-LABEL: func.func @storage(
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: arith.maximumf
// CHECK-NEXT: linalg.yield
// CHECK: %[[Q:.*]] = qbackend.quantize %[[R]] : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:-3>>
// CHECK-NEXT: qbackend.dequantize %[[Q]]
// CHECK-NEXT: return
func.func @storage(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %q = quant.qcast %x : tensor<2x3xf32> to tensor<2x3x!quant.uniform<i8<-3:127>:f32, 0.5:-3>>
  %s = quant.scast %q : tensor<2x3x!quant.uniform<i8<-3:127>:f32, 0.5:-3>> to tensor<2x3xi8>
  %r = quant.scast %s : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8<-3:127>:f32, 0.5:-3>>
  %y = quant.dcast %r : tensor<2x3x!quant.uniform<i8<-3:127>:f32, 0.5:-3>> to tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Torch-MLIR's quantize and dequantize: bytes in between, the zero point an
// integer.
// CHECK-LABEL: func.func @bytes(
// CHECK-NEXT: %[[Q:.*]] = qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32, 2.500000e-01:-5>>
// CHECK-NEXT: %[[Y:.*]] = qbackend.dequantize %[[Q]]
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @bytes(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %scale = arith.constant 0.25 : f64
  %zp = arith.constant -5 : i64
  %lo = arith.constant -128.0 : f32
  %hi = arith.constant 127.0 : f32
  %zp32 = arith.constant -5 : i32
  %scale32 = arith.constant 0.25 : f32
  %e8 = tensor.empty() : tensor<2x3xi8>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e8 : tensor<2x3xi8>) {
  ^bb0(%in: f32, %out: i8):
    %s = arith.truncf %scale : f64 to f32
    %z = arith.sitofp %zp : i64 to f32
    %0 = arith.divf %in, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.addf %1, %z : f32
    %3 = arith.cmpf ult, %2, %lo : f32
    %4 = arith.cmpf ugt, %2, %hi : f32
    %5 = arith.select %3, %lo, %2 : f32
    %6 = arith.select %4, %hi, %5 : f32
    %7 = arith.fptosi %6 : f32 to i8
    linalg.yield %7 : i8
  } -> tensor<2x3xi8>
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<2x3xi8>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.subi %0, %zp32 : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale32 : f32
    linalg.yield %3 : f32
  } -> tensor<2x3xf32>
  // One for each user: they are the same.
  %y2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<2x3xi8>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.subi %0, %zp32 : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale32 : f32
    linalg.yield %3 : f32
  } -> tensor<2x3xf32>
  return %y, %y2 : tensor<2x3xf32>, tensor<2x3xf32>
}

// Fake quantization in six ops, as PyTorch decomposes it.
// CHECK-LABEL: func.func @steps(
// CHECK-NEXT: qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:128>>
// CHECK-NEXT: qbackend.dequantize
// CHECK-NEXT: return
func.func @steps(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %inv = arith.constant dense<2.0> : tensor<2x3xf32>
  %scale = arith.constant dense<0.5> : tensor<2x3xf32>
  %zp = arith.constant dense<128.0> : tensor<2x3xf32>
  %lo = arith.constant dense<0.0> : tensor<2x3xf32>
  %hi = arith.constant dense<255.0> : tensor<2x3xf32>
  %0 = arith.mulf %x, %inv : tensor<2x3xf32>
  %1 = math.roundeven %0 : tensor<2x3xf32>
  %2 = arith.addf %1, %zp : tensor<2x3xf32>
  %3 = arith.maximumf %2, %lo : tensor<2x3xf32>
  %4 = arith.minimumf %3, %hi : tensor<2x3xf32>
  %5 = arith.subf %4, %zp : tensor<2x3xf32>
  %6 = arith.mulf %5, %scale : tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// TOSA's cast rounds to even, and saturates.
// CHECK-LABEL: func.func @tosa(
// CHECK-NEXT: qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:7>>
// CHECK-NEXT: qbackend.dequantize
// CHECK-NEXT: return
func.func @tosa(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %inv = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %scale = "tosa.const"() <{values = dense<0.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %zp = "tosa.const"() <{values = dense<7.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %x, %inv, %shift : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %1 = tosa.add %0, %zp : (tensor<2x3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %2 = tosa.clamp %1 {min_val = -128.0 : f32, max_val = 127.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = tosa.cast %2 : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %4 = tosa.cast %3 : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %5 = tosa.sub %4, %zp : (tensor<2x3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %6 = tosa.mul %5, %scale, %shift : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// Unsigned bytes; integers are limited before the zero point is taken off.
// CHECK-LABEL: func.func @unsigned(
// CHECK-NEXT: qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:3>>
// CHECK-NEXT: qbackend.dequantize
// CHECK-NEXT: return
func.func @unsigned(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %scale = arith.constant 0.5 : f32
  %zp = arith.constant 3 : i32
  %lo = arith.constant 0 : i32
  %hi = arith.constant 255 : i32
  %e8 = tensor.empty() : tensor<2x3xi8>
  %e = tensor.empty() : tensor<2x3xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e8 : tensor<2x3xi8>) {
  ^bb0(%in: f32, %out: i8):
    %0 = arith.divf %in, %scale : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.fptosi %1 : f32 to i32
    %3 = arith.addi %2, %zp : i32
    %4 = arith.maxsi %3, %lo : i32
    %5 = arith.minsi %4, %hi : i32
    %6 = arith.trunci %5 : i32 to i8
    linalg.yield %6 : i8
  } -> tensor<2x3xi8>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<2x3xi8>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: i8, %out: f32):
    %0 = arith.extui %in : i8 to i32
    %1 = arith.subi %0, %zp : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    linalg.yield %3 : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Weights are their integers: those that were given, with a scale for each row.
// CHECK-LABEL: func.func @weight(
// CHECK: %[[C:.*]] = arith.constant dense<{{\[}}[-128, 0, 127], [1, -1, 5]]> : tensor<2x3xi8>
// CHECK: %[[S:.*]] = quant.scast %[[C]] : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>
// CHECK: %[[W:.*]] = qbackend.dequantize %[[S]]
// CHECK: return %[[W]]
func.func @weight() -> tensor<2x3xf32> {
  %c = arith.constant dense<[[-128, 0, 127], [1, -1, 5]]> : tensor<2x3xi8>
  %scales = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %scales : tensor<2x3xi8>, tensor<2xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%in: i8, %s: f32, %out: f32):
    %0 = arith.sitofp %in : i8 to f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<2x3xf32>
  return %w : tensor<2x3xf32>
}

// Real weights are quantized at once: 0.25 and 0.75 are ties, 99 saturates.
// CHECK-LABEL: func.func @real_weight(
// CHECK: arith.constant dense<[0, 2, -7, 127]> : tensor<4xi8>
// CHECK: !quant.uniform<i8:f32, 5.000000e-01>
func.func @real_weight() -> tensor<4xf32> {
  %c = arith.constant dense<[0.25, 0.75, -3.5, 99.0]> : tensor<4xf32>
  %q = quant.qcast %c : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5>>
  %w = quant.dcast %q : tensor<4x!quant.uniform<i8:f32, 0.5>> to tensor<4xf32>
  return %w : tensor<4xf32>
}

// A bias of 32 bits is a float again.
// CHECK-LABEL: func.func @bias(
// CHECK: %[[B:.*]] = arith.constant dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK: return %[[B]]
func.func @bias() -> tensor<2xf32> {
  %c = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %q = quant.qcast %c : tensor<2xf32> to tensor<2x!quant.uniform<i32:f32, 0.001>>
  %b = quant.dcast %q : tensor<2x!quant.uniform<i32:f32, 0.001>> to tensor<2xf32>
  return %b : tensor<2xf32>
}

// Not that, but a relu6 and a product: it does not round.
// CHECK-LABEL: func.func @no_quantization(
// CHECK-NOT: qbackend.
// CHECK: return
func.func @no_quantization(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = arith.constant dense<0.166666672> : tensor<2x3xf32>
  %lo = arith.constant dense<0.0> : tensor<2x3xf32>
  %hi = arith.constant dense<6.0> : tensor<2x3xf32>
  %0 = arith.maximumf %x, %lo : tensor<2x3xf32>
  %1 = arith.minimumf %0, %hi : tensor<2x3xf32>
  %2 = arith.mulf %1, %c : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// Other limits are a clamp between two equal quantizations: [-90, 89] of 0.5 each.
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[Q:.*]] = qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK: %[[D:.*]] = qbackend.dequantize %[[Q]]
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[D]]
// CHECK: %[[LO:.*]] = arith.constant -4.500000e+01 : f32
// CHECK: %[[M:.*]] = arith.maximumf %{{.*}}, %[[LO]]
// CHECK: %[[HI:.*]] = arith.constant 4.450000e+01 : f32
// CHECK: arith.minimumf %[[M]], %[[HI]]
// CHECK: %[[Q2:.*]] = qbackend.quantize %[[C]] : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK: %[[Y:.*]] = qbackend.dequantize %[[Q2]]
// CHECK: return %[[Y]]
func.func @narrow(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %inv = arith.constant dense<2.0> : tensor<2x3xf32>
  %scale = arith.constant dense<0.5> : tensor<2x3xf32>
  %lo = arith.constant dense<-90.0> : tensor<2x3xf32>
  %hi = arith.constant dense<89.0> : tensor<2x3xf32>
  %0 = arith.mulf %x, %inv : tensor<2x3xf32>
  %1 = math.roundeven %0 : tensor<2x3xf32>
  %2 = arith.maximumf %1, %lo : tensor<2x3xf32>
  %3 = arith.minimumf %2, %hi : tensor<2x3xf32>
  %4 = arith.mulf %3, %scale : tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// Integers that go down as numbers go up are those that go up, counted from the
// other end.
// CHECK-LABEL: func.func @mirrored(
// CHECK: qbackend.quantize %arg0 : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:252>>
func.func @mirrored(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %inv = arith.constant dense<-2.0> : tensor<2x3xf32>
  %scale = arith.constant dense<-0.5> : tensor<2x3xf32>
  %zp = arith.constant dense<3.0> : tensor<2x3xf32>
  %lo = arith.constant dense<0.0> : tensor<2x3xf32>
  %hi = arith.constant dense<255.0> : tensor<2x3xf32>
  %0 = arith.mulf %x, %inv : tensor<2x3xf32>
  %1 = math.roundeven %0 : tensor<2x3xf32>
  %2 = arith.addf %1, %zp : tensor<2x3xf32>
  %3 = arith.maximumf %2, %lo : tensor<2x3xf32>
  %4 = arith.minimumf %3, %hi : tensor<2x3xf32>
  %5 = arith.subf %4, %zp : tensor<2x3xf32>
  %6 = arith.mulf %5, %scale : tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// What is fused with other code, and into a product, is taken out of it.
// CHECK-LABEL: func.func @fused(
// CHECK: %[[W:.*]] = qbackend.dequantize {{.*}} : tensor<3x4x!quant.uniform<i8:f32, 2.500000e-01>> -> tensor<3x4xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield
// CHECK: %[[Q:.*]] = qbackend.quantize %[[S]] : tensor<2x3xf32> -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK: %[[D:.*]] = qbackend.dequantize %[[Q]]
// CHECK: linalg.generic {{.*}} ins(%[[W]], %[[D]] : tensor<3x4xf32>, tensor<2x3xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield
func.func @fused(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %c = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, -12]]> : tensor<3x4xi8>
  %zero = arith.constant dense<0.0> : tensor<2x4xf32>
  %s = arith.constant 0.5 : f32
  %ws = arith.constant 0.25 : f32
  %lo = arith.constant -128.0 : f32
  %hi = arith.constant 127.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y, %c : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x4xi8>) outs(%zero : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %w: i8, %sum: f32):
    %1 = arith.sitofp %w : i8 to f32
    %2 = arith.mulf %1, %ws : f32
    %3 = arith.addf %a, %b : f32
    %4 = arith.divf %3, %s : f32
    %5 = math.roundeven %4 : f32
    %6 = arith.maximumf %5, %lo : f32
    %7 = arith.minimumf %6, %hi : f32
    %8 = arith.fptosi %7 : f32 to i8
    %9 = arith.sitofp %8 : i8 to f32
    %10 = arith.mulf %9, %s : f32
    %11 = arith.mulf %10, %2 : f32
    %12 = arith.addf %sum, %11 : f32
    linalg.yield %12 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

#image = affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>
#window = affine_map<(n, h, w, c, i, j) -> (i, j)>
#pixel = affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>

// Fusion puts what quantizes into the pool, whose window nothing reads but the
// op's loops.

// CHECK-LABEL: func.func @fused_into_pool(
// CHECK: %[[Q:.*]] = qbackend.quantize %{{[^ ]*}} : tensor<1x4x4x2xf32> -> tensor<1x4x4x2x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK: %[[X:.*]] = qbackend.dequantize %[[Q]]
// CHECK: linalg.generic {{.*}} ins(%[[X]]{{.*}}tensor<2x2xf32>
func.func @fused_into_pool(%x: tensor<1x4x4x2xf32>, %init: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %w = tensor.empty() : tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [#image, #window, #pixel], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x4x4x2xf32>, tensor<2x2xf32>) outs(%init : tensor<1x2x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.constant 0.5 : f32
    %lo = arith.constant -128.0 : f32
    %hi = arith.constant 127.0 : f32
    %0 = arith.divf %a, %s : f32
    %1 = math.roundeven %0 : f32
    %2 = arith.maximumf %1, %lo : f32
    %3 = arith.minimumf %2, %hi : f32
    %4 = arith.mulf %3, %s : f32
    %5 = arith.maximumf %o, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// A sum with a number that leaves no bits for fractions rounds to the nearest
// integer, too.

// CHECK-LABEL: func.func @rounded_by_a_sum(
// CHECK: qbackend.quantize %arg0 : tensor<4xf32> -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
func.func @rounded_by_a_sum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inv = arith.constant dense<2.0> : tensor<4xf32>
  %scale = arith.constant dense<0.5> : tensor<4xf32>
  %large = arith.constant dense<12582912.0> : tensor<4xf32>
  %lo = arith.constant dense<-128.0> : tensor<4xf32>
  %hi = arith.constant dense<127.0> : tensor<4xf32>
  %0 = arith.mulf %x, %inv : tensor<4xf32>
  %1 = arith.maximumf %0, %lo : tensor<4xf32>
  %2 = arith.minimumf %1, %hi : tensor<4xf32>
  %3 = arith.addf %2, %large : tensor<4xf32>
  %4 = arith.subf %3, %large : tensor<4xf32>
  %5 = arith.mulf %4, %scale : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// What fusion has put in front of the quantization of a constant is constant.
// CHECK-LABEL: func.func @scaled_weight
// CHECK: %[[Q:.*]] = arith.constant dense<{{\[\[}}2, 4], [12, -16]]> : tensor<2x2xi8>
// CHECK: quant.scast %[[Q]]
// CHECK-NOT: qbackend.quantize
func.func @scaled_weight() -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, -4.0]]> : tensor<2x2xf32>
  %f = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = arith.constant 0.5 : f32
  %lo = arith.constant -128.0 : f32
  %hi = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%w, %f : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.divf %1, %s : f32
    %3 = math.roundeven %2 : f32
    %4 = arith.maximumf %3, %lo : f32
    %5 = arith.minimumf %4, %hi : f32
    %6 = arith.mulf %5, %s : f32
    linalg.yield %6 : f32
  } -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
