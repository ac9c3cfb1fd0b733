// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of LLVM's library from RapidJSON's reader. LLVM's own parser copies an
// array each time it grows, and the tables of a large network have millions of
// numbers.

#include "qbackend/Support/ParseJson.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include "rapidjson/error/en.h"
#include "rapidjson/memorystream.h"
#include "rapidjson/reader.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace qbackend;
using llvm::StringRef;
namespace json = llvm::json;

/// As deep as clang nests brackets. Calibration tables and PyTorch's dict form
/// have less than 10 levels.
static constexpr unsigned maxDepth = 256;

namespace {

/// Is called for each token: values are on a stack until their array or object
/// ends. What returns false ends the reading.
class ValueBuilder {
public:
  ValueBuilder(rapidjson::MemoryStream &stream, StringRef field,
               JsonVisitor visit)
      : stream(stream), field(field), visit(visit) {}

  json::Value takeRoot() { return std::move(values.front()); }

  /// Why the reading was ended, if it was this class that ended it.
  std::string error;

  bool Null() { return push(nullptr); }
  bool Bool(bool value) { return push(value); }
  bool String(const char *data, unsigned length, bool /*copy*/) {
    return push(StringRef(data, length).str());
  }
  /// Numbers come as text, as LLVM has more kinds of them: what fits into 64
  /// bits is an integer, the rest the nearest double.
  bool RawNumber(const char *data, unsigned length, bool /*copy*/) {
    const char *end = data + length;
    auto isAll = [&](std::from_chars_result result) {
      return result.ec == std::errc() && result.ptr == end;
    };
    int64_t integer;
    if (isAll(std::from_chars(data, end, integer)))
      return pushNumber(integer);
    uint64_t large;
    if (isAll(std::from_chars(data, end, large)))
      return pushNumber(large);
    double number;
    std::from_chars_result result = std::from_chars(data, end, number);
    // Of a magnitude below all doubles: 0, or the least of them.
    if (result.ec == std::errc::result_out_of_range)
      number = std::strtod(std::string(data, length).c_str(), nullptr);
    if (result.ptr == end && std::isfinite(number))
      return pushNumber(number);
    return fail("number too big to be stored in double");
  }
  // RapidJSON makes these only where numbers don't come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

  bool StartArray() {
    isVisiting |= visit && depth == 1 && !keys.empty() && keys.back() == field;
    if (!enter())
      return false;
    // An element that is an array has no keys.
    if (isVisiting && depth > 2 && arraysInside++ == 0 && depth > 3) {
      flat = &numbers[getPath()];
      flat->clear();
      taken = 0;
      takeIntegers();
    }
    return true;
  }
  bool EndArray(unsigned count) {
    // Of what was visited nothing is kept.
    if (isVisiting && depth == 2) {
      isVisiting = false;
      count = 0;
    }
    if (isVisiting && depth > 2 && --arraysInside == 0 && depth > 3) {
      count = flat ? 0 : taken + count;
      flat = nullptr;
    }
    json::Array array;
    array.reserve(count);
    for (json::Value &value : llvm::MutableArrayRef(values).take_back(count))
      array.emplace_back(std::move(value));
    return leave(count, std::move(array));
  }
  bool StartObject() { return enter(); }
  bool Key(const char *data, unsigned length, bool /*copy*/) {
    keys.push_back(StringRef(data, length).str());
    current.resize(depth);
    current.back() = keys.size() - 1;
    return true;
  }
  bool EndObject(unsigned count) {
    json::Object object;
    for (unsigned i = 0; i < count; ++i) {
      std::string &key = keys[keys.size() - count + i];
      if (object.get(key))
        return fail("the key '" + key + "' occurs twice in an object");
      object[std::move(key)] = std::move(values[values.size() - count + i]);
    }
    keys.truncate(keys.size() - count);
    return leave(count, std::move(object));
  }

private:
  template <typename T> bool push(T &&value) {
    unflatten();
    values.emplace_back(std::forward<T>(value));
    if (isVisiting && depth == 2) {
      visit(values.pop_back_val(), numbers);
      numbers.clear();
    }
    return true;
  }
  template <typename T> bool pushNumber(T number) {
    if (!flat)
      return push(number);
    flat->push_back(static_cast<double>(number));
    return true;
  }
  /// Takes integers from the begin of an array, but for the last one, which
  /// RapidJSON takes five times as long for.
  void takeIntegers() {
    // The reader takes the bracket behind this.
    assert(stream.Peek() == '[');
    const char *next = stream.src_ + 1, *end = stream.end_;
    auto skipSpaces = [&](const char *at) {
      while (at != end && (*at == ' ' || *at == '\n'))
        ++at;
      return at;
    };
    for (const char *at = skipSpaces(next);; ++taken) {
      const char *begin = at;
      int64_t number = 0;
      for (; at != end && llvm::isDigit(*at) && at - begin < 16; ++at)
        number = 10 * number + (*at - '0');
      // What else it may be, and whether it is right, is for RapidJSON to say.
      if (at == begin || at - begin > 15 || (*begin == '0' && at - begin > 1) ||
          at == end || *at != ',')
        break;
      at = skipSpaces(at + 1);
      if (at == end || !llvm::isDigit(*at))
        break;
      flat->push_back(static_cast<double>(number));
      next = at;
    }
    stream.src_ = next - 1;
  }

