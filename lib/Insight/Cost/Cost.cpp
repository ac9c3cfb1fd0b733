// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a network costs to run: arithmetic, memory, and conversions between
// float and quantized values.

#include "qbackend/Insight/Cost/Cost.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static int64_t getBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = quantized.getStorageType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return multiplyCounts(countElements(type.getShape()), (bits + 7) / 8);
}

static bool isQuantized(Value value) {
  return isa<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
}

static bool isFloat(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// A name that an op is known by.
static std::string getOpName(Operation *op) {
  return op->getName().stripDialect().str();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
class CostFinder {
public:
  explicit CostFinder(func::FuncOp function)
      : names(function->getParentOfType<ModuleOp>()),
        block(function.getBody().front()) {}

  NetworkCost run() {
    for (Operation &op : block)
      if (isConstant(&op))
        constants.insert(&op);
    for (Operation &op : block)
      add(op);
    findLiveSet();
    findIslands();
    return std::move(cost);
  }

private:
  /// Whether `op` is a constant, or computed of constants.
  bool isConstant(Operation *op) {
    if (isa<OperatorOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
        op->getNumResults() == 0)
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && constants.contains(producer);
    });
  }

  bool isConstant(Value value) {
    Operation *producer = value.getDefiningOp();
    return producer && constants.contains(producer);
  }

  /// In the reference form, whether an operator is one on integers.
  static bool isQuantizedOperator(Operation *op) {
    auto operation = dyn_cast_if_present<OperatorOp>(op);
    return operation && operation.getQconfig();
  }

  /// Whether `op` is only there to spell the reference form: a kernel reads
  /// the integers before it, or gives those behind it.
  static bool isReferenceSpelling(Operation *op) {
    if (isa<DequantizeOp>(op))
      return !op->use_empty() &&
             llvm::all_of(op->getUsers(), isQuantizedOperator);
    return isa<QuantizeOp>(op) &&
           isQuantizedOperator(op->getOperand(0).getDefiningOp());
  }

  void add(Operation &op);
  void findLiveSet();
  void findIslands();

  TensorNames names;
  Block &block;
  llvm::SmallPtrSet<Operation *, 16> constants;
  llvm::DenseMap<Operation *, unsigned> numbers;
  NetworkCost cost;
};
} // namespace

void CostFinder::add(Operation &op) {
  if (constants.contains(&op)) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      for (Value result : op.getResults())
        cost.parameterBytes += getBytes(result);
    return;
  }
  if (op.hasTrait<OpTrait::IsTerminator>() || op.getNumResults() == 0 ||
      !isa<RankedTensorType>(op.getResult(0).getType()) ||
      isa<tensor::EmptyOp, tensor::CastOp, quant::StorageCastOp, ObserveOp>(
          op) ||
      isReferenceSpelling(&op))
    return;
  OperatorCost entry;
  entry.op = &op;
  SmallVector<Value> parameters;
  bool readsFloat = false, readsQuantized = false;
  for (Value operand : op.getOperands()) {
    if (isConstant(operand)) {
      parameters.push_back(operand);
      entry.parameterBytes += getBytes(operand);
      continue;
    }
    // The integers behind what the reference form dequantizes.
    Operation *producer = operand.getDefiningOp();
    bool isSpelling =
        producer && isa<DequantizeOp>(producer) && isQuantizedOperator(&op);
    Value read = isSpelling ? producer->getOperand(0) : operand;
    entry.readBytes += getBytes(read);
    readsFloat |= isFloat(read);
    readsQuantized |= isQuantized(read);
  }
  bool givesFloat = false, givesQuantized = false;
  for (Value result : op.getResults()) {
    Value given = result;
    if (isQuantizedOperator(&op))
      for (Operation *user : result.getUsers())
        if (isa<QuantizeOp>(user))
          given = user->getResult(0);
    entry.writtenBytes += getBytes(given);
    givesFloat |= isFloat(given);
    givesQuantized |= isQuantized(given);
  }
  int64_t outputs = countElements(
      cast<RankedTensorType>(op.getResult(0).getType()).getShape());
  entry.operations = outputs;
  if (auto operation = dyn_cast<OperatorOp>(op)) {
    entry.name = names.lookup(operation.getOutput()).name;
    entry.kind = operation.getKindName();
    OperationCounts counts = operation.countOperations();
    (operation.getQconfig() ? entry.integerMacs : entry.floatMacs) =
        counts.multiplyAccumulates;
    entry.isFloat = !operation.getQconfig();
  } else {
    entry.kind = op.getName().getStringRef().str();
    entry.name = getLocationName(op.getLoc());
    if (entry.name.empty())
      entry.name = getOpName(&op);
    const EngineDialectInterface *engine = getEngine(&op);
    bool isElementwise =
        op.getNumOperands() == 1 &&
        cast<RankedTensorType>(op.getResult(0).getType()).getShape() ==
            cast<ShapedType>(op.getOperand(0).getType()).getShape();
    entry.isConversion =
        isElementwise &&
        (readsFloat != givesFloat ||
         (engine && engine->getEffect(&op) == KernelEffect::Converts));
    if (readsQuantized || givesQuantized) {
      entry.integerMacs = entry.isConversion
                              ? 0
                              : countKernelMultiplyAccumulates(&op, parameters);
    } else {
      entry.floatMacs = countMultiplyAccumulates(&op);
      entry.integerMacs = countIntegerMultiplyAccumulates(&op);
      entry.isFloat = readsFloat || givesFloat;
      if (isa<TransposeOp, linalg::TransposeOp, tensor::ExpandShapeOp,
              tensor::CollapseShapeOp>(op))
        entry.operations = 0;
    }
  }
  entry.predictedSeconds = predictSeconds(entry);
  numbers[&op] = cost.operators.size();
  cost.operators.push_back(std::move(entry));
}

