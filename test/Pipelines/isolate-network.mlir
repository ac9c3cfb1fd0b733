// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: qbackend-opt %s --split-input-file --verify-diagnostics --qbackend-isolate-network=entry=net | FileCheck %s

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
