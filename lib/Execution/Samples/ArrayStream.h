// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a .npy from its start to its end, some rows at a time.

#ifndef QBACKEND_LIB_EXECUTION_SAMPLES_ARRAYSTREAM_H
#define QBACKEND_LIB_EXECUTION_SAMPLES_ARRAYSTREAM_H

#include "qbackend/Execution/Samples/ArrayFile.h"

#include <functional>
#include <memory>

namespace qbackend::arrays {

/// An array that is being read.
class ArrayStream {
public:
  /// Fills a buffer as far as there is data, and says how far that was.
  using ReadFn = std::function<llvm::Expected<size_t>(void *, size_t)>;

  /// Reads the header. `where` starts each error: "'x.npy'". With `isLast`,
  /// data after the end of the array is an error.
  static llvm::Expected<ArrayStream> open(std::string name, std::string where,
                                          ReadFn read, bool isLast);

  /// Opens the array of a .npy, or all those of a .npz.
  static llvm::Expected<std::vector<ArrayStream>>
  openFile(llvm::StringRef path);

  /// Takes the array for one sample, by a new first extent of 1.
  void addLeadingDimension() { shape.insert(shape.begin(), 1); }

  /// Returns how many rows there still are.
  int64_t getRowsLeft() const { return shape[0] - done; }

  /// Appends the next rows, at most `count`, to `array`, which is of the same
  /// type and row shape, or empty.
  llvm::Error read(int64_t count, Array &array);

  /// Reads the array, of which nothing was read yet.
  llvm::Expected<Array> readAll();

  std::string name;
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;

private:
  /// Appends so many bytes.
  llvm::Error readBytes(std::vector<uint8_t> &data, int64_t size);
  /// All was read: whether there is more.
  llvm::Error checkEnd();

  std::string where;
  ReadFn source;
  bool isLast = true;
  int64_t done = 0;
  /// The whole array, if it is column-major.
  std::shared_ptr<Array> transposed;
};

} // namespace qbackend::arrays

#endif // QBACKEND_LIB_EXECUTION_SAMPLES_ARRAYSTREAM_H
