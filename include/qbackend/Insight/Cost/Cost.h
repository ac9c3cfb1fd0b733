// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a network costs to run: arithmetic, memory, and conversions between
// float and quantized values.

#ifndef QBACKEND_INSIGHT_COST_COST_H
#define QBACKEND_INSIGHT_COST_COST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace qbackend {

/// The cost of one op. A dynamic extent counts as 1.
struct OperatorCost {
  mlir::Operation *op = nullptr;
  std::string name, kind;
  /// Products that are summed up, in integers and in floats.
  int64_t integerMacs = 0, floatMacs = 0;
  /// Other operations: one for each element of the result.
  int64_t operations = 0;
  /// Bytes of activations that are read and written, and of constants.
  int64_t readBytes = 0, writtenBytes = 0, parameterBytes = 0;
  /// Between floats and integers, or integers of other parameters.
  bool isConversion = false;
  /// Whether it computes on floats, other than a conversion.
  bool isFloat = false;
  /// By the rates of predictSeconds, and as measured, if it was.
  double predictedSeconds = 0;
  std::optional<double> measuredSeconds;

  int64_t getBytes() const { return readBytes + writtenBytes + parameterBytes; }
};

/// Float operators side by side, with integers on some side of them.
struct FloatIsland {
  /// Numbers of the operators, and of the conversions at its border.
  std::vector<unsigned> operators, conversions;
  double predictedSeconds = 0;
};

struct NetworkCost {
  /// In the order of the code.
  std::vector<OperatorCost> operators;
  /// The most expensive one first.
  std::vector<FloatIsland> islands;
  /// The most bytes of activations that are needed at once, and where.
  int64_t liveBytes = 0;
  unsigned liveAt = 0;
  /// Of all constants.
  int64_t parameterBytes = 0;

  OperatorCost getTotal() const;
  unsigned countConversions() const;
};

/// The cost of `function`, whose operators are raised, or are the ops of an
/// engine.
NetworkCost findCost(mlir::func::FuncOp function);

/// The time of one core that does 16e9 multiply-accumulates of bytes a second,
/// 8e9 of floats, 2e9 other operations, and moves 8e9 bytes: the larger
/// of arithmetic and memory. It is for comparing operators, not machines.
double predictSeconds(const OperatorCost &cost);

/// A network and what it is called.
struct NamedCost {
  std::string name;
  NetworkCost cost;
};

/// Prints totals side by side, and for each network its islands and its
/// operators, the slowest first.
void printCosts(llvm::ArrayRef<NamedCost> networks, llvm::raw_ostream &os);

/// The cost as JSON, which qbackend-c/QBackend.h describes.
llvm::json::Object toJSON(const NetworkCost &cost);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_COST_COST_H
