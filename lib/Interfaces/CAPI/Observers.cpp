// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers and fake quantization through the C interface.

#include "Session.h"

#include "qbackend/Backends/Json.h"
#include "qbackend/Calibration/Table.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/Analysis/ObserverOptions.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;
using calibration::Observer;
using calibration::Table;
using calibration::TableEntry;

struct QBackendObserver {
  std::unique_ptr<Observer> observer;
};

QBackendStatus qbackendObserverCreate(QBackendText json,
                                      QBackendObserver **observer,
                                      QBackendDiagnosticCallback callback,
                                      void *user) {
  Session session(callback, user);
  if (!observer) {
    session.error() << "observer is null, expected where to put the result";
    return QBACKEND_FAILURE;
  }
  *observer = nullptr;
  FailureOr<ObserverAttr> config =
      observerFromJSON(toRef(json), session.getContext());
  if (failed(config))
    return QBACKEND_FAILURE;
  if (!hasStatistics(config->getKind())) {
    session.error() << getInfo(config->getKind()).className
                    << " records nothing, expected "
                    << listObserverKinds(
                           [](const ObserverKindInfo &info) {
                             return hasStatistics(info.kind);
                           },
                           &ObserverKindInfo::className);
    return QBACKEND_FAILURE;
  }
  if (!isa<IntegerType>(config->getDtype())) {
    session.error() << "the dtype of an observer with a range is "
                    << config->getDtype() << ", expected integers";
    return QBACKEND_FAILURE;
  }
  *observer =
      new QBackendObserver{Observer::create(getObserverOptions(*config))};
  return QBACKEND_SUCCESS;
}

/// Whether there is an observer; else an error says so.
static bool checkObserver(const QBackendObserver *observer,
                          QBackendDiagnosticCallback callback, void *user) {
  if (!observer)
    Session(callback, user).error()
        << "observer is null, expected one of qbackendObserverCreate";
  return observer;
}

void qbackendObserverDestroy(QBackendObserver *observer) { delete observer; }

/// The elements of a tensor; nothing, after an error, if there is none.
static std::optional<int64_t> countElements(const void *data,
                                            const int64_t *shape, size_t rank,
                                            QBackendDiagnosticCallback callback,
                                            void *user) {
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    if (!shape || shape[i] < 0 || llvm::MulOverflow(count, shape[i], count)) {
      Session session(callback, user);
      InFlightDiagnostic diag = session.error();
      if (!shape)
        diag << "the shape is null, expected " << uint64_t(rank) << " extents";
      else
        diag << "extent " << uint64_t(i) << " of the tensor is " << shape[i]
             << ", expected 0 or more and fewer than 2^63 elements";
      return std::nullopt;
    }
  }
  if (!data && count > 0) {
    Session(callback, user).error()
        << "the tensor is null, expected " << count << " elements";
    return std::nullopt;
  }
  return count;
}

QBackendStatus qbackendObserverRecord(QBackendObserver *observer,
                                      const float *data, const int64_t *shape,
                                      size_t rank,
                                      QBackendDiagnosticCallback callback,
                                      void *user) {
  if (!checkObserver(observer, callback, user))
    return QBACKEND_FAILURE;
  auto count = countElements(data, shape, rank, callback, user);
  if (!count)
    return QBACKEND_FAILURE;
  if (*count == 0)
    return QBACKEND_SUCCESS;
  const calibration::ObserverOptions &options =
      observer->observer->getOptions();
  std::vector<int64_t> extents(shape, shape + rank);
  if (isPerChannel(options.kind)) {
    // A tensor of other channels has nothing to add to.
    const calibration::Statistics &seen = observer->observer->statistics();
    int64_t axis = options.channelAxis;
    if (axis >= int64_t(rank)) {
      Session(callback, user).error()
          << "the channels are on axis " << axis << ", expected one of the "
          << uint64_t(rank) << " of the tensor";
      return QBACKEND_FAILURE;
    }
    if (!seen.channelMins.empty() &&
        int64_t(seen.channelMins.size()) != extents[axis]) {
      Session(callback, user).error()
          << "a batch has " << extents[axis] << " channels, expected "
          << uint64_t(seen.channelMins.size()) << " as those before";
      return QBACKEND_FAILURE;
    }
  }
  observer->observer->update(data, extents);
  return QBACKEND_SUCCESS;
}

