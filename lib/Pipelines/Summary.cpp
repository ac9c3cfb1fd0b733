// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how much of a module is quantized, by verdict.

#include "Summary.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Support/RemarkCodes.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <deque>
#include <tuple>

using namespace mlir;
using namespace qbackend;

/// How many of what is missing an error shows.
static constexpr size_t kOffenders = 5;
/// How many kinds a row of the table has.
static constexpr size_t kKinds = 8;

StringRef Summary::getName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Quantized:
    return "quantized";
  case Verdict::Integer:
    return "already integer";
  case Verdict::Reference:
    return "reference form";
  case Verdict::Float:
    return "float";
  case Verdict::NotRecognised:
    return "not recognised";
  }
  llvm_unreachable("unknown verdict");
}

void Summary::add(Verdict verdict, Operation *op, StringRef kind,
                  StringRef code, int64_t macs) {
  counts[{verdict, code.str()}] += {1, macs, {{kind.str(), 1}}};
  rows.push_back({verdict, getRemarkLocation(op->getLoc()), kind.str(),
                  getLocationName(op->getLoc()), code.str(), macs});
}

void Summary::countOperators(ModuleOp module) {
  // Code of a nested module is not looked at by any pass.
  auto visit = [&](Operation *op, StringRef code) {
    if (auto operation = dyn_cast<OperatorOp>(op)) {
      int64_t macs = operation.countOperations().multiplyAccumulates;
      if (operation.getQconfig())
        add(Verdict::Quantized, op, operation.getKindName(), "", macs);
      else
        add(Verdict::Float, op, operation.getKindName(), operation.getCode(),
            macs);
      return WalkResult::skip();
    }
    if (isa<BackendConfigOp, QConfigMappingOp>(op))
      return WalkResult::skip();
    if (auto *engine = getEngine(op); engine && engine->isImported(op)) {
      SmallVector<Value> parameters;
      for (Value operand : op->getOperands())
        if (auto cast = operand.getDefiningOp<quant::StorageCastOp>())
          if (matchPattern(cast.getInput(), m_Constant()))
            parameters.push_back(operand);
      if (int64_t macs = countKernelMultiplyAccumulates(op, parameters))
        add(Verdict::Quantized, op, op->getName().stripDialect(), "", macs);
      return WalkResult::skip();
    }
    std::string type = getForeignType(op);
    if (int64_t macs = countIntegerMultiplyAccumulates(op))
      add(Verdict::Integer, op, op->getName().getStringRef(), "QB145", macs);
    else if ((!op->use_empty() && countOperations(op) > 0) || type == "memref")
      add(Verdict::NotRecognised, op, op->getName().getStringRef(),
          type.empty() ? code : "QB004", countMultiplyAccumulates(op));
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isForeign(op, module))
      return visit(op, "QB001");
    if (!isa<BackendConfigOp, QConfigMappingOp>(op))
      for (Region &region : op->getRegions())
        region.walk<WalkOrder::PreOrder>(
            [&](Operation *inner) { return visit(inner, "QB002"); });
    return WalkResult::skip();
  });
}

void Summary::countWithoutKernel(ModuleOp module) {
  // Operators know each other by their place; equal ones come in order.
  using Key = std::tuple<const void *, std::string, std::string>;
  std::map<Key, std::deque<size_t>> quantized;
  for (auto [i, row] : llvm::enumerate(rows))
    if (row.verdict == Verdict::Quantized)
      quantized[{row.loc.getAsOpaquePointer(), row.kind, row.name}].push_back(
          i);
  std::vector<Row> others;
  module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    if (!op.getQconfig())
      return WalkResult::skip();
    int64_t macs = op.countOperations().multiplyAccumulates;
    std::string kind = op.getKindName(), name = getLocationName(op->getLoc());
    Location loc = getRemarkLocation(op->getLoc());
    counts[{Verdict::Quantized, ""}] += {-1, -macs, {{kind, -1}}};
    counts[{Verdict::Reference, op.getCode().str()}] += {1, macs, {{kind, 1}}};
    std::deque<size_t> &found =
        quantized[{loc.getAsOpaquePointer(), kind, name}];
    Row row = {Verdict::Reference, loc, kind, name, op.getCode().str(), macs};
    if (found.empty()) {
      others.push_back(std::move(row));
    } else {
      rows[found.front()] = std::move(row);
      found.pop_front();
    }
    return WalkResult::skip();
  });
  llvm::append_range(rows, others);
}

