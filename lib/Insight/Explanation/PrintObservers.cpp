// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints which values share an observer, as lines or for Graphviz.

#include "qbackend/Insight/Explanation/Passes.h"
#include "qbackend/Numerics/QuantParams.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace qbackend {
#define GEN_PASS_DEF_PRINTOBSERVERSPASS
#include "qbackend/Insight/Explanation/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

namespace {
/// A value that an observer sees.
struct Site {
  std::string value;
  /// The observer that sees it before; empty if there is none.
  std::string previous;
  /// How often it is seen in a batch: not again, in another layout.
  int64_t times = 1;
  /// Numbers of operators, "result 0", or the names of ops that are neither.
  SmallVector<std::string> readers;
};

class Groups {
public:
  explicit Groups(ModuleOp module) : names(module) {
    for (auto observer : module.getOps<ObserverOp>())
      observers[observer.getSymNameAttr()].first = observer;
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto operation = dyn_cast<OperatorOp>(op);
      if (!operation)
        return WalkResult::advance();
      numbers[op] = operators.size();
      operators.push_back(operation);
      return WalkResult::skip();
    });
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto observe = dyn_cast<ObserveOp>(op))
        add(observe);
      return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
  }

  void print(raw_ostream &os);
  void printDot(raw_ostream &os);

private:
  void add(ObserveOp observe);
  void addReaders(Value value, SmallVectorImpl<std::string> &readers);

  TensorNames names;
  SmallVector<OperatorOp> operators;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::MapVector<StringAttr, std::pair<ObserverOp, SmallVector<Site>>>
      observers;
};
} // namespace

void Groups::addReaders(Value value, SmallVectorImpl<std::string> &readers) {
  SmallVector<std::pair<unsigned, std::string>> numbered;
  SmallVector<std::string> others;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto it = numbers.find(user); it != numbers.end())
      numbered.push_back({it->second, std::to_string(it->second)});
    else if (user->hasTrait<OpTrait::IsTerminator>())
      numbered.push_back({unsigned(operators.size()) + use.getOperandNumber(),
                          "result " + std::to_string(use.getOperandNumber())});
    else if (auto transpose = dyn_cast<TransposeOp>(user))
      addReaders(transpose.getOutput(), others);
    else if (!isa<ObserveOp>(user))
      others.push_back(user->getName().getStringRef().str());
  }
  // Uses are listed in no particular order.
  llvm::sort(numbered);
  llvm::sort(others);
  llvm::append_range(readers, llvm::make_second_range(numbered));
  llvm::append_range(readers, others);
  readers.erase(llvm::unique(readers), readers.end());
}

void Groups::add(ObserveOp observe) {
  Site site;
  site.value = names.lookup(observe.getInput()).name;
  site.times = getSourceValues(observe);
  if (auto previous = observe.getInput().getDefiningOp<ObserveOp>())
    site.previous = previous.getObserver().str();
  addReaders(observe.getOutput(), site.readers);
  observers[observe.getObserverAttr().getAttr()].second.push_back(
      std::move(site));
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// The observer's class, type, range, scheme and what else its parameters
/// depend on.
static std::string describe(ObserverAttr observer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyObserverKind(observer.getKind()) << " " << observer.getDtype();
  if (observer.getIsDynamic())
    os << " dynamic";
  if (!isa<IntegerType>(observer.getDtype()))
    return text;
  auto [min, max] = getQuantRange(observer);
  os << " [" << min << ", " << max << "] "
     << stringifyQScheme(observer.getScheme());
  if (observer.getKind() == ObserverKind::FixedQParams)
    os << " scale "
       << llvm::format("%.9g", observer.getScale().getValueAsDouble())
       << " zero_point " << *observer.getZeroPoint();
  else
    os << " eps "
       << llvm::format("%.9g", observer.getEps()
                                   ? observer.getEps().getValueAsDouble()
                                   : double(numerics::defaultEps));
  if (observer.getFakeQuantize() != FakeQuantizeKind::None)
    os << " " << stringifyFakeQuantizeKind(observer.getFakeQuantize());
  return text;
}

static std::string describe(ObserverOp observer) {
  std::string text = describe(observer.getConfig());
  llvm::raw_string_ostream os(text);
  if (observer.isCalibrated() &&
      observer.getConfig().getKind() != ObserverKind::FixedQParams)
    os << " scale "
       << llvm::format("%.9g", observer.getScale()->convertToDouble())
       << " zero_point " << observer.getZeroPointAttr().getInt();
  return text;
}

static std::string getKinds(OperatorOp op) {
  return llvm::join(getKindNames(op), "+");
}

/// The names of the operators that `op` was fused from.
static SmallVector<StringRef> getParts(OperatorOp op) {
  SmallVector<StringRef> parts;
  op.getLoc()->walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner))
      if (!llvm::is_contained(parts, named.getName().getValue()))
        parts.push_back(named.getName());
    return WalkResult::advance();
  });
  return parts;
}

