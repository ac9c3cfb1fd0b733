// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration tables for people to look at.

#include "qbackend/Calibration/Formats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace qbackend::calibration {

using llvm::StringRef;

/// Counts of an entry in `bins` equal parts of its range; empty if not known.
static std::vector<float> getCounts(const Statistics &stats, int64_t bins) {
  if (stats.empty())
    return {};
  if (!stats.grid.empty())
    return stats.grid.resample(bins, stats.min, stats.max, stats.min,
                               stats.max);
  std::vector<float> counts;
  int64_t size = stats.histogram.size();
  if (size == 0)
    return {};
  counts.resize(bins);
  for (int64_t i = 0; i < size; ++i)
    counts[i * bins / size] += stats.histogram[i];
  return counts;
}

/// Heights from 0 to 1, logarithmic: tails are what matters.
static std::vector<double> getHeights(const std::vector<float> &counts) {
  float most = 0;
  for (float count : counts)
    most = std::max(most, count);
  std::vector<double> heights;
  for (float count : counts)
    heights.push_back(count > 0 ? std::log1p(count) / std::log1p(most) : 0);
  return heights;
}

static std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.6g", value);
  return text;
}

/// "scale 0.02, zero point 3", of the first channel if there are several.
static std::string describeParams(const TableEntry &entry,
                                  const ObserverOptions &options) {
  std::vector<numerics::QuantParams> params = entry.qparams(options);
  if (params.empty())
    return "no scale";
  std::string text = "scale " + formatNumber(params[0].scale) +
                     ", zero point " + std::to_string(params[0].zeroPoint);
  if (params.size() > 1)
    text += ", and " + std::to_string(params.size() - 1) + " more";
  return text;
}

static std::string describeRange(const Statistics &stats) {
  if (stats.empty())
    return "no values";
  return "[" + formatNumber(stats.min) + ", " + formatNumber(stats.max) + "]";
}

std::string showTable(const Table &table, const ObserverOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const SampleRange &range : table.samples)
    os << range.count << " samples of " << range.source << " from "
       << range.first << " on\n";
  size_t width = 0;
  for (const TableEntry &entry : table.entries)
    width = std::max(width, entry.name.size() + 2);
  width = std::min<size_t>(width, 40);
  static constexpr StringRef blocks[] = {" ", "▁", "▂", "▃", "▄",
                                         "▅", "▆", "▇", "█"};
  auto showEntry = [&](const TableEntry &entry, StringRef indent) {
    os << llvm::left_justify((indent + entry.name).str(), width) << "  |";
    std::vector<float> counts = getCounts(entry.stats, 32);
    for (double height : getHeights(counts))
      os << blocks[height > 0 ? std::clamp<int>(std::ceil(height * 8), 1, 8)
                              : 0];
    if (counts.empty())
      os << std::string(32, ' ');
    os << "|  " << describeRange(entry.stats) << "  "
       << describeParams(entry, options);
    if (entry.stats.nonFinite())
      os << "  (" << entry.stats.nans << " NaN, " << entry.stats.infinities
         << " infinite)";
    os << "\n";
  };
  // Values that share an observer stand below it.
  llvm::StringMap<const TableEntry *> members;
  for (const TableEntry &entry : table.entries)
    for (const std::string &member : entry.group)
      members[member] = nullptr;
  for (const TableEntry &entry : table.entries)
    if (auto it = members.find(entry.name);
        it != members.end() && entry.group.empty())
      it->second = &entry;
  for (const TableEntry &entry : table.entries) {
    if (entry.group.empty() && members.count(entry.name))
      continue;
    showEntry(entry, "");
    for (const std::string &member : entry.group)
      if (const TableEntry *own = members.lookup(member))
        showEntry(*own, "  ");
  }
  return text;
}

static void escape(llvm::raw_ostream &os, StringRef text) {
  for (char c : text)
    switch (c) {
    case '&':
      os << "&amp;";
      break;
    case '<':
      os << "&lt;";
      break;
    case '>':
      os << "&gt;";
      break;
    default:
      os << (static_cast<unsigned char>(c) < 32 ? ' ' : c);
    }
}