std::vector<OperatorVerdict> Summary::getVerdicts() const {
  std::vector<OperatorVerdict> result;
  for (const Row &row : rows)
    result.push_back({row.loc, row.kind, row.name, getName(row.verdict),
                      row.code, row.macs});
  return result;
}

Summary::Count Summary::getTotal() const {
  Count total;
  for (const auto &[key, count] : counts)
    total += count;
  return total;
}

Summary::Count Summary::getQuantized() const {
  auto it = counts.find({Verdict::Quantized, ""});
  return it == counts.end() ? Count() : it->second;
}

double Summary::getPercent() const {
  Count total = getTotal(), quantized = getQuantized();
  for (const auto &[key, count] : counts)
    if (key.first == Verdict::Integer)
      quantized += count;
  if (total.macs > 0)
    return 100.0 * double(quantized.macs) / double(total.macs);
  if (total.operators > 0)
    return 100.0 * double(quantized.operators) / double(total.operators);
  return 0;
}

/// "conv2d+relu 12, add 3": the most frequent first.
static std::string describeKinds(const std::map<std::string, int64_t> &kinds) {
  SmallVector<std::pair<int64_t, StringRef>> sorted;
  for (const auto &[kind, count] : kinds)
    if (count > 0)
      sorted.push_back({count, kind});
  llvm::stable_sort(
      sorted, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string text;
  for (const auto &[count, kind] : ArrayRef(sorted).take_front(kKinds))
    text += llvm::formatv("{0}{1} {2}", text.empty() ? "" : ", ", kind, count);
  return text + (sorted.size() > kKinds ? ", ..." : "");
}

std::string Summary::getTable() const {
  std::string table;
  llvm::raw_string_ostream os(table);
  Count total = getTotal();
  auto printRow = [&](StringRef verdict, StringRef code, Count count) {
    os << "\n  " << llvm::left_justify(verdict, 16)
       << llvm::left_justify(code, 6)
       << llvm::format_decimal(count.operators, 10) << " "
       << llvm::format_decimal(count.macs, 15);
    if (total.macs > 0)
      os << llvm::format("%8.1f%%",
                         100.0 * double(count.macs) / double(total.macs));
    if (!count.kinds.empty())
      os << "  " << describeKinds(count.kinds);
  };
  os << "operators and multiply-accumulates (MACs) by verdict\n  "
     << llvm::left_justify("verdict", 16) << llvm::left_justify("code", 6)
     << llvm::right_justify("operators", 10) << llvm::right_justify("MACs", 16);
  for (const auto &[key, count] : counts)
    if (count.operators > 0)
      printRow(getName(key.first), key.second, count);
  total.kinds.clear();
  printRow("all", "", total);
  if (total.macs == kLargestCount)
    os << "\n  " << kLargestCount << " MACs stand for that many or more";
  return table;
}

void Summary::emitRemark(ModuleOp module) const {
  ScopedDiagnosticHandler addTable(module.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Remark)
      diag.attachNote(module.getLoc()) << getTable();
    return failure();
  });
  auto remark = remark::analysis(
      module.getLoc(), remark::RemarkOpts::name("QB000").category("qbackend"));
  if (!remark)
    return;
  // What is no operator is a number of its own.
  int64_t operators = 0;
  std::map<Verdict, Count> byVerdict;
  for (const auto &[key, count] : counts) {
    byVerdict[key.first] += count;
    if (key.first != Verdict::NotRecognised && key.first != Verdict::Integer)
      operators += count.operators;
  }
  auto addCount = [&](const Twine &key, Count count) {
    remark << remark::detail::Remark::Arg(key.str(), count.operators)
           << remark::detail::Remark::Arg((key + "-macs").str(), count.macs);
  };
  remark << remark::detail::Remark::Arg("operators", operators);
  addCount("quantized", getQuantized());
  addCount("integer", byVerdict[Verdict::Integer]);
  addCount("reference", byVerdict[Verdict::Reference]);
  addCount("float", byVerdict[Verdict::Float]);
  addCount("not-recognised", byVerdict[Verdict::NotRecognised]);
  remark << remark::detail::Remark::Arg("all-macs", getTotal().macs)
         << remark::detail::Remark::Arg(
                "quantized-percent",
                llvm::formatv("{0:F1}", getPercent()).str());
  if (getTotal().macs == kLargestCount)
    remark << remark::detail::Remark::Arg("saturated", true);
  for (const auto &[key, count] : counts)
    if (!key.second.empty())
      addCount(key.second, count);
}