/// Each value lives from where it is computed to where it is read last.
void CostFinder::findLiveSet() {
  llvm::DenseMap<Operation *, SmallVector<Value>> dying;
  int64_t live = 0;
  auto begin = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (ancestor && (!last || last->isBeforeInBlock(ancestor)))
        last = ancestor;
    }
    if (!last)
      return;
    live += getBytes(value);
    dying[last].push_back(value);
  };
  for (Value argument : block.getArguments())
    begin(argument);
  unsigned current = 0;
  for (Operation &op : block) {
    if (auto it = numbers.find(&op); it != numbers.end())
      current = it->second;
    if (!constants.contains(&op) && !isReferenceSpelling(&op))
      for (Value result : op.getResults())
        begin(result);
    if (live > cost.liveBytes) {
      cost.liveBytes = live;
      cost.liveAt = current;
    }
    if (auto it = dying.find(&op); it != dying.end())
      for (Value value : it->second)
        live -= getBytes(value);
  }
}

/// Float operators that read each other are one island if integers are before
/// or behind them.
void CostFinder::findIslands() {
  llvm::EquivalenceClasses<unsigned> classes;
  auto getNumber = [&](Operation *op) {
    auto it = op ? numbers.find(op) : numbers.end();
    return it == numbers.end() ? -1 : int(it->second);
  };
  for (auto [i, entry] : llvm::enumerate(cost.operators)) {
    if (!entry.isFloat)
      continue;
    classes.insert(i);
    for (Value operand : entry.op->getOperands()) {
      int before = getNumber(operand.getDefiningOp());
      if (before >= 0 && cost.operators[before].isFloat)
        classes.unionSets(i, before);
    }
  }
  llvm::MapVector<unsigned, FloatIsland> islands;
  llvm::DenseMap<unsigned, llvm::SmallSetVector<unsigned, 4>> borders;
  for (auto [i, entry] : llvm::enumerate(cost.operators)) {
    if (!entry.isFloat)
      continue;
    unsigned leader = classes.getLeaderValue(i);
    islands[leader].operators.push_back(i);
    auto addBorder = [&](Operation *op) {
      int number = getNumber(op);
      if (number >= 0 && cost.operators[number].isConversion)
        borders[leader].insert(number);
    };
    for (Value operand : entry.op->getOperands())
      addBorder(operand.getDefiningOp());
    for (Operation *user : entry.op->getUsers())
      addBorder(user);
  }
  for (auto &[leader, island] : islands) {
    auto it = borders.find(leader);
    if (it == borders.end())
      continue;
    island.conversions.assign(it->second.begin(), it->second.end());
    for (unsigned number : island.operators)
      island.predictedSeconds += cost.operators[number].predictedSeconds;
    for (unsigned number : island.conversions)
      island.predictedSeconds += cost.operators[number].predictedSeconds;
    cost.islands.push_back(std::move(island));
  }
  llvm::stable_sort(cost.islands,
                    [](const FloatIsland &a, const FloatIsland &b) {
                      return a.predictedSeconds > b.predictedSeconds;
                    });
}

NetworkCost qbackend::findCost(func::FuncOp function) {
  return CostFinder(function).run();
}

double qbackend::predictSeconds(const OperatorCost &cost) {
  double arithmetic =
      cost.integerMacs / 16e9 + cost.floatMacs / 8e9 + cost.operations / 2e9;
  return std::max(arithmetic, cost.getBytes() / 8e9);
}

OperatorCost NetworkCost::getTotal() const {
  OperatorCost total;
  for (const OperatorCost &entry : operators) {
    total.integerMacs = addCounts(total.integerMacs, entry.integerMacs);
    total.floatMacs = addCounts(total.floatMacs, entry.floatMacs);
    total.operations = addCounts(total.operations, entry.operations);
    total.readBytes = addCounts(total.readBytes, entry.readBytes);
    total.writtenBytes = addCounts(total.writtenBytes, entry.writtenBytes);
    total.parameterBytes =
        addCounts(total.parameterBytes, entry.parameterBytes);
    total.predictedSeconds += entry.predictedSeconds;
    if (entry.measuredSeconds)
      total.measuredSeconds =
          total.measuredSeconds.value_or(0) + *entry.measuredSeconds;
  }
  return total;
}

