// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of qbackend-opt: those of mlir-opt, and keys of
// --apply-backend wherever they stand.

#include "qbackend/Support/Arguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace qbackend;

static constexpr StringLiteral kApplyBackend = "apply-backend";
static constexpr StringLiteral kExplain = "explain";

StringRef qbackend::findNearest(StringRef word,
                                ArrayRef<StringRef> candidates) {
  StringRef nearest;
  unsigned best = std::max<unsigned>(1, word.size() / 3) + 1;
  for (StringRef candidate : candidates) {
    unsigned distance = word.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

bool qbackend::isCommonOption(StringRef name) {
  static constexpr StringRef names[] = {"o",
                                        "sandbox",
                                        "help",
                                        "version",
                                        "canonicalize",
                                        "cse",
                                        "emit-bytecode",
                                        "pass-pipeline",
                                        "load-dialect-plugin",
                                        "load-pass-plugin",
                                        "allow-unregistered-dialect",
                                        "mlir-print-debuginfo",
                                        "mlir-print-ir-after-all",
                                        "mlir-timing",
                                        "remark-format",
                                        "remarks-filter",
                                        "remarks-output-file"};
  return is_contained(names, name) || name == kApplyBackend ||
         name.starts_with("qbackend-") ||
         name.starts_with("convert-qbackend") ||
         name.starts_with("convert-qnnpack");
}

/// What may be a key: lower-case letters and dashes.
static bool looksLikeKey(StringRef text) {
  return !text.empty() && all_of(text, [](char c) {
    return c == '-' || (c >= 'a' && c <= 'z');
  }) && !text.starts_with("-");
}

namespace {
/// The keys of one --apply-backend.
class KeyList {
public:
  explicit KeyList(ArrayRef<Key> keys) : keys(keys) {
    for (const Key &key : keys)
      names.push_back(key.name);
  }

  ArrayRef<StringRef> getNames() const { return names; }
  bool contains(StringRef name) const { return is_contained(names, name); }
  bool empty() const { return given.empty(); }
  const std::string &getFirst() const { return given.front().first; }

  /// Adds what stands on the line as `name=value`.
  Error add(StringRef name, StringRef value) {
    const Key *key =
        find_if(keys, [&](const Key &k) { return k.name == name; });
    if (key == keys.end())
      return failUnknown(name);
    if (value.empty())
      return createStringError("key '" + name +
                               "' has no value; give one, or leave it out");
    for (const auto &[other, text] : given)
      if (other == name)
        return createStringError("key '" + name + "' is given twice, as '" +
                                 text + "' and '" + value + "'");
    if (Error error = checkValue(*key, unquote(value)))
      return error;
    given.push_back({name.str(), value.str()});
    return Error::success();
  }

  /// Adds what the pass takes as one text: "qnnpack data=x.npz". The backend is
  /// its first word, or a key.
  Error addAll(StringRef text) {
    bool isFirst = true;
    for (StringRef word = takeWord(text); !word.empty();
         word = takeWord(text)) {
      auto [name, value] = word.split('=');
      bool isBackend = std::exchange(isFirst, false) && !word.contains('=');
      if (!isBackend && !word.contains('='))
        return createStringError("'" + word +
                                 "' is no key=value; there are the keys " +
                                 join(names, ", "));
      if (Error error = isBackend ? add("backend", word) : add(name, value))
        return error;
    }
    return Error::success();
  }

  /// Whether the line gives the key `name`.
  bool has(StringRef name) const {
    return any_of(given, [&](const auto &key) { return key.first == name; });
  }

  /// As the pass takes them.
  std::string str() const {
    std::string text;
    for (const auto &[name, value] : given)
      text += (text.empty() ? "" : " ") + name + "=" + quote(value);
    return text;
  }

  Error failUnknown(StringRef name) const {
    StringRef nearest = findNearest(name, names);
    return createStringError(
        "--apply-backend has no key '" + name + "'" +
        (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
        (nearest.empty() ? "; there are " : " There are ") + join(names, ", "));
  }

private:
  /// The first word of `text`, which is taken from it; what is in quotes or
  /// braces is no end of it.
  static StringRef takeWord(StringRef &text) {
    text = text.ltrim();
    char quote = 0;
    unsigned depth = 0;
    size_t end = 0;
    for (; end < text.size(); ++end) {
      char c = text[end];
      if (quote)
        quote = c == quote ? 0 : quote;
      else if (c == '"' || c == '\'')
        quote = c;
      else if (c == '{')
        ++depth;
      else if (c == '}' && depth)
        --depth;
      else if (isSpace(c) && !depth)
        break;
    }
    StringRef word = text.take_front(end);
    text = text.drop_front(end);
    return word;
  }

  static bool isQuoted(StringRef value) {
    return value.size() >= 2 && value.front() == value.back() &&
           (value.front() == '"' || value.front() == '\'');
  }
  static StringRef unquote(StringRef value) {
    return isQuoted(value) ? value.drop_front().drop_back() : value;
  }
  /// A path may have blanks.
  static std::string quote(StringRef value) {
    if (!any_of(value, isSpace) || isQuoted(value) || value.starts_with("{"))
      return value.str();
    return value.contains('"') ? ("'" + value + "'").str()
                               : ("\"" + value + "\"").str();
  }

  static Error checkValue(const Key &key, StringRef value) {
    auto fail = [&](const Twine &expected) {
      return createStringError("key '" + key.name + "' is '" + value +
                               "', expected " + expected);
    };
    int64_t integer;
    double number;
    if (key.kind == Key::Kind::Integer &&
        (value.getAsInteger(10, integer) || integer < key.least ||
         integer > key.most))
      return fail("a whole number" +
                  (key.most == INT64_MAX ? Twine()
                                         : " from " + Twine(key.least) +
                                               " to " + Twine(key.most)));
    if (key.kind == Key::Kind::Number && value.getAsDouble(number))
      return fail("a number");
    if (!key.choices.empty() && !is_contained(key.choices, value))
      return fail(join(key.choices, " or "));
    return Error::success();
  }

  ArrayRef<Key> keys;
  SmallVector<StringRef> names;
  /// In the order of the line.
  std::vector<std::pair<std::string, std::string>> given;
};
} // namespace

Expected<std::string> qbackend::formatKeys(ArrayRef<std::string> words,
                                           ArrayRef<Key> keys) {
  KeyList list(keys);
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    if (Error error = list.add(name, value))
      return std::move(error);
  }
  return list.str();
}

Error qbackend::checkKeys(StringRef text, ArrayRef<Key> keys) {
  return KeyList(keys).addAll(text);
}

static Error failOption(StringRef argument, const KeyList &keys,
                        const DenseMap<StringRef, cl::Option *> &registered) {
  StringRef name = argument.ltrim('-').split('=').first;
  // What is in reach: nobody who misspells a key means a pass of LLVM's.
  SmallVector<StringRef> candidates(keys.getNames());
  for (const auto &[option, value] : registered)
    if (isCommonOption(option))
      candidates.push_back(option);
  llvm::sort(candidates);
  StringRef nearest = findNearest(name, candidates);
  std::string text = ("no option '" + argument.split('=').first + "'").str();
  if (keys.contains(nearest))
    text += ("; did you mean the key '" + nearest + "='?").str();
  else if (!nearest.empty())
    text += ("; did you mean '" + StringRef(nearest.size() > 1 ? "--" : "-") +
             nearest + "'?")
                .str();
  return createStringError(text + (nearest.empty() ? "; " : " ") +
                           "--help lists options and keys");
}

Expected<OptArguments> qbackend::rewriteOptArguments(
    ArrayRef<StringRef> given,
    const DenseMap<StringRef, cl::Option *> &registered, ArrayRef<Key> allKeys,
    ArrayRef<StringRef> backends) {
  OptArguments result;
  KeyList keys(allKeys);
  SmallVector<std::string> files;
  // The file that is the backend if there are two: the first after a lone
  // --apply-backend.
  std::optional<size_t> afterLone;
  bool isFiltered = false, printsGraph = false, isBytecode = false;
  result.appliesBackend = any_of(given, [](StringRef argument) {
    StringRef name = argument.ltrim('-').split('=').first;
    return argument.starts_with("-") &&
           (name == kApplyBackend || name == kExplain);
  });
  for (size_t i = 0; i < given.size(); ++i) {
    StringRef argument = given[i];
    auto [name, value] = argument.split('=');
    bool hasValue = argument.contains('=');
    if (!argument.starts_with("-") || argument == "-") {
      if (!hasValue || !looksLikeKey(name) || sys::fs::exists(argument)) {
        files.push_back(argument.str());
        continue;
      }
      if (!result.appliesBackend)
        return createStringError(
            "'" + argument + "' is no file" +
            (keys.contains(name)
                 ? ", and '" + name +
                       "' is a key of --apply-backend, which is not given; add "
                       "--apply-backend=BACKEND"
                 : Twine()));
      if (Error error = keys.add(name, value))
        return std::move(error);
      continue;
    }
    name = name.ltrim('-');
    if (name == kApplyBackend) {
      if (hasValue && value.trim().empty())
        return createStringError(
            "--apply-backend= has no value; expected a built-in backend (" +
            join(backends, ", ") + "), a configuration file, or @symbol");
      if (Error error = keys.addAll(value))
        return std::move(error);
      if (!hasValue)
        afterLone = files.size();
      continue;
    }
    bool isKey = result.appliesBackend && keys.contains(name);
    auto option = registered.find(name);
    // MLIR registers -o when it parses the arguments, not before.
    bool isOutput = name == "o";
    if (!isKey && !isOutput && option == registered.end()) {
      if (!keys.contains(name))
        return failOption(argument, keys, registered);
      return createStringError("'" + name +
                               "' is a key of --apply-backend, which is not "
                               "given; add --apply-backend=BACKEND");
    }
    bool takesNext =
        !hasValue && i + 1 < given.size() &&
        (isKey || isOutput ||
         option->second->getValueExpectedFlag() == cl::ValueRequired);
    if (takesNext)
      value = given[i + 1];
    if (isKey) {
      i += takesNext;
      if (Error error = keys.add(name, value))
        return std::move(error);
      continue;
    }
    if (name == "o")
      result.output = value.str();
    isFiltered |= name.starts_with("remarks-filter");
    isBytecode |= name.starts_with("emit-bytecode");
    printsGraph |= name == "qbackend-print-operators" ||
                   name == "qbackend-print-observers" ||
                   (name == "pass-pipeline" &&
                    (value.contains("qbackend-print-operators") ||
                     value.contains("qbackend-print-observers")));
    result.arguments.push_back(argument.str());
    if (takesNext) {
      result.arguments.push_back(value.str());
      ++i;
    }
  }
  if (afterLone && !keys.has("backend") && *afterLone < files.size()) {
    StringRef next = files[*afterLone];
    if (files.size() > 1 || next.starts_with("@") ||
        is_contained(backends, next)) {
      if (Error error = keys.add("backend", next))
        return std::move(error);
      files.erase(files.begin() + *afterLone);
    }
  }
  if (files.size() > 1) {
    auto key = find_if(files, [&](StringRef file) {
      return keys.contains(file) && !sys::fs::exists(file);
    });
    return createStringError(
        "more than one input file: '" + join(files, "', '") + "'" +
        (key == files.end() ? ""
                            : "; '" + *key +
                                  "' is a key, which takes a "
                                  "value: " +
                                  *key + "=VALUE"));
  }
  if (result.appliesBackend) {
    result.arguments.push_back(("--" + kApplyBackend + "=" + keys.str()).str());
    if (!isFiltered)
      result.arguments.push_back("--remarks-filter=qbackend.*");
  }
  // The graph of operators or observers, or one of them, is what is asked for.
  if ((printsGraph || keys.has(kExplain)) && result.output.empty())
    result.arguments.push_back("-o=/dev/null");
  auto format =
      chooseFormat(result.output,
                   {FileFormat::MLIR, FileFormat::Bytecode, FileFormat::ONNX});
  if (!format)
    return format.takeError();
  result.format = *format;
  // An ONNX model is made of it.
  if (*format != FileFormat::MLIR && !isBytecode)
    result.arguments.push_back("--emit-bytecode");
  if (none_of(given, [](StringRef argument) {
        return argument.contains("mlir-print-op-on-diagnostic");
      }))
    result.arguments.push_back("--mlir-print-op-on-diagnostic=false");
  if (!files.empty())
    result.input = files.front();
  result.arguments.insert(result.arguments.end(), files.begin(), files.end());
  return result;
}
