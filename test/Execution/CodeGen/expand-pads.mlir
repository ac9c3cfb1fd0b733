// RUN: qbackend-opt %s -split-input-file -qbackend-expand-pads | FileCheck %s

// The relu writes between the borders: of rows above and below, and of columns
// beside what is between these.
// CHECK-LABEL: func.func @image(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x4x25xf32>
// CHECK: %[[E:.*]] = bufferization.alloc_tensor() : tensor<1x2x7x28xf32>
// CHECK: %[[TOP:.*]] = tensor.extract_slice %[[E]][0, 0, 0, 0] [1, 2, 1, 28] [1, 1, 1, 1]
// CHECK: %[[T:.*]] = linalg.fill ins(%[[P:.*]] : f32) outs(%[[TOP]]
// CHECK: %[[I1:.*]] = tensor.insert_slice %[[T]] into %[[E]][0, 0, 0, 0] [1, 2, 1, 28]
// CHECK: tensor.extract_slice %[[I1]][0, 0, 5, 0] [1, 2, 2, 28]
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1, 0] [1, 2, 4, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1, 26] [1, 2, 4, 2]
// CHECK: %[[BORDERS:.*]] = tensor.insert_slice {{.*}}[0, 0, 1, 26] [1, 2, 4, 2]
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[BORDERS]][0, 0, 1, 1] [1, 2, 4, 25]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} outs(%[[PLACE]]
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[R]] into %[[BORDERS]][0, 0, 1, 1] [1, 2, 4, 25]
// CHECK: return %[[Y]], %[[R]]
// CHECK-NOT: tensor.pad
#map = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @image(%x: tensor<1x2x4x25xf32>) -> (tensor<1x2x7x28xf32>, tensor<1x2x4x25xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x4x25xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x2x4x25xf32>) outs(%e : tensor<1x2x4x25xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x2x4x25xf32>
  %p = tensor.pad %r low[0, 0, 1, 1] high[0, 0, 2, 2] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x2x4x25xf32> to tensor<1x2x7x28xf32>
  return %p, %r : tensor<1x2x7x28xf32>, tensor<1x2x4x25xf32>
}

// -----

// A sum begins in what is between the borders; an argument is copied there.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[W:.*]]: tensor<6x25xf32>
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %{{.*}}[0, 1] [4, 25]
// CHECK: %[[F:.*]] = linalg.fill {{.*}} outs(%[[PLACE]]
// CHECK: %[[R:.*]] = linalg.matmul {{.*}} outs(%[[F]]
// CHECK: tensor.insert_slice %[[R]] into %{{.*}}[0, 1] [4, 25]
// CHECK: tensor.insert_slice %[[X]] into %{{.*}}[0, 0] [4, 6]
// CHECK-NOT: tensor.pad
func.func @sum(%x: tensor<4x6xf32>, %w: tensor<6x25xf32>) -> (tensor<4x26xf32>, tensor<4x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x25xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x25xf32>) -> tensor<4x25xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x25xf32>) outs(%f : tensor<4x25xf32>) -> tensor<4x25xf32>
  %p = tensor.pad %r low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x25xf32> to tensor<4x26xf32>
  %q = tensor.pad %x low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<4x7xf32>
  return %p, %q : tensor<4x26xf32>, tensor<4x7xf32>
}

// -----

// Extents that aren't known, values that differ and cropping stay.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-3: tensor.pad
func.func @stays(%x: tensor<4x?xf32>, %y: tensor<4xi64>, %z: tensor<4xf32>) -> (tensor<6x?xf32>, tensor<6xi64>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x?xf32> to tensor<6x?xf32>
  %q = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i64
    tensor.yield %n : i64
  } : tensor<4xi64> to tensor<6xi64>
  %r = tensor.pad %z low[-1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<3xf32>
  return %p, %q, %r : tensor<6x?xf32>, tensor<6xi64>, tensor<3xf32>
}

// -----

// Rows of fewer elements than vectors like are computed in one piece, and copied.
// CHECK-LABEL: func.func @short(
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8x7xf32>
// CHECK: linalg.exp {{.*}} outs(%[[E]]
// CHECK: tensor.insert_slice
func.func @short(%x: tensor<8x7xf32>) -> tensor<8x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x7xf32>
  %r = linalg.exp ins(%x : tensor<8x7xf32>) outs(%e : tensor<8x7xf32>) -> tensor<8x7xf32>
  %p = tensor.pad %r low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x7xf32> to tensor<8x9xf32>
  return %p : tensor<8x9xf32>
}

// -----

// What is padded with is there before the borders are: a constant wherever it
// stood, other values where the op that computes the image comes later.
// CHECK-LABEL: func.func @later(
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: linalg.fill ins(%[[ONE]]
// CHECK: linalg.exp
// CHECK: %[[V:.*]] = tensor.extract
// CHECK: linalg.fill ins(%[[V]]
func.func @later(%x: tensor<8x32xf32>, %v: tensor<f32>) -> (tensor<8x33xf32>, tensor<8x33xf32>) {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = linalg.exp ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = tensor.pad %r low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<8x32xf32> to tensor<8x33xf32>
  %s = linalg.log ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %u = tensor.extract %v[] : tensor<f32>
  %q = tensor.pad %s low[0, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %u : f32
  } : tensor<8x32xf32> to tensor<8x33xf32>
  return %p, %q : tensor<8x33xf32>, tensor<8x33xf32>
}

// -----

// A layer of bytes writes between the borders, too, with what it adds up.
// CHECK-LABEL: func.func @layer(
// CHECK: %[[E:.*]] = bufferization.alloc_tensor() : tensor<1x6x3x16xi8>
// CHECK: tensor.insert_slice %{{.*}} into %[[E]][0, 0, 0, 0] [1, 1, 3, 16]
// CHECK: %[[BORDERS:.*]] = tensor.insert_slice {{.*}}[0, 5, 0, 0] [1, 1, 3, 16]
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[BORDERS]][0, 1, 0, 0] [1, 4, 3, 16]
// CHECK: %[[Y:.*]] = int8.conv2d({{.*}}) into %[[PLACE]]
// CHECK: tensor.insert_slice %[[Y]] into %[[BORDERS]][0, 1, 0, 0] [1, 4, 3, 16]
func.func @layer(%x: tensor<1x4x3x16xi8>, %w: tensor<16x1x1x16xi8>, %b: tensor<16xi32>, %m: tensor<16xf32>) -> tensor<1x6x3x16xi8> {
  %three = arith.constant 3 : i8
  %e = tensor.empty() : tensor<1x4x3x16xi8>
  %y = int8.conv2d(%x, %w, %b, %m) into %e {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>} : (tensor<1x4x3x16xi8>, tensor<16x1x1x16xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x3x16xi8> -> tensor<1x4x3x16xi8>
  %p = tensor.pad %y low[0, 1, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %three : i8
  } : tensor<1x4x3x16xi8> to tensor<1x6x3x16xi8>
  return %p : tensor<1x6x3x16xi8>
}
