// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of configurations: parsing, printing, verification.

#include "PatternNode.h"

#include "qbackend/Dialect/QBackend/Edges.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// [conv2d, relu], or relu(add(conv2d, _)).
static ParseResult parsePattern(OpAsmParser &parser, Attribute &pattern) {
  SmallVector<Attribute> elements;
  auto parseElement = [&]() -> ParseResult {
    FailureOr<StringAttr> name = qbackend::detail::parseOperatorName(parser);
    elements.push_back(name.value_or(StringAttr()));
    return failure(failed(name));
  };
  if (failed(parser.parseOptionalLSquare())) {
    FailureOr<PatternNodeAttr> node =
        qbackend::detail::parsePatternNode(parser);
    pattern = node.value_or(PatternNodeAttr());
    return failure(failed(node));
  }
  if (failed(parser.parseOptionalRSquare()) &&
      (parser.parseCommaSeparatedList(parseElement) || parser.parseRSquare()))
    return failure();
  pattern = parser.getBuilder().getArrayAttr(elements);
  return success();
}

static void printPattern(OpAsmPrinter &printer, Operation *,
                         Attribute pattern) {
  if (auto node = dyn_cast<PatternNodeAttr>(pattern))
    return qbackend::detail::printPatternNode(printer, node);
  printer << "[";
  llvm::interleaveComma(cast<ArrayAttr>(pattern).getAsValueRange<StringAttr>(),
                        printer, [&](StringRef name) {
                          qbackend::detail::printOperatorName(printer, name);
                        });
  printer << "]";
}

/// A list of forms, or, in version 1, the name of the usual one.
static ParseResult parseLowering(OpAsmParser &parser, ArrayAttr &lowering) {
  std::string form;
  if (failed(parser.parseOptionalString(&form)))
    return parser.parseAttribute(lowering);
  lowering = parser.getBuilder().getStrArrayAttr({StringRef(form)});
  return success();
}

static void printLowering(OpAsmPrinter &printer, Operation *,
                          ArrayAttr lowering) {
  printer << lowering;
}

/// `none`, or a qconfig.
static ParseResult parseQConfig(OpAsmParser &parser, QConfigAttr &config) {
  if (succeeded(parser.parseOptionalKeyword("none")))
    return success();
  return parser.parseCustomAttributeWithFallback(config);
}

static void printQConfig(OpAsmPrinter &printer, Operation *,
                         QConfigAttr config) {
  if (config)
    printer.printStrippedAttrOrType(config);
  else
    printer << "none";
}

#define GET_OP_CLASSES
#include "qbackend/Dialect/QBackend/QBackendOps.cpp.inc"

//===----------------------------------------------------------------------===//
// BackendConfigOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyLowering(BackendConfigOp op) {
  llvm::StringSet<> seen;
  for (StringRef form : op.getLoweringAttr().getAsValueRange<StringAttr>()) {
    if (form.empty())
      return op.emitOpError() << "has a lowering without a name";
    if (!seen.insert(form).second)
      return op.emitOpError() << "has the lowering \"" << form << "\" twice";
  }
  return success();
}

SmallVector<StringRef> BackendConfigOp::getForms() {
  if (ArrayAttr lowering = getLoweringAttr())
    return llvm::to_vector(lowering.getAsValueRange<StringAttr>());
  return {kReferenceForm};
}

LogicalResult BackendConfigOp::verifyRegions() {
  if (getVersion() < 1 || getVersion() > kVersion)
    return emitOpError() << "has version " << getVersion()
                         << "; this program reads versions 1 to " << kVersion;
  if (getLoweringAttr() && failed(verifyLowering(*this)))
    return failure();
  llvm::DenseMap<std::pair<Attribute, Attribute>, PatternConfigOp> patterns;
  llvm::DenseMap<Attribute, PatternConfigOp> spellings;
  for (Operation &op : getBody().front()) {
    if (isa<QConfigMappingOp, LimitOp>(op))
      continue;
    auto pattern = dyn_cast<PatternConfigOp>(op);
    if (!pattern)
      return op.emitOpError()
             << "does not belong in a backend_config; expected "
                "qbackend.pattern_config, qbackend.limit or "
                "qbackend.qconfig_mapping";
    Attribute torch = pattern.getConfig().getTorch();
    auto [it, inserted] =
        patterns.insert({{pattern.getPattern(), torch}, pattern});
    if (!inserted) {
      InFlightDiagnostic diag = pattern.emitOpError()
                                << "has a pattern that the backend has "
                                   "already; give one of the two all dtypes, "
                                   "or another 'torch'";
      diag.attachNote(it->second.getLoc()) << "the first one";
      return diag;
    }
    if (!torch)
      continue;
    // What PyTorch's dictionary has its entries by: of one name, all fields are
    // those of the entry.
    auto [spelling, isFirst] = spellings.insert({torch, pattern});
    if (spelling->second.getConfig() != pattern.getConfig() ||
        getEdges(spelling->second) != getEdges(pattern) ||
        getRequantizationRule(spelling->second) !=
            getRequantizationRule(pattern)) {
      InFlightDiagnostic diag =
          pattern.emitOpError()
          << "has the 'torch' of another pattern, " << torch
          << ", which PyTorch has one entry for, and other fields; give both "
             "the same fields, or one of the two another 'torch'";
      diag.attachNote(spelling->second.getLoc()) << "the first one";
      return diag;
    }
  }
  if (getDefaultQconfigAttr() &&
      !isa_and_nonnull<QConfigMappingOp>(
          mlir::SymbolTable::lookupSymbolIn(*this, getDefaultQconfigAttr())))
    return emitOpError() << "has no qconfig_mapping " << getDefaultQconfigAttr()
                         << ", which default_qconfig names";
  return success();
}