std::string drawTable(const Table &table, const ObserverOptions &options) {
  constexpr int64_t bins = 256, width = 640, rowHeight = 96, plot = 60;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
     << "\" height=\"" << rowHeight * int64_t(table.entries.size())
     << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
     << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  int64_t top = 0;
  for (const TableEntry &entry : table.entries) {
    const Statistics &stats = entry.stats;
    os << "<g transform=\"translate(10 " << top << ")\">\n<text y=\"16\">";
    escape(os, entry.name + "  " + describeRange(stats) + "  " +
                   describeParams(entry, options));
    os << "</text>\n<path fill=\"#4878a8\" d=\"M0 " << 22 + plot;
    std::vector<double> heights = getHeights(getCounts(stats, bins));
    const double step = double(width - 20) / bins;
    for (size_t i = 0; i < heights.size(); ++i)
      os << llvm::format("L%.1f %.1fL%.1f %.1f", i * step,
                         22 + plot * (1 - heights[i]), (i + 1) * step,
                         22 + plot * (1 - heights[i]));
    os << "L" << width - 20 << " " << 22 + plot << "Z\"/>\n";
    // The ends of what the chosen parameters can express.
    std::vector<numerics::QuantParams> params = entry.qparams(options);
    if (params.size() == 1 && stats.min < stats.max)
      for (int64_t end : {options.range().min, options.range().max}) {
        double value = (end - params[0].zeroPoint) * params[0].scale;
        double x = (value - stats.min) / (double(stats.max) - stats.min) *
                   (width - 20);
        if (x >= 0 && x <= width - 20)
          os << llvm::format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"22\" "
                             "y2=\"%d\" stroke=\"#c04040\"/>\n",
                             x, x, int(22 + plot));
      }
    os << "</g>\n";
    top += rowHeight;
  }
  os << "</svg>\n";
  return text;
}

std::string diffTables(const Table &before, const Table &after,
                       const ObserverOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (before.network != after.network)
    os << "network: '" << before.network << "' -> '" << after.network << "'\n";
  llvm::StringMap<const TableEntry *> byName;
  for (const TableEntry &entry : before.entries)
    byName[entry.name] = &entry;
  llvm::StringSet<> kept;
  for (const TableEntry &entry : after.entries)
    kept.insert(entry.name);
  for (const TableEntry &entry : before.entries)
    if (!kept.contains(entry.name))
      os << "- " << entry.name << "  " << describeRange(entry.stats) << "\n";
  for (const TableEntry &entry : after.entries) {
    const TableEntry *old = byName.lookup(entry.name);
    if (!old) {
      os << "+ " << entry.name << "  " << describeRange(entry.stats) << "\n";
      continue;
    }
    std::vector<std::string> changes;
    auto compare = [&](StringRef what, const std::string &a,
                       const std::string &b) {
      if (a != b)
        changes.push_back((what + a + " -> " + b).str());
    };
    compare("range ", describeRange(old->stats), describeRange(entry.stats));
    compare("", describeParams(*old, options), describeParams(entry, options));
    compare("values ", std::to_string(old->stats.elements),
            std::to_string(entry.stats.elements));
    compare("NaN or infinite ", std::to_string(old->stats.nonFinite()),
            std::to_string(entry.stats.nonFinite()));
    bool sameExactly = old->stats.min == entry.stats.min &&
                       old->stats.max == entry.stats.max &&
                       old->stats.grid.counts == entry.stats.grid.counts &&
                       old->stats.histogram == entry.stats.histogram &&
                       old->stats.channelMins == entry.stats.channelMins &&
                       old->stats.channelMaxs == entry.stats.channelMaxs;
    if (changes.empty() && !sameExactly)
      changes.push_back("distribution");
    if (!changes.empty())
      os << "~ " << entry.name << "  " << llvm::join(changes, "; ") << "\n";
  }
  return text;
}

} // namespace qbackend::calibration
