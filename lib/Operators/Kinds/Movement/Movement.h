// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recognisers of data movement share.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_MOVEMENT_MOVEMENT_H
#define QBACKEND_LIB_OPERATORS_KINDS_MOVEMENT_MOVEMENT_H

#include "Kinds/Recognizers.h"
#include "Reading/ElementMap.h"

namespace qbackend::forms {

/// Tensors one after the other along dimension `axis` of the result.
struct Concatenation {
  llvm::SmallVector<RecognizedOperand> inputs;
  int64_t axis = 0;
};
/// What `root`, which may be null, concatenates: also slices inserted one after
/// the other, if it is the last of them.
std::optional<Concatenation> getConcatenation(mlir::Operation *root,
                                              ConstantEvaluator &constants);

/// Shuffles of channels and pixels, and images whose pixels are repeated.
bool recognizeShuffle(const Recognition &recognition, mlir::Value source,
                      const ElementMap &map);

/// The dimensions of [batch, height, width, channel]: channels first, or last.
inline constexpr int64_t kImageLayouts[][4] = {{0, 2, 3, 1}, {0, 1, 2, 3}};

/// An operator on images in the layout of `positions`. The code gives its
/// result in another shape than `outputShape`, if there is one.
void addImageOperator(const Recognition &recognition, mlir::Attribute kind,
                      mlir::Value source, llvm::ArrayRef<int64_t> positions,
                      llvm::ArrayRef<int64_t> outputShape = {});

/// False for what belongs to a parameter: constants, and what is sliced from an
/// argument that holds all weights.
bool isActivation(mlir::Value value, ConstantEvaluator &constants);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_MOVEMENT_MOVEMENT_H
