// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns that never match, or say what nobody reads.

#include "Describe.h"
#include "Findings.h"

#include "qbackend/Backends/TorchNames.h"
#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Transforms/Analysis/Patterns.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::inspection;

//===----------------------------------------------------------------------===//
// Shadows
//===----------------------------------------------------------------------===//

static bool isSameNumber(Attribute a, Attribute b) {
  return isa<IntegerAttr, FloatAttr>(a) && isa<IntegerAttr, FloatAttr>(b) &&
         stringify(a) == stringify(b);
}

/// True if `general` matches whatever `special` matches.
static bool covers(Attribute general, Attribute special) {
  if (isa<UnitAttr>(general))
    return true;
  auto a = dyn_cast<PatternNodeAttr>(general);
  auto b = dyn_cast<PatternNodeAttr>(special);
  if (!a || !b)
    return isSameNumber(general, special);
  if (a.getName() != b.getName())
    return false;
  if (a.getOperands().empty())
    return true;
  // Without operands, any are meant; as many as the kind takes.
  if (b.getOperands().empty())
    return llvm::all_of(a.getOperands(), llvm::IsaPred<UnitAttr>) &&
           getNumArguments(a.getName()) == a.getOperands().size();
  return a.getOperands().size() == b.getOperands().size() &&
         llvm::all_of_zip(a.getOperands(), b.getOperands(), covers);
}

/// True if `first` is tried before `second`, of the same last operator. Those
/// that become one operator have a round of their own before all others.
static bool isTriedBefore(PatternConfigOp first, PatternConfigOp second,
                          ArrayRef<PatternConfigOp> order) {
  if (first.isFusion() != second.isFusion())
    return first.isFusion();
  return llvm::find(order, first) < llvm::find(order, second);
}

/// Several operators: an earlier pattern that takes all matches.
static void checkShadows(BackendConfigOp backend, Findings &findings) {
  PatternTable table(backend);
  for (PatternConfigOp pattern : getPatterns(backend)) {
    ArrayRef<PatternConfigOp> order =
        table.getFusions(pattern.getKinds().back());
    if (!llvm::is_contained(order, pattern))
      continue;
    auto isShadow = [&](PatternConfigOp other) {
      return other != pattern && isTriedBefore(other, pattern, order) &&
             covers(other.getTree(), pattern.getTree());
    };
    // Other spellings of the same operators are for PyTorch to tell apart.
    if (llvm::any_of(order, [&](PatternConfigOp other) {
          return other.getTree() == pattern.getTree() && isShadow(other);
        }))
      continue;
    const auto *shadow = llvm::find_if(order, isShadow);
    if (shadow == order.end())
      continue;
    PatternConfigOp first = *shadow;
    findings.warn(
        pattern,
        "pattern " + stringifyPattern(pattern.getPattern()) +
            " never matches: " + stringifyPattern(first.getPattern()) +
            " is tried first and matches the same operators",
        "remove one of the two, or make the other one narrower");
  }
}

/// The same operators with the same spelling, in two forms: [a, b] and b(a).
static void checkRepetitions(BackendConfigOp backend, Findings &findings) {
  using Key = std::tuple<Attribute, Attribute>;
  llvm::DenseMap<Key, PatternConfigOp> seen;
  for (PatternConfigOp pattern : getPatterns(backend)) {
    Attribute tree = pattern.getTree();
    // One operator is looked up by its kind, whatever its operands are.
    if (pattern.getKinds().size() == 1)
      tree = pattern.getTree().getName();
    auto [it, inserted] =
        seen.insert({{tree, pattern.getConfig().getTorch()}, pattern});
    if (!inserted)
      findings.warn(
          pattern,
          "pattern " + stringifyPattern(pattern.getPattern()) +
              " never matches: " + stringifyPattern(it->second.getPattern()) +
              " comes first and is the same operators",
          "give one of the two all dtypes, or another 'torch'");
  }
}