unsigned NetworkCost::countConversions() const {
  return llvm::count_if(
      operators, [](const OperatorCost &entry) { return entry.isConversion; });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string spellMicroseconds(std::optional<double> seconds) {
  if (!seconds)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f", *seconds * 1e6);
  return text;
}

static void printTotals(ArrayRef<NamedCost> networks, raw_ostream &os) {
  auto printRow = [&](StringRef title, auto getCell) {
    os << llvm::left_justify(title, 34);
    for (const NamedCost &network : networks)
      os << " " << llvm::right_justify(getCell(network), 20);
    os << "\n";
  };
  auto count = [&](StringRef title, auto get) {
    printRow(title, [&](const NamedCost &network) {
      return std::to_string(get(network.cost));
    });
  };
  printRow("", [](const NamedCost &network) {
    StringRef name = network.name;
    return name.take_back(20).str();
  });
  count("multiply-accumulates of integers",
        [](const NetworkCost &cost) { return cost.getTotal().integerMacs; });
  count("multiply-accumulates of floats",
        [](const NetworkCost &cost) { return cost.getTotal().floatMacs; });
  count("bytes moved",
        [](const NetworkCost &cost) { return cost.getTotal().getBytes(); });
  count("bytes of parameters",
        [](const NetworkCost &cost) { return cost.parameterBytes; });
  count("bytes of activations at once",
        [](const NetworkCost &cost) { return cost.liveBytes; });
  count("operators",
        [](const NetworkCost &cost) { return cost.operators.size(); });
  count("conversions",
        [](const NetworkCost &cost) { return cost.countConversions(); });
  count("float islands",
        [](const NetworkCost &cost) { return cost.islands.size(); });
  printRow("microseconds, predicted", [](const NamedCost &network) {
    return spellMicroseconds(network.cost.getTotal().predictedSeconds);
  });
  if (llvm::any_of(networks, [](const NamedCost &network) {
        return network.cost.getTotal().measuredSeconds.has_value();
      }))
    printRow("microseconds, measured", [](const NamedCost &network) {
      return spellMicroseconds(network.cost.getTotal().measuredSeconds);
    });
}

static void printNetwork(const NamedCost &network, raw_ostream &os) {
  const NetworkCost &cost = network.cost;
  os << "\n" << network.name << "\n";
  if (!cost.operators.empty())
    os << "  most memory at " << cost.operators[cost.liveAt].name << ": "
       << cost.liveBytes << " bytes of activations\n";
  for (auto [i, island] : llvm::enumerate(cost.islands)) {
    os << "  float island " << i + 1 << ": "
       << spellMicroseconds(island.predictedSeconds) << " us predicted, "
       << island.conversions.size() << " conversions: ";
    ArrayRef<unsigned> shown = island.operators;
    bool isCut = shown.size() > 8;
    if (isCut)
      shown = shown.take_front(8);
    llvm::interleaveComma(shown, os, [&](unsigned number) {
      os << cost.operators[number].name << " (" << cost.operators[number].kind
         << ")";
    });
    os << (isCut ? ", ...\n" : "\n");
  }
  std::vector<unsigned> order(cost.operators.size());
  for (auto [i, number] : llvm::enumerate(order))
    number = i;
  auto getTime = [&](unsigned i) {
    return cost.operators[i].measuredSeconds.value_or(
        cost.operators[i].predictedSeconds);
  };
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return getTime(a) > getTime(b); });
  size_t width = 8;
  for (const OperatorCost &entry : cost.operators)
    width = std::max(width, std::min<size_t>(entry.name.size(), 28));
  os << "  " << llvm::left_justify("operator", width) << " "
     << llvm::left_justify("kind", 24)
     << "   integer MACs     float MACs        bytes  predicted us   measured "
        "us\n";
  for (unsigned number : order) {
    const OperatorCost &entry = cost.operators[number];
    os << "  "
       << llvm::left_justify(StringRef(entry.name).take_back(width), width)
       << " " << llvm::left_justify(StringRef(entry.kind).take_front(24), 24)
       << " "
       << llvm::format("%14lld %14lld %12lld", (long long)entry.integerMacs,
                       (long long)entry.floatMacs, (long long)entry.getBytes())
       << " "
       << llvm::right_justify(spellMicroseconds(entry.predictedSeconds), 13)
       << " "
       << llvm::right_justify(spellMicroseconds(entry.measuredSeconds), 13)
       << "\n";
  }
}

void qbackend::printCosts(ArrayRef<NamedCost> networks, raw_ostream &os) {
  printTotals(networks, os);
  for (const NamedCost &network : networks)
    printNetwork(network, os);
}
