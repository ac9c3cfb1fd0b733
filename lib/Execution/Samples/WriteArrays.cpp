// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in the format of the file's name.

#include "ElementTypes.h"

#include "qbackend/Support/FileFormat.h"
#include "qbackend/Support/OutputFile.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;

/// Calls `write` with each element as the type that prints it.
template <typename WriteFn>
static void forEachElement(const Array &array, WriteFn write) {
  if (array.type == ElementType::F16) {
    Expected<std::vector<float>> values = toFloat(array);
    for (float value : cantFail(std::move(values)))
      write(double(value));
    return;
  }
  visitStored(array.type, [&](auto zero) {
    using T = decltype(zero);
    for (T element : array.as<T>())
      if constexpr (std::is_floating_point_v<T>)
        write(double(element));
      else if constexpr (std::is_signed_v<T>)
        write(int64_t(element));
      else
        write(uint64_t(element));
  });
}

static Error writeCsv(StringRef path, const Array &array) {
  OutputFile file(path);
  if (!file.error()) {
    int64_t rows = array.shape.empty() ? 1 : array.shape[0];
    int64_t columns = rows ? array.getNumElements() / rows : 0, column = 0;
    // What an element of the type takes to be read back.
    int digits = array.type == ElementType::F64 ? 17 : 9;
    forEachElement(array, [&](auto value) {
      if constexpr (std::is_same_v<decltype(value), double>)
        file.os() << format("%.*g", digits, value);
      else
        file.os() << value;
      bool isLast = ++column == columns;
      file.os() << (isLast ? '\n' : ',');
      column = isLast ? 0 : column;
    });
  }
  if (std::error_code error = file.commit())
    return createStringError("cannot write '" + path + "': " + error.message());
  return Error::success();
}

Error qbackend::arrays::writeArrays(StringRef path,
                                    ArrayRef<NamedArray> arrays) {
  auto format =
      chooseFormat(path, {FileFormat::Npz, FileFormat::Npy, FileFormat::CSV});
  if (!format)
    return format.takeError();
  if (*format == FileFormat::Npz)
    return writeNpz(path, arrays);
  if (arrays.size() != 1)
    return createStringError("cannot write '" + path + "': a " +
                             getSuffix(*format) +
                             " file holds one array, and there are " +
                             Twine(arrays.size()) + "; write a .npz file");
  return *format == FileFormat::Npy ? writeNpy(path, arrays[0].array)
                                    : writeCsv(path, arrays[0].array);
}
