// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Certificates: that code which was emitted for quantized operators computes
// the formulas of docs/Numerics.md, for every input.

#ifndef QBACKEND_INSIGHT_PROOF_PROVE_H
#define QBACKEND_INSIGHT_PROOF_PROVE_H

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qbackend {

/// What is known of an operator or a step, the best first. Bounded: not equal,
/// but never further apart than the form allows.
enum class Verdict { Proven, Bounded, Open, Counterexample };

/// One thing that is shown of an operator.
struct ProofStep {
  /// What is equal: "a step of the sum", "the result".
  std::string what;
  Verdict verdict = Verdict::Open;
  /// What shows it ("z3", "all 256 inputs", "the same term", "all constants");
  /// of what isn't proven the counterexample, or the solver's word.
  std::string how;
  /// Different cases of constants, such as multipliers of channels.
  unsigned cases = 1;
  /// Of a counterexample, what running the emitted code shows: where its result
  /// isn't the formula's, or why there is no such run.
  std::string run;
  /// Of what is bounded: at how many of which number of inputs, of all cases,
  /// code and formula differ; 0 of 0 if they weren't counted.
  int64_t differing = 0, counted = 0;
};

/// What was shown of one op of qnnpack.
struct OperatorProof {
  /// Counted from 1 in the order of the code.
  unsigned number = 0;
  std::string name, function, formula;
  std::vector<ProofStep> steps;
  /// Why nothing could be asked; empty otherwise.
  std::string reason;
  /// The smallest and the largest sum that its constants allow, and the bits
  /// that hold them.
  std::optional<std::pair<int64_t, int64_t>> sums;
  /// The bits that there are for them.
  unsigned accumulator = 32;

  /// The worst of all steps; Open if nothing could be asked.
  Verdict getVerdict() const;
};

/// What proveModule found, for a whole module.
struct Certificate {
  /// SHA-256 of the text of the module, in hexadecimal.
  std::string hash;
  /// The same of the module of code that was given; empty if there was none.
  std::string loweredHash;
  std::string form;
  std::vector<OperatorProof> operators;
  /// Ops with a computation that nothing is said about, and how many.
  std::map<std::string, unsigned> others;
  /// Different laws that the solver was asked, and how long it took.
  unsigned laws = 0;
  double seconds = 0;

  /// The worst of all operators.
  Verdict getVerdict() const;
};

/// Code that is emitted for an op.
enum class ProofForm {
  /// convert-qnnpack-to-linalg, for other compilers.
  Linalg,
  /// The same with unsigned bytes as they are, as qbackend-run has it.
  UnsignedLinalg,
  /// What runs a network has: convert-qnnpack-to-int8 and the vector code of
  /// its
  /// kernels for a target, and the above of all other ops.
  Kernels,
  /// convert-qnnpack-to-tosa, lowered to linalg as MLIR does. A byte may be one
  /// away, as docs/Numerics.md says of it.
  Tosa,
  /// What an ONNX file has, by the specification of its operators.
  Onnx
};

/// Returns the name of `form`, as --form takes it.
llvm::StringRef getName(ProofForm form);

/// Returns the form called `name`; nothing if there is none.
std::optional<ProofForm> getProofForm(llvm::StringRef name);

/// What proveModule judges, and by what.
struct ProveOptions {
  ProofForm form = ProofForm::Linalg;
  /// Whose kernels are judged; by default those of this machine.
  codegen::GenerateKernelsPassOptions target;
  /// The solver: a name in PATH, or a file.
  std::string solver = "z3";
  /// What it may take for one law.
  unsigned seconds = 60;
  /// Writes a module of one function as an ONNX file, for that form.
  std::function<mlir::LogicalResult(mlir::ModuleOp, llvm::raw_ostream &)> onnx;
  /// Code that is judged in the place of what is emitted: a function for each
  /// one of the module, of one operator, of the same name. Of kernels the
  /// module's are of buffers, with an int8.conv2d each. May be null.
  mlir::ModuleOp lowered = nullptr;
};

/// Lowers each op of qnnpack in `module` and compares what was
/// emitted with the op's formula, for all inputs. `module` stays as it is. An
/// error if there is no solver, or no op to judge.
llvm::Expected<Certificate> proveModule(mlir::ModuleOp module,
                                        const ProveOptions &options);

/// As a table, or as JSON; the same bytes for the same module, unless `timings`
/// are asked for.
void printCertificate(const Certificate &certificate, llvm::StringRef version,
                      bool timings, llvm::raw_ostream &os);
void printCertificateJson(const Certificate &certificate,
                          llvm::StringRef version, bool timings,
                          llvm::raw_ostream &os);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_PROOF_PROVE_H
