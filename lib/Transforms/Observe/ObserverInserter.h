// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values the operators that are quantized need observed, which of them
// share an observer, and the observe ops for them.

#ifndef QBACKEND_LIB_TRANSFORMS_OBSERVE_OBSERVERINSERTER_H
#define QBACKEND_LIB_TRANSFORMS_OBSERVE_OBSERVERINSERTER_H

#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/Passes.h"

namespace qbackend {

/// An operator that will be quantized.
struct Decision {
  QConfigAttr qconfig;
  QuantizedAttr quantized;
  /// The pattern's specs; null if it has none, or its activations are not
  /// observed.
  EdgesAttr edges;
  /// What an input without an observer of its own has.
  ObserverAttr activation;
  PatternConfigOp pattern;
  /// The place of its backend in a list of several.
  unsigned place = 0;
};

/// Gathers what operators need observed, and inserts the observers.
class ObserverInserter {
public:
  ObserverInserter(mlir::ModuleOp module, const MovedValues &moves,
                   Sharing sharing)
      : module(module), moves(moves), sharing(sharing), names(module) {}

  /// Whether `op`, whose producers were visited before, has what its qconfig
  /// wants: an observer of its input, if it is to use that.
  bool canVisit(OperatorOp op, const Decision &decision);

  /// Which spec of the edges of `op`, whose producers were visited before, has
  /// nothing to share with, or what its pattern doesn't support; empty if all
  /// have.
  std::string whyNothingToShare(OperatorOp op, const Decision &decision);

  /// Adds the observations of `op`, whose producers were visited before.
  void visit(OperatorOp op, const Decision &decision);

  /// Inserts observers and observe ops for all that was visited.
  void insert();

private:
  /// One value seen by one observer.
  struct Observation {
    mlir::Value value;
    ObserverAttr config;
    /// The place of the backend that it is of.
    unsigned place;
    /// The operands that read the observed value; all of them, if the value is
    /// the result of a quantized operator.
    llvm::SmallVector<mlir::OpOperand *> users;
    bool isOutput;
    /// What operators that aren't the network's own move it to.
    llvm::SmallVector<mlir::Value> moved;
    /// Operands that read the observed value in another layout.
    llvm::SmallVector<mlir::OpOperand *> layouts;
  };

  /// Adds the observations of `op` by its specs, as PT2E does.
  void visitEdges(OperatorOp op, const Decision &decision);

  /// The observation of `operand` by `spec`, which may share with one of
  /// `inputs`: one of the same value with equal numbers, or a new one.
  unsigned observeEdge(mlir::OpOperand &operand, SpecAttr spec,
                       llvm::ArrayRef<std::optional<unsigned>> inputs,
                       ObserverAttr activation);

  /// The observation of `value` as a result, not as what an operator reads, by
  /// the backend at `place` or one before it: later ones come afterwards.
  std::optional<unsigned> findResult(mlir::Value value, unsigned place);

  /// The observation that all in the group of `i` share with, and how it is
  /// observed so far.
  unsigned getRoot(unsigned i) const;
  ObserverAttr getConfig(unsigned i) { return observations[getRoot(i)].config; }

  /// The group of `other` becomes part of that of `i`, whose root stays.
  void share(unsigned i, unsigned other);

  /// Makes `operand` one of the readers of `observation`, of the same value.
  static void read(mlir::OpOperand &operand, Observation &observation);

  /// Says of observation `i` if fixed parameters that aren't made for its value
  /// are what it gets: its own on an argument, or others' that it shares.
  void remarkClipped(unsigned i);

  /// Says if `op` gives observation `input` the observer of its `first` one,
  /// and others with it that FX tells apart.
  void remarkJoined(OperatorOp op, unsigned input, unsigned first);

  /// Says what reads `value` in float though the network moves it, which FX
  /// quantizes: here it is one tensor, in whatever layout.
  void remarkMoved(mlir::Value value);

  /// Says where integers are others than PyTorch's with FX's observers.
  void remarkDifferences();

  /// Whether another operator has the name of `op`, and moves the same value:
  /// the network's one movement has become both of them.
  bool isCounted(OperatorOp op);

  unsigned add(mlir::Value value, ObserverAttr config, bool isOutput);

  /// Gives all that share, directly or not, one observer. Like PyTorch, the
  /// first input of what shares says how all are observed.
  void joinGroups();

  /// The observation by which `operand` is quantized: its producer's if the
  /// dtype is the same, another user's if kind and dtype are, or a new one. An
  /// argument that is quantized has a producer outside. What reads a value in
  /// another layout is one more of its users.
  unsigned observeInput(mlir::OpOperand &operand, ObserverAttr config);

  void insertObserve(Observation &observation, mlir::FlatSymbolRefAttr symbol);

  /// Observes arguments where their function begins, in their order, and what
  /// other code computes behind it, as PyTorch does: a layout of it may be made
  /// where its reader is. What is shared sees values in the order of the code.
  void observeAtDefinitions();

  /// Says of observe ops of several values of the network behind how many
  /// others of their observer these are, where that is not at once.
  void placeUpdates();

  mlir::ModuleOp module;
  const MovedValues &moves;
  Sharing sharing;
  /// The place of the backend of what is visited.
  unsigned place = 0;
  llvm::SmallVector<Observation> observations;
  /// The observer of each observation: that of the observation of this number.
  llvm::SmallVector<unsigned> observers;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned, 1>> byValue;
  llvm::SmallVector<std::pair<unsigned, unsigned>> shared;
  /// What the edges of groups share with, up to the root of each.
  llvm::SmallDenseMap<unsigned, unsigned> sharesWith;
  /// Results that share with the input of their operator.
  llvm::SmallDenseSet<unsigned> derived;
  /// The names of movements that have an observation, and what they move.
  llvm::DenseSet<std::pair<mlir::Value, mlir::Attribute>> moveNames;
  /// Operators that share, with the observations of input and result: those of
  /// one tensor and a number with groups, all with FX's way.
  struct Shared {
    OperatorOp op;
    unsigned input, output;
  };
  llvm::SmallVector<Shared> scaled, passedOn;
  TensorNames names;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_OBSERVE_OBSERVERINSERTER_H
