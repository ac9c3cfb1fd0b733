// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are the network's own, and which ones passes have made of them.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_SOURCEVALUES_H
#define QBACKEND_TRANSFORMS_ANALYSIS_SOURCEVALUES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace qbackend {

/// How many values of the network the result of an operator, or what an observe
/// op sees, stands for.
int64_t getSourceValues(mlir::Operation *op);
void setSourceValues(mlir::Operation *op, int64_t count);

/// The same of the tensor behind `value`, seen through changes of layout.
int64_t countSourceValues(mlir::Value value);

/// Says that the tensor behind `value` stands for one more.
void addSourceValue(mlir::Value value);

/// Takes back what was said of the arguments of `function`.
void eraseSourceValues(mlir::FunctionOpInterface function);

/// Whether `op` only moves elements, as a part of what is before or behind it:
/// a pass has put it in; it has the name of one of these; or it adds the
/// dimension of size 1 of the element of a stack.
bool isPartOfOther(OperatorOp op);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_SOURCEVALUES_H
