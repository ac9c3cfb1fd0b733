// RUN: qbackend-opt %s -qbackend-generate-kernels="target-triple=x86_64-linux-gnu target-cpu=cascadelake" | FileCheck %s

memref.global "private" constant @d : memref<64x3x3x1xi8> = dense<0>
memref.global "private" constant @b : memref<64xi32> = dense<0>
memref.global "private" constant @m : memref<64xf32> = dense<0.5>

// Columns outside of the image are its zero point, in the first and the last tile, so that
// nothing is copied; a part of a buffer is one that begins there.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: int8_copy_image
// CHECK: %[[PART:.*]] = memref.view %{{.*}}[%c1280{{.*}}][] : memref<6400xi8> to memref<3840xi8>
// CHECK: call @[[COLUMNS:int8_conv2d]](%{{.*}}, %[[PART]],
// CHECK: func.func private @[[COLUMNS]](%{{[^:]*}}: memref<6400xi8>, {{.*}}: memref<3840xi8>, %[[PAD:[^:]*]]: i8,
// CHECK: scf.for
// CHECK: vector.broadcast %[[PAD]] : i8 to vector<64xi8>
// CHECK: scf.for %{{.*}} = %{{.*}} to %c10{{.*}} step %c5
// CHECK-NOT: vector.broadcast %[[PAD]]
// CHECK: {{^ *}}}
// CHECK: vector.broadcast %[[PAD]] : i8 to vector<64xi8>
func.func @columns(%x: memref<1x5x20x64xi8>, %room: memref<1x5x20x64xi8>) {
  %w = memref.get_global @d : memref<64x3x3x1xi8>
  %b = memref.get_global @b : memref<64xi32>
  %m = memref.get_global @m : memref<64xf32>
  %y = memref.subview %room[0, 1, 0, 0] [1, 3, 20, 64] [1, 1, 1, 1] : memref<1x5x20x64xi8> to memref<1x3x20x64xi8, strided<[6400, 1280, 64, 1], offset: 1280>>
  int8.conv2d(%x, %w, %b, %m) into %y {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 1>, dilation = array<i64: 1, 1>, groups = 64 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 7, lo = 0, hi = 255, overflow = 255>}
    : (memref<1x5x20x64xi8>, memref<64x3x3x1xi8>, memref<64xi32>, memref<64xf32>) into memref<1x3x20x64xi8, strided<[6400, 1280, 64, 1], offset: 1280>>
  return
}
