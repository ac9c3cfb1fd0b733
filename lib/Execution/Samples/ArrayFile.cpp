// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy (format versions 1 to 3) and .npz, little-endian only.

#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Support/OutputFile.h"
#include "qbackend/Support/Shape.h"

#include "ArrayStream.h"
#include "ElementTypes.h"
#include "NpyHeader.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <zip.h>

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;

/// What a .npy starts with.
static constexpr StringLiteral npyMagic("\x93NUMPY");

/// NumPy writes 128 bytes, and refuses to read more than 10000.
static constexpr uint32_t maxHeader = 1 << 16;

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

namespace {
/// Fills a buffer as far as there is data, and says how far that was.
using ReadFn = function_ref<Expected<size_t>(void *, size_t)>;

/// Parses the header, a Python dictionary of three entries:
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class NpyHeaderParser {
public:
  explicit NpyHeaderParser(StringRef text) : text(text) {}

  Expected<NpyHeader> parse() {
    bool hasType = false, hasOrder = false, hasShape = false;
    if (!consume("{"))
      return malformed();
    while (!consume("}")) {
      std::optional<StringRef> key = parseString();
      if (!key || !consume(":"))
        return malformed();
      if (*key == "descr" && !hasType) {
        if (peek('['))
          return createStringError(
              "has a structured element type; store its fields as separate "
              "arrays");
        std::optional<StringRef> name = parseString();
        if (!name)
          return malformed();
        if (Error error = parseType(*name))
          return std::move(error);
        hasType = true;
      } else if (*key == "fortran_order" && !hasOrder) {
        header.fortranOrder = consume("True");
        if (!header.fortranOrder && !consume("False"))
          return malformed();
        hasOrder = true;
      } else if (*key == "shape" && !hasShape) {
        if (!parseShape())
          return malformed();
        hasShape = true;
      } else {
        return malformed();
      }
      if (!consume(",") && !peek('}'))
        return malformed();
    }
    if (!hasType || !hasOrder || !hasShape || !text.trim().empty())
      return malformed();
    return header;
  }

private:
  static Error malformed() {
    return createStringError("has a malformed .npy header; save it again with "
                             "numpy.save or numpy.savez");
  }

  bool peek(char c) {
    text = text.ltrim();
    return text.starts_with(StringRef(&c, 1));
  }

  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }

  std::optional<StringRef> parseString() {
    text = text.ltrim();
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
      return std::nullopt;
    size_t end = text.find(text.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef result = text.slice(1, end);
    text = text.drop_front(end + 1);
    return result;
  }

  bool parseShape() {
    if (!consume("("))
      return false;
    header.shape.clear();
    while (!consume(")")) {
      text = text.ltrim();
      uint64_t extent;
      if (text.consumeInteger(10, extent) || extent > uint64_t(INT64_MAX))
        return false;
      text.consume_front("L"); // Written by Python 2.
      header.shape.push_back(extent);
      if (!consume(",") && !peek(')'))
        return false;
    }
    return true;
  }

  Error parseType(StringRef name) {
    char order = name.empty() ? '|' : name.front();
    StringRef kind = name.ltrim("<>=|");
    if (kind.starts_with("O"))
      return createStringError(
          "holds Python objects; convert it to numbers with .astype");
    if (order == '>' && !kind.ends_with("1"))
      return createStringError("has big-endian elements ('" + name +
                               "'); convert it with .astype('<" + kind + "')");
    auto type = find_if(elementInfos, [&](const ElementInfo &info) {
      return info.code == kind;
    });
    if (type == std::end(elementInfos))
      return createStringError("has element type '" + name +
                               "'; convert it to a float, integer or bool "
                               "type with .astype");
    header.type = type->type;
    return Error::success();
  }

  StringRef text;
  NpyHeader header;
};
} // namespace

void qbackend::arrays::transposeFromFortran(Array &array) {
  size_t rank = array.shape.size(), size = getElementSize(array.type);
  if (rank < 2 || array.data.empty())
    return;
  SmallVector<int64_t> strides(rank), index(rank, 0);
  int64_t stride = 1;
  for (size_t d = 0; d != rank; ++d) {
    strides[d] = stride;
    stride *= array.shape[d];
  }
  std::vector<uint8_t> result(array.data.size());
  int64_t source = 0;
  for (size_t i = 0, e = result.size(); i != e; i += size) {
    memcpy(&result[i], &array.data[source * size], size);
    for (size_t d = rank; d-- > 0;) {
      source += strides[d];
      if (++index[d] != array.shape[d])
        break;
      source -= strides[d] * array.shape[d];
      index[d] = 0;
    }
  }
  array.data = std::move(result);
}

