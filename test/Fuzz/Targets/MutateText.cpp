// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How libFuzzer changes what is text: word by word, of one kind each, so that
// more of it still parses than of changed bytes.

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using llvm::StringRef;

/// Weak: where there is no libFuzzer, nothing calls what is here.
extern "C" size_t __attribute__((weak))
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
struct Word {
  /// A sign such as %, @ and #, or 0 for a number, a for a word, . for one with
  /// points, and t for a type of a tensor.
  char kind;
  size_t begin, length;
};

class Mutator {
public:
  Mutator(StringRef text, unsigned seed) : text(text), random(seed) {}

  std::string change() {
    for (unsigned changes = 1 + below(3); changes; --changes)
      changeOnce();
    return std::move(text);
  }

private:
  size_t below(size_t end) { return end ? random() % end : 0; }

  void changeOnce();
  std::vector<Word> findWords() const;
  StringRef get(const Word &word) const {
    return StringRef(text).substr(word.begin, word.length);
  }
  std::string findOther(const std::vector<Word> &words, const Word &word);
  void replaceAll(const std::vector<Word> &words, const Word &word,
                  StringRef other);
  void changeLines();

  std::string text;
  std::mt19937 random;
};
} // namespace

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

std::vector<Word> Mutator::findWords() const {
  std::vector<Word> words;
  StringRef rest(text);
  auto findEnd = [&](size_t begin, auto accepts) {
    size_t end = begin;
    while (end < rest.size() && accepts(rest[end]))
      ++end;
    return end;
  };
  for (size_t i = 0; i < rest.size();) {
    char c = rest[i];
    size_t end = i + 1;
    if (StringRef("%@#!^").contains(c)) {
      end = findEnd(end, isWordCharacter);
      words.push_back({c, i, end - i});
    } else if (llvm::isDigit(c)) {
      end = findEnd(i, [](char d) { return llvm::isDigit(d) || d == '.'; });
      words.push_back({'0', i, end - i});
      // Of a shape.
      end += end < rest.size() && rest[end] == 'x';
    } else if (llvm::isAlpha(c) || c == '_') {
      end = findEnd(i, isWordCharacter);
      StringRef word = rest.slice(i, end);
      words.push_back({word.contains('.') ? '.' : 'a', i, end - i});
      if (word == "tensor")
        if (size_t close = rest.find('>', end); close != StringRef::npos)
          words.push_back({'t', i, close + 1 - i});
    }
    i = end;
  }
  return words;
}

/// Another word of the kind, from the text or from what is rare.
std::string Mutator::findOther(const std::vector<Word> &words,
                               const Word &word) {
  static constexpr StringRef numbers[] = {
      "0",   "1",   "2",   "3",   "5",     "8",          "0.0", "-1",
      "127", "128", "255", "256", "65536", "2147483648", "1.5", "?"};
  static constexpr StringRef plain[] = {"f16", "bf16", "f64", "i1",
                                        "i8",  "i32",  "i64", "index"};
  if (word.kind == '0' && below(2))
    return numbers[below(std::size(numbers))].str();
  if (word.kind == 'a' && below(4) == 0)
    return plain[below(std::size(plain))].str();
  std::vector<const Word *> others;
  for (const Word &other : words)
    if (other.kind == word.kind && get(other) != get(word))
      others.push_back(&other);
  return others.empty() ? get(word).str()
                        : get(*others[below(others.size())]).str();
}

/// From the end, so that places stay right.
void Mutator::replaceAll(const std::vector<Word> &words, const Word &word,
                         StringRef other) {
  std::string wanted = get(word).str();
  for (const Word &each : llvm::reverse(words))
    if (each.kind == word.kind && get(each) == wanted)
      text.replace(each.begin, each.length, other.str());
}

/// A line less, twice, or somewhere else.
void Mutator::changeLines() {
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  size_t from = below(lines.size()), to = below(lines.size()), how = below(3);
  StringRef line = lines[from];
  if (how != 0)
    lines.insert(lines.begin() + to, line);
  if (how != 1)
    lines.erase(lines.begin() + from + (how == 2 && to <= from));
  text = llvm::join(lines, "\n");
}

void Mutator::changeOnce() {
  std::vector<Word> words = findWords();
  if (words.empty() || below(8) == 0) {
    changeLines();
    return;
  }
  Word word = words[below(words.size())];
  std::string other = findOther(words, word);
  // A name, extent or type everywhere is more often still a module.
  if (below(2))
    replaceAll(words, word, other);
  else
    text.replace(word.begin, word.length, other);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  // Bytecode, and now and then text, byte by byte.
  if (text.starts_with("ML\xefR") || seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string changed = Mutator(text, seed).change();
  size = std::min(changed.size(), maxSize);
  std::memcpy(data, changed.data(), size);
  return size;
}
