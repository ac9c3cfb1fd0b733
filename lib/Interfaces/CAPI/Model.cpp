// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks of the C interface: loaded, described, written.

#include "Model.h"

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Pipelines/BindParameters.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::capi;

void capi::reportError(const Twine &message,
                       QBackendDiagnosticCallback callback, void *user) {
  std::string text = message.str();
  QBackendDiagnostic diagnostic = {QBACKEND_ERROR, nullptr, 0, 0, text.c_str()};
  if (callback)
    callback(&diagnostic, user);
}

bool capi::checkPointers(ArrayRef<std::pair<StringRef, const void *>> pointers,
                         QBackendDiagnosticCallback callback, void *user) {
  for (auto [name, pointer] : pointers)
    if (!pointer) {
      reportError(name + " is null", callback, user);
      return false;
    }
  return true;
}

FailureOr<func::FuncOp> QBackendModel::findFunction() {
  auto function = findEntry(*module, entry);
  if (!function)
    return session.error() << llvm::toString(function.takeError());
  return *function;
}

LogicalResult QBackendModel::writeBytecode(std::string &bytes) {
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(*module, stream)))
    return session.error() << "the module can't be written as bytecode";
  return success();
}

std::unique_ptr<QBackendModel>
QBackendModel::copy(QBackendDiagnosticCallback callback, void *user) {
  std::string bytes;
  {
    ModelScope scope(*this, callback, user);
    if (failed(writeBytecode(bytes)))
      return nullptr;
  }
  auto result = std::make_unique<QBackendModel>();
  ModelScope scope(*result, callback, user);
  result->module = result->session.parse(bytes, "module", "MLIR");
  result->entry = entry;
  return result->module ? std::move(result) : nullptr;
}

SmallVector<std::string> capi::getArgumentNames(func::FuncOp function) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    names.push_back(getArgumentName(function, i));
  return names;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

QBackendStatus qbackendModelLoad(QBackendText module, QBackendText name,
                                 QBackendText entry, QBackendModel **model,
                                 QBackendDiagnosticCallback callback,
                                 void *user) {
  if (!checkPointers({{"model", model}}, callback, user))
    return QBACKEND_FAILURE;
  *model = nullptr;
  auto result = std::make_unique<QBackendModel>();
  {
    ModelScope scope(*result, callback, user);
    result->entry = toRef(entry).str();
    StringRef file = toRef(name).empty() ? "module" : toRef(name);
    result->module =
        result->session.parse(toRef(module), file, "MLIR as text or bytecode");
    if (!result->module || failed(result->findFunction()))
      return QBACKEND_FAILURE;
  }
  *model = result.release();
  return QBACKEND_SUCCESS;
}

void qbackendModelDestroy(QBackendModel *model) { delete model; }

QBackendStatus qbackendModelBindWeights(QBackendModel *model, QBackendText path,
                                        QBackendDiagnosticCallback callback,
                                        void *user) {
  if (!checkPointers({{"model", model}}, callback, user))
    return QBACKEND_FAILURE;
  ModelScope scope(*model, callback, user);
  if (failed(bindParameters(*model->module, toRef(path))))
    return QBACKEND_FAILURE;
  // Who runs one still has it.
  model->executable.reset();
  model->contracted.reset();
  return QBACKEND_SUCCESS;
}

/// The bytes of the constant tensors, each counted once.
static int64_t countConstantBytes(ModuleOp module) {
  int64_t bits = 0;
  llvm::DenseSet<Attribute> counted;
  module.walk([&](Operation *op) {
    ElementsAttr elements;
    if (!op->hasTrait<OpTrait::ConstantLike>() ||
        !matchPattern(op, m_Constant(&elements)) ||
        !counted.insert(elements).second)
      return;
    Type type = elements.getElementType();
    int64_t width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
    int64_t count = elements.isSplat() ? 1 : elements.getNumElements();
    bits += count * (width == 1 ? 8 : width);
  });
  return (bits + 7) / 8;
}

/// Extents, -1 where they are dynamic; element type as NumPy calls it, or as it
/// is printed; what an integer stands for.
static llvm::json::Object describeType(Type type, bool isUnsigned) {
  llvm::json::Object result;
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element)) {
    result["scale"] = quantized.getScale();
    result["zero_point"] = quantized.getZeroPoint();
    element = IntegerType::get(type.getContext(),
                               quantized.getStorageTypeIntegralWidth());
  }
  std::string name;
  llvm::raw_string_ostream os(name);
  if (isa<FloatType>(element))
    os << "float" << element.getIntOrFloatBitWidth();
  else if (element.isInteger(1))
    os << "bool";
  else if (auto integer = dyn_cast<IntegerType>(element))
    os << (isUnsigned ? "uint" : "int") << integer.getWidth();
  else
    os << element;
  result["type"] = name;
  llvm::json::Array shape;
  if (tensor)
    for (int64_t extent : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(extent) ? int64_t(-1) : extent);
  result["shape"] = std::move(shape);
  return result;
}

QBackendStatus qbackendModelDescribe(QBackendModel *model, char **output,
                                     QBackendDiagnosticCallback callback,
                                     void *user) {
  if (!checkPointers({{"model", model}, {"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  ModelScope scope(*model, callback, user);
  FailureOr<func::FuncOp> function = model->findFunction();
  if (failed(function))
    return QBACKEND_FAILURE;
  auto fixed = findFixedArguments(*function, "");
  if (!fixed) {
    model->session.error() << llvm::toString(fixed.takeError());
    return QBACKEND_FAILURE;
  }
  llvm::json::Array inputs, outputs;
  SmallVector<bool> isUnsigned = findUnsignedArguments(*function);
  for (auto [i, type] : llvm::enumerate(function->getArgumentTypes())) {
    llvm::json::Object input = describeType(type, isUnsigned[i]);
    input["name"] = getArgumentName(*function, i);
    input["holds_samples"] = !(*fixed)[i];
    inputs.push_back(std::move(input));
  }
  isUnsigned = findUnsignedResults(*function);
  for (auto [i, type] : llvm::enumerate(function->getResultTypes()))
    outputs.push_back(describeType(type, isUnsigned[i]));
  llvm::json::Object result{
      {"entry", function->getName()},
      {"inputs", std::move(inputs)},
      {"outputs", std::move(outputs)},
      {"constant_bytes", countConstantBytes(*model->module)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(result));
  return model->session.finish(text, output);
}

QBackendStatus qbackendModelPrint(QBackendModel *model, char **output,
                                  QBackendDiagnosticCallback callback,
                                  void *user) {
  if (!checkPointers({{"model", model}, {"output", output}}, callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  ModelScope scope(*model, callback, user);
  std::string text;
  llvm::raw_string_ostream stream(text);
  // With places: they have the names of operators and arguments.
  model->module->print(stream, OpPrintingFlags().enableDebugInfo());
  return model->session.finish(text, output);
}

QBackendStatus qbackendModelToBytecode(QBackendModel *model, char **output,
                                       size_t *length,
                                       QBackendDiagnosticCallback callback,
                                       void *user) {
  if (!checkPointers({{"model", model}, {"output", output}, {"length", length}},
                     callback, user))
    return QBACKEND_FAILURE;
  *output = nullptr;
  ModelScope scope(*model, callback, user);
  std::string text;
  if (failed(model->writeBytecode(text)))
    return QBACKEND_FAILURE;
  *length = text.size();
  return model->session.finish(text, output);
}
