// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists, shows, checks, compares, explains and converts backend configurations.

#include "Faults.h"
#include "Sandbox.h"
#include "Tool.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Insight/Explanation/Diff.h"
#include "qbackend/Insight/Explanation/Explain.h"
#include "qbackend/Insight/Explanation/Validate.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/ParseModule.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;
namespace cl = llvm::cl;

static cl::SubCommand listCommand("list", "names of the built-in backends");
static cl::SubCommand showCommand("show",
                                  "a configuration as MLIR, of the current "
                                  "version");
static cl::SubCommand
    validateCommand("validate",
                    "what is wrong or without effect in a configuration; exits "
                    "with 1 if there is an error");
static cl::SubCommand
    diffCommand("diff", "what two configurations have different; exits with 0 "
                        "if nothing, 1 if something, 2 on trouble");
static cl::SubCommand explainCommand("explain",
                                     "what a backend does with an operator");
static cl::SubCommand toJSONCommand("to-json",
                                    "a configuration in PyTorch's dict form");
static cl::SubCommand toPythonCommand("to-python",
                                      "a quantizer of PyTorch's exported "
                                      "programs that annotates as it says");
static cl::SubCommand fromJSONCommand("from-json",
                                      "PyTorch's dict form as MLIR");

static cl::OptionCategory category("Options");
static cl::opt<std::string>
    backendName(cl::Positional, cl::desc("BACKEND|FILE|-"), cl::cat(category),
                cl::sub(showCommand), cl::sub(validateCommand),
                cl::sub(diffCommand), cl::sub(explainCommand),
                cl::sub(toJSONCommand), cl::sub(toPythonCommand));
static cl::opt<std::string> secondName(cl::Positional,
                                       cl::desc("BACKEND|FILE|-"),
                                       cl::cat(category), cl::sub(diffCommand));
static cl::opt<std::string> operators(cl::Positional,
                                      cl::desc("KIND[+KIND...]|TORCH_NAME"),
                                      cl::cat(category),
                                      cl::sub(explainCommand));
static cl::opt<std::string> jsonFile(cl::Positional, cl::init("-"),
                                     cl::desc("[FILE|-]"), cl::cat(category),
                                     cl::sub(fromJSONCommand));
static cl::opt<std::string>
    outputFile("o", cl::init("-"),
               cl::desc("Write to this file, completely or not at all"),
               cl::value_desc("file"), cl::cat(category),
               cl::sub(cl::SubCommand::getAll()));

namespace {
/// Exit codes: those of `diff`.
enum Status { kSuccess = 0, kDifferent = 1, kTrouble = 2 };
} // namespace

/// Writes `text` to the output, completely or not at all.
static LogicalResult writeOutput(StringRef text) {
  if (std::error_code error = writeFile(outputFile, text))
    return failure(
        fail("cannot write '" + outputFile + "': " + error.message()));
  return success();
}

static FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
readInput(StringRef name) {
  auto text = readSource(name);
  if (!text)
    return failure(
        fail("cannot read '" + name + "': " + text.getError().message()));
  return std::move(*text);
}

/// The backend that `name` means; "-" is a file on standard input.
static FailureOr<Backend> loadBackend(StringRef name, MLIRContext *context) {
  if (name.empty())
    return failure(
        fail("expected a built-in backend, a file, or - for standard input"));
  if (name == "-") {
    FailureOr<std::unique_ptr<llvm::MemoryBuffer>> text = readInput(name);
    if (failed(text))
      return failure();
    return parseBackend(std::move(*text), context);
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      NameLoc::get(StringAttr::get(context, "qbackend-config")));
  return resolveBackend(name, *module);
}

static LogicalResult list() {
  std::string text;
  for (StringRef name : getBuiltinBackends())
    text += name.str() + "\n";
  return writeOutput(text);
}

static LogicalResult show(MLIRContext *context) {
  if (std::optional<StringRef> text = getBuiltinBackendText(backendName))
    return writeOutput(*text);
  FailureOr<Backend> backend = loadBackend(backendName, context);
  if (failed(backend))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  backend->owner->print(stream);
  return writeOutput(text + "\n");
}

/// "npu.mlir:3:1: ", or the name of the place in a JSON document.
static void printLocation(Location loc, raw_ostream &os) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn() << ": ";
  else if (auto name = dyn_cast<NameLoc>(loc))
    os << name.getName().getValue() << ": ";
}

/// Whether there is no error; failure if nothing could be read or written.
static FailureOr<bool> validate(MLIRContext *context) {
  FailureOr<Backend> backend = loadBackend(backendName, context);
  if (failed(backend))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto begin = [&](Operation *op, StringRef severity) -> raw_ostream & {
    printLocation(op->getLoc(), os);
    return os << severity << ": ";
  };
  if (backend->originalVersion != BackendConfigOp::kVersion)
    begin(backend->config, "note")
        << "version " << backend->originalVersion
        << " of the format, upgraded to " << BackendConfigOp::kVersion
        << "; write it down with qbackend-config show\n";
  unsigned counts[3] = {0, 0, 0};
  for (const Finding &finding : qbackend::validate(backend->config)) {
    static constexpr StringRef names[] = {"note", "warning", "error"};
    ++counts[unsigned(finding.severity)];
    begin(finding.op, names[unsigned(finding.severity)])
        << finding.what << "; " << finding.fix << "\n";
  }
  os << backend->config.getSymName() << ": " << counts[2] << " errors, "
     << counts[1] << " warnings, " << counts[0] << " notes\n";
  if (failed(writeOutput(text)))
    return failure();
  return counts[unsigned(Severity::Error)] == 0;
}

