// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are observed by what: PyTorch FX's rules, but for sharing, which
// is a union-find to a fixed point as in PT2E: an operator whose output shares
// its input's observer always ends up with one observer on all of them.
// `sharing=fx` is FX's own way, which gives each site in turn another observer
// and leaves those before it as they are. A pattern with `edges` has PT2E's
// rules: an observer for each edge and result by its spec, and one for those of
// one value whose numbers are equal.

#include "Observe/ObserverInserter.h"

#include "Observe/EdgeSpecs.h"
#include "Observe/QuantizedSignature.h"

#include "qbackend/Dialect/QBackend/QuantizedFields.h"
#include "qbackend/Support/Places.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace qbackend;

/// The value that `value` is in another layout.
static Value getUnpermuted(Value value) {
  while (auto transpose = value.getDefiningOp<TransposeOp>())
    value = transpose.getInput();
  return value;
}

bool ObserverInserter::canVisit(OperatorOp op, const Decision &decision) {
  return decision.qconfig.getActivation().getKind() !=
             ObserverKind::ReuseInput ||
         decision.quantized.getObservation() ==
             ObservationType::InputOutputNotObserved ||
         llvm::all_of(op.getInputs(), [&](Value input) {
           return !byValue.lookup(getUnpermuted(input)).empty();
         });
}

std::string ObserverInserter::whyNothingToShare(OperatorOp op,
                                                const Decision &decision) {
  EdgesAttr edges = decision.edges;
  PatternConfigOp pattern = decision.pattern;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    SpecAttr spec = edges.getInput(i);
    if (!spec || !spec.isSharedWithProducer())
      continue;
    std::string what =
        "its pattern shares the observer of what gives its input " +
        std::to_string(i);
    std::optional<unsigned> result = findResult(input, decision.place);
    if (!result && spec.getKind() == SpecKind::Shared)
      return what + ", which has none";
    // That may be of another backend, or of another qconfig.
    std::string reason =
        result ? whyUnsupported(pattern.getConfig(),
                                QConfigAttr::get(op.getContext(),
                                                 getConfig(*result),
                                                 decision.qconfig.getWeight()),
                                bool(op.getWeight()), bool(op.getBias()))
               : "";
    if (!reason.empty())
      return what + ", which it doesn't support: " + reason;
  }
  std::optional<unsigned> input =
      edges.getOutput() ? edges.getOutput().getSharedInput() : std::nullopt;
  if (input && *input >= op.getInputs().size())
    return "its pattern shares the observer of input " +
           std::to_string(*input) + ", which it doesn't have";
  return "";
}

void ObserverInserter::visit(OperatorOp op, const Decision &decision) {
  ObserverAttr activation = decision.qconfig.getActivation();
  ObservationType observation = decision.quantized.getObservation();
  if (observation == ObservationType::InputOutputNotObserved)
    return;
  place = decision.place;
  if (decision.edges)
    return visitEdges(op, decision);
  if (observation == ObservationType::OutputShareObserverWithInput &&
      (isPartOfOther(op) || isCounted(op))) {
    unsigned input = observeInput(op.getInputsMutable()[0], activation);
    observations[input].moved.push_back(op.getOutput());
    byValue[op.getOutput()].push_back(input);
    return;
  }
  SmallVector<unsigned> inputs;
  for (OpOperand &operand : op.getInputsMutable()) {
    // Fixed parameters of the result are FX's for the input, too, unless that
    // is observed already, as what a movement gives.
    std::optional<unsigned> result = findResult(operand.get(), decision.place);
    int64_t count =
        moves.count(result ? observations[*result].value : operand.get());
    bool isFixed = sharing == Sharing::FX && count == 1;
    if (sharing == Sharing::FX && count > 1 &&
        activation != decision.activation && !result)
      remarkAnalysis(op, "QB128", op.getKindName(),
                     "its input '" + names.lookup(operand.get()).name +
                         "' is " + Twine(count) +
                         " values of the network, moved, with one observer; "
                         "the one that FX quantizes may have the fixed "
                         "parameters of the result",
                     "leave sharing=fx out");
    inputs.push_back(
        observeInput(operand, isFixed ? activation : decision.activation));
  }
  unsigned output = add(op.getOutput(), activation, /*isOutput=*/true);
  if (observation != ObservationType::OutputShareObserverWithInput ||
      (sharing == Sharing::FX && isQuantizedArgument(op.getInputs()[0])))
    return;
  // The elements of a list; other operators have one tensor.
  if (sharing == Sharing::FX && isa<CatAttr>(op.getKind()))
    for (unsigned input : ArrayRef(inputs).drop_front()) {
      remarkJoined(op, input, inputs.front());
      observers[input] = observers[inputs.front()];
    }
  observers[output] = observers[inputs.front()];
  if (sharing == Sharing::FX)
    passedOn.push_back({op, inputs.front(), output});
  for (unsigned input : inputs)
    shared.push_back({inputs.front(), input});
  // A function of the input and a number has a range of its own.
  if (sharing == Sharing::Groups && op.getKind().getSecondNumber() &&
      !op.isFused()) {
    scaled.push_back({op, inputs.front(), output});
    return;
  }
  shared.push_back({inputs.front(), output});
  derived.insert(output);
}

