// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds arguments, extern globals and resources without data to the tensors of
// a file by name, as constants whose bytes stay in the file's memory.

#include "qbackend/Pipelines/BindParameters.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Pipelines/NetworkRunner.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Arguments.h"
#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/ParameterFile.h"
#include "qbackend/Support/Shape.h"
#include "qbackend/Transforms/Analysis/Entry.h"
#include "qbackend/Transforms/ConstantGlobals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"

namespace qbackend {
#define GEN_PASS_DEF_BINDPARAMETERSPASS
#include "qbackend/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// How many names an error lists.
static constexpr size_t kMostNames = 5;

/// What exporters call an argument by, in this order; after its location,
/// before its number.
static constexpr llvm::StringLiteral kNameAttrs[] = {
    kNameAttrName, "iree.abi.name", "ml_program.identifier", "jax.arg_info"};

static llvm::Expected<ParameterFile> readParameterFile(StringRef path,
                                                       MLIRContext *context) {
  auto buffer = readWholeFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  StringRef content = (*buffer)->getBuffer();
  if (content.starts_with("PK")) {
    // What a pipe has given is gone.
    if (!llvm::sys::fs::is_regular_file(path))
      return llvm::createStringError(
          "'" + path +
          "' is a .npz, which is read from a file only; save it as one, or use "
          ".safetensors");
    auto runner = findNetworkRunner(context);
    if (runner)
      return (*runner)->readParameters(path);
    llvm::consumeError(runner.takeError());
    return llvm::createStringError(
        "'" + path +
        "' is no .safetensors file, which is all that is read without "
        "Execution; save the weights as one");
  }
  llvm::Expected<ParameterFile> file = readSafeTensors(std::move(*buffer));
  if (!file)
    return llvm::createStringError("'" + path + "' " +
                                   llvm::toString(file.takeError()));
  return file;
}

/// Whether elements of type `element` are stored as `tensor` has them. An
/// integer without a sign takes either.
static bool isStoredAs(Type element, const StoredTensor &tensor) {
  switch (tensor.kind) {
  case StoredKind::Float:
    return (element.isF64() && tensor.bits == 64) ||
           (element.isF32() && tensor.bits == 32) ||
           (element.isF16() && tensor.bits == 16);
  case StoredKind::BFloat:
    return element.isBF16();
  case StoredKind::Signed:
    return element.isSignlessInteger(tensor.bits) ||
           element.isSignedInteger(tensor.bits);
  case StoredKind::Unsigned:
    return element.isSignlessInteger(tensor.bits) ||
           element.isUnsignedInteger(tensor.bits);
  case StoredKind::Bool:
    return element.isInteger(1);
  case StoredKind::Other:
    return false;
  }
  llvm_unreachable("all kinds are handled");
}

namespace {
/// A resource without data, or an argument, and what becomes its constant.
struct Binding {
  const StoredTensor *tensor = nullptr;
  BlockArgument argument;
  ml_program::GlobalOp global;
  std::optional<DenseResourceElementsHandle> resource;
};

class ParameterBinder {
public:
  ParameterBinder(ModuleOp module, StringRef path, const ParameterFile &file)
      : module(module), path(path), file(file) {
    for (const StoredTensor &tensor : file.tensors)
      byName[tensor.name] = &tensor;
  }

  LogicalResult bind() {
    if (module
            ->walk<WalkOrder::PreOrder>([&](Operation *op) {
              return failed(find(op)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
            })
            .wasInterrupted())
      return failure();
    if (failed(checkUnused()))
      return failure();
    for (const Binding &binding : bindings)
      apply(binding);
    eraseArguments();
    return success();
  }

private:
  /// The key of a resource in its module: MLIR adds `_1` to one that another
  /// module of the context has.
  StringRef getKey(DenseResourceElementsHandle handle) {
    StringRef key = handle.getKey();
    auto [base, number] = key.rsplit('_');
    unsigned counted;
    bool isRenamed =
        !byName.lookup(key) && byName.lookup(base) &&
        !number.getAsInteger(10, counted) &&
        DenseResourceElementsHandle::getManagerInterface(module.getContext())
            .getBlobManager()
            .lookup(base);
    return isRenamed ? base : key;
  }

  /// Notes what `op` has to be given.
  LogicalResult find(Operation *op) {
    if (auto global = dyn_cast<ml_program::GlobalOp>(op)) {
      if (isa_and_nonnull<ml_program::ExternAttr>(global.getValueAttr())) {
        const StoredTensor *tensor =
            require(global, "global @" + global.getSymName(),
                    global.getSymName(), global.getType());
        if (!tensor)
          return failure();
        bindings.push_back({tensor, {}, global, std::nullopt});
      }
    } else if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (failed(findArguments(function)))
        return failure();
    }
    bool isBound = true;
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr elements) {
      DenseResourceElementsHandle handle = elements.getRawHandle();
      if (!isBound || handle.getBlob())
        return;
      const StoredTensor *tensor =
          require(op, "resource '" + getKey(handle) + "'", getKey(handle),
                  elements.getType());
      isBound = tensor;
      if (tensor && resources.insert(handle.getKey()).second)
        bindings.push_back({tensor, {}, {}, handle});
    });
    return success(isBound);
  }