//===----------------------------------------------------------------------===//
// Kinds and fields
//===----------------------------------------------------------------------===//

/// Says of the name of an op that there is no such op: PyTorch's name for a
/// kind, or one that its dialect doesn't have.
static void checkOpName(StringRef name, PatternConfigOp pattern,
                        Findings &findings) {
  std::string kind;
  for (ArrayRef<StringRef> kinds : getKindsOfTorchName(name))
    // What has no other name is its own.
    if (kinds != ArrayRef(name))
      kind += (kind.empty() ? "" : " or ") + llvm::join(kinds, ", ");
  if (!kind.empty() || name.starts_with("torch.nn.")) {
    if (kind.empty())
      kind = "one of " +
             listNearest(name.rsplit('.').second.lower(), getDialectKinds());
    findings.warn(pattern,
                  "\"" + name +
                      "\" never matches: it is PyTorch's name, not that of an "
                      "op of a dialect",
                  "write " + kind + ", and what PyTorch calls it in 'torch'");
    return;
  }
  MLIRContext *context = pattern.getContext();
  StringRef dialect = name.split('.').first;
  if (!llvm::is_contained(context->getAvailableDialects(), dialect))
    return;
  context->getOrLoadDialect(dialect);
  if (!RegisteredOperationName::lookup(name, context))
    findings.warn(pattern,
                  "\"" + name + "\" never matches: dialect '" + dialect +
                      "' has no such op",
                  "write the full name of an op that there is");
}

/// Patterns that wait for a kind that nothing makes, each kind once.
static void checkKinds(BackendConfigOp backend, Findings &findings) {
  llvm::MapVector<StringRef, SmallVector<PatternConfigOp>> missing;
  llvm::SmallSetVector<StringRef, 4> ops;
  for (PatternConfigOp pattern : getPatterns(backend))
    for (StringRef kind : llvm::SmallSetVector<StringRef, 4>(
             llvm::from_range, pattern.getKinds()))
      if (!isProduced(kind))
        missing[kind].push_back(pattern);
      else if (kind.contains('.') && ops.insert(kind))
        checkOpName(kind, pattern, findings);
  for (auto &[kind, patterns] : missing) {
    std::string what =
        ("kind '" + kind + "' stays data: no code is raised to it").str();
    if (llvm::is_contained(getTorchKinds(), kind))
      findings.note(
          patterns.front(),
          what + "; patterns that wait for it: " + Twine(patterns.size()),
          "nothing to change, it is kept for PyTorch");
    else
      findings.warn(patterns.front(), what,
                    "the nearest kinds are " +
                        listNearest(kind, getDialectKinds()) +
                        "; an op of another dialect has its full name");
  }
}

/// Limits of kinds that the backend quantizes nothing of.
static void checkLimits(BackendConfigOp backend, Findings &findings) {
  SmallVector<StringRef> known;
  for (PatternConfigOp pattern : getPatterns(backend))
    llvm::append_range(known, pattern.getKinds());
  for (LimitOp limit : backend.getBody().front().getOps<LimitOp>())
    for (StringRef kind : limit.getKinds().getAsValueRange<StringAttr>())
      if (!llvm::is_contained(known, kind))
        findings.warn(limit,
                      "the limit is of '" + kind +
                          "', which no pattern of the backend has",
                      "the nearest kinds of its patterns are " +
                          listNearest(kind, known));
}

/// PyTorch's functions that make several operators one, without the module that
/// they are in or the arguments that they are given.
static bool isKnownFuserMethod(StringRef name) {
  name = name.take_until([](char c) { return c == '('; });
  if (size_t dot = name.rfind('.'); dot != StringRef::npos)
    name = name.drop_front(dot + 1);
  static constexpr StringRef known[] = {"sequential_wrapper2",
                                        "fuse_conv_bn",
                                        "fuse_conv_bn_relu",
                                        "fuse_convtranspose_bn",
                                        "fuse_linear_bn",
                                        "fuse_linear_bn_leaky_relu",
                                        "fuse_conv_add_left",
                                        "fuse_conv_add_right",
                                        "fuse_conv_add_relu_left",
                                        "fuse_conv_add_relu_right",
                                        "fuse_conv_bn_add_left",
                                        "fuse_conv_bn_add_right",
                                        "fuse_conv_bn_add_relu_left",
                                        "fuse_conv_bn_add_relu_right"};
  return llvm::is_contained(known, name);
}

