// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a configuration as a quantizer of PyTorch's exported programs: its
// JSON form, and the Python that annotates by it.

#include "qbackend/Backends/Json.h"
#include "qbackend/Dialect/QBackend/Edges.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;

/// What `__CONFIGURATION__` in it stands for is the JSON document.
static constexpr llvm::StringLiteral kQuantizer =
#include "qbackend/Backends/EmbeddedQuantizer.inc"
    ;
static constexpr llvm::StringLiteral kPlace = "__CONFIGURATION__";

/// Whether all operators of `pattern` have names of exported programs.
static bool isExported(PatternConfigOp pattern) {
  Attribute torch = pattern.getConfig().getTorch();
  bool all = bool(torch);
  if (torch)
    torch.walk([&](StringAttr name) {
      all &= name.getValue().starts_with("torch.ops.");
    });
  return all;
}

LogicalResult qbackend::toPython(BackendConfigOp config, raw_ostream &os) {
  SmallVector<PatternConfigOp> others;
  bool any = false;
  for (Operation &op : config.getBody().front()) {
    if (auto pattern = dyn_cast<PatternConfigOp>(op)) {
      any |= isExported(pattern);
      if (!isExported(pattern))
        others.push_back(pattern);
    } else if (auto limit = dyn_cast<LimitOp>(op)) {
      return limit.emitOpError()
             << "has no counterpart in a quantizer; take it "
                "out of the file that is converted";
    } else if (auto mapping = dyn_cast<QConfigMappingOp>(op)) {
      for (auto entry : mapping.getBody().front().getOps<QConfigOp>())
        if (entry.getLevel() == QConfigLevel::ModuleNameObjectTypeOrder)
          return entry.emitOpError()
                 << "of level module_name_object_type_order has no counterpart "
                    "in a quantizer; select it by module_name";
    }
  }
  if (!any)
    return config.emitOpError()
           << "has no pattern whose 'torch' names operators of exported "
              "programs, such as \"torch.ops.aten.conv2d.default\"";
  if (!others.empty())
    others.front().emitWarning()
        << "left out of the quantizer, with " << others.size() - 1
        << " others: their 'torch' names no operators of exported programs";
  std::string json;
  llvm::raw_string_ostream document(json);
  if (failed(toJSON(config, document)))
    return failure();
  // JSON never has three quotes in a row, and Python's raw strings keep its
  // backslashes.
  auto [before, after] = kQuantizer.split(kPlace);
  os << before << json << "\n" << after;
  return success();
}
