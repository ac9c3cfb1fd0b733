// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of observers: the one table that MLIR's attribute, JSON documents,
// calibration tables and the Python package go by.

#ifndef QBACKEND_CALIBRATION_OBSERVERKINDS_H
#define QBACKEND_CALIBRATION_OBSERVERKINDS_H

#include "qbackend/Numerics/QuantParams.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

namespace qbackend {

/// What an observer records.
enum class ObserverKind {
  /// Smallest and largest value seen.
  MinMax,
  /// Exponential moving average of each batch's smallest and largest value.
  MovingAverageMinMax,
  /// MinMax for each index of one axis.
  PerChannelMinMax,
  /// MovingAverageMinMax for each index of one axis.
  MovingAveragePerChannelMinMax,
  /// A histogram, from which the range of least squared error is chosen.
  Histogram,
  /// Nothing: the parameters are given.
  FixedQParams,
  /// Nothing: it only says that the value is quantized (dynamically).
  Placeholder,
  /// Nothing: it only carries a type.
  Noop,
  /// Nothing: the value has the parameters of the operator's input.
  ReuseInput,
  /// A grid, from which the range that has most of the values is chosen.
  Percentile,
  /// A grid, from which the range is chosen whose distribution of quantized
  /// values is closest to that of the float ones.
  Entropy,
  /// A grid, from which the range of least squared error is chosen.
  MSE,
  Last = MSE,
};

using numerics::QScheme;

/// The names of schemes in MLIR, JSON and Python, in the order of the enum.
inline constexpr llvm::StringLiteral qschemeNames[] = {
    "per_tensor_affine", "per_tensor_symmetric", "per_channel_affine",
    "per_channel_symmetric", "per_channel_affine_float_qparams"};

constexpr llvm::StringRef stringifyQScheme(QScheme scheme) {
  return qschemeNames[static_cast<unsigned>(scheme)];
}

/// Returns the scheme that `name` stands for.
inline std::optional<QScheme> symbolizeQScheme(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(qschemeNames); ++i)
    if (qschemeNames[i] == name)
      return static_cast<QScheme>(i);
  return std::nullopt;
}

/// A parameter that some kinds have besides their dtype.
enum class ObserverField : uint32_t {
  QScheme = 1 << 0,
  QuantMin = 1 << 1,
  QuantMax = 1 << 2,
  ReduceRange = 1 << 3,
  Eps = 1 << 4,
  AveragingConstant = 1 << 5,
  Bins = 1 << 6,
  Scale = 1 << 7,
  ZeroPoint = 1 << 8,
  IsDynamic = 1 << 9,
  ChAxis = 1 << 10,
  Percentile = 1 << 11,
};

/// The name of a parameter in MLIR, JSON and Python.
struct ObserverFieldInfo {
  ObserverField field;
  llvm::StringRef name;
};
inline constexpr ObserverFieldInfo observerFields[] = {
    {ObserverField::QScheme, "qscheme"},
    {ObserverField::QuantMin, "quant_min"},
    {ObserverField::QuantMax, "quant_max"},
    {ObserverField::ReduceRange, "reduce_range"},
    {ObserverField::Eps, "eps"},
    {ObserverField::AveragingConstant, "averaging_constant"},
    {ObserverField::Bins, "bins"},
    {ObserverField::Scale, "scale"},
    {ObserverField::ZeroPoint, "zero_point"},
    {ObserverField::IsDynamic, "is_dynamic"},
    {ObserverField::ChAxis, "ch_axis"},
    {ObserverField::Percentile, "percentile"},
};

/// One row of the table.
struct ObserverKindInfo {
  /// What is recorded.
  enum Statistics { None, Range, Average, Histogram, Grid };

  ObserverKind kind;
  /// Its name in MLIR and in calibration tables.
  llvm::StringRef name;
  /// Its class in Python and JSON.
  llvm::StringRef className;
  /// Whether PyTorch has that class.
  bool isTorch;
  Statistics statistics;
  /// Whether each channel has a range. Then its default scheme is
  /// per_channel_affine, else per_tensor_affine.
  bool isPerChannel;
  /// The default dtype by PyTorch's name.
  llvm::StringRef dtype;
  /// A bit for each parameter that it takes.
  uint32_t fields;

  constexpr bool takes(ObserverField field) const {
    return fields & uint32_t(field);
  }
};

