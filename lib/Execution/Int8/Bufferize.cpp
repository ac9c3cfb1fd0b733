// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufferization of the int8 dialect: ops write all of their destination.

#include "qbackend/Execution/Int8/Int8.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace qbackend;

namespace {
template <typename OpT>
struct KernelInterface
    : DstBufferizableOpInterfaceExternalModel<KernelInterface<OpT>, OpT> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto kernel = cast<DestinationStyleOpInterface>(op);
    if (kernel.hasPureBufferSemantics())
      return success();
    if (!kernel.hasPureTensorSemantics())
      return op->emitError() << "mixes tensors and buffers";
    SmallVector<Value> buffers;
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> buffer =
          getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    Value destination =
        buffers[kernel.getDpsInitOperand(0)->getOperandNumber()];
    rewriter.insert(
        Operation::create(op->getLoc(), op->getName(), TypeRange(), buffers,
                          op->getDiscardableAttrDictionary(),
                          op->getPropertiesStorage(), BlockRange(), 0));
    replaceOpWithBufferizedValues(rewriter, op, destination);
    return success();
  }
};
} // namespace

void int8::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, Int8Dialect *) {
    Conv2dOp::attachInterface<KernelInterface<Conv2dOp>>(*context);
  });
}
