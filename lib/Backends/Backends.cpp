// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds configurations: built-in ones, files, and symbols of a module.

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Support/ParseModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qbackend;

namespace {
struct EmbeddedFile {
  StringRef name, text;
};
} // namespace

static const EmbeddedFile embeddedFiles[] = {
#include "qbackend/Backends/EmbeddedFiles.inc"
};

ArrayRef<StringRef> qbackend::getBuiltinBackends() {
  static const SmallVector<StringRef> names = [] {
    SmallVector<StringRef> result;
    for (const EmbeddedFile &file : embeddedFiles)
      result.push_back(file.name);
    llvm::sort(result);
    return result;
  }();
  return names;
}

std::optional<StringRef> qbackend::getBuiltinBackendText(StringRef name) {
  for (const EmbeddedFile &file : embeddedFiles)
    if (file.name == name)
      return file.text;
  return std::nullopt;
}

/// True if `text` is JSON: modules may start with a brace, too, of `{-#`.
static bool isJSON(StringRef text) {
  text = text.ltrim();
  return text.starts_with("{") && !text.starts_with("{-#");
}

/// The configuration of JSON in the file `name`. Its errors know the place in
/// the document, not the file: that is put in front.
static FailureOr<OwningOpRef<ModuleOp>>
parseJSON(StringRef text, StringRef name, MLIRContext *context) {
  SmallVector<std::pair<DiagnosticSeverity, std::string>> messages;
  FailureOr<OwningOpRef<ModuleOp>> module = failure();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
      auto place = dyn_cast<NameLoc>(diag.getLocation());
      messages.push_back(
          {diag.getSeverity(),
           (place ? place.getName().str() + ": " : "") + diag.str()});
    });
    module = fromJSON(text, context);
  }
  auto file = FileLineColLoc::get(context, name, 1, 1);
  // What is found out later has a place in the file, too.
  if (succeeded(module))
    (*module)->walk([&](Operation *op) {
      if (auto place = dyn_cast<NameLoc>(op->getLoc()))
        op->setLoc(NameLoc::get(place.getName(), file));
    });
  for (auto &[severity, message] : messages)
    context->getDiagEngine().emit(file, severity) << message;
  return module;
}

/// The one configuration of `owner`, which was read from the file `name`; null:
/// there was an error.
static FailureOr<Backend> takeConfig(OwningOpRef<ModuleOp> owner,
                                     StringRef name, MLIRContext *context) {
  if (!owner)
    return failure();
  Backend backend;
  backend.owner = std::move(owner);
  for (auto config : backend.owner->getOps<BackendConfigOp>()) {
    if (backend.config)
      return emitError(config.getLoc())
             << "'" << name
             << "' holds a second backend_config; a file has one";
    backend.config = config;
  }
  if (!backend.config)
    return emitError(FileLineColLoc::get(context, name, 1, 1))
           << "no qbackend.backend_config in this file";
  backend.references = *backend.owner;
  backend.originalVersion = backend.config.getVersion();
  upgradeToCurrentVersion(backend.config);
  return backend;
}

FailureOr<Backend>
qbackend::parseBackend(std::unique_ptr<llvm::MemoryBuffer> text,
                       MLIRContext *context) {
  context->getOrLoadDialect<QBackendDialect>();
  std::string name = text->getBufferIdentifier().str();
  if (isJSON(text->getBuffer())) {
    FailureOr<OwningOpRef<ModuleOp>> module =
        parseJSON(text->getBuffer(), name, context);
    if (failed(module))
      return failure();
    return takeConfig(std::move(*module), name, context);
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(text), SMLoc());
  return takeConfig(parseModule(sources, context), name, context);
}

