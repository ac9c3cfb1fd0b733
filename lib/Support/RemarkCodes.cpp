// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the codes of remarks mean: the sections of docs/Diagnostics.md, which is
// part of the library.

#include "qbackend/Support/RemarkCodes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using llvm::StringRef;

static constexpr char kDiagnostics[] =
#include "qbackend/Support/Diagnostics.inc"
    ;

/// The section of `code`, from its title on; empty if there is none.
static StringRef getSection(StringRef code) {
  StringRef rest = kDiagnostics;
  size_t begin = rest.find(("\n## " + llvm::Twine(code) + ": ").str());
  if (code.empty() || begin == StringRef::npos)
    return {};
  StringRef section = rest.drop_front(begin + 1);
  return section.take_front(section.find("\n## ")).drop_front(3);
}

StringRef qbackend::getRemarkTitle(StringRef code) {
  return getSection(code).split('\n').first.split(": ").second;
}

std::string qbackend::explainRemarkCode(StringRef code) {
  StringRef section = getSection(code);
  std::string text;
  bool isCode = false;
  llvm::SmallVector<StringRef> lines;
  section.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.starts_with("```")) {
      isCode = !isCode;
      continue;
    }
    // One empty line at most where an example was.
    if (isCode || (line.empty() && StringRef(text).ends_with("\n\n")))
      continue;
    text += line.str() + "\n";
  }
  while (StringRef(text).ends_with("\n"))
    text.pop_back();
  return text;
}
