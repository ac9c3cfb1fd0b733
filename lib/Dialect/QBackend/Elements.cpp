// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and rearranges the bytes of constants, of which there may be gigabytes:
// they are read in the order of memory, and copied where they have to be.

#include "qbackend/Dialect/QBackend/Elements.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/DialectResourceBlobManager.h"
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

/// How many elements there are, in no more than 63 bits.
static std::optional<int64_t> countElements(ShapedType type) {
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
         countElements(type) == int64_t(data.size() / width);
}

bool qbackend::hasWholeData(ElementsAttr elements) {
  if (isa<DenseElementsAttr>(elements))
    return true;
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
  Dimension last = outer.pop_back_val(), near = last;
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

DenseElementsAttr qbackend::transposeElements(ElementsAttr elements,
                                              ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(elements.getShapedType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  auto resultType = type.clone(shape);
  if (auto splat = dyn_cast<SplatElementsAttr>(elements))
    return splat.resizeSplat(resultType);
  std::optional<ArrayRef<char>> data = getRawData(elements);
  unsigned bits = type.getElementTypeBitWidth();
  int64_t width = bits / 8;
  if (!data || bits % 8 != 0 || !isWhole(*data, type, width))
    return {};

  std::vector<char> result(data->size());
  if (result.empty())
    return DenseElementsAttr::getFromRawBuffer(resultType, result);
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, width);
  for (int64_t i = rank - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  SmallVector<Dimension> dimensions(rank);
  for (int64_t i = rank - 1, to = width; i >= 0; to *= shape[i--])
    dimensions[i] = {shape[i], to, strides[permutation[i]]};
  auto copyBy = [&](auto copy) {
    copyTransposed(result.data(), data->data(), dimensions, width, copy);
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
    std::optional<int64_t> size = countElements(elements.getShapedType());
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

std::optional<SmallVector<float, 0>>
qbackend::readFloats(ElementsAttr elements) {
  SmallVector<float, 0> storage;
  std::optional<ArrayRef<float>> view = viewFloats(elements, storage);
  if (!view)
    return std::nullopt;
  if (storage.empty())
    storage.assign(view->begin(), view->end());
  return storage;
}
