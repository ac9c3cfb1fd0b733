// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of docs/Numerics.md as terms.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_FORMULAS_FORMULAS_H
#define QBACKEND_LIB_INSIGHT_PROOF_FORMULAS_FORMULAS_H

#include "Reading/FixedPoint.h"
#include "Reading/ReadCode.h"

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/IR/TypeUtilities.h"

namespace qbackend::proof {

struct Formula {
  Code code;
  /// As docs/Numerics.md writes it.
  std::string text;
  /// What an op with a weight adds up, of all output channels and inputs.
  std::optional<std::pair<int64_t, int64_t>> sums;
};

/// What the element of the result of `op`, an op of qnnpack whose operands are
/// arguments of its function, constants or results of such ops, is at
/// `position`. An error says why there is no formula.
llvm::Expected<Formula> makeFormula(mlir::Operation *op,
                                    const Position &position, Scope &scope);

/// The dimensions of arguments that dimension `dim` of the result of `op` has
/// its extent of, if that isn't known; empty: nothing is said.
llvm::SmallVector<std::pair<unsigned, unsigned>, 2>
getExtentSources(mlir::Operation *op, unsigned dim);

inline mlir::quant::UniformQuantizedPerAxisType getPerAxis(mlir::Type type) {
  return mlir::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(
      mlir::getElementTypeOrSelf(type));
}

/// scale, zero point and range of a tensor.
struct QParams {
  QParams(mlir::Type type) {
    auto element = mlir::cast<mlir::quant::UniformQuantizedType>(
        mlir::getElementTypeOrSelf(type));
    scale = element.getScale();
    zeroPoint = element.getZeroPoint();
    isSigned = element.isSigned();
    width = element.getStorageTypeIntegralWidth();
    min = element.getStorageTypeMin();
    max = element.getStorageTypeMax();
  }

  float scale;
  int64_t zeroPoint, min, max;
  bool isSigned;
  unsigned width;
};

/// The steps, and the families of ops.
class FormulaBuilder {
public:
  FormulaBuilder(mlir::Operation *op, const Position &at, Scope &scope)
      : op(op), at(at), scope(scope), terms(scope.terms) {
    formula.code.defined = formula.code.stepDefined = terms.constant(1, 1);
  }

  llvm::Expected<Formula> build();

private:
  using Result = llvm::Expected<Term>;

  // Steps that formulas share.
  Term i32(int64_t value) { return terms.constant(32, value); }
  Term real(float value) { return terms.constantF(value); }
  Term clamp(Term value, int64_t lo, int64_t hi);
  Term rne(Term value) { return terms.make(Fn::RoundEven, f32(), {value}); }
  Term cvt(Term value);
  Term toReal(Term integer) { return terms.make(Fn::SToF, f32(), {integer}); }
  Term multiply(Term a, Term b) { return terms.binary(Fn::MulF, a, b); }
  Term divide(Term a, Term b) { return terms.binary(Fn::DivF, a, b); }
  Term subtract(Term a, int64_t b) {
    return terms.binary(Fn::Sub, a, terms.constant(a->sort.width, b));
  }
  Term extend(Term value, const QParams &type) {
    return terms.make(type.isSigned ? Fn::ExtS : Fn::ExtU, bits(32), {value});
  }
  Term store(Term value, const QParams &type) {
    return terms.make(Fn::Trunc, bits(type.width), {value});
  }
  Term quantizeProduct(Term product, Term zeroPoint, int64_t min, int64_t max);
  Term quantize(Term value, const QParams &type, int64_t lo);
  Term dequantize(Term q, const QParams &type);
  Term requantize(Term acc, Term m, const QParams &y, int64_t lo, bool limits);
  Term roundSaturated(Term v, const QParams &y, int64_t lo);
  Term addZeroPoint(Term value, const QParams &y, int64_t lo) {
    return proof::addZeroPoint(value, y.zeroPoint, lo, y.max, terms);
  }

  // Reading.
  Term element(unsigned operand, const Position &place);
  Term integer(unsigned operand, const Position &place) {
    return extend(element(operand, place),
                  QParams(op->getOperand(operand).getType()));
  }
  /// Of an operand of floats in one dimension, an argument or a constant; null
  /// if it is neither. `change` is made of the numbers of a constant.
  Term number(unsigned operand, const Linear &place, llvm::StringRef name,
              std::function<float(int64_t, float)> change = {});
  Position broadcast(unsigned operand);
  Linear addFoldLoop(int64_t extent, llvm::StringRef name);
  void carry(Term init, llvm::function_ref<Term(Term)> step);

  // Families.
  Result quantizeOp();
  Result dequantizeOp();
  Result add(qnnpack::AddOp add);
  Result mul();
  Result addScalar(qnnpack::AddScalarOp add);
  Result mulScalar(qnnpack::MulScalarOp mul);
  Result prelu();
  Result clampOp(qnnpack::ClampOp clamp);
  Result lookUp();
  Result batchNorm(qnnpack::BatchNormOp norm);
  /// The geometry of an op with a weight.
  struct Windows {
    llvm::ArrayRef<int64_t> stride, padding, dilation;
    int64_t groups = 1;
    bool isTransposed = false;
  };
  Result weighted(const Windows &windows, bool relu, bool mathematical,
                  qnnpack::RequantizationAttr requantization);
  Result embedding();
  Result linearDynamic(qnnpack::LinearDynamicOp linear);
  Result nearest(qnnpack::UpsampleNearest2dOp upsample);
  Term scaleChannels(qnnpack::RequantizationAttr requantization,
                     const Linear &channel);
  Result maxPool(qnnpack::MaxPool2dOp pool);
  Result average(llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> stride,
                 llvm::ArrayRef<int64_t> padding, Position place);
  Result averageAten(qnnpack::AvgPool2dOp pool);
  Result move();
  Result cat(qnnpack::CatOp cat);

  llvm::Error fail(const llvm::Twine &what) {
    return llvm::createStringError("no formula: " + what);
  }

  Term compose(mlir::Operation *producer, Sort sort, const Position &place);

  mlir::Operation *op;
  const Position &at;
  Scope &scope;
  Terms &terms;
  Formula formula;
  /// Texts of formulas that are part of this one, and why one is none.
  std::string before, why;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_FORMULAS_FORMULAS_H