void ObserverInserter::visitEdges(OperatorOp op, const Decision &decision) {
  EdgesAttr edges = decision.edges;
  SpecAttr output = edges.getOutput();
  if (decision.quantized.getObservation() ==
          ObservationType::OutputShareObserverWithInput &&
      (isPartOfOther(op) || isCounted(op))) {
    unsigned input = observeEdge(op.getInputsMutable()[0], edges.getInput(0),
                                 {}, decision.activation);
    observations[input].moved.push_back(op.getOutput());
    byValue[op.getOutput()].push_back(input);
    return;
  }
  SmallVector<std::optional<unsigned>> inputs;
  for (auto [i, operand] : llvm::enumerate(op.getInputsMutable())) {
    SpecAttr spec = edges.getInput(i);
    inputs.push_back(spec ? std::optional<unsigned>(observeEdge(
                                operand, spec, inputs, decision.activation))
                          : std::nullopt);
  }
  if (!output || !output.isObserved())
    return;
  unsigned added =
      add(op.getOutput(), decision.qconfig.getActivation(), /*isOutput=*/true);
  if (std::optional<unsigned> input = output.getSharedInput()) {
    share(*inputs[*input], added);
    derived.insert(added);
  }
}

unsigned ObserverInserter::observeEdge(OpOperand &operand, SpecAttr spec,
                                       ArrayRef<std::optional<unsigned>> inputs,
                                       ObserverAttr activation) {
  std::optional<unsigned> with;
  if (std::optional<unsigned> input = spec.getSharedInput())
    with = inputs[*input];
  else if (spec.isSharedWithProducer())
    with = findResult(operand.get(), place);
  ObserverAttr config = with ? getConfig(*with) : getObserver(spec, activation);
  for (unsigned known : byValue[getUnpermuted(operand.get())])
    if (known == with || haveSameNumbers(getConfig(known), config)) {
      read(operand, observations[known]);
      if (with && known != *with)
        share(*with, known);
      return known;
    }
  unsigned added = add(operand.get(), config, /*isOutput=*/false);
  observations[added].users.push_back(&operand);
  if (with)
    share(*with, added);
  return added;
}

std::optional<unsigned> ObserverInserter::findResult(Value value,
                                                     unsigned place) {
  for (unsigned known : byValue.lookup(getUnpermuted(value)))
    if (const Observation &each = observations[known];
        each.place <= place &&
        (each.isOutput || llvm::is_contained(each.moved, getUnpermuted(value))))
      return known;
  return std::nullopt;
}

unsigned ObserverInserter::getRoot(unsigned i) const {
  for (auto it = sharesWith.find(i); it != sharesWith.end();
       it = sharesWith.find(i))
    i = it->second;
  return i;
}

void ObserverInserter::share(unsigned i, unsigned other) {
  shared.push_back({i, other});
  unsigned root = getRoot(i), otherRoot = getRoot(other);
  if (root != otherRoot)
    sharesWith[otherRoot] = root;
}

void ObserverInserter::read(OpOperand &operand, Observation &observation) {
  if (observation.value == operand.get())
    observation.users.push_back(&operand);
  else if (getUnpermuted(observation.value) == getUnpermuted(operand.get()))
    observation.layouts.push_back(&operand);
}

