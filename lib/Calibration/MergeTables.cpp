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

namespace {
struct Part {
  SampleRange range;
  StringRef path;
};
} // namespace

/// Fails if a sample is in two parts under two names, as what they are of
/// shows.
static Error checkNames(std::vector<Part> parts) {
  llvm::erase_if(parts,
                 [](const Part &part) { return part.range.hash.empty(); });
  llvm::stable_sort(parts, [](const Part &a, const Part &b) {
    return std::tie(a.range.hash, a.range.first) <
           std::tie(b.range.hash, b.range.first);
  });
  for (size_t i = 1; i < parts.size(); ++i) {
    const Part &a = parts[i - 1], &b = parts[i];
    if (a.range.hash == b.range.hash &&
        a.range.first + a.range.count > b.range.first)
      return llvm::createStringError(
          "sample " + Twine(b.range.first) + " is in '" + a.path +
          "', as one of '" + a.range.source + "', and in '" + b.path +
          "', as one of '" + b.range.source +
          "', which hold the same; merge tables of different samples");
  }
  return Error::success();
}

/// Joins the samples of all tables; each may be in one of them.
static Error mergeSamples(llvm::ArrayRef<NamedTable> tables, Table &result) {
  std::vector<Part> parts;
  for (const NamedTable &named : tables)
    for (const SampleRange &range : named.table.samples)
      parts.push_back({range, named.path});
  llvm::stable_sort(parts, [](const Part &a, const Part &b) {
    return std::tie(a.range.source, a.range.first) <
           std::tie(b.range.source, b.range.first);
  });
  StringRef lastPath;
  /// The last one of the source whose hash is known.
  const Part *known = nullptr;
  for (const Part &part : parts) {
    SampleRange *last =
        result.samples.empty() ? nullptr : &result.samples.back();
    bool isSame = last && last->source == part.range.source;
    if (isSame && last->first + last->count > part.range.first)
      return llvm::createStringError(
          "sample " + Twine(part.range.first) + " of '" + part.range.source +
          "' is in '" + lastPath + "' and in '" + part.path +
          "'; merge tables of different samples, and name files "
          "that are called the same with --source");
    if (!isSame)
      known = nullptr;
    if (known && !part.range.hash.empty() &&
        known->range.hash != part.range.hash)
      return llvm::createStringError(
          "'" + part.range.source + "' holds other samples in '" + known->path +
          "' than in '" + part.path +
          "', or they were scaled otherwise; give all shards the same, and "
          "name files that are called the same with --source");
    if (!part.range.hash.empty())
      known = &part;
    if (isSame && last->total != part.range.total)
      return llvm::createStringError(
          "'" + part.range.source + "' has " + Twine(last->total) +
          " samples in '" + lastPath + "' and " + Twine(part.range.total) +
          " in '" + part.path + "'; the parts are of different shards");
    if (isSame && last->first + last->count == part.range.first) {
      last->count += part.range.count;
      if (last->hash.empty())
        last->hash = part.range.hash;
    } else {
      result.samples.push_back(part.range);
    }
    lastPath = part.path;
  }
  if (Error e = checkNames(std::move(parts)))
    return e;
  for (SampleRange &range : result.samples)
    if (range.first == 0 && range.count == range.total) {
      range.total = 0;
      range.hash.clear();
    }
  return Error::success();
}

std::string describeMissing(const Table &table) {
  std::string text;
  auto add = [&](StringRef source, int64_t first, int64_t end) {
    if (first < end)
      text += (Twine(text.empty() ? "" : ", ") + "samples " + Twine(first) +
               " to " + Twine(end - 1) + " of '" + source + "'")
                  .str();
  };
  for (size_t i = 0; i < table.samples.size(); ++i) {
    const SampleRange &range = table.samples[i];
    bool begins = i == 0 || table.samples[i - 1].source != range.source;
    bool ends = i + 1 == table.samples.size() ||
                table.samples[i + 1].source != range.source;
    if (begins && range.total)
      add(range.source, 0, range.first);
    add(range.source, range.first + range.count,
        ends ? range.total : table.samples[i + 1].first);
  }
  return text;
}