  /// The keys from an element to the array that begins.
  std::vector<std::string> getPath() const {
    std::vector<std::string> path;
    for (unsigned level = 2; level + 1 < depth; ++level)
      path.push_back(keys[current[level]]);
    return path;
  }
  /// An array that has something else than numbers is a value as others are.
  void unflatten() {
    if (!flat)
      return;
    for (double number : *flat)
      values.emplace_back(number);
    flat->clear();
    flat = nullptr;
  }
  bool enter() {
    unflatten();
    if (++depth <= maxDepth)
      return true;
    return fail("nested too deeply, expected at most " +
                std::to_string(maxDepth) + " levels");
  }
  template <typename T> bool leave(unsigned count, T &&container) {
    --depth;
    values.truncate(values.size() - count);
    return push(std::forward<T>(container));
  }
  bool fail(std::string reason) {
    error = std::move(reason);
    return false;
  }

  rapidjson::MemoryStream &stream;
  StringRef field;
  JsonVisitor visit;
  /// In the root's array that is visited.
  bool isVisiting = false;
  /// How many arrays of an element are open, where the first one's numbers go
  /// as long as it has nothing else, and how many RapidJSON hasn't seen.
  unsigned arraysInside = 0, taken = 0;
  std::vector<double> *flat = nullptr;
  JsonNumbers numbers;
  // Not std::vector: it copies values when it grows, as they may throw.
  llvm::SmallVector<json::Value, 0> values;
  llvm::SmallVector<std::string, 0> keys;
  /// Where the last key of each level is in `keys`.
  llvm::SmallVector<size_t, 0> current;
  unsigned depth = 0;
};

} // namespace

llvm::Expected<json::Value> qbackend::parseJson(StringRef text, StringRef field,
                                                JsonVisitor visit) {
  auto fail = [&](size_t place, const llvm::Twine &reason) {
    StringRef before = text.take_front(place);
    return llvm::createStringError(
        "[" + llvm::Twine(before.count('\n') + 1) + ":" +
        llvm::Twine(place - (before.rfind('\n') + 1)) +
        ", byte=" + llvm::Twine(place) + "]: " + reason);
  };
  // Its iterative parser doesn't call itself for each level.
  constexpr unsigned flags = rapidjson::kParseIterativeFlag |
                             rapidjson::kParseNumbersAsStringsFlag |
                             rapidjson::kParseValidateEncodingFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  ValueBuilder builder(stream, field, visit);
  rapidjson::ParseResult result = reader.Parse<flags>(stream, builder);
  if (result.IsError()) {
    if (!builder.error.empty())
      return fail(result.Offset(), builder.error);
    // Sentences; our errors are none.
    StringRef reason = rapidjson::GetParseError_En(result.Code());
    return fail(result.Offset(), reason.take_front(1).lower() +
                                     reason.drop_front().rtrim('.').str());
  }
  // The stream's end is a NUL, and what follows one in the text isn't read.
  if (stream.Tell() < text.size())
    return fail(stream.Tell(), "unexpected NUL");
  return builder.takeRoot();
}
