// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether what a program is going to write has a place.

#include "qbackend/CommandLine/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

Error qbackend::checkWritable(StringRef path) {
  if (path.empty() || path == "-")
    return Error::success();
  auto fail = [&](const Twine &why) {
    return createStringError("cannot write '" + path + "': " + why);
  };
  if (sys::fs::is_directory(path))
    return fail("it is a directory; name a file in it");
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return Error::success();
  StringRef folder = sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!sys::fs::exists(folder))
    return fail("directory '" + folder + "' does not exist");
  if (!sys::fs::is_directory(folder))
    return fail("'" + folder + "' is not a directory");
  if (std::error_code error =
          sys::fs::access(folder, sys::fs::AccessMode::Write))
    return fail("directory '" + folder + "': " + error.message());
  return Error::success();
}
