// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges, shows, compares and converts calibration tables.

#include "Faults.h"
#include "Sandbox.h"
#include "Tool.h"

#include "qbackend/Calibration/Formats.h"
#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/Parts.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace qbackend::calibration;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::SubCommand
    mergeCommand("merge", "one table of those of parts of the samples; or one "
                          "file of what other parts have found");
static cl::SubCommand showCommand("show", "what a table holds, with pictures");
static cl::SubCommand
    diffCommand("diff", "what two tables have different; exits with 0 if "
                        "nothing, 1 if something, 2 on trouble");
static cl::SubCommand importCommand("import",
                                    "a table from the format of another tool");
static cl::SubCommand exportCommand("export",
                                    "a table in the format of another tool");

static cl::OptionCategory category("Options");
static cl::list<std::string> files(cl::Positional, cl::desc("TABLE..."),
                                   cl::cat(category),
                                   cl::sub(cl::SubCommand::getAll()));
static cl::opt<std::string>
    outputFile("o", cl::init("-"), cl::value_desc("file"),
               cl::desc("Write to this file, completely or not at all"),
               cl::cat(category), cl::sub(cl::SubCommand::getAll()));
static cl::opt<std::string>
    formatName("format", cl::desc("whose format it is"),
               cl::value_desc("tensorrt|onnxruntime|aimet|tpu-mlir"),
               cl::cat(category), cl::sub(importCommand),
               cl::sub(exportCommand));
static cl::opt<std::string> statistics(
    "statistics", cl::value_desc("mergeable"),
    cl::desc("leave out PyTorch's histograms and averages, which depend on the "
             "order of batches; without, they are an error"),
    cl::cat(category), cl::sub(mergeCommand));
static cl::opt<std::string> svgFile("svg", cl::value_desc("file"),
                                    cl::desc("also draw the values"),
                                    cl::cat(category), cl::sub(showCommand));
static cl::opt<std::string>
    observerName("observer", cl::init("histogram"),
                 cl::desc("how ranges are chosen, such as min_max, percentile "
                          "or entropy"),
                 cl::cat(category), cl::sub(showCommand), cl::sub(diffCommand),
                 cl::sub(exportCommand));
static cl::opt<double> percentile("percentile", cl::init(99.99),
                                  cl::desc("how many of 100 values "
                                           "--observer=percentile keeps"),
                                  cl::cat(category), cl::sub(showCommand),
                                  cl::sub(diffCommand), cl::sub(exportCommand));
static cl::opt<std::string>
    dtypeName("dtype", cl::init("ui8"),
              cl::desc("what ranges are quantized to, such as si8 or ui4"),
              cl::cat(category), cl::sub(showCommand), cl::sub(diffCommand),
              cl::sub(exportCommand));
static cl::opt<bool> symmetric("symmetric", cl::desc("zero is in the middle"),
                               cl::cat(category), cl::sub(showCommand),
                               cl::sub(diffCommand), cl::sub(exportCommand));

static int fail(const llvm::Twine &message) {
  int status = qbackend::fail(message);
  return diffCommand ? 2 : status;
}

static int fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

static int write(StringRef text) {
  if (llvm::Error error = writeText(text, outputFile))
    return fail(std::move(error));
  return 0;
}

