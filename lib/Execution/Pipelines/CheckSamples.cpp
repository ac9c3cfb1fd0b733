// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be known to be wrong with samples before anything is compiled.

#include "qbackend/Execution/Pipelines/CheckSamples.h"

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Execution/Samples/SampleSource.h"
#include "qbackend/Support/Error.h"
#include "qbackend/Support/Shape.h"

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

llvm::Expected<double> qbackend::parseInputScale(StringRef text) {
  if (text.empty())
    return 1.0;
  auto [over, under] = text.split('/');
  double numerator, denominator = 1.0;
  if (over.getAsDouble(numerator) ||
      (text.contains('/') && under.getAsDouble(denominator)))
    return makeError("input-scale '{0}' is not a number or a quotient like "
                     "1/255",
                     text);
  double scale = numerator / denominator;
  if (!(scale > 0) || !std::isfinite(scale))
    return makeError("input-scale is '{0}', expected a number above 0 or a "
                     "quotient like 1/255",
                     text);
  return scale;
}

llvm::Error qbackend::checkSampleRequest(const SampleRequest &request) {
  if (request.samples != -1 && request.samples < 1)
    return makeError("samples is {0}, expected 1 or more; leave it out for all",
                     request.samples);
  if (llvm::Error error = parseInputScale(request.inputScale).takeError())
    return error;
  if (request.data.empty())
    return llvm::Error::success();
  return arrays::checkSamplePath(request.data);
}

/// Whether `shape`, whose first extent counts samples unless it `isFixed`, is
/// one of `type`.
static bool hasShape(RankedTensorType type, ArrayRef<int64_t> shape,
                     bool isFixed) {
  if (int64_t(shape.size()) != type.getRank())
    return false;
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if ((i > 0 || isFixed) && !ShapedType::isDynamic(extent) &&
        extent != shape[i])
      return false;
  return true;
}

/// What an array for `type` is: "float32 Nx8x8".
static std::string describe(RankedTensorType type, bool isFixed) {
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = quantized.getStorageType();
  std::string text;
  if (element.isIntOrFloat())
    text = (isa<FloatType>(element) ? "float" : "int") +
           std::to_string(element.getIntOrFloatBitWidth()) + " ";
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    text += i ? "x" : "";
    text += i == 0 && !isFixed              ? "N"
            : ShapedType::isDynamic(extent) ? "?"
                                            : std::to_string(extent);
  }
  return text;
}

/// Says of a network with state what samples don't show of it.
static void warnState(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (!isa<tosa::VariableWriteOp, ml_program::GlobalStoreOp>(op))
      return WalkResult::advance();
    emitWarning(op->getLoc())
        << "each sample begins with the initial value of what is written here: "
           "what it becomes over several calls is not seen; pass the state as "
           "an argument to have it in the samples";
    return WalkResult::interrupt();
  });
}

llvm::Error qbackend::checkSamples(func::FuncOp function,
                                   const SampleRequest &request) {
  if (llvm::Error error = checkSampleRequest(request))
    return error;
  warnState(function);
  Location loc = function->getParentOfType<ModuleOp>().getLoc();
  StringRef data = request.data;
  if (data.empty()) {
    if (!request.inputScale.empty())
      emitWarning(loc) << "input-scale=" << request.inputScale
                       << " has no effect without data";
    return llvm::Error::success();
  }
  // Only reading tells what comes on standard input.
  if (arrays::isReadOnce(data) || function.getNumArguments() == 0)
    return llvm::Error::success();
  auto fixed = findFixedArguments(function, request.sampleArguments);
  if (!fixed)
    return fixed.takeError();
  std::vector<arrays::SampleArgument> arguments =
      getSampleArguments(function, *fixed);
  auto source = arrays::SampleSource::open(data, function.getName(), arguments);
  if (!source)
    return source.takeError();
  for (const std::string &warning : (*source)->getWarnings())
    emitWarning(loc) << warning;

  bool isScaled = request.inputScale.empty();
  const arrays::NamedArray *last = nullptr;
  std::vector<arrays::NamedArray> headers = (*source)->getHeaders();
  for (auto [header, argument, type, isFixed] :
       llvm::zip(headers, arguments, function.getArgumentTypes(), *fixed)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    if (!isFixed && !header.array.shape.empty())
      header.array.shape[0] = (*source)->size();
    if (!hasShape(tensor, header.array.shape, isFixed))
      return makeError("array '{0}' is {1} {2}; expected {3}", header.name,
                       arrays::getElementName(header.array.type),
                       formatShape(header.array.shape),
                       describe(tensor, isFixed));
    bool takesScale = isa<FloatType>(tensor.getElementType()) &&
                      arrays::isInteger(header.array.type);
    if (takesScale && request.inputScale.empty())
      return makeError("array '{0}' is {1}, the network takes float{2}: say "
                       "what to multiply by, input-scale=1/255 for images or "
                       "input-scale=1 for plain numbers",
                       header.name, arrays::getElementName(header.array.type),
                       tensor.getElementTypeBitWidth());
    isScaled |= takesScale;
    last = &header;
  }
  if (!isScaled && last)
    emitWarning(loc) << "input-scale=" << request.inputScale
                     << " has no effect: it multiplies integer data, array '"
                     << last->name << "' is "
                     << arrays::getElementName(last->array.type);
  int64_t size = (*source)->size();
  if (size >= 0 && request.samples > size)
    emitWarning(loc) << "samples=" << request.samples << ", but '" << data
                     << "' has " << size << "; all of them are used";
  return llvm::Error::success();
}