  LogicalResult findArguments(func::FuncOp function) {
    if (function.isExternal() || !function.isPublic())
      return success();
    for (BlockArgument argument : function.getArguments()) {
      const StoredTensor *tensor = nullptr;
      for (const std::string &name : listNames(function, argument))
        if (!tensor)
          tensor = byName.lookup(name);
      if (!tensor)
        continue;
      std::string what = "argument '" + tensor->name + "'";
      if (failed(check(argument.getLoc(), what, *tensor, argument.getType())))
        return failure();
      auto uses = SymbolTable::getSymbolUses(function, module);
      if (!uses || !uses->empty())
        return emitError(argument.getLoc())
               << "cannot bind weights: " << what << " of @"
               << function.getName()
               << " comes from calls of that function; name the argument of "
                  "the function that calls it, or make this one private";
      used.insert(tensor);
      bindings.push_back({tensor, argument, {}, std::nullopt});
    }
    return success();
  }

  /// All names that `argument` goes by, the best first.
  static SmallVector<std::string> listNames(func::FuncOp function,
                                            BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    SmallVector<std::string> names;
    if (std::string name = getLocationName(argument.getLoc()); !name.empty())
      names.push_back(std::move(name));
    for (StringRef attrName : kNameAttrs)
      if (auto attr = function.getArgAttrOfType<StringAttr>(index, attrName);
          attr && !attr.empty())
        names.push_back(attr.str());
    names.push_back("arg" + std::to_string(index));
    return names;
  }

  /// The tensor `name` for what needs one; null after an error.
  const StoredTensor *require(Operation *op, const Twine &what, StringRef name,
                              Type type) {
    const StoredTensor *tensor = byName.lookup(name);
    if (!tensor) {
      SmallVector<StringRef> names;
      for (const StoredTensor &other : file.tensors)
        names.push_back(other.name);
      StringRef nearest = findNearest(name, names);
      InFlightDiagnostic diag = emitError(op->getLoc())
                                << "cannot bind weights: '" << path
                                << "' has no tensor for " << what;
      if (!nearest.empty())
        diag << "; did you mean '" << nearest << "'?";
      else
        diag << "; save one under that name, or export the module with data";
      return nullptr;
    }
    if (failed(check(op->getLoc(), what, *tensor, type)))
      return nullptr;
    used.insert(tensor);
    return tensor;
  }