/// The observer that --observer, --dtype and --symmetric describe.
static llvm::Expected<ObserverOptions> getOptions() {
  ObserverOptions options;
  auto kind = symbolizeObserverKind(observerName);
  if (!kind || !hasStatistics(*kind))
    return llvm::createStringError(
        "no observer '" + observerName + "' that chooses a range; there are " +
        qbackend::listObserverKinds([](const auto &info) {
          return info.statistics != qbackend::ObserverKindInfo::None;
        }));
  options.kind = *kind;
  StringRef bits = dtypeName;
  options.isSigned = bits.starts_with("s");
  if ((!bits.consume_front("ui") && !bits.consume_front("si")) ||
      bits.getAsInteger(10, options.bits) || options.bits < 1 ||
      options.bits > 32)
    return llvm::createStringError("dtype is '" + dtypeName +
                                   "', expected ui or si and 1 to 32 bits");
  if (symmetric)
    options.scheme = qbackend::numerics::QScheme::PerTensorSymmetric;
  if (!(percentile > 50 && percentile <= 100))
    return llvm::createStringError("percentile is not more than 50 and at most "
                                   "100");
  options.percentile = percentile;
  return options;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  qbackend::reportFaults("qbackend-calib");
  qbackend::enterSandbox("qbackend-calib", argc, argv);
  qbackend::sandboxOption.addCategory(category);
  cl::SubCommand *commands[] = {&mergeCommand, &showCommand, &diffCommand,
                                &importCommand, &exportCommand};
  qbackend::Program program{
      "qbackend-calib",
      "merges, shows, compares and converts the tables of qbackend-run",
      "COMMAND TABLE... [options]"};
  if (auto code = qbackend::readOptions(program, category,
                                        "calibration tables of qbackend-run\n",
                                        argc, argv))
    return *code;
  if (!llvm::any_of(commands, [](cl::SubCommand *c) { return bool(*c); }))
    return fail("expected a command: merge, show, diff, import or export; see "
                "--help");
  auto options = getOptions();
  if (!options)
    return fail(options.takeError());
  size_t expected = diffCommand ? 2 : 1;
  if (files.empty() || (!mergeCommand && files.size() != expected))
    return fail("expected " + llvm::Twine(mergeCommand  ? "tables"
                                          : diffCommand ? "two tables"
                                                        : "one table"));
  // What another tool takes, has that one's suffix.
  bool isTable = mergeCommand || importCommand;
  using qbackend::FileFormat;
  if (llvm::Error error =
          isTable ? qbackend::checkOutput(outputFile, FileFormat::JSON)
                  : qbackend::checkWritable(outputFile))
    return fail(std::move(error));
  if (llvm::Error error = qbackend::checkOutput(svgFile, FileFormat::SVG))
    return fail(std::move(error));
  if (importCommand || exportCommand) {
    if (!symbolizeTableFormat(formatName))
      return fail("format is '" + formatName +
                  "', expected tensorrt, onnxruntime, aimet or tpu-mlir");
  }
  if (importCommand) {
    auto buffer = qbackend::readFile(files[0]);
    if (!buffer)
      return fail("cannot read '" + files[0] +
                  "': " + buffer.getError().message());
    auto table = importTable((*buffer)->getBuffer(),
                             *symbolizeTableFormat(formatName), files[0]);
    if (!table)
      return fail(table.takeError());
    return write(printTable(*table));
  }
  std::vector<NamedTable> tables;
  std::vector<qbackend::NamedParts> parts;
  for (const std::string &file : files) {
    auto buffer = qbackend::readFile(file);
    if (!buffer)
      return fail("cannot read '" + file + "': " + buffer.getError().message());
    StringRef text = (*buffer)->getBuffer();
    if (mergeCommand && qbackend::isParts(text)) {
      auto part = qbackend::parseParts(text, file);
      if (!part)
        return fail(part.takeError());
      parts.push_back({file, std::move(*part)});
      continue;
    }
    auto table = parseTable(text, file);
    if (!table)
      return fail(table.takeError());
    tables.push_back({file, std::move(*table)});
  }
  if (!parts.empty()) {
    if (!tables.empty())
      return fail("'" + tables[0].path + "' is a calibration table, '" +
                  parts[0].path + "' is a part of '" + parts[0].parts.command +
                  "'");
    auto merged = qbackend::mergeParts(parts);
    if (!merged)
      return fail(merged.takeError());
    return write(qbackend::printParts(*merged));
  }
  if (mergeCommand) {
    if (!statistics.empty() && statistics != "mergeable")
      return fail("statistics is '" + statistics + "', expected mergeable");
    auto merged = mergeTables(tables, /*dropOrdered=*/!statistics.empty());
    if (!merged)
      return fail(merged.takeError());
    if (std::string missing = describeMissing(*merged); !missing.empty())
      llvm::WithColor::warning(llvm::errs(), "qbackend-calib")
          << missing << " are in none of the tables\n";
    return write(printTable(*merged));
  }
  if (diffCommand) {
    std::string text = diffTables(tables[0].table, tables[1].table, *options);
    if (int status = write(text))
      return status;
    return text.empty() ? 0 : 1;
  }
  if (exportCommand) {
    auto text = exportTable(tables[0].table, *symbolizeTableFormat(formatName),
                            *options);
    if (!text)
      return fail(text.takeError());
    return write(*text);
  }
  if (!svgFile.empty())
    if (llvm::Error error =
            writeText(drawTable(tables[0].table, *options), svgFile))
      return fail(std::move(error));
  return write(showTable(tables[0].table, *options));
}
