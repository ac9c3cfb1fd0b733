// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration tables: round trips, messages, files.

#include "qbackend/Calibration/Table.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace qbackend;
using namespace qbackend::calibration;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// Returns a table whose numbers need all their digits.
Table makeTable() {
  Table table;
  table.network = "sha256:\"quoted\" \\ and \xc3\xa9";
  TableEntry entry;
  entry.name = "min_max";
  entry.stats.min = -0x1.fffffep-1f;
  entry.stats.max = 0x1.000002p100f;
  entry.stats.batches = 3;
  entry.stats.elements = (int64_t(1) << 60) + 1;
  entry.stats.nans = 7;
  entry.stats.infinities = 2;
  entry.stats.firstNonFinite = 0;
  entry.shape = {-1, 28, 3};
  entry.structure = "0123456789abcdef";
  table.entries.push_back(entry);

  entry = {};
  entry.name = "tiny \"name\"\n";
  entry.kind = ObserverKind::MovingAverageMinMax;
  entry.stats.min = -std::numeric_limits<float>::denorm_min();
  entry.stats.max = 0.1f;
  table.entries.push_back(entry);

  entry = {};
  entry.name = "channels";
  entry.kind = ObserverKind::PerChannelMinMax;
  entry.stats.channelMins = {-1.0f / 3, inf, 0};
  entry.stats.channelMaxs = {2.0f / 3, -inf, 0};
  entry.stats.min = -1.0f / 3;
  entry.stats.max = 2.0f / 3;
  table.entries.push_back(entry);

  entry = {};
  entry.name = "one_channel";
  entry.kind = ObserverKind::MovingAveragePerChannelMinMax;
  entry.stats.channelMins = {0.7f};
  entry.stats.channelMaxs = {0.9f};
  entry.stats.min = 0.7f;
  entry.stats.max = 0.9f;
  table.entries.push_back(entry);

  entry = {};
  entry.name = "histogram";
  entry.group = {"a", "b \"c\""};
  entry.kind = ObserverKind::Histogram;
  entry.stats.min = -3;
  entry.stats.max = 5;
  entry.stats.histogram = {0, 1, 0.0625f, 16777216, 1.0f / 3, 0};
  table.entries.push_back(entry);

  entry = {};
  entry.name = "fixed";
  entry.kind = ObserverKind::FixedQParams;
  entry.explicitParams = {{0.1, -128}};
  table.entries.push_back(entry);

  entry = {};
  entry.name = "fixed_channels";
  entry.kind = ObserverKind::PerChannelMinMax;
  entry.explicitParams = {{1.0 / 3, 0}, {2e-7, 5}};
  table.entries.push_back(entry);

  entry = {};
  entry.name = "batches";
  entry.kind = ObserverKind::MovingAveragePerChannelMinMax;
  entry.stats.min = -1;
  entry.stats.max = 2;
  entry.stats.batchSamples = {0, 20, 40};
  entry.stats.batchMins = {-1, inf, 0.1f, 0, 0, -0.5f};
  entry.stats.batchMaxs = {2, -inf, 0.3f, 0, 1, -0.5f};
  table.entries.push_back(entry);

  entry = {};
  entry.name = "never_run";
  table.entries.push_back(entry);
  return table;
}

