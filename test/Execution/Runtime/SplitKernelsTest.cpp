// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in modules of their own, and what these declare.

#include "SplitKernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using LLVM::Linkage;
using qbackend::runtime::splitKernels;

namespace {
class SplitKernelsTest : public testing::Test {
protected:
  SplitKernelsTest() { context.loadDialect<LLVM::LLVMDialect>(); }

  /// A module with a function that isn't a kernel, and three kernels of so many
  /// additions, each of which calls the next one.
  std::vector<OwningOpRef<ModuleOp>> split(unsigned additions) {
    std::string text = R"mlir(
      llvm.mlir.global private constant @table(dense<[1, 2]> : tensor<2xi32>)
        : !llvm.array<2 x i32>
      llvm.mlir.global internal @state(0 : i32) : i32
      llvm.mlir.global external @weights() : !llvm.array<2 x i32>
      llvm.func weak hidden @weak(%x: i32) -> i32 { llvm.return %x : i32 }
      llvm.func @helper(%x: i32) -> i32 { llvm.return %x : i32 }
      llvm.func @alone(%x: i32) -> i32 { llvm.return %x : i32 }
      llvm.func @main(%x: i32) -> i32 {
        %0 = llvm.call @kernel0(%x) : (i32) -> i32
        llvm.return %0 : i32
      })mlir";
    for (unsigned kernel = 0; kernel < 3; ++kernel) {
      std::string number = std::to_string(kernel);
      text += "llvm.func @kernel" + number + R"mlir((%x: i32) -> i32
        attributes {passthrough = ["noinline", "qbackend-kernel"]} {
        %table = llvm.mlir.addressof @table : !llvm.ptr
        %state = llvm.mlir.addressof @state : !llvm.ptr
        %weights = llvm.mlir.addressof @weights : !llvm.ptr
        %1 = llvm.call @helper(%x) : (i32) -> i32
        %2 = llvm.call @weak(%1) : (i32) -> i32
        %v0 = llvm.call @kernel)mlir" +
              std::to_string((kernel + 1) % 3) + "(%2) : (i32) -> i32\n";
      for (unsigned i = 0; i < additions; ++i)
        text += "%v" + std::to_string(i + 1) + " = llvm.add %v" +
                std::to_string(i) + ", %x : i32\n";
      text += "llvm.return %v" + std::to_string(additions) + " : i32 }\n";
    }
    return splitKernels(parseSourceString<ModuleOp>(text, &context));
  }

  template <typename OpT> OpT get(ModuleOp module, StringRef name) {
    return dyn_cast_or_null<OpT>(SymbolTable::lookupSymbolIn(module, name));
  }
  LLVM::LLVMFuncOp function(ModuleOp module, StringRef name) {
    return get<LLVM::LLVMFuncOp>(module, name);
  }

  MLIRContext context;
};
} // namespace

TEST_F(SplitKernelsTest, FewOpsStay) {
  std::vector<OwningOpRef<ModuleOp>> modules = split(10);
  ASSERT_EQ(modules.size(), 1u);
  ASSERT_TRUE(succeeded(verify(*modules[0])));
  for (StringRef name : {"main", "helper", "kernel0", "kernel1", "kernel2"})
    EXPECT_EQ(function(*modules[0], name).getLinkage(), Linkage::Internal);
}

TEST_F(SplitKernelsTest, EachIsDefinedOnce) {
  std::vector<OwningOpRef<ModuleOp>> modules = split(1000);
  ASSERT_EQ(modules.size(), 2u);
  llvm::StringMap<unsigned> bodies;
  for (OwningOpRef<ModuleOp> &module : modules) {
    ASSERT_TRUE(succeeded(verify(*module)));
    for (auto each : module->getOps<LLVM::LLVMFuncOp>())
      bodies[each.getName()] += !each.isExternal();
    // All that is used is there.
    module->walk([&](LLVM::CallOp call) {
      EXPECT_TRUE(function(*module, *call.getCallee()));
    });
    module->walk([&](LLVM::AddressOfOp address) {
      EXPECT_TRUE(get<LLVM::GlobalOp>(*module, address.getGlobalName()));
    });
  }
  for (auto &[name, count] : bodies)
    EXPECT_EQ(count, 1u) << name.str();
  EXPECT_EQ(bodies.size(), 7u);
}

TEST_F(SplitKernelsTest, WhatIsSharedIsExternal) {
  std::vector<OwningOpRef<ModuleOp>> modules = split(1000);
  ModuleOp rest = *modules[0], part = *modules[1];
  EXPECT_EQ(function(rest, "main").getLinkage(), Linkage::Internal);
  EXPECT_EQ(function(rest, "alone").getLinkage(), Linkage::Internal);
  EXPECT_FALSE(function(part, "alone"));
  EXPECT_EQ(function(rest, "helper").getLinkage(), Linkage::External);
  EXPECT_TRUE(function(part, "helper").isExternal());
  // LLVM may call it where there is no call yet.
  EXPECT_EQ(function(rest, "weak").getLinkage(), Linkage::Weak);
  EXPECT_EQ(function(rest, "weak").getVisibility_(), LLVM::Visibility::Default);
  EXPECT_TRUE(function(part, "weak").isExternal());
  for (StringRef name : {"kernel0", "kernel1", "kernel2"}) {
    LLVM::LLVMFuncOp here = function(part, name), there = function(rest, name);
    ASSERT_TRUE(there);
    // Called by none of the other module.
    if (!here) {
      EXPECT_EQ(there.getLinkage(), Linkage::Internal);
      continue;
    }
    EXPECT_NE(here.isExternal(), there.isExternal());
    EXPECT_EQ(here.getLinkage(), Linkage::External);
    EXPECT_EQ(there.getLinkage(), Linkage::External);
  }
  // A constant is copied, what can change is not.
  auto table = get<LLVM::GlobalOp>(part, "table");
  EXPECT_TRUE(table.getValueAttr());
  EXPECT_EQ(table.getLinkage(), Linkage::Private);
  auto state = get<LLVM::GlobalOp>(part, "state");
  EXPECT_FALSE(state.getValueAttr());
  EXPECT_EQ(state.getLinkage(), Linkage::External);
  EXPECT_TRUE(get<LLVM::GlobalOp>(rest, "state").getValueAttr());
  EXPECT_EQ(get<LLVM::GlobalOp>(rest, "state").getLinkage(), Linkage::External);
  EXPECT_EQ(get<LLVM::GlobalOp>(part, "weights").getLinkage(),
            Linkage::External);
}