void ObserverInserter::insert() {
  if (sharing == Sharing::Groups)
    joinGroups();
  for (unsigned i = 0; i < observations.size(); ++i)
    remarkClipped(i);
  // Symbols in the order of the values; one for each observer.
  llvm::SmallDenseMap<unsigned, FlatSymbolRefAttr> symbols;
  SymbolTable table(module);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (auto [i, observation] : llvm::enumerate(observations)) {
    FlatSymbolRefAttr &symbol = symbols[observers[i]];
    if (!symbol) {
      auto observer =
          ObserverOp::create(builder, observation.value.getLoc(),
                             names.lookup(observation.value).name,
                             observations[observers[i]].config, FloatAttr(),
                             FloatAttr(), FloatAttr(), IntegerAttr());
      table.insert(observer, builder.getInsertionPoint());
      symbol = FlatSymbolRefAttr::get(observer.getSymNameAttr());
    }
    insertObserve(observation, symbol);
  }
  observeAtDefinitions();
  placeUpdates();
  if (sharing == Sharing::FX)
    remarkDifferences();
}

void ObserverInserter::observeAtDefinitions() {
  // A layout is made where it is read; what is observed is the value.
  auto move = [](ObserveOp observe, Block *block, Block::iterator place) {
    observe->moveBefore(block, place);
    Operation *user = observe;
    for (Operation *op;
         (op = user->getOperand(0).getDefiningOp()) && isa<TransposeOp>(op);
         user = op)
      op->moveBefore(user);
  };
  SmallVector<std::pair<unsigned, ObserveOp>> arguments;
  SmallVector<std::pair<Operation *, ObserveOp>> others;
  module.walk([&](ObserveOp observe) {
    if (getSourceValues(observe) == 0)
      return;
    Value value = getUnpermuted(observe.getInput());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (isa<func::FuncOp>(observe->getParentOp()) &&
          argument.getOwner() == observe->getBlock())
        arguments.emplace_back(argument.getArgNumber(), observe);
    } else if (Operation *op = value.getDefiningOp();
               !isa<OperatorOp>(op) && !op->hasTrait<OpTrait::ConstantLike>() &&
               op->getBlock() == observe->getBlock()) {
      others.emplace_back(op, observe);
    }
  });
  for (auto [op, observe] : llvm::reverse(others))
    move(observe, op->getBlock(), std::next(op->getIterator()));
  llvm::stable_sort(arguments, llvm::less_first());
  for (auto [number, observe] : llvm::reverse(arguments)) {
    Block *entry = observe->getBlock();
    move(observe, entry, entry->begin());
  }
}

void ObserverInserter::placeUpdates() {
  // What each observer sees of the network: a number that grows in the order of
  // the code, and of movements behind that their own.
  using Place = std::pair<int64_t, int64_t>;
  struct Site {
    ObserveOp observe;
    SmallVector<Place> values;
  };
  llvm::MapVector<Attribute, SmallVector<Site>> seen;
  llvm::DenseMap<Value, int64_t> lastOf;
  int64_t number = 0;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ++number;
    for (Value result : op->getResults())
      lastOf[result] = number;
    auto observe = dyn_cast<ObserveOp>(op);
    if (!observe || getSourceValues(observe) == 0)
      return;
    lastOf[TensorNames::getTensor(observe.getInput())] = number;
    seen[observe.getObserverAttr().getAttr()].push_back(
        {observe, {Place(number, -1)}});
  });
  for (auto &[symbol, sites] : seen) {
    for (Site &site : sites) {
      const Place own = site.values.front();
      ArrayRef<MovedValues::Place> moved =
          moves.getPlaces(TensorNames::getTensor(site.observe.getInput()));
      if (getSourceValues(site.observe) < int64_t(moved.size()))
        moved = {};
      // The value itself, unless that is counted elsewhere.
      site.values.assign(getSourceValues(site.observe) - moved.size(), own);
      for (const MovedValues::Place &move : moved) {
        int64_t last = own.first;
        if (move.before)
          last = std::max(last, lastOf.lookup(move.before));
        else
          for (Value argument :
               site.observe->getParentOfType<func::FuncOp>().getArguments())
            last = std::max(last, lastOf.lookup(argument));
        site.values.push_back({last, move.number});
      }
    }
    // From the end of the code: most values come before all that are known.
    SmallVector<Place> next;
    auto find = [&](const Place &value) {
      return llvm::upper_bound(next, value, std::greater<>());
    };
    for (Site &site : llvm::reverse(sites)) {
      SmallVector<int64_t> places;
      for (const Place &value : site.values)
        places.push_back(next.end() - find(value));
      if (llvm::any_of(places, [](int64_t place) { return place != 0; }))
        setSourcePlaces(site.observe, places);
      for (const Place &value : site.values)
        next.insert(find(value), value);
    }
  }
}