void expectSame(const Table &a, const Table &b) {
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.network, b.network);
  ASSERT_EQ(a.entries.size(), b.entries.size());
  for (size_t i = 0; i < a.entries.size(); ++i) {
    const TableEntry &x = a.entries[i], &y = b.entries[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.stats.min, y.stats.min);
    EXPECT_EQ(x.stats.max, y.stats.max);
    EXPECT_EQ(x.stats.channelMins, y.stats.channelMins);
    EXPECT_EQ(x.stats.channelMaxs, y.stats.channelMaxs);
    EXPECT_EQ(x.stats.histogram, y.stats.histogram);
    EXPECT_EQ(x.stats.batches, y.stats.batches);
    EXPECT_EQ(x.stats.batchSamples, y.stats.batchSamples);
    EXPECT_EQ(x.stats.batchMins, y.stats.batchMins);
    EXPECT_EQ(x.stats.batchMaxs, y.stats.batchMaxs);
    EXPECT_EQ(x.stats.elements, y.stats.elements);
    EXPECT_EQ(x.stats.nans, y.stats.nans);
    EXPECT_EQ(x.stats.infinities, y.stats.infinities);
    EXPECT_EQ(x.stats.firstNonFinite, y.stats.firstNonFinite);
    EXPECT_EQ(x.stats.averageMins, y.stats.averageMins);
    EXPECT_EQ(x.stats.averageMaxs, y.stats.averageMaxs);
    EXPECT_EQ(x.stats.grid.exponent, y.stats.grid.exponent);
    EXPECT_EQ(x.stats.grid.first, y.stats.grid.first);
    EXPECT_EQ(x.stats.grid.counts, y.stats.grid.counts);
    EXPECT_EQ(x.structure, y.structure);
    EXPECT_EQ(x.shape, y.shape);
    EXPECT_EQ(x.group, y.group);
    ASSERT_EQ(x.explicitParams.has_value(), y.explicitParams.has_value());
    if (!x.explicitParams)
      continue;
    ASSERT_EQ(x.explicitParams->size(), y.explicitParams->size());
    for (size_t c = 0; c < x.explicitParams->size(); ++c) {
      EXPECT_EQ((*x.explicitParams)[c].scale, (*y.explicitParams)[c].scale);
      EXPECT_EQ((*x.explicitParams)[c].zeroPoint,
                (*y.explicitParams)[c].zeroPoint);
    }
  }
}

/// Returns the message of parsing `text`, or "" if it is a table.
std::string parseMessage(llvm::StringRef text) {
  llvm::Expected<Table> table = parseTable(text, "t.json");
  return table ? "" : llvm::toString(table.takeError());
}

/// The same for a table with one entry that has these fields.
std::string entryMessage(llvm::StringRef fields) {
  return parseMessage(
      (R"({"version": 1, "entries": [{"name": "a", "kind": "min_max")" +
       fields + "}]}")
          .str());
}

TEST(Table, RoundTrip) {
  Table table = makeTable();
  std::string text = printTable(table);
  llvm::Expected<Table> read = parseTable(text, "t.json");
  ASSERT_TRUE(!!read) << llvm::toString(read.takeError());
  expectSame(table, *read);
  EXPECT_EQ(printTable(*read), text);
  // One entry a line, after four lines and before two.
  EXPECT_EQ(llvm::StringRef(text).count('\n'), table.entries.size() + 6);
  Table empty;
  read = parseTable(printTable(empty), "t.json");
  ASSERT_TRUE(!!read) << llvm::toString(read.takeError());
  expectSame(empty, *read);
}

TEST(Table, ObservedRoundTrip) {
  Table table;
  for (ObserverKind kind :
       {ObserverKind::MinMax, ObserverKind::MovingAverageMinMax,
        ObserverKind::PerChannelMinMax,
        ObserverKind::MovingAveragePerChannelMinMax, ObserverKind::Histogram,
        ObserverKind::Entropy}) {
    ObserverOptions options;
    options.kind = kind;
    options.recordAll = true;
    auto observer = Observer::create(options);
    for (int batch = 0; batch < 3; ++batch) {
      std::vector<float> data;
      for (int i = 0; i < 700; ++i)
        data.push_back((i * (batch + 3) % 101 - 40) / 3.0f * (batch + 1));
      observer->update(data.data(), {7, 100});
    }
    TableEntry entry;
    entry.name = stringifyObserverKind(kind);
    entry.kind = kind;
    entry.stats = observer->statistics();
    table.entries.push_back(entry);
  }
  llvm::Expected<Table> read = parseTable(printTable(table), "t.json");
  ASSERT_TRUE(!!read) << llvm::toString(read.takeError());
  expectSame(table, *read);
  for (const TableEntry &entry : table.entries) {
    const TableEntry *same = read->lookup(entry.name);
    ASSERT_TRUE(same);
    auto a = entry.qparams({}), b = same->qparams({});
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].scale, b[i].scale);
      EXPECT_EQ(a[i].zeroPoint, b[i].zeroPoint);
    }
  }
}

