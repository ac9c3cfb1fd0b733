// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops of arith, math and tosa compute for one element: the one table that
// says it, and the one place that does it.

#ifndef QBACKEND_OPERATORS_SCALAROP_H
#define QBACKEND_OPERATORS_SCALAROP_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace qbackend {

/// The type of a number: an integer of up to 64 bits (`index` has 64), or a
/// float that f64 holds exactly.
struct ScalarType {
  /// Null for integers.
  const llvm::fltSemantics *semantics = nullptr;
  unsigned width = 64;

  /// nullopt for other types. Signs are the business of ops, not of types.
  static std::optional<ScalarType> get(mlir::Type type);
  static ScalarType getFloat() { return {&llvm::APFloat::IEEEdouble(), 64}; }

  bool isInteger() const { return !semantics; }
  bool isF32() const { return semantics == &llvm::APFloat::IEEEsingle(); }
  bool isF64() const { return semantics == &llvm::APFloat::IEEEdouble(); }
  /// `number`, rounded to nearest, ties to even.
  double round(double number) const;
  /// The low bits of `number`, the highest of them as its sign.
  int64_t wrap(uint64_t number) const;
  /// The bits of `number` without a sign.
  uint64_t getBits(int64_t number) const;
};

/// A number; its type says which one it is. Integers are extended by their
/// sign, so that true is -1.
struct ScalarNumber {
  union {
    int64_t integer;
    double real;
  };
  ScalarNumber() : integer(0) {}
  static ScalarNumber ofInteger(int64_t value) {
    ScalarNumber number;
    number.integer = value;
    return number;
  }
  static ScalarNumber ofFloat(double value) {
    ScalarNumber number;
    number.real = value;
    return number;
  }
  /// What an attribute of a constant holds; nullopt unless it is one number.
  static std::optional<ScalarNumber> get(mlir::Attribute attribute);
  /// Truth values are 0 and 1.
  double toDouble(ScalarType type) const;
};

enum class ScalarCode : uint8_t {
  Constant,
  // Integers.
  AddI,
  SubI,
  MulI,
  /// (a * b) >> c, rounded up at ties; as it is if c is 0.
  MulShift,
  DivS,
  DivU,
  FloorDivS,
  CeilDivS,
  CeilDivU,
  RemS,
  RemU,
  MinS,
  MaxS,
  MinU,
  MaxU,
  And,
  Or,
  Xor,
  ShiftLeft,
  /// `detail`: rounds up at ties.
  ShiftRightS,
  ShiftRightU,
  AbsI,
  /// c - (a - b), limited to the type.
  NegateZeroPoints,
  LeadingZeros,
  TrailingZeros,
  PopCount,
  PowI,
  /// `detail`: arith::CmpIPredicate.
  CompareI,
  // Floats.
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  /// A NaN is passed on.
  Maximum,
  Minimum,
  /// A NaN is no number.
  MaxNum,
  MinNum,
  /// `detail`: arith::CmpFPredicate.
  CompareF,
  NegateF,
  AbsF,
  CopySign,
  Floor,
  Ceil,
  Round,
  RoundEven,
  Truncate,
  MultiplyAdd,
  Rsqrt,
  PowF,
  /// To the power of an integer.
  FPowI,
  Atan2,
  IsFinite,
  IsInf,
  IsNaN,
  IsNormal,
  // Between them.
  Select,
  /// Integers to integers, extended by the sign or by zeros.
  Cast,
  CastU,
  SignedToFloat,
  UnsignedToFloat,
  /// Towards zero. `detail`: numbers out of range are limited instead of
  /// having no value.
  FloatToSigned,
  FloatToUnsigned,
  CastFloat,
  Bitcast,
#define QBACKEND_SCALAR_FUNCTION(code, op, function) code,
#include "qbackend/Operators/ScalarFunctions.inc"
};

/// One operation on numbers, rounded or wrapped to its type.
struct ScalarStep {
  ScalarCode code = ScalarCode::Constant;
  /// Of the result.
  ScalarType type = {};
  /// Of the first operand.
  ScalarType operandType = {};
  int64_t detail = 0;
  /// Of a constant.
  ScalarNumber number = {};
  /// See `getScalarSteps`.
  llvm::SmallVector<unsigned, 3> operands = {};
};

using ScalarSteps = llvm::SmallVector<ScalarStep, 1>;

/// What `op` computes, of scalars or for each element of tensors. Operands of
/// steps count the op's own first, then the results of the steps before. The
/// last step is the op's result; no step: the result is the first operand.
/// nullopt if the table doesn't have the op, or not with these types.
std::optional<ScalarSteps> getScalarSteps(mlir::Operation *op);

/// Whether the table has ops of this name.
bool isScalarOp(mlir::OperationName name);

/// Computes `step` for `count` numbers of each operand. False if one of them
/// has no value: a division by 0, a shift by the width or more, a conversion of
/// what is out of range.
bool computeStep(const ScalarStep &step,
                 llvm::ArrayRef<const ScalarNumber *> operands, size_t count,
                 ScalarNumber *results);

/// Whether a comparison holds for a greater first operand, or for a smaller
/// one; nullopt unless it is an inequality.
std::optional<bool> comparesGreater(const ScalarStep &step);

/// An operation on floats that gives floats, in f64, for `count` numbers of
/// each operand; operands that it doesn't have may be null.
void computeFloats(ScalarCode code, llvm::ArrayRef<const double *> operands,
                   size_t count, double *results);

} // namespace qbackend

#endif // QBACKEND_OPERATORS_SCALAROP_H
