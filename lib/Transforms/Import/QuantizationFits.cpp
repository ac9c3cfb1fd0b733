// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells quantization from other code by what it computes.
//
// A dequantize is a function of at most 256 integers: it is asked for all of
// them. A quantize, with or without the integers in between, is a staircase: it
// is asked on both sides of each step, on the ties, between them and far
// outside. What answers as the formulas do is a form.

#include "QuantizationFits.h"

#include "qbackend/Numerics/Quantize.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

/// Rounding may be done twice where a scale was computed: relative to a number.
static constexpr double kTolerance = 3e-7;
/// No zero point is further from 0.
static constexpr double kLevels = 256;
/// What any integer of a byte stands for is closer to 0, times the scale.
static constexpr double kFar = 4096;
/// Times the scale: integers of 32 bits hold what is closer to 0. Code that
/// has no value there does not limit what it converts to fewer bits.
static constexpr double kConvertible = 0x1p30;

static bool isClose(double a, double b) {
  return a == b || std::fabs(a - b) <= kTolerance * std::fabs(b);
}

//===----------------------------------------------------------------------===//
// Dequantize
//===----------------------------------------------------------------------===//

namespace {
/// `scale * (clamp(q, min, max) - zeroPoint)`.
struct Affine {
  double scale = 0;
  int64_t zeroPoint = 0, min = 0, max = 0;
};
} // namespace

/// `numbers`, those of the integers from `low` on, as such a function; nullopt
/// if they are none. Integers beyond the limits of all the others give the
/// same.
static std::optional<Affine> fitAffine(ArrayRef<double> numbers, int64_t low) {
  int64_t high = low + int64_t(numbers.size()) - 1;
  auto at = [&](int64_t q) { return numbers[q - low]; };
  Affine affine;
  affine.min = low, affine.max = high;
  while (affine.min < high && at(affine.min + 1) == at(low))
    ++affine.min;
  while (affine.max > low && at(affine.max - 1) == at(high))
    --affine.max;
  if (affine.min >= affine.max)
    return std::nullopt;
  // At most one number within the limits is 0.
  affine.zeroPoint = affine.min;
  while (affine.zeroPoint <= affine.max && at(affine.zeroPoint) != 0)
    ++affine.zeroPoint;
  if (affine.zeroPoint > affine.max)
    return std::nullopt;
  affine.scale = affine.zeroPoint < affine.max ? at(affine.zeroPoint + 1)
                                               : -at(affine.zeroPoint - 1);
  if (!(affine.scale > 0) || !std::isfinite(affine.scale))
    return std::nullopt;
  for (int64_t q = low; q <= high; ++q) {
    int64_t distance = std::clamp(q, affine.min, affine.max) - affine.zeroPoint;
    if (!isClose(at(q), float(affine.scale * double(distance))))
      return std::nullopt;
  }
  return affine;
}

std::optional<QuantizationForm>
qbackend::fitDequantize(const ElementProgram &program) {
  unsigned width = program.getInputType().width;
  int64_t half = int64_t(1) << (width - 1);
  SmallVector<double> inputs;
  for (int64_t q = -half; q < half; ++q)
    inputs.push_back(q);
  for (bool isSigned : {true, false}) {
    QuantizationForm form;
    form.isDequantize = true;
    form.isSigned = isSigned;
    form.axis = program.getAxis();
    bool fits = true;
    for (size_t channel = 0; fits && channel < program.getNumChannels();
         ++channel) {
      std::vector<double> numbers = program.evaluate(inputs, channel);
      // Bytes as unsigned integers begin with 0.
      if (!isSigned)
        std::rotate(numbers.begin(), numbers.begin() + half, numbers.end());
      std::optional<Affine> affine = fitAffine(numbers, isSigned ? -half : 0);
      fits = affine && (channel == 0 ||
                        (affine->min == form.min && affine->max == form.max));
      if (!fits)
        break;
      form.scales.push_back(affine->scale);
      form.zeroPoints.push_back(affine->zeroPoint);
      form.min = affine->min, form.max = affine->max;
    }
    if (fits)
      return form;
  }
  return std::nullopt;
}

