// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "qbackend/Interfaces/Registration.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir;

// An op of a dialect that the registry doesn't know is unregistered, and its
// name is freed when another dialect loads that one.
TEST(Registration, WhatDialectsLoadIsKnownByName) {
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  EXPECT_GT(context.getLoadedDialects().size(), 20u);
  for (Dialect *dialect : context.getLoadedDialects())
    EXPECT_TRUE(
        dialect->getNamespace() == "builtin" ||
        llvm::is_contained(registry.getDialectNames(), dialect->getNamespace()))
        << dialect->getNamespace().str();
}
