// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in memory, and reading and writing them as NumPy's .npy and .npz.

#ifndef QBACKEND_EXECUTION_SAMPLES_ARRAYFILE_H
#define QBACKEND_EXECUTION_SAMPLES_ARRAYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qbackend::arrays {

/// What one element of an `Array` is.
enum class ElementType {
  F32,
  F64,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  Bool,
  F16
};

/// Returns how many bytes one element takes.
size_t getElementSize(ElementType type);

/// Returns NumPy's name of `type`: `float32`, `uint8`, `bool`, ...
llvm::StringRef getElementName(ElementType type);

/// Returns whether `type` is an integer of either sign; `Bool` is not one.
bool isInteger(ElementType type);

/// Returns whether `type` is F16, F32 or F64.
bool isFloat(ElementType type);

/// A dense array in row-major order, in the machine's byte order.
struct Array {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<uint8_t> data;

  /// Makes an array of zeros. The shape has to be one that fits in memory.
  static Array zeros(ElementType type, llvm::ArrayRef<int64_t> shape);

  /// Returns the product of the shape; 1 for an array of rank 0.
  int64_t getNumElements() const;

  /// The elements as `T`, which has to be of the element type's size.
  template <typename T> llvm::ArrayRef<T> as() const {
    return {reinterpret_cast<const T *>(data.data()), data.size() / sizeof(T)};
  }
  template <typename T> llvm::MutableArrayRef<T> as() {
    return {reinterpret_cast<T *>(data.data()), data.size() / sizeof(T)};
  }
};

/// An array and its name in the file. The name of a .npy's array is empty.
struct NamedArray {
  std::string name;
  Array array;
};

/// Returns the number of bytes of an array, or nothing if the shape has a
/// negative extent or the number does not fit in 63 bits.
std::optional<int64_t> getNumBytes(ElementType type,
                                   llvm::ArrayRef<int64_t> shape);

/// Reads the arrays of a .npy or .npz file, in the file's order.
///
/// The kind is taken from the file's first bytes, not its name. Arrays in
/// Fortran order are transposed. Elements keep their type: uint8 stays uint8.
llvm::Expected<std::vector<NamedArray>> readArrays(llvm::StringRef path);

/// Writes `arrays` as an uncompressed .npz. Equal arrays give equal bytes. The
/// file appears under its name only when it is complete.
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays);

/// Writes one array as a .npy file, which appears when it is complete.
llvm::Error writeNpy(llvm::StringRef path, const Array &array);

/// Writes `arrays` in the format of the suffix of `path`: .npz, or .npy or .csv
/// of a single array. The rows of a .csv are the leading dimension, without a
/// header; numbers have as many digits as it takes to read them back.
llvm::Error writeArrays(llvm::StringRef path,
                        llvm::ArrayRef<NamedArray> arrays);

/// Converts each element to float by value, rounding to nearest even. Nothing
/// is scaled: uint8 255 becomes 255.0. `name` is used in error messages.
llvm::Expected<std::vector<float>> toFloat(const Array &array,
                                           llvm::StringRef name = "");

} // namespace qbackend::arrays

#endif // QBACKEND_EXECUTION_SAMPLES_ARRAYFILE_H
