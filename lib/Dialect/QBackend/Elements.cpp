// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and rearranges the bytes of constants, of which there may be gigabytes:
// they are read in the order of memory, and copied where they have to be.

#include "qbackend/Dialect/QBackend/Elements.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace mlir;
using namespace qbackend;

/// The raw bytes of `elements`, if they are stored densely.
static std::optional<ArrayRef<char>> getRawData(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return std::nullopt;
}

std::optional<int64_t> qbackend::tryCountElements(ShapedType type) {
  int64_t count = 1;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

/// Whether `data` are the elements of `type`, of `width` bytes.
static bool isWhole(ArrayRef<char> data, ShapedType type, int64_t width) {
  return width > 0 && data.size() % width == 0 &&
         tryCountElements(type) == int64_t(data.size() / width);
}

bool qbackend::hasWholeData(ElementsAttr elements) {
  // MLIR's own count of elements wraps.
  if (isa<DenseElementsAttr>(elements))
    return tryCountElements(elements.getShapedType()).has_value();
  std::optional<ArrayRef<char>> data = getRawData(elements);
  Type element = elements.getElementType();
  int64_t numbers = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    numbers = 2;
  }
  if (!data || !element.isIntOrIndexOrFloat())
    return false;
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return isWhole(*data, elements.getShapedType(),
                 numbers * llvm::divideCeil(bits, 8));
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of the result: how many, and how many bytes apart in the result
/// and in the source.
struct Dimension {
  int64_t size, to, from;
};
} // namespace

/// Those of more than one element, with neighbours that stay neighbours as one.
static SmallVector<Dimension> mergeDimensions(ArrayRef<Dimension> dimensions) {
  SmallVector<Dimension> result;
  for (const Dimension &dimension : dimensions) {
    if (dimension.size == 1)
      continue;
    if (!result.empty() &&
        result.back().from == dimension.from * dimension.size) {
      result.back() = {result.back().size * dimension.size, dimension.to,
                       dimension.from};
      continue;
    }
    result.push_back(dimension);
  }
  return result;
}

/// Copies a matrix of numbers of `width` bytes, of which one side is read, the
/// other written along `lines`: `near` is next to each other in the source,
/// `last` in the result. Tiles are a cache line wide, so that each line of
/// either side is used as a whole, in panels whose pages are few.
template <typename CopyFn>
static void transposeMatrix(char *to, const char *from, const Dimension &near,
                            const Dimension &last, int64_t width, CopyFn copy) {
  constexpr int64_t line = 64, panel = 256;
  const int64_t tile = std::max<int64_t>(line / width, 8);
  auto forEachTile = [](int64_t begin, int64_t end, int64_t step, auto &&work) {
    for (int64_t at = begin; at < end; at += step)
      work(at, std::min(at + step, end));
  };
  forEachTile(0, near.size, panel, [&](int64_t nearBegin, int64_t nearEnd) {
    forEachTile(0, last.size, panel, [&](int64_t lastBegin, int64_t lastEnd) {
      forEachTile(nearBegin, nearEnd, tile, [&](int64_t n0, int64_t n1) {
        forEachTile(lastBegin, lastEnd, tile, [&](int64_t l0, int64_t l1) {
          for (int64_t n = n0; n < n1; ++n)
            for (int64_t l = l0; l < l1; ++l)
              copy(to + n * near.to + l * width,
                   from + n * width + l * last.from);
        });
      });
    });
  });
}

/// Copies numbers of `width` bytes from `from` to `to`, all of `dimensions`,
/// which are those of the result from the outermost on.
template <typename CopyFn>
static void copyTransposed(char *to, const char *from,
                           ArrayRef<Dimension> dimensions, int64_t width,
                           CopyFn copy) {
  SmallVector<Dimension> outer = mergeDimensions(dimensions);
  if (outer.empty())
    outer.push_back({1, width, width});
  // Of one row, no other dimension may be next to each other in the source.
  Dimension last = outer.pop_back_val(), near = {1, width, width};
  bool isRow = last.from == width;
  auto *nearest = llvm::find_if(
      outer, [&](const Dimension &outer) { return outer.from == width; });
  if (!isRow && nearest != outer.end()) {
    near = *nearest;
    outer.erase(nearest);
  }
  SmallVector<int64_t> at(outer.size(), 0);
  for (bool done = false; !done;) {
    if (isRow)
      std::memcpy(to, from, last.size * width);
    else
      transposeMatrix(to, from, near, last, width, copy);
    done = true;
    for (size_t i = outer.size(); i-- > 0 && done;) {
      to += outer[i].to;
      from += outer[i].from;
      done = ++at[i] == outer[i].size;
      if (done) {
        to -= outer[i].to * outer[i].size;
        from -= outer[i].from * outer[i].size;
        at[i] = 0;
      }
    }
  }
}

