// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --split-input-file --verify-diagnostics --qbackend-isolate-network=entry=net | FileCheck %s
// RUN: qbackend-opt %s --split-input-file --verify-diagnostics --qbackend-isolate-network=entry=net --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOCATIONS

// What isn't reached goes, whatever it is; the rest is private, and promises nothing.
// CHECK: module {
// CHECK-NEXT: func.func @net(%{{.*}}: tensor<2xf32> {qbackend.name = "x"}) -> tensor<2xf32> {
// CHECK-NEXT: call @same(%{{.*}}) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: func.func private @same(%{{.*}}: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NOT: func.func
module attributes {llvm.module_asm = ["evil: ud2"]} {
  func.func private @_exit(i32)
  func.func @unreached(%x: memref<2xf32>) {
    %c = arith.constant 77 : i32
    call @_exit(%c) : (i32) -> ()
    return
  }
  func.func @net(%x: tensor<2xf32> {llvm.noalias, qbackend.name = "x"}) -> tensor<2xf32> attributes {passthrough = ["noreturn"]} {
    %y = call @same(%x) {llvm.promise} : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
  func.func @same(%x: tensor<2xf32> {llvm.byval = f64}) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// Nor does anything claim how buffers are laid out, what runs in parallel, which
// processor there is or what LLVM may assume of the numbers of a call.
// CHECK: func.func @net(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: scf.for
// CHECK-NOT: parallel
// CHECK: call @part(%{{.*}}, %{{.*}}) : (tensor<4xf32>, i64) -> tensor<4xf32>
module {
  func.func @net(%x: tensor<4xf32> {bufferization.buffer_layout = affine_map<(d0) -> (d0 * 1000)>}) -> (tensor<4xf32> {llvm.noundef})
      attributes {target_features = #llvm.target_features<["+avx512f"]>, no_nans_fp_math = true} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %i = arith.constant 5 : i64
    %0 = scf.for %j = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<4xf32> {
      scf.yield %y : tensor<4xf32>
    } {qbackend.parallel}
    %1 = "func.call"(%0, %i) <{callee = @part, arg_attrs = [{}, {llvm.byval = i64}]}> {qbackend.units = 1000} : (tensor<4xf32>, i64) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @part(%x: tensor<4xf32>, %i: i64) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// Names of files stay, what LLVM would take for a program of another language goes.
#file = #llvm.di_file<"net.c" in "/">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = false, emissionKind = Full>
#program = #llvm.di_subprogram<compileUnit = #unit, scope = #file, name = "net", file = #file, line = 1, scopeLine = 1, subprogramFlags = Definition>
func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32> loc(fused<#program>["net.c":7:1])
// LOCATIONS: return %{{.*}} loc("net.c":7:1)
// LOCATIONS: loc(callsite("net.c":1:1 at "main"))
} loc(callsite(fused<#program>["net.c":1:1] at "main"))

// -----

// expected-error @+1 {{no function 'net' in the module; it has main}}
module {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// expected-error @+1 {{function '_exit' has no body; only the operators of a network are compiled}}
func.func private @_exit(i32)
func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant 77 : i32
  call @_exit(%c) : (i32) -> ()
  return %x : tensor<2xf32>
}

// -----

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'memref.alloc' op is not compiled: only the operators of a network are}}
  %m = memref.alloc() : memref<2xf32>
  memref.dealloc %m : memref<2xf32>
  return %x : tensor<2xf32>
}

// -----

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'ub.poison' op has a value of type 'vector<2xf32>'; only the operators of a network are compiled}}
  %v = ub.poison : vector<2xf32>
  return %x : tensor<2xf32>
}

// -----

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
// expected-error @+1 {{the module has functions that call themselves}}
func.func @again(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Neither are types allowed inside of others, ...

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'ub.poison' op has a value of type 'tuple<i32, memref<2xf32>>'; only the operators of a network are compiled}}
  %m = ub.poison : tuple<i32, memref<2xf32>>
  return %x : tensor<2xf32>
}

