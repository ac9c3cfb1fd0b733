// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy (format versions 1 to 3) and .npz, little-endian only.

#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Support/OutputFile.h"

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
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;

/// What a .npy starts with.
static constexpr StringLiteral npyMagic("\x93NUMPY");

/// Data is read in pieces of this size, so that a header that promises more
/// than the file has cannot make us allocate it.
static constexpr size_t readBlock = size_t(1) << 24;

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

/// Reads `size` bytes into `buffer`, which grows only as data comes.
static Error readBytes(ReadFn read, std::vector<uint8_t> &buffer, uint64_t size,
                       StringRef what) {
  buffer.clear();
  while (buffer.size() != size) {
    size_t begin = buffer.size();
    size_t block = std::min<uint64_t>(size - begin, readBlock);
    buffer.resize(begin + block);
    Expected<size_t> got = read(buffer.data() + begin, block);
    if (!got)
      return got.takeError();
    if (*got != block)
      return makeTruncatedError(begin + *got, size, what);
  }
  return Error::success();
}

Expected<NpyHeader> qbackend::arrays::readNpyHeader(ReadFn read) {
  std::vector<uint8_t> bytes;
  if (Error error = readBytes(read, bytes, 8, "header"))
    return std::move(error);
  if (toStringRef(bytes).take_front(6) != npyMagic)
    return createStringError("is not a .npy array; save it with numpy.save or "
                             "numpy.savez");
  unsigned version = bytes[6];
  if (version < 1 || version > 3)
    return createStringError("has .npy format version " + Twine(version) +
                             "; versions 1 to 3 are read");
  if (Error error = readBytes(read, bytes, version == 1 ? 2 : 4, "header"))
    return std::move(error);
  uint32_t length = version == 1 ? support::endian::read16le(bytes.data())
                                 : support::endian::read32le(bytes.data());
  if (length > maxHeader)
    return createStringError("has a header of " + Twine(length) +
                             " bytes, expected at most " + Twine(maxHeader) +
                             "; write or copy the file again");
  if (Error error = readBytes(read, bytes, length, "header"))
    return std::move(error);

  Expected<NpyHeader> header = NpyHeaderParser(toStringRef(bytes)).parse();
  if (!header)
    return header.takeError();
  if (!getNumBytes(header->type, header->shape))
    return createStringError("has the impossible shape " +
                             formatShape(header->shape));
  return header;
}

/// Reads a whole .npy. Errors continue a sentence that starts with its name.
static Expected<Array> readNpy(ReadFn read) {
  Expected<NpyHeader> header = readNpyHeader(read);
  if (!header)
    return header.takeError();
  Array array;
  array.type = header->type;
  array.shape = header->shape;
  if (Error error = readBytes(read, array.data,
                              *getNumBytes(array.type, array.shape), "data"))
    return std::move(error);
  // Reading past the end also makes libzip compare the checksum.
  uint8_t extra;
  Expected<size_t> rest = read(&extra, 1);
  if (!rest)
    return rest.takeError();
  if (*rest != 0)
    return createStringError(
        "has more data than its shape " + formatShape(array.shape) + " of " +
        getElementName(array.type) + " needs; write the file again");
  if (array.type == ElementType::Bool)
    for (uint8_t &value : array.data)
      value = value != 0;
  if (header->fortranOrder)
    transposeFromFortran(array);
  return array;
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

static Error makeFileError(StringRef path, const Twine &message) {
  return createStringError("'" + path + "' " + message);
}

/// Names the file, and the array if it has a name, in front of `error`.
static Error addContext(StringRef path, StringRef name, Error error) {
  std::string message = toString(std::move(error));
  if (name.empty())
    return makeFileError(path, message);
  return createStringError("array '" + name + "' in '" + path + "' " + message);
}

static Expected<std::vector<NamedArray>> readZip(StringRef path) {
  int code = 0;
  zip_t *archive = zip_open(path.str().c_str(), ZIP_RDONLY, &code);
  if (!archive)
    return createZipError(path, code);
  scope_exit discard([&] { zip_discard(archive); });

  std::vector<NamedArray> arrays;
  StringSet<> names;
  for (zip_int64_t i = 0, e = zip_get_num_entries(archive, 0); i != e; ++i) {
    const char *entry = zip_get_name(archive, i, 0);
    StringRef name = entry ? entry : "";
    if (!name.consume_back(".npy"))
      return makeFileError(path, "has an entry '" + name +
                                     "' that is not a .npy array; write it "
                                     "with numpy.savez");
    if (!names.insert(name).second)
      return makeFileError(path, "has two arrays named '" + name +
                                     "'; give each its own name");
    zip_file_t *file = zip_fopen_index(archive, i, 0);
    if (!file)
      return addContext(path, name,
                        createStringError("cannot be read (" +
                                          Twine(zip_strerror(archive)) + ")"));
    scope_exit close([&] { zip_fclose(file); });
    Expected<Array> array =
        readNpy([&](void *buffer, size_t size) -> Expected<size_t> {
          size_t total = 0;
          while (total != size) {
            zip_int64_t got = zip_fread(
                file, static_cast<char *>(buffer) + total, size - total);
            if (got < 0)
              return createStringError("is damaged (" +
                                       Twine(zip_file_strerror(file)) +
                                       "); write or copy the file again");
            if (got == 0)
              break;
            total += got;
          }
          return total;
        });
    if (!array)
      return addContext(path, name, array.takeError());
    arrays.push_back({name.str(), std::move(*array)});
  }
  return arrays;
}

Expected<std::vector<NamedArray>> qbackend::arrays::readArrays(StringRef path) {
  if (sys::fs::is_directory(path))
    return makeFileError(path, "is a directory; give a .npy or .npz file");
  FILE *file = fopen(path.str().c_str(), "rb");
  if (!file)
    return createStringError("cannot open '" + path +
                             "': " + Twine(strerror(errno)));
  scope_exit close([&] { fclose(file); });
  char magic[6] = {};
  size_t length = fread(magic, 1, sizeof(magic), file);
  StringRef start(magic, length);
  if (start.starts_with("PK"))
    return readZip(path);
  if (start != npyMagic)
    return makeFileError(path, length == 0
                                   ? "is empty; write or copy the file again"
                                   : "is neither a .npy nor a .npz file; write "
                                     "it with numpy.save or numpy.savez");
  rewind(file);
  Expected<Array> array =
      readNpy([&](void *buffer, size_t size) -> Expected<size_t> {
        size_t got = fread(buffer, 1, size, file);
        if (got != size && ferror(file))
          return createStringError("cannot be read (" + Twine(strerror(errno)) +
                                   ")");
        return got;
      });
  if (!array)
    return addContext(path, "", array.takeError());
  std::vector<NamedArray> arrays;
  arrays.push_back({"", std::move(*array)});
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
    std::vector<char> bytes(readBlock);
    zip_int64_t got;
    while ((got = zip_source_read(target, bytes.data(), bytes.size())) > 0)
      file.os().write(bytes.data(), got);
    zip_source_close(target);
  }
  if (std::error_code error = file.commit())
    return makeWriteError(path, error.message());
  return Error::success();
}
