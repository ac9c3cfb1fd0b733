// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up bytes by the instructions that permute them.

#include "ByteTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace qbackend::codegen;

static constexpr int64_t tableSize = 256;

ByteLookup
qbackend::codegen::getByteLookup(const llvm::MCSubtargetInfo &subtarget) {
  const llvm::Triple &triple = subtarget.getTargetTriple();
  if (triple.isAArch64() && subtarget.checkFeatures("+neon"))
    return ByteLookup::Table;
  if (!triple.isX86())
    return ByteLookup::None;
  if (subtarget.checkFeatures("+avx512vbmi,+avx512bw"))
    return ByteLookup::Permute;
  return subtarget.checkFeatures("+avx2") ? ByteLookup::Shuffle
                                          : ByteLookup::None;
}

std::optional<TableLoad> qbackend::codegen::readTableLoad(memref::LoadOp load) {
  MemRefType type = load.getMemRefType();
  if (type.getShape() != ArrayRef<int64_t>{tableSize} ||
      !type.getElementType().isInteger(8) || !type.getLayout().isIdentity())
    return std::nullopt;
  TableLoad result;
  Value index = load.getIndices()[0];
  auto take = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != load->getBlock() || !value.hasOneUse())
      return false;
    result.indices.push_back(op);
    return true;
  };
  auto isByte = [](Value value) { return value.getType().isInteger(8); };
  if (auto cast = index.getDefiningOp<arith::IndexCastUIOp>()) {
    result.byte = cast.getIn();
    result.flipsSign = false;
    if (!take(index) || !isByte(result.byte))
      return std::nullopt;
    return result;
  }
  // TOSA's: signed, and from -128 on.
  auto add = index.getDefiningOp<arith::AddIOp>();
  auto cast = add ? add.getLhs().getDefiningOp<arith::IndexCastOp>()
                  : arith::IndexCastOp();
  APInt offset;
  if (!cast || !matchPattern(add.getRhs(), m_ConstantInt(&offset)) ||
      offset != 128)
    return std::nullopt;
  result.byte = cast.getIn();
  result.flipsSign = true;
  if (!take(index) || !take(add.getLhs()) || !isByte(result.byte))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// Lookups by vectors of the length that the instructions have.
struct Lookups {
  ImplicitLocOpBuilder b;
  Value table;
  int64_t lanes;

  VectorType vectorOf(int64_t count) {
    return VectorType::get({count}, b.getI8Type());
  }
  Value splat(int8_t value) {
    VectorType type = vectorOf(lanes);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, b.getI8IntegerAttr(value)));
  }
  /// `count` entries from `first` on.
  Value load(int64_t first, int64_t count) {
    return vector::LoadOp::create(
        b, vectorOf(count), table,
        ValueRange{arith::ConstantIndexOp::create(b, first)});
  }
  Value call(StringRef name, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, vectorOf(lanes),
                                         b.getStringAttr(name), operands)
        .getResults();
  }
  Value select(Value isNegative, Value yes, Value no) {
    Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                            isNegative, splat(0));
    return arith::SelectOp::create(b, condition, yes, no);
  }

  /// The lowest 7 bits choose one of 128.
  Value permute(Value bytes) {
    auto half = [&](int64_t first) {
      return call("llvm.x86.avx512.vpermi2var.qi.512",
                  {load(first, lanes), bytes, load(first + lanes, lanes)});
    };
    Value low = half(0);
    return select(bytes, half(128), low);
  }

  /// The lowest 4 bits choose one of 16, the others which of 16 results.
  Value shuffle(Value bytes) {
    Value low = arith::AndIOp::create(b, bytes, splat(15));
    SmallVector<int64_t> twice;
    for (int64_t i = 0; i < lanes; ++i)
      twice.push_back(i % 16);
    // Not all 16 at once: registers are as many.
    auto choose = [&](auto &&self, int64_t first, int64_t bit) -> Value {
      if (bit < 4) {
        Value row = load(first, 16);
        row = vector::ShuffleOp::create(b, row, row, twice);
        return call("llvm.x86.avx2.pshuf.b", {row, low});
      }
      Value no = self(self, first, bit - 1);
      Value yes = self(self, first + (int64_t(1) << bit), bit - 1);
      Value sign =
          bit == 7
              ? bytes
              : arith::ShLIOp::create(b, bytes, splat(7 - bit)).getResult();
      return select(sign, yes, no);
    };
    return choose(choose, 0, 7);
  }

  /// An index behind the 64 entries gives 0.
  Value lookUp64(Value bytes) {
    Value result;
    for (int64_t first = 0; first < tableSize; first += 64) {
      Value index = first == 0
                        ? bytes
                        : arith::SubIOp::create(b, bytes, splat(int8_t(first)))
                              .getResult();
      Value found = call("llvm.aarch64.neon.tbl4.v16i8",
                         {load(first, 16), load(first + 16, 16),
                          load(first + 32, 16), load(first + 48, 16), index});
      result =
          result ? arith::OrIOp::create(b, result, found).getResult() : found;
    }
    return result;
  }
};
} // namespace

Value qbackend::codegen::emitLookup(OpBuilder &builder, Location loc,
                                    ByteLookup lookup, Value table,
                                    Value bytes) {
  int64_t lanes = lookup == ByteLookup::Permute   ? 64
                  : lookup == ByteLookup::Shuffle ? 32
                                                  : 16;
  Lookups lookups{ImplicitLocOpBuilder(loc, builder), table, lanes};
  ImplicitLocOpBuilder &b = lookups.b;
  auto lookUp = [&](Value piece) {
    switch (lookup) {
    case ByteLookup::Permute:
      return lookups.permute(piece);
    case ByteLookup::Shuffle:
      return lookups.shuffle(piece);
    case ByteLookup::Table:
      return lookups.lookUp64(piece);
    case ByteLookup::None:
      break;
    }
    llvm_unreachable("no instruction looks up bytes");
  };
  int64_t count = cast<VectorType>(bytes.getType()).getDimSize(0);
  const SmallVector<int64_t> one = {1};
  if (count == lanes)
    return lookUp(bytes);
  if (count < lanes) {
    Value wide = vector::InsertStridedSliceOp::create(
        b, bytes, lookups.splat(0), ArrayRef<int64_t>{0}, one);
    return vector::ExtractStridedSliceOp::create(
        b, lookUp(wide), ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count}, one);
  }
  Value result = bytes;
  for (int64_t first = 0; first < count; first += lanes) {
    Value piece = vector::ExtractStridedSliceOp::create(
        b, bytes, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes}, one);
    result = vector::InsertStridedSliceOp::create(
        b, lookUp(piece), result, ArrayRef<int64_t>{first}, one);
  }
  return result;
}