// -----

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tensor.empty' op has a value of type 'tensor<2x!llvm.ptr>'}}
  %m = tensor.empty() : tensor<2x!llvm.ptr>
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{'func.func' op has a value of type 'tensor<2xf32, #llvm.linkage<external>>'}}
func.func @net(%x: tensor<2xf32, #llvm.linkage<external>>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  return %e : tensor<2xf32>
}

// -----

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'func.constant' op is not compiled}}
  %m = func.constant @taker : (memref<2xf32>) -> ()
  return %x : tensor<2xf32>
}
func.func @taker(%m: memref<2xf32>) {
  return
}

// -----

// ... nor in attributes of ops.

// expected-error @+1 {{'ml_program.global' op has '!llvm.ptr' in 'value'}}
ml_program.global private @variable([1, {x = tensor<2x!llvm.ptr>}]) : tensor<2xf32>
func.func @net() -> tensor<2xf32> {
  %x = ml_program.global_load @variable : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

// A function isn't taken for one of C because of its name.
// CHECK: call @[[OTHER:memcpy_[0-9]+]](
// CHECK: func.func private @[[OTHER]](
func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @memcpy(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @memcpy(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// Nothing is promised of numbers.
// CHECK: arith.addi %{{.*}}, %{{[^ ]*}} : tensor<2xi64>
// CHECK: arith.divsi %{{.*}}, %{{[^ ]*}} : tensor<2xi64>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : tensor<2xf32>
// CHECK: affine.linearize_index [
func.func @net(%x: tensor<2xi64>, %y: tensor<2xf32>, %s: tensor<index>) -> (tensor<2xi64>, tensor<2xf32>, tensor<index>) {
  %a = arith.addi %x, %x overflow<nsw, nuw> : tensor<2xi64>
  %b = arith.divsi %a, %x exact : tensor<2xi64>
  %c = arith.addf %y, %y fastmath<nnan,ninf,contract> : tensor<2xf32>
  %i = tensor.extract %s[] : tensor<index>
  %j = affine.linearize_index disjoint [%i, %i] by (3, 5) : index
  %d = tensor.from_elements %j : tensor<index>
  return %b, %c, %d : tensor<2xi64>, tensor<2xf32>, tensor<index>
}

// -----

// LLVM has no code for all numbers.

func.func @net(%x: tensor<2xf64>) -> tensor<2xf64> {
  // expected-error @+1 {{'arith.extf' op computes with 'tensor<2xf128>'; cast to f16, bf16, f32, f64 or integers of at most 128 bits in the network}}
  %a = arith.extf %x : tensor<2xf64> to tensor<2xf128>
  %b = arith.maximumf %a, %a : tensor<2xf128>
  %c = arith.truncf %b : tensor<2xf128> to tensor<2xf64>
  return %c : tensor<2xf64>
}

// -----

func.func @net(%x: tensor<2xi64>) -> tensor<2xi64> {
  %y = arith.extsi %x : tensor<2xi64> to tensor<2xi128>
  // expected-error @+1 {{'arith.extsi' op computes with 'tensor<2xi129>'}}
  %z = arith.extsi %y : tensor<2xi128> to tensor<2xi129>
  return %x : tensor<2xi64>
}

// -----

func.func @net(%x: tensor<2xi64>) -> tensor<2xf16> {
  %f = arith.sitofp %x : tensor<2xi64> to tensor<2xf16>
  %y = arith.extsi %x : tensor<2xi64> to tensor<2xi65>
  // expected-error @+1 {{'arith.sitofp' op casts between 'tensor<2xf16>' and 'tensor<2xi65>'; cast to f32 or i64 in between}}
  %z = arith.sitofp %y : tensor<2xi65> to tensor<2xf16>
  return %z : tensor<2xf16>
}

// -----

// What would divide by zero, or by less, is no network's: canonicalization makes
// any number of it.

func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  // expected-error @+1 {{'affine.apply' op divides by what isn't known to be positive; write positive constants in its map or basis, or arith.floordivsi and arith.remsi}}
  %q = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%i)[%i]
  %y = tensor.from_elements %q : tensor<index>
  return %y : tensor<index>
}

// -----

func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  // expected-error @+1 {{'affine.apply' op divides by what isn't known to be positive}}
  %q = affine.apply affine_map<(d0) -> (d0 ceildiv -2)>(%i)
  %y = tensor.from_elements %q : tensor<index>
  return %y : tensor<index>
}

