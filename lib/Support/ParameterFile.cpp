// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .safetensors: the tensors' names, types, shapes and offsets from its header.

#include "qbackend/Support/ParameterFile.h"

#include "qbackend/Support/Error.h"
#include "qbackend/Support/ParseJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace qbackend;

/// The format's own limit: longer headers are no headers.
static constexpr uint64_t kMostOfHeader = 100'000'000;

static constexpr const char *kAgain = "write or copy the file again";

namespace {
struct ElementFormat {
  StoredKind kind;
  unsigned bits;
};

/// A tensor and where its bytes are, counted from the end of the header.
struct Placed {
  StoredTensor tensor;
  uint64_t begin = 0, end = 0;
};
} // namespace

/// Types that came to the format later than this have no size here.
static ElementFormat getFormat(StringRef dtype) {
  return StringSwitch<ElementFormat>(dtype)
      .Case("F64", {StoredKind::Float, 64})
      .Case("F32", {StoredKind::Float, 32})
      .Case("F16", {StoredKind::Float, 16})
      .Case("BF16", {StoredKind::BFloat, 16})
      .Case("I64", {StoredKind::Signed, 64})
      .Case("I32", {StoredKind::Signed, 32})
      .Case("I16", {StoredKind::Signed, 16})
      .Case("I8", {StoredKind::Signed, 8})
      .Case("U64", {StoredKind::Unsigned, 64})
      .Case("U32", {StoredKind::Unsigned, 32})
      .Case("U16", {StoredKind::Unsigned, 16})
      .Case("U8", {StoredKind::Unsigned, 8})
      .Case("BOOL", {StoredKind::Bool, 8})
      .Case("F8_E4M3", {StoredKind::Other, 8})
      .Case("F8_E5M2", {StoredKind::Other, 8})
      .Default({StoredKind::Other, 0});
}

/// Reads `array` as numbers from 0 on.
static std::optional<SmallVector<uint64_t>>
readExtents(const json::Array *array) {
  if (!array)
    return std::nullopt;
  SmallVector<uint64_t> extents;
  for (const json::Value &value : *array) {
    std::optional<int64_t> extent = value.getAsInteger();
    if (!extent || *extent < 0)
      return std::nullopt;
    extents.push_back(*extent);
  }
  return extents;
}

/// How many bytes a tensor needs; nothing if that is beyond 63 bits.
static std::optional<int64_t> countBytes(ArrayRef<int64_t> shape,
                                         unsigned bits) {
  if (is_contained(shape, 0))
    return 0;
  int64_t bytes = bits / 8;
  for (int64_t extent : shape)
    if (MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

/// Reads what the header says of one tensor, of a file with `size` bytes of
/// data.
static Expected<Placed> readEntry(StringRef name, const json::Value &value,
                                  uint64_t size) {
  auto fail = [&](const Twine &what) {
    return createStringError("has a tensor '" + name + "' " + what + "; " +
                             kAgain);
  };
  const json::Object *entry = value.getAsObject();
  std::optional<StringRef> dtype =
      entry ? entry->getString("dtype") : std::nullopt;
  auto shape = readExtents(entry ? entry->getArray("shape") : nullptr);
  auto offsets = readExtents(entry ? entry->getArray("data_offsets") : nullptr);
  if (!dtype || !shape || !offsets || offsets->size() != 2)
    return fail("without a dtype, a shape of sizes, and two data_offsets");
  Placed placed;
  placed.begin = (*offsets)[0];
  placed.end = (*offsets)[1];
  if (placed.begin > placed.end || placed.end > size)
    return fail("at the bytes " + Twine(placed.begin) + " to " +
                Twine(placed.end) + ", but " + Twine(size) +
                " bytes follow the header");
  ElementFormat format = getFormat(*dtype);
  StoredTensor &tensor = placed.tensor;
  tensor.name = name.str();
  tensor.typeName = dtype->str();
  tensor.kind = format.kind;
  tensor.bits = format.bits;
  tensor.shape.assign(shape->begin(), shape->end());
  std::optional<int64_t> bytes = countBytes(tensor.shape, format.bits);
  if (format.bits != 0 &&
      (!bytes || uint64_t(*bytes) != placed.end - placed.begin))
    return fail("of " + Twine(placed.end - placed.begin) +
                " bytes, which its shape and " + *dtype + " don't need");
  return placed;
}

Expected<ParameterFile>
qbackend::readSafeTensors(std::unique_ptr<MemoryBuffer> buffer) {
  StringRef content = buffer->getBuffer();
  constexpr uint64_t lengthSize = 8;
  if (content.size() < lengthSize)
    return makeError("has {0} bytes, expected a .safetensors file, which "
                     "begins with the length of its header in 8 bytes",
                     content.size());
  uint64_t length = support::endian::read64le(content.data());
  StringRef rest = content.drop_front(lengthSize);
  if (!rest.starts_with("{"))
    return makeError("is neither a .safetensors nor a .npz file; save the "
                     "weights as one of them");
  if (length > kMostOfHeader || length > rest.size())
    return makeError("has a header of {0} bytes, but {1} bytes follow; {2}",
                     length, rest.size(), kAgain);
  StringRef data = rest.drop_front(length);
  Expected<json::Value> header = parseJson(rest.take_front(length));
  if (!header)
    return makeError("has a header that is no JSON ({0}); {1}",
                     toString(header.takeError()), kAgain);
  const json::Object *entries = header->getAsObject();
  if (!entries)
    return makeError("has a header that is no JSON object; {0}", kAgain);

  // The object has no order that could be relied on.
  std::vector<std::pair<StringRef, const json::Value *>> sorted;
  for (const auto &[key, value] : *entries)
    if (StringRef(key) != "__metadata__")
      sorted.emplace_back(key, &value);
  llvm::sort(sorted,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<Placed> placed;
  for (auto [name, value] : sorted) {
    Expected<Placed> entry = readEntry(name, *value, data.size());
    if (!entry)
      return entry.takeError();
    placed.push_back(std::move(*entry));
  }
  llvm::stable_sort(placed, [](const Placed &a, const Placed &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });

  ParameterFile file;
  uint64_t end = 0;
  for (Placed &entry : placed) {
    StoredTensor &tensor = entry.tensor;
    if (entry.begin != end)
      return makeError("has a tensor '{0}' that begins at byte {1}, where byte "
                       "{2} is the next one; {3}",
                       tensor.name, entry.begin, end, kAgain);
    end = entry.end;
    tensor.bytes = ArrayRef(data.data() + entry.begin, end - entry.begin);
    if (tensor.kind == StoredKind::Bool &&
        any_of(tensor.bytes, [](char byte) { return byte & ~1; }))
      return makeError("has a tensor '{0}' of BOOL with bytes other than 0 "
                       "and 1; {1}",
                       tensor.name, kAgain);
    file.tensors.push_back(std::move(tensor));
  }
  if (end != data.size())
    return makeError("has {0} bytes of data, of which the tensors are {1}; {2}",
                     data.size(), end, kAgain);
  file.owner = std::shared_ptr<MemoryBuffer>(std::move(buffer));
  return file;
}
