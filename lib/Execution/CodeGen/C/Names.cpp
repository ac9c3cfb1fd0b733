// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of C: of values and functions, and those of layers in comments.

#include "Writer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend::codegen;

/// What a name can't be in C: words, and what the headers have.
static const char *const reserved[] = {
    "auto",     "bool",    "break",  "case",     "char",     "const",
    "continue", "default", "do",     "double",   "else",     "enum",
    "extern",   "false",   "float",  "for",      "goto",     "if",
    "inline",   "int",     "long",   "register", "restrict", "return",
    "short",    "signed",  "sizeof", "static",   "struct",   "switch",
    "true",     "typedef", "union",  "unsigned", "void",     "volatile",
    "while",    "asm",     "memcpy", "main",     "exp",      "log",
    "pow",      "sqrt",    "tanh",   "erf",      "floor",    "ceil",
    "round",    "trunc",   "sin",    "cos",      "tan",      "fabs"};

/// A name of C that reads like `text`, and none of a type or a helper.
static std::string sanitize(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || !llvm::isAlpha(name.front()))
    name = "v" + name;
  StringRef suffix = StringRef(name).rsplit('_').second;
  bool isHelper =
      !suffix.empty() && llvm::is_contained({"t", "i1", "i8", "i16", "i32",
                                             "i64", "f32", "f64", "index"},
                                            suffix);
  return isHelper || llvm::is_contained(reserved, StringRef(name)) ? name + "_"
                                                                   : name;
}

std::string Names::add(StringRef text) {
  std::string base = sanitize(text), name = base;
  for (unsigned i = 2; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

void qbackend::codegen::addLayers(Location loc, Layers &layers) {
  loc->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner))
      layers.insert(named.getName());
    return WalkResult::advance();
  });
}

std::string qbackend::codegen::spellLayers(const Layers &layers,
                                           unsigned indent) {
  std::string text;
  for (StringAttr layer : layers) {
    text += text.empty() ? "" : ", ";
    for (char c : layer.getValue())
      text += llvm::isPrint(c) && c != '*' && c != '\\' && c != '?' ? c : '_';
  }
  if (text.empty())
    return "";
  return std::string(indent, ' ') + "/* " + text + " */\n";
}

std::string qbackend::codegen::getElementType(StringRef type) {
  if (type == "int8_t")
    return type.str();
  return (type.ends_with("_t") ? type.drop_back(2) : type).str() + "_element";
}

bool qbackend::codegen::mentionsWord(StringRef text, StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isWord(text[at - 1])) &&
        (end == text.size() || !isWord(text[end])))
      return true;
  }
  return false;
}