void qbackendObserverReset(QBackendObserver *observer) {
  if (observer)
    observer->observer->reset();
}

QBackendStatus qbackendObserverToTable(QBackendObserver *observer,
                                       QBackendText name, char **output,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  auto write = [&](Session &, llvm::raw_ostream &os) {
    if (!checkObserver(observer, callback, user))
      return failure();
    TableEntry entry;
    entry.name = toRef(name).str();
    entry.kind = observer->observer->getOptions().kind;
    entry.stats = observer->observer->statistics();
    Table table;
    table.entries.push_back(std::move(entry));
    os << calibration::printTable(table);
    return success();
  };
  return giveText(output, callback, user, write);
}

QBackendStatus qbackendObserverFromTable(QBackendObserver *observer,
                                         QBackendText text, QBackendText name,
                                         QBackendDiagnosticCallback callback,
                                         void *user) {
  auto fail = [&](const llvm::Twine &message) {
    Session(callback, user).error() << message;
    return QBACKEND_FAILURE;
  };
  if (!checkObserver(observer, callback, user))
    return QBACKEND_FAILURE;
  llvm::Expected<Table> table =
      calibration::parseTable(toRef(text), "calibration table");
  if (!table)
    return fail(llvm::toString(table.takeError()));
  const TableEntry *entry = table->lookup(toRef(name));
  if (!entry)
    return fail("the calibration table has no entry '" + toRef(name) + "'");
  if (entry->explicitParams)
    return fail("entry '" + toRef(name) +
                "' of the calibration table has parameters, expected "
                "statistics, from which an observer goes on");
  const calibration::ObserverOptions &options =
      observer->observer->getOptions();
  const calibration::Statistics &stats = entry->stats;
  if (!stats.histogram.empty() && options.kind == ObserverKind::Histogram &&
      int64_t(stats.histogram.size()) != options.bins)
    return fail("entry '" + toRef(name) + "' of the calibration table has " +
                llvm::Twine(stats.histogram.size()) + " bins, expected " +
                llvm::Twine(options.bins));
  observer->observer->resume(stats);
  return QBACKEND_SUCCESS;
}

QBackendStatus qbackendObserverGetParams(QBackendObserver *observer,
                                         char **output,
                                         QBackendDiagnosticCallback callback,
                                         void *user) {
  auto write = [&](Session &, llvm::raw_ostream &stream) {
    if (!checkObserver(observer, callback, user))
      return failure();
    const calibration::ObserverOptions &options =
        observer->observer->getOptions();
    const calibration::Statistics &stats = observer->observer->statistics();
    llvm::json::OStream os(stream);
    auto print = [&](const auto &params) {
      os.object([&] {
        os.attributeArray("scale", [&] {
          for (const auto &each : params)
            os.value(each.scale);
        });
        os.attributeArray("zero_point", [&] {
          for (const auto &each : params)
            os.value(each.zeroPoint);
        });
      });
    };
    if (options.scheme == QScheme::PerChannelAffineFloatQParams)
      print(Observer::floatQParams(stats, options));
    else
      print(Observer::qparams(stats, options));
    return success();
  };
  return giveText(output, callback, user, write);
}

