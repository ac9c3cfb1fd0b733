// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks as a person reads them.

#include "qbackend/Support/RemarkGroups.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qbackend;

/// How many places of equal remarks are listed.
static constexpr size_t kPlaces = 5;

/// Takes the field `name=value` out of `text`, which MLIR prints as
/// `[Missed] QB104 | Category:qbackend | Operator=tanh, Reason="..."`. Returns
/// the value; empty if there is none.
static std::string takeField(std::string &text, StringRef name) {
  size_t begin = StringRef(text).find((name + "=").str());
  if (begin == StringRef::npos)
    return "";
  StringRef value = StringRef(text).drop_front(begin + name.size() + 1);
  bool isQuoted = value.consume_front("\"");
  value = value.take_until(
      [&](char c) { return isQuoted ? c == '"' : c == ',' || c == ' '; });
  std::string result = value.str();
  size_t size = name.size() + 1 + result.size() + 2 * isQuoted;
  // With the comma behind it: what is left is the same without the field.
  size += StringRef(text).substr(begin + size).starts_with(", ") ? 2 : 0;
  text.erase(begin, size);
  return result;
}

static int64_t getCount(std::string text, StringRef name) {
  int64_t count = 0;
  (void)StringRef(takeField(text, name)).getAsInteger(10, count);
  return count;
}

/// "net.mlir:3:10"; empty if `loc` is no place in a file.
static std::string describePlace(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                       file.getLine(), file.getColumn());
}

/// The fields of QB000 as a sentence.
static std::string describeSummary(const std::string &fields) {
  std::string rest = fields;
  std::string percent = takeField(rest, "quantized-percent");
  int64_t operators = getCount(fields, "operators");
  int64_t quantized = getCount(fields, "quantized");
  int64_t integer = getCount(fields, "integer");
  int64_t unknown = getCount(fields, "not-recognised");
  int64_t macs = getCount(fields, "all-macs");
  std::string text = llvm::formatv("QB000: quantized {0} of {1} operators",
                                   quantized, operators);
  if (macs > 0)
    text += llvm::formatv("{0}, {1} % of {2} multiply-accumulates",
                          integer ? ", with what came as integers" : "",
                          percent, macs);
  if (unknown > 0)
    text += llvm::formatv("; not recognised: {0}", unknown);
  // By their names, too, for scripts that read what is printed.
  text += llvm::formatv(
      " (operators={0}, quantized={1}, all-macs={2}, quantized-macs={3})",
      operators, quantized, macs, getCount(fields, "quantized-macs"));
  return text;
}

RemarkGroups::RemarkGroups(MLIRContext *context) : context(context) {
  handler = context->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { return handle(diagnostic); });
}

RemarkGroups::~RemarkGroups() {
  flush();
  context->getDiagEngine().eraseHandler(handler);
}

void RemarkGroups::runBeforePass(Pass *, Operation *op) {
  // Those of functions run in several threads, inside of one.
  if (!op->getParentOp())
    ++depth;
}

void RemarkGroups::runAfterPass(Pass *, Operation *op) {
  if (!op->getParentOp() && --depth == 0)
    flush();
}

void RemarkGroups::runAfterPassFailed(Pass *pass, Operation *op) {
  runAfterPass(pass, op);
}

LogicalResult RemarkGroups::handle(Diagnostic &diagnostic) {
  if (isFlushing)
    return failure();
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    flush();
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
    return failure();
  std::string text = diagnostic.str();
  if (!StringRef(text).contains("| Category:qbackend |"))
    return failure();
  if (StringRef(text).contains(" QB000 ")) {
    // It is about the file: the line `module {` is not shown.
    Location loc = diagnostic.getLocation();
    if (auto place = dyn_cast<FileLineColLoc>(loc))
      loc = FileLineColLoc::get(place.getFilename(), /*line=*/0, /*column=*/0);
    auto summary =
        std::make_unique<Diagnostic>(loc, DiagnosticSeverity::Remark);
    *summary << describeSummary(text);
    for (Diagnostic &note : diagnostic.getNotes())
      summary->attachNote(loc) << note.str();
    groups.push_back({std::move(summary), {}});
    return success();
  }
  std::string operation = takeField(text, "Operator");
  takeField(text, "OperatorName");
  auto [group, isFirst] = byKey.try_emplace(text, groups.size());
  if (isFirst)
    groups.push_back({std::make_unique<Diagnostic>(std::move(diagnostic)), {}});
  else
    groups[group->second].others.push_back(
        {operation, diagnostic.getLocation()});
  return success();
}

void RemarkGroups::flush() {
  isFlushing = true;
  for (Group &group : groups) {
    if (!group.others.empty()) {
      llvm::MapVector<StringRef, int64_t> counts;
      SmallVector<std::string> places;
      for (const auto &[operation, loc] : group.others) {
        ++counts[operation];
        if (std::string place = describePlace(loc); !place.empty())
          places.push_back(place);
      }
      Diagnostic &note = group.first->attachNote(group.first->getLocation());
      note << "and " << group.others.size() << " more with this reason: ";
      llvm::interleaveComma(counts, note, [&](const auto &entry) {
        note << entry.second << " " << entry.first;
      });
      if (!places.empty())
        note << "; at "
             << llvm::join(ArrayRef(places).take_front(kPlaces), ", ");
      if (places.size() > kPlaces)
        note << ", ...";
    }
    context->getDiagEngine().emit(std::move(*group.first));
  }
  groups.clear();
  byKey.clear();
  isFlushing = false;
}