std::optional<QuantizationForm>
qbackend::fitSums(const ElementProgram &program) {
  SmallVector<double> inputs = {0, 1, -1, 2, -3, 100, -255, 4095, -65537};
  // Beyond 24 bits they are rounded.
  for (int bit = 17; bit < 24; ++bit)
    inputs.push_back(std::ldexp(bit % 2 == 0 ? 1.0 : -1.0, bit) + 1);
  QuantizationForm form;
  form.isDequantize = form.isSigned = true;
  form.axis = program.getAxis();
  form.min = std::numeric_limits<int32_t>::min();
  form.max = std::numeric_limits<int32_t>::max();
  for (size_t channel = 0; channel < program.getNumChannels(); ++channel) {
    std::vector<double> numbers = program.evaluate(inputs, channel);
    double scale = numbers[1];
    if (!(scale > 0) || !std::isfinite(scale))
      return std::nullopt;
    for (auto [input, number] : llvm::zip(inputs, numbers))
      if (!isClose(number, float(input * scale)))
        return std::nullopt;
    form.scales.push_back(scale);
    form.zeroPoints.push_back(0);
  }
  return form;
}

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

/// Where quantizing by `scale` and `zeroPoint` may change, and what is far from
/// there; 0 comes first. Of the integers, each `stride`th.
static SmallVector<double> getProbes(double scale, int64_t zeroPoint,
                                     int64_t low, int64_t high,
                                     int64_t stride) {
  SmallVector<double> probes = {0.0};
  auto add = [&](double number) {
    float nearest = float(number);
    if (std::isfinite(nearest))
      probes.push_back(nearest);
  };
  auto addStep = [&](int64_t q) {
    double distance = double(q - zeroPoint);
    float tie = float((distance + 0.5) * scale);
    float before = tie, after = tie;
    add(tie);
    for (int ulp = 0; ulp < 3; ++ulp) {
      add(before = std::nextafterf(before, -INFINITY));
      add(after = std::nextafterf(after, INFINITY));
    }
    for (double part : {0.0, 0.25, 0.499, 0.501, 0.75})
      add((distance + part) * scale);
  };
  for (int64_t q = low - 2; q <= high + 2; q += stride)
    addStep(q);
  if (stride != 1)
    for (int64_t q : {zeroPoint - 1, zeroPoint, low - 1, low, high - 1, high})
      addStep(q);
  for (double far : {300.0, 700.0, 4096.0, 1e5, 1e8, 1e20})
    for (double sign : {-1.0, 1.0})
      add(sign * far * scale);
  return probes;
}

/// The first channel is asked about all integers. The others are the same code
/// with other constants, which some of them tell.
static int64_t getStride(size_t channel) { return channel == 0 ? 1 : 16; }

/// Compares the integers `found` for `probes`, those limited to [min, max],
/// with the quantize of the kernels, or with the same by a division. NaN is
/// passed over: it is further than integers of 32 bits.
static Difference compare(ArrayRef<double> probes, ArrayRef<double> found,
                          double scale, int64_t zeroPoint, int64_t min,
                          int64_t max) {
  float divisor = float(scale), factor = 1.0f / divisor;
  Difference difference = Difference::None;
  for (auto [probe, integer] : llvm::zip(probes, found)) {
    if (std::isnan(integer))
      continue;
    float x = float(probe);
    auto limit = [&](float rounded) {
      return std::clamp(double(rounded) + double(zeroPoint), double(min),
                        double(max));
    };
    float product = x * factor, quotient = x / divisor;
    if (integer == limit(numerics::roundHalfToEven(product)) ||
        integer == limit(numerics::roundHalfToEven(quotient)))
      continue;
    // Ties that go to another side, or what rounds to a tie with the zero
    // point.
    auto isTie = [&, integer = integer](float number) {
      double floor = std::floor(number);
      double ulp = 0x1p-23 * (std::fabs(number) + kLevels);
      return std::fabs(number - floor - 0.5) <= ulp &&
             (integer == limit(float(floor)) ||
              integer == limit(float(floor + 1)));
    };
    if (!isTie(product) && !isTie(quotient))
      return Difference::Rounding;
    difference = Difference::Ties;
  }
  return difference;
}

/// Why `found` differs: the first of what can be said.
static Difference explain(ArrayRef<double> probes, ArrayRef<double> found,
                          double scale, int64_t zeroPoint) {
  // The first probe is 0.
  if (found.front() != double(zeroPoint))
    return Difference::ZeroPoint;
  // One step away from the zero point begins half a scale from 0.
  double nearest = INFINITY;
  for (auto [probe, integer] : llvm::zip(probes, found))
    if (std::fabs(integer - double(zeroPoint)) >= 1)
      nearest = std::min(nearest, std::fabs(probe));
  if (std::fabs(nearest / (scale / 2) - 1) > 1e-4 &&
      std::fabs(nearest / scale - 1) > 1e-4)
    return Difference::Scale;
  return Difference::Rounding;
}