void ObserverInserter::remarkClipped(unsigned i) {
  const Observation &observation = observations[i];
  ObserverAttr config = observations[observers[i]].config;
  if (config.getKind() != ObserverKind::FixedQParams)
    return;
  bool isArgument = isa<BlockArgument>(observation.value);
  // What is made from what shares has no numbers but theirs.
  if (!isArgument && (observation.config == config || derived.contains(i)))
    return;
  Operation *place = observation.isOutput
                         ? observation.value.getDefiningOp()
                         : observation.users.front()->getOwner();
  auto op = dyn_cast<OperatorOp>(place);
  if (!op)
    return;
  if (observation.config == config)
    remarkAnalysis(op, "QB114", op.getKindName(),
                   "its argument has the fixed parameters of its qconfig, "
                   "which clip what they can't hold",
                   "give it an observer of its own, with another qconfig for "
                   "this operator");
  else
    remarkAnalysis(op, "QB114", op.getKindName(),
                   Twine(observation.isOutput ? "its result" : "its input") +
                       " shares the fixed parameters of other values, which "
                       "clip what they can't hold",
                   "keep the operator that joins them float, with the qconfig "
                   "none");
}

void ObserverInserter::remarkJoined(OperatorOp op, unsigned input,
                                    unsigned first) {
  Value value = observations[input].value;
  int64_t count = moves.count(value);
  if (observers[input] != observers[first] && count > 1)
    remarkAnalysis(op, "QB127", op.getKindName(),
                   "'" + names.lookup(value).name + "' is " + Twine(count) +
                       " values of the network, moved, which all get the "
                       "observer of the first input; FX gives it to the one "
                       "that is joined",
                   "leave sharing=fx out");
}

void ObserverInserter::remarkMoved(Value value) {
  if (moves.getPlaces(value).empty())
    return;
  Operation *reader = nullptr;
  SmallVector<Value> pending = {value};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers())
      if (isa<TransposeOp>(user))
        pending.push_back(user->getResult(0));
      else if (!isa<ObserveOp, tensor::DimOp>(user))
        reader = user;
  if (!reader)
    return;
  auto op = dyn_cast<OperatorOp>(reader);
  remarkAnalysis(reader, "QB128",
                 op ? op.getKindName() : reader->getName().getStringRef(),
                 "it reads '" + names.lookup(value).name +
                     "' in float, which the network moves; FX quantizes what "
                     "is moved",
                 "leave sharing=fx out");
}

void ObserverInserter::remarkDifferences() {
  for (const Shared &each : passedOn)
    if (observers[each.input] != observers[each.output])
      remarkAnalysis(each.op, "QB127", OperatorOp(each.op).getKindName(),
                     "FX gives its result another observer than its input "
                     "has, as one of them is joined with other values; "
                     "PyTorch's kernel passes the input's parameters on",
                     "leave sharing=fx out");
  for (auto [i, each] : llvm::enumerate(observations))
    if (each.isOutput && each.config.getKind() == ObserverKind::FixedQParams &&
        observations[observers[i]].config != each.config)
      remarkAnalysis(each.value.getDefiningOp(), "QB127",
                     OperatorOp(each.value.getDefiningOp()).getKindName(),
                     "FX gives its result the observer of what it is joined "
                     "with; PyTorch's kernel has its own, fixed parameters",
                     "leave sharing=fx out");
  for (auto function : module.getOps<func::FuncOp>())
    for (Block &block : function.getBody()) {
      llvm::for_each(block.getArguments(),
                     [&](Value value) { remarkMoved(value); });
      for (Operation &op : block)
        llvm::for_each(op.getResults(),
                       [&](Value value) { remarkMoved(value); });
    }
}

