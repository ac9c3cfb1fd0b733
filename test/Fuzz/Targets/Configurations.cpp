// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as a backend configuration, in MLIR or JSON: an error, or one that
// is the same after it was JSON and came back.

#include "Modules.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Backends/Json.h"
#include "qbackend/Insight/Explanation/Validate.h"

using namespace mlir;
using namespace qbackend;

/// JSON of a configuration; empty for numbers that it has no form for.
static std::string print(BackendConfigOp config) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(toJSON(config, os)))
    return "";
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzContext fuzz;
  FailureOr<Backend> backend =
      parseBackend(copyInput(data, size), &fuzz.context);
  if (failed(backend)) {
    fuzz.requireError();
    return 0;
  }
  for (const Finding &finding : validate(backend->config))
    if (finding.what.empty())
      std::abort();
  fuzz.hasError = false;
  std::string text = print(backend->config);
  if (text.empty()) {
    fuzz.requireError();
    return 0;
  }
  FailureOr<OwningOpRef<ModuleOp>> again = fromJSON(text, &fuzz.context);
  if (failed(again)) {
    // An attribute of another dialect, say.
    fuzz.requireError();
    return 0;
  }
  auto configs = (*again)->getOps<BackendConfigOp>();
  if (configs.empty() || print(*configs.begin()) != text)
    std::abort();
  return 0;
}
