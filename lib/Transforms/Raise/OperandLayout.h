// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings operands from the layout of the code into that of an operator kind,
// and back.

#ifndef QBACKEND_LIB_TRANSFORMS_RAISE_OPERANDLAYOUT_H
#define QBACKEND_LIB_TRANSFORMS_RAISE_OPERANDLAYOUT_H

#include "qbackend/Operators/Recognizer.h"

namespace qbackend {

/// `value` in another shape, static or a reassociation.
mlir::Value createReshape(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The same as an operator, so that an activation stays quantized through it.
mlir::Value createReshapeOperator(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value value,
                                  llvm::ArrayRef<int64_t> shape);

/// `value` itself if nothing is permuted.
mlir::Value createTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value,
                            llvm::ArrayRef<int64_t> permutation);

/// `shape` as a transpose gives it; without a permutation, as it is.
llvm::SmallVector<int64_t> transposeShape(llvm::ArrayRef<int64_t> shape,
                                          llvm::ArrayRef<int64_t> permutation);

/// Whether `createReshape` can give `shape`, or there is none.
bool isReshapable(mlir::RankedTensorType from, llvm::ArrayRef<int64_t> shape);

/// Whether `operand` can be brought into its canonical layout at all. Integers
/// are what they are: only an embedding has them.
bool isReshapable(const RecognizedOperand &operand, bool isInteger = false);

/// The type of `operand` in its canonical layout.
mlir::RankedTensorType getCanonicalType(const RecognizedOperand &operand);

/// The operand in its canonical layout, constants evaluated at once.
mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                        const RecognizedOperand &operand,
                        ConstantEvaluator &constants, bool isActivation);

/// Back from the canonical layout to what the original code reads.
mlir::Value restore(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value canonical, const RecognizedOperand &operand);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_RAISE_OPERANDLAYOUT_H