// As an integer it would be 0.
TEST(Table, NegativeZero) {
  Table table;
  table.entries.emplace_back();
  table.entries[0].name = "x";
  table.entries[0].stats.min = -0.0f;
  table.entries[0].stats.max = 2;
  std::string text = printTable(table);
  llvm::Expected<Table> again = parseTable(text, "t.json");
  ASSERT_TRUE(!!again) << llvm::toString(again.takeError());
  EXPECT_TRUE(std::signbit(again->entries[0].stats.min)) << text;
  EXPECT_EQ(printTable(*again), text);
}

TEST(Table, Lookup) {
  Table table = makeTable();
  ASSERT_TRUE(table.lookup("fixed"));
  EXPECT_EQ(table.lookup("fixed"), &table.entries[5]);
  EXPECT_FALSE(table.lookup("absent"));
}

TEST(Table, QParams) {
  Table table = makeTable();
  ObserverOptions options;
  options.fixedParams = {9, 9};
  auto params = table.lookup("fixed")->qparams(options);
  ASSERT_EQ(params.size(), 1u);
  EXPECT_EQ(params[0].scale, 0.1);
  EXPECT_EQ(params[0].zeroPoint, -128);
  // The observer that asks decides, whatever recorded the statistics.
  EXPECT_EQ(table.lookup("channels")->qparams(options).size(), 1u);
  options.kind = ObserverKind::PerChannelMinMax;
  EXPECT_EQ(table.lookup("channels")->qparams(options).size(), 3u);
  options.kind = ObserverKind::MinMax;
  EXPECT_EQ(table.lookup("never_run")->qparams(options)[0].scale, 1.0);
}

TEST(Table, WrittenByHand) {
  llvm::Expected<Table> table = parseTable(R"({
    "entries": [
      {"kind": "min_max", "name": "a", "max": 2, "min": -1e0},
      {"name": "b", "kind": "histogram", "scale": [0.5], "zero_point": [3]},
      {"name": "c", "kind": "per_channel_min_max",
       "min": [0, 1], "max": [0, 1.5]}
    ],
    "version": 1})",
                                           "t.json");
  ASSERT_TRUE(!!table) << llvm::toString(table.takeError());
  EXPECT_EQ(table->network, "");
  EXPECT_EQ(table->lookup("a")->stats.min, -1);
  EXPECT_EQ(table->lookup("a")->stats.max, 2);
  EXPECT_EQ(table->lookup("b")->qparams({})[0].zeroPoint, 3);
  EXPECT_EQ(table->lookup("c")->stats.max, 1.5f);
}

