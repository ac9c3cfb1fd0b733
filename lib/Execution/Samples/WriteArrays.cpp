// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in the format of the file's name.

#include "qbackend/Execution/Samples/ArrayFile.h"
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
  auto visit = [&](auto type, auto convert) {
    for (auto element : array.as<decltype(type)>())
      write(convert(element));
  };
  auto asFloat = [](auto value) { return double(value); };
  auto asSigned = [](auto value) { return int64_t(value); };
  auto asUnsigned = [](auto value) { return uint64_t(value); };
  switch (array.type) {
  case ElementType::F32:
    return visit(float(), asFloat);
  case ElementType::F64:
    return visit(double(), asFloat);
  case ElementType::I8:
    return visit(int8_t(), asSigned);
  case ElementType::I16:
    return visit(int16_t(), asSigned);
  case ElementType::I32:
    return visit(int32_t(), asSigned);
  case ElementType::I64:
    return visit(int64_t(), asSigned);
  case ElementType::U8:
  case ElementType::Bool:
    return visit(uint8_t(), asUnsigned);
  case ElementType::U16:
    return visit(uint16_t(), asUnsigned);
  case ElementType::U32:
    return visit(uint32_t(), asUnsigned);
  case ElementType::U64:
    return visit(uint64_t(), asUnsigned);
  case ElementType::F16:
    break;
  }
  Expected<std::vector<float>> values = toFloat(array);
  for (float value : cantFail(std::move(values)))
    write(double(value));
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
