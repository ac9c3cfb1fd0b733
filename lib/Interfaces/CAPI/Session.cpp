// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context of a call, and the functions that need none.

#include "Session.h"

#include "qbackend/Execution/Runtime/Interrupt.h"
#include "qbackend/Insight/Explanation/SourceHints.h"
#include "qbackend/Interfaces/Registration.h"
#include "qbackend/Pipelines/ApplyBackendKeys.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Support/Arguments.h"
#include "qbackend/Support/ParseModule.h"

#include "mlir/IR/Action.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

static QBackendSeverity toSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return QBACKEND_NOTE;
  case DiagnosticSeverity::Warning:
    return QBACKEND_WARNING;
  case DiagnosticSeverity::Remark:
    return QBACKEND_REMARK;
  case DiagnosticSeverity::Error:
    return QBACKEND_ERROR;
  }
  llvm_unreachable("a severity that MLIR doesn't have");
}

Session::Session(QBackendDiagnosticCallback callback, void *user)
    : callback(callback), user(user), interrupts(runtime::countInterrupts()) {
  threads.giveTo(context);
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  // A configuration is hundreds of lines, and the place is in the diagnostic.
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    report(diagnostic, toSeverity(diagnostic.getSeverity()));
    for (Diagnostic &note : diagnostic.getNotes())
      report(note, QBACKEND_NOTE);
    return success();
  });
  context.registerActionHandler(
      [this](llvm::function_ref<void()> transform, const tracing::Action &) {
        if (runtime::countInterrupts() == interrupts)
          transform();
      });
  scope = ModuleOp::create(UnknownLoc::get(&context));
}

void Session::setCallback(QBackendDiagnosticCallback newCallback,
                          void *newUser) {
  callback = newCallback;
  user = newUser;
  interrupts = runtime::countInterrupts();
}

bool Session::failIfInterrupted() {
  if (runtime::countInterrupts() == interrupts)
    return false;
  error() << "interrupted";
  return true;
}

/// `text` without nulls, which a caller's text may have: what is passed on ends
/// at the first.
static std::string spellNulls(StringRef text) {
  std::string spelled;
  for (char c : text)
    if (c)
      spelled += c;
    else
      spelled += "\\00";
  return spelled;
}

void Session::report(Diagnostic &diagnostic, QBackendSeverity severity) {
  if (!callback)
    return;
  std::string file;
  unsigned line = 0, column = 0;
  Location location = diagnostic.getLocation();
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    // 0: the whole file.
    line = place.getLine();
    column = place.getColumn();
  } else if (auto name = location->findInstanceOf<NameLoc>()) {
    file = name.getName().str();
  }
  std::string message = spellNulls(StringRef(diagnostic.str()).rtrim());
  file = spellNulls(file);
  QBackendDiagnostic result = {severity, file.empty() ? nullptr : file.c_str(),
                               line, column, message.c_str()};
  callback(&result, user);
}

InFlightDiagnostic Session::error() {
  return emitError(UnknownLoc::get(&context));
}

OwningOpRef<ModuleOp> Session::parse(StringRef text, StringRef name,
                                     StringRef expected) {
  if (text.trim().empty()) {
    error() << "the " << name << " is empty, expected " << expected;
    return {};
  }
  // The parser reads up to a null that a caller's text need not have.
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(text, name);
  if (!copy) {
    error() << "out of memory: cannot copy the " << text.size()
            << " bytes of the " << name;
    return {};
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(copy), SMLoc());
  OwningOpRef<ModuleOp> module = parseModule(sources, &context);
  if (std::optional<SourceHint> hint =
          module ? std::nullopt : findSourceHint(text))
    emitError(FileLineColLoc::get(&context, name, hint->line, hint->column))
        << hint->message;
  return module;
}

/// No name or path has these, and every module has.
static bool isText(StringRef spec) {
  return spec.contains('\n') || spec.contains('{');
}

FailureOr<Backend> Session::resolve(StringRef spec) {
  if (spec.trim().empty())
    return error() << "the backend is empty, expected the name of a built-in "
                      "one, the path of a file, or a module as text";
  if (!isText(spec))
    return resolveBackend(spec, *scope);
  Backend result;
  result.owner =
      parse(spec, "backend", "a module with a qbackend.backend_config");
  if (!result.owner)
    return failure();
  for (auto config : result.owner->getOps<BackendConfigOp>()) {
    if (result.config)
      return emitError(config.getLoc())
             << "a second backend_config, expected one";
    result.config = config;
  }
  if (!result.config)
    return emitError(result.owner->getLoc())
           << "no qbackend.backend_config in this module";
  result.references = *result.owner;
  result.originalVersion = result.config.getVersion();
  upgradeToCurrentVersion(result.config);
  return result;
}