TEST(Table, BadFiles) {
  EXPECT_EQ(parseMessage("{\"version\": 1,"),
            "t.json: [1:14, byte=14]: missing a name for object member");
  EXPECT_EQ(parseMessage("[]"), "t.json: not a JSON object");
  EXPECT_EQ(parseMessage("{}"), "t.json: missing field 'version'");
  for (const char *version : {"0", "4", "\"1\"", "null", "1.5"})
    EXPECT_EQ(parseMessage("{\"version\": " + std::string(version) + "}"),
              "t.json: unknown version, versions 1 to 3 are supported");
  EXPECT_EQ(parseMessage(R"({"version": 1})"),
            "t.json: missing field 'entries'");
  EXPECT_EQ(parseMessage(R"({"version": 1, "entries": {}})"),
            "t.json: field 'entries' is not an array");
  EXPECT_EQ(parseMessage(R"({"version": 1, "network": 3, "entries": []})"),
            "t.json: field 'network' is not a string");
  EXPECT_EQ(parseMessage(R"({"version": 1, "netwrk": "", "entries": []})"),
            "t.json: unknown field 'netwrk'; did you mean 'network'?");
  for (const char *header :
       {R"("version": 3)", R"("version": 2, "statistics": "mergeable")",
        R"("version": 2, "statistics": "any")"})
    EXPECT_EQ(
        parseMessage((llvm::Twine("{") + header + R"(, "entries": []})").str())
            .substr(17),
        " and field 'statistics' don't fit: version 3 has \"mergeable\"");
  auto mergeable = [](llvm::StringRef samples, llvm::StringRef fields) {
    return parseMessage((R"({"version": 3, "statistics": "mergeable",
      "samples": [{"source": "x", "first": 4, "count": 4)" +
                         samples + R"(}], "entries": [{"name": "a")" + fields +
                         "}]}")
                            .str());
  };
  for (const char *of : {"7", "0", "\"8\"", "9.5"})
    EXPECT_EQ(
        mergeable((llvm::Twine(R"(, "of": )") + of).str(), ""),
        "t.json: field 'of' of 'samples' is not an integer from 'first' + "
        "'count' on");
  EXPECT_EQ(mergeable("", R"(, "min": 0, "max": 1, "histogram": [1])"),
            "t.json: entry 'a' has a histogram or averages, which mergeable "
            "statistics don't have");
  for (const char *samples : {"[1.5]", "[-1]"})
    EXPECT_EQ(
        mergeable("", (llvm::Twine(R"(, "batch_min": [0],
      "batch_max": [1], "batch_samples": )") +
                       samples)
                          .str()),
        "t.json: entry 'a': field 'batch_samples' holds something that is "
        "not a non-negative integer");
  EXPECT_EQ(mergeable("", R"(, "batch_min": [0, 0], "batch_max": [1, 1],
                              "batch_samples": [20, 0])"),
            "t.json: entry 'a': field 'batch_samples' is not in order");
  EXPECT_EQ(mergeable("", R"(, "batch_min": [0, 0, 0], "batch_max": [1, 1, 1],
                              "batch_samples": [0, 20])"),
            "t.json: entry 'a': field 'batch_min' has 3 values for 2 of "
            "'batch_samples'");
  // Batches of two channels are not four of one.
  EXPECT_EQ(mergeable("", R"(, "min": 0, "max": 1, "channel_min": [0, 0],
                              "channel_max": [1, 1], "batch_samples": [0],
                              "batch_min": [0, 0, 0, 0],
                              "batch_max": [1, 1, 1, 1])"),
            "t.json: entry 'a': field 'batch_min' has 4 values for 1 of "
            "'batch_samples'");
  EXPECT_EQ(mergeable("", R"(, "min": 0, "max": 1, "batch_samples": [0],
                              "batch_min": [0], "batch_max": [1000])"),
            "t.json: entry 'a': field 'batch_min' or 'batch_max' has a value "
            "beyond 'min' or 'max'");
  EXPECT_EQ(mergeable(R"(, "hush": "1")", ""),
            "t.json, 'samples': unknown field 'hush'; did you mean 'hash'?");
  EXPECT_EQ(mergeable("", R"(, "batch_samples": [0])"),
            "t.json: entry 'a': field 'batch_min' has 0 values for 1 of "
            "'batch_samples'");
}

TEST(Table, BadEntries) {
  auto entries = [](llvm::StringRef text) {
    return parseMessage((R"({"version": 1, "entries": [)" + text + "]}").str());
  };
  EXPECT_EQ(entries("1"), "t.json: entry 0 is not an object");
  EXPECT_EQ(entries("{}"), "t.json: entry 0: missing field 'name'");
  EXPECT_EQ(entries(R"({"name": 1})"),
            "t.json: entry 0: field 'name' is not a string");
  EXPECT_EQ(entries(R"({"name": "a", "kind": 1})"),
            "t.json: entry 'a': field 'kind' is not a string");
  EXPECT_EQ(entries(R"({"name": "a", "kind": "x"})"),
            "t.json: entry 'a': unknown kind 'x', expected min_max, "
            "moving_average_min_max, per_channel_min_max, "
            "moving_average_per_channel_min_max, histogram, fixed_qparams, "
            "placeholder, noop, reuse_input, percentile, entropy, mse");
  EXPECT_EQ(entries(R"({"name": "a", "kind": "noop"},
                       {"name": "a", "kind": "noop"})"),
            "t.json: entry 'a' occurs twice");
  EXPECT_EQ(entries(R"({"name": "a", "min": 0, "max": 1, "histgram": [1]})"),
            "t.json: entry 'a': unknown field 'histgram'; did you mean "
            "'histogram'?");
  EXPECT_EQ(entries(R"({"name": "a", "note": "by hand"})"),
            "t.json: entry 'a': unknown field 'note'");
}

TEST(Table, KindIsOptional) {
  auto table = parseTable(
      R"({"version": 1, "entries": [{"name": "a", "scale": 0.5, "zero_point": 3},
          {"name": "b", "min": 0, "max": 1, "histogram": [1, 2]}]})",
      "t.json");
  ASSERT_TRUE(!!table) << llvm::toString(table.takeError());
  EXPECT_EQ(table->entries[0].kind, ObserverKind::MinMax);
  EXPECT_EQ(table->entries[0].explicitParams->front().zeroPoint, 3);
  EXPECT_EQ(table->entries[1].kind, ObserverKind::Histogram);
}

