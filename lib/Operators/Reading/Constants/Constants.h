// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the evaluation of constants is made of.

#ifndef QBACKEND_LIB_OPERATORS_READING_CONSTANTS_CONSTANTS_H
#define QBACKEND_LIB_OPERATORS_READING_CONSTANTS_CONSTANTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace qbackend::forms {

/// Larger constants stay unevaluated unless all their elements are equal.
constexpr int64_t kMaxConstantElements = int64_t(1) << 28;

/// What is known of the value of an operand.
using ConstantLookup = llvm::function_ref<mlir::DenseElementsAttr(mlir::Value)>;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with the offset in each operand at each point of `bounds`, in
/// row-major order. `strides` has one list for each operand, and `offsets` its
/// first offset.
void forEachPoint(llvm::ArrayRef<int64_t> bounds,
                  llvm::ArrayRef<llvm::SmallVector<int64_t>> strides,
                  llvm::MutableArrayRef<int64_t> offsets,
                  llvm::function_ref<void()> visit);

/// Bytes of an element; nullopt for types whose elements aren't whole bytes.
std::optional<int64_t> getElementSize(mlir::Type type);

/// The elements of `source` at `sourceOffset` + `sourceStrides` * p, for each
/// point p of `bounds` (which is row-major the result).
mlir::DenseElementsAttr gather(mlir::DenseElementsAttr source,
                               llvm::ArrayRef<int64_t> bounds,
                               int64_t sourceOffset,
                               llvm::ArrayRef<int64_t> sourceStrides,
                               llvm::ArrayRef<int64_t> resultShape);

mlir::DenseElementsAttr transpose(mlir::DenseElementsAttr source,
                                  llvm::ArrayRef<int32_t> permutation);

/// What a constant op holds, as elements; a scalar as a tensor of rank 0.
mlir::DenseElementsAttr readAttribute(mlir::Attribute attribute);

/// The numbers that `integers` of `type` stand for.
mlir::DenseElementsAttr dequantizeElements(mlir::DenseElementsAttr integers,
                                           mlir::quant::QuantizedType type);

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether `op` only moves elements, of tosa or tensor.
bool isLayoutOp(mlir::Operation *op);
/// Its result; null if it isn't known.
mlir::DenseElementsAttr evaluateLayoutOp(mlir::Operation *op,
                                         ConstantLookup lookup);

/// Of an op on elements, that broadcast to the type of its result.
mlir::DenseElementsAttr
evaluateElementwise(mlir::Operation *op,
                    llvm::ArrayRef<mlir::DenseElementsAttr> operands);

/// A result of a structured op: its region at each point, also of one that adds
/// up, multiplies, or takes the largest or least of floats.
mlir::DenseElementsAttr evaluateStructured(mlir::OpResult result,
                                           ConstantLookup lookup);

/// The result of a sum, product, maximum or minimum along an axis in tosa.
mlir::DenseElementsAttr evaluateTosaReduction(mlir::Operation *op,
                                              ConstantLookup lookup);

/// A result of an op that nothing is known of but its folder.
mlir::DenseElementsAttr evaluateByFolding(mlir::OpResult result,
                                          ConstantLookup lookup);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_CONSTANTS_CONSTANTS_H
