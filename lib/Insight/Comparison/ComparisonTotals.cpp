// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over samples that parts of them add up to, bit for bit.

#include "ComparisonTotals.h"

#include "qbackend/Calibration/Table.h"
#include "qbackend/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"

using namespace qbackend;
using namespace qbackend::evaluation;
using arrays::NamedArray;
using llvm::StringRef;
using numerics::ExactSum;
namespace json = llvm::json;

/// The sums of an operator by what JSON calls them.
static constexpr std::pair<const char *, ErrorTotals OperatorTotals::*>
    kTotals[] = {{"cumulative", &OperatorTotals::cumulative},
                 {"local", &OperatorTotals::local},
                 {"from_inputs", &OperatorTotals::fromInputs},
                 {"own", &OperatorTotals::own},
                 {"weight", &OperatorTotals::weight},
                 {"bias", &OperatorTotals::bias},
                 {"clip", &OperatorTotals::clip},
                 {"round", &OperatorTotals::round}};
static constexpr std::pair<const char *,
                           calibration::Statistics OperatorTotals::*>
    kStatistics[] = {
        {"statistics", &OperatorTotals::statistics},
        {"quantized_statistics", &OperatorTotals::quantizedStatistics}};

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds each number of `from` to that of `to`, which has as many at least then.
template <typename T>
static void addAll(std::vector<ExactSum> &to, const std::vector<T> &from) {
  to.resize(std::max(to.size(), from.size()));
  for (auto [sum, number] : llvm::zip(to, from))
    sum.add(number);
}

/// Adds sums of a run, or those of several.
template <typename T> static void addSums(ErrorTotals &to, const T &from) {
  to.elements += from.elements;
  to.largest = std::max(to.largest, from.largest);
  to.signal.add(from.signal);
  to.other.add(from.other);
  to.noise.add(from.noise);
  to.product.add(from.product);
  addAll(to.channelSignal, from.channelSignal);
  addAll(to.channelNoise, from.channelNoise);
}

void ErrorTotals::add(const ErrorSums &sums) { addSums(*this, sums); }

void ErrorTotals::add(const ErrorTotals &totals) { addSums(*this, totals); }

ErrorSums ErrorTotals::getSums() const {
  ErrorSums sums;
  sums.elements = elements;
  sums.largest = largest;
  sums.signal = signal.getValue();
  sums.other = other.getValue();
  sums.noise = noise.getValue();
  sums.product = product.getValue();
  for (const ExactSum &sum : channelSignal)
    sums.channelSignal.push_back(sum.getValue());
  for (const ExactSum &sum : channelNoise)
    sums.channelNoise.push_back(sum.getValue());
  return sums;
}

void OperatorTotals::add(const OperatorTotals &totals) {
  for (auto &[name, member] : kTotals)
    (this->*member).add(totals.*member);
  for (auto &[name, member] : kStatistics)
    calibration::merge(this->*member, totals.*member);
}

static void append(std::vector<NamedArray> &to,
                   const std::vector<NamedArray> &from) {
  if (to.empty()) {
    to = from;
    return;
  }
  for (auto [array, more] : llvm::zip(to, from)) {
    array.array.shape[0] += more.array.shape[0];
    array.array.data.insert(array.array.data.end(), more.array.data.begin(),
                            more.array.data.end());
  }
}