StringRef qbackend::getReason(Difference difference) {
  switch (difference) {
  case Difference::ZeroPoint:
    return "it subtracts another zero point than it adds";
  case Difference::Scale:
    return "it multiplies by another scale than it divides by";
  case Difference::Limits:
    return "it does not limit the integers";
  default:
    return "it does not round to the nearest integer";
  }
}

/// Whether code has no value for one of `probes` that a limit would give one.
static bool isUnlimited(ArrayRef<double> probes, ArrayRef<double> found,
                        double scale) {
  for (auto [probe, integer] : llvm::zip(probes, found))
    if (std::isnan(integer) && std::fabs(probe) < kConvertible * scale)
      return true;
  return false;
}

/// The limits of the integers that are `found`; nullopt if there are none.
static std::optional<std::pair<int64_t, int64_t>>
getLimits(ArrayRef<double> found) {
  double min = INFINITY, max = -INFINITY;
  for (double integer : found)
    if (!std::isnan(integer)) {
      min = std::min(min, integer);
      max = std::max(max, integer);
    }
  if (!(std::fabs(min) < kFar && std::fabs(max) < kFar && min < max))
    return std::nullopt;
  return std::pair(int64_t(min), int64_t(max));
}

Difference qbackend::fitQuantize(const ElementProgram &program,
                                 QuantizationForm &form) {
  size_t channels = std::max(program.getNumChannels(), form.scales.size());
  if (program.getNumChannels() > 1 && form.scales.size() > 1 &&
      (program.getNumChannels() != form.scales.size() ||
       program.getAxis() != form.axis))
    return Difference::Scale;
  if (program.getAxis())
    form.axis = program.getAxis();
  form.scales.resize(channels, form.scales.front());
  form.zeroPoints.resize(channels, form.zeroPoints.front());
  unsigned width = program.getType().width;
  int64_t low = form.isSigned ? -(int64_t(1) << (width - 1)) : 0;
  int64_t high = low + (int64_t(1) << width) - 1;
  QuantizationForm result = form;
  Difference difference = Difference::None;
  for (size_t channel = 0; channel < channels; ++channel) {
    double scale = form.scales[channel];
    int64_t zeroPoint = form.zeroPoints[channel];
    SmallVector<double> probes =
        getProbes(scale, zeroPoint, low, high, getStride(channel));
    std::vector<double> found =
        program.evaluate(probes, program.getNumChannels() == 1 ? 0 : channel);
    if (isUnlimited(probes, found, scale))
      return Difference::Limits;
    for (double &integer : found) {
      // Integers are extended by their sign.
      if (!form.isSigned && integer < 0)
        integer += double(high + 1);
      integer = std::clamp(integer, double(form.min), double(form.max));
    }
    auto limits = getLimits(found);
    if (!limits)
      return Difference::Limits;
    if (channel != 0 && *limits != std::pair(result.min, result.max))
      return Difference::Limits;
    std::tie(result.min, result.max) = *limits;
    Difference each =
        compare(probes, found, scale, zeroPoint, limits->first, limits->second);
    if (each == Difference::Rounding)
      return explain(probes, found, scale, zeroPoint);
    if (each == Difference::Ties)
      difference = each;
  }
  form = result;
  form.roundsTiesToEven = difference == Difference::None;
  return difference;
}

//===----------------------------------------------------------------------===//
// Both at once
//===----------------------------------------------------------------------===//

/// The least of what a nondecreasing `program` gives other than 0, going away
/// from 0 in direction `sign`: the height of its first step. 0 if there is
/// none.
static double getFirstStep(const ElementProgram &program, size_t channel,
                           double sign) {
  // Between 0 and the largest number, by their bits.
  uint32_t low = 0, high = 0x7f000000;
  auto at = [&](uint32_t bits) {
    double probe = sign * llvm::bit_cast<float>(bits);
    double number = program.evaluate(probe, channel).front();
    return std::isnan(number) ? INFINITY : std::fabs(number);
  };
  if (at(high) == 0)
    return 0;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    (at(middle) == 0 ? low : high) = middle;
  }
  double step = at(high);
  return std::isfinite(step) ? step : 0;
}

/// The zero point, among the constants of the code, for integers that are
/// limited to [min, max] without it. Without limits of their own that are
/// written, they are those of a byte.
static std::optional<int64_t> findZeroPoint(ArrayRef<double> constants,
                                            int64_t min, int64_t max) {
  auto isWritten = [&](int64_t number) {
    return llvm::is_contained(constants, double(number));
  };
  SmallVector<double> candidates = {0.0};
  for (double constant : constants)
    if (constant == std::trunc(constant) && std::fabs(constant) < kFar) {
      candidates.push_back(constant);
      candidates.push_back(-constant);
    }
  for (double candidate : candidates) {
    int64_t zeroPoint = int64_t(candidate);
    int64_t low = min + zeroPoint, high = max + zeroPoint;
    if (isWritten(low) && isWritten(high))
      return zeroPoint;
  }
  if (max - min != 255)
    return std::nullopt;
  for (double candidate : candidates)
    if (min + candidate == 0 || min + candidate == -128)
      return int64_t(candidate);
  return -min;
}

