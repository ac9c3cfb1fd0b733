// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of operators that a search has in floats.

#ifndef QBACKEND_LIB_INSIGHT_TUNING_OPERATORSETS_H
#define QBACKEND_LIB_INSIGHT_TUNING_OPERATORSETS_H

#include "qbackend/Insight/Tuning/Simulation.h"

#include <vector>

namespace qbackend::tuning {

/// Each operator, and those around the values of one scale.
llvm::SmallVector<llvm::BitVector> getMoves(const Simulation &simulation);

/// How many sets of `size` of `count` operators there are.
double countSets(unsigned count, unsigned size);

/// These sets, in order.
std::vector<llvm::BitVector> listSets(unsigned count, unsigned size);

} // namespace qbackend::tuning

#endif // QBACKEND_LIB_INSIGHT_TUNING_OPERATORSETS_H