Error qbackend::arrays::makeTruncatedError(uint64_t found, uint64_t wanted,
                                           StringRef what) {
  return createStringError("is truncated: found " + Twine(found) + " of " +
                           Twine(wanted) + " bytes of its " + what +
                           "; write or copy the file again");
}

/// Reads `size` bytes of a header into `buffer`.
static Error readBytes(ReadFn read, std::vector<uint8_t> &buffer, size_t size) {
  buffer.resize(size);
  Expected<size_t> got = read(buffer.data(), size);
  if (!got)
    return got.takeError();
  if (*got != size)
    return makeTruncatedError(*got, size, "header");
  return Error::success();
}

Expected<NpyHeader> qbackend::arrays::readNpyHeader(ReadFn read) {
  std::vector<uint8_t> bytes;
  if (Error error = readBytes(read, bytes, 8))
    return std::move(error);
  if (toStringRef(bytes).take_front(6) != npyMagic)
    return createStringError("is not a .npy array; save it with numpy.save or "
                             "numpy.savez");
  unsigned version = bytes[6];
  if (version < 1 || version > 3)
    return createStringError("has .npy format version " + Twine(version) +
                             "; versions 1 to 3 are read");
  if (Error error = readBytes(read, bytes, version == 1 ? 2 : 4))
    return std::move(error);
  uint32_t length = version == 1 ? support::endian::read16le(bytes.data())
                                 : support::endian::read32le(bytes.data());
  if (length > maxHeader)
    return createStringError("has a header of " + Twine(length) +
                             " bytes, expected at most " + Twine(maxHeader) +
                             "; write or copy the file again");
  if (Error error = readBytes(read, bytes, length))
    return std::move(error);

  Expected<NpyHeader> header = NpyHeaderParser(toStringRef(bytes)).parse();
  if (!header)
    return header.takeError();
  if (!getNumBytes(header->type, header->shape))
    return createStringError("has the impossible shape " +
                             formatShape(header->shape));
  return header;
}

/// Returns the header of a .npy, which is a multiple of 64 bytes long.
static std::string makeNpyHeader(const Array &array) {
  const ElementInfo &info = getInfo(array.type);
  std::string kind = (info.size == 1 ? "|" : "<") + info.code.str();
  std::string shape;
  for (int64_t extent : array.shape)
    shape += (shape.empty() ? "" : " ") + itostr(extent) + ",";
  if (array.shape.size() > 1)
    shape.pop_back();
  std::string text = (Twine("{'descr': '") + kind +
                      "', 'fortran_order': False, 'shape': (" + shape + "), }")
                         .str();
  // 10 bytes of magic, version and length stand before the text.
  text.append(alignTo(10 + text.size() + 1, 64) - (10 + text.size() + 1), ' ');
  text += '\n';
  std::string header = npyMagic.str();
  header += '\x01';
  header += '\x00';
  header += char(text.size() & 0xff);
  header += char(text.size() >> 8);
  return header + text;
}

static Error checkStorable(StringRef path, StringRef name, const Array &array) {
  std::optional<int64_t> bytes = getNumBytes(array.type, array.shape);
  if (bytes && uint64_t(*bytes) == array.data.size())
    return Error::success();
  return createStringError(
      "cannot write array '" + name + "' to '" + path + "': its " +
      Twine(array.data.size()) + " bytes do not fit its shape " +
      formatShape(array.shape) + " of " + getElementName(array.type));
}

static Error makeWriteError(StringRef path, const Twine &message) {
  return createStringError("cannot write '" + path + "': " + message);
}

static Error writeWholeFile(StringRef path,
                            function_ref<void(raw_ostream &)> write) {
  OutputFile file(path);
  if (!file.error())
    write(file.os());
  if (std::error_code error = file.commit())
    return makeWriteError(path, error.message());
  return Error::success();
}

