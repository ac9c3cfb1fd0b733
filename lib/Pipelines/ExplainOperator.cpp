// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints all there is to know about one operator.

#include "ExplainOperator.h"

#include "qbackend/Support/Places.h"
#include "qbackend/Support/RemarkCodes.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/OperatorText.h"
#include "qbackend/Transforms/Analysis/Patterns.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/Engine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace qbackend;

static std::string stringify(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

/// `text` with `indent` in front of each line.
static void printIndented(StringRef text, StringRef indent, raw_ostream &os) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    os << (line.empty() ? StringRef() : indent) << line << "\n";
}

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

static SmallVector<OperatorOp> getOperators(ModuleOp module) {
  SmallVector<OperatorOp> operators;
  module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    operators.push_back(op);
    return WalkResult::skip();
  });
  return operators;
}

/// The kernels that the module's own integers have become.
static SmallVector<Operation *> getImportedKernels(ModuleOp module) {
  SmallVector<Operation *> kernels;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto *engine = getEngine(op); engine && engine->isImported(op))
      kernels.push_back(op);
    return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return kernels;
}

/// The operator whose result is called `name`, or that was fused from one of
/// this name; an error with the nearest names if there is none.
static FailureOr<OperatorOp> findOperator(ModuleOp module, StringRef name,
                                          TensorNames &names) {
  SmallVector<OperatorOp> operators = getOperators(module);
  for (OperatorOp op : operators)
    if (names.lookup(op.getOutput()).name == name)
      return op;
  for (OperatorOp op : operators) {
    bool isPart = false;
    op.getLoc()->walk([&](Location inner) {
      auto named = dyn_cast<NameLoc>(inner);
      isPart |= named && named.getName() == name;
      return WalkResult::advance();
    });
    if (isPart)
      return op;
  }
  SmallVector<std::pair<unsigned, StringRef>> nearest;
  for (OperatorOp op : operators) {
    StringRef candidate = names.lookup(op.getOutput()).name;
    nearest.push_back({name.edit_distance(candidate), candidate});
  }
  for (Operation *kernel : getImportedKernels(module)) {
    StringRef candidate = names.lookup(kernel->getResult(0)).name;
    nearest.push_back({name.edit_distance(candidate), candidate});
  }
  llvm::stable_sort(nearest, llvm::less_first());
  InFlightDiagnostic error = emitError(module.getLoc())
                             << "no operator is called '" << name << "'; ";
  if (nearest.empty())
    return error << "the module has no operators";
  error << "the nearest are ";
  llvm::interleaveComma(ArrayRef(nearest).take_front(3), error,
                        [&](auto &entry) { error << entry.second; });
  return error;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printCode(OperatorOp op, raw_ostream &os) {
  os << "recognised from\n";
  SmallVector<Location> parts;
  op.getLoc()->walk([&](Location inner) {
    if (isa<NameLoc>(inner))
      parts.push_back(inner);
    return WalkResult::advance();
  });
  for (Location part : parts)
    os << "  " << getLocationName(part) << " at " << spellPlace(part) << "\n";
  if (parts.empty())
    os << "  " << spellPlace(op.getLoc()) << "\n";
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(8).useLocalScope().skipRegions();
  for (Operation &inner : op.getBody().front().without_terminator()) {
    os << "    ";
    inner.print(os, flags);
    os << "\n";
  }
}

static void printDecision(OperatorOp op, BackendConfigOp backend,
                          raw_ostream &os) {
  os << "pattern of backend " << backend.getSymName() << "\n";
  if (QuantizedAttr quantized = op.getQuantized()) {
    os << "  " << stringify(quantized.getPattern()) << "\n  types "
       << stringify(quantized.getDtypes()) << "\n  observation "
       << stringifyObservationType(quantized.getObservation()) << "\n";
    if (quantized.getReference())
      os << "  reference " << stringify(quantized.getReference()) << "\n";
    return;
  }
  os << "  none: it stays float";
  if (!op.getCode().empty())
    os << " (" << op.getCode() << ")";
  os << "\n";
}

/// Which entry of `mapping` selects `op`.
static void printEntry(OperatorOp op, const OperatorSelectors &operators,
                       QConfigMappingOp mapping, raw_ostream &os) {
  QConfigOp found = QConfigTable(mapping, operators)
                        .lookup(op, getKindNames(op), op.isFused());
  if (!found) {
    os << "  no entry of @" << mapping.getSymName() << " fits ("
       << spellPlace(mapping.getLoc()) << ")\n";
    return;
  }
  os << "  from the entry " << stringifyQConfigLevel(found.getLevel());
  if (found.getSelector())
    os << " \"" << *found.getSelector() << "\"";
  if (found.getObjectType())
    os << ", \"" << *found.getObjectType() << "\", " << *found.getIndex();
  os << " of @" << mapping.getSymName() << " (" << spellPlace(found.getLoc())
     << ")\n";
}

static void printQConfig(ModuleOp module, OperatorOp op,
                         ArrayRef<QConfigMappingOp> mappings,
                         TensorNames &names, raw_ostream &os) {
  os << "qconfig\n";
  if (op.getQconfig())
    os << "  activation " << stringify(op.getQconfig()->getActivation())
       << "\n  weight " << stringify(op.getQconfig()->getWeight()) << "\n";
  else
    os << "  none\n";
  OperatorSelectors operators(module, names);
  for (QConfigMappingOp mapping : mappings)
    printEntry(op, operators, mapping, os);
}

namespace {
/// The observers of a module, and which values each one sees.
class Observers {
public:
  Observers(ModuleOp module, TensorNames &names) {
    for (auto observer : module.getOps<ObserverOp>())
      observers[observer.getSymName()] = observer;
    module.walk<WalkOrder::PreOrder>([&](ObserveOp op) {
      auto &values = shared[op.getObserver()];
      std::string name = names.lookup(op.getInput()).name;
      if (!llvm::is_contained(values, name))
        values.push_back(name);
    });
  }

  void print(StringRef role, ObserveOp observe, StringRef value,
             raw_ostream &os) const {
    os << "  " << role << " " << value << ": ";
    ObserverOp observer =
        observe ? observers.lookup(observe.getObserver()) : ObserverOp();
    if (!observer) {
      os << "not observed\n";
      return;
    }
    os << "@" << observer.getSymName() << " " << stringify(observer.getConfig())
       << "\n";
    if (observer.getMin() && observer.getMax())
      os << "    range ["
         << llvm::format("%.6g", observer.getMinAttr().getValueAsDouble())
         << ", "
         << llvm::format("%.6g", observer.getMaxAttr().getValueAsDouble())
         << "]\n";
    if (observer.isCalibrated())
      os << "    scale "
         << llvm::format("%.9g", observer.getScaleAttr().getValueAsDouble())
         << ", zero point " << observer.getZeroPointAttr().getInt() << "\n";
    else
      os << "    no range yet: pass data=FILE.npz or calibration=TABLE\n";
    std::vector<std::string> others;
    for (const std::string &name : shared.lookup(observer.getSymName()))
      if (name != value)
        others.push_back(name);
    if (!others.empty())
      os << "    shared with " << llvm::join(others, ", ") << "\n";
  }

private:
  llvm::StringMap<ObserverOp> observers;
  llvm::StringMap<std::vector<std::string>> shared;
};
} // namespace

static void printObservers(OperatorOp op, TensorNames &names,
                           const Observers &observers, raw_ostream &os) {
  os << "observers\n";
  for (Value input : op.getInputs()) {
    auto observe = input.getDefiningOp<ObserveOp>();
    while (observe && observe.getInput().getDefiningOp<ObserveOp>())
      observe = observe.getInput().getDefiningOp<ObserveOp>();
    observers.print("input", observe, names.lookup(input).name, os);
  }
  ObserveOp observe;
  for (Operation *user : op.getOutput().getUsers())
    if (!observe)
      observe = dyn_cast<ObserveOp>(user);
  observers.print("result", observe, names.lookup(op.getOutput()).name, os);
}

OperatorExplanation::OperatorExplanation(StringRef name, MLIRContext *context,
                                         raw_ostream &os)
    : name(name), os(os), record(context, [this](Diagnostic &diag) {
        if (diag.getSeverity() != DiagnosticSeverity::Remark)
          return failure();
        remarks.push_back({diag.getLocation(), diag.str()});
        for (Diagnostic &note : diag.getNotes())
          remarks.back().text +=
              "\n" + spellPlace(note.getLocation()) + ": " + note.str();
        return success();
      }) {}

LogicalResult
OperatorExplanation::printObserved(ModuleOp module, BackendConfigOp backend,
                                   ArrayRef<QConfigMappingOp> mappings) {
  TensorNames names(module);
  for (Operation *kernel : getImportedKernels(module)) {
    if (names.lookup(kernel->getResult(0)).name != name)
      continue;
    found = kernel->getLoc();
    os << name << ": integers that the module came with, at "
       << spellPlace(*found) << "\n";
    return success();
  }
  FailureOr<OperatorOp> op = findOperator(module, name, names);
  if (failed(op))
    return failure();
  found = op->getLoc();
  os << names.lookup(op->getOutput()).name << ": " << getOperatorText(*op)
     << "\n";
  printCode(*op, os);
  printDecision(*op, backend, os);
  printQConfig(module, *op, mappings, names, os);
  printObservers(*op, names, Observers(module, names), os);
  return success();
}

void OperatorExplanation::printKernel(ModuleOp module) {
  os << "kernel\n";
  bool isFound = false;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(8).useLocalScope().skipRegions();
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getLoc() != *found || op->hasTrait<OpTrait::ConstantLike>() ||
        op->getNumResults() == 0)
      return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
    if (auto operation = dyn_cast<OperatorOp>(op)) {
      os << "  "
         << (operation.getQconfig()
                 ? "none: float code between quantized values"
                 : "none: float code");
      if (!operation.getCode().empty())
        os << " (" << operation.getCode() << ")";
      os << "\n";
      isFound = true;
      return WalkResult::skip();
    }
    if (getEngine(op)) {
      os << "  ";
      op->print(os, flags);
      os << "\n";
      isFound = true;
    }
    return WalkResult::advance();
  });
  if (!isFound)
    os << "  nothing is left of it: its neighbours do without\n";
}

void OperatorExplanation::printNoKernel(StringRef why) {
  os << "kernel\n  " << why << "\n";
}

void OperatorExplanation::printRemarks() {
  os << "remarks\n";
  SmallVector<std::string> codes;
  llvm::Regex pattern("QB[0-9][0-9][0-9]");
  for (const Said &said : remarks) {
    if (said.loc != getRemarkLocation(*found))
      continue;
    printIndented(said.text, "  ", os);
    SmallVector<StringRef> match;
    if (pattern.match(said.text, &match) &&
        !llvm::is_contained(codes, match[0]))
      codes.push_back(match[0].str());
  }
  if (codes.empty())
    os << "  none\n";
  for (StringRef code : codes)
    os << "\n" << explainRemarkCode(code) << "\n";
}