//===----------------------------------------------------------------------===//
// PatternConfigOp
//===----------------------------------------------------------------------===//

PatternNodeAttr PatternConfigOp::getTree() {
  if (auto node = dyn_cast<PatternNodeAttr>(getPattern()))
    return node;
  // [a, b, c] is c(b(a)).
  PatternNodeAttr node;
  for (StringAttr name : cast<ArrayAttr>(getPattern()).getAsRange<StringAttr>())
    node = PatternNodeAttr::get(getContext(), name,
                                node ? SmallVector<Attribute>{node}
                                     : SmallVector<Attribute>());
  return node;
}

/// The names of `node` and below, operands first.
static void collectKinds(PatternNodeAttr node,
                         SmallVectorImpl<StringRef> &kinds) {
  for (Attribute operand : node.getOperands())
    if (auto inner = dyn_cast<PatternNodeAttr>(operand))
      collectKinds(inner, kinds);
  kinds.push_back(node.getName().getValue());
}

SmallVector<StringRef> PatternConfigOp::getKinds() {
  SmallVector<StringRef> kinds;
  collectKinds(getTree(), kinds);
  return kinds;
}

SmallVector<int64_t> PatternConfigOp::getRootPath() {
  // Of a list, the root is the first; 'root' is about what 'torch' says.
  DenseI64ArrayAttr root = getConfig().getRoot();
  if (root && isa<PatternNodeAttr>(getPattern()))
    return SmallVector<int64_t>(root.asArrayRef());
  SmallVector<int64_t> path;
  for (Attribute element = getTree();
       auto node = dyn_cast<PatternNodeAttr>(element);) {
    if (node.getOperands().empty())
      break;
    path.push_back(node.getOperands().size() - 1);
    element = node.getOperands().back();
  }
  return path;
}

static SmallVector<int64_t> toIndices(ArrayAttr path) {
  SmallVector<int64_t> indices;
  for (auto index : path.getAsRange<IntegerAttr>())
    indices.push_back(index.getInt());
  return indices;
}

/// The paths to the wildcards below `node`, in the order of execution, but for
/// those of the operator at `root`.
static void collectWildcards(PatternNodeAttr node, ArrayRef<int64_t> root,
                             SmallVector<int64_t> &path,
                             SmallVectorImpl<SmallVector<int64_t>> &paths) {
  bool isRoot = ArrayRef(path) == root;
  for (auto [i, operand] : llvm::enumerate(node.getOperands())) {
    path.push_back(i);
    if (auto inner = dyn_cast<PatternNodeAttr>(operand))
      collectWildcards(inner, root, path, paths);
    path.pop_back();
  }
  for (auto [i, operand] : llvm::enumerate(node.getOperands()))
    if (isa<UnitAttr>(operand) && !isRoot) {
      paths.push_back(path);
      paths.back().push_back(i);
    }
}

SmallVector<SmallVector<int64_t>> PatternConfigOp::getExtraInputPaths() {
  SmallVector<int64_t> path;
  SmallVector<SmallVector<int64_t>> paths;
  collectWildcards(getTree(), getRootPath(), path, paths);
  ArrayAttr extra = getConfig().getExtraInputs();
  if (extra && extra.size() == paths.size())
    paths = llvm::map_to_vector(extra.getAsRange<ArrayAttr>(), toIndices);
  return paths;
}

bool PatternConfigOp::isFusion() {
  return getConfig().getFuserMethod() || getConfig().getFusedOperator();
}

/// Whether PyTorch's function of that name folds batch norm: fuse_conv_bn,
/// fuse_linear_bn_leaky_relu, fuse_convtranspose_bn, fuse_conv_bn_add_left.
static bool foldsBatchNorm(StringRef fuserMethod) {
  fuserMethod = fuserMethod.take_until([](char c) { return c == '('; });
  StringRef last = fuserMethod.rsplit('.').second;
  StringRef name = last.empty() ? fuserMethod : last;
  return name.consume_front("fuse_") && name.contains("bn");
}

SmallVector<StringRef> PatternConfigOp::getFusedKinds() {
  if (ArrayAttr fused = getConfig().getFusedOperator())
    return llvm::to_vector(fused.getAsValueRange<StringAttr>());
  SmallVector<StringRef> kinds = getKinds();
  StringAttr method = getConfig().getFuserMethod();
  if (method && foldsBatchNorm(method.getValue()))
    llvm::erase_if(
        kinds, [](StringRef kind) { return kind.starts_with("batch_norm"); });
  return kinds;
}