bool Summary::hasQuantized() const { return getQuantized().operators > 0; }

void Summary::warnIfNothing(ModuleOp module) const {
  if (hasQuantized())
    return;
  Count total = getTotal();
  std::pair<StringRef, const Count *> largest;
  for (const auto &[key, count] : counts) {
    if (count.operators > 0 &&
        (!largest.second || count.operators > largest.second->operators))
      largest = {key.second, &count};
  }
  InFlightDiagnostic warning = emitWarning(module.getLoc())
                               << "nothing is quantized: ";
  if (!largest.second) {
    warning << "the module has no operator on floats";
    return;
  }
  warning << getRemarkTitle(largest.first) << " (" << largest.first << ", "
          << largest.second->operators << " of " << total.operators << ")";
}

LogicalResult Summary::require(double percent, StringRef target,
                               ModuleOp module) const {
  if (getPercent() >= percent)
    return success();
  Count total = getTotal(), quantized = getQuantized();
  bool hasMacs = total.macs > 0;
  InFlightDiagnostic error =
      emitError(module.getLoc())
      << llvm::formatv("{0:F2}", getPercent()).str() << "% of the "
      << (hasMacs ? "multiply-accumulates are" : "operators are")
      << (target == kReferenceForm ? " quantized (" : " in integer kernels (")
      << (hasMacs ? quantized.macs : quantized.operators) << " of "
      << (hasMacs ? total.macs : total.operators)
      << "), require-quantized wants " << llvm::formatv("{0}", percent).str()
      << "%; ";
  if (total.operators == 0)
    return error << "the module has no operators";
  error << "missing: ";
  StringRef separator;
  for (const auto &[key, count] : counts) {
    if (key.first == Verdict::Quantized || key.first == Verdict::Integer ||
        count.operators == 0)
      continue;
    error << separator << count.operators << " " << getName(key.first) << " ("
          << key.second;
    if (hasMacs)
      error << ", " << count.macs;
    error << ")";
    separator = ", ";
  }
  // The largest ones, in the order of the code where they are equal.
  std::vector<const Row *> largest;
  for (const Row &row : rows)
    if (row.verdict != Verdict::Quantized && row.verdict != Verdict::Integer)
      largest.push_back(&row);
  llvm::stable_sort(
      largest, [](const Row *a, const Row *b) { return a->macs > b->macs; });
  for (const Row *row : ArrayRef(largest).take_front(kOffenders)) {
    Diagnostic &note = error.attachNote(row->loc);
    note << row->kind;
    if (!row->name.empty())
      note << " '" << row->name << "'";
    note << " (" << row->code << ")";
    if (hasMacs)
      note << " has " << row->macs << " of them";
  }
  return error;
}
