// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Older versions of configuration files.

#include "qbackend/Backends/Backends.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

/// `config` with other observation types by number, and another spelling.
static PatternAttr replaceFields(PatternAttr config, Attribute byCount,
                                 Attribute torch) {
  PatternFields fields = config.getFields();
  fields.numTensorArgsToObservationType = byCount;
  fields.torch = torch;
  return PatternAttr::get(config.getContext(), fields);
}

/// One pattern_config for each spelling of `op`: "a, b" is the list of a and b.
static void splitSpellings(PatternConfigOp op) {
  OpBuilder builder(op);
  PatternAttr config = op.getConfig();
  Attribute byCount = config.getNumTensorArgsToObservationType();
  if (auto list = dyn_cast_or_null<ArrayAttr>(byCount)) {
    SmallVector<NamedAttribute> entries;
    for (auto [count, name] : llvm::enumerate(list))
      entries.push_back(builder.getNamedAttr(std::to_string(count), name));
    byCount = builder.getDictionaryAttr(entries);
  }
  auto spellings = dyn_cast_or_null<ArrayAttr>(config.getTorch());
  if (!spellings || spellings.empty()) {
    op.setConfigAttr(replaceFields(config, byCount, config.getTorch()));
    return;
  }
  builder.setInsertionPointAfter(op);
  for (auto [i, spelling] :
       llvm::enumerate(spellings.getAsValueRange<StringAttr>())) {
    SmallVector<StringRef> names;
    spelling.split(names, ", ");
    PatternAttr each =
        replaceFields(config, byCount, builder.getStrArrayAttr(names));
    if (i == 0)
      op.setConfigAttr(each);
    else
      PatternConfigOp::create(builder, op.getLoc(), op.getPattern(), each);
  }
}

void qbackend::upgradeToCurrentVersion(BackendConfigOp config) {
  if (config.getVersion() == BackendConfigOp::kVersion)
    return;
  Builder builder(config.getContext());
  for (auto pattern : llvm::make_early_inc_range(
           config.getBody().front().getOps<PatternConfigOp>()))
    splitSpellings(pattern);
  ArrayAttr lowering = config.getLoweringAttr();
  if (lowering && lowering == builder.getStrArrayAttr({"qnnpack"}))
    config.setLoweringAttr(
        builder.getStrArrayAttr({"qnnpack", "reference", "linalg", "tosa"}));
  config.setVersion(BackendConfigOp::kVersion);
}
