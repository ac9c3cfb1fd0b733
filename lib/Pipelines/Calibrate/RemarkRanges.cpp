// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges that can't be right.

#include "RemarkRanges.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace qbackend;

/// Numbers below this are no data, but say what a softmax is to leave out.
static constexpr float kLargestMask = -1e4;
/// Numbers whose exponentials are to be told apart lie within some of these.
static constexpr double kLargestSoftmaxScale = 2;
/// A scale that many times another one leaves nothing of its numbers.
static constexpr double kLargestRatio = 1e6;

/// `value` without observers and changes of layout.
static Value skipObserve(Value value) {
  while (true) {
    if (auto observe = value.getDefiningOp<ObserveOp>())
      value = observe.getInput();
    else if (auto transpose = value.getDefiningOp<TransposeOp>())
      value = transpose.getInput();
    else
      return value;
  }
}

/// The least number of `value`, if it is a constant.
static std::optional<float> getLeast(Value value) {
  SmallVector<float, 0> storage;
  auto numbers = viewFloats(skipObserve(value), storage);
  if (!numbers || numbers->empty())
    return std::nullopt;
  return *std::min_element(numbers->begin(), numbers->end());
}

namespace {
/// Says of observers that have seen what can't be right.
class RangeCritic {
public:
  explicit RangeCritic(ModuleOp module) : module(module) {
    for (auto observer : module.getOps<ObserverOp>())
      observers[observer.getSymName()] = observer;
  }

  void run() {
    module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.getQconfig())
        check(op);
      return WalkResult::skip();
    });
  }

private:
  /// That of `value`, or of what it is given on as; null if there is none.
  ObserverOp getObserver(Value value) {
    auto observe = value.getDefiningOp<ObserveOp>();
    if (!observe)
      for (Operation *user : value.getUsers())
        if ((observe = dyn_cast<ObserveOp>(user)))
          break;
    return observe ? observers.lookup(observe.getObserver()) : ObserverOp();
  }

  static double getScale(ObserverOp observer) {
    return observer && observer.getScale()
               ? observer.getScaleAttr().getValueAsDouble()
               : 0;
  }

  static std::string spell(double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", number);
    return text;
  }

  void say(OperatorOp op, const Twine &reason, const Twine &suggestion) {
    remarkAnalysis(op, "QB121", op.getKindName(), reason, suggestion);
  }

  void check(OperatorOp op) {
    ObserverOp result = getObserver(op.getOutput());
    double scale = getScale(result);
    for (Value input : op.getInputs()) {
      if (skipObserve(input).getDefiningOp<tensor::EmptyOp>()) {
        say(op, "it reads a tensor.empty, whose numbers are what was in memory",
            "fill it, or take it out");
        continue;
      }
      std::optional<float> least = getLeast(input);
      if (least && *least <= kLargestMask && scale > 0) {
        say(op,
            llvm::formatv("its constant has {0}, a mask, so that the scale "
                          "of @{1} is {2}: the other numbers are lost in one "
                          "step",
                          spell(*least), result.getSymName(), spell(scale)),
            "keep it float, with the qconfig none for this operator");
        masked.insert(op.getOutput());
        return;
      }
    }
    if (isa<SoftmaxAttr, LogSoftmaxAttr>(op.getKind())) {
      Value scores = op.getInputs()[0];
      double before = getScale(getObserver(scores));
      if (before > kLargestSoftmaxScale &&
          !masked.contains(skipObserve(scores))) {
        say(op,
            llvm::formatv("the scale of its input is {0}: numbers whose "
                          "difference is most of what it tells apart are in "
                          "one step, as behind a mask",
                          spell(before)),
            "keep it float, with the qconfig none for this operator and for "
            "what masks its input");
        return;
      }
    }
    for (Value input : op.getInputs()) {
      double before = getScale(getObserver(input));
      if (before > 0 && scale > 0 &&
          (scale > kLargestRatio * before || before > kLargestRatio * scale)) {
        say(op,
            llvm::formatv("the scale of its result, @{0}, is {1}, that of "
                          "its input {2}",
                          result.getSymName(), spell(scale), spell(before)),
            "look for numbers in the data that are none, or keep it float");
        return;
      }
    }
    for (Value input : op.getInputs())
      if (!matchPattern(skipObserve(input), m_Constant()))
        checkVaries(op, getObserver(input));
    checkVaries(op, result);
  }

  /// Says of what `op` reads or gives, once, if all of it was one number.
  void checkVaries(OperatorOp op, ObserverOp observer) {
    if (observer && observer.getMin() && observer.getMax() &&
        observer.getMinAttr().getValueAsDouble() ==
            observer.getMaxAttr().getValueAsDouble() &&
        known.insert(observer.getSymName()).second)
      say(op,
          llvm::formatv("all that @{0} has seen is {1}", observer.getSymName(),
                        spell(observer.getMinAttr().getValueAsDouble())),
          "calibrate with data in which it varies");
  }

  ModuleOp module;
  llvm::StringMap<ObserverOp> observers;
  llvm::StringSet<> known;
  /// Results of what a mask was said of.
  llvm::DenseSet<Value> masked;
};
} // namespace

void qbackend::remarkRanges(ModuleOp module) { RangeCritic(module).run(); }