namespace {
/// Some rows of dimension 0.
struct Rows {
  int64_t first, count;
};
} // namespace

/// Writes `data`, the numbers of `width` bytes of `type`, to `to`, with
/// dimension `i` being the former dimension `permutation[i]`; of the result
/// only `rows`, if there are any.
static void writeTransposed(char *to, ArrayRef<char> data,
                            RankedTensorType type,
                            ArrayRef<int64_t> permutation, int64_t width,
                            std::optional<Rows> rows = std::nullopt) {
  if (data.empty())
    return;
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, width);
  for (int64_t i = rank - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  SmallVector<Dimension> dimensions(rank);
  int64_t stride = width;
  for (int64_t i = rank - 1; i >= 0; --i) {
    int64_t size =
        i == 0 && rows ? rows->count : type.getDimSize(permutation[i]);
    dimensions[i] = {size, stride, strides[permutation[i]]};
    stride *= size;
  }
  const char *from = data.data();
  if (rows)
    from += rows->first * dimensions[0].from;
  auto copyBy = [&](auto copy) {
    copyTransposed(to, from, dimensions, width, copy);
  };
  auto copyNumber = [](auto number) {
    return [](char *to, const char *from) {
      std::memcpy(to, from, sizeof(number));
    };
  };
  switch (width) {
  case 1:
    copyBy(copyNumber(uint8_t()));
    break;
  case 2:
    copyBy(copyNumber(uint16_t()));
    break;
  case 4:
    copyBy(copyNumber(uint32_t()));
    break;
  case 8:
    copyBy(copyNumber(uint64_t()));
    break;
  default:
    copyBy([&](char *to, const char *from) { std::memcpy(to, from, width); });
  }
}

