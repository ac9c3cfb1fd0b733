// RUN: qbackend-opt %s -qbackend-fuse-elementwise | FileCheck %s

// CHECK-DAG: #[[$SAME:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$ACROSS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>

#all = affine_map<(n, k) -> (n, k)>
#row = affine_map<(n, k) -> (n)>
#one = affine_map<(n) -> (n)>

// A root for each row, not for each of its elements.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: math.sqrt
// CHECK: return
func.func @rows(%x: tensor<4x96xf32>, %v: tensor<4xf32>) -> tensor<4x96xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x96xf32>, tensor<4xf32>) outs(%f : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x96xf32>
  return %1 : tensor<4x96xf32>
}

// What is as fast as a load goes with what reads it.
// CHECK-LABEL: func.func @fast_rows
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @fast_rows(%x: tensor<4x96xf32>, %v: tensor<4xf32>) -> tensor<4x96xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<4x96xf32>, tensor<4xf32>) outs(%f : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x96xf32>
  return %1 : tensor<4x96xf32>
}

// Each element has its own root; an extent of 1 is read once.
// CHECK-LABEL: func.func @elements
// CHECK-COUNT-1: linalg.generic
// CHECK: math.sqrt
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @elements(%x: tensor<1x96xf32>, %v: tensor<96xf32>) -> tensor<1x96xf32> {
  %e = tensor.empty() : tensor<96xf32>
  %0 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%v : tensor<96xf32>) outs(%e : tensor<96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<96xf32>
  %f = tensor.empty() : tensor<1x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, affine_map<(n, k) -> (k)>, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<1x96xf32>, tensor<96xf32>) outs(%f : tensor<1x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<1x96xf32>
  return %1 : tensor<1x96xf32>
}

#image = affine_map<(a, b, c, d) -> (a, b, c, d)>
#first = affine_map<(a, b, c, d) -> (b)>

// What is between a transpose and its inverse reads what was transposed; the
// channels that it reads are the last dimension there.
// CHECK-LABEL: func.func @undone
// CHECK-SAME: %[[X:.*]]: tensor<2x5x6x7xf32>, %[[V:.*]]: tensor<7xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[$SAME]], #[[$LAST]], #[[$SAME]]]
// CHECK-SAME: ins(%[[X]], %[[V]] : tensor<2x5x6x7xf32>, tensor<7xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @undone(%x: tensor<2x5x6x7xf32>, %v: tensor<7xf32>) -> tensor<2x5x6x7xf32> {
  %e = tensor.empty() : tensor<2x7x5x6xf32>
  %0 = linalg.transpose ins(%x : tensor<2x5x6x7xf32>) outs(%e : tensor<2x7x5x6xf32>) permutation = [0, 3, 1, 2]
  %1 = linalg.generic {indexing_maps = [#image, #first, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %v : tensor<2x7x5x6xf32>, tensor<7xf32>) outs(%e : tensor<2x7x5x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x7x5x6xf32>
  %f = tensor.empty() : tensor<2x5x6x7xf32>
  %2 = linalg.transpose ins(%1 : tensor<2x7x5x6xf32>) outs(%f : tensor<2x5x6x7xf32>) permutation = [0, 2, 3, 1]
  return %2 : tensor<2x5x6x7xf32>
}

// The same permutation twice is none that undoes the first, which is read across.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: %[[X:.*]]: tensor<4x4x4xf32>
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[$ACROSS]], #{{.*}}]{{.*}} ins(%[[X]] :
// CHECK: linalg.transpose
func.func @twice(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %e = tensor.empty() : tensor<4x4x4xf32>
  %0 = linalg.transpose ins(%x : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) permutation = [2, 0, 1]
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x4x4xf32>
  %2 = linalg.transpose ins(%1 : tensor<4x4x4xf32>) outs(%e : tensor<4x4x4xf32>) permutation = [2, 0, 1]
  return %2 : tensor<4x4x4xf32>
}

