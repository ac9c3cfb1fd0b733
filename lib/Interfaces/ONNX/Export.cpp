// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module as an ONNX file: float code becomes operators, then each op
// its nodes, in the order of the code.

#include "Exporter.h"

#include "qbackend/Conversion/FormDifference.h"
#include "qbackend/Interfaces/ONNX.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Transforms/Analysis/Entry.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

//===----------------------------------------------------------------------===//
// Which ops there are
//===----------------------------------------------------------------------===//

static Writers makeWriters() {
  Writers writers;
  addArithmetic(writers);
  addFunctions(writers);
  addLayers(writers);
  addMovement(writers);
  addNormalization(writers);
  addPooling(writers);
  addResize(writers);
  return writers;
}

static const Writers &getWriters() {
  static const Writers writers = makeWriters();
  return writers;
}

bool Writers::has(Operation *op) const {
  if (auto operation = dyn_cast<OperatorOp>(op))
    return llvm::all_of(
               operation.getKinds(),
               [&](Attribute kind) { return kinds.count(kind.getTypeID()); }) &&
           (!operation.isFused() || (operation.getKinds().size() == 2 &&
                                     isa<ReluAttr>(operation.getKinds()[1])));
  // ONNX's kernels multiply by scales.
  return !op->hasAttr("requantization") && ops.count(op->getName().getTypeID());
}

LogicalResult Writers::write(Operation *op, Exporter &exporter) const {
  auto operation = dyn_cast<OperatorOp>(op);
  if (!operation)
    return ops.lookup(op->getName().getTypeID())(op, exporter);
  Attribute kind = operation.getKinds()[0];
  return kinds.lookup(kind.getTypeID())(kind, operation, exporter);
}

/// What an op is called in a list of what can't be written.
static std::string describe(Operation *op) {
  if (auto operation = dyn_cast<OperatorOp>(op))
    return operation.getKindName();
  return op->getName().getStringRef().str() +
         (op->hasAttr("requantization") ? " with requantization" : "");
}

/// The ops of `block` that its terminator needs. What constants are computed
/// from is not among them.
static DenseSet<Operation *> getLive(Block &block, Exporter &exporter) {
  DenseSet<Operation *> live = {block.getTerminator()};
  for (Operation &op : llvm::reverse(block)) {
    if (!live.contains(&op) && isMemoryEffectFree(&op))
      continue;
    live.insert(&op);
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer->getBlock() == &block &&
            !exporter.isConstant(operand))
          live.insert(producer);
    });
  }
  return live;
}

LogicalResult Exporter::checkOps(const DenseSet<Operation *> &live) {
  llvm::MapVector<StringRef, SmallVector<Operation *>> unknown;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  for (Operation &op : function.front().without_terminator())
    if (live.contains(&op) && !getWriters().has(&op))
      unknown[saver.save(describe(&op))].push_back(&op);
  if (unknown.empty())
    return success();
  auto front = unknown.begin();
  InFlightDiagnostic error =
      front->second.front()->emitError()
      << "no ONNX form of: "
      << llvm::join(
             llvm::map_range(unknown,
                             [](auto &entry) {
                               return entry.first.str() + " (" +
                                      std::to_string(entry.second.size()) + ")";
                             }),
             ", ")
      << "; docs/Exporting.md lists what has one";
  for (auto &[kind, ops] : llvm::drop_begin(unknown))
    error.attachNote(ops.front()->getLoc()) << "first " << kind;
  return error;
}

//===----------------------------------------------------------------------===//
// The signature
//===----------------------------------------------------------------------===//

/// The tensor whose integers `value` is, where it has been named otherwise.
static Value skipCasts(Value value) {
  while (auto scast = value.getDefiningOp<quant::StorageCastOp>())
    value = scast.getInput();
  return value;
}

static LogicalResult checkTensor(Type type, const Twine &what, Location loc) {
  if (isa<RankedTensorType>(type))
    return success();
  return emitError(loc) << what << " has type " << type
                        << ", expected a tensor with a rank";
}