namespace observer_table {
constexpr uint32_t operator|(ObserverField a, ObserverField b) {
  return uint32_t(a) | uint32_t(b);
}
constexpr uint32_t operator|(uint32_t a, ObserverField b) {
  return a | uint32_t(b);
}

using Field = ObserverField;
using Info = ObserverKindInfo;

inline constexpr uint32_t rangeFields = Field::QScheme | Field::QuantMin |
                                        Field::QuantMax | Field::ReduceRange |
                                        Field::Eps;
inline constexpr uint32_t torchFields = rangeFields | Field::IsDynamic;

inline constexpr ObserverKindInfo observerKinds[] = {
    {ObserverKind::MinMax, "min_max", "MinMaxObserver", true, Info::Range,
     false, "quint8", torchFields},
    {ObserverKind::MovingAverageMinMax, "moving_average_min_max",
     "MovingAverageMinMaxObserver", true, Info::Average, false, "quint8",
     torchFields | Field::AveragingConstant},
    {ObserverKind::PerChannelMinMax, "per_channel_min_max",
     "PerChannelMinMaxObserver", true, Info::Range, true, "quint8",
     torchFields | Field::ChAxis},
    {ObserverKind::MovingAveragePerChannelMinMax,
     "moving_average_per_channel_min_max",
     "MovingAveragePerChannelMinMaxObserver", true, Info::Average, true,
     "quint8", torchFields | Field::AveragingConstant | Field::ChAxis},
    {ObserverKind::Histogram, "histogram", "HistogramObserver", true,
     Info::Histogram, false, "quint8", torchFields | Field::Bins},
    {ObserverKind::FixedQParams, "fixed_qparams", "FixedQParamsObserver", true,
     Info::None, false, "quint8",
     Field::Scale | Field::ZeroPoint | Field::QScheme | Field::QuantMin |
         Field::QuantMax | Field::IsDynamic},
    {ObserverKind::Placeholder, "placeholder", "PlaceholderObserver", true,
     Info::None, false, "float32",
     Field::QScheme | Field::QuantMin | Field::QuantMax | Field::Eps |
         Field::IsDynamic},
    {ObserverKind::Noop, "noop", "NoopObserver", true, Info::None, false,
     "float16", 0},
    {ObserverKind::ReuseInput, "reuse_input", "ReuseInputObserver", true,
     Info::None, false, "quint8", 0},
    // Not PyTorch's, in the style of its names.
    {ObserverKind::Percentile, "percentile", "PercentileObserver", false,
     Info::Grid, false, "quint8", rangeFields | Field::Percentile},
    {ObserverKind::Entropy, "entropy", "EntropyObserver", false, Info::Grid,
     false, "quint8", rangeFields},
    {ObserverKind::MSE, "mse", "MSEObserver", false, Info::Grid, false,
     "quint8", rangeFields},
};
} // namespace observer_table

/// The table, in the order of the enum.
using observer_table::observerKinds;

namespace observer_table {
constexpr bool isInOrder() {
  for (unsigned i = 0; i < std::size(observerKinds); ++i)
    if (unsigned(observerKinds[i].kind) != i)
      return false;
  return true;
}
static_assert(isInOrder() &&
                  unsigned(ObserverKind::Last) + 1 == std::size(observerKinds),
              "each kind has its row, in the order of the enum");
} // namespace observer_table

/// The row of `kind`.
constexpr const ObserverKindInfo &getInfo(ObserverKind kind) {
  return observerKinds[unsigned(kind)];
}

/// The name of `field`.
constexpr llvm::StringRef stringifyObserverField(ObserverField field) {
  for (const ObserverFieldInfo &info : observerFields)
    if (info.field == field)
      return info.name;
  return "";
}

/// Returns the name of `kind` in MLIR and calibration tables: "min_max".
constexpr llvm::StringRef stringifyObserverKind(ObserverKind kind) {
  return getInfo(kind).name;
}

/// Returns the kind that `name` stands for.
inline std::optional<ObserverKind> symbolizeObserverKind(llvm::StringRef name) {
  for (const ObserverKindInfo &info : observerKinds)
    if (info.name == name)
      return info.kind;
  return std::nullopt;
}

/// Returns whether `kind` has a range for each channel.
constexpr bool isPerChannel(ObserverKind kind) {
  return getInfo(kind).isPerChannel;
}

/// Returns whether `kind` records an average of its batches.
constexpr bool isMovingAverage(ObserverKind kind) {
  return getInfo(kind).statistics == ObserverKindInfo::Average;
}

/// Returns whether `kind` chooses its range from a grid.
constexpr bool usesGrid(ObserverKind kind) {
  return getInfo(kind).statistics == ObserverKindInfo::Grid;
}

/// Returns whether `kind` records statistics at all.
constexpr bool hasStatistics(ObserverKind kind) {
  return getInfo(kind).statistics != ObserverKindInfo::None;
}

/// Returns the names of the kinds for which `predicate` holds, or their
/// classes: "min_max, histogram".
template <typename Predicate>
std::string listObserverKinds(
    Predicate predicate,
    llvm::StringRef ObserverKindInfo::*member = &ObserverKindInfo::name) {
  std::string text;
  for (const ObserverKindInfo &info : observerKinds)
    if (predicate(info))
      text += (text.empty() ? "" : ", ") + (info.*member).str();
  return text;
}

} // namespace qbackend

#endif // QBACKEND_CALIBRATION_OBSERVERKINDS_H