/// `part` without the elements that are not in `whole`, in its order.
static bool isSubsequence(ArrayRef<StringRef> part, ArrayRef<StringRef> whole) {
  for (StringRef name : part) {
    auto it = llvm::find(whole, name);
    if (it == whole.end())
      return false;
    whole = whole.drop_front(it - whole.begin() + 1);
  }
  return true;
}

LogicalResult PatternConfigOp::verify() {
  if (auto list = dyn_cast<ArrayAttr>(getPattern())) {
    if (list.empty() || list.size() > 3)
      return emitOpError() << "has a pattern of " << list.size()
                           << " operators, expected 1 to 3; longer ones are "
                              "nested: c(b(a))";
    for (StringRef name : list.getAsValueRange<StringAttr>())
      if (name.empty())
        return emitOpError() << "has a pattern with an empty name";
  }
  PatternAttr config = getConfig();
  if (DenseI64ArrayAttr root = config.getRoot()) {
    auto torch = dyn_cast_or_null<PatternNodeAttr>(config.getTorch());
    PatternNodeAttr tree =
        torch && isa<ArrayAttr>(getPattern()) ? torch : getTree();
    if (!isa_and_nonnull<PatternNodeAttr>(tree.getElement(root.asArrayRef())))
      return emitOpError() << "has the root [" << root.asArrayRef()
                           << "], which is not an operator of the pattern";
  }
  if (!isa_and_nonnull<PatternNodeAttr>(getTree().getElement(getRootPath())))
    return emitOpError() << "has a pattern whose last operands don't lead to "
                            "an operator; name the one whose inputs are "
                            "observed with 'root'";
  // The inputs of an operator come from outside of it.
  auto rootNode = cast<PatternNodeAttr>(getTree().getElement(getRootPath()));
  if (llvm::any_of(rootNode.getOperands(), llvm::IsaPred<PatternNodeAttr>))
    return emitOpError() << "has the root " << rootNode.getName()
                         << ", whose operands are operators of the pattern; "
                            "expected one whose operands come from outside";
  if (ArrayAttr extra = config.getExtraInputs())
    for (auto path : extra.getAsRange<ArrayAttr>())
      if (!isa_and_nonnull<UnitAttr>(getTree().getElement(toIndices(path))))
        return emitOpError() << "has the extra input " << path
                             << ", which is not a wildcard of the pattern";
  if (config.getExtraInputs() &&
      config.getExtraInputs().size() != getExtraInputPaths().size())
    return emitOpError() << "has " << config.getExtraInputs().size()
                         << " extra inputs, but " << getExtraInputPaths().size()
                         << " wildcards outside of its root";
  if (ArrayAttr fused = config.getFusedOperator();
      fused && (fused.empty() || !isSubsequence(getFusedKinds(), getKinds())))
    return emitOpError() << "has the fused_operator " << fused
                         << ", which are not operators of the pattern in their "
                            "order";
  return success();
}

LogicalResult
PatternConfigOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr reference = getConfig().getReference();
  Operation *file = (*this)->getParentOp()->getParentOp();
  // The function is in the file, which the backend's own symbol table is not.
  Operation *function =
      reference && file
          ? mlir::SymbolTable::lookupNearestSymbolFrom(file, reference)
          : nullptr;
  if (!reference || isa_and_nonnull<FunctionOpInterface>(function))
    return success();
  return emitOpError() << "has the reference " << reference
                       << ", but there is no such function beside the backend";
}

//===----------------------------------------------------------------------===//
// QConfigMappingOp, QConfigOp
//===----------------------------------------------------------------------===//

LogicalResult QConfigMappingOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<QConfigOp>(op))
      return op.emitOpError() << "does not belong in a qconfig_mapping; "
                                 "expected qbackend.qconfig";
  return success();
}

LogicalResult QConfigOp::verify() {
  bool global = getLevel() == QConfigLevel::Global;
  if (global == getSelector().has_value())
    return emitOpError() << "of level " << stringifyQConfigLevel(getLevel())
                         << (global ? " takes no selector"
                                    : " needs a selector");
  bool ordered = getLevel() == QConfigLevel::ModuleNameObjectTypeOrder;
  if (ordered != getObjectType().has_value() ||
      ordered != getIndex().has_value())
    return emitOpError() << "of level " << stringifyQConfigLevel(getLevel())
                         << (ordered ? " needs a kind and an index"
                                     : " takes no kind and no index");
  if (ordered && int64_t(*getIndex()) < 0)
    return emitOpError() << "has the index " << int64_t(*getIndex())
                         << ", expected 0 or more";
  if (getLevel() == QConfigLevel::ModuleNameRegex) {
    std::string reason;
    if (!llvm::Regex(*getSelector()).isValid(reason))
      return emitOpError() << "selector \"" << *getSelector()
                           << "\" is not a regular expression: " << reason;
  }
  return success();
}