TEST(Table, CountsThatNobodyCounts) {
  ObserverOptions options;
  options.kind = ObserverKind::Percentile;
  options.recordAll = true;
  std::unique_ptr<Observer> observer = Observer::create(options);
  std::vector<float> data = {0.5f, 2, 3};
  observer->update(data.data(), data.size());
  Table table;
  TableEntry entry;
  entry.name = "a";
  entry.kind = options.kind;
  entry.stats = observer->statistics();
  table.entries.push_back(entry);
  std::string text = printTable(table), counts = "\"counts\": [";
  ASSERT_TRUE(!!parseTable(text, "t.json"));
  size_t at = text.find(counts);
  ASSERT_NE(at, std::string::npos);
  text.insert(at + counts.size(), "900719925474099");
  auto read = parseTable(text, "t.json");
  ASSERT_FALSE(!!read);
  EXPECT_EQ(llvm::toString(read.takeError()),
            "t.json: entry 'a': field 'grid' counts 2^53 values or more");

  // Those that are only added stop at the last number.
  Statistics most = entry.stats;
  most.elements = most.nans = std::numeric_limits<int64_t>::max() - 1;
  merge(most, entry.stats);
  EXPECT_EQ(most.elements, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(most.nans, std::numeric_limits<int64_t>::max() - 1);
  most.infinities = 2;
  EXPECT_EQ(most.nonFinite(), std::numeric_limits<int64_t>::max());
}

TEST(Table, BadStatistics) {
  EXPECT_EQ(entryMessage(R"(, "min": 1)"),
            "t.json: entry 'a': missing field 'max'");
  EXPECT_EQ(entryMessage(R"(, "max": 1)"),
            "t.json: entry 'a': missing field 'min'");
  EXPECT_EQ(entryMessage(R"(, "min": "x", "max": 1)"),
            "t.json: entry 'a': field 'min' is not a number or an array of "
            "numbers");
  EXPECT_EQ(entryMessage(R"(, "min": [1, null], "max": [1, 2])"),
            "t.json: entry 'a': field 'min' holds something that is not a "
            "number");
  EXPECT_EQ(entryMessage(R"(, "min": 1e999, "max": 1)"),
            "t.json: [1:67, byte=67]: number too big to be stored in double");
  for (std::string number : {std::string("1.8e308"), std::string("10e308"),
                             "1" + std::string(300, '0') + "e308"})
    EXPECT_NE(entryMessage(R"(, "min": 0, "max": )" + number)
                  .find("number too big to be stored in double"),
              std::string::npos);
  EXPECT_EQ(entryMessage(R"(, "min": [0.)" + std::string(350, '0') +
                         R"(1], "max": 3)"),
            "t.json: entry 'a': field 'min' and field 'max' are not both "
            "arrays");
  EXPECT_EQ(entryMessage(R"(, "min": [], "max": [])"),
            "t.json: entry 'a': field 'min' is empty");
  EXPECT_EQ(entryMessage(R"(, "min": [1, 2], "max": [3])"),
            "t.json: entry 'a': field 'max' has 1 values, but 'min' has 2");
  EXPECT_EQ(entryMessage(R"(, "min": [1], "max": 3)"),
            "t.json: entry 'a': field 'min' and field 'max' are not both "
            "arrays");
  for (const char *range :
       {R"(, "min": 2, "max": 1)", R"(, "min": 0, "max": 1e39)"})
    EXPECT_EQ(entryMessage(range),
              "t.json: entry 'a': field 'min' is greater than 'max', or they "
              "are not finite in f32");
  for (const char *field :
       {"batches", "elements", "non_finite", "nan", "infinite"})
    for (const char *value : {"-1", "1.5", "\"1\""})
      EXPECT_EQ(entryMessage(", \"" + std::string(field) + "\": " + value),
                "t.json: entry 'a': field '" + std::string(field) +
                    "' is not a non-negative integer");
  EXPECT_EQ(entryMessage(R"(, "shape": [4, -5])"),
            "t.json: entry 'a': field 'shape' holds something that is no "
            "extent");
  EXPECT_EQ(entryMessage(R"(, "min": 0, "max": 1, "channel_min": [0, 0],
                              "channel_max": [1, 2])"),
            "t.json: entry 'a': field 'channel_min' or 'channel_max' has a "
            "value beyond 'min' or 'max'");
  EXPECT_EQ(entryMessage(R"(, "min": 0, "max": 1, "elements": 2,
                              "histogram": [0, 3])"),
            "t.json: entry 'a': field 'histogram' counts 3 values, but "
            "'elements' is 2");
  EXPECT_EQ(entryMessage(R"(, "histogram": [1])"),
            "t.json: entry 'a': missing field 'min'");
  EXPECT_EQ(entryMessage(R"(, "min": 0, "max": 1, "histogram": 1)"),
            "t.json: entry 'a': field 'histogram' is not an array");
  EXPECT_EQ(entryMessage(R"(, "min": 0, "max": 1, "histogram": [-1])"),
            "t.json: entry 'a': field 'histogram' has a negative count");
  EXPECT_EQ(entryMessage(R"(, "min": 0, "max": 1, "histogram": [1e39])"),
            "t.json: entry 'a': field 'histogram' is not finite in f32");
}

TEST(Table, BadParameters) {
  EXPECT_EQ(entryMessage(R"(, "scale": 1)"),
            "t.json: entry 'a': missing field 'zero_point'");
  EXPECT_EQ(entryMessage(R"(, "zero_point": 1)"),
            "t.json: entry 'a': missing field 'scale'");
  EXPECT_EQ(entryMessage(R"(, "scale": [1, 2], "zero_point": 0)"),
            "t.json: entry 'a': field 'zero_point' has 1 values, but 'scale' "
            "has 2");
  for (const char *scale : {"0", "-1", "1e-60", "1e39"})
    EXPECT_EQ(
        entryMessage(", \"zero_point\": 0, \"scale\": " + std::string(scale)),
        "t.json: entry 'a': field 'scale' is not a positive finite f32");
  EXPECT_EQ(entryMessage(R"(, "zero_point": 0, "scale": [1e999])"),
            "t.json: [1:87, byte=87]: number too big to be stored in double");
  for (const char *zeroPoint : {"0.5", "1e10", "2147483648", "-2147483649"})
    EXPECT_EQ(entryMessage(", \"scale\": 1, \"zero_point\": " +
                           std::string(zeroPoint)),
              "t.json: entry 'a': field 'zero_point' is not an integer of 32 "
              "bits");
  EXPECT_EQ(entryMessage(R"(, "scale": 1, "zero_point": -2147483648)"), "");
}

/// A directory that is removed with its files.
struct TemporaryDirectory {
  TemporaryDirectory() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("table", root));
    path = root;
  }
  ~TemporaryDirectory() { llvm::sys::fs::remove_directories(root); }

  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> result(path);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  int count() const {
    int result = 0;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator i(path, error), end;
         i != end && !error; i.increment(error))
      ++result;
    return result;
  }

  llvm::SmallString<128> root, path;
};

