// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the data of a GoogleTest program is, without a path of this machine in
// it.

#ifndef QBACKEND_TEST_TESTDATA_H
#define QBACKEND_TEST_TESTDATA_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <string>

namespace qbackend {

/// The path of `name`, which is relative to the folder of the test's sources.
/// That one is QBACKEND_TEST_FOLDER, relative to the program.
inline std::string getTestData(llvm::StringRef name) {
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<256> path = llvm::sys::path::parent_path(program);
  llvm::sys::path::append(path, QBACKEND_TEST_FOLDER, name);
  return path.str().str();
}

} // namespace qbackend

#endif // QBACKEND_TEST_TESTDATA_H
