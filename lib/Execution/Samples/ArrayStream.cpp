// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a .npy from its start to its end, some rows at a time.

#include "ArrayStream.h"

#include "qbackend/Support/Shape.h"

#include "NpyHeader.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"

#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;

static Error addContext(StringRef where, Error error) {
  return createStringError(where + " " + toString(std::move(error)));
}

Expected<ArrayStream> ArrayStream::open(std::string name, std::string where,
                                        ReadFn read, bool isLast) {
  Expected<NpyHeader> header = readNpyHeader(read);
  if (!header)
    return addContext(where, header.takeError());
  ArrayStream stream;
  stream.name = std::move(name);
  stream.where = std::move(where);
  stream.type = header->type;
  stream.shape = header->shape;
  stream.source = std::move(read);
  stream.isLast = isLast;
  if (!header->fortranOrder || header->shape.size() < 2)
    return stream;
  auto whole = std::make_shared<Array>();
  whole->type = stream.type;
  whole->shape = stream.shape;
  if (Error error = stream.readBytes(whole->data,
                                     *getNumBytes(stream.type, stream.shape)))
    return std::move(error);
  transposeFromFortran(*whole);
  stream.transposed = std::move(whole);
  return stream;
}

Error ArrayStream::readBytes(std::vector<uint8_t> &data, int64_t size) {
  // The buffer grows only as data comes, whatever the header promises.
  constexpr int64_t block = int64_t(1) << 24;
  for (int64_t total = 0; total != size;) {
    int64_t count = std::min(block, size - total);
    data.resize(data.size() + count);
    Expected<size_t> got = source(data.data() + data.size() - count, count);
    if (!got)
      return addContext(where, got.takeError());
    total += *got;
    if (int64_t(*got) == count)
      continue;
    int64_t wanted = getNumBytes(type, shape).value_or(0);
    int64_t row = shape.empty() || shape[0] == 0 ? 0 : wanted / shape[0];
    return addContext(where,
                      makeTruncatedError(done * row + total, wanted, "data"));
  }
  return Error::success();
}

/// Bools from byte `begin` on are 0 or 1.
static void normalizeBools(Array &array, size_t begin) {
  if (array.type == ElementType::Bool)
    for (size_t i = begin; i != array.data.size(); ++i)
      array.data[i] = array.data[i] != 0;
}

Error ArrayStream::read(int64_t count, Array &array) {
  count = std::min(count, getRowsLeft());
  if (array.shape.empty()) {
    array.type = type;
    array.shape = shape;
    array.shape[0] = 0;
  }
  if (array.type != type || ArrayRef<int64_t>(array.shape).drop_front() !=
                                ArrayRef<int64_t>(shape).drop_front()) {
    SmallVector<int64_t> expected = array.shape;
    expected[0] = -1;
    return createStringError(where + " is " + getElementName(type) + " " +
                             formatShape(shape) + ", those before it are " +
                             getElementName(array.type) + " " +
                             formatShape(expected));
  }
  SmallVector<int64_t> rowShape(shape.begin() + 1, shape.end());
  int64_t row = *getNumBytes(type, rowShape);
  size_t begin = array.data.size();
  if (transposed) {
    const uint8_t *from = transposed->data.data() + done * row;
    array.data.insert(array.data.end(), from, from + count * row);
  } else if (Error error = readBytes(array.data, count * row)) {
    return error;
  }
  normalizeBools(array, begin);
  array.shape[0] += count;
  done += count;
  return getRowsLeft() > 0 ? Error::success() : checkEnd();
}

Expected<Array> ArrayStream::readAll() {
  Array array;
  array.type = type;
  array.shape = shape;
  if (transposed)
    array.data = std::move(transposed->data);
  else if (Error error = readBytes(array.data, *getNumBytes(type, shape)))
    return std::move(error);
  normalizeBools(array, 0);
  if (Error error = checkEnd())
    return std::move(error);
  return array;
}

Error ArrayStream::checkEnd() {
  if (!isLast)
    return Error::success();
  // Reading past the end also makes libzip compare the checksum.
  uint8_t extra;
  Expected<size_t> rest = source(&extra, 1);
  if (!rest)
    return addContext(where, rest.takeError());
  if (*rest != 0)
    return createStringError(
        where + " has more data than its shape " + formatShape(shape) + " of " +
        getElementName(type) + " needs; write the file again");
  return Error::success();
}

