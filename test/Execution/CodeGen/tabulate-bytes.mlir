// RUN: qbackend-opt %s -qbackend-tabulate-bytes | FileCheck %s

// The same bytes as of an op that is too small for a table, with and without vectors.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; b = np.arange(256, dtype='u1').view('i1'); np.savez(r'%t/few.npz', b, 0 * b); many = np.tile(b, (16, 1)); np.savez(r'%t/many.npz', many, 0 * many); np.savez(r'%t/any.npz', many.reshape(2, 2048), 0 * many.reshape(2, 2048))"
// RUN: qbackend-run %s --entry=few --input=%t/few.npz -o %t/few.out.npz
// RUN: qbackend-run %s --entry=many --input=%t/many.npz -o %t/many.out.npz
// RUN: qbackend-run %s --entry=any --input=%t/any.npz -o %t/any.out.npz
// RUN: qbackend-run %s --entry=many --target=scalar --input=%t/many.npz -o %t/scalar.npz
// RUN: %python -c "import numpy as np; few, many, any, scalar = [list(np.load(r'%t/' + n).values())[0] for n in ('few.out.npz', 'many.out.npz', 'any.out.npz', 'scalar.npz')]; assert len(set(few.tolist())) > 100; assert (many == few).all() and (scalar == many).all() and (any == many.reshape(2, 2048)).all()"

#map1 = affine_map<(a) -> (a)>
#map2 = affine_map<(a, b) -> (a, b)>

// A function of a byte that takes a division for each element.
// CHECK-LABEL: func.func @many
// CHECK: %[[ALL:.*]] = arith.constant dense<"0x000102{{.*}}FDFEFF"> : tensor<256xi8>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[ALL]] : tensor<256xi8>)
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: -> tensor<256xi8>
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[I:.*]] = arith.index_castui %[[B]] : i8 to index
// CHECK-NEXT: %[[V:.*]] = tensor.extract %[[T]][%[[I]]] : tensor<256xi8>
// CHECK-NEXT: linalg.yield %[[V]] : i8
func.func @many(%in: tensor<16x256xi8>, %out: tensor<16x256xi8>) -> tensor<16x256xi8> {
  %zp = arith.constant 117.0 : f32
  %scale = arith.constant 0.05 : f32
  %one = arith.constant 1.0 : f32
  %factor = arith.constant 17.0 : f32
  %c0 = arith.constant 0 : i32
  %c30 = arith.constant 30 : i32
  %c255 = arith.constant 255 : i32
  %0 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%in : tensor<16x256xi8>) outs(%out : tensor<16x256xi8>) {
  ^bb0(%a: i8, %o: i8):
    %i = arith.extui %a : i8 to i32
    %f = arith.sitofp %i : i32 to f32
    %d = arith.subf %f, %zp : f32
    %x = arith.mulf %d, %scale : f32
    %m = arith.negf %x : f32
    %e = math.exp %m : f32
    %p = arith.addf %e, %one : f32
    %q = arith.divf %x, %p : f32
    %s = arith.mulf %q, %factor : f32
    %r = math.roundeven %s : f32
    %t = arith.fptosi %r : f32 to i32
    %u = arith.addi %t, %c30 : i32
    %v = arith.maxsi %u, %c0 : i32
    %w = arith.minsi %v, %c255 : i32
    %y = arith.trunci %w : i32 to i8
    linalg.yield %y : i8
  } -> tensor<16x256xi8>
  return %0 : tensor<16x256xi8>
}

// A batch that is not known is one sample.
// CHECK-LABEL: func.func @any
// CHECK: %[[ALL:.*]] = arith.constant dense<"0x000102{{.*}}FDFEFF"> : tensor<256xi8>
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[ALL]] : tensor<256xi8>)
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: -> tensor<256xi8>
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[I:.*]] = arith.index_castui %[[B]] : i8 to index
// CHECK-NEXT: %[[V:.*]] = tensor.extract %[[T]][%[[I]]] : tensor<256xi8>
// CHECK-NEXT: linalg.yield %[[V]] : i8
func.func @any(%in: tensor<?x2048xi8>, %out: tensor<?x2048xi8>) -> tensor<?x2048xi8> {
  %zp = arith.constant 117.0 : f32
  %scale = arith.constant 0.05 : f32
  %one = arith.constant 1.0 : f32
  %factor = arith.constant 17.0 : f32
  %c0 = arith.constant 0 : i32
  %c30 = arith.constant 30 : i32
  %c255 = arith.constant 255 : i32
  %0 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%in : tensor<?x2048xi8>) outs(%out : tensor<?x2048xi8>) {
  ^bb0(%a: i8, %o: i8):
    %i = arith.extui %a : i8 to i32
    %f = arith.sitofp %i : i32 to f32
    %d = arith.subf %f, %zp : f32
    %x = arith.mulf %d, %scale : f32
    %m = arith.negf %x : f32
    %e = math.exp %m : f32
    %p = arith.addf %e, %one : f32
    %q = arith.divf %x, %p : f32
    %s = arith.mulf %q, %factor : f32
    %r = math.roundeven %s : f32
    %t = arith.fptosi %r : f32 to i32
    %u = arith.addi %t, %c30 : i32
    %v = arith.maxsi %u, %c0 : i32
    %w = arith.minsi %v, %c255 : i32
    %y = arith.trunci %w : i32 to i8
    linalg.yield %y : i8
  } -> tensor<?x2048xi8>
  return %0 : tensor<?x2048xi8>
}

