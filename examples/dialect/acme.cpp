// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect of somebody else, as a plugin, whose ops qbackend recognises:
//
//   qbackend-opt --load-dialect-plugin=libAcme.so --apply-backend=qnnpack
//   in.mlir

#include "qbackend/Operators/Recognizer.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace mlir;

namespace {
/// %y = "acme.rectify"(%x): max(x, 0)
class RectifyOp
    : public Op<RectifyOp, OpTrait::ZeroRegions, OpTrait::OneResult,
                OpTrait::OneOperand, OpTrait::SameOperandsAndResultType,
                MemoryEffectOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "acme.rectify"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  /// None: otherwise it couldn't be part of an operator.
  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &) {}
};

class AcmeDialect : public Dialect {
public:
  explicit AcmeDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<AcmeDialect>()) {
    addOperations<RectifyOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return "acme"; }
};

/// Says which operator of PyTorch an op of the dialect is.
class AcmeRecognizer : public qbackend::OperatorRecognizerInterface {
public:
  using OperatorRecognizerInterface::OperatorRecognizerInterface;

  void recognize(
      Operation *root, qbackend::ConstantEvaluator &,
      SmallVectorImpl<qbackend::RecognizedOperator> &found) const override {
    if (!isa<RectifyOp>(root))
      return;
    qbackend::RecognizedOperator op;
    op.kind = qbackend::ReluAttr::get(root->getContext());
    op.result = root->getResult(0);
    op.inputs = {qbackend::RecognizedOperand::of(root->getOperand(0))};
    found.push_back(std::move(op));
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Acme", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            registry->insert<AcmeDialect>();
            registry->addExtension(+[](MLIRContext *, AcmeDialect *dialect) {
              dialect->addInterfaces<AcmeRecognizer>();
            });
          }};
}
