// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "Requantization/IntegerRequantizer.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qbackend::codegen;

/// Bits of the mantissa of a float.
static constexpr int mantissaBits = 24;

/// With it the window beside the smallest tie, 1/2, is one unit.
static constexpr int64_t smallestShift = 25;

std::optional<IntegerMultipliers>
qbackend::codegen::findIntegerMultipliers(ArrayRef<float> multipliers) {
  IntegerMultipliers found{smallestShift, {}};
  for (float multiplier : multipliers) {
    if (!(multiplier >= 0x1p-15f && multiplier < 1.0f))
      return std::nullopt;
    found.shift = std::max<int64_t>(found.shift,
                                    mantissaBits - 1 - std::ilogb(multiplier));
  }
  for (float multiplier : multipliers) {
    // Exact, for it is at least 2^-shift of 24 bits.
    double scaled = std::ldexp(static_cast<double>(multiplier),
                               static_cast<int>(found.shift));
    if (scaled >= 0x1p31)
      return std::nullopt;
    found.multipliers.push_back(static_cast<int32_t>(scaled));
  }
  return found;
}

func::FuncOp qbackend::codegen::getRequantizer(Location loc, int64_t shift,
                                               SymbolTable &symbols) {
  ImplicitLocOpBuilder b(loc, loc.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  std::string name = "requantize_" + std::to_string(shift);
  if (auto function = symbols.lookup<func::FuncOp>(name))
    if (isKernel(function))
      return function;
  auto function = func::FuncOp::create(
      b, name, b.getFunctionType({i32, i32}, TypeRange(i32)));
  function.setPrivate();
  // A copy at each sum would be most of a kernel's code.
  function->setAttr("passthrough",
                    b.getStrArrayAttr({"noinline", kKernelAttribute}));
  symbols.insert(function);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  for (auto [argument, name] :
       llvm::zip_equal(body->getArguments(), std::array{"sum", "multiplier"}))
    argument.setLoc(NameLoc::get(b.getStringAttr(name)));

  auto number = [&](Type type, int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, type, value);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, x, y);
  };
  auto round = [&](Value value) -> Value {
    return arith::TruncIOp::create(
        b, i32, arith::ShRSIOp::create(b, value, number(i64, shift)));
  };
  // What is half a unit or more goes up.
  Value sum = arith::ExtSIOp::create(b, i64, body->getArgument(0));
  Value factor = arith::ExtSIOp::create(b, i64, body->getArgument(1));
  Value product = arith::MulIOp::create(b, sum, factor);
  Value half = add(product, number(i64, int64_t(1) << (shift - 1)));
  // Is it next to a tie? 2^-17 is half the last place of numbers below 2^8. The
  // 32 bits behind the point say it, or that it may be.
  Value above = add(half, number(i64, int64_t(1) << (shift - 17)));
  Value fraction =
      shift >= 32
          ? Value(arith::ShRUIOp::create(b, above, number(i64, shift - 32)))
          : Value(arith::ShLIOp::create(b, above, number(i64, 32 - shift)));
  fraction = arith::TruncIOp::create(b, i32, fraction);
  Value isNear = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, fraction,
                                       number(i32, 1 << 16));
  auto branch = scf::IfOp::create(b, TypeRange(i32), isNear,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, round(half));
    b.setInsertionPointToStart(branch.thenBlock());
    // The tie is half a unit below this number, and 2^j the highest power of
    // two in twice as much, halved.
    Value upper = round(above);
    Value odd = add(upper, upper);
    odd = add(odd, number(i32, -1));
    Value bits = arith::MaxSIOp::create(
        b, odd, arith::SubIOp::create(b, number(i32, 0), odd));
    for (int64_t count : {1, 2, 4, 8})
      bits = arith::OrIOp::create(
          b, bits, arith::ShRUIOp::create(b, bits, number(i32, count)));
    Value power = arith::SubIOp::create(
        b, bits, arith::ShRUIOp::create(b, bits, number(i32, 1)));
    Value window = arith::ExtUIOp::create(b, i64, power);
    window = arith::ShLIOp::create(b, window, number(i64, shift - 25));
    Value tie = arith::ExtSIOp::create(b, i64, upper);
    tie = arith::ShLIOp::create(b, tie, number(i64, shift));
    Value distance = arith::SubIOp::create(b, half, tie);
    distance = arith::MaxSIOp::create(
        b, distance, arith::SubIOp::create(b, number(i64, 0), distance));
    Value isTie =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, distance, window);
    Value even = arith::SubIOp::create(
        b, upper, arith::AndIOp::create(b, upper, number(i32, 1)));
    scf::YieldOp::create(
        b, Value(arith::SelectOp::create(b, isTie, even, round(half))));
  }
  func::ReturnOp::create(b, branch.getResult(0));
  return function;
}
