// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of what several runs saw.

#include "qbackend/Calibration/Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <tuple>

namespace qbackend::calibration {

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

/// Joins the samples of all tables; each may be in one of them.
static Error mergeSamples(llvm::ArrayRef<NamedTable> tables, Table &result) {
  struct Part {
    SampleRange range;
    StringRef path;
  };
  std::vector<Part> parts;
  for (const NamedTable &named : tables)
    for (const SampleRange &range : named.table.samples)
      parts.push_back({range, named.path});
  llvm::stable_sort(parts, [](const Part &a, const Part &b) {
    return std::tie(a.range.source, a.range.first) <
           std::tie(b.range.source, b.range.first);
  });
  StringRef lastPath;
  for (const Part &part : parts) {
    SampleRange *last =
        result.samples.empty() ? nullptr : &result.samples.back();
    if (!last || last->source != part.range.source ||
        last->first + last->count < part.range.first) {
      result.samples.push_back(part.range);
    } else if (last->first + last->count == part.range.first) {
      last->count += part.range.count;
    } else {
      return llvm::createStringError(
          "sample " + Twine(part.range.first) + " of '" + part.range.source +
          "' is in '" + lastPath + "' and in '" + part.path +
          "'; merge tables of different samples, and name files "
          "that are called the same with --source");
    }
    lastPath = part.path;
  }
  return Error::success();
}

/// Returns names for a message, not too many.
static std::string listNames(llvm::ArrayRef<StringRef> names) {
  std::string text = llvm::join(names.take_front(8), ", ");
  return names.size() > 8 ? text + ", ..." : text;
}

llvm::Expected<Table> mergeTables(llvm::ArrayRef<NamedTable> tables) {
  Table result;
  if (tables.empty())
    return llvm::createStringError("nothing to merge");
  const NamedTable &first = tables.front();
  result.network = first.table.network;
  if (llvm::all_of(tables, [&](const NamedTable &each) {
        return each.table.backend == first.table.backend;
      }))
    result.backend = first.table.backend;
  if (Error e = mergeSamples(tables, result))
    return e;
  llvm::StringMap<size_t> indices;
  for (const TableEntry &entry : first.table.entries) {
    indices[entry.name] = result.entries.size();
    result.entries.push_back(entry);
    dropBatches(result.entries.back().stats);
  }
  for (const NamedTable &named : tables.drop_front()) {
    if (named.table.network != result.network)
      return llvm::createStringError("'" + named.path + "' is of network '" +
                                     named.table.network + "', '" + first.path +
                                     "' of '" + result.network + "'");
    std::vector<StringRef> missing, extra;
    llvm::StringMap<bool> seen;
    for (const TableEntry &entry : named.table.entries) {
      seen[entry.name] = true;
      if (!indices.contains(entry.name))
        extra.push_back(entry.name);
    }
    for (const TableEntry &entry : first.table.entries)
      if (!seen.contains(entry.name))
        missing.push_back(entry.name);
    if (!missing.empty() || !extra.empty())
      return llvm::createStringError(
          "'" + named.path + "' and '" + first.path +
          "' are of different networks or configurations: " +
          (missing.empty() ? StringRef("the second lacks ")
                           : StringRef("the first lacks ")) +
          listNames(missing.empty() ? extra : missing));
    for (const TableEntry &entry : named.table.entries) {
      TableEntry &into = result.entries[indices[entry.name]];
      auto fail = [&](StringRef what) {
        return llvm::createStringError(
            "'" + entry.name + "' has another " + what + " in '" + named.path +
            "' than in '" + first.path +
            "': the tables are of different networks");
      };
      if (entry.shape != into.shape)
        return fail("shape");
      if (entry.structure != into.structure)
        return fail("structure");
      if (entry.group != into.group)
        return fail("group");
      bool same =
          entry.explicitParams.has_value() == into.explicitParams.has_value();
      if (same && entry.explicitParams)
        same = std::equal(
            entry.explicitParams->begin(), entry.explicitParams->end(),
            into.explicitParams->begin(), into.explicitParams->end(),
            [](auto &a, auto &b) {
              return a.scale == b.scale && a.zeroPoint == b.zeroPoint;
            });
      if (!same)
        return fail("scale or zero point");
      into.kind = std::min(into.kind, entry.kind);
      merge(into.stats, entry.stats);
    }
  }
  return result;
}

} // namespace qbackend::calibration
