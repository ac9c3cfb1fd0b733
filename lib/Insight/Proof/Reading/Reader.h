// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reads a function, tensor by tensor.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_READING_READER_H
#define QBACKEND_LIB_INSIGHT_PROOF_READING_READER_H

#include "Reading/ReadCode.h"
#include "Reading/ReadScalars.h"

#include "qbackend/Execution/Int8/Int8.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qbackend::proof {

class Reader {
public:
  Reader(Scope &scope, llvm::ArrayRef<unsigned> foldLoops)
      : scope(scope), foldLoops(foldLoops),
        defined(scope.terms.constant(1, 1)) {}

  llvm::Expected<Code> read(mlir::func::FuncOp function,
                            const Position &position);

private:
  llvm::Expected<Term> readTensor(mlir::Value tensor, const Position &at);
  llvm::Expected<Term> readArgument(mlir::BlockArgument argument,
                                    const Position &at);
  llvm::Expected<Term> readConstant(mlir::Operation *op, const Position &at);
  llvm::Expected<Term> readPad(mlir::tensor::PadOp op, const Position &at);
  llvm::Expected<Term> readInserted(mlir::tensor::InsertSliceOp op,
                                    const Position &at);
  llvm::Expected<Term> readLoops(mlir::linalg::LinalgOp op, const Position &at);
  llvm::Expected<Term> readKernel(int8::Conv2dOp op, const Position &at);
  /// Makes `found` the one reduction of the function: its result.
  llvm::Expected<Term> addFold(mlir::Operation *op, Fold found);
  llvm::Expected<Term> readBody(mlir::linalg::LinalgOp op,
                                llvm::ArrayRef<Linear> loops, Term carried);
  /// Reads something apart, with what it is defined by.
  template <typename ReadT> auto readApart(Cut &cut, ReadT read);
  llvm::Expected<Scalar> readScalar(mlir::Value value, Values &values,
                                    llvm::ArrayRef<Linear> loops);
  llvm::Expected<Scalar> readExtract(mlir::tensor::ExtractOp op, Values &values,
                                     llvm::ArrayRef<Linear> loops);
  std::string getConstantName(mlir::ElementsAttr attribute);

  Scope &scope;
  llvm::ArrayRef<unsigned> foldLoops;
  Term defined;
  std::optional<Fold> fold;
  Term stepDefined = nullptr;
  Cut addedByte, zeroPoint, quantized;
  llvm::DenseMap<mlir::ElementsAttr, unsigned> constants;
  /// A tensor is read anew by each reader of it, and chains recurse.
  static constexpr unsigned mostReadings = 20000, mostDepth = 1000;
  unsigned readings = 0, depth = 0;
};

inline llvm::Error fail(mlir::Operation *op, const llvm::Twine &what) {
  return llvm::createStringError("'" + op->getName().getStringRef() + "' " +
                                 what);
}

/// What an extent that isn't known comes from: that of an argument or of an
/// op's result, or a number.
std::pair<mlir::Value, unsigned> getOrigin(mlir::Value tensor, unsigned dim);

/// Bits and floats of the elements of a tensor; nothing for other types.
std::optional<Sort> getSort(mlir::Type type);

/// The stored bytes of a constant.
struct Bytes {
  mlir::ElementsAttr attribute;
  llvm::ArrayRef<char> data;
  bool isSplat = false;
  unsigned width = 0;

  /// The element of a row-major index, as bits.
  llvm::APInt read(int64_t index) const;
};

llvm::Expected<Bytes> getBytes(mlir::Operation *op);
/// Those of `attribute`; errors are about `op`.
llvm::Expected<Bytes> getBytes(mlir::Operation *op,
                               mlir::ElementsAttr attribute);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_READING_READER_H
