// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the processor that code is made for.

#include "Subtarget.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

using namespace llvm;

std::unique_ptr<MCSubtargetInfo>
qbackend::codegen::getSubtarget(mlir::MLIRContext *context, StringRef pass,
                                StringRef tripleName, StringRef cpu,
                                StringRef features) {
  auto refuse = [&](const Twine &message) {
    mlir::emitError(mlir::UnknownLoc::get(context)) << pass << ": " << message;
    return nullptr;
  };
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargetMCs();
  });
  Triple triple(tripleName.empty() ? sys::getProcessTriple()
                                   : Triple::normalize(tripleName));
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return refuse("target-triple '" + triple.str() +
                  "' is not known: " + error);
  SubtargetFeatures all;
  if (cpu == "native" || (cpu.empty() && tripleName.empty())) {
    cpu = sys::getHostCPUName();
    for (auto &[name, isEnabled] : sys::getHostCPUFeatures())
      all.AddFeature(name, isEnabled);
  }
  SmallVector<StringRef> names;
  features.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    all.AddFeature(name);
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!cpu.empty() && !subtarget->isCPUStringValid(cpu))
    return refuse("target-cpu '" + cpu + "' is not one of " +
                  triple.getArchName() + "; 'llc -mtriple=" + triple.str() +
                  " -mcpu=help' lists them");
  subtarget.reset(target->createMCSubtargetInfo(triple, cpu, all.getString()));
  return subtarget;
}

bool qbackend::codegen::hasFloats(const MCSubtargetInfo &subtarget,
                                  bool isDouble) {
  const Triple &triple = subtarget.getTargetTriple();
  if (triple.isARM() || triple.isThumb())
    return isDouble ? subtarget.checkFeatures("+vfp2") &&
                          !subtarget.checkFeatures("+mve.fp")
                    : subtarget.checkFeatures("+vfp2sp");
  if (triple.isRISCV())
    return subtarget.checkFeatures(isDouble ? "+d" : "+f");
  return true;
}

bool qbackend::codegen::hasFusedFloats(const MCSubtargetInfo &subtarget) {
  const Triple &triple = subtarget.getTargetTriple();
  return triple.isAArch64() ||
         (triple.isX86() && subtarget.checkFeatures("+fma"));
}
