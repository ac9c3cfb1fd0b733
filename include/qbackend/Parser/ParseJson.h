// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of whatever origin.

#ifndef QBACKEND_PARSER_PARSEJSON_H
#define QBACKEND_PARSER_PARSEJSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace qbackend {

/// The value of `text`. What is nested more than 256 deep is an error: LLVM's
/// parser calls itself for each level.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace qbackend

#endif // QBACKEND_PARSER_PARSEJSON_H
