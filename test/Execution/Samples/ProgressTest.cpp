// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the progress bar draws.

#include "qbackend/Execution/Samples/Progress.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace qbackend::arrays;

TEST(ProgressBarTest, DrawsOneLine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    ProgressBar bar("calibrate", 10, os);
    bar.advance(5);
    EXPECT_NE(text.find("\rcalibrate [############------------] 5/10"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("ETA"), std::string::npos) << text;
    bar.advance(5);
  }
  EXPECT_NE(text.find("[########################] 10/10"), std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(ProgressBarTest, MoreThanTheTotalStaysInTheBar) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ProgressBar bar("x", 2, os);
  bar.advance(7);
  EXPECT_NE(text.find("[########################] 7/2"), std::string::npos)
      << text;
}

TEST(ProgressBarTest, ClearRemovesTheLine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ProgressBar bar("x", 2, os);
  bar.advance();
  bar.clear();
  EXPECT_EQ(text.back(), '\r');
  size_t length = text.size();
  bar.clear();
  EXPECT_EQ(text.size(), length);
}