/// Why libzip could not open `path`: its error code is `code`.
static Error createZipError(StringRef path, int code) {
  // Before anything else changes errno.
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  scope_exit end([&] { zip_error_fini(&error); });
  // The system's doing, and not the file's.
  if (zip_error_system_type(&error) == ZIP_ET_SYS &&
      zip_error_code_system(&error) != 0)
    return createStringError("cannot open '" + path +
                             "': " + strerror(zip_error_code_system(&error)));
  return createStringError("'" + path + "' is a damaged .npz (" +
                           zip_error_strerror(&error) +
                           "); write or copy the file again");
}

static Expected<std::vector<ArrayStream>> openZip(StringRef path) {
  std::string where = ("'" + path + "'").str();
  int code = 0;
  zip_t *opened = zip_open(path.str().c_str(), ZIP_RDONLY, &code);
  if (!opened)
    return createZipError(path, code);
  // Each entry keeps the archive open.
  std::shared_ptr<zip_t> archive(opened, zip_discard);
  std::vector<ArrayStream> streams;
  StringSet<> names;
  for (zip_int64_t i = 0, e = zip_get_num_entries(opened, 0); i != e; ++i) {
    const char *entry = zip_get_name(opened, i, 0);
    StringRef name = entry ? entry : "";
    if (!name.consume_back(".npy"))
      return createStringError(where + " has an entry '" + name +
                               "' that is not a .npy array; write it with "
                               "numpy.savez");
    if (!names.insert(name).second)
      return createStringError(where + " has two arrays named '" + name +
                               "'; give each its own name");
    std::string array = ("array '" + name + "' in " + where).str();
    zip_file_t *file = zip_fopen_index(opened, i, 0);
    if (!file)
      return createStringError(array + " cannot be read (" +
                               zip_strerror(opened) + ")");
    std::shared_ptr<zip_file_t> entryFile(
        file, [archive](zip_file_t *handle) { zip_fclose(handle); });
    auto read = [entryFile](void *buffer, size_t size) -> Expected<size_t> {
      size_t total = 0;
      while (total != size) {
        zip_int64_t got = zip_fread(
            entryFile.get(), static_cast<char *>(buffer) + total, size - total);
        if (got < 0)
          return createStringError("is damaged (" +
                                   Twine(zip_file_strerror(entryFile.get())) +
                                   "); write or copy the file again");
        if (got == 0)
          break;
        total += got;
      }
      return total;
    };
    Expected<ArrayStream> stream =
        ArrayStream::open(name.str(), array, read, /*isLast=*/true);
    if (!stream)
      return stream.takeError();
    streams.push_back(std::move(*stream));
  }
  return streams;
}

Expected<std::vector<ArrayStream>> ArrayStream::openFile(StringRef path) {
  FILE *opened = fopen(path.str().c_str(), "rb");
  if (!opened)
    return createStringError("cannot open '" + path + "': " + strerror(errno));
  std::shared_ptr<FILE> file(opened, fclose);
  char magic[6] = {};
  size_t length = fread(magic, 1, sizeof(magic), opened);
  if (StringRef(magic, length).starts_with("PK"))
    return openZip(path);
  std::string where = ("'" + path + "'").str();
  if (length == 0)
    return createStringError(where + " is empty; write or copy the file again");
  if (StringRef(magic, length) != "\x93NUMPY")
    return createStringError(where + " is neither a .npy nor a .npz file; "
                                     "write it with numpy.save or numpy.savez");
  rewind(opened);
  auto read = [file](void *buffer, size_t size) -> Expected<size_t> {
    size_t got = fread(buffer, 1, size, file.get());
    if (got != size && ferror(file.get()))
      return createStringError("cannot be read (" + Twine(strerror(errno)) +
                               ")");
    return got;
  };
  Expected<ArrayStream> stream = open("", where, read, /*isLast=*/true);
  if (!stream)
    return stream.takeError();
  std::vector<ArrayStream> streams;
  streams.push_back(std::move(*stream));
  return streams;
}