/// Fails unless `table`, the one at `path`, may be merged with `first`.
static Error checkHeader(const NamedTable &first, const NamedTable &named,
                         bool dropOrdered) {
  const Table &table = named.table;
  auto differs = [&](StringRef what, StringRef a, StringRef b) {
    return llvm::createStringError("'" + named.path + "' is of " + what + " '" +
                                   b + "', '" + first.path + "' of '" + a +
                                   "'");
  };
  if (table.network != first.table.network)
    return differs("network", first.table.network, table.network);
  // Tables of order-dependent statistics say neither; what both say has to be
  // the same.
  auto isOther = [](StringRef a, StringRef b) {
    return !a.empty() && !b.empty() && a != b;
  };
  if (dropOrdered) {
    if (isOther(first.table.model, table.model))
      return differs("model", first.table.model, table.model);
    if (isOther(first.table.tool, table.tool))
      return differs("tool", first.table.tool, table.tool);
    return Error::success();
  }
  if (table.isMergeable != first.table.isMergeable) {
    bool isFirst = first.table.isMergeable;
    return llvm::createStringError(
        "'" + (isFirst ? first : named).path + "' has mergeable statistics, '" +
        (isFirst ? named : first).path +
        "' has not; make both with --statistics=mergeable");
  }
  if (table.model != first.table.model)
    return differs("model", first.table.model, table.model);
  if (table.tool != first.table.tool)
    return differs("tool", first.table.tool, table.tool);
  for (const TableEntry &entry : table.entries)
    if (hasOrdered(entry.stats))
      return llvm::createStringError(
          "'" + entry.name + "' has " +
          (entry.stats.histogram.empty() ? "averages" : "a histogram") +
          " in '" + named.path +
          "', which depends on the order of batches, so that parts can't be "
          "put together; make the tables with --statistics=mergeable, or leave "
          "it out with merge --statistics=mergeable: ranges are then taken "
          "from the grid and from all values");
  return Error::success();
}

/// Fails if two tables have seen the same samples under two names, where no
/// hash shows it, as of arrays in memory and of all samples of a file: then all
/// that was recorded of all tensors is equal. Samples of one source have
/// numbers, which tell them apart where they are equal.
static Error checkContents(llvm::ArrayRef<NamedTable> tables) {
  auto haveSource = [](const NamedTable &a, const NamedTable &b) {
    return llvm::any_of(a.table.samples, [&](const SampleRange &x) {
      return llvm::any_of(b.table.samples, [&](const SampleRange &y) {
        return x.source == y.source;
      });
    });
  };
  llvm::StringMap<llvm::SmallVector<const NamedTable *, 1>> byContent;
  for (const NamedTable &named : tables) {
    if (!named.table.isMergeable || named.table.samples.empty())
      continue;
    Table contents;
    contents.entries = named.table.entries;
    auto &same = byContent[printTable(contents)];
    for (const NamedTable *other : same)
      if (!haveSource(*other, named))
        return llvm::createStringError(
            "'" + other->path + "' and '" + named.path +
            "' have seen the same samples, as '" +
            other->table.samples.front().source + "' and as '" +
            named.table.samples.front().source +
            "': all statistics are equal; give one of them");
    same.push_back(&named);
  }
  return Error::success();
}

/// Returns names for a message, not too many.
static std::string listNames(llvm::ArrayRef<StringRef> names) {
  std::string text = llvm::join(names.take_front(8), ", ");
  return names.size() > 8 ? text + ", ..." : text;
}

llvm::Expected<Table> mergeTables(llvm::ArrayRef<NamedTable> tables,
                                  bool dropOrdered) {
  Table result;
  if (tables.empty())
    return llvm::createStringError("nothing to merge");
  // What depends on an order has the one that it was recorded in.
  if (tables.size() == 1 && !dropOrdered)
    return tables.front().table;
  const NamedTable &first = tables.front();
  for (const NamedTable &named : tables)
    if (Error e = checkHeader(first, named, dropOrdered))
      return e;
  result.network = first.table.network;
  result.isMergeable = llvm::all_of(
      tables, [](const NamedTable &each) { return each.table.isMergeable; });
  if (result.isMergeable)
    result.version = Table::mergeableVersion;
  result.model = first.table.model;
  result.tool = first.table.tool;
  if (llvm::all_of(tables, [&](const NamedTable &each) {
        return each.table.backend == first.table.backend;
      }))
    result.backend = first.table.backend;
  if (Error e = mergeSamples(tables, result))
    return e;
  if (Error e = checkContents(tables))
    return e;
  llvm::StringMap<size_t> indices;
  for (const TableEntry &entry : first.table.entries) {
    indices[entry.name] = result.entries.size();
    result.entries.push_back(entry);
    dropBatches(result.entries.back().stats);
  }
  for (const NamedTable &named : tables.drop_front()) {
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
      if (!std::equal(entry.patches.begin(), entry.patches.end(),
                      into.patches.begin(), into.patches.end(),
                      [](const PatchSums &a, const PatchSums &b) {
                        return a.geometry.toNumbers() == b.geometry.toNumbers();
                      }))
        return fail("set of layers that read it");
      if (entry.kind != into.kind && !dropOrdered)
        return fail("observer");
      into.kind = std::min(into.kind, entry.kind);
      merge(into.stats, entry.stats);
      for (size_t i = 0; i < entry.patches.size(); ++i)
        into.patches[i].add(entry.patches[i]);
    }
  }
  if (!llvm::all_of(result.samples, [&](const SampleRange &range) {
        return range.source == result.samples.front().source;
      }))
    for (const TableEntry &entry : result.entries)
      if (!entry.stats.batchSamples.empty())
        return llvm::createStringError(
            "'" + entry.name +
            "' is averaged in the order of samples, which "
            "there is none of between '" +
            result.samples.front().source + "' and '" +
            result.samples.back().source +
            "'; give --input both, as one directory or a,b");
  return result;
}

} // namespace qbackend::calibration
