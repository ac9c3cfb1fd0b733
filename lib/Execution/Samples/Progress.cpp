// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the progress bar.

#include "qbackend/Execution/Samples/Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;
using namespace qbackend::arrays;
using Clock = std::chrono::steady_clock;

ProgressBar::ProgressBar(StringRef label, int64_t total)
    : label(label), total(total),
      os(sys::Process::StandardErrIsDisplayed() ? &errs() : nullptr),
      start(Clock::now()) {}

ProgressBar::ProgressBar(StringRef label, int64_t total, raw_ostream &os)
    : label(label), total(total), os(&os), start(Clock::now()) {}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::advance(int64_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  done += count;
  if (!os || finished ||
      Clock::now() - lastDrawn < std::chrono::milliseconds(100))
    return;
  draw();
}

void ProgressBar::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!os || finished)
    return;
  draw();
  *os << '\n';
  os->flush();
  finished = true;
}

void ProgressBar::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!os || width == 0)
    return;
  *os << '\r' << std::string(width, ' ') << '\r';
  os->flush();
  width = 0;
}

void ProgressBar::draw() {
  lastDrawn = Clock::now();
  double seconds = std::chrono::duration<double>(lastDrawn - start).count();
  double rate = seconds > 0 ? done / seconds : 0;
  std::string line;
  raw_string_ostream stream(line);
  stream << label << ' ';
  if (total > 0) {
    constexpr int64_t cells = 24;
    int64_t filled = std::clamp<int64_t>(cells * done / total, 0, cells);
    stream << '[' << std::string(filled, '#')
           << std::string(cells - filled, '-') << "] " << done << '/' << total;
  } else {
    stream << done;
  }
  stream << format("  %.1f/s", rate);
  if (rate > 0 && done < total) {
    int64_t left = int64_t((total - done) / rate + 0.5);
    stream << format("  ETA %d:%02d", int(left / 60), int(left % 60));
  }
  // What is left of a longer line is overwritten.
  size_t length = line.size();
  if (length < width)
    line.append(width - length, ' ');
  width = length;
  *os << '\r' << line;
  os->flush();
}