OrRefusal<QuantizationForm>
qbackend::fitFakeQuantize(const ElementProgram &program) {
  QuantizationForm form;
  form.axis = program.getAxis();
  Difference difference = Difference::None;
  for (size_t channel = 0; channel < program.getNumChannels(); ++channel) {
    if (program.evaluate(0.0, channel).front() != 0)
      return Refusal(getReason(Difference::ZeroPoint).str());
    double scale = getFirstStep(program, channel, 1);
    if (scale == 0)
      scale = getFirstStep(program, channel, -1);
    if (scale == 0 || !(scale > 1e-30 && scale < 1e30))
      return Refusal(getReason(Difference::Rounding).str());
    // Counted from the zero point.
    SmallVector<double> probes =
        getProbes(scale, 0, -300, 300, getStride(channel));
    std::vector<double> found = program.evaluate(probes, channel);
    if (isUnlimited(probes, found, scale))
      return Refusal(getReason(Difference::Limits).str());
    bool isOnGrid = true;
    for (double &number : found) {
      double integer = std::rint(number / scale);
      isOnGrid &= std::isnan(number) || isClose(number, float(integer * scale));
      number = integer;
    }
    auto limits = getLimits(found);
    if (!isOnGrid)
      return Refusal(getReason(Difference::Rounding).str());
    if (!limits)
      return Refusal(getReason(Difference::Limits).str());
    Difference each =
        compare(probes, found, scale, 0, limits->first, limits->second);
    if (each == Difference::Rounding)
      return Refusal(getReason(explain(probes, found, scale, 0)).str());
    if (each == Difference::Ties)
      difference = each;
    std::optional<int64_t> zeroPoint = findZeroPoint(
        program.getConstants(channel), limits->first, limits->second);
    if (!zeroPoint)
      return Refusal(llvm::formatv("its integers are {0} of no byte",
                                   limits->second - limits->first + 1)
                         .str());
    int64_t min = limits->first + *zeroPoint, max = limits->second + *zeroPoint;
    if (channel != 0 && (min != form.min || max != form.max))
      return Refusal("its channels have other limits");
    form.min = min, form.max = max;
    form.scales.push_back(scale);
    form.zeroPoints.push_back(*zeroPoint);
  }
  form.isSigned = form.min < 0;
  form.roundsTiesToEven = difference == Difference::None;
  return form;
}

//===----------------------------------------------------------------------===//
// Other ways of rounding
//===----------------------------------------------------------------------===//

/// Numbers of every size, with all bits.
static SmallVector<double> getWholeNumbers(double from, double to) {
  SmallVector<double> numbers;
  for (double number = from; number < to; number *= 1.2345678)
    numbers.append({float(number), -float(number)});
  return numbers;
}

bool qbackend::isStaircase(const ElementProgram &program) {
  double step =
      std::max(getFirstStep(program, 0, 1), getFirstStep(program, 0, -1));
  if (!(step > 1e-30 && step < 1e30))
    return false;
  SmallVector<double> probes = getWholeNumbers(step * 0.3, step * 500);
  std::vector<double> found = program.evaluate(probes, 0);
  llvm::SmallDenseSet<int64_t> multiples;
  for (double number : found) {
    if (std::isnan(number))
      continue;
    double multiple = std::rint(number / step);
    if (!isClose(number, multiple * step) &&
        std::fabs(number - multiple * step) > 1e-4 * step)
      return false;
    if (!(std::fabs(multiple) < 0x1p53))
      return false;
    multiples.insert(int64_t(multiple));
  }
  return multiples.size() > 4 && multiples.size() + 4 < probes.size();
}

bool qbackend::hasFewerBits(const ElementProgram &program) {
  SmallVector<double> probes = getWholeNumbers(1e-3, 1e3);
  std::vector<double> found = program.evaluate(probes, 0);
  size_t rounded = 0;
  for (auto [probe, number] : llvm::zip(probes, found)) {
    double error = std::fabs(number - probe) / std::fabs(probe);
    if (!(error < 0x1p-2))
      return false;
    rounded += error > 0x1p-16;
  }
  return rounded > probes.size() / 2;
}