DenseElementsAttr qbackend::transposeElements(ElementsAttr elements,
                                              ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(elements.getShapedType());
  auto resultType = type.clone(applyPermutation(type.getShape(), permutation));
  if (auto splat = dyn_cast<SplatElementsAttr>(elements))
    return splat.resizeSplat(resultType);
  std::optional<ArrayRef<char>> data = getRawData(elements);
  unsigned bits = type.getElementTypeBitWidth();
  int64_t width = bits / 8;
  if (!data || bits % 8 != 0 || !isWhole(*data, type, width))
    return {};
  std::vector<char> result(data->size());
  writeTransposed(result.data(), *data, type, permutation, width);
  return DenseElementsAttr::getFromRawBuffer(resultType, result);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The bytes of `elements`, none for a splat; nullopt if they aren't numbers
/// that can be read.
static std::optional<ArrayRef<char>> getFloatData(ElementsAttr elements) {
  if (!elements.getElementType().isF32())
    return std::nullopt;
  // No weight is that large; a splat of any size is cheap to write.
  constexpr int64_t maxSplat = int64_t(1) << 30;
  if (isa<SplatElementsAttr>(elements)) {
    std::optional<int64_t> size = tryCountElements(elements.getShapedType());
    if (!size || *size > maxSplat)
      return std::nullopt;
    return ArrayRef<char>();
  }
  std::optional<ArrayRef<char>> data = getRawData(elements);
  if (!data || !isWhole(*data, elements.getShapedType(), sizeof(float)))
    return std::nullopt;
  return data;
}

bool qbackend::hasFloats(ElementsAttr elements) {
  return getFloatData(elements).has_value();
}

std::optional<ArrayRef<float>>
qbackend::viewFloats(ElementsAttr elements, SmallVectorImpl<float> &storage) {
  std::optional<ArrayRef<char>> data = getFloatData(elements);
  if (!data)
    return std::nullopt;
  size_t size = elements.getNumElements();
  if (auto splat = dyn_cast<SplatElementsAttr>(elements)) {
    storage.assign(size, splat.getSplatValue<float>());
    return ArrayRef<float>(storage);
  }
  if (llvm::isAddrAligned(llvm::Align::Of<float>(), data->data()))
    return ArrayRef(reinterpret_cast<const float *>(data->data()), size);
  storage.resize_for_overwrite(size);
  std::memcpy(storage.data(), data->data(), data->size());
  return ArrayRef<float>(storage);
}

/// The constant that `value` is, or that the transpose `value` reads.
static std::pair<ElementsAttr, TransposeOp> findConstant(Value value) {
  if (!value)
    return {};
  auto transpose = value.getDefiningOp<TransposeOp>();
  ElementsAttr elements;
  if (matchPattern(transpose ? transpose.getInput() : value,
                   m_Constant(&elements)))
    return {elements, transpose};
  return {};
}

bool qbackend::hasFloats(Value value) {
  ElementsAttr elements = findConstant(value).first;
  return elements && hasFloats(elements);
}

std::optional<ArrayRef<float>>
qbackend::viewFloats(Value value, SmallVectorImpl<float> &storage) {
  auto [elements, transpose] = findConstant(value);
  if (!elements)
    return std::nullopt;
  if (!transpose || isa<SplatElementsAttr>(elements))
    return viewFloats(elements, storage);
  std::optional<ArrayRef<char>> data = getFloatData(elements);
  if (!data)
    return std::nullopt;
  storage.resize_for_overwrite(elements.getNumElements());
  writeTransposed(reinterpret_cast<char *>(storage.data()), *data,
                  cast<RankedTensorType>(elements.getShapedType()),
                  transpose.getPermutation(), sizeof(float));
  return ArrayRef<float>(storage);
}

bool qbackend::forEachPanel(Value value,
                            function_ref<bool(int64_t, ArrayRef<float>)> read) {
  auto [elements, transpose] = findConstant(value);
  std::optional<ArrayRef<char>> data;
  if (elements)
    data = getFloatData(elements);
  if (!data)
    return false;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<float, 0> storage;
  if (!transpose || isa<SplatElementsAttr>(elements) || data->empty())
    return read(0, *viewFloats(value, storage));
  // Enough that a panel of the data is whole cache lines, see transposeMatrix.
  constexpr int64_t panel = 64;
  int64_t rows = type.getDimSize(0), perRow = type.getNumElements() / rows;
  for (int64_t first = 0; first < rows; first += panel) {
    int64_t count = std::min(panel, rows - first);
    storage.resize_for_overwrite(count * perRow);
    writeTransposed(reinterpret_cast<char *>(storage.data()), *data,
                    cast<RankedTensorType>(elements.getShapedType()),
                    transpose.getPermutation(), sizeof(float),
                    Rows{first, count});
    if (!read(first, storage))
      return false;
  }
  return true;
}

std::optional<SmallVector<float, 0>> qbackend::readFloats(Value value) {
  SmallVector<float, 0> storage;
  std::optional<ArrayRef<float>> view = viewFloats(value, storage);
  if (!view)
    return std::nullopt;
  if (storage.empty())
    storage.assign(view->begin(), view->end());
  return storage;
}

std::optional<uint64_t> qbackend::hashFloats(Value value) {
  auto [elements, transpose] = findConstant(value);
  std::optional<ArrayRef<char>> data;
  if (elements)
    data = getFloatData(elements);
  if (!data)
    return std::nullopt;
  // The number and its place, mixed; what is added up may come in any order.
  uint64_t sum = 0;
  auto add = [&sum](const char *number, uint64_t place) {
    uint32_t bits;
    std::memcpy(&bits, number, sizeof(bits));
    uint64_t mixed = (place << 32 | bits) + place;
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93;
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93;
    sum += mixed ^ mixed >> 32;
  };
  if (auto splat = dyn_cast<SplatElementsAttr>(elements)) {
    auto number = splat.getSplatValue<float>();
    add(reinterpret_cast<const char *>(&number), 0);
    return sum;
  }
  auto type = cast<ShapedType>(elements.getShapedType());
  int64_t rank = type.getRank();
  // How far apart in the result neighbours in each dimension of the data are.
  SmallVector<int64_t> strides(rank);
  int64_t stride = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    int64_t dim = transpose ? transpose.getPermutation()[i] : i;
    strides[dim] = stride;
    stride *= type.getDimSize(dim);
  }
  int64_t length = rank ? type.getDimSize(rank - 1) : 1;
  int64_t step = rank ? strides[rank - 1] : 1;
  SmallVector<int64_t> at(std::max<int64_t>(rank - 1, 0), 0);
  int64_t place = 0;
  for (const char *number = data->begin(); number != data->end();) {
    for (int64_t i = 0; i < length; ++i, number += sizeof(float))
      add(number, place + i * step);
    for (int64_t dim = rank - 2; dim >= 0; --dim) {
      place += strides[dim];
      if (++at[dim] < type.getDimSize(dim))
        break;
      place -= strides[dim] * type.getDimSize(dim);
      at[dim] = 0;
    }
  }
  return sum;
}
