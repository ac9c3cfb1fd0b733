// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that the code of a quantized network computes the formulas of
// docs/Numerics.md: a module in, a certificate out.

#include "Faults.h"
#include "Sandbox.h"
#include "Tool.h"

#include "qbackend/Execution/Runtime/PassThreads.h"
#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Insight/Explanation/ReadModule.h"
#include "qbackend/Insight/Proof/Prove.h"
#include "qbackend/Interfaces/ONNX.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/Parts.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qbackend;
namespace cl = llvm::cl;

static cl::OptionCategory category("qbackend-prove options");
static cl::opt<std::string> moduleFile(cl::Positional, cl::Required,
                                       cl::desc("MODULE"), cl::cat(category));
static cl::opt<std::string>
    form("form", cl::init("linalg"),
         cl::value_desc("linalg|linalg-unsigned-bytes|kernels|tosa|onnx"),
         cl::desc("which code is judged: linalg for other compilers, the same "
                  "with unsigned bytes, that with generated kernels, which "
                  "qbackend-run has, tosa, or what an ONNX file has"),
         cl::cat(category));
static cl::opt<std::string>
    target("target", cl::value_desc("NAME"),
           cl::desc("whose kernels are judged, see docs/Kernels.md; the best "
                    "that the processor has, if this is missing"),
           cl::cat(category));
static cl::opt<std::string> triple(
    "target-triple", cl::value_desc("TRIPLE"),
    cl::desc("what LLVM calls the machine; this one, if this is missing"),
    cl::cat(category));
static cl::opt<std::string> cpu("target-cpu", cl::value_desc("NAME"),
                                cl::desc("what LLVM calls the processor"),
                                cl::cat(category));
static cl::opt<std::string>
    features("target-features", cl::value_desc("LIST"),
             cl::desc("features besides those of the processor, such as +avx2"),
             cl::cat(category));
static cl::opt<std::string>
    lowered("lowered", cl::value_desc("FILE"),
            cl::desc("judge the functions of this module, each the code of "
                     "the one operator in the function of its name, in the "
                     "place of what is emitted; with --form=onnx an ONNX file "
                     "of the module's one operator"),
            cl::cat(category));
static cl::opt<std::string> format("format", cl::init("text"),
                                   cl::value_desc("text|json"),
                                   cl::desc("how the certificate is written"),
                                   cl::cat(category));
static cl::opt<std::string>
    solver("z3", cl::init("z3"), cl::value_desc("FILE"),
           cl::desc("the solver: a program in PATH, or a file"),
           cl::cat(category));
static cl::opt<unsigned>
    seconds("timeout", cl::init(60), cl::value_desc("SECONDS"),
            cl::desc("what the solver may take for one law"),
            cl::cat(category));
static cl::opt<bool> timings("timings",
                             cl::desc("add how long the solver took"),
                             cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::init("-"),
                                       cl::value_desc("FILE"),
                                       cl::desc("where to write"),
                                       cl::cat(category));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-prove");
  qbackend::enterSandbox("qbackend-prove", argc, argv, /*startsPrograms=*/true);
  qbackend::sandboxOption.addCategory(category);
  Program program{"qbackend-prove",
                  "proves that the code of a quantized network is its formulas",
                  "MODULE [options]"};
  if (auto code = readOptions(
          program, category,
          "Proves that the code of a quantized network computes its "
          "formulas.\n",
          argc, argv))
    return *code;
  if (format != "text" && format != "json")
    return fail(llvm::createStringError("'" + format +
                                        "' is no format, expected text or "
                                        "json"));
  auto chosen = getProofForm(form);
  if (!chosen)
    return fail(llvm::createStringError(
        "'" + form +
        "' is no form, expected linalg, linalg-unsigned-bytes, kernels, tosa "
        "or onnx"));
  bool isOfTarget =
      !target.empty() || !triple.empty() || !cpu.empty() || !features.empty();
  if (isOfTarget && *chosen != ProofForm::Kernels)
    return fail(llvm::createStringError(
        "--target is for the code of --form=kernels; leave it out"));
  if (seconds == 0 || seconds > 86400)
    return fail(llvm::createStringError("--timeout is " +
                                        std::to_string(seconds) +
                                        ", expected 1 to 86400 seconds"));
  if (llvm::Error error = checkWritable(outputFile))
    return fail(std::move(error));
  // What is run is wrong: it may write anywhere. Without a sandbox the
  // certificate says that it isn't run.
  llvm::consumeError(runtime::useSandbox());
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  runtime::PassThreads threads;
  MLIRContext context(registry);
  threads.giveTo(context);
  auto module = readModule(moduleFile, &context);
  if (!module)
    return fail(module.takeError());
  ProveOptions options;
  options.solver = solver;
  options.seconds = seconds;
  options.form = *chosen;
  options.onnx = [](ModuleOp written, llvm::raw_ostream &os) {
    return translateToONNX(written, os, "");
  };
  options.target.triple = triple;
  options.target.cpu = cpu;
  options.target.features = features;
  options.target.target = target;
  OwningOpRef<ModuleOp> code;
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (!lowered.empty() && *chosen == ProofForm::Onnx) {
    auto read = llvm::MemoryBuffer::getFile(lowered);
    if (!read)
      return fail(llvm::createStringError("cannot read '" + lowered +
                                          "': " + read.getError().message()));
    file = std::move(*read);
    options.onnx = [&](ModuleOp, llvm::raw_ostream &os) {
      os << file->getBuffer();
      return success();
    };
  } else if (!lowered.empty()) {
    auto read = readModule(lowered, &context);
    if (!read)
      return fail(read.takeError());
    code = std::move(*read);
    options.lowered = *code;
  }
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto certificate = proveModule(**module, options);
  if (!certificate)
    return fail(certificate.takeError());
  if (file) {
    if (certificate->operators.size() != 1)
      return fail(llvm::createStringError(
          "'" + lowered + "' is judged as one operator, and the module has " +
          std::to_string(certificate->operators.size())));
    certificate->form = "given";
    certificate->loweredHash = hashText(file->getBuffer());
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  (format == "json" ? printCertificateJson : printCertificate)(
      *certificate, QBACKEND_VERSION_STRING, timings, os);
  if (std::error_code error = writeFile(outputFile, text))
    return fail(llvm::createStringError("cannot write '" + outputFile +
                                        "': " + error.message()));
  return certificate->getVerdict() <= Verdict::Bounded ? 0 : 1;
}