TEST(Table, Files) {
  TemporaryDirectory directory;
  // A percent sign is a placeholder in LLVM's names of temporary files.
  ASSERT_FALSE(llvm::sys::fs::create_directory(directory.file("100%")));
  directory.path = directory.file("100%");
  std::string path = directory.file("50%.json");
  Table table = makeTable();
  for (int i = 0; i < 2; ++i) {
    llvm::Error error = writeTable(table, path);
    ASSERT_FALSE(!!error) << llvm::toString(std::move(error));
    llvm::Expected<Table> read = readTable(path);
    ASSERT_TRUE(!!read) << llvm::toString(read.takeError());
    expectSame(table, *read);
    // No other file is left, and the second time replaces the first.
    EXPECT_EQ(directory.count(), 1);
    table.entries.pop_back();
  }
}

TEST(Table, FileErrors) {
  TemporaryDirectory directory;
  std::string path = directory.file("absent/t.json");
  llvm::Expected<Table> read = readTable(path);
  EXPECT_EQ(llvm::toString(read.takeError()),
            "cannot read '" + path + "': No such file or directory");
  EXPECT_EQ(llvm::toString(writeTable(makeTable(), path)),
            "cannot write '" + path + "': No such file or directory");
  // A directory in the way, with a file in it: nothing is left behind.
  path = directory.file("t.json");
  ASSERT_FALSE(llvm::sys::fs::create_directory(path));
  std::string message = llvm::toString(writeTable(makeTable(), path));
  EXPECT_EQ(message.find("cannot write '" + path + "': "), 0u) << message;
  EXPECT_EQ(directory.count(), 1);
  EXPECT_TRUE(llvm::sys::fs::is_directory(path));
}

} // namespace

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// What merging a table with a changed copy of it says.
static std::string mergeWithTable(llvm::function_ref<void(Table &)> change) {
  Table table, other;
  TableEntry entry;
  entry.name = "sum";
  entry.structure = "0123";
  entry.shape = {-1, 3};
  entry.group = {"a", "sum"};
  entry.stats.min = -1;
  entry.stats.max = 1;
  table.entries = other.entries = {entry};
  table.network = other.network = "net";
  table.samples = {{"x.npz", 0, 5}};
  other.samples = {{"x.npz", 5, 5}};
  change(other);
  auto merged = mergeTables({{"first", table}, {"second", other}});
  return merged ? "" : llvm::toString(merged.takeError());
}

