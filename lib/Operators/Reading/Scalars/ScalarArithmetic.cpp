// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes single operations on numbers.

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

std::optional<ScalarType> ScalarType::get(Type type) {
  if (auto asFloat = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = asFloat.getFloatSemantics();
    if (llvm::APFloat::semanticsPrecision(semantics) > 53)
      return std::nullopt;
    return ScalarType{&semantics, asFloat.getWidth()};
  }
  if (type.isIndex())
    return ScalarType{nullptr, 64};
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 1 || integer.getWidth() > 64)
    return std::nullopt;
  return ScalarType{nullptr, integer.getWidth()};
}

static double toDouble(llvm::APFloat number) {
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

static llvm::APFloat toFloat(double number,
                             const llvm::fltSemantics &semantics) {
  llvm::APFloat result(number);
  bool losesInfo;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

double ScalarType::round(double number) const {
  if (isF64())
    return number;
  if (isF32())
    return float(number);
  return ::toDouble(toFloat(number, *semantics));
}

int64_t ScalarType::wrap(uint64_t number) const {
  unsigned unused = 64 - width;
  return int64_t(number << unused) >> unused;
}

uint64_t ScalarType::getBits(int64_t number) const {
  return width == 64 ? uint64_t(number)
                     : uint64_t(number) & ((uint64_t(1) << width) - 1);
}

std::optional<ScalarNumber> ScalarNumber::get(Attribute attribute) {
  if (auto asFloat = dyn_cast_or_null<FloatAttr>(attribute);
      asFloat && ScalarType::get(asFloat.getType()))
    return ofFloat(asFloat.getValueAsDouble());
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
      integer && ScalarType::get(integer.getType()))
    return ofInteger(integer.getValue().getSExtValue());
  return std::nullopt;
}

double ScalarNumber::toDouble(ScalarType type) const {
  if (!type.isInteger())
    return real;
  return type.width == 1 ? double(integer != 0) : double(integer);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static double getMaximum(double a, double b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

static double getMinimum(double a, double b) {
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// `number` >> `amount`, rounded to nearest and up at ties.
static int64_t shiftRounding(__int128 number, int64_t amount) {
  if (amount > 0)
    number = (number + (__int128(1) << (amount - 1))) >> amount;
  return int64_t(number);
}

/// By squares, as the compiler's runtime library does it.
static double powerOfFloat(double base, int64_t exponent, ScalarType type) {
  double result = 1;
  uint64_t left = exponent < 0 ? -uint64_t(exponent) : uint64_t(exponent);
  for (; left != 0; left >>= 1) {
    if (left & 1)
      result = type.round(result * base);
    base = type.round(base * base);
  }
  return exponent < 0 ? type.round(1 / result) : result;
}

/// False if the base is 0 and the exponent negative.
static bool powerOfInteger(int64_t base, int64_t exponent, uint64_t &result) {
  result = 1;
  if (exponent < 0) {
    // One over the power, towards zero.
    if (base == 1 || base == -1)
      result = exponent % 2 ? uint64_t(base) : 1;
    else
      result = 0;
    return base != 0;
  }
  uint64_t square = base;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      result *= square;
    square *= square;
  }
  return true;
}

static double multiplyAdd(double a, double b, double c, ScalarType type) {
  if (type.isF64())
    return std::fma(a, b, c);
  if (type.isF32())
    return std::fma(float(a), float(b), float(c));
  llvm::APFloat result = toFloat(a, *type.semantics);
  result.fusedMultiplyAdd(toFloat(b, *type.semantics),
                          toFloat(c, *type.semantics),
                          llvm::APFloat::rmNearestTiesToEven);
  return toDouble(result);
}

static double fromInteger(int64_t number, bool isSigned, ScalarType type) {
  // Rounded once.
  if (type.isF32())
    return isSigned ? float(number) : float(uint64_t(number));
  if (type.isF64())
    return isSigned ? double(number) : double(uint64_t(number));
  llvm::APFloat result(*type.semantics);
  result.convertFromAPInt(llvm::APInt(64, uint64_t(number)), isSigned,
                          llvm::APFloat::rmNearestTiesToEven);
  return toDouble(result);
}

/// How two numbers compare, one of these bits.
enum Order : unsigned { Equal = 1, Greater = 2, Less = 4, Unordered = 8 };

/// For which orders a predicate holds, as arith numbers them.
static constexpr unsigned kFloatOrders[] = {0, 1,  2,  3,  4,  5,  6, 7,
                                            9, 10, 11, 12, 13, 14, 8, 15};
static constexpr unsigned kIntegerOrders[] = {1, 6, 4, 5, 2, 3, 4, 5, 2, 3};

template <typename T> static unsigned getOrder(T a, T b) {
  if (a == b)
    return Equal;
  return a > b ? Greater : a < b ? Less : Unordered;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// One step on blocks of numbers.
class Computation {
public:
  Computation(const ScalarStep &step, ArrayRef<const ScalarNumber *> operands,
              size_t count, ScalarNumber *results)
      : step(step), operands(operands), count(count), results(results) {}
  bool run();

private:
  int64_t integer(unsigned operand, size_t i) const {
    return operands[operand][i].integer;
  }
  uint64_t bits(unsigned operand, size_t i) const {
    return step.operandType.getBits(integer(operand, i));
  }
  double asFloat(unsigned operand, size_t i) const {
    return operands[operand][i].real;
  }

  /// `function` gives the number at each position.
  template <typename Function> bool setIntegers(Function function) {
    for (size_t i = 0; i < count; ++i)
      results[i].integer = step.type.wrap(uint64_t(function(i)));
    return true;
  }
  template <typename Function> bool setFloats(Function function) {
    if (step.type.isF32())
      for (size_t i = 0; i < count; ++i)
        results[i].real = float(function(i));
    else if (step.type.isF64())
      for (size_t i = 0; i < count; ++i)
        results[i].real = function(i);
    else
      for (size_t i = 0; i < count; ++i)
        results[i].real = step.type.round(function(i));
    return true;
  }
  /// If `isDefined` holds everywhere.
  template <typename Defined, typename Function>
  bool setDefined(Defined isDefined, Function function) {
    for (size_t i = 0; i < count; ++i)
      if (!isDefined(i))
        return false;
    return setIntegers(function);
  }

  template <typename Function> bool binaryInteger(Function function) {
    return setIntegers(
        [&](size_t i) { return function(integer(0, i), integer(1, i)); });
  }
  template <typename Function> bool binaryBits(Function function) {
    return setIntegers(
        [&](size_t i) { return function(bits(0, i), bits(1, i)); });
  }
  template <typename Function> bool divideSigned(Function function) {
    // The smallest number over -1 has no value in its own type.
    int64_t smallest = step.type.wrap(uint64_t(1) << (step.type.width - 1));
    return setDefined(
        [&](size_t i) {
          return integer(1, i) != 0 &&
                 !(integer(1, i) == -1 && integer(0, i) == smallest &&
                   step.type.width > 1);
        },
        [&](size_t i) { return function(integer(0, i), integer(1, i)); });
  }
  template <typename Function> bool divideUnsigned(Function function) {
    return setDefined(
        [&](size_t i) { return bits(1, i) != 0; },
        [&](size_t i) { return function(bits(0, i), bits(1, i)); });
  }
  template <typename Function> bool shift(Function function) {
    return setDefined([&](size_t i) { return bits(1, i) < step.type.width; },
                      function);
  }
  template <typename Function> bool binaryFloat(Function function) {
    return setFloats(
        [&](size_t i) { return function(asFloat(0, i), asFloat(1, i)); });
  }
  template <typename Function> bool unaryFloat(Function function) {
    return setFloats([&](size_t i) { return function(asFloat(0, i)); });
  }
  /// A function of the C library, of f32 in f32: so do torch and compiled code.
  template <typename Float, typename Double>
  bool call(Float inFloat, Double inDouble) {
    if (!step.type.isF32())
      return unaryFloat(inDouble);
    for (size_t i = 0; i < count; ++i)
      results[i].real = inFloat(float(asFloat(0, i)));
    return true;
  }
  template <typename Float, typename Double>
  bool call2(Float inFloat, Double inDouble) {
    if (!step.type.isF32())
      return binaryFloat(inDouble);
    for (size_t i = 0; i < count; ++i)
      results[i].real = inFloat(float(asFloat(0, i)), float(asFloat(1, i)));
    return true;
  }
  template <typename Function> bool test(Function function) {
    return setIntegers([&](size_t i) { return function(asFloat(0, i)); });
  }
  template <bool isSigned> bool convertToInteger();
  bool bitcast();

  const ScalarStep &step;
  ArrayRef<const ScalarNumber *> operands;
  size_t count;
  ScalarNumber *results;
};
} // namespace

template <bool isSigned> bool Computation::convertToInteger() {
  unsigned width = step.type.width;
  double end = std::ldexp(1.0, isSigned ? width - 1 : width);
  double start = isSigned ? -end : 0;
  for (size_t i = 0; i < count; ++i) {
    double number = std::trunc(asFloat(0, i));
    bool isInside = number >= start && number < end;
    if (!isInside && (step.detail == 0 || std::isnan(number)))
      return false;
    uint64_t value;
    if (isInside)
      value = isSigned ? uint64_t(int64_t(number)) : uint64_t(number);
    else if (number < start)
      value = isSigned ? uint64_t(1) << (width - 1) : 0;
    else
      value = isSigned ? (uint64_t(1) << (width - 1)) - 1 : ~uint64_t(0);
    results[i].integer = step.type.wrap(value);
  }
  return true;
}

bool Computation::bitcast() {
  ScalarType from = step.operandType, to = step.type;
  for (size_t i = 0; i < count; ++i) {
    llvm::APInt bits =
        from.isInteger()
            ? llvm::APInt(from.width, from.getBits(integer(0, i)))
            : toFloat(asFloat(0, i), *from.semantics).bitcastToAPInt();
    if (bits.getBitWidth() != to.width)
      return false;
    if (to.isInteger())
      results[i].integer = bits.getSExtValue();
    else
      results[i].real = toDouble(llvm::APFloat(*to.semantics, bits));
  }
  return true;
}

bool Computation::run() {
  switch (step.code) {
  case ScalarCode::Constant:
    std::fill_n(results, count, step.number);
    return true;

  // Wrapped, whatever the sign.
  case ScalarCode::AddI:
    return binaryInteger([](uint64_t a, uint64_t b) { return a + b; });
  case ScalarCode::SubI:
    return binaryInteger([](uint64_t a, uint64_t b) { return a - b; });
  case ScalarCode::MulI:
    return binaryInteger([](uint64_t a, uint64_t b) { return a * b; });
  case ScalarCode::MulShift:
    return setDefined(
        [&](size_t i) { return integer(2, i) >= 0 && integer(2, i) < 63; },
        [&](size_t i) {
          return shiftRounding(__int128(integer(0, i)) * integer(1, i),
                               integer(2, i));
        });
  case ScalarCode::DivS:
    return divideSigned([](int64_t a, int64_t b) { return a / b; });
  case ScalarCode::FloorDivS:
    return divideSigned(floorDivide);
  case ScalarCode::CeilDivS:
    return divideSigned(
        [](int64_t a, int64_t b) { return floorDivide(a, b) + (a % b != 0); });
  case ScalarCode::RemS:
    return divideSigned([](int64_t a, int64_t b) { return a % b; });
  case ScalarCode::DivU:
    return divideUnsigned([](uint64_t a, uint64_t b) { return a / b; });
  case ScalarCode::CeilDivU:
    return divideUnsigned(
        [](uint64_t a, uint64_t b) { return a / b + (a % b != 0); });
  case ScalarCode::RemU:
    return divideUnsigned([](uint64_t a, uint64_t b) { return a % b; });
  case ScalarCode::MinS:
    return binaryInteger([](int64_t a, int64_t b) { return std::min(a, b); });
  case ScalarCode::MaxS:
    return binaryInteger([](int64_t a, int64_t b) { return std::max(a, b); });
  case ScalarCode::MinU:
    return binaryBits([](uint64_t a, uint64_t b) { return std::min(a, b); });
  case ScalarCode::MaxU:
    return binaryBits([](uint64_t a, uint64_t b) { return std::max(a, b); });
  case ScalarCode::And:
    return binaryInteger([](int64_t a, int64_t b) { return a & b; });
  case ScalarCode::Or:
    return binaryInteger([](int64_t a, int64_t b) { return a | b; });
  case ScalarCode::Xor:
    return binaryInteger([](int64_t a, int64_t b) { return a ^ b; });
  case ScalarCode::ShiftLeft:
    return shift([&](size_t i) { return bits(0, i) << bits(1, i); });
  case ScalarCode::ShiftRightS:
    return shift([&](size_t i) {
      return step.detail ? shiftRounding(integer(0, i), bits(1, i))
                         : integer(0, i) >> bits(1, i);
    });
  case ScalarCode::ShiftRightU:
    return shift([&](size_t i) { return bits(0, i) >> bits(1, i); });
  case ScalarCode::AbsI:
    return setIntegers([&](size_t i) {
      uint64_t number = integer(0, i);
      return integer(0, i) < 0 ? -number : number;
    });
  case ScalarCode::NegateZeroPoints: {
    // Limited, but where TOSA's lowering wraps: without zero points.
    __int128 end = __int128(1) << (step.type.width - 1);
    auto negate = [&](size_t i) {
      return __int128(integer(2, i)) -
             (__int128(integer(0, i)) - integer(1, i));
    };
    return setDefined(
        [&](size_t i) {
          return negate(i) < end || integer(1, i) != 0 || integer(2, i) != 0;
        },
        [&](size_t i) {
          return int64_t(std::clamp<__int128>(negate(i), -end, end - 1));
        });
  }
  case ScalarCode::LeadingZeros:
    return setIntegers([&](size_t i) {
      return llvm::countl_zero(bits(0, i)) - int(64 - step.type.width);
    });
  case ScalarCode::TrailingZeros:
    return setIntegers([&](size_t i) {
      return std::min<int>(llvm::countr_zero(bits(0, i)), step.type.width);
    });
  case ScalarCode::PopCount:
    return setIntegers([&](size_t i) { return llvm::popcount(bits(0, i)); });
  case ScalarCode::PowI: {
    uint64_t power = 0;
    return setDefined(
        [&](size_t i) {
          return powerOfInteger(integer(0, i), integer(1, i), power);
        },
        [&](size_t i) {
          powerOfInteger(integer(0, i), integer(1, i), power);
          return power;
        });
  }
  case ScalarCode::CompareI: {
    unsigned orders = kIntegerOrders[step.detail];
    // Those without a sign come last.
    if (step.detail >= 6)
      return binaryBits([&](uint64_t a, uint64_t b) {
        return (getOrder(a, b) & orders) != 0;
      });
    return binaryInteger(
        [&](int64_t a, int64_t b) { return (getOrder(a, b) & orders) != 0; });
  }

  case ScalarCode::AddF:
    return binaryFloat([](double a, double b) { return a + b; });
  case ScalarCode::SubF:
    return binaryFloat([](double a, double b) { return a - b; });
  case ScalarCode::MulF:
    return binaryFloat([](double a, double b) { return a * b; });
  case ScalarCode::DivF:
    return binaryFloat([](double a, double b) { return a / b; });
  case ScalarCode::RemF:
    return binaryFloat([](double a, double b) { return std::fmod(a, b); });
  case ScalarCode::Maximum:
    return binaryFloat([](double a, double b) {
      return std::isnan(a) ? a : std::isnan(b) ? b : getMaximum(a, b);
    });
  case ScalarCode::Minimum:
    return binaryFloat([](double a, double b) {
      return std::isnan(a) ? a : std::isnan(b) ? b : getMinimum(a, b);
    });
  case ScalarCode::MaxNum:
    return binaryFloat([](double a, double b) {
      return std::isnan(a) ? b : std::isnan(b) ? a : getMaximum(a, b);
    });
  case ScalarCode::MinNum:
    return binaryFloat([](double a, double b) {
      return std::isnan(a) ? b : std::isnan(b) ? a : getMinimum(a, b);
    });
  case ScalarCode::CompareF: {
    unsigned orders = kFloatOrders[step.detail];
    return setIntegers([&](size_t i) {
      return (getOrder(asFloat(0, i), asFloat(1, i)) & orders) != 0;
    });
  }
  case ScalarCode::NegateF:
    return unaryFloat([](double a) { return -a; });
  case ScalarCode::AbsF:
    return unaryFloat([](double a) { return std::fabs(a); });
  case ScalarCode::CopySign:
    return binaryFloat([](double a, double b) { return std::copysign(a, b); });
  case ScalarCode::Floor:
    return unaryFloat([](double a) { return std::floor(a); });
  case ScalarCode::Ceil:
    return unaryFloat([](double a) { return std::ceil(a); });
  case ScalarCode::Round:
    return unaryFloat([](double a) { return std::round(a); });
  case ScalarCode::RoundEven:
    return unaryFloat([](double a) { return std::nearbyint(a); });
  case ScalarCode::Truncate:
    return unaryFloat([](double a) { return std::trunc(a); });
  case ScalarCode::MultiplyAdd:
    return setFloats([&](size_t i) {
      return multiplyAdd(asFloat(0, i), asFloat(1, i), asFloat(2, i),
                         step.type);
    });
  case ScalarCode::Rsqrt:
    return call([](float x) { return 1.0f / std::sqrt(x); },
                [](double x) { return 1.0 / std::sqrt(x); });
  case ScalarCode::PowF:
    return call2([](float a, float b) { return std::pow(a, b); },
                 [](double a, double b) { return std::pow(a, b); });
  case ScalarCode::FPowI:
    return setFloats([&](size_t i) {
      return powerOfFloat(asFloat(0, i), integer(1, i), step.type);
    });
  case ScalarCode::Atan2:
    return call2([](float a, float b) { return std::atan2(a, b); },
                 [](double a, double b) { return std::atan2(a, b); });
#define QBACKEND_SCALAR_FUNCTION(code, op, function)                           \
  case ScalarCode::code:                                                       \
    return call([](float x) { return std::function(x); },                      \
                [](double x) { return std::function(x); });
#include "qbackend/Operators/ScalarFunctions.inc"
  case ScalarCode::IsFinite:
    return test([](double x) { return std::isfinite(x); });
  case ScalarCode::IsInf:
    return test([](double x) { return std::isinf(x); });
  case ScalarCode::IsNaN:
    return test([](double x) { return std::isnan(x); });
  case ScalarCode::IsNormal:
    // Small numbers of small types are normal as f64.
    return test([&](double x) {
      return toFloat(x, *step.operandType.semantics).isNormal();
    });

  case ScalarCode::Select:
    for (size_t i = 0; i < count; ++i)
      results[i] = operands[integer(0, i) ? 1 : 2][i];
    return true;
  case ScalarCode::Cast:
    return setIntegers([&](size_t i) { return integer(0, i); });
  case ScalarCode::CastU:
    return setIntegers([&](size_t i) { return bits(0, i); });
  case ScalarCode::SignedToFloat:
    return setFloats(
        [&](size_t i) { return fromInteger(integer(0, i), true, step.type); });
  case ScalarCode::UnsignedToFloat:
    return setFloats([&](size_t i) {
      return fromInteger(int64_t(bits(0, i)), false, step.type);
    });
  case ScalarCode::FloatToSigned:
    return convertToInteger<true>();
  case ScalarCode::FloatToUnsigned:
    return convertToInteger<false>();
  case ScalarCode::CastFloat:
    return unaryFloat([](double a) { return a; });
  case ScalarCode::Bitcast:
    return bitcast();
  }
  return false;
}

bool qbackend::computeStep(const ScalarStep &step,
                           ArrayRef<const ScalarNumber *> operands,
                           size_t count, ScalarNumber *results) {
  return Computation(step, operands, count, results).run();
}

std::optional<bool> qbackend::comparesGreater(const ScalarStep &step) {
  if (step.code != ScalarCode::CompareF && step.code != ScalarCode::CompareI)
    return std::nullopt;
  unsigned orders = step.code == ScalarCode::CompareF
                        ? kFloatOrders[step.detail]
                        : kIntegerOrders[step.detail];
  if (!(orders & Greater) == !(orders & Less))
    return std::nullopt;
  return (orders & Greater) != 0;
}

void qbackend::computeFloats(ScalarCode code, ArrayRef<const double *> operands,
                             size_t count, double *results) {
  ScalarStep step;
  step.code = code;
  step.type = step.operandType = ScalarType::getFloat();
  // Results come after the operands.
  SmallVector<ScalarNumber> numbers((operands.size() + 1) * count);
  SmallVector<const ScalarNumber *, 3> inputs;
  ScalarNumber *next = numbers.data();
  for (const double *operand : operands) {
    inputs.push_back(next);
    for (size_t i = 0; operand && i < count; ++i)
      next[i].real = operand[i];
    next += count;
  }
  bool isDefined = computeStep(step, inputs, count, next);
  for (size_t i = 0; i < count; ++i)
    results[i] =
        isDefined ? next[i].real : std::numeric_limits<double>::quiet_NaN();
}
