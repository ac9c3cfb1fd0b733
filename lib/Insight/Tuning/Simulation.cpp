// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network in which each operator can be quantized or float, compiled
// once.

#include "qbackend/Insight/Tuning/Simulation.h"
#include "qbackend/Dialect/QBackend/Elements.h"

#include "qbackend/Execution/Pipelines/CheckSamples.h"
#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Insight/Cost/Cost.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tuning;
using arrays::Array;
using arrays::NamedArray;

/// Of four samples the last one is held back.
static constexpr int64_t kHeldBackOf = 4;

int64_t tuning::countHeldBack(int64_t samples) {
  return samples < 2 * kHeldBackOf ? 0 : samples / kHeldBackOf;
}

static bool isHeldBack(int64_t sample) {
  return sample % kHeldBackOf == kHeldBackOf - 1;
}

/// What `results` for `samples` have of those of `set`.
static std::vector<NamedArray> takeSet(ArrayRef<NamedArray> results,
                                       int64_t samples, SampleSet set) {
  std::vector<NamedArray> taken;
  for (const NamedArray &result : results) {
    ArrayRef<int64_t> shape = result.array.shape;
    if (shape.empty() || shape[0] % samples != 0) {
      taken.push_back(result);
      continue;
    }
    NamedArray part{result.name, {result.array.type, result.array.shape, {}}};
    const size_t bytes = result.array.data.size() / samples;
    int64_t count = 0;
    for (int64_t i = 0; i != samples; ++i) {
      if (isHeldBack(i) != (set == SampleSet::HeldBack))
        continue;
      auto begin = result.array.data.begin() + i * bytes;
      part.array.data.insert(part.array.data.end(), begin, begin + bytes);
      ++count;
    }
    part.array.shape[0] = shape[0] / samples * count;
    taken.push_back(std::move(part));
  }
  return taken;
}

llvm::Expected<Score> tuning::getScore(ArrayRef<NamedArray> original,
                                       ArrayRef<NamedArray> other,
                                       ArrayRef<int64_t> labels,
                                       int64_t samples, SampleSet set) {
  if (set != SampleSet::All && countHeldBack(samples) != 0) {
    std::vector<int64_t> taken;
    for (auto [sample, label] : llvm::enumerate(labels))
      if (isHeldBack(sample) == (set == SampleSet::HeldBack))
        taken.push_back(label);
    return getScore(takeSet(original, samples, set),
                    takeSet(other, samples, set), taken, samples,
                    SampleSet::All);
  }
  auto comparisons = evaluation::compare(original, other, labels);
  if (!comparisons)
    return comparisons.takeError();
  Score score;
  score.sqnr = evaluation::getWorstSqnr(*comparisons);
  for (const evaluation::Comparison &comparison : *comparisons) {
    if (!score.accuracy && comparison.accuracy)
      score.accuracy = comparison.accuracy->second;
  }
  return score;
}

namespace {
/// A value between operators that is rounded, or not.
struct Site {
  /// The operators on both sides; -1: none that is quantized.
  int64_t producer = -1, user = -1;
};

/// A weight or bias.
struct Parameter {
  unsigned operation;
  NamedArray original, quantized;
};
} // namespace

struct Simulation::Impl {
  std::unique_ptr<runtime::Executable> executable;
  std::vector<int64_t> labels;
  runtime::SampleOptions run;
  std::vector<NamedArray> samples;
  std::vector<Site> sites;
  std::vector<Parameter> parameters;
  std::vector<NamedArray> original;
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Simulation::~Simulation() = default;

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Runs `work`, and returns its first diagnostic if it fails; others are
/// dropped.
static llvm::Error runQuietly(MLIRContext *context,
                              llvm::function_ref<LogicalResult()> work) {
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
      message = diag.str();
    return success();
  });
  if (failed(work()))
    return makeError("{0}", message.empty() ? "a pass failed" : message);
  return llvm::Error::success();
}

