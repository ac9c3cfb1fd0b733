// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a run as JSON, and all of them as one.

#include "qbackend/Support/Parts.h"

#include "qbackend/Support/Error.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/ParseJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace qbackend;
using llvm::Error;
using llvm::StringRef;
namespace json = llvm::json;

std::string qbackend::getToolName() { return "qbackend " QBACKEND_VERSION; }

bool qbackend::isParts(StringRef text) {
  text = text.ltrim();
  return text.consume_front("{") && text.ltrim().starts_with("\"parts\"");
}

std::string qbackend::printParts(const Parts &parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n\"parts\": " << json::Value(parts.command)
     << ",\n\"tool\": " << json::Value(parts.tool)
     << ",\n\"of\": " << json::Value(parts.of) << ",\n\"results\": {";
  llvm::interleave(
      parts.results, os,
      [&](auto &result) {
        os << "\n" << json::Value(result.first) << ": " << result.second;
      },
      ",");
  os << "\n}\n}\n";
  return text;
}

llvm::Expected<Parts> qbackend::parseParts(StringRef text, StringRef path) {
  auto value = parseJson(text);
  if (!value)
    return makeError("{0}: {1}", path, llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  json::Object *results = object ? object->getObject("results") : nullptr;
  Parts parts;
  for (auto [field, into] :
       {std::pair("parts", &parts.command), std::pair("tool", &parts.tool),
        std::pair("of", &parts.of)}) {
    auto found = object ? object->getString(field) : std::nullopt;
    if (!found || !results)
      return makeError("{0}: no parts of a run: field '{1}' is missing", path,
                       found ? "results" : field);
    *into = found->str();
  }
  for (auto &[key, result] : *results)
    parts.results.emplace(StringRef(key).str(), std::move(result));
  return parts;
}

/// Fails unless `parts` are of what `expected` are.
static Error checkHead(const Parts &expected, StringRef expectedPath,
                       const Parts &parts, StringRef path) {
  if (parts.command != expected.command)
    return makeError("'{0}' is of the command '{1}', {2} of '{3}'", path,
                     parts.command, expectedPath, expected.command);
  if (parts.tool != expected.tool)
    return makeError("'{0}' is by '{1}', {2} by '{3}'", path, parts.tool,
                     expectedPath, expected.tool);
  if (parts.of != expected.of)
    return makeError("'{0}' is of another network, other samples or other "
                     "options than {1}; make all parts with the same ones",
                     path, expectedPath);
  return Error::success();
}

/// Adds the results of `parts` to those of `into`.
static Error addResults(Parts &into, Parts parts, StringRef path) {
  for (auto &[key, result] : parts.results)
    if (!into.results.emplace(key, std::move(result)).second)
      return makeError("'{0}' has the part '{1}', which another file has, too; "
                       "give each once",
                       path, key);
  return Error::success();
}

llvm::Expected<Parts> qbackend::mergeParts(llvm::ArrayRef<NamedParts> parts) {
  if (parts.empty())
    return llvm::createStringError("nothing to merge");
  Parts result = parts.front().parts;
  for (const NamedParts &named : parts.drop_front()) {
    if (Error error = checkHead(result, "'" + parts.front().path + "'",
                                named.parts, named.path))
      return error;
    if (Error error = addResults(result, named.parts, named.path))
      return error;
  }
  return result;
}

static Error readText(StringRef text, StringRef path, Parts &parts) {
  auto read = parseParts(text, path);
  if (!read)
    return read.takeError();
  if (Error error = checkHead(parts, "this run", *read, path))
    return error;
  return addResults(parts, std::move(*read), path);
}

Error qbackend::readParts(StringRef text, Parts &parts) {
  return text.empty() ? Error::success() : readText(text, "parts", parts);
}

Error qbackend::readParts(llvm::ArrayRef<std::string> paths, Parts &parts) {
  for (const std::string &path : paths) {
    auto buffer = readFile(path);
    if (!buffer)
      return makeError("cannot read '{0}': {1}", path,
                       buffer.getError().message());
    if (Error error = readText((*buffer)->getBuffer(), path, parts))
      return error;
  }
  return Error::success();
}

std::string qbackend::getSamplesName(int64_t first, int64_t end) {
  return llvm::formatv("{0}-{1}", first, end - 1).str();
}

llvm::Expected<std::vector<const json::Value *>>
qbackend::orderSamples(const Parts &parts, int64_t total) {
  struct Range {
    int64_t first, last;
    const json::Value *result;
  };
  std::vector<Range> ranges;
  for (auto &[key, result] : parts.results) {
    auto [first, last] = StringRef(key).split('-');
    Range &range = ranges.emplace_back(Range{0, 0, &result});
    if (first.getAsInteger(10, range.first) ||
        last.getAsInteger(10, range.last) || range.first < 0 ||
        range.last < range.first)
      return makeError("'{0}' are no samples, expected such as 0-49", key);
  }
  llvm::sort(ranges, [](const Range &a, const Range &b) {
    return a.first < b.first || (a.first == b.first && a.last < b.last);
  });
  std::vector<const json::Value *> results;
  int64_t next = 0;
  auto missing = [&](int64_t end) {
    return makeError("samples {0} to {1} are in none of the parts", next,
                     end - 1);
  };
  for (const Range &range : ranges) {
    if (range.first < next)
      return makeError("sample {0} is in two parts", range.first);
    if (range.first > next)
      return missing(range.first);
    next = range.last + 1;
    results.push_back(range.result);
  }
  if (next < total)
    return missing(total);
  if (next > total)
    return makeError("the parts have {0} samples, this run has {1}", next,
                     total);
  return results;
}

std::string qbackend::hashText(StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return "sha256:" + llvm::toHex(hash.final(), /*LowerCase=*/true);
}
