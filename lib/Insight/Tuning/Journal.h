// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search has measured, in a file, so that it can go on.

#ifndef QBACKEND_LIB_INSIGHT_TUNING_JOURNAL_H
#define QBACKEND_LIB_INSIGHT_TUNING_JOURNAL_H

#include "qbackend/Insight/Tuning/Simulation.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <map>
#include <optional>

namespace qbackend::tuning {

/// A score as JSON: the SQNR, "inf" or "-inf", and the accuracy if it has one.
llvm::json::Array toArray(const Score &score);
std::optional<Score> toScore(const llvm::json::Value &value);

/// Scores and times, by the name of what they are of.
class Journal {
public:
  /// An empty path is no file.
  explicit Journal(std::string path) : path(std::move(path)) {}

  /// `network` says what the numbers are of: a file of another one is refused.
  void setNetwork(llvm::StringRef text) { network = text.str(); }

  /// Reads the file, if it is there. `hasAccuracy`: scores have one.
  llvm::Error read(bool hasAccuracy);
  llvm::Error write();
  void remove();

  std::optional<Score> findScore(llvm::StringRef key) const;
  std::optional<double> findSeconds(llvm::StringRef key) const;
  std::optional<int64_t> findCount(llvm::StringRef key) const;

  /// Adds a number; the file is written at the first one, and from
  /// time to time.
  llvm::Error addScore(llvm::StringRef key, const Score &score);
  /// The file is written at once: a time measured again is another one.
  llvm::Error addSeconds(llvm::StringRef key, double seconds);
  /// How many operators there are, -1: that can't be said. Written with the
  /// scores.
  void addCount(llvm::StringRef key, int64_t count) {
    counts[key.str()] = count;
  }

  /// What the numbers are of.
  llvm::StringRef getNetwork() const { return network; }

  /// Scores and counts, but for those of `known` and, of the scores, those that
  /// `isWanted` says no to, as the results of parts.
  std::map<std::string, llvm::json::Value>
  getResults(const std::map<std::string, llvm::json::Value> &known,
             llvm::function_ref<bool(llvm::StringRef key)> isWanted) const;
  /// Takes such results; the file is not written.
  llvm::Error
  takeResults(const std::map<std::string, llvm::json::Value> &results);

private:
  std::string path, network;
  std::map<std::string, Score, std::less<>> scores;
  std::map<std::string, int64_t, std::less<>> counts;
  std::map<std::string, double, std::less<>> seconds;
  std::optional<std::chrono::steady_clock::time_point> written;
};

} // namespace qbackend::tuning

#endif // QBACKEND_LIB_INSIGHT_TUNING_JOURNAL_H