// -----

func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  // expected-error @+1 {{'affine.min' op divides by what isn't known to be positive}}
  %q = affine.min affine_map<(d0)[s0] -> (3, d0 mod s0 + 1)>(%i)[%i]
  %y = tensor.from_elements %q : tensor<index>
  return %y : tensor<index>
}

// -----

func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  // expected-error @+1 {{'affine.max' op divides by what isn't known to be positive}}
  %q = affine.max affine_map<(d0) -> (3, (d0 + 1) mod 0)>(%i)
  %y = tensor.from_elements %q : tensor<index>
  return %y : tensor<index>
}

// -----

func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  // expected-error @+1 {{'affine.delinearize_index' op divides by what isn't known to be positive}}
  %q:2 = affine.delinearize_index %i into (%i, 4) : index, index
  %y = tensor.from_elements %q#0 : tensor<index>
  return %y : tensor<index>
}

// -----

func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  // expected-error @+1 {{'affine.linearize_index' op divides by what isn't known to be positive}}
  %q = affine.linearize_index [%i, %i] by (4, %i) : index
  %y = tensor.from_elements %q : tensor<index>
  return %y : tensor<index>
}

// -----

// Constants divide.
// CHECK: affine.apply
// CHECK: affine.delinearize_index
func.func @net(%x: tensor<index>) -> tensor<index> {
  %i = tensor.extract %x[] : tensor<index>
  %p = affine.apply affine_map<(d0)[s0] -> ((d0 floordiv 2) ceildiv 3 + s0 mod 5)>(%i)[%i]
  %q:2 = affine.delinearize_index %p into (4, 2) : index, index
  %y = tensor.from_elements %q#1 : tensor<index>
  return %y : tensor<index>
}

// -----

// Nothing else compares the two types.

// expected-error @+1 {{variable 'g' is of type 'tensor<?xf32>', but begins with a value of type 'tensor<4xf32>'; give it the type of its value}}
ml_program.global private mutable @g(dense<0.0> : tensor<4xf32>) : tensor<?xf32>
func.func @net() -> tensor<?xf32> {
  %r = ml_program.global_load @g : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Behind it anything may be assumed.

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  %true = arith.constant true
  cf.cond_br %true, ^bb1, ^bb2
^bb1:
  return %x : tensor<2xf32>
^bb2:
  // expected-error @+1 {{'ub.unreachable' op is not compiled}}
  ub.unreachable
}

// -----

// What nothing lowers isn't left to what would.

func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'shape.shape_of' op is not compiled}}
  %s = shape.shape_of %x : tensor<2xf32> -> tensor<1xindex>
  return %x : tensor<2xf32>
}

// -----

func.func @net(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{'math.ipowi' op is not compiled}}
  %y = math.ipowi %x, %x : tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

// A byte for each truth value of a resource is no bit of a constant.

func.func @net(%x: tensor<2xi1>) -> tensor<2xi1> {
  // expected-error @+1 {{constant 'mask' is a resource of 'i1', which LLVM stores otherwise; write it as dense<...>}}
  %m = arith.constant dense_resource<mask> : tensor<2xi1>
  %y = arith.andi %x, %m : tensor<2xi1>
  return %y : tensor<2xi1>
}

{-#
  dialect_resources: {
    builtin: {
      mask: "0x010000000100"
    }
  }
#-}