LogicalResult Exporter::addArguments() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (failed(checkTensor(argument.getType(), "argument " + Twine(number),
                           argument.getLoc())))
      return failure();
    FailureOr<ElementType> element = getElementType(argument.getType());
    if (failed(element))
      return failure();
    // Bytes have the sign that they are used with.
    for (Operation *user : argument.getUsers())
      if (auto scast = dyn_cast<quant::StorageCastOp>(user))
        element = getElementType(scast.getType());
    if (failed(element))
      return failure();
    std::string name = getLocationName(argument.getLoc());
    if (name.empty())
      name = "input" + std::to_string(number);
    set(argument, Layout::AsIs,
        model.addInput(name, *element,
                       cast<RankedTensorType>(argument.getType()).getShape()));
  }
  return success();
}

LogicalResult Exporter::addResults() {
  Operation *terminator = function.front().getTerminator();
  current = terminator;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    if (failed(checkTensor(value.getType(), "result " + Twine(i),
                           terminator->getLoc())))
      return failure();
    Tensor tensor = get(value, Layout::AsIs);
    FailureOr<ElementType> element = getElementType(skipCasts(value).getType());
    if (!tensor || failed(element))
      return failure();
    model.addOutput(tensor, "output" + std::to_string(i), *element,
                    cast<RankedTensorType>(value.getType()).getShape());
  }
  return success();
}

LogicalResult Exporter::run() {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("has branches, expected one block");
  DenseSet<Operation *> live = getLive(function.front(), *this);
  if (failed(checkOps(live)) || failed(addArguments()))
    return failure();
  for (Operation &op : function.front().without_terminator()) {
    current = &op;
    if (live.contains(&op) && failed(getWriters().write(&op, *this)))
      return failure();
  }
  return addResults();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

LogicalResult qbackend::translateToONNX(ModuleOp module,
                                        llvm::raw_ostream &output,
                                        StringRef entry) {
  // Ops are also float ones; in the reference form they are there.
  bool hasOperators =
      module->walk([](OperatorOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasOperators) {
    PassManager passes(module.getContext());
    addRaisePipeline(passes, {});
    if (failed(passes.run(module)))
      return failure();
  }
  llvm::Expected<func::FuncOp> function = findEntry(module, entry);
  if (!function)
    return emitError(module.getLoc()) << llvm::toString(function.takeError());
  Exporter exporter(*function);
  if (failed(exporter.run()))
    return failure();
  uint64_t size = exporter.getModel().getSize();
  if (size > kLargestFile)
    return function->emitError()
           << "the ONNX file would have " << size
           << " bytes, and no reader takes more than " << kLargestFile
           << "; export the network in parts";
  exporter.getModel().write(output);
  if (module.getContext()->getRemarkEngine())
    remarkDifferences(
        *function, "onnx",
        boundDifferences(*function, InexactForm::ONNX, getRuntimeMultipliers));
  return success();
}

void qbackend::printExportRemarks(MLIRContext *context) {
  remark::RemarkCategories categories;
  categories.analysis = "qbackend.*";
  // Nothing is written to a file, so that nothing can fail.
  (void)remark::enableOptimizationRemarks(
      *context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

void qbackend::registerToONNXTranslation() {
  static llvm::cl::opt<std::string> entry(
      "onnx-entry",
      llvm::cl::desc("Function that is the network; empty: main, forward, or "
                     "the only public one"),
      llvm::cl::init(""));
  TranslateFromMLIRRegistration registration(
      "qbackend-to-onnx",
      "a network of qnnpack ops, or a float one, as an ONNX file with "
      "QuantizeLinear and DequantizeLinear",
      [](ModuleOp module, llvm::raw_ostream &output) {
        printExportRemarks(module.getContext());
        return translateToONNX(module, output, entry);
      },
      registerAllDialects);
}