// The table would be all of the work.
// CHECK-LABEL: func.func @few
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @few(%in: tensor<256xi8>, %out: tensor<256xi8>) -> tensor<256xi8> {
  %zp = arith.constant 117.0 : f32
  %scale = arith.constant 0.05 : f32
  %one = arith.constant 1.0 : f32
  %factor = arith.constant 17.0 : f32
  %c0 = arith.constant 0 : i32
  %c30 = arith.constant 30 : i32
  %c255 = arith.constant 255 : i32
  %0 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%in : tensor<256xi8>) outs(%out : tensor<256xi8>) {
  ^bb0(%a: i8, %o: i8):
    %i = arith.extui %a : i8 to i32
    %f = arith.sitofp %i : i32 to f32
    %d = arith.subf %f, %zp : f32
    %x = arith.mulf %d, %scale : f32
    %m = arith.negf %x : f32
    %e = math.exp %m : f32
    %p = arith.addf %e, %one : f32
    %q = arith.divf %x, %p : f32
    %s = arith.mulf %q, %factor : f32
    %r = math.roundeven %s : f32
    %t = arith.fptosi %r : f32 to i32
    %u = arith.addi %t, %c30 : i32
    %v = arith.maxsi %u, %c0 : i32
    %w = arith.minsi %v, %c255 : i32
    %y = arith.trunci %w : i32 to i8
    linalg.yield %y : i8
  } -> tensor<256xi8>
  return %0 : tensor<256xi8>
}

// No more than loads take.
// CHECK-LABEL: func.func @fast
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @fast(%x: tensor<4096xi8>, %e: tensor<4096xi8>) -> tensor<4096xi8> {
  %c7 = arith.constant 7 : i8
  %0 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
  ^bb0(%a: i8, %o: i8):
    %r = arith.addi %a, %c7 : i8
    linalg.yield %r : i8
  } -> tensor<4096xi8>
  return %0 : tensor<4096xi8>
}

// Not of one byte, not only of a byte, and not of bytes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @others(%x: tensor<4096xi8>, %y: tensor<4096xi8>, %w: tensor<4096xi16>) -> (tensor<4096xi8>, tensor<4096xi8>, tensor<4096xi8>, tensor<4096xi8>) {
  %e = tensor.empty() : tensor<4096xi8>
  %c7 = arith.constant 7 : i8
  %two = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%x, %y : tensor<4096xi8>, tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %d = arith.ori %b, %c7 : i8
    %r = arith.divui %a, %d : i8
    linalg.yield %r : i8
  } -> tensor<4096xi8>
  %place = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
  ^bb0(%a: i8, %o: i8):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i8
    %d = arith.ori %j, %c7 : i8
    %r = arith.divui %a, %d : i8
    linalg.yield %r : i8
  } -> tensor<4096xi8>
  %accumulated = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%y : tensor<4096xi8>) {
  ^bb0(%a: i8, %o: i8):
    %d = arith.ori %o, %c7 : i8
    %r = arith.divui %a, %d : i8
    linalg.yield %r : i8
  } -> tensor<4096xi8>
  %wide = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%w : tensor<4096xi16>) outs(%e : tensor<4096xi8>) {
  ^bb0(%a: i16, %o: i8):
    %c9 = arith.constant 9 : i16
    %r = arith.divui %a, %c9 : i16
    %t = arith.trunci %r : i16 to i8
    linalg.yield %t : i8
  } -> tensor<4096xi8>
  return %two, %place, %accumulated, %wide : tensor<4096xi8>, tensor<4096xi8>, tensor<4096xi8>, tensor<4096xi8>
}