/// How much longer `op` takes in floats of four bytes than in integers of
/// one, with the conversions of what it reads and gives.
static double predictFloatSeconds(OperatorOp op) {
  auto count = [](ValueRange values) {
    int64_t elements = 0;
    for (Value value : values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        elements = addCounts(elements, countElements(type.getShape()));
    return elements;
  };
  OperatorCost integers, original, conversions;
  int64_t read = count(op.getInputs()), written = count(op->getResults());
  integers.integerMacs = op.countOperations().multiplyAccumulates;
  integers.operations = written;
  integers.readBytes = count(op->getOperands());
  integers.writtenBytes = written;
  original.floatMacs = integers.integerMacs;
  original.operations = written;
  original.readBytes = multiplyCounts(4, integers.readBytes);
  original.writtenBytes = multiplyCounts(4, written);
  conversions.operations = addCounts(read, written);
  conversions.readBytes = multiplyCounts(5, conversions.operations);
  return predictSeconds(original) + predictSeconds(conversions) -
         predictSeconds(integers);
}

static llvm::MapVector<Operation *, SimulatedOperator>
describeOperators(ModuleOp module) {
  TensorNames names(module);
  OperatorSelectors selectors(module, names);
  llvm::MapVector<Operation *, SimulatedOperator> result;
  for (auto &[op, selector] : selectors.getAll()) {
    auto operation = cast<OperatorOp>(op);
    result.insert({op, SimulatedOperator{
                           selector, operation.getKindName(),
                           predictFloatSeconds(operation),
                           operation.countOperations().multiplyAccumulates}});
  }
  return result;
}

/// The numbers of `original`, rounded to what integers of `element` stand for.
static std::optional<std::vector<float>> round(ArrayRef<float> original,
                                               quant::QuantizedType element) {
  std::vector<float> result(original.size());
  auto perTensor = dyn_cast<quant::UniformQuantizedType>(element);
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element);
  if (!perTensor && (!perAxis || perAxis.getQuantizedDimension() != 0))
    return std::nullopt;
  size_t rows = perAxis ? perAxis.getScales().size() : 1;
  size_t rowSize = rows ? original.size() / rows : 0;
  int64_t min = element.getStorageTypeMin(), max = element.getStorageTypeMax();
  for (auto [i, number] : llvm::enumerate(original)) {
    size_t row = perAxis ? i / rowSize : 0;
    double scale = perAxis ? perAxis.getScales()[row] : perTensor.getScale();
    int64_t zeroPoint =
        perAxis ? perAxis.getZeroPoints()[row] : perTensor.getZeroPoint();
    if (element.getStorageTypeIntegralWidth() <= 8) {
      result[i] = numerics::fakeQuantize(number, scale, zeroPoint, min, max);
      continue;
    }
    double integer = numerics::roundHalfToEven(double(number) / scale);
    result[i] = std::clamp(integer, double(min), double(max)) * scale;
  }
  return result;
}

static NamedArray makeArray(ArrayRef<int64_t> shape, ArrayRef<float> numbers) {
  NamedArray result{"", Array::zeros(arrays::ElementType::F32, shape)};
  llvm::copy(numbers, result.array.as<float>().begin());
  return result;
}

namespace {
/// Makes what is rounded in a converted module a matter of arguments.
class Switcher {
public:
  Switcher(func::FuncOp function,
           const llvm::MapVector<Operation *, unsigned> &numbers)
      : function(function), numbers(numbers) {}

  std::vector<Site> sites;
  std::vector<Parameter> parameters;
  llvm::MapVector<Type, llvm::SmallSetVector<unsigned, 4>> groups;

  void run() {
    for (auto [op, number] : numbers) {
      auto operation = cast<OperatorOp>(op);
      for (MutableOperandRange operands :
           {operation.getWeightMutable(), operation.getBiasMutable()})
        if (!operands.empty())
          addParameter(*operands.begin(), number);
    }
    SmallVector<DequantizeOp> values;
    function.walk<WalkOrder::PreOrder>([&](DequantizeOp op) {
      if (op.getInput().getDefiningOp<QuantizeOp>())
        values.push_back(op);
    });
    SmallVector<std::pair<linalg::GenericOp, int64_t>> choices;
    for (DequantizeOp op : values)
      addValue(op, choices);
    if (sites.empty())
      return;
    Type f32 = Float32Type::get(function.getContext());
    Value flags =
        addArgument(RankedTensorType::get({int64_t(sites.size())}, f32));
    for (auto [choice, site] : choices)
      choice.getInputsMutable().slice(2, 1).assign(flags);
  }

private:
  Value addArgument(RankedTensorType type) {
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, type, {}, function.getLoc());
    return function.getArgument(index);
  }

  void addParameter(OpOperand &operand, unsigned number) {
    auto dequantize = operand.get().getDefiningOp<DequantizeOp>();
    auto quantize = dequantize
                        ? dequantize.getInput().getDefiningOp<QuantizeOp>()
                        : QuantizeOp();
    auto original = quantize ? readFloats(quantize.getInput())
                             : std::optional<SmallVector<float, 0>>();
    if (!original)
      return;
    auto type = cast<RankedTensorType>(operand.get().getType());
    auto element = dyn_cast<quant::QuantizedType>(
        quantize.getOutput().getType().getElementType());
    auto rounded = element ? round(*original, element)
                           : std::optional<std::vector<float>>();
    if (!rounded)
      return;
    parameters.push_back({number, makeArray(type.getShape(), *original),
                          makeArray(type.getShape(), *rounded)});
    operand.set(addArgument(type));
    if (dequantize->use_empty())
      dequantize.erase();
    if (quantize->use_empty())
      quantize.erase();
  }

