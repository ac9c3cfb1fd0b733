// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizer driver: mlir-opt with this project's dialects and passes, and
// `--apply-backend=BACKEND [key=value ...]`.

#include "Faults.h"
#include "Sandbox.h"
#include "Threads.h"
#include "Version.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Insight/Explanation/SourceHints.h"
#include "qbackend/Interfaces/ONNX.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/ApplyBackendKeys.h"
#include "qbackend/Support/Arguments.h"
#include "qbackend/Support/Manual.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/ParseModule.h"
#include "qbackend/Support/Places.h"
#include "qbackend/Support/ReadNetwork.h"
#include "qbackend/Support/RemarkGroups.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace qbackend;

namespace {
/// Changes locations, or verifies, before or after all other passes.
class ModulePass : public PassWrapper<ModulePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ModulePass)

  ModulePass(StringRef name, std::function<LogicalResult(ModuleOp)> run)
      : name(name), run(std::move(run)) {}

  StringRef getArgument() const override { return name; }
  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  StringRef name;
  std::function<LogicalResult(ModuleOp)> run;
};
} // namespace

/// Says at a place of `file` what is wrong with it.
static LogicalResult failAt(StringRef file, unsigned line, unsigned column,
                            StringRef message) {
  llvm::WithColor::error(llvm::errs()
                         << file << ":" << line << ":" << column << ": ")
      << message << "\n";
  return failure();
}

/// Writes what the passes made of a network as an ONNX model.
static LogicalResult writeONNX(StringRef bytecode,
                               const DialectRegistry &registry, bool isRemarked,
                               raw_ostream &os) {
  MLIRContext context(registry);
  if (isRemarked)
    printExportRemarks(&context);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceString<ModuleOp>(bytecode, &context);
  return success(module && succeeded(translateToONNX(*module, os)));
}

/// Reads, runs and prints as mlir-opt does, for a source that its parser need
/// not survive and an output that need not have room; what is said is said for
/// people.
static LogicalResult runPasses(const OptArguments &arguments, StringRef written,
                               DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  StringRef input = arguments.input;
  if (input.empty())
    input = "-";
  if (config.shouldShowDialects() || config.shouldListPasses()) {
    // LLVM reads the program's name, once more.
    char name[] = "qbackend-opt";
    char *pointers[] = {name, nullptr};
    return MlirOptMain(/*argc=*/1, pointers, input, written, registry);
  }
  bool isForPeople =
      !config.shouldVerifyDiagnostics() && config.inputSplitMarker().empty();
  bool isONNX = arguments.format == FileFormat::ONNX;
  if (isONNX && !isForPeople)
    return failure(fail("cannot write '" + written +
                        "': an ONNX file is one network; leave out "
                        "--split-input-file and --verify-diagnostics"));
  auto read = readNetwork(input);
  if (!read)
    return failure(fail(read.takeError()));
  llvm::MemoryBuffer &buffer = **read;
  OutputFile output(written);
  auto failToWrite = [&](std::error_code error) {
    return failure(fail("cannot write '" + written + "': " + error.message()));
  };
  if (std::error_code error = output.error())
    return failToWrite(error);
  StringRef text = buffer.getBuffer(), file = buffer.getBufferIdentifier();
  if (std::optional<SourceError> error = checkSource(buffer, registry))
    return failAt(file, error->line, error->column, error->message);
  MlirOptMainConfig passes = config;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    if (isForPeople)
      manager.addInstrumentation(
          std::make_unique<RemarkGroups>(manager.getContext()));
    bool hasNamedPlaces = isForPeople && arguments.appliesBackend;
    if (hasNamedPlaces)
      manager.addPass(std::make_unique<ModulePass>(
          "qbackend-add-places", [&](ModuleOp module) {
            addPlaces(module, text, file);
            return success();
          }));
    if (failed(passes.setupPassPipeline(manager)))
      return failure();
    // What our passes leave is verified at the end, once, if nobody asks for
    // more, and no other pass is there.
    if (hasNamedPlaces && manager.size() == 2 && passes.shouldVerifyPasses() &&
        !llvm::cl::getRegisteredOptions()
             .lookup("verify-each")
             ->getNumOccurrences()) {
      manager.enableVerifier(false);
      manager.addPass(std::make_unique<ModulePass>(
          "qbackend-verify", [](ModuleOp module) { return verify(module); }));
    }
    return success();
  });
  std::string bytecode;
  llvm::raw_string_ostream bytecodeStream(bytecode);
  // Ours is still there when it has to be asked for a hint.
  if (failed(MlirOptMain(
          isONNX ? static_cast<raw_ostream &>(bytecodeStream) : output.os(),
          llvm::MemoryBuffer::getMemBuffer(buffer), registry, config))) {
    if (auto hint = findSourceHint(text))
      return failAt(file, hint->line, hint->column, hint->message);
    return failure();
  }
  if (isONNX && failed(writeONNX(bytecode, registry, arguments.appliesBackend,
                                 output.os())))
    return failure();
  if (std::error_code error = output.commit())
    return failToWrite(error);
  return success();
}

static std::string describePass(StringRef name) {
  const PassRegistryEntry *entry = PassInfo::lookup(name);
  if (!entry)
    entry = PassPipelineInfo::lookup(name);
  return entry ? entry->getPassDescription().str() : "";
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportFaults("qbackend-opt");
  enterSandbox("qbackend-opt", argc, argv);
  limitThreads();
  addVersionPrinter();
  registerAllPasses();
  registerTransformsPasses();
  DialectRegistry registry;
  registerAllDialects(registry);
  std::string header = registerCLIOptions(
      "PyTorch's BackendConfig quantization for MLIR\n", registry);

  std::vector<Key> keys = listApplyBackendKeys();
  SmallVector<StringRef> backends = llvm::to_vector(getBuiltinBackends());
  Program program{"qbackend-opt",
                  "quantizes networks: mlir-opt with the passes of qbackend",
                  "[--apply-backend=BACKEND key=value...] [options] [FILE]",
                  isCommonOption,
                  describePass,
                  keys,
                  {backends.begin(), backends.end()}};
  if (printDocumentation(argc, argv, program))
    return EXIT_SUCCESS;
  SmallVector<StringRef> given(argv + 1, argv + argc);
  if (llvm::is_contained(given, "--help") || llvm::is_contained(given, "-h")) {
    printHelp(program, llvm::outs());
    llvm::outs()
        << "\n--help-list lists the options and passes of MLIR, too.\n";
    return EXIT_SUCCESS;
  }
  auto arguments = rewriteOptArguments(given, llvm::cl::getRegisteredOptions(),
                                       keys, backends);
  if (!arguments)
    return fail(arguments.takeError());
  if (llvm::Error error = checkWritable(arguments->output))
    return fail(std::move(error));

  std::vector<const char *> pointers = {argv[0]};
  for (const std::string &argument : arguments->arguments)
    pointers.push_back(argument.c_str());
  std::string written =
      parseCLIOptions(pointers.size(), const_cast<char **>(pointers.data()),
                      header)
          .second;
  return asMainReturnCode(runPasses(*arguments, written, registry));
}