void ComparisonTotals::add(const ComparisonTotals &totals) {
  operators.resize(totals.operators.size());
  for (auto [op, more] : llvm::zip_equal(operators, totals.operators))
    op.add(more);
  append(outputs, totals.outputs);
  append(otherOutputs, totals.otherOutputs);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void write(json::Array &numbers, const ExactSum &sum) {
  for (int64_t number : sum.getState())
    numbers.push_back(number);
}

static json::Value toJSON(const ErrorTotals &totals) {
  if (totals.elements == 0)
    return nullptr;
  json::Array sums;
  for (const ExactSum *sum :
       {&totals.signal, &totals.other, &totals.noise, &totals.product})
    write(sums, *sum);
  for (const auto *channels : {&totals.channelSignal, &totals.channelNoise})
    for (const ExactSum &sum : *channels)
      write(sums, sum);
  return json::Object{{"elements", totals.elements},
                      {"largest", totals.largest},
                      {"sums", std::move(sums)}};
}

/// As the table of a network that is this tensor: there one text has all that
/// statistics are.
static json::Value toJSON(const calibration::Statistics &statistics) {
  calibration::Table table;
  table.entries.emplace_back();
  table.entries[0].name = "x";
  table.entries[0].stats = statistics;
  return calibration::printTable(table);
}

static json::Value toJSON(const std::vector<NamedArray> &arrays) {
  json::Array result;
  for (const NamedArray &named : arrays)
    result.push_back(json::Object{
        {"name", named.name},
        {"type", arrays::getElementName(named.array.type)},
        {"shape", json::Array(named.array.shape)},
        {"data", llvm::encodeBase64(llvm::toStringRef(named.array.data))}});
  return result;
}

json::Value evaluation::toJSON(const ComparisonTotals &totals) {
  json::Array operators;
  for (const OperatorTotals &op : totals.operators) {
    json::Object object;
    for (auto &[name, member] : kTotals)
      object[name] = ::toJSON(op.*member);
    for (auto &[name, member] : kStatistics)
      object[name] = ::toJSON(op.*member);
    operators.push_back(std::move(object));
  }
  return json::Object{{"operators", std::move(operators)},
                      {"outputs", ::toJSON(totals.outputs)},
                      {"other_outputs", ::toJSON(totals.otherOutputs)}};
}

static llvm::Error makeDamaged(StringRef what) {
  return makeError("the part of a comparison is damaged: {0}", what);
}

static llvm::Error read(const json::Value &value, ErrorTotals &totals) {
  if (value.getAsNull())
    return llvm::Error::success();
  const json::Object *object = value.getAsObject();
  auto elements = object ? object->getInteger("elements") : std::nullopt;
  auto largest = object ? object->getNumber("largest") : std::nullopt;
  const json::Array *sums = object ? object->getArray("sums") : nullptr;
  constexpr size_t width = std::tuple_size<ExactSum::State>(), heads = 4;
  if (!elements || !largest || !sums || sums->size() % (2 * width) != 0 ||
      sums->size() < heads * width)
    return makeDamaged("sums");
  totals.elements = *elements;
  totals.largest = *largest;
  std::vector<ExactSum> read(sums->size() / width);
  for (auto [i, sum] : llvm::enumerate(read)) {
    ExactSum::State state;
    for (auto [k, number] : llvm::enumerate(state)) {
      auto found = (*sums)[i * width + k].getAsInteger();
      if (!found)
        return makeDamaged("a sum");
      number = *found;
    }
    if (!ExactSum::isState(state))
      return makeDamaged("a sum is of no doubles");
    sum = ExactSum(state);
  }
  totals.signal = read[0];
  totals.other = read[1];
  totals.noise = read[2];
  totals.product = read[3];
  auto middle = read.begin() + heads + (read.size() - heads) / 2;
  totals.channelSignal.assign(read.begin() + heads, middle);
  totals.channelNoise.assign(middle, read.end());
  return llvm::Error::success();
}

static llvm::Error read(const json::Value &value,
                        calibration::Statistics &statistics) {
  auto text = value.getAsString();
  if (!text)
    return makeDamaged("statistics");
  auto table = calibration::parseTable(*text, "statistics");
  if (!table)
    return table.takeError();
  if (table->entries.size() != 1)
    return makeDamaged("statistics");
  statistics = std::move(table->entries[0].stats);
  return llvm::Error::success();
}

static llvm::Error read(const json::Value *value,
                        std::vector<NamedArray> &arrays) {
  const json::Array *entries = value ? value->getAsArray() : nullptr;
  if (!entries)
    return makeDamaged("results");
  for (const json::Value &entry : *entries) {
    const json::Object *object = entry.getAsObject();
    auto name = object ? object->getString("name") : std::nullopt;
    auto type = object ? object->getString("type") : std::nullopt;
    auto data = object ? object->getString("data") : std::nullopt;
    const json::Array *shape = object ? object->getArray("shape") : nullptr;
    std::optional<arrays::ElementType> element;
    for (int i = 0; i <= int(arrays::ElementType::F16); ++i)
      if (type && *type == arrays::getElementName(arrays::ElementType(i)))
        element = arrays::ElementType(i);
    if (!name || !element || !data || !shape)
      return makeDamaged("a result");
    NamedArray &named = arrays.emplace_back();
    named.name = name->str();
    named.array.type = *element;
    for (const json::Value &extent : *shape)
      named.array.shape.push_back(extent.getAsInteger().value_or(-1));
    std::vector<char> bytes;
    if (llvm::Error error = llvm::decodeBase64(*data, bytes))
      return error;
    named.array.data.assign(bytes.begin(), bytes.end());
    auto size = arrays::getNumBytes(*element, named.array.shape);
    if (named.array.shape.empty() || !size || *size != int64_t(bytes.size()))
      return makeDamaged("the bytes of a result");
  }
  return llvm::Error::success();
}

llvm::Expected<ComparisonTotals>
evaluation::readTotals(const json::Value &value, size_t operators) {
  const json::Object *object = value.getAsObject();
  const json::Array *entries = object ? object->getArray("operators") : nullptr;
  if (!entries || entries->size() != operators)
    return makeDamaged("the operators are others");
  ComparisonTotals totals;
  for (const json::Value &entry : *entries) {
    const json::Object *op = entry.getAsObject();
    OperatorTotals &into = totals.operators.emplace_back();
    for (auto &[name, member] : kTotals) {
      const json::Value *found = op ? op->get(name) : nullptr;
      if (!found)
        return makeDamaged(name);
      if (llvm::Error error = read(*found, into.*member))
        return error;
    }
    for (auto &[name, member] : kStatistics) {
      const json::Value *found = op ? op->get(name) : nullptr;
      if (!found)
        return makeDamaged(name);
      if (llvm::Error error = read(*found, into.*member))
        return error;
    }
  }
  if (llvm::Error error = read(object->get("outputs"), totals.outputs))
    return error;
  if (llvm::Error error =
          read(object->get("other_outputs"), totals.otherOutputs))
    return error;
  return totals;
}