void Groups::print(raw_ostream &os) {
  for (auto [number, op] : llvm::enumerate(operators)) {
    os << number << ": " << names.lookup(op.getOutput()).name << " = "
       << getKinds(op) << "(";
    llvm::interleaveComma(op.getInputs(), os,
                          [&](Value input) { os << names.lookup(input).name; });
    os << ")";
    if (SmallVector<StringRef> parts = getParts(op); parts.size() > 1)
      os << " fused from " << llvm::join(parts, ", ");
    std::optional<QConfigAttr> qconfig = op.getQconfig();
    if (!qconfig) {
      os << "; float\n";
      continue;
    }
    if (getQuantizationMode(*qconfig) != QuantizationMode::Static)
      os << "; activations " << describe(qconfig->getActivation());
    if (hasQuantizedWeight(op))
      os << "; weight " << describe(qconfig->getWeight());
    os << "\n";
  }
  for (auto &[symbol, group] : observers) {
    auto &[observer, sites] = group;
    os << "@" << symbol.getValue() << ": " << describe(observer) << "\n";
    for (const Site &site : sites) {
      os << "  " << site.value;
      if (!site.previous.empty())
        os << " after @" << site.previous;
      if (site.times == 0)
        os << " again";
      else if (site.times > 1)
        os << " " << site.times << " times";
      os << " -> " << llvm::join(site.readers, ", ") << "\n";
    }
  }
}

//===----------------------------------------------------------------------===//
// Graphviz
//===----------------------------------------------------------------------===//

static std::string quoted(const Twine &text) {
  std::string result = "\"";
  for (char c : text.str()) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

void Groups::printDot(raw_ostream &os) {
  os << "digraph observers {\n  node [shape=box];\n";
  for (auto [number, op] : llvm::enumerate(operators))
    os << "  op" << number
       << " [label=" << quoted(Twine(number) + ": " + getKinds(op))
       << (op.getQconfig() ? "" : ", style=dashed") << "];\n";
  // Where each value comes from; observers of one value follow each other.
  llvm::StringMap<unsigned> producers;
  for (auto [number, op] : llvm::enumerate(operators))
    producers[names.lookup(op.getOutput()).name] = number;
  std::string edges;
  llvm::raw_string_ostream edge(edges);
  llvm::StringMap<char> outside;
  unsigned cluster = 0;
  for (auto &[symbol, group] : observers) {
    auto &[observer, sites] = group;
    StringRef name = symbol.getValue();
    os << "  subgraph cluster" << cluster++
       << " {\n    label=" << quoted("@" + name + ": " + describe(observer))
       << ";\n";
    for (const Site &site : sites) {
      std::string node = quoted(Twine(site.value) + " by @" + name);
      os << "    " << node << " [shape=ellipse, label=" << quoted(site.value)
         << "];\n";
      auto producer = producers.find(site.value);
      if (!site.previous.empty())
        edge << "  " << quoted(Twine(site.value) + " by @" + site.previous);
      else if (producer != producers.end())
        edge << "  op" << producer->second;
      if (!site.previous.empty() || producer != producers.end())
        edge << " -> " << node << ";\n";
      for (StringRef reader : site.readers) {
        bool isNumber = llvm::all_of(reader, llvm::isDigit);
        edge << "  " << node << " -> "
             << (isNumber ? "op" + reader.str() : quoted(reader)) << ";\n";
        if (!isNumber)
          outside.insert({reader, 0});
      }
    }
    os << "  }\n";
  }
  SmallVector<StringRef> readers(outside.keys());
  llvm::sort(readers);
  for (StringRef reader : readers)
    os << "  " << quoted(reader) << " [shape=plaintext];\n";
  os << edges << "}\n";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct PrintObserversPass
    : qbackend::impl::PrintObserversPassBase<PrintObserversPass> {
  using PrintObserversPassBase::PrintObserversPassBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> owned = copyInside(getOperation());
    ModuleOp module = *owned;
    if (!isObserved(module)) {
      PreparePipelineOptions options;
      options.backend = backend;
      options.qconfig = qconfig;
      options.sharing = sharing;
      options.entry = entry;
      OpPassManager passes("builtin.module");
      addPreparePipeline(passes, options);
      if (failed(runPipeline(passes, module)))
        return signalPassFailure();
    }
    Groups groups(module);
    if (format == GraphFormat::Dot)
      groups.printDot(llvm::outs());
    else
      groups.print(llvm::outs());
    markAllAnalysesPreserved();
  }
};
} // namespace
