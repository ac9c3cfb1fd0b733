// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators are called, and which number each one has, wherever somebody
// selects them: qconfig mappings, keep-float, reports and what they suggest.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_OPERATORSELECTORS_H
#define QBACKEND_TRANSFORMS_ANALYSIS_OPERATORSELECTORS_H

#include "qbackend/Transforms/Analysis/TensorNames.h"

namespace qbackend {

/// The module that `path` is in: layer1 of layer1.conv1; empty if in none.
llvm::StringRef getParentPath(llvm::StringRef path);

/// What selects one operator.
struct OperatorSelector {
  /// The name of its result, which is no other tensor's.
  std::string name;
  /// The name of its location: in PyTorch that of a module, which is that of
  /// several operators if the module is called several times. Without one, its
  /// name.
  std::string path;
  /// Its name and those of all operators that were fused into it.
  llvm::SmallVector<std::string, 2> parts;
  /// The module that it is in.
  std::string module;
  /// The classes of its module and of those around that, where they are known.
  llvm::SmallVector<llvm::StringRef, 2> moduleTypes;
  /// Each of its kinds, with the number of this one among those of its module,
  /// in the order of the code.
  struct Kind {
    std::string name;
    int64_t index;
  };
  llvm::SmallVector<Kind, 2> kinds;

  /// Entries that select it and nothing else, as a mapping spells them:
  /// `module_name "conv1"`. Of a fused operator that names don't tell from
  /// others, there is one for its first and for its last kind: that of a
  /// module, and that of a function.
  llvm::SmallVector<std::string, 2> entries;
  /// Whether the entry is `module_name` with its name.
  bool hasOwnName = false;
};

/// The operators of a module, as it is when this is created.
class OperatorSelectors {
public:
  OperatorSelectors(mlir::ModuleOp module, TensorNames &names);

  const OperatorSelector &lookup(OperatorOp op) const {
    return selectors.find(op)->second;
  }

  /// In the order of the code.
  const llvm::MapVector<mlir::Operation *, OperatorSelector> &getAll() const {
    return selectors;
  }

  /// The classes of the network's modules by path; null if it doesn't say.
  mlir::DictionaryAttr getModuleTypes() const { return moduleTypes; }

  /// How many operators of `kind` are in `module`.
  int64_t count(llvm::StringRef module, llvm::StringRef kind) const;

private:
  mlir::DictionaryAttr moduleTypes;
  llvm::MapVector<mlir::Operation *, OperatorSelector> selectors;
  /// By module, then by kind.
  llvm::StringMap<llvm::StringMap<int64_t>> counts;
};

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_OPERATORSELECTORS_H