/// Whether the parameters suit a tensor; else an error says why not.
static bool checkQuantization(const QBackendQuantization &quantization,
                              const int64_t *shape, size_t rank,
                              QBackendDiagnosticCallback callback, void *user) {
  auto fail = [&](const llvm::Twine &message) {
    Session(callback, user).error() << message;
    return false;
  };
  if (quantization.count == 0 || !quantization.scales ||
      !quantization.zeroPoints)
    return fail("no scales and zero points, expected one of each or one for "
                "each channel");
  constexpr int64_t limit = int64_t(1) << 31;
  if (quantization.quantMin < -limit || quantization.quantMax >= limit ||
      quantization.quantMin > quantization.quantMax)
    return fail("the range of the integers is [" +
                llvm::Twine(quantization.quantMin) + ", " +
                llvm::Twine(quantization.quantMax) +
                "], expected one of 32 bits");
  if (quantization.count > 1 &&
      (quantization.axis < 0 || quantization.axis >= int64_t(rank) ||
       shape[quantization.axis] != int64_t(quantization.count)))
    return fail(llvm::Twine(quantization.count) + " scales for axis " +
                llvm::Twine(quantization.axis) +
                ", expected one for each of its elements");
  for (size_t i = 0; i < quantization.count; ++i) {
    float scale = static_cast<float>(quantization.scales[i]);
    double zeroPoint = quantization.zeroPoints[i];
    if (!(scale > 0) || !std::isfinite(scale))
      return fail("scale " + llvm::Twine(i) +
                  " is not a positive number that f32 has");
    if (quantization.hasFloatZeroPoints
            ? !std::isfinite(static_cast<float>(zeroPoint))
            : !(zeroPoint >= quantization.quantMin &&
                zeroPoint <= quantization.quantMax) ||
                  zeroPoint != std::trunc(zeroPoint))
      return fail("zero point " + llvm::Twine(i) +
                  (quantization.hasFloatZeroPoints
                       ? " is not a number that f32 has"
                       : " is none of the integers from quantMin to quantMax"));
  }
  return true;
}

QBackendStatus qbackendFakeQuantize(const float *input, float *output,
                                    const int64_t *shape, size_t rank,
                                    const QBackendQuantization *quantization,
                                    QBackendDiagnosticCallback callback,
                                    void *user) {
  auto count = countElements(input, shape, rank, callback, user);
  if (!count)
    return QBACKEND_FAILURE;
  if (!quantization || !output) {
    Session(callback, user).error()
        << (output ? "the quantization" : "the output") << " is null";
    return QBACKEND_FAILURE;
  }
  if (!checkQuantization(*quantization, shape, rank, callback, user))
    return QBACKEND_FAILURE;
  // One channel is all of the tensor.
  int64_t inner = *count, channels = quantization->count;
  if (channels > 1) {
    inner = 1;
    for (size_t i = quantization->axis + 1; i < rank; ++i)
      inner *= shape[i];
  }
  const int64_t low = quantization->quantMin, high = quantization->quantMax;
  for (int64_t begin = 0; begin < *count; begin += inner) {
    int64_t channel = (begin / inner) % channels;
    float scale = static_cast<float>(quantization->scales[channel]);
    double zeroPoint = quantization->zeroPoints[channel];
    if (quantization->hasFloatZeroPoints) {
      float original = static_cast<float>(zeroPoint);
      for (int64_t i = begin; i < begin + inner; ++i)
        output[i] =
            numerics::fakeQuantize(input[i], scale, original, low, high);
      continue;
    }
    int64_t whole = static_cast<int64_t>(zeroPoint);
    for (int64_t i = begin; i < begin + inner; ++i)
      output[i] = numerics::fakeQuantize(input[i], scale, whole, low, high);
  }
  return QBACKEND_SUCCESS;
}

void qbackendChooseParams(float min, float max, int64_t quantMin,
                          int64_t quantMax, int symmetric, double *scale,
                          int64_t *zeroPoint) {
  numerics::QuantParams params =
      numerics::chooseQParams(min, max, {quantMin, quantMax}, symmetric);
  if (scale)
    *scale = params.scale;
  if (zeroPoint)
    *zeroPoint = params.zeroPoint;
}