FailureOr<Backend> qbackend::resolveBackend(StringRef spec, ModuleOp module) {
  if (spec.consume_front("@")) {
    auto config = module.lookupSymbol<BackendConfigOp>(spec);
    if (!config)
      return emitError(module.getLoc())
             << "no qbackend.backend_config @" << spec << " in this module";
    Backend backend;
    backend.config = config;
    backend.references = module;
    backend.originalVersion = config.getVersion();
    if (backend.originalVersion != BackendConfigOp::kVersion) {
      // The module is its owner's: what is upgraded is a copy.
      backend.owner = ModuleOp::create(config.getLoc());
      backend.owner->push_back(config->clone());
      backend.config = cast<BackendConfigOp>(backend.owner->getBody()->front());
      upgradeToCurrentVersion(backend.config);
    }
    return backend;
  }
  MLIRContext *context = module.getContext();
  if (std::optional<StringRef> text = getBuiltinBackendText(spec)) {
    // A text of ours, which no other process has to read first.
    context->getOrLoadDialect<QBackendDialect>();
    std::string name = (spec + ".mlir").str();
    return takeConfig(parseSourceString<ModuleOp>(*text, context, name), name,
                      context);
  }
  if (!llvm::sys::fs::exists(spec)) {
    InFlightDiagnostic error = emitError(module.getLoc());
    error << "no backend '" << spec
          << "': not a file, and the built-in ones are ";
    llvm::interleaveComma(getBuiltinBackends(), error);
    return error;
  }
  auto text = readSource(spec);
  if (!text)
    return emitError(module.getLoc()) << "cannot read backend file '" << spec
                                      << "': " << text.getError().message();
  return parseBackend(std::move(*text), context);
}

const Backend *BackendResolver::resolve(StringRef spec) {
  if (const Backend *known = files.lookup(spec))
    return known;
  FailureOr<Backend> found = resolveBackends(spec, module);
  if (failed(found))
    return nullptr;
  backends.push_back(std::make_unique<Backend>(std::move(*found)));
  // An op of the module may be another one at the next pass.
  if (!spec.contains('@'))
    files[spec] = backends.back().get();
  return backends.back().get();
}

/// The mapping of the file `path`, which becomes one of `backend` of that name:
/// like the backend, it is read once.
static FailureOr<QConfigMappingOp>
readQConfig(StringRef path, BackendConfigOp backend, ModuleOp module) {
  MLIRContext *context = backend.getContext();
  auto text = readSource(path);
  if (!text)
    return emitError(module.getLoc()) << "cannot read qconfig file '" << path
                                      << "': " << text.getError().message();
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(*text), SMLoc());
  OwningOpRef<ModuleOp> owner = parseModule(sources, context);
  if (!owner)
    return failure();
  QConfigMappingOp found;
  for (auto mapping : owner->getOps<QConfigMappingOp>()) {
    if (found)
      return emitError(mapping.getLoc())
             << "'" << path
             << "' holds a second qconfig_mapping; a file has one";
    found = mapping;
  }
  if (!found)
    return emitError(FileLineColLoc::get(context, path, 1, 1))
           << "no qbackend.qconfig_mapping in this file";
  found->moveBefore(&backend.getBody().front(),
                    backend.getBody().front().end());
  found.setSymName(path);
  return found;
}

FailureOr<QConfigMappingOp> qbackend::resolveQConfig(StringRef spec,
                                                     BackendConfigOp backend,
                                                     ModuleOp module) {
  Operation *scope = backend;
  StringRef name = spec;
  if (name.consume_front("@"))
    scope = module;
  else if (name.empty() && !backend.getDefaultQconfig())
    return emitError(module.getLoc())
           << "backend '" << backend.getSymName()
           << "' has no default qconfig; name one with qconfig=";
  else if (name.empty())
    name = *backend.getDefaultQconfig();
  if (auto mapping = dyn_cast_or_null<QConfigMappingOp>(
          SymbolTable::lookupSymbolIn(scope, name)))
    return mapping;
  if (scope == backend && name.ends_with(".mlir"))
    return readQConfig(name, backend, module);
  InFlightDiagnostic error = emitError(module.getLoc());
  error << "no qconfig '" << spec << "'";
  if (scope == module.getOperation())
    return error << ": there is no qbackend.qconfig_mapping @" << name
                 << " in this module";
  error << ": backend '" << backend.getSymName() << "' has ";
  llvm::interleaveComma(
      backend.getBody().front().getOps<QConfigMappingOp>(), error,
      [&](QConfigMappingOp mapping) { error << mapping.getSymName(); });
  return error;
}

FailureOr<SmallVector<QConfigMappingOp>>
qbackend::resolveQConfigs(StringRef spec, const Backend &backend,
                          ModuleOp module) {
  if (!backend.mappings.empty()) {
    if (spec.empty())
      return backend.mappings;
    return emitError(module.getLoc())
           << "qconfig is '" << spec
           << "' beside a list of backends, each of which has its own; write "
              "BACKEND:"
           << spec << " in the list";
  }
  FailureOr<QConfigMappingOp> mapping =
      resolveQConfig(spec, backend.config, module);
  if (failed(mapping))
    return failure();
  return SmallVector<QConfigMappingOp>{*mapping};
}

