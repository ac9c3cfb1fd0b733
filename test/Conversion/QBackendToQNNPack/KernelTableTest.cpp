// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind has a kernel, or somebody has said why not.

#include "qbackend/Conversion/QBackendToQNNPack.h"
#include "qbackend/Dialect/QBackend/OperatorKinds.h"

#include "gtest/gtest.h"

TEST(KernelTable, SaysSomethingOfEachKind) {
  unsigned kernels = 0, missing = 0;
  for (llvm::StringRef kind : qbackend::getDialectKinds()) {
    std::optional<llvm::StringRef> reason = qbackend::whyNoQNNPackKernel(kind);
    EXPECT_TRUE(reason)
        << kind.str() << " is in no file of lib/Conversion/QBackendToQNNPack: "
        << "pass it to add or addMissing there";
    if (reason)
      ++(reason->empty() ? kernels : missing);
  }
  EXPECT_GT(kernels, 40u);
  EXPECT_GT(missing, 10u);
}

TEST(KernelTable, KnowsWhichHaveNone) {
  EXPECT_EQ(qbackend::whyNoQNNPackKernel("conv2d"), "");
  EXPECT_NE(qbackend::whyNoQNNPackKernel("matmul"), "");
  EXPECT_EQ(qbackend::whyNoQNNPackKernel("nothing"), std::nullopt);
}