  /// The operator that gives `value`, before and after it is rounded.
  int64_t getProducer(Value value) {
    while (true) {
      Operation *op = value.getDefiningOp();
      if (auto dequantize = dyn_cast_or_null<DequantizeOp>(op))
        value = dequantize.getInput();
      else if (auto quantize = dyn_cast_or_null<QuantizeOp>(op))
        value = quantize.getInput();
      else if (auto choice = dyn_cast_or_null<linalg::GenericOp>(op);
               choice && chosen.contains(op))
        value = choice.getInputs()[1];
      else {
        auto it = op ? numbers.find(op) : numbers.end();
        return it == numbers.end() ? -1 : int64_t(it->second);
      }
    }
  }

  void addValue(DequantizeOp op,
                SmallVectorImpl<std::pair<linalg::GenericOp, int64_t>> &all) {
    auto quantize = op.getInput().getDefiningOp<QuantizeOp>();
    int64_t producer = getProducer(quantize.getInput());
    // What reads it, by the number of the operator.
    std::map<int64_t, SmallVector<OpOperand *>> users;
    for (OpOperand &use : op.getOutput().getUses()) {
      auto it = numbers.find(use.getOwner());
      users[it == numbers.end() ? -1 : int64_t(it->second)].push_back(&use);
    }
    auto &group = groups[quantize.getOutput().getType().getElementType()];
    if (producer >= 0)
      group.insert(producer);
    for (auto &[user, uses] : users) {
      if (user >= 0)
        group.insert(user);
      linalg::GenericOp choice =
          createChoice(op, quantize.getInput(), sites.size());
      chosen.insert(choice);
      all.push_back({choice, int64_t(sites.size())});
      sites.push_back({producer, user});
      for (OpOperand *use : uses)
        use->set(choice.getResult(0));
    }
  }