static std::string mergeWith(llvm::function_ref<void(TableEntry &)> change) {
  return mergeWithTable([&](Table &table) { change(table.entries[0]); });
}

TEST(TableTest, MergeDropsNothing) {
  EXPECT_EQ(
      mergeWith([](TableEntry &entry) { entry.kind = ObserverKind::Entropy; }),
      "'sum' has another observer in 'second' than in 'first': the tables "
      "are of different networks");
  auto drops = [](std::string what) {
    return "'sum' has " + what +
           " in 'second', which depends on the order of batches, so that parts "
           "can't be put together; make the tables with "
           "--statistics=mergeable, or leave it out with merge "
           "--statistics=mergeable: ranges are then taken from the grid and "
           "from all values";
  };
  EXPECT_EQ(mergeWith([](TableEntry &entry) { entry.stats.histogram = {1}; }),
            drops("a histogram"));
  EXPECT_EQ(mergeWith([](TableEntry &entry) {
              entry.stats.averageMins = entry.stats.averageMaxs = {1};
            }),
            drops("averages"));
  EXPECT_EQ(
      mergeWithTable([](Table &table) { table.isMergeable = true; }),
      "'second' has mergeable statistics, 'first' has not; make both with "
      "--statistics=mergeable");
  EXPECT_EQ(mergeWithTable([](Table &table) { table.model = "x"; }),
            "'second' is of model 'x', 'first' of ''");
  EXPECT_EQ(mergeWithTable([](Table &table) { table.tool = "x"; }),
            "'second' is of tool 'x', 'first' of ''");
  EXPECT_EQ(
      mergeWithTable([](Table &table) { table.samples[0].total = 10; }),
      "'x.npz' has 0 samples in 'first' and 10 in 'second'; the parts are "
      "of different shards");
}

