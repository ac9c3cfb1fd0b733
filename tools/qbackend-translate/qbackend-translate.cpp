// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-translate with this project's dialects: modules to files of other
// programs.

#include "Version.h"

#include "qbackend/Target/ONNX.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

/// Makes `-o FILE` write to a file beside it. Returns the two names; empty ones
/// if the output goes to stdout, a device or a pipe.
static std::pair<std::string, std::string>
redirectOutput(std::vector<std::string> &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument.starts_with("--"))
      argument = argument.drop_front();
    std::string file;
    bool isSeparate = argument == "-o" && i + 1 < arguments.size();
    if (isSeparate)
      file = arguments[i + 1];
    else if (argument.consume_front("-o="))
      file = argument.str();
    if (file.empty() || file == "-" ||
        (sys::fs::exists(file) && !sys::fs::is_regular_file(file)))
      continue;
    std::string temporary =
        file + ".tmp" + std::to_string(sys::Process::getProcessId());
    arguments[isSeparate ? i + 1 : i] =
        isSeparate ? temporary : "-o=" + temporary;
    return {file, temporary};
  }
  return {};
}

int main(int argc, char **argv) {
  qbackend::addVersionPrinter();
  qbackend::registerToONNXTranslation();

  std::vector<std::string> arguments(argv, argv + argc);
  auto [output, temporary] = redirectOutput(arguments);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  LogicalResult result =
      mlir::mlirTranslateMain(pointers.size(), pointers.data(),
                              "Writes modules as files of other programs");
  if (output.empty())
    return succeeded(result) ? EXIT_SUCCESS : EXIT_FAILURE;
  std::error_code error;
  if (succeeded(result) && !(error = sys::fs::rename(temporary, output)))
    return EXIT_SUCCESS;
  if (error)
    WithColor::error(errs(), "qbackend-translate")
        << "cannot write '" << output << "': " << error.message() << "\n";
  sys::fs::remove(temporary);
  return EXIT_FAILURE;
}
