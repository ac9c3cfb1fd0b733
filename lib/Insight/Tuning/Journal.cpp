// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search has measured, in a file, so that it can go on.

#include "Journal.h"

#include "qbackend/Calibration/Table.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <limits>

using namespace qbackend;
using namespace qbackend::tuning;
using llvm::StringRef;

/// How much of the work may be lost with the process.
static constexpr std::chrono::milliseconds kUnsaved(300);

llvm::json::Array tuning::toArray(const Score &score) {
  llvm::json::Array numbers;
  // JSON has no infinity.
  numbers.push_back(std::isfinite(score.sqnr)
                        ? llvm::json::Value(score.sqnr)
                        : llvm::json::Value(score.sqnr > 0 ? "inf" : "-inf"));
  if (score.accuracy)
    numbers.push_back(*score.accuracy);
  return numbers;
}

std::optional<Score> tuning::toScore(const llvm::json::Value &value) {
  auto *numbers = value.getAsArray();
  if (!numbers || numbers->empty() || numbers->size() > 2)
    return std::nullopt;
  Score score;
  if (auto text = (*numbers)[0].getAsString())
    score.sqnr =
        (*text == "-inf" ? -1 : 1) * std::numeric_limits<double>::infinity();
  else if (auto number = (*numbers)[0].getAsNumber())
    score.sqnr = *number;
  else
    return std::nullopt;
  if (numbers->size() == 2) {
    score.accuracy = (*numbers)[1].getAsNumber();
    if (!score.accuracy)
      return std::nullopt;
  }
  return score;
}

llvm::Error Journal::write() {
  if (path.empty())
    return llvm::Error::success();
  written = std::chrono::steady_clock::now();
  llvm::json::Object scoreObject, secondsObject, countObject;
  for (auto &[key, score] : scores)
    scoreObject[key] = toArray(score);
  for (auto &[key, time] : seconds)
    secondsObject[key] = time;
  for (auto &[key, count] : counts)
    countObject[key] = count;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                   {"network", network},
                                   {"operators", std::move(countObject)},
                                   {"scores", std::move(scoreObject)},
                                   {"seconds", std::move(secondsObject)}}))
     << "\n";
  return calibration::writeText(text, path);
}

void Journal::remove() { llvm::sys::fs::remove(path); }

llvm::Error Journal::read(bool hasAccuracy) {
  if (!llvm::sys::fs::exists(path))
    return llvm::Error::success();
  auto buffer = readFile(path);
  if (!buffer)
    return makeError("cannot read '{0}': {1}", path,
                     buffer.getError().message());
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return makeError("'{0}' is no JSON: {1}; remove it to start again", path,
                     llvm::toString(value.takeError()));
  auto *object = value->getAsObject();
  auto *scoreObject = object ? object->getObject("scores") : nullptr;
  if (!scoreObject || object->getString("network") != StringRef(network))
    return makeError("'{0}' is of another network, or of other options; remove "
                     "it to start again",
                     path);
  for (auto &[key, entry] : *scoreObject) {
    auto score = toScore(entry);
    if (!score)
      return makeError("'{0}' has no score for '{1}'; remove it to start "
                       "again",
                       path, StringRef(key));
    if (score->accuracy.has_value() == hasAccuracy)
      scores[StringRef(key).str()] = *score;
  }
  if (auto *countObject = object->getObject("operators"))
    for (auto &[key, entry] : *countObject)
      if (auto count = entry.getAsInteger())
        counts[StringRef(key).str()] = *count;
  if (auto *secondsObject = object->getObject("seconds"))
    for (auto &[key, entry] : *secondsObject)
      if (auto time = entry.getAsNumber())
        seconds[StringRef(key).str()] = *time;
  return llvm::Error::success();
}

std::optional<Score> Journal::findScore(StringRef key) const {
  auto it = scores.find(std::string_view(key));
  return it == scores.end() ? std::nullopt : std::optional(it->second);
}

std::optional<double> Journal::findSeconds(StringRef key) const {
  auto it = seconds.find(std::string_view(key));
  return it == seconds.end() ? std::nullopt : std::optional(it->second);
}

std::optional<int64_t> Journal::findCount(StringRef key) const {
  auto it = counts.find(std::string_view(key));
  return it == counts.end() ? std::nullopt : std::optional(it->second);
}

/// What counts are called among results.
static constexpr StringRef kOperators = "operators, ";

std::map<std::string, llvm::json::Value>
Journal::getResults(const std::map<std::string, llvm::json::Value> &known,
                    llvm::function_ref<bool(StringRef)> isWanted) const {
  std::map<std::string, llvm::json::Value> results;
  for (auto &[key, score] : scores)
    if (!known.count(key) && isWanted(key))
      results.emplace(key, toArray(score));
  for (auto &[key, count] : counts)
    if (std::string name = (kOperators + key).str();
        !known.count(name) && isWanted(name))
      results.emplace(name, count);
  return results;
}

llvm::Error
Journal::takeResults(const std::map<std::string, llvm::json::Value> &results) {
  for (auto &[key, value] : results) {
    StringRef name = key;
    auto count = value.getAsInteger();
    if (count && name.consume_front(kOperators))
      counts[name.str()] = *count;
    else if (auto score = toScore(value))
      scores[key] = *score;
    else if (!value.getAsBoolean())
      return makeError("no score and no number of operators: '{0}'", key);
  }
  return llvm::Error::success();
}

llvm::Error Journal::addScore(StringRef key, const Score &score) {
  scores[key.str()] = score;
  if (written && std::chrono::steady_clock::now() - *written < kUnsaved)
    return llvm::Error::success();
  return write();
}

llvm::Error Journal::addSeconds(StringRef key, double time) {
  seconds[key.str()] = time;
  return write();
}