TEST(TableTest, MergeSaysWhatIsMissing) {
  Table table;
  table.samples = {{"a", 5, 5, 20}, {"a", 12, 3, 20}, {"b", 0, 4}};
  EXPECT_EQ(describeMissing(table),
            "samples 0 to 4 of 'a', samples 10 to 11 of "
            "'a', samples 15 to 19 of 'a'");
  Table first, second;
  first.samples = {{"a", 0, 4, 6}};
  second.samples = {{"a", 4, 2, 6}};
  auto merged = mergeTables({{"first", first}, {"second", second}});
  ASSERT_TRUE(bool(merged));
  EXPECT_EQ(describeMissing(*merged), "");
  EXPECT_EQ(merged->samples[0].total, 0);
  // Parts with samples between them that neither has aren't one.
  second.samples = {{"a", 5, 1, 6}};
  merged = mergeTables({{"first", first}, {"second", second}});
  ASSERT_TRUE(bool(merged)) << toString(merged.takeError());
  ASSERT_EQ(merged->samples.size(), 2u);
  EXPECT_EQ(describeMissing(*merged), "samples 4 to 4 of 'a'");
}

TEST(TableTest, MergeOnlyTablesOfOneNetwork) {
  EXPECT_EQ(mergeWith([](TableEntry &) {}), "");
  auto has = [](std::string what) {
    return "'sum' has another " + what +
           " in 'second' than in 'first': the tables are of different networks";
  };
  EXPECT_EQ(mergeWith([](TableEntry &entry) {
              entry.shape = {-1, 4};
            }),
            has("shape"));
  EXPECT_EQ(mergeWith([](TableEntry &entry) { entry.structure = "4567"; }),
            has("structure"));
  EXPECT_EQ(mergeWith([](TableEntry &entry) {
              entry.group = {"b", "sum"};
            }),
            has("group"));
  EXPECT_EQ(mergeWith([](TableEntry &entry) { entry.group = {}; }),
            has("group"));
  numerics::QuantParams params;
  params.scale = 0.5;
  EXPECT_EQ(
      mergeWith([&](TableEntry &entry) { entry.explicitParams = {{params}}; }),
      has("scale or zero point"));
  EXPECT_EQ(mergeWithTable([](Table &table) { table.network = "other"; }),
            "'second' is of network 'other', 'first' of 'net'");
  EXPECT_EQ(mergeWithTable([](Table &table) { table.entries.clear(); }),
            "'second' and 'first' are of different networks or configurations: "
            "the first lacks sum");
  EXPECT_EQ(mergeWithTable([](Table &table) {
              table.entries.push_back(table.entries[0]);
              table.entries[1].name = "product";
            }),
            "'second' and 'first' are of different networks or configurations: "
            "the second lacks product");
  EXPECT_EQ(
      mergeWithTable([](Table &table) { table.samples[0].first = 4; }),
      "sample 4 of 'x.npz' is in 'first' and in 'second'; merge tables of "
      "different samples, and name files that are called the same with "
      "--source");
}
