// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changes of a qconfig mapping do to a network: simulated, and run.

#ifndef QBACKEND_LIB_INSIGHT_TUNING_MEASUREMENTS_H
#define QBACKEND_LIB_INSIGHT_TUNING_MEASUREMENTS_H

#include "Journal.h"
#include "Mapping.h"

#include "qbackend/Backends/Backends.h"

#include "mlir/IR/OwningOpRef.h"

namespace qbackend::tuning {

/// A mapping with changes, and its network.
struct Candidate {
  explicit Candidate(llvm::ArrayRef<Change> changes = {});

  llvm::SmallVector<Change> changes;
  /// "as it is", "per-channel weights + bias-correction".
  std::string name;
  /// Null as long as the journal has all that is asked for.
  std::unique_ptr<Simulation> simulation;
  /// How many operators of it are quantized.
  unsigned count = 0;
  /// With all operators quantized.
  Score score;
};

/// Measures candidates, whose operators of a set `original` stay in floats;
/// each once, as the journal has it.
class Measurements {
public:
  Measurements(mlir::ModuleOp module, const NetworkOptions &network,
               std::string journalPath)
      : journal(std::move(journalPath)), module(module), network(network) {}

  /// Finds the backend and its mapping, which is what listChanges takes.
  llvm::Error resolve();

  /// Runs the float network, and records ranges for all observers. With
  /// `resume`, what the journal has is known already.
  llvm::Error prepare(bool resume);

  /// The changes of all operators that make another mapping: per-channel
  /// weights, observers, corrections.
  llvm::SmallVector<Change> listChanges() const;

  /// Compiles the candidate.
  llvm::Error create(Candidate &candidate);
  /// Compiles it if that isn't done.
  llvm::Error open(Candidate &candidate);
  /// Says how many operators it has, and compiles it if the journal doesn't
  /// know.
  llvm::Error count(Candidate &candidate);

  /// Whether the score with all operators quantized is known, or that there is
  /// none: it isn't possible, or has fewer operators than `count`.
  bool isTried(const Candidate &candidate, unsigned count) const;
  /// Whether the score by simulation is known.
  bool isKnown(const Candidate &candidate,
               const llvm::BitVector &original) const;

  /// The score by simulation on `set`, one and the same for all.
  llvm::Expected<Score> simulate(Candidate &candidate,
                                 const llvm::BitVector &original,
                                 SampleSet set = SampleSet::All);
  /// The scores of the program of integers, as --apply-backend makes it: on the
  /// samples that are searched on, and on those held back.
  llvm::Expected<std::pair<Score, Score>>
  runIntegers(const Candidate &candidate, const llvm::BitVector &original);
  /// The time of one call of it, see measureCall.
  llvm::Expected<double> measureSeconds(const Candidate &candidate,
                                        const llvm::BitVector &original);

  /// The text of a file with the mapping. Each line of `comment` becomes one of
  /// its first lines.
  std::string print(const Candidate &candidate, const llvm::BitVector &original,
                    llvm::StringRef comment) const;

  QConfigMappingOp getBase() const { return base; }
  /// Of the float network on these samples.
  const Score &getFloatScore(SampleSet set) const {
    return set == SampleSet::HeldBack ? originalHeldBack : originalSearched;
  }
  int64_t getSamples() const { return samples; }

  Journal journal;

private:
  /// The scores of results on the samples that are searched on, and on those
  /// held back.
  llvm::Expected<std::pair<Score, Score>>
  scoreBoth(llvm::ArrayRef<arrays::NamedArray> outputs) const;
  std::string getFingerprint(llvm::StringRef description) const;
  mlir::OwningOpRef<mlir::ModuleOp>
  makeMapping(const Candidate &candidate,
              const llvm::BitVector &original) const;
  mlir::OwningOpRef<mlir::ModuleOp>
  addMapping(mlir::OwningOpRef<mlir::ModuleOp> mapping, std::string &name);
  llvm::Expected<mlir::ModuleOp> convert(const Candidate &candidate,
                                         const llvm::BitVector &original);

  mlir::ModuleOp module;
  const NetworkOptions &network;
  mlir::FailureOr<Backend> backend = mlir::failure();
  QConfigMappingOp base;
  /// Ranges of the network as it is: a path, or the text of a table.
  std::string table;
  std::vector<arrays::NamedArray> originalOutputs;
  std::vector<int64_t> labels;
  int64_t samples = 0;
  Score originalSearched, originalHeldBack;
  /// What was converted last, and its key.
  mlir::OwningOpRef<mlir::ModuleOp> converted;
  std::string convertedKey;
};

} // namespace qbackend::tuning

#endif // QBACKEND_LIB_INSIGHT_TUNING_MEASUREMENTS_H