  /// flags[site] != 0 ? rounded : original; the flags come later.
  linalg::GenericOp createChoice(DequantizeOp rounded, Value original,
                                 int64_t site) {
    ImplicitLocOpBuilder b(rounded.getLoc(), rounded.getContext());
    b.setInsertionPointAfter(rounded);
    auto type = cast<RankedTensorType>(rounded.getOutput().getType());
    int64_t rank = type.getRank();
    Value empty = tensor::EmptyOp::create(
        b, type, tensor::createDynamicDimValues(b, b.getLoc(), original));
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<AffineMap> maps = {
        identity, identity,
        AffineMap::get(rank, 0, b.getAffineConstantExpr(site)), identity};
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
        b, type, ValueRange{rounded.getOutput(), original, original}, empty,
        maps, loops, [](OpBuilder &builder, Location loc, ValueRange args) {
          ImplicitLocOpBuilder b(loc, builder);
          Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
          Value isOn = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                             args[2], zero);
          Value result = arith::SelectOp::create(b, isOn, args[0], args[1]);
          linalg::YieldOp::create(b, result);
        });
  }

  func::FuncOp function;
  const llvm::MapVector<Operation *, unsigned> &numbers;
  llvm::SmallPtrSet<Operation *, 32> chosen;
};
} // namespace

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// All samples for `function`, in memory: each run takes them again.
static llvm::Expected<std::vector<NamedArray>>
readSamples(func::FuncOp function, ArrayRef<bool> fixed, StringRef path,
            int64_t limit) {
  auto source = arrays::SampleSource::open(path, function.getName(),
                                           getSampleArguments(function, fixed));
  if (!source)
    return source.takeError();
  std::vector<NamedArray> result;
  for (int64_t done = 0; limit < 0 || done < limit;) {
    int64_t block = limit < 0 ? 64 : std::min<int64_t>(64, limit - done);
    auto part = (*source)->read(block);
    if (!part)
      return part.takeError();
    int64_t count = 0;
    for (auto [i, named] : llvm::enumerate(*part)) {
      if (!fixed[i])
        count = named.array.shape.empty() ? 0 : named.array.shape[0];
      if (result.size() <= i)
        result.push_back(named);
      else if (!fixed[i]) {
        result[i].array.shape[0] += named.array.shape[0];
        result[i].array.data.insert(result[i].array.data.end(),
                                    named.array.data.begin(),
                                    named.array.data.end());
      }
    }
    if (count == 0)
      break;
    done += count;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Simulation>>
Simulation::create(ModuleOp original, const NetworkOptions &options) {
  MLIRContext *context = original.getContext();
  OwningOpRef<ModuleOp> module(original.clone());
  llvm::MapVector<Operation *, unsigned> numbers;
  std::vector<SimulatedOperator> operators;
  llvm::Error error = runQuietly(context, [&]() -> LogicalResult {
    PassManager prepare(context);
    PreparePipelineOptions prepareOptions;
    prepareOptions.backend = options.backend;
    prepareOptions.qconfig = options.qconfig;
    prepareOptions.entry = options.calibration.entry;
    addPreparePipeline(prepare, prepareOptions);
    if (failed(prepare.run(*module)) ||
        failed(calibrate(*module, options.calibration)))
      return failure();
    auto described = describeOperators(*module);
    PassManager convert(context);
    ConvertPassOptions convertOptions;
    convertOptions.backend = options.backend;
    convertOptions.foldWeights = false;
    convert.addPass(createConvertPass(convertOptions));
    if (failed(convert.run(*module)))
      return failure();
    auto function = findEntry(*module, options.calibration.entry);
    if (!function)
      return emitError(module->getLoc())
             << llvm::toString(function.takeError());
    module->walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      if (op.getQconfig() &&
          getQuantizationMode(*op.getQconfig()) == QuantizationMode::Static &&
          op->getParentOp() == function->getOperation()) {
        numbers.insert({op, operators.size()});
        operators.push_back(described.lookup(op));
      }
      return WalkResult::skip();
    });
    return success();
  });
  if (error)
    return error;
  auto function = findEntry(*module, options.calibration.entry);
  if (!function)
    return function.takeError();
  auto impl = std::make_unique<Impl>();
  auto fixed =
      findFixedArguments(*function, options.calibration.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  auto samples = readSamples(*function, *fixed, options.data, options.samples);
  if (!samples)
    return samples.takeError();
  impl->samples = std::move(*samples);

  Switcher switcher(*function, numbers);
  switcher.run();
  impl->sites = std::move(switcher.sites);
  impl->parameters = std::move(switcher.parameters);
  auto labels = evaluation::readLabels(options.labels, options.samples);
  if (!labels)
    return labels.takeError();
  impl->labels = std::move(*labels);
  std::string code;
  llvm::raw_string_ostream(code) << **module;
  auto executable = compileModule(*module, function->getName());
  if (!executable)
    return executable.takeError();
  impl->executable = std::move(*executable);
  auto scale = parseInputScale(options.calibration.inputScale);
  if (!scale)
    return scale.takeError();
  impl->run.inputScale = *scale;
  impl->run.requireScale = options.calibration.inputScale.empty();
  impl->run.threads = options.calibration.threads;
  impl->run.fixed = std::move(*fixed);
  impl->run.fixed.resize(impl->executable->getInputs().size(), true);

  std::unique_ptr<Simulation> result(new Simulation(std::move(impl)));
  result->operators = std::move(operators);
  for (auto &[type, group] : switcher.groups)
    result->groups.push_back(llvm::to_vector(group));
  auto outputs = result->run(llvm::BitVector(result->operators.size()));
  if (!outputs)
    return outputs.takeError();
  result->impl->original = std::move(*outputs);
  llvm::raw_string_ostream content(code);
  for (const NamedArray &output : result->impl->original)
    content << " " << llvm::xxh3_64bits(output.array.data);
  for (const Parameter &parameter : result->impl->parameters)
    content << " " << llvm::xxh3_64bits(parameter.quantized.array.data);
  llvm::interleave(result->impl->labels, content, " ");
  result->fingerprint = llvm::utohexstr(llvm::xxh3_64bits(code));
  return result;
}

llvm::Expected<std::vector<NamedArray>>
Simulation::run(const llvm::BitVector &quantized) {
  std::vector<const NamedArray *> arguments;
  for (const NamedArray &array : impl->samples)
    arguments.push_back(&array);
  for (const Parameter &parameter : impl->parameters)
    arguments.push_back(quantized[parameter.operation] ? &parameter.quantized
                                                       : &parameter.original);
  std::vector<float> on;
  for (const Site &site : impl->sites)
    on.push_back((site.producer >= 0 && quantized[site.producer]) ||
                 (site.user >= 0 && quantized[site.user]));
  NamedArray flags = makeArray({int64_t(on.size())}, on);
  if (!on.empty())
    arguments.push_back(&flags);
  std::vector<NamedArray> outputs;
  auto source = arrays::SampleSource::create(arguments, impl->run.fixed);
  llvm::Error error = runtime::runSamples(
      *impl->executable, *source,
      [&](int64_t, int64_t, ArrayRef<Array> results) -> llvm::Error {
        appendResults(results, outputs);
        return llvm::Error::success();
      },
      impl->run);
  if (error)
    return error;
  return outputs;
}

llvm::Expected<Score> Simulation::score(const llvm::BitVector &quantized,
                                        SampleSet set) {
  auto outputs = run(quantized);
  if (!outputs)
    return outputs.takeError();
  return getScore(impl->original, *outputs, impl->labels, countSamples(), set);
}

int64_t Simulation::countSamples() const {
  for (auto [sample, isFixed] : llvm::zip(impl->samples, impl->run.fixed))
    if (!isFixed && !sample.array.shape.empty())
      return sample.array.shape[0];
  return 0;
}