static void checkFields(PatternConfigOp pattern, Findings &findings) {
  PatternAttr config = pattern.getConfig();
  std::string text = "pattern " + stringifyPattern(pattern.getPattern());
  if (StringAttr method = config.getFuserMethod();
      method && !config.getFusedOperator() &&
      !isKnownFuserMethod(method.getValue()))
    findings.warn(pattern,
                  text + " has the fuser_method \"" + method.getValue() +
                      "\", which is not known: the operators are joined as "
                      "they are",
                  "say with 'fused_operator' which of them stay");
  auto rootNode = cast<PatternNodeAttr>(
      pattern.getTree().getElement(pattern.getRootPath()));
  if (getNumArguments(rootNode.getName()) == 2) {
    // A matmul has two tensors; the second operand of others may be a number.
    SmallVector<unsigned> counts = {1, 2};
    if (rootNode.getName() == "matmul")
      counts = {2};
    for (unsigned count : counts)
      if (!config.getObservationFor(count))
        findings.warn(pattern,
                      text + " has no entry for " + Twine(count) +
                          (count == 1 ? " tensor" : " tensors") +
                          " in num_tensor_args_to_observation_type: " +
                          rootNode.getName().getValue() +
                          " with that many stays float",
                      "add \"" + Twine(count) +
                          "\" = \"output_use_different_observer_as_input\"");
  }
  llvm::SmallDenseMap<int64_t, StringRef> roles;
  if (DictionaryAttr indices = config.getInputTypeToIndex())
    for (NamedAttribute entry : indices) {
      int64_t index = cast<IntegerAttr>(entry.getValue()).getInt();
      auto [it, inserted] = roles.insert({index, entry.getName().getValue()});
      if (!inserted)
        findings.warn(pattern,
                      text + " has the " + it->second + " and the " +
                          entry.getName().getValue() + " at index " +
                          Twine(index) + " in input_type_to_index",
                      "give each its own index");
    }
}