/// Moves the configurations of `source` into `module`, also those of modules in
/// it: texts of several, one after the other, are one configuration.
static LogicalResult moveConfiguration(ModuleOp source, ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*source.getBody())) {
    if (auto nested = dyn_cast<ModuleOp>(op)) {
      if (failed(moveConfiguration(nested, module)))
        return failure();
      continue;
    }
    if (!isa<BackendConfigOp, QConfigMappingOp>(op))
      return op.emitOpError("in the configuration, expected "
                            "qbackend.backend_config or "
                            "qbackend.qconfig_mapping");
    StringAttr name = SymbolTable::getSymbolName(&op);
    if (Operation *other = module.lookupSymbol(name)) {
      InFlightDiagnostic error = op.emitOpError()
                                 << "has the name '" << name.getValue()
                                 << "', which the module has already";
      error.attachNote(other->getLoc()) << "in the module it is this";
      return error;
    }
    op.moveBefore(module.getBody(), module.getBody()->end());
  }
  return success();
}

LogicalResult Session::addConfiguration(QBackendText configuration,
                                        ModuleOp module) {
  if (toRef(configuration).trim().empty())
    return success();
  OwningOpRef<ModuleOp> source =
      parse(toRef(configuration), "configuration", "a module");
  return success(source && succeeded(moveConfiguration(*source, module)));
}

FailureOr<QConfigMappingOp> Session::resolveMapping(StringRef spec,
                                                    StringRef name) {
  // A mapping outside of a backend needs no backend.
  if (isText(spec) && !name.empty()) {
    scope = parse(spec, "module", "a module with a qbackend.qconfig_mapping");
    if (!scope)
      return failure();
    if (auto mapping = scope->lookupSymbol<QConfigMappingOp>(name))
      return mapping;
    if (scope->getOps<BackendConfigOp>().empty())
      return emitError(scope->getLoc())
             << "no qbackend.qconfig_mapping @" << name << " in this module";
  }
  FailureOr<Backend> found = resolve(spec);
  if (failed(found))
    return failure();
  backend = std::move(*found);
  return resolveQConfig(name, backend.config, *scope);
}

QBackendStatus Session::finish(StringRef text, char **output) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy) {
    error() << "no memory for " << text.size() << " bytes of output";
    return QBACKEND_FAILURE;
  }
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  *output = copy;
  return QBACKEND_SUCCESS;
}

QBackendStatus capi::giveText(
    char **output, QBackendDiagnosticCallback callback, void *user,
    llvm::function_ref<LogicalResult(Session &, llvm::raw_ostream &)> write,
    size_t expected) {
  Session session(callback, user);
  if (!output) {
    session.error() << "output is null, expected where to put the result";
    return QBACKEND_FAILURE;
  }
  *output = nullptr;
  std::string text;
  text.reserve(expected);
  llvm::raw_string_ostream stream(text);
  if (failed(write(session, stream)))
    return QBACKEND_FAILURE;
  return session.finish(text, output);
}

const char *qbackendGetVersion(void) { return QBACKEND_VERSION_STRING; }

LogicalResult Session::setOptions(Pass &pass, StringRef options) {
  std::string message;
  if (llvm::Error wrong = checkKeys(options, listApplyBackendKeys())) {
    message = llvm::toString(std::move(wrong));
  } else {
    auto keep = [&](const Twine &text) {
      message = StringRef(text.str()).trim().str();
      return failure();
    };
    if (succeeded(pass.initializeOptions(options, keep)))
      return success();
  }
  return error() << "in the options '" << options << "': "
                 << (message.empty() ? "a value has another form than its key"
                                     : message);
}

void qbackendInterrupt(void) { runtime::interrupt(); }

QBackendText qbackendText(const char *string) {
  return {string, string ? std::strlen(string) : 0};
}

void qbackendFree(char *output) { std::free(output); }

size_t qbackendGetNumBuiltinBackends(void) {
  return getBuiltinBackends().size();
}

const char *qbackendGetBuiltinBackend(size_t index) {
  // Names of string literals, which end in a null.
  return index < getBuiltinBackends().size()
             ? getBuiltinBackends()[index].data()
             : nullptr;
}