//===----------------------------------------------------------------------===//
// Lists of backends
//===----------------------------------------------------------------------===//

/// An error at `backend` that it and the `first` of a list are not one.
static LogicalResult failToJoin(BackendConfigOp first, BackendConfigOp backend,
                                StringRef what, StringRef fix) {
  InFlightDiagnostic error =
      emitError(backend.getLoc())
      << "backend '" << backend.getSymName() << "' can't be in a list with '"
      << first.getSymName() << "': " << what << "; " << fix;
  error.attachNote(first.getLoc()) << "the first one";
  return error;
}

/// Adds `part`, which `spec` means, with `mapping` to `all`.
static LogicalResult join(Backend &all, Backend part, QConfigMappingOp mapping,
                          StringRef spec, BackendConfigOp first) {
  BackendConfigOp config = part.config;
  if (first.getRealBias() != config.getRealBias())
    return failToJoin(first, config,
                      config.getRealBias()
                          ? "it has real_bias, the other one has not"
                          : "it has no real_bias, the other one has",
                      "one engine adds all biases: give both the same");
  SmallVector<StringRef> forms = all.config.getForms(),
                         others = config.getForms();
  llvm::erase_if(
      forms, [&](StringRef form) { return !llvm::is_contained(others, form); });
  if (forms.empty())
    return failToJoin(first, config, "they have no lowering in common",
                      "add one to 'lowering' of both");
  all.config.setLoweringAttr(
      Builder(config.getContext()).getStrArrayAttr(forms));
  Block &body = all.config.getBody().front();
  unsigned place = all.mappings.size();
  for (Operation &op : config.getBody().front()) {
    auto pattern = dyn_cast<PatternConfigOp>(op);
    if (pattern && pattern.getConfig().getReference()) {
      if (all.references && all.references != part.references)
        return failToJoin(first, config,
                          "both have patterns with a 'reference'",
                          "write the functions of both in one file");
      all.references = part.references;
    }
    if (isa<QConfigMappingOp>(op))
      continue;
    body.push_back(op.clone());
    all.places[&body.back()] = place;
  }
  body.push_back(mapping->clone());
  all.mappings.push_back(cast<QConfigMappingOp>(body.back()));
  all.mappings.back().setSymName(spec);
  all.files.push_back(std::move(part.owner));
  return success();
}

FailureOr<Backend> qbackend::resolveBackends(StringRef specs, ModuleOp module) {
  if (!specs.contains(',') || llvm::sys::fs::exists(specs))
    return resolveBackend(specs, module);
  Backend all;
  all.owner = ModuleOp::create(module.getLoc());
  BackendConfigOp first;
  SmallVector<StringRef> each;
  specs.split(each, ',');
  for (auto [i, spec] : llvm::enumerate(each)) {
    if (llvm::is_contained(ArrayRef(each).take_front(i), spec))
      return emitError(module.getLoc())
             << "backend '" << spec << "' is in the list '" << specs
             << "' twice; leave one out";
    auto [name, qconfig] = spec.split(':');
    FailureOr<Backend> part = resolveBackend(name, module);
    if (failed(part))
      return failure();
    FailureOr<QConfigMappingOp> mapping =
        resolveQConfig(qconfig, part->config, module);
    if (failed(mapping))
      return failure();
    if (!first) {
      first = part->config;
      all.config = cast<BackendConfigOp>(first->cloneWithoutRegions());
      all.config.getBody().emplaceBlock();
      all.config.setSymName(specs);
      all.config.setDefaultQconfig(spec);
      all.owner->push_back(all.config);
    }
    if (failed(join(all, std::move(*part), *mapping, spec, first)))
      return failure();
  }
  return all;
}

namespace {
struct ConfigurationAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<DTypeConfigAttr>(attr))
      os << "dtype_config";
    else if (auto observer = dyn_cast<ObserverAttr>(attr))
      os << stringifyObserverKind(observer.getKind());
    else
      return AliasResult::NoAlias;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void qbackend::registerConfigurationAliases(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, QBackendDialect *dialect) {
    dialect->addInterfaces<ConfigurationAliases>();
  });
}