// Another image would be read across its rows, and who else reads the result
// wants it as it is.
// CHECK-LABEL: func.func @another
// CHECK: linalg.generic
// CHECK: linalg.transpose
func.func @another(%x: tensor<5x7xf32>, %y: tensor<7x5xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%0, %y : tensor<7x5xf32>, tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<7x5xf32>
  %f = tensor.empty() : tensor<5x7xf32>
  %2 = linalg.transpose ins(%1 : tensor<7x5xf32>) outs(%f : tensor<5x7xf32>) permutation = [1, 0]
  return %2 : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @two_readers
// CHECK: linalg.generic
// CHECK: linalg.transpose
func.func @two_readers(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<7x5xf32>
  %f = tensor.empty() : tensor<5x7xf32>
  %2 = linalg.transpose ins(%1 : tensor<7x5xf32>) outs(%f : tensor<5x7xf32>) permutation = [1, 0]
  return %2, %1 : tensor<5x7xf32>, tensor<7x5xf32>
}

// Who else reads what was transposed needs it, and so does a sum.
// CHECK-LABEL: func.func @needed
// CHECK: linalg.transpose
// CHECK: linalg.generic
// CHECK: linalg.transpose
// CHECK: linalg.matvec
func.func @needed(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>, %v: tensor<5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.transpose ins(%x : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<7x5xf32>
  %2 = linalg.transpose ins(%y : tensor<5x7xf32>) outs(%e : tensor<7x5xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<7xf32>
  %3 = linalg.matvec ins(%2, %v : tensor<7x5xf32>, tensor<5xf32>) outs(%f : tensor<7xf32>) -> tensor<7xf32>
  return %0, %1, %3 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7xf32>
}

// Two loops of 60 ops each stay two: of one, they would be a long block.
// CHECK-LABEL: func.func @long
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @long(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %f = tensor.empty() : tensor<4x96xf32>
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x96xf32>) outs(%f : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r0 = arith.addf %a, %a : f32
    %r1 = arith.addf %r0, %a : f32
    %r2 = arith.addf %r1, %a : f32
    %r3 = arith.addf %r2, %a : f32
    %r4 = arith.addf %r3, %a : f32
    %r5 = arith.addf %r4, %a : f32
    %r6 = arith.addf %r5, %a : f32
    %r7 = arith.addf %r6, %a : f32
    %r8 = arith.addf %r7, %a : f32
    %r9 = arith.addf %r8, %a : f32
    %r10 = arith.addf %r9, %a : f32
    %r11 = arith.addf %r10, %a : f32
    %r12 = arith.addf %r11, %a : f32
    %r13 = arith.addf %r12, %a : f32
    %r14 = arith.addf %r13, %a : f32
    %r15 = arith.addf %r14, %a : f32
    %r16 = arith.addf %r15, %a : f32
    %r17 = arith.addf %r16, %a : f32
    %r18 = arith.addf %r17, %a : f32
    %r19 = arith.addf %r18, %a : f32
    %r20 = arith.addf %r19, %a : f32
    %r21 = arith.addf %r20, %a : f32
    %r22 = arith.addf %r21, %a : f32
    %r23 = arith.addf %r22, %a : f32
    %r24 = arith.addf %r23, %a : f32
    %r25 = arith.addf %r24, %a : f32
    %r26 = arith.addf %r25, %a : f32
    %r27 = arith.addf %r26, %a : f32
    %r28 = arith.addf %r27, %a : f32
    %r29 = arith.addf %r28, %a : f32
    %r30 = arith.addf %r29, %a : f32
    %r31 = arith.addf %r30, %a : f32
    %r32 = arith.addf %r31, %a : f32
    %r33 = arith.addf %r32, %a : f32
    %r34 = arith.addf %r33, %a : f32
    %r35 = arith.addf %r34, %a : f32
    %r36 = arith.addf %r35, %a : f32
    %r37 = arith.addf %r36, %a : f32
    %r38 = arith.addf %r37, %a : f32
    %r39 = arith.addf %r38, %a : f32
    %r40 = arith.addf %r39, %a : f32
    %r41 = arith.addf %r40, %a : f32
    %r42 = arith.addf %r41, %a : f32
    %r43 = arith.addf %r42, %a : f32
    %r44 = arith.addf %r43, %a : f32
    %r45 = arith.addf %r44, %a : f32
    %r46 = arith.addf %r45, %a : f32
    %r47 = arith.addf %r46, %a : f32
    %r48 = arith.addf %r47, %a : f32
    %r49 = arith.addf %r48, %a : f32
    %r50 = arith.addf %r49, %a : f32
    %r51 = arith.addf %r50, %a : f32
    %r52 = arith.addf %r51, %a : f32
    %r53 = arith.addf %r52, %a : f32
    %r54 = arith.addf %r53, %a : f32
    %r55 = arith.addf %r54, %a : f32
    %r56 = arith.addf %r55, %a : f32
    %r57 = arith.addf %r56, %a : f32
    %r58 = arith.addf %r57, %a : f32
    %r59 = arith.addf %r58, %a : f32
    linalg.yield %r59 : f32
  } -> tensor<4x96xf32>
  %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x96xf32>) outs(%f : tensor<4x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r0 = arith.addf %a, %a : f32
    %r1 = arith.addf %r0, %a : f32
    %r2 = arith.addf %r1, %a : f32
    %r3 = arith.addf %r2, %a : f32
    %r4 = arith.addf %r3, %a : f32
    %r5 = arith.addf %r4, %a : f32
    %r6 = arith.addf %r5, %a : f32
    %r7 = arith.addf %r6, %a : f32
    %r8 = arith.addf %r7, %a : f32
    %r9 = arith.addf %r8, %a : f32
    %r10 = arith.addf %r9, %a : f32
    %r11 = arith.addf %r10, %a : f32
    %r12 = arith.addf %r11, %a : f32
    %r13 = arith.addf %r12, %a : f32
    %r14 = arith.addf %r13, %a : f32
    %r15 = arith.addf %r14, %a : f32
    %r16 = arith.addf %r15, %a : f32
    %r17 = arith.addf %r16, %a : f32
    %r18 = arith.addf %r17, %a : f32
    %r19 = arith.addf %r18, %a : f32
    %r20 = arith.addf %r19, %a : f32
    %r21 = arith.addf %r20, %a : f32
    %r22 = arith.addf %r21, %a : f32
    %r23 = arith.addf %r22, %a : f32
    %r24 = arith.addf %r23, %a : f32
    %r25 = arith.addf %r24, %a : f32
    %r26 = arith.addf %r25, %a : f32
    %r27 = arith.addf %r26, %a : f32
    %r28 = arith.addf %r27, %a : f32
    %r29 = arith.addf %r28, %a : f32
    %r30 = arith.addf %r29, %a : f32
    %r31 = arith.addf %r30, %a : f32
    %r32 = arith.addf %r31, %a : f32
    %r33 = arith.addf %r32, %a : f32
    %r34 = arith.addf %r33, %a : f32
    %r35 = arith.addf %r34, %a : f32
    %r36 = arith.addf %r35, %a : f32
    %r37 = arith.addf %r36, %a : f32
    %r38 = arith.addf %r37, %a : f32
    %r39 = arith.addf %r38, %a : f32
    %r40 = arith.addf %r39, %a : f32
    %r41 = arith.addf %r40, %a : f32
    %r42 = arith.addf %r41, %a : f32
    %r43 = arith.addf %r42, %a : f32
    %r44 = arith.addf %r43, %a : f32
    %r45 = arith.addf %r44, %a : f32
    %r46 = arith.addf %r45, %a : f32
    %r47 = arith.addf %r46, %a : f32
    %r48 = arith.addf %r47, %a : f32
    %r49 = arith.addf %r48, %a : f32
    %r50 = arith.addf %r49, %a : f32
    %r51 = arith.addf %r50, %a : f32
    %r52 = arith.addf %r51, %a : f32
    %r53 = arith.addf %r52, %a : f32
    %r54 = arith.addf %r53, %a : f32
    %r55 = arith.addf %r54, %a : f32
    %r56 = arith.addf %r55, %a : f32
    %r57 = arith.addf %r56, %a : f32
    %r58 = arith.addf %r57, %a : f32
    %r59 = arith.addf %r58, %a : f32
    linalg.yield %r59 : f32
  } -> tensor<4x96xf32>
  return %1 : tensor<4x96xf32>
}

#rows = affine_map<(d0, d1) -> (d0, d1)>
#repeated = affine_map<(d0, d1) -> (0, d1)>

// A sum of bytes extends them itself, and nothing is written for it; that of
// integers as wide as it reads them.
// CHECK-LABEL: func.func @sums
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<48x16xi32>)
// CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<48x16xi32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<48x16xi8>) outs(%{{.*}} : tensor<16xi32>)
// CHECK: arith.extsi
// CHECK: arith.addi
// CHECK: return
func.func @sums(%x: tensor<48x16xi8>, %y: tensor<48x16xi32>) -> (tensor<16xi32>, tensor<16xi32>) {
  %e = tensor.empty() : tensor<48x16xi32>
  %0 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<48x16xi8>) outs(%e : tensor<48x16xi32>) {
  ^bb0(%a: i8, %b: i32):
    %r = arith.extsi %a : i8 to i32
    linalg.yield %r : i32
  } -> tensor<48x16xi32>
  %1 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<48x16xi32>) outs(%e : tensor<48x16xi32>) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %a : i32
    linalg.yield %r : i32
  } -> tensor<48x16xi32>
  %z = arith.constant dense<0> : tensor<16xi32>
  %wide = linalg.reduce { arith.addi } ins(%1 : tensor<48x16xi32>) outs(%z : tensor<16xi32>) dimensions = [0]
  %narrow = linalg.reduce { arith.addi } ins(%0 : tensor<48x16xi32>) outs(%z : tensor<16xi32>) dimensions = [0]
  return %narrow, %wide : tensor<16xi32>, tensor<16xi32>
}

// A byte is looked up once for each channel, not for each pixel.
// CHECK-LABEL: func.func @looked_up
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xi8>)
// CHECK: tensor.extract
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<48x16xi8>, tensor<1x16xi8>)
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @looked_up(%x: tensor<48x16xi8>, %s: tensor<1x16xi8>, %table: tensor<256xi8>) -> tensor<48x16xi8> {
  %e = tensor.empty() : tensor<1x16xi8>
  %0 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<1x16xi8>) outs(%e : tensor<1x16xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %r = tensor.extract %table[%i] : tensor<256xi8>
    linalg.yield %r : i8
  } -> tensor<1x16xi8>
  %f = tensor.empty() : tensor<48x16xi8>
  %1 = linalg.generic {indexing_maps = [#rows, #repeated, #rows], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<48x16xi8>, tensor<1x16xi8>) outs(%f : tensor<48x16xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %r = arith.addi %a, %b : i8
    linalg.yield %r : i8
  } -> tensor<48x16xi8>
  return %1 : tensor<48x16xi8>
}
