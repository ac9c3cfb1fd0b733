// RUN: qbackend-opt %s -qbackend-check-bounds -canonicalize | FileCheck %s
// RUN: qbackend-opt %s -qbackend-lower-to-llvm="check-bounds" | FileCheck %s --check-prefix=LOWERED

// What is known to be inside is not checked.
// CHECK-LABEL: func.func @known
// CHECK-NOT: cf.assert
func.func @known(%x: tensor<4x8xf32>) -> (f32, tensor<2x8xf32>, tensor<4x8xf32>) {
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %0 = tensor.extract %x[%c3, %c7] : tensor<4x8xf32>
  %1 = tensor.extract_slice %x[2, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%i, %j] : tensor<4x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %0, %1, %2 : f32, tensor<2x8xf32>, tensor<4x8xf32>
}

// LOWERED: llvm.call @abort
// CHECK-LABEL: func.func @element
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[I:.*]]: index)
// CHECK: %[[LESS:.*]] = arith.cmpi ult, %[[I]], %c4
// CHECK: cf.assert %[[LESS]], "{{.*}}'tensor.extract' op has an index outside of dimension 0 of tensor<4x8xf32>"
// CHECK-NOT: cf.assert
func.func @element(%x: tensor<4x8xf32>, %i: index) -> f32 {
  %c7 = arith.constant 7 : index
  %0 = tensor.extract %x[%i, %c7] : tensor<4x8xf32>
  return %0 : f32
}

// A swap of rows and columns: an index of 7 is outside of 4 rows.
// CHECK-LABEL: func.func @swapped
// CHECK: linalg.generic
// CHECK: cf.assert {{.*}}dimension 0 of tensor<4x8xf32>
// CHECK-NOT: cf.assert
func.func @swapped(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j, %i] : tensor<4x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @insert
// CHECK: cf.assert {{.*}}'tensor.insert' op has an index outside of dimension 0 of tensor<4xf32>
// CHECK: cf.assert {{.*}}'tensor.insert_slice' op is outside of dimension 0 of tensor<4xf32>
func.func @insert(%x: tensor<4xf32>, %y: tensor<2xf32>, %v: f32, %i: index) -> tensor<4xf32> {
  %0 = tensor.insert %v into %x[%i] : tensor<4xf32>
  %1 = tensor.insert_slice %y into %0[%i] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @extents
// CHECK: cf.assert {{.*}}'tensor.cast' op has another extent than 4 in dimension 0
// CHECK: cf.assert {{.*}}'linalg.add' op has operands of different extents along loop 0
// CHECK: cf.assert {{.*}}'tensor.expand_shape' op has another number of elements than dimension 0
func.func @extents(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index, %j: index) -> (tensor<4xf32>, tensor<?x?xf32>) {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %1 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%i, %j] : tensor<?xf32> into tensor<?x?xf32>
  return %0, %2 : tensor<4xf32>, tensor<?x?xf32>
}

// Windows of an image whose extents are known at run time.
// CHECK-LABEL: func.func @windows
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>
// CHECK: %[[D:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[LESS:.*]] = arith.cmpi sgt, %[[D]], %c8
// CHECK: cf.assert %[[LESS]], "{{.*}}'linalg.generic' op leaves dimension 0 of tensor<?xf32>"
// CHECK-NOT: cf.assert
func.func @windows(%x: tensor<?xf32>, %w: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Taps in reverse stay inside.
// CHECK-LABEL: func.func @reversed
// CHECK-NOT: cf.assert
func.func @reversed(%x: tensor<6xf32>, %w: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i - k + 2)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<6xf32>, tensor<3xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// With more taps than places in front, the first address is less than 0.
// CHECK-LABEL: func.func @reversed_dynamic
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[TAPS:.*]] = tensor.dim %arg1, %[[C0]]
// CHECK: %[[FIRST:.*]] = arith.subi %[[C3]], %[[TAPS]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[FIRST]], %[[C0]]
// CHECK: cf.assert %[[INSIDE]], "{{.*}}leaves dimension 0 of tensor<6xf32>"
func.func @reversed_dynamic(%x: tensor<6xf32>, %w: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i - k + 2)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<6xf32>, tensor<?xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Constants that are operands are not seen by verifiers.
// CHECK-LABEL: func.func @constants
// CHECK: cf.assert %false, "{{.*}}'tensor.extract_slice' op is outside of dimension 1 of tensor<1x4xf32>"
func.func @constants(%x: tensor<1x4xf32>) -> tensor<1x?xf32> {
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %0 = tensor.extract_slice %x[0, %c3] [1, %c9] [1, 1] : tensor<1x4xf32> to tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}

