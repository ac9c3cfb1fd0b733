// RUN: qbackend-opt %s -split-input-file -qbackend-vectorize="target-triple=x86_64-linux-gnu target-cpu=x86-64-v3" | FileCheck %s
// RUN: qbackend-opt %s -split-input-file -qbackend-vectorize="target-triple=x86_64-linux-gnu target-features=+avx512f" | FileCheck %s --check-prefix=WIDE
// RUN: qbackend-opt %s -split-input-file -qbackend-vectorize="target-triple=aarch64-linux-gnu" | FileCheck %s --check-prefix=NARROW

// What the target has is the length of a vector.
// CHECK-LABEL: func.func @add
// CHECK: scf.for
// CHECK: vector.load {{.*}} vector<8xf32>
// CHECK-NOT: linalg
// WIDE-LABEL: func.func @add
// WIDE: vector.load {{.*}} vector<16xf32>
// NARROW-LABEL: func.func @add
// NARROW: vector.load {{.*}} vector<4xf32>
func.func @add(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.add ins(%x, %x : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// The weight is stored in the order of the tiles: the columns are the lanes.
// CHECK-LABEL: func.func @linear
// CHECK: %[[W:.*]] = memref.get_global @qbackend_packed : memref<24xf32>
// CHECK: vector.load %[[W]]
// CHECK: memref.global "private" constant @qbackend_packed : memref<24xf32>
// CHECK-SAME: dense<[0.{{0*e?[+0]*}}, 3.{{[0e+]*}}, 6.{{[0e+]*}}, 9.{{[0e+]*}}, 1.200000e+01, 1.500000e+01, 1.800000e+01, 2.100000e+01, 1.{{[0e+]*}}, 4.
// CHECK-SAME: alignment = 64
memref.global "private" constant @weight : memref<8x3xf32> = dense<[
  [0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0],
  [12.0, 13.0, 14.0], [15.0, 16.0, 17.0], [18.0, 19.0, 20.0], [21.0, 22.0, 23.0]]>
func.func @linear(%x: memref<2x3xf32>, %y: memref<2x8xf32>) {
  %w = memref.get_global @weight : memref<8x3xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<2x3xf32>, memref<8x3xf32>) outs(%y : memref<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// A lane behind the end could divide by zero.
// CHECK-LABEL: func.func @divide
// CHECK: linalg.generic
func.func @divide(%x: memref<5xi32>, %y: memref<5xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<5xi32>) outs(%y : memref<5xi32>) {
  ^bb0(%a: i32, %b: i32):
    %q = arith.divsi %b, %a : i32
    linalg.yield %q : i32
  }
  return
}

// -----

// More iterations than a machine can count stay, too.
// CHECK-LABEL: func.func @endless
// CHECK: linalg.add
func.func @endless(%x: memref<4294967296x4294967296xf32>) {
  linalg.add ins(%x, %x : memref<4294967296x4294967296xf32>, memref<4294967296x4294967296xf32>) outs(%x : memref<4294967296x4294967296xf32>)
  return
}

// -----

// Products of a matrix product are contracted on demand, those of other sums never.
// RUN: qbackend-opt %s -split-input-file -qbackend-vectorize="target-triple=x86_64-linux-gnu target-cpu=x86-64-v3 contract" | FileCheck %s --check-prefix=CONTRACT
// CHECK-LABEL: func.func @contracted
// CHECK-NOT: fastmath
// CONTRACT-LABEL: func.func @contracted
// CONTRACT: arith.mulf %{{.*}} fastmath<contract>
// CONTRACT: arith.addf %{{.*}} fastmath<contract>
func.func @contracted(%x: memref<4x16xf32>, %w: memref<16x8xf32>, %y: memref<4x8xf32>) {
  linalg.matmul ins(%x, %w : memref<4x16xf32>, memref<16x8xf32>) outs(%y : memref<4x8xf32>)
  return
}
// CONTRACT-LABEL: func.func @squares
// CONTRACT-NOT: fastmath
// CONTRACT: return
func.func @squares(%x: memref<4x16xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x16xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %p = arith.mulf %a, %a : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// A bias and a relu are computed on the tile: nothing is in the buffer between.
// CHECK-LABEL: func.func @stages(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x16xf32>, %[[W:[^:]*]]: memref<16x8xf32>, %[[B:[^:]*]]: memref<8xf32>, %[[Y:[^:]*]]: memref<4x8xf32>
// CHECK: %[[S:.*]] = memref.alloc
// CHECK-NOT: memref.reinterpret_cast %[[S]]
// CHECK: %[[TO:.*]] = memref.reinterpret_cast %[[Y]]
// CHECK-NOT: memref.reinterpret_cast %[[S]]
// CHECK: %[[BIAS:.*]] = vector.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[BIAS]]
// CHECK: arith.maximumf
// CHECK: vector.store %{{.*}}, %[[TO]]
// CHECK-NOT: scf.for
// CHECK: return
#rows = affine_map<(m, n) -> (m, n)>
func.func @stages(%x: memref<4x16xf32>, %w: memref<16x8xf32>, %b: memref<8xf32>, %y: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4x8xf32>
  linalg.broadcast ins(%b : memref<8xf32>) outs(%s : memref<4x8xf32>) dimensions = [0]
  linalg.matmul ins(%x, %w : memref<4x16xf32>, memref<16x8xf32>) outs(%s : memref<4x8xf32>)
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  }
  memref.dealloc %s : memref<4x8xf32>
  return
}

// -----

// Sums in parts begin with the bias in the first part, and end in the last.
// CHECK-LABEL: func.func @parts(
// CHECK: arith.cmpi eq, %[[PART:.*]], %c0
// CHECK: scf.if
// CHECK: arith.cmpi eq, %[[PART]], %c
// CHECK: scf.if
// CHECK: arith.maximumf
// CHECK: else
#rows = affine_map<(m, n) -> (m, n)>
func.func @parts(%x: memref<64x4096xf32>, %w: memref<4096x64xf32>, %b: memref<64xf32>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.broadcast ins(%b : memref<64xf32>) outs(%y : memref<64x64xf32>) dimensions = [0]
  linalg.matmul ins(%x, %w : memref<64x4096xf32>, memref<4096x64xf32>) outs(%y : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// Not if somebody else reads the sums, if memory is touched between, or where
// the result takes the place of what other tiles still read.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-3: memref.reinterpret_cast %[[S:alloc]] to
// CHECK: memref.copy
// CHECK-LABEL: func.func @between(
// CHECK-COUNT-3: memref.reinterpret_cast %[[S:alloc]] to
// CHECK: memref.dealloc
// CHECK-LABEL: func.func @overlap(
// CHECK-COUNT-2: memref.reinterpret_cast %[[S:alloc]] to
// CHECK: memref.dealloc
func.func private @clock()
func.func @apart(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %z: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<4x4xf32>)
  func.call @clock() : () -> ()
  linalg.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%s : memref<4x4xf32>)
  linalg.exp ins(%s : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  memref.copy %s, %z : memref<4x4xf32> to memref<4x4xf32>
  memref.dealloc %s : memref<4x4xf32>
  return
}
func.func @between(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<4x4xf32>)
  func.call @clock() : () -> ()
  linalg.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%s : memref<4x4xf32>)
  func.call @clock() : () -> ()
  linalg.exp ins(%s : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  memref.dealloc %s : memref<4x4xf32>
  return
}
func.func @overlap(%x: memref<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<4x4xf32>)
  linalg.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%s : memref<4x4xf32>)
  linalg.exp ins(%s : memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  memref.dealloc %s : memref<4x4xf32>
  return
}

// -----

// A tile has several filters of the pixels in its vectors, not several rows of
// pixels: a vector of pixels is loaded once for 6 products.
// CHECK-LABEL: func.func @filters(
// CHECK: scf.for {{.*}} to %c30{{.*}} step %c1
// CHECK: scf.for {{.*}} to %c12{{.*}} step %c6
#x = affine_map<(f, h, w, c) -> (c, h, w)>
#w = affine_map<(f, h, w, c) -> (c, f)>
#y = affine_map<(f, h, w, c) -> (f, h, w)>
func.func @filters(%x: memref<20x30x64xf32>, %w: memref<20x12xf32>, %y: memref<12x30x64xf32, strided<[2112, 66, 1]>>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<20x30x64xf32>, memref<20x12xf32>) outs(%y : memref<12x30x64xf32, strided<[2112, 66, 1]>>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// A place that no machine has stays, too.
// CHECK-LABEL: func.func @far
// CHECK: linalg.generic
func.func @far(%x: memref<13x9223372036854775807xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (4 * i, 0)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<13x9223372036854775807xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Three planes side by side: three vectors are interleaved, and stored as one run.
// CHECK-LABEL: func.func @interleave
// CHECK-COUNT-3: vector.load
// CHECK: vector.shuffle
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.scatter
func.func @interleave(%x: memref<3x640xi8>, %y: memref<640x3xi8>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x640xi8>) outs(%y : memref<640x3xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}

// CHECK-LABEL: func.func @take_apart
// CHECK-COUNT-3: vector.load
// CHECK: vector.shuffle
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.gather
func.func @take_apart(%x: memref<640x3xi8>, %y: memref<3x640xi8>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<640x3xi8>) outs(%y : memref<3x640xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}

// A run with something between its groups is none.
// CHECK-LABEL: func.func @apart
// CHECK: vector.scatter
func.func @apart(%x: memref<3x640xi8>, %y: memref<640x3xi8, strided<[4, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x640xi8>) outs(%y : memref<640x3xi8, strided<[4, 1]>>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}

// A last lane alone is a number: LLVM stores all of its wide form otherwise.
// CHECK-LABEL: func.func @one_lane_left
// CHECK: vector.store
// CHECK: %[[LAST:.*]] = vector.extract %{{.*}}[0] : i8 from vector<{{.*}}xi8>
// CHECK: memref.store %[[LAST]]
// CHECK-NOT: vector.maskedstore
// CHECK: return
func.func @one_lane_left(%x: memref<257xi32>, %y: memref<257xi8>) {
  linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x : memref<257xi32>) outs(%y : memref<257xi8>) {
  ^bb0(%a: i32, %b: i8):
    %r = arith.trunci %a : i32 to i8
    linalg.yield %r : i8
  }
  return
}
