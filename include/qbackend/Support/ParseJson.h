// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of whatever origin.

#ifndef QBACKEND_SUPPORT_PARSEJSON_H
#define QBACKEND_SUPPORT_PARSEJSON_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace qbackend {

/// Arrays of numbers, as doubles, by the keys that lead to them through
/// objects.
using JsonNumbers = std::map<std::vector<std::string>, std::vector<double>>;

/// Is given an element, in which arrays of numbers only, but for those within
/// other arrays, are empty, and what these have.
using JsonVisitor =
    llvm::function_ref<void(llvm::json::Value, const JsonNumbers &)>;

/// The value of `text`. What is nested more than 256 deep, has a key twice in
/// an object, or a number beyond doubles is an error with its line and column.
///
/// If the root is an object with an array `field`, `visit` is given each of its
/// elements when it has been read, and the array of the result is empty: all of
/// a table at once is a hundred times the memory of its text, and most of it
/// are numbers.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            llvm::StringRef field = {},
                                            JsonVisitor visit = nullptr);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_PARSEJSON_H
