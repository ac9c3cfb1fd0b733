// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remark about what the results of a network can be off by.

#include "qbackend/Transforms/Analysis/FormDifference.h"

#include "qbackend/Support/Remarks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

/// One number for each result, with commas.
template <typename Range, typename Print>
static std::string join(const Range &range, Print print) {
  std::string text;
  for (const auto &element : range)
    text += (text.empty() ? "" : ", ") + print(element);
  return text;
}

void qbackend::remarkDifferences(
    func::FuncOp network, StringRef form, ArrayRef<ResultDifference> results,
    const std::optional<MeasuredDifference> &measured) {
  // A float network has no steps.
  if (llvm::none_of(results, [](const ResultDifference &result) {
        return !result.most || result.scale > 0;
      }))
    return;
  using Arg = remark::detail::Remark::Arg;
  auto module = network->getParentOfType<ModuleOp>();
  auto remark = remark::analysis(getRemarkLocation(module.getLoc()),
                                 remark::RemarkOpts::name("QB131")
                                     .category("qbackend")
                                     .function(network.getName()));
  if (!remark)
    return;
  auto print = [&](auto getSteps) {
    return join(results, [&](const ResultDifference &result) {
      return result.most ? std::to_string(getSteps(result))
                         : std::string("unknown");
    });
  };
  remark << Arg("Form", form)
         << Arg("AtMost",
                print([](const ResultDifference &r) { return *r.most; }))
         << Arg("Likely",
                print([](const ResultDifference &r) { return r.likely; }));
  if (measured)
    remark << Arg("Measured", join(measured->steps,
                                   [](int64_t steps) {
                                     return steps < 0 ? std::string("unknown")
                                                      : std::to_string(steps);
                                   }))
           << remark::metric("Samples", measured->samples);
}
