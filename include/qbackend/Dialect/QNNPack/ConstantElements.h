// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of constant operands, as lowerings read them: in place, and a
// splat of gigabytes as the one element that it is.

#ifndef QBACKEND_DIALECT_QNNPACK_CONSTANTELEMENTS_H
#define QBACKEND_DIALECT_QNNPACK_CONSTANTELEMENTS_H

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

namespace qbackend::qnnpack {

/// The elements of a constant tensor of `T`, which the context owns.
template <typename T> class ConstantElements {
public:
  /// Those of `value`, maybe behind a storage cast; nothing if it is not a
  /// constant of elements of this width, or one without data.
  static std::optional<ConstantElements> read(mlir::Value value) {
    if (auto cast = value.getDefiningOp<mlir::quant::StorageCastOp>())
      value = cast.getInput();
    ConstantElements result;
    if (!mlir::matchPattern(value, mlir::m_Constant(&result.attribute)) ||
        !result.attribute.getElementType().isIntOrFloat() ||
        result.attribute.getElementType().getIntOrFloatBitWidth() !=
            8 * sizeof(T))
      return std::nullopt;
    llvm::ArrayRef<char> bytes;
    if (auto dense =
            mlir::dyn_cast<mlir::DenseElementsAttr>(result.attribute)) {
      bytes = dense.getRawData();
      result.splat = dense.isSplat() && result.size() != 0;
    } else if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(
                   result.attribute)) {
      if (mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        bytes = blob->getData();
    }
    result.elements = {reinterpret_cast<const T *>(bytes.data()),
                       result.size() == 0 ? 0 : bytes.size() / sizeof(T)};
    if (int64_t(result.elements.size()) != (result.splat ? 1 : result.size()))
      return std::nullopt;
    return result;
  }

  /// How many elements the tensor has.
  int64_t size() const { return attribute.getNumElements(); }

  T operator[](int64_t i) const { return elements[splat ? 0 : i]; }

  /// All elements are one, and there is one.
  bool isSplat() const { return splat; }

  /// Whether they may be written out: no weight is that large, but a splat of
  /// any size is cheap to write.
  bool canExpand() const { return !splat || size() <= int64_t(1) << 30; }

  /// What is stored: all elements in row-major order, or the one of a splat.
  llvm::ArrayRef<T> getStored() const { return elements; }

  /// The same elements in another shape.
  mlir::ElementsAttr reshape(llvm::ArrayRef<int64_t> shape) const {
    auto type = mlir::RankedTensorType::get(shape, attribute.getElementType());
    if (auto resource =
            mlir::dyn_cast<mlir::DenseResourceElementsAttr>(attribute))
      return mlir::DenseResourceElementsAttr::get(type,
                                                  resource.getRawHandle());
    return mlir::cast<mlir::DenseElementsAttr>(attribute).reshape(type);
  }

private:
  mlir::ElementsAttr attribute;
  llvm::ArrayRef<T> elements;
  bool splat = false;
};

} // namespace qbackend::qnnpack

#endif // QBACKEND_DIALECT_QNNPACK_CONSTANTELEMENTS_H
