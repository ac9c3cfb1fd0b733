// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A progress bar of one line, for work that takes long enough to wonder.

#ifndef QBACKEND_EXECUTION_SAMPLES_PROGRESS_H
#define QBACKEND_EXECUTION_SAMPLES_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace qbackend::arrays {

/// Draws `label [#####-----] 50/100  12.3/s  ETA 0:04` over itself.
///
/// On standard error it draws only if that is a terminal. It is thread-safe,
/// and draws at most ten times a second.
class ProgressBar {
public:
  /// Draws on standard error if that is a terminal, otherwise nowhere.
  ProgressBar(llvm::StringRef label, int64_t total);

  /// Draws on `os` in any case. Used by tests.
  ProgressBar(llvm::StringRef label, int64_t total, llvm::raw_ostream &os);

  ~ProgressBar();
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;

  /// Adds `count` to what is done.
  void advance(int64_t count = 1);

  /// Draws the last state and ends the line. The destructor does it too.
  void finish();

  /// Removes the line, for a message that is about to be printed.
  void clear();

private:
  void draw();

  std::mutex mutex;
  std::string label;
  int64_t total;
  int64_t done = 0;
  llvm::raw_ostream *os = nullptr; // Null: draw nothing.
  std::chrono::steady_clock::time_point start;
  std::chrono::steady_clock::time_point lastDrawn;
  size_t width = 0; // Of the line that is on the screen.
  bool finished = false;
};

} // namespace qbackend::arrays

#endif // QBACKEND_EXECUTION_SAMPLES_PROGRESS_H
