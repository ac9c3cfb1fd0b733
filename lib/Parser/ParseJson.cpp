// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's parser of JSON, behind a limit of its depth.

#include "qbackend/Parser/ParseJson.h"

using namespace qbackend;
using llvm::StringRef;

/// As deep as clang nests brackets. Calibration tables and PyTorch's dict form
/// have less than 10 levels.
static constexpr unsigned maxDepth = 256;

/// Where `text` is nested too deeply, or npos.
static size_t findTooDeep(StringRef text) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"':
      // Up to the quote that no backslash precedes.
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      break;
    case '[':
    case '{':
      if (++depth > maxDepth)
        return i;
      break;
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return StringRef::npos;
}

llvm::Expected<llvm::json::Value> qbackend::parseJson(StringRef text) {
  size_t place = findTooDeep(text);
  if (place == StringRef::npos)
    return llvm::json::parse(text);
  StringRef before = text.take_front(place);
  return llvm::createStringError("[" + llvm::Twine(before.count('\n') + 1) +
                                 ":" +
                                 llvm::Twine(place - (before.rfind('\n') + 1)) +
                                 ", byte=" + llvm::Twine(place) +
                                 "]: nested too deeply, expected at most " +
                                 llvm::Twine(maxDepth) + " levels");
}
