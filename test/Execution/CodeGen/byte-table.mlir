// RUN: qbackend-opt %s -qbackend-vectorize="target-triple=x86_64-linux-gnu target-cpu=icelake-server" | FileCheck %s --check-prefixes=CHECK,PERMUTE
// RUN: qbackend-opt %s -qbackend-vectorize="target-triple=x86_64-linux-gnu target-cpu=haswell" | FileCheck %s --check-prefixes=CHECK,SHUFFLE
// RUN: qbackend-opt %s -qbackend-vectorize="target-triple=x86_64-linux-gnu target-cpu=skylake-avx512" | FileCheck %s --check-prefixes=CHECK,SHUFFLE
// RUN: qbackend-opt %s -qbackend-vectorize="target-triple=aarch64-linux-gnu" | FileCheck %s --check-prefixes=CHECK,TABLE
// RUN: qbackend-opt %s -qbackend-vectorize="target-triple=x86_64-linux-gnu" | FileCheck %s --check-prefix=NONE

// Tables of bytes are looked up by vectors where the processor can.

memref.global "private" constant @table : memref<256xi8> = dense<7>
memref.global "private" constant @short : memref<200xi8> = dense<7>
memref.global "private" @variable : memref<256xi8> = dense<7>
#id = affine_map<(i) -> (i)>

// 256 entries are two times 128, of which the lowest seven bits choose; the highest
// one is the sign.
// CHECK-LABEL: func.func @unsigned
// PERMUTE: scf.for
// PERMUTE: %[[X:.*]] = vector.load %{{[^ ]*}} : {{.*}}, vector<64xi8>
// PERMUTE: %[[LOW:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.*}}, %[[X]], %{{.*}})
// PERMUTE: %[[HIGH:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"(%{{.*}}, %[[X]], %{{.*}})
// PERMUTE: %[[SIGN:.*]] = arith.cmpi slt, %[[X]]
// PERMUTE: arith.select %[[SIGN]], %[[HIGH]], %[[LOW]]
// SHUFFLE-COUNT-16: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// TABLE-COUNT-4: llvm.call_intrinsic "llvm.aarch64.neon.tbl4.v16i8"
// NONE-LABEL: func.func @unsigned
// NONE-NOT: call_intrinsic
// NONE: linalg.generic
// NONE-NOT: call_intrinsic
func.func @unsigned(%x: memref<1000xi8>, %y: memref<1000xi8>) {
  %t = memref.get_global @table : memref<256xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  return
}

// As TOSA's table has it, and with something around.
// CHECK-LABEL: func.func @signed
// CHECK: %[[FLIP:.*]] = arith.constant -128 : i8
// CHECK: vector.broadcast %[[FLIP]]
// CHECK: arith.xori
// CHECK: call_intrinsic
// CHECK: arith.addi {{.*}}xi8>
// NONE-LABEL: func.func @signed
// NONE: linalg.generic
func.func @signed(%x: memref<1000xi8>, %y: memref<1000xi8>) {
  %t = memref.get_global @table : memref<256xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %c = arith.index_cast %a : i8 to index
    %o = arith.constant 128 : index
    %i = arith.addi %c, %o : index
    %e = memref.load %t[%i] : memref<256xi8>
    %r = arith.addi %e, %a : i8
    linalg.yield %r : i8
  }
  return
}

// Not of one that may be written, that a byte may be beyond, or whose index is
// something else as well.
// CHECK-LABEL: func.func @others
// CHECK-NOT: call_intrinsic
// CHECK-COUNT-4: linalg.generic
func.func @others(%x: memref<1000xi8>, %y: memref<1000xi8>, %z: memref<1000xindex>) {
  %t = memref.get_global @table : memref<256xi8>
  %s = memref.get_global @short : memref<200xi8>
  %v = memref.get_global @variable : memref<256xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %s[%i] : memref<200xi8>
    linalg.yield %e : i8
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %v[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y, %z : memref<1000xi8>, memref<1000xindex>) {
  ^bb0(%a: i8, %b: i8, %c: index):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e, %i : i8, index
  }
  // A signed byte less than 0 is in front of the table.
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_cast %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  return
}

// A table that was computed is looked up like one that is constant, if what is
// written is another buffer.
// CHECK-LABEL: func.func @computed
// PERMUTE: llvm.x86.avx512.vpermi2var.qi.512
// SHUFFLE: llvm.x86.avx2.pshuf.b
// TABLE: llvm.aarch64.neon.tbl4.v16i8
func.func @computed(%x: memref<1000xi8>, %y: memref<1000xi8>) {
  %t = memref.alloc() : memref<256xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  memref.dealloc %t : memref<256xi8>
  return
}

// It may be a part of what is written, and change in between.
// CHECK-LABEL: func.func @written
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @written(%x: memref<256xi8>, %n: index) {
  %t = memref.alloc() : memref<256xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<256xi8>) outs(%t : memref<256xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  memref.dealloc %t : memref<256xi8>
  return
}

// CHECK-LABEL: func.func @part
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @part(%x: memref<200xi8>) {
  %t = memref.alloc() : memref<256xi8>
  %p = memref.subview %t[0] [200] [1] : memref<256xi8> to memref<200xi8, strided<[1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<200xi8>) outs(%p : memref<200xi8, strided<[1]>>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  memref.dealloc %t : memref<256xi8>
  return
}

// What a caller passes may be the same twice.
// CHECK-LABEL: func.func @passed
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @passed(%x: memref<1000xi8>, %y: memref<1000xi8>, %t: memref<256xi8>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  return
}

// Nor is it known what is chosen.
// CHECK-LABEL: func.func @chosen
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @chosen(%x: memref<256xi8>, %y: memref<256xi8>, %c: i1) {
  %t = memref.alloc() : memref<256xi8>
  %z = arith.select %c, %t, %y : memref<256xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<256xi8>) outs(%z : memref<256xi8>) {
  ^bb0(%a: i8, %b: i8):
    %i = arith.index_castui %a : i8 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  memref.dealloc %t : memref<256xi8>
  return
}