void inspection::checkPatterns(BackendConfigOp backend, Findings &findings) {
  checkShadows(backend, findings);
  checkRepetitions(backend, findings);
  checkKinds(backend, findings);
  checkLimits(backend, findings);
  for (PatternConfigOp pattern : getPatterns(backend))
    checkFields(pattern, findings);
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// The function that `pattern` names; null if there is none.
static FunctionOpInterface getReference(PatternConfigOp pattern) {
  FlatSymbolRefAttr name = pattern.getConfig().getReference();
  Operation *file = pattern->getParentOp()->getParentOp();
  if (!name || !file)
    return {};
  return dyn_cast_or_null<FunctionOpInterface>(
      SymbolTable::lookupNearestSymbolFrom(file, name));
}

/// How many inputs an operator of `pattern` has; nullopt if that varies.
static std::optional<unsigned> getMaxInputs(PatternConfigOp pattern) {
  auto root = cast<PatternNodeAttr>(
      pattern.getTree().getElement(pattern.getRootPath()));
  std::optional<unsigned> arguments = getNumArguments(root.getName());
  if (!root.getOperands().empty())
    arguments = root.getOperands().size();
  // The second operand of what is not the root is an input, too.
  if (isa<ArrayAttr>(pattern.getPattern()) && pattern.getKinds().size() > 1)
    return std::nullopt;
  if (!arguments)
    return std::nullopt;
  return *arguments + pattern.getExtraInputPaths().size();
}

/// The types that `role` has in the dtype configs of `pattern`, as a function
/// has them: integers without a sign.
static SmallVector<Type> getStorageTypes(PatternConfigOp pattern,
                                         StringRef role) {
  llvm::SmallSetVector<Type, 2> types;
  Builder builder(pattern.getContext());
  for (auto config :
       pattern.getConfig().getDtypes().getAsRange<DTypeConfigAttr>()) {
    DTypeAttr dtype = role == "output"   ? config.getOutput()
                      : role == "weight" ? config.getWeight()
                                         : config.getInput();
    auto integer =
        dtype ? dyn_cast<IntegerType>(dtype.getDtype()) : IntegerType();
    if (integer)
      types.insert(builder.getIntegerType(integer.getWidth()));
  }
  // Of a backend that adds it as a float, it is no integer.
  if (role == "bias") {
    if (cast<BackendConfigOp>(pattern->getParentOp()).getRealBias())
      return {builder.getF32Type()};
    types.insert(builder.getI32Type());
  }
  return types.takeVector();
}

/// Says that `what`, which is `role` and has `type`, is no tensor of the
/// integers that the pattern computes on.
static void checkStorage(PatternConfigOp pattern, StringRef role, Type type,
                         const Twine &what, Findings &findings) {
  SmallVector<Type> expected = getStorageTypes(pattern, role);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (expected.empty() ||
      (tensor && llvm::is_contained(expected, tensor.getElementType())))
    return;
  std::string types, found;
  llvm::raw_string_ostream os(types);
  llvm::interleave(expected, os, " or ");
  llvm::raw_string_ostream(found) << type;
  findings.error(pattern, what + " is " + found,
                 "make it a tensor of " + types +
                     (expected.front().isF32()
                          ? ", as the backend has 'real_bias'"
                          : ", the integers of the pattern's dtypes"));
}

void inspection::checkReferences(BackendConfigOp backend, Findings &findings) {
  for (PatternConfigOp pattern : getPatterns(backend)) {
    FunctionOpInterface function = getReference(pattern);
    if (!function)
      continue;
    std::string name = "reference @" + function.getName().str();
    if (function.getNumResults() != 1)
      findings.error(pattern,
                     name + " has " + Twine(function.getNumResults()) +
                         " results",
                     "return one tensor, the output");
    else
      checkStorage(pattern, "output", function.getResultTypes().front(),
                   "the result of " + name, findings);
    std::optional<unsigned> inputs = getMaxInputs(pattern);
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      std::string argument = "argument " + std::to_string(i) + " of " + name;
      auto attr = function.getArgAttrOfType<StringAttr>(i, kRoleAttrName);
      if (!attr) {
        findings.error(pattern, argument + " has no " + kRoleAttrName,
                       "say what it is: {" + kRoleAttrName +
                           " = \"input0\"}, \"weight\", \"bias\", or one of "
                           "them or \"output\" with .scale or .zero_point, or "
                           "\"attribute.NAME\"");
        continue;
      }
      auto [role, parameter] = attr.getValue().split('.');
      if (parameter.empty())
        checkStorage(pattern, role, function.getArgumentTypes()[i], argument,
                     findings);
      if ((role == "weight" || role == "bias") && !hasWeight(pattern))
        findings.error(pattern,
                       argument + " is the " + role + ", which " +
                           stringifyPattern(pattern.getPattern()) +
                           " doesn't have",
                       "remove the argument, or say where an op of another "
                       "dialect has it with 'input_type_to_index'");
      unsigned index;
      if (role.consume_front("input") && !role.getAsInteger(10, index) &&
          inputs && index >= *inputs)
        findings.error(pattern,
                       argument + " is input " + Twine(index) + ", but " +
                           stringifyPattern(pattern.getPattern()) + " has " +
                           Twine(*inputs),
                       "inputs count from 0: those of the root, then "
                       "'extra_inputs'");
    }
  }
}