bool ObserverInserter::isCounted(OperatorOp op) {
  std::string name = getLocationName(op.getLoc());
  if (name.empty() || op.isFused() || !op.getKind().isShapeOnly())
    return false;
  Value root = op.getInputs()[0];
  while (auto move = TensorNames::getTensor(root).getDefiningOp<OperatorOp>()) {
    if (move.isFused() || !move.getKind().isShapeOnly())
      break;
    root = move.getInputs()[0];
  }
  return !moveNames
              .insert({TensorNames::getTensor(root),
                       StringAttr::get(op.getContext(), name)})
              .second;
}

unsigned ObserverInserter::add(Value value, ObserverAttr config,
                               bool isOutput) {
  unsigned added = observations.size();
  observations.push_back({value, config, place, {}, isOutput});
  observers.push_back(added);
  byValue[getUnpermuted(value)].push_back(added);
  return added;
}

void ObserverInserter::joinGroups() {
  llvm::IntEqClasses classes(observations.size());
  for (auto [a, b] : shared)
    classes.join(a, b);
  // Whoever reads x * 3 alone shares with x, too. Where it meets others (in
  // a concatenation), it has their observer, and x its own, as in FX.
  llvm::SmallDenseMap<unsigned, unsigned> sources;
  for (unsigned i = 0; i < observers.size(); ++i)
    if (!derived.contains(i))
      ++sources[classes.findLeader(i)];
  for (const Shared &each : scaled) {
    if (sources.lookup(classes.findLeader(each.output)) == 1) {
      shared.push_back({each.input, each.output});
      continue;
    }
    OperatorOp op(each.op);
    QuantizedFields fields(op.getQuantized());
    fields.observation = ObservationType::OutputUseDifferentObserverAsInput;
    op.setDecisionAttr(fields.get());
  }
  for (auto [a, b] : shared)
    classes.join(a, b);
  llvm::SmallDenseMap<unsigned, unsigned> fronts;
  for (auto [a, b] : shared)
    fronts.try_emplace(classes.findLeader(a), a);
  for (auto [i, observer] : llvm::enumerate(observers)) {
    auto front = fronts.find(classes.findLeader(i));
    observer = front == fronts.end() ? i : front->second;
  }
}

unsigned ObserverInserter::observeInput(OpOperand &operand,
                                        ObserverAttr config) {
  bool isQuantized = isQuantizedArgument(operand.get());
  Value value = getUnpermuted(operand.get());
  for (unsigned known : byValue[value]) {
    Observation &observation = observations[known];
    // What FX has joined with others has their observer by now.
    ObserverAttr given = observations[observers[known]].config;
    if (config.getKind() == ObserverKind::ReuseInput ||
        (given.getDtype() == config.getDtype() &&
         (observation.isOutput || isQuantized ||
          given.getKind() == config.getKind()))) {
      read(operand, observation);
      return known;
    }
  }
  unsigned added = add(operand.get(), config, /*isOutput=*/false);
  observations[added].users.push_back(&operand);
  return added;
}

void ObserverInserter::insertObserve(Observation &observation,
                                     FlatSymbolRefAttr symbol) {
  // An operand reads its producer's observer by now: it is observed again.
  Value value = observation.isOutput ? observation.value
                                     : observation.users.front()->get();
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto observe = ObserveOp::create(builder, observation.value.getLoc(),
                                   value.getType(), value, symbol);
  // What a pass has put in stands for none only where it has the observer of
  // its input (`moved`). Behind one that stays float, or for another dtype,
  // this is the first that sees the value.
  if (int64_t count = moves.count(observation.value); count != 1)
    setSourceValues(observe, count);
  if (observation.isOutput)
    value.replaceAllUsesExcept(observe.getOutput(), observe);
  else
    for (OpOperand *user : observation.users)
      user->set(observe.getOutput());
  auto observeAgain = [&](Value moved) {
    builder.setInsertionPointAfterValue(moved);
    auto again = ObserveOp::create(builder, moved.getLoc(), moved.getType(),
                                   moved, symbol);
    setSourceValues(again, 0);
    return again;
  };
  for (Value moved : observation.moved) {
    ObserveOp again = observeAgain(moved);
    // It is counted elsewhere; what moves it further isn't.
    setSourceValues(again, moves.count(moved) - 1);
    moved.replaceAllUsesExcept(again.getOutput(), again);
  }
  llvm::SmallDenseMap<Value, Value> layouts;
  for (OpOperand *user : observation.layouts) {
    Value &observed = layouts[user->get()];
    if (!observed)
      observed = observeAgain(user->get()).getOutput();
    user->set(observed);
  }
}