  /// Whether `tensor` is one of `type`.
  LogicalResult check(Location loc, const Twine &what,
                      const StoredTensor &tensor, Type type) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    bool hasShape = ranked && succeeded(verifyCompatibleShape(
                                  ranked.getShape(), ArrayRef(tensor.shape)));
    if (hasShape && isStoredAs(ranked.getElementType(), tensor))
      return success();
    return emitError(loc) << "cannot bind weights: " << what << " is a " << type
                          << ", but '" << path << "' has "
                          << formatShape(tensor.shape) << " of "
                          << tensor.typeName << " under that name; "
                          << (hasShape ? "convert it before it is saved"
                                       : "export both from one network");
  }

  /// Fails if a tensor of the file is none of the module's.
  LogicalResult checkUnused() {
    SmallVector<std::string> unused;
    for (const StoredTensor &tensor : file.tensors)
      if (!used.contains(&tensor))
        unused.push_back("'" + tensor.name + "'");
    if (unused.empty())
      return success();
    size_t more = unused.size() - std::min(unused.size(), kMostNames);
    unused.resize(unused.size() - more);
    return emitError(module.getLoc())
           << "cannot bind weights: '" << path << "' has "
           << llvm::join(unused, ", ")
           << (more ? " and " + std::to_string(more) + " more" : "")
           << ", which no argument of a public function, extern global or "
              "resource without data is called; leave that out of the file, or "
              "name what takes it";
  }

  /// The bytes of `tensor`, in the memory of the file if they are aligned
  /// there.
  AsmResourceBlob makeBlob(const StoredTensor &tensor) {
    // The same in each run, wherever the file is mapped.
    size_t alignment = std::max<size_t>(1, tensor.bits / 8);
    if (!llvm::isAddrAligned(llvm::Align(alignment), tensor.bytes.data()))
      return HeapAsmResourceBlob::allocateAndCopyWithAlign(tensor.bytes,
                                                           alignment);
    return UnmanagedAsmResourceBlob::allocateWithAlign(
        tensor.bytes, alignment,
        [owner = file.owner](void *, size_t, size_t) {});
  }

  /// The constant that is `tensor`; one for each type.
  ElementsAttr makeElements(const StoredTensor &tensor, Type type) {
    auto ranked = cast<RankedTensorType>(type).clone(ArrayRef(tensor.shape));
    ElementsAttr &elements = constants[{&tensor, ranked}];
    if (!elements && isSmall(tensor))
      elements = makeSmall(tensor, ranked);
    if (!elements)
      elements =
          DenseResourceElementsAttr::get(ranked, tensor.name, makeBlob(tensor));
    return elements;
  }

  /// Whether `tensor` can't be a resource: MLIR's folders take one element for
  /// a splat, whose value a resource doesn't give, and bools for packed bits.
  static bool isSmall(const StoredTensor &tensor) {
    return tensor.kind == StoredKind::Bool ||
           tensor.bytes.size() <= tensor.bits / 8;
  }

  static ElementsAttr makeSmall(const StoredTensor &tensor,
                                RankedTensorType type) {
    if (tensor.bytes.empty())
      return DenseElementsAttr::get(type, ArrayRef<Attribute>());
    if (tensor.kind != StoredKind::Bool)
      return DenseElementsAttr::getFromRawBuffer(type, tensor.bytes);
    SmallVector<bool> values(tensor.bytes.begin(), tensor.bytes.end());
    return DenseElementsAttr::get(type, values);
  }

  /// Puts a small tensor where attributes name the resource `key`.
  void replaceResource(StringRef key, const StoredTensor &tensor) {
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](DenseResourceElementsAttr elements) -> std::optional<Attribute> {
          if (elements.getRawHandle().getKey() != key)
            return std::nullopt;
          return makeElements(tensor, elements.getType());
        });
    replacer.recursivelyReplaceElementsIn(module);
  }

  void apply(const Binding &binding) {
    const StoredTensor &tensor = *binding.tensor;
    if (binding.resource && isSmall(tensor))
      return replaceResource(binding.resource->getKey(), tensor);
    if (binding.resource) {
      DenseResourceElementsHandle::getManagerInterface(module.getContext())
          .getBlobManager()
          .update(binding.resource->getKey(), makeBlob(tensor));
      return;
    }
    if (auto global = binding.global) {
      global.setValueAttr(makeElements(tensor, global.getType()));
      return inlineConstantGlobal(global);
    }
    BlockArgument argument = binding.argument;
    Location loc = NameLoc::get(
        StringAttr::get(module.getContext(), tensor.name), argument.getLoc());
    OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
    Value value = arith::ConstantOp::create(
        builder, loc, makeElements(tensor, argument.getType()));
    if (value.getType() != argument.getType())
      value = tensor::CastOp::create(builder, loc, argument.getType(), value);
    argument.replaceAllUsesWith(value);
  }

  void eraseArguments() {
    llvm::MapVector<Operation *, llvm::BitVector> erased;
    for (const Binding &binding : bindings) {
      if (!binding.argument)
        continue;
      Operation *function = binding.argument.getOwner()->getParentOp();
      llvm::BitVector &indices = erased[function];
      indices.resize(cast<func::FuncOp>(function).getNumArguments());
      indices.set(binding.argument.getArgNumber());
    }
    for (auto &[function, indices] : erased)
      (void)cast<func::FuncOp>(function).eraseArguments(indices);
  }

  ModuleOp module;
  StringRef path;
  const ParameterFile &file;
  llvm::StringMap<const StoredTensor *> byName;
  llvm::DenseSet<const StoredTensor *> used;
  llvm::StringSet<> resources;
  llvm::MapVector<std::pair<const StoredTensor *, Type>, ElementsAttr>
      constants;
  std::vector<Binding> bindings;
};

struct BindParametersPass
    : qbackend::impl::BindParametersPassBase<BindParametersPass> {
  using BindParametersPassBase::BindParametersPassBase;

  void runOnOperation() override {
    if (failed(bindParameters(getOperation(), weights)))
      signalPassFailure();
  }
};
} // namespace

LogicalResult qbackend::bindParameters(ModuleOp module, StringRef path) {
  llvm::Expected<ParameterFile> file =
      readParameterFile(path, module.getContext());
  if (!file)
    return emitError(module.getLoc())
           << "cannot bind weights: " << llvm::toString(file.takeError());
  return ParameterBinder(module, path, *file).bind();
}
