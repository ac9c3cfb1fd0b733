// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equalization of the channels between two layers, and absorption of biases.

#ifndef QBACKEND_LIB_INSIGHT_CORRECTIONS_EQUALIZELAYERS_H
#define QBACKEND_LIB_INSIGHT_CORRECTIONS_EQUALIZELAYERS_H

#include "qbackend/Pipelines/Corrector.h"
#include "qbackend/Pipelines/Equalize.h"
#include "qbackend/Pipelines/Layers.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace qbackend {

/// Changes pairs of layers of an observed module, between which there is
/// nothing but functions f with f(s x) = s f(x) for s > 0, and which nobody
/// else reads. After Nagel et al., "Data-Free Quantization Through Weight
/// Equalization and Bias Correction", 2019, sections 4.1 and 4.1.3.
class LayerEqualizer {
public:
  /// With `table`, observers of what changes get a range that follows from what
  /// it has of each channel; else all are to be calibrated afterwards.
  LayerEqualizer(mlir::ModuleOp module, bool hasTable, StatisticsLookup table);

  /// For channel c between two weights, with r1 the largest magnitude of row c
  /// of the first and r2 that of column c of the second:
  ///
  ///   s = sqrt(r1 / r2);  w1[c] /= s;  b1[c] /= s;  w2[.., c] *= s
  ///
  /// until nothing changes by more than a thousandth, in f32. A channel of
  /// zeros stays.
  void equalize();

  /// For channel c of the result x of the first, with relu or without:
  ///
  ///   a = max(0, min x[c]) behind a relu, (min x[c] + max x[c]) / 2 else
  ///   b1[c] -= a;  b2 += w2[.., c] a
  ///
  /// which changes nothing where x[c] >= a. `lookup` is of the network as it is
  /// now; null, if it is the table's. Pairs with padding, or anything but a
  /// relu between them, are left out.
  void absorb(StatisticsLookup lookup);

  /// Puts the parameters into the module. With a table, the ranges too, and
  /// tells `rescaled`, see CorrectorInterface.
  void apply(RescaleCallback rescaled);

private:
  struct Layer {
    LayerWeight weight;
    llvm::SmallVector<float, 0> bias;
    bool hasBias = false, isChanged = false;
  };
  /// A value between the layers of a pair, and the channel of the first one
  /// that each of its channels is.
  struct Between {
    mlir::Value value;
    llvm::SmallVector<int64_t, 0> channels;
  };
  struct Pair {
    OperatorOp first, second;
    /// From the first's result on.
    llvm::SmallVector<Between, 2> values;
    llvm::SmallVector<ObserveOp> observes;
    /// Whether negative numbers are cut off; whether that is all there is.
    bool hasRelu = false, isDirect = true;
    /// What the table's numbers of a channel are multiplied by, and what is
    /// taken away afterwards.
    llvm::SmallVector<float, 0> factors, shifts;
  };

  void findPair(OperatorOp second);
  bool checkTable(const Pair &pair);
  Layer *getLayer(OperatorOp op);
  float equalize(Pair &pair);
  void setRanges(Pair &pair, RescaleCallback rescaled);

  mlir::SymbolTable symbols;
  bool hasTable;
  StatisticsLookup table;
  llvm::StringMap<int64_t> sites;
  llvm::MapVector<mlir::Operation *, Layer> layers;
  llvm::SmallVector<Pair, 0> pairs;
};

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_CORRECTIONS_EQUALIZELAYERS_H
