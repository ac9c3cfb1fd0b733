// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network after each pass: its ops with where they came from, and a page of
// all stages, Stages.html around them as JSON.

#include "qbackend/Insight/Stages/Stages.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace qbackend;
namespace json = llvm::json;

static constexpr char kTemplate[] =
#include "qbackend/Insight/Stages/Stages.inc"
    ;

bool Stage::hasSameOps(const Stage &other) const {
  return ops.size() == other.ops.size() &&
         llvm::all_of(llvm::zip(ops, other.ops), [](auto pair) {
           return std::get<0>(pair).text == std::get<1>(pair).text;
         });
}

/// The names in `loc`; without any, the places in files.
static std::vector<std::string> getOrigins(Location loc) {
  std::vector<std::string> names, places;
  loc->walk([&](Location inner) {
    auto add = [](std::vector<std::string> &list, std::string text) {
      if (!llvm::is_contained(list, text))
        list.push_back(std::move(text));
    };
    if (auto named = dyn_cast<NameLoc>(inner))
      add(names, named.getName().str());
    else if (auto file = dyn_cast<FileLineColLoc>(inner))
      add(places, file.getFilename().str() + ":" +
                      std::to_string(file.getLine()) + ":" +
                      std::to_string(file.getColumn()));
    return WalkResult::advance();
  });
  return names.empty() ? places : names;
}

Stage qbackend::recordStage(func::FuncOp function, StringRef pass,
                            StringRef summary) {
  Stage stage;
  stage.pass = pass.str();
  stage.summary = summary.str();
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString(16);
  AsmState names(function, flags);
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (Block &block : function.getBody())
    for (Operation &op : block) {
      StageOp entry;
      llvm::raw_string_ostream os(entry.text);
      op.print(os, names);
      auto operation = dyn_cast<OperatorOp>(op);
      entry.kind = operation ? operation.getKindName()
                             : op.getName().getStringRef().str();
      entry.isConstant = op.hasTrait<OpTrait::ConstantLike>();
      entry.origins = getOrigins(op.getLoc());
      for (Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (auto it = numbers.find(producer); it != numbers.end())
            entry.operands.push_back(it->second);
      numbers[&op] = stage.ops.size();
      stage.ops.push_back(std::move(entry));
    }
  return stage;
}

std::string qbackend::makeStagesPage(StringRef title, ArrayRef<Stage> stages) {
  json::Array all;
  for (const Stage &stage : stages) {
    json::Array ops;
    for (const StageOp &op : stage.ops) {
      json::Array origins;
      for (const std::string &origin : op.origins)
        origins.push_back(json::fixUTF8(origin));
      ops.push_back(json::Object{{"text", json::fixUTF8(op.text)},
                                 {"kind", json::fixUTF8(op.kind)},
                                 {"origins", std::move(origins)},
                                 {"operands", json::Array(op.operands)},
                                 {"constant", op.isConstant}});
    }
    all.push_back(json::Object{{"pass", stage.pass},
                               {"summary", stage.summary},
                               {"ops", std::move(ops)}});
  }
  std::string text, data;
  llvm::raw_string_ostream(text) << json::Value(json::Object{
      {"title", json::fixUTF8(title)}, {"stages", std::move(all)}});
  // A script element ends at "</".
  for (char c : text)
    data += c == '<' ? std::string("\\u003c") : std::string(1, c);
  auto [head, tail] = StringRef(kTemplate).split("%DATA%");
  return (head + data + tail).str();
}