// A slice of several elements has no negative stride: as a large one it leaves
// no room for the second.
// CHECK-LABEL: func.func @stride
// CHECK-SAME: %[[S:[a-z0-9]+]]: index
// CHECK: %[[STRIDE:.*]] = arith.maxui %[[S]], %c1
// CHECK: %[[ROOM:.*]] = arith.divui %c2, %[[STRIDE]]
// CHECK: %[[FITS:.*]] = arith.cmpi uge, %[[ROOM]], %c2
// CHECK: cf.assert %[[FITS]], "{{.*}}'tensor.extract_slice' op is outside of dimension 0
func.func @stride(%x: tensor<4xf32>, %s: index) -> tensor<3xf32> {
  %0 = tensor.extract_slice %x[1] [3] [%s] : tensor<4xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// What is inserted has the extents of its place, in a loop as well.
// CHECK-LABEL: func.func @insertion
// CHECK: cf.assert {{.*}}'tensor.insert_slice' op has another extent than its source in dimension 1
// CHECK: scf.forall
// CHECK: cf.assert {{.*}}'tensor.parallel_insert_slice' op is outside of dimension 0 of tensor<4xf32>
// CHECK: scf.forall.in_parallel
func.func @insertion(%x: tensor<?xf32>, %y: tensor<1x4xf32>, %z: tensor<1xf32>, %o: tensor<4xf32>, %n: index) -> (tensor<1x4xf32>, tensor<4xf32>) {
  %0 = tensor.insert_slice %x into %y[0, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<1x4xf32>
  %1 = scf.forall (%i) in (4) shared_outs(%out = %o) -> (tensor<4xf32>) {
    %p = arith.muli %i, %n : index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %z into %out[%p] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %0, %1 : tensor<1x4xf32>, tensor<4xf32>
}

// Products of extents may wrap: 2^62 + 1 times 4 is 4.
// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK: %[[MOST:.*]] = arith.maxui %[[M]], %c1
// CHECK: %[[LEFT:.*]] = arith.divui %c2147483648, %[[MOST]]
// CHECK: arith.cmpi ule, %[[N]], %[[LEFT]]
// CHECK: cf.assert {{.*}}'tensor.empty' op makes a tensor with a negative extent, or of more than 2147483648 elements
// CHECK: cf.assert {{.*}}'tensor.generate' op makes a tensor with a negative extent
// CHECK: cf.assert {{.*}}'tensor.splat' op makes a tensor with a negative extent
// CHECK: cf.assert {{.*}}'tensor.pad' op has a negative padding, or one of more than 2147483648, in dimension 0
// CHECK: cf.assert {{.*}}'tensor.pad' op makes a tensor with a negative extent
// CHECK: cf.assert {{.*}}'tensor.reshape' op has another number of elements than tensor<4xf32>
func.func @products(%n: index, %m: index, %v: f32, %x: tensor<4xf32>, %shape: tensor<2xindex>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %0 = tensor.empty(%n, %m) : tensor<?x?xf32>
  %1 = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32>
  %2 = tensor.splat %v[%m] : tensor<?xf32>
  %3 = tensor.pad %x low[%n] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<?xf32>
  %4 = tensor.reshape %x(%shape) : (tensor<4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0, %1, %2, %3, %4 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @dim
// CHECK: cf.assert {{.*}}'tensor.dim' op has no such dimension in tensor<?xf32>
func.func @dim(%x: tensor<?xf32>, %i: index) -> index {
  %0 = tensor.dim %x, %i : tensor<?xf32>
  return %0 : index
}

// Processors end a program that divides by zero.
// CHECK-LABEL: func.func @division
// CHECK: cf.assert {{.*}}'arith.divsi' op divides by zero
// CHECK: cf.assert {{.*}}'arith.divsi' op divides the smallest number by -1
// CHECK: cf.assert {{.*}}'arith.remui' op divides by zero
// CHECK-NOT: cf.assert
func.func @division(%x: i32, %y: i32) -> (i32, i32, i32) {
  %c3 = arith.constant 3 : i32
  %0 = arith.divsi %x, %y : i32
  %1 = arith.remui %x, %y : i32
  %2 = arith.divsi %x, %c3 : i32
  return %0, %1, %2 : i32, i32, i32
}

// CHECK-LABEL: func.func @remainders
// CHECK-NOT: cf.assert
func.func @remainders(%x: tensor<8xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 8)>, affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// What is known at run time is asserted there: remainders are those of fewer steps,
// and a remainder of 8 needs no assertion in a tensor of 8.
// CHECK-LABEL: func.func @dynamic_remainders
// CHECK-SAME: tensor<8xf32>, {{.*}}, %[[Y:[a-z0-9]+]]: tensor<?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[Y]], %c0
// CHECK: %[[END:.*]] = arith.subi %[[N]], %c1
// CHECK: %[[SAME:.*]] = arith.cmpi slt, %[[END]], %c8
// CHECK: %[[LAST:.*]] = arith.select %[[SAME]], %[[END]], %c7
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[LAST]], %c4
// CHECK: cf.assert %[[INSIDE]], "{{.*}}'linalg.generic' op leaves dimension 0 of tensor<4xf32>"
// CHECK: arith.floordivsi
// CHECK: cf.assert {{.*}}'linalg.generic' op leaves dimension 0 of tensor<?xf32>"
// CHECK-NOT: cf.assert
func.func @dynamic_remainders(%x: tensor<4xf32>, %w: tensor<8xf32>, %z: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 8)>, affine_map<(i) -> (i mod 8)>, affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %w, %z : tensor<4xf32>, tensor<8xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @indices
// CHECK: cf.assert {{.*}}'index.divs' op divides by zero
// CHECK: cf.assert {{.*}}'index.divs' op divides the smallest number by -1
// CHECK: cf.assert {{.*}}'index.divu' op divides by zero
// CHECK: cf.assert {{.*}}'index.rems' op divides by zero
// CHECK: cf.assert {{.*}}'index.remu' op divides by zero
// CHECK: cf.assert {{.*}}'index.floordivs' op divides by zero
// CHECK: cf.assert {{.*}}'index.ceildivs' op divides by zero
// CHECK: cf.assert {{.*}}'index.ceildivu' op divides by zero
// CHECK-NOT: cf.assert
// CHECK: return
func.func @indices(%x: index, %y: index) -> index {
  %0 = index.divs %x, %y
  %1 = index.divu %0, %y
  %2 = index.rems %1, %y
  %3 = index.remu %2, %y
  %4 = index.floordivs %3, %y
  %5 = index.ceildivs %4, %y
  %6 = index.ceildivu %5, %y
  return %6 : index
}

// The verifier takes any extent of the result for an unknown one.
// CHECK-LABEL: func.func @padded
// CHECK: cf.assert {{.*}}'tensor.pad' op has another extent than 4096 in dimension 0
func.func @padded(%x: tensor<4xf32>, %n: index) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[%n] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// CHECK-LABEL: func.func @joined
// CHECK: cf.assert {{.*}}'tensor.concat' op has operands of different extents in dimension 0
// CHECK: cf.assert {{.*}}'tensor.concat' op has another extent than 4096 in dimension 1
// CHECK-NOT: cf.assert
// CHECK: return
func.func @joined(%x: tensor<1x?xf32>, %y: tensor<?x4xf32>, %z: tensor<1x4xf32>) -> (tensor<1x4096xf32>, tensor<1x8xf32>) {
  %0 = tensor.concat dim(1) %x, %y : (tensor<1x?xf32>, tensor<?x4xf32>) -> tensor<1x4096xf32>
  %1 = tensor.concat dim(1) %z, %z : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
  return %0, %1 : tensor<1x4096xf32>, tensor<1x8xf32>
}
// An extent that is poison is no constant.
// CHECK-LABEL: func.func @poison
// CHECK: cf.assert
// LOWERED-LABEL: llvm.func @poison
func.func @poison(%x: tensor<?xf32>) -> tensor<?xf32> {
  %p = ub.poison : index
  %0 = tensor.empty(%p) : tensor<?xf32>
  %v = tensor.extract %x[%p] : tensor<?xf32>
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

