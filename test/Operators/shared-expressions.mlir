// Values that are read twice each, 2^40 times as a tree, of a constant and of the
// input: no time, and what reads the loop is an operator.
// RUN: qbackend-opt --qbackend-print-operators %s | FileCheck %s

// CHECK: 0: linalg.generic
// CHECK-NEXT: 1: linalg.generic
// CHECK-NEXT: 2: add [4] <- 0, 1
// CHECK-NEXT: 3: tanh [4] <- 2

#id = affine_map<(a, b) -> (a, b)>
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %c = arith.constant 0.5 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p0 = arith.addf %a, %c : f32
    %r0 = arith.mulf %a, %p0 : f32
    %p1 = arith.addf %r0, %c : f32
    %r1 = arith.mulf %r0, %p1 : f32
    %p2 = arith.addf %r1, %c : f32
    %r2 = arith.mulf %r1, %p2 : f32
    %p3 = arith.addf %r2, %c : f32
    %r3 = arith.mulf %r2, %p3 : f32
    %p4 = arith.addf %r3, %c : f32
    %r4 = arith.mulf %r3, %p4 : f32
    %p5 = arith.addf %r4, %c : f32
    %r5 = arith.mulf %r4, %p5 : f32
    %p6 = arith.addf %r5, %c : f32
    %r6 = arith.mulf %r5, %p6 : f32
    %p7 = arith.addf %r6, %c : f32
    %r7 = arith.mulf %r6, %p7 : f32
    %p8 = arith.addf %r7, %c : f32
    %r8 = arith.mulf %r7, %p8 : f32
    %p9 = arith.addf %r8, %c : f32
    %r9 = arith.mulf %r8, %p9 : f32
    %p10 = arith.addf %r9, %c : f32
    %r10 = arith.mulf %r9, %p10 : f32
    %p11 = arith.addf %r10, %c : f32
    %r11 = arith.mulf %r10, %p11 : f32
    %p12 = arith.addf %r11, %c : f32
    %r12 = arith.mulf %r11, %p12 : f32
    %p13 = arith.addf %r12, %c : f32
    %r13 = arith.mulf %r12, %p13 : f32
    %p14 = arith.addf %r13, %c : f32
    %r14 = arith.mulf %r13, %p14 : f32
    %p15 = arith.addf %r14, %c : f32
    %r15 = arith.mulf %r14, %p15 : f32
    %p16 = arith.addf %r15, %c : f32
    %r16 = arith.mulf %r15, %p16 : f32
    %p17 = arith.addf %r16, %c : f32
    %r17 = arith.mulf %r16, %p17 : f32
    %p18 = arith.addf %r17, %c : f32
    %r18 = arith.mulf %r17, %p18 : f32
    %p19 = arith.addf %r18, %c : f32
    %r19 = arith.mulf %r18, %p19 : f32
    %p20 = arith.addf %r19, %c : f32
    %r20 = arith.mulf %r19, %p20 : f32
    %p21 = arith.addf %r20, %c : f32
    %r21 = arith.mulf %r20, %p21 : f32
    %p22 = arith.addf %r21, %c : f32
    %r22 = arith.mulf %r21, %p22 : f32
    %p23 = arith.addf %r22, %c : f32
    %r23 = arith.mulf %r22, %p23 : f32
    %p24 = arith.addf %r23, %c : f32
    %r24 = arith.mulf %r23, %p24 : f32
    %p25 = arith.addf %r24, %c : f32
    %r25 = arith.mulf %r24, %p25 : f32
    %p26 = arith.addf %r25, %c : f32
    %r26 = arith.mulf %r25, %p26 : f32
    %p27 = arith.addf %r26, %c : f32
    %r27 = arith.mulf %r26, %p27 : f32
    %p28 = arith.addf %r27, %c : f32
    %r28 = arith.mulf %r27, %p28 : f32
    %p29 = arith.addf %r28, %c : f32
    %r29 = arith.mulf %r28, %p29 : f32
    %p30 = arith.addf %r29, %c : f32
    %r30 = arith.mulf %r29, %p30 : f32
    %p31 = arith.addf %r30, %c : f32
    %r31 = arith.mulf %r30, %p31 : f32
    %p32 = arith.addf %r31, %c : f32
    %r32 = arith.mulf %r31, %p32 : f32
    %p33 = arith.addf %r32, %c : f32
    %r33 = arith.mulf %r32, %p33 : f32
    %p34 = arith.addf %r33, %c : f32
    %r34 = arith.mulf %r33, %p34 : f32
    %p35 = arith.addf %r34, %c : f32
    %r35 = arith.mulf %r34, %p35 : f32
    %p36 = arith.addf %r35, %c : f32
    %r36 = arith.mulf %r35, %p36 : f32
    %p37 = arith.addf %r36, %c : f32
    %r37 = arith.mulf %r36, %p37 : f32
    %p38 = arith.addf %r37, %c : f32
    %r38 = arith.mulf %r37, %p38 : f32
    %p39 = arith.addf %r38, %c : f32
    %r39 = arith.mulf %r38, %p39 : f32
    linalg.yield %r39 : f32
  } -> tensor<1x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p0 = arith.addf %c, %c : f32
    %r0 = arith.mulf %c, %p0 : f32
    %p1 = arith.addf %r0, %c : f32
    %r1 = arith.mulf %r0, %p1 : f32
    %p2 = arith.addf %r1, %c : f32
    %r2 = arith.mulf %r1, %p2 : f32
    %p3 = arith.addf %r2, %c : f32
    %r3 = arith.mulf %r2, %p3 : f32
    %p4 = arith.addf %r3, %c : f32
    %r4 = arith.mulf %r3, %p4 : f32
    %p5 = arith.addf %r4, %c : f32
    %r5 = arith.mulf %r4, %p5 : f32
    %p6 = arith.addf %r5, %c : f32
    %r6 = arith.mulf %r5, %p6 : f32
    %p7 = arith.addf %r6, %c : f32
    %r7 = arith.mulf %r6, %p7 : f32
    %p8 = arith.addf %r7, %c : f32
    %r8 = arith.mulf %r7, %p8 : f32
    %p9 = arith.addf %r8, %c : f32
    %r9 = arith.mulf %r8, %p9 : f32
    %p10 = arith.addf %r9, %c : f32
    %r10 = arith.mulf %r9, %p10 : f32
    %p11 = arith.addf %r10, %c : f32
    %r11 = arith.mulf %r10, %p11 : f32
    %p12 = arith.addf %r11, %c : f32
    %r12 = arith.mulf %r11, %p12 : f32
    %p13 = arith.addf %r12, %c : f32
    %r13 = arith.mulf %r12, %p13 : f32
    %p14 = arith.addf %r13, %c : f32
    %r14 = arith.mulf %r13, %p14 : f32
    %p15 = arith.addf %r14, %c : f32
    %r15 = arith.mulf %r14, %p15 : f32
    %p16 = arith.addf %r15, %c : f32
    %r16 = arith.mulf %r15, %p16 : f32
    %p17 = arith.addf %r16, %c : f32
    %r17 = arith.mulf %r16, %p17 : f32
    %p18 = arith.addf %r17, %c : f32
    %r18 = arith.mulf %r17, %p18 : f32
    %p19 = arith.addf %r18, %c : f32
    %r19 = arith.mulf %r18, %p19 : f32
    %p20 = arith.addf %r19, %c : f32
    %r20 = arith.mulf %r19, %p20 : f32
    %p21 = arith.addf %r20, %c : f32
    %r21 = arith.mulf %r20, %p21 : f32
    %p22 = arith.addf %r21, %c : f32
    %r22 = arith.mulf %r21, %p22 : f32
    %p23 = arith.addf %r22, %c : f32
    %r23 = arith.mulf %r22, %p23 : f32
    %p24 = arith.addf %r23, %c : f32
    %r24 = arith.mulf %r23, %p24 : f32
    %p25 = arith.addf %r24, %c : f32
    %r25 = arith.mulf %r24, %p25 : f32
    %p26 = arith.addf %r25, %c : f32
    %r26 = arith.mulf %r25, %p26 : f32
    %p27 = arith.addf %r26, %c : f32
    %r27 = arith.mulf %r26, %p27 : f32
    %p28 = arith.addf %r27, %c : f32
    %r28 = arith.mulf %r27, %p28 : f32
    %p29 = arith.addf %r28, %c : f32
    %r29 = arith.mulf %r28, %p29 : f32
    %p30 = arith.addf %r29, %c : f32
    %r30 = arith.mulf %r29, %p30 : f32
    %p31 = arith.addf %r30, %c : f32
    %r31 = arith.mulf %r30, %p31 : f32
    %p32 = arith.addf %r31, %c : f32
    %r32 = arith.mulf %r31, %p32 : f32
    %p33 = arith.addf %r32, %c : f32
    %r33 = arith.mulf %r32, %p33 : f32
    %p34 = arith.addf %r33, %c : f32
    %r34 = arith.mulf %r33, %p34 : f32
    %p35 = arith.addf %r34, %c : f32
    %r35 = arith.mulf %r34, %p35 : f32
    %p36 = arith.addf %r35, %c : f32
    %r36 = arith.mulf %r35, %p36 : f32
    %p37 = arith.addf %r36, %c : f32
    %r37 = arith.mulf %r36, %p37 : f32
    %p38 = arith.addf %r37, %c : f32
    %r38 = arith.mulf %r37, %p38 : f32
    %p39 = arith.addf %r38, %c : f32
    %r39 = arith.mulf %r38, %p39 : f32
    %z = arith.mulf %a, %r39 : f32
    linalg.yield %z : f32
  } -> tensor<1x4xf32>
  %2 = tosa.add %0, %1 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = tosa.tanh %2 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %3 : tensor<1x4xf32>
}