/// Whether they are equal; failure if that isn't known.
static FailureOr<bool> diff(MLIRContext *context) {
  if (secondName.empty())
    return failure(fail("diff: expected two backends or files"));
  if (backendName == "-" && secondName == "-")
    return failure(fail("diff: standard input can be only one of the two"));
  FailureOr<Backend> before = loadBackend(backendName, context);
  FailureOr<Backend> after = loadBackend(secondName, context);
  if (failed(before) || failed(after))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool different = qbackend::diff(before->config, after->config, stream);
  if (different)
    text = "--- " + backendName + "\n+++ " + secondName + "\n" + text;
  if (failed(writeOutput(text)))
    return failure();
  return !different;
}

static LogicalResult explain(MLIRContext *context) {
  if (operators.empty())
    return failure(
        fail("explain: expected a backend or file, and an operator such as "
             "conv2d or conv2d+relu"));
  FailureOr<Backend> backend = loadBackend(backendName, context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(backend) ||
      failed(qbackend::explain(backend->config, operators, stream)))
    return failure();
  return writeOutput(text);
}

static LogicalResult convertToJSON(MLIRContext *context) {
  FailureOr<Backend> backend = loadBackend(backendName, context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(backend) || failed(toJSON(backend->config, stream)))
    return failure();
  return writeOutput(text + "\n");
}

static LogicalResult convertToPython(MLIRContext *context) {
  FailureOr<Backend> backend = loadBackend(backendName, context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(backend) || failed(toPython(backend->config, stream)))
    return failure();
  return writeOutput(text);
}

static LogicalResult convertFromJSON(MLIRContext *context) {
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> input = readInput(jsonFile);
  if (failed(input))
    return failure();
  // Places in a document have no file; the outer handler would print none.
  ScopedDiagnosticHandler handler(context, [](Diagnostic &diagnostic) {
    auto place = dyn_cast<NameLoc>(diagnostic.getLocation());
    if (!place || diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    llvm::errs() << (jsonFile == "-" ? StringRef("<stdin>")
                                     : StringRef(jsonFile))
                 << ": error: ";
    if (place.getName() != "JSON document")
      llvm::errs() << place.getName().getValue() << ": ";
    llvm::errs() << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      llvm::errs() << "  note: " << note << "\n";
    return success();
  });
  FailureOr<OwningOpRef<ModuleOp>> module =
      fromJSON((*input)->getBuffer(), context);
  if (failed(module))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  return writeOutput(text + "\n");
}

static Status toStatus(LogicalResult result) {
  return succeeded(result) ? kSuccess : kDifferent;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-config");
  qbackend::enterSandbox("qbackend-config", argc, argv);
  qbackend::sandboxOption.addCategory(category);
  Program program{"qbackend-config",
                  "lists, shows, checks, compares and converts configurations "
                  "of backends",
                  "COMMAND [BACKEND|FILE|-]... [options]"};
  if (auto code = readOptions(
          program, category,
          "backend configurations: BACKEND is the name of a built-in one, FILE "
          "one in MLIR or in PyTorch's dict form as JSON\n",
          argc, argv))
    return *code ? kTrouble : kSuccess;
  llvm::Error outputError =
      showCommand || fromJSONCommand ? checkOutput(outputFile, FileFormat::MLIR)
      : toJSONCommand                ? checkOutput(outputFile, FileFormat::JSON)
                                     : checkWritable(outputFile);
  if (llvm::Error error = std::move(outputError)) {
    int status = fail(std::move(error));
    return diffCommand ? int(kTrouble) : status;
  }
  DialectRegistry registry;
  qbackend::registerAllDialects(registry);
  registerConfigurationAliases(registry);
  ToolContext context(registry);
  if (listCommand)
    return toStatus(list());
  if (showCommand)
    return toStatus(show(context));
  if (validateCommand) {
    FailureOr<bool> valid = validate(context);
    return toStatus(success(valid.value_or(false)));
  }
  if (diffCommand) {
    FailureOr<bool> equal = diff(context);
    return failed(equal) ? kTrouble : *equal ? kSuccess : kDifferent;
  }
  if (explainCommand)
    return toStatus(explain(context));
  if (toJSONCommand)
    return toStatus(convertToJSON(context));
  if (toPythonCommand)
    return toStatus(convertToPython(context));
  if (fromJSONCommand)
    return toStatus(convertFromJSON(context));
  const cl::SubCommand *commands[] = {
      &listCommand,    &showCommand,   &validateCommand, &diffCommand,
      &explainCommand, &toJSONCommand, &toPythonCommand, &fromJSONCommand};
  std::string names;
  for (const cl::SubCommand *command : commands)
    names += (names.empty() ? "" : ", ") + command->getName().str();
  return fail("expected a command: " + names + "; see --help");
}