Error qbackend::arrays::writeNpy(StringRef path, const Array &array) {
  if (Error error = checkStorable(path, "", array))
    return error;
  return writeWholeFile(path, [&](raw_ostream &os) {
    os << makeNpyHeader(array) << toStringRef(array.data);
  });
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

Expected<std::vector<NamedArray>> qbackend::arrays::readArrays(StringRef path) {
  if (sys::fs::is_directory(path))
    return createStringError("'" + path +
                             "' is a directory; give a .npy or .npz file");
  auto streams = ArrayStream::openFile(path);
  if (!streams)
    return streams.takeError();
  std::vector<NamedArray> arrays;
  for (ArrayStream &stream : *streams) {
    Expected<Array> array = stream.readAll();
    if (!array)
      return array.takeError();
    arrays.push_back({stream.name, std::move(*array)});
  }
  return arrays;
}

Error qbackend::arrays::writeNpz(StringRef path, ArrayRef<NamedArray> arrays) {
  StringSet<> names;
  for (const NamedArray &named : arrays) {
    if (Error error = checkStorable(path, named.name, named.array))
      return error;
    if (named.name.empty() || !names.insert(named.name).second)
      return createStringError("cannot write '" + path + "': the name '" +
                               named.name + "' is " +
                               (named.name.empty() ? "empty" : "used twice") +
                               "; give each array its own name");
  }
  // libzip would delete an archive without entries; numpy writes this record.
  if (arrays.empty())
    return writeWholeFile(path, [](raw_ostream &os) {
      os << StringRef("PK\5\6", 4);
      os.write_zeros(18);
    });

  // libzip writes beside the file that it is given and renames in zip_close;
  // what is no file gets the bytes of an archive in memory.
  OutputFile file(path);
  if (std::error_code error = file.error())
    return makeWriteError(path, error.message());
  zip_error_t zipError;
  zip_error_init(&zipError);
  zip_source_t *target =
      file.isRenamed()
          ? zip_source_file_create(file.name().str().c_str(), 0, -1, &zipError)
          : zip_source_buffer_create(nullptr, 0, 0, &zipError);
  zip_t *archive =
      target
          ? zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &zipError)
          : nullptr;
  if (!archive) {
    Error error = makeWriteError(path, zip_error_strerror(&zipError));
    zip_source_free(target);
    zip_error_fini(&zipError);
    return error;
  }
  zip_source_keep(target);
  scope_exit release([&] { zip_source_free(target); });
  scope_exit discard([&] {
    if (archive)
      zip_discard(archive);
  });
  auto fail = [&] { return makeWriteError(path, zip_strerror(archive)); };
  // The parts have to live until zip_close.
  std::vector<std::string> headers(arrays.size());
  std::vector<std::vector<zip_buffer_fragment_t>> parts(arrays.size());
  for (auto [i, named] : enumerate(arrays)) {
    headers[i] = makeNpyHeader(named.array);
    parts[i] = {{reinterpret_cast<zip_uint8_t *>(headers[i].data()),
                 headers[i].size()}};
    if (!named.array.data.empty())
      parts[i].push_back({const_cast<zip_uint8_t *>(named.array.data.data()),
                          named.array.data.size()});
    zip_source_t *source = zip_source_buffer_fragment(
        archive, parts[i].data(), parts[i].size(), /*freep=*/0);
    if (!source)
      return fail();
    zip_int64_t index = zip_file_add(archive, (named.name + ".npy").c_str(),
                                     source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return fail();
    }
    // 1980-01-01 00:00, the first moment that a zip can express.
    if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) < 0 ||
        zip_file_set_dostime(archive, index, /*dtime=*/0, /*ddate=*/0x21, 0) <
            0)
      return fail();
  }
  if (zip_close(archive) < 0)
    return fail();
  archive = nullptr;
  if (!file.isRenamed() && zip_source_open(target) == 0) {
    std::vector<char> bytes(size_t(1) << 24);
    zip_int64_t got;
    while ((got = zip_source_read(target, bytes.data(), bytes.size())) > 0)
      file.os().write(bytes.data(), got);
    zip_source_close(target);
  }
  if (std::error_code error = file.commit())
    return makeWriteError(path, error.message());
  return Error::success();
}
