// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples from arrays in memory, files, directories and standard input.

#include "qbackend/Execution/Samples/SampleSource.h"

#include "ArrayStream.h"

#include "qbackend/Support/InputFile.h"
#include "qbackend/Support/Shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cstdio>

using namespace llvm;
using namespace qbackend;
using namespace qbackend::arrays;

SampleSource::~SampleSource() = default;

/// An array without data that says what there is: -1 rows.
static NamedArray makeHeader(StringRef name, ElementType type,
                             ArrayRef<int64_t> shape, bool isFixed) {
  NamedArray header{name.str(), Array{type, SmallVector<int64_t>(shape), {}}};
  if (!isFixed && !header.array.shape.empty())
    header.array.shape[0] = -1;
  return header;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
class ArraySource : public SampleSource {
public:
  ArraySource(ArrayRef<const NamedArray *> arrays, ArrayRef<bool> fixed)
      : arrays(arrays), fixed(fixed) {}

  int64_t size() const override {
    for (auto [i, named] : enumerate(arrays))
      if (!isFixed(i))
        return named->array.shape.empty() ? 0 : named->array.shape[0];
    return 0;
  }

  std::vector<NamedArray> getHeaders() const override {
    std::vector<NamedArray> headers;
    for (auto [i, named] : enumerate(arrays))
      headers.push_back(makeHeader(named->name, named->array.type,
                                   named->array.shape, isFixed(i)));
    return headers;
  }

  Expected<std::vector<NamedArray>> read(int64_t count) override {
    count = std::min(count, size() - done);
    std::vector<NamedArray> result;
    for (auto [i, named] : enumerate(arrays)) {
      const Array &array = named->array;
      if (isFixed(i)) {
        result.push_back(*named);
        continue;
      }
      int64_t row =
          array.shape[0] == 0 ? 0 : int64_t(array.data.size()) / array.shape[0];
      result.push_back({named->name, Array{array.type, array.shape, {}}});
      Array &part = result.back().array;
      part.shape[0] = count;
      part.data.assign(array.data.begin() + done * row,
                       array.data.begin() + (done + count) * row);
    }
    done += count;
    return result;
  }

private:
  bool isFixed(size_t index) const {
    return index < fixed.size() && fixed[index];
  }

  SmallVector<const NamedArray *> arrays;
  SmallVector<bool> fixed;
  int64_t done = 0;
};
} // namespace

std::unique_ptr<SampleSource>
SampleSource::create(ArrayRef<const NamedArray *> arrays,
                     ArrayRef<bool> fixed) {
  return std::make_unique<ArraySource>(arrays, fixed);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Opens FILE or FILE:ARRAY; a file whose name has a colon is taken whole.
static Expected<std::vector<ArrayStream>> openPart(StringRef path) {
  auto [file, array] = path.rsplit(':');
  if (array.empty() || sys::fs::exists(path))
    return ArrayStream::openFile(path);
  auto streams = ArrayStream::openFile(file);
  if (!streams)
    return streams.takeError();
  std::vector<std::string> names;
  for (ArrayStream &candidate : *streams) {
    if (candidate.name == array) {
      std::vector<ArrayStream> result;
      result.push_back(std::move(candidate));
      result.back().name.clear();
      return result;
    }
    names.push_back(candidate.name);
  }
  return createStringError("no array '" + array + "' in '" + file +
                           "'; it has " + join(names, ", "));
}

/// Whether somebody chose the name of an array: NumPy gives arr_0 and so on.
static bool isChosenName(StringRef name) {
  return !name.empty() && !name.starts_with("arr_");
}

/// The arrays of `all` that may be the samples of one of `arguments`, if there
/// are as many of each rank as arguments; otherwise all.
static std::vector<ArrayStream>
dropOtherRanks(std::vector<ArrayStream> all,
               ArrayRef<SampleArgument> arguments) {
  std::vector<ArrayStream> fitting;
  for (const ArrayStream &stream : all)
    if (any_of(arguments, [&](const SampleArgument &argument) {
          return int64_t(stream.shape.size()) == argument.rank;
        }))
      fitting.push_back(stream);
  bool fit = fitting.size() == arguments.size() &&
             all_of(zip(fitting, arguments), [](auto pair) {
               return int64_t(std::get<0>(pair).shape.size()) ==
                      std::get<1>(pair).rank;
             });
  return fit ? fitting : all;
}

/// Opens the arrays of `path` for `arguments`. What is to be said of those that
/// are taken by their place goes to `warnings`.
static Expected<std::vector<ArrayStream>>
openArrays(StringRef path, StringRef function,
           ArrayRef<SampleArgument> arguments,
           std::vector<std::string> &warnings) {
  std::vector<ArrayStream> all;
  SmallVector<StringRef> parts;
  path.split(parts, ',');
  for (StringRef part : parts) {
    auto streams = openPart(part);
    if (!streams)
      return streams.takeError();
    for (ArrayStream &stream : *streams)
      all.push_back(std::move(stream));
  }
  if (arguments.empty())
    return createStringError("function '" + function +
                             "' takes no arguments, but '" + path +
                             "' gives data");
  // By name, else by place if there are as many.
  std::vector<std::string> names, found;
  for (ArrayStream &stream : all)
    found.push_back(stream.name.empty() ? "(unnamed)" : stream.name);
  std::vector<ArrayStream> inputs;
  for (const SampleArgument &argument : arguments) {
    names.push_back(argument.name);
    auto it = find_if(all, [&](ArrayStream &stream) {
      return stream.name == argument.name &&
             (argument.isFixed || !stream.shape.empty());
    });
    if (it != all.end())
      inputs.push_back(*it);
  }
  bool haveNames = any_of(
      arguments, [](const SampleArgument &each) { return each.isNamed; });
  if (inputs.empty() && !haveNames)
    all = dropOtherRanks(std::move(all), arguments);
  if (inputs.empty() && all.size() == arguments.size()) {
    for (auto [stream, argument] : zip(all, arguments)) {
      // One array for one argument can't be the wrong one.
      if (isChosenName(stream.name) && (haveNames || all.size() > 1))
        warnings.push_back("array '" + stream.name + "' of '" + path.str() +
                           "' is taken for argument '" + argument.name +
                           "' of function '" + function.str() +
                           "' by its place: no array has that name");
      stream.name = argument.name;
      if (!argument.isFixed && stream.shape.empty())
        return createStringError("array '" + stream.name + "' of '" + path +
                                 "' is a single number, without a dimension "
                                 "for samples");
    }
    return all;
  }
  if (inputs.size() == arguments.size())
    return inputs;
  return createStringError("'" + path + "' has the arrays " +
                           join(found, ", ") + ", function '" + function +
                           "' takes " + join(names, ", ") +
                           "; name the arrays so, or pick one with FILE:ARRAY");
}

/// The first argument that has samples.
static size_t getFirstWithSamples(ArrayRef<SampleArgument> arguments) {
  return find_if_not(
             arguments,
             [](const SampleArgument &argument) { return argument.isFixed; }) -
         arguments.begin();
}

static Error checkEqualSize(ArrayRef<ArrayStream> streams,
                            ArrayRef<SampleArgument> arguments) {
  size_t first = getFirstWithSamples(arguments);
  for (auto [stream, argument] : zip(streams, arguments))
    if (!argument.isFixed && stream.shape[0] != streams[first].shape[0])
      return createStringError("array '" + streams[first].name + "' has " +
                               Twine(streams[first].shape[0]) +
                               " samples, but array '" + stream.name +
                               "' has " + Twine(stream.shape[0]) +
                               "; give each the same number");
  return Error::success();
}

namespace {
/// One file after another.
class FileSource : public SampleSource {
public:
  FileSource(std::vector<std::string> paths, StringRef function,
             ArrayRef<SampleArgument> arguments, bool isDirectory)
      : paths(std::move(paths)), function(function), arguments(arguments),
        isDirectory(isDirectory), first(getFirstWithSamples(arguments)) {}

  /// Opens each file to find the number of samples, and the first to read.
  Error open() {
    for (size_t i = paths.size(); i-- > 0;) {
      if (Error error = openFile(i))
        return error;
      total += streams[first].shape[0];
    }
    for (auto [stream, argument] : zip(streams, arguments)) {
      headers.push_back(
          makeHeader(stream.name, stream.type, stream.shape, argument.isFixed));
      // Those of the first file are for all.
      Array array{stream.type, stream.shape, {}};
      if (argument.isFixed)
        if (Error error = readWhole(stream, array))
          return error;
      fixed.push_back({stream.name, std::move(array)});
    }
    return Error::success();
  }

  int64_t size() const override { return total; }
  std::vector<NamedArray> getHeaders() const override { return headers; }
  std::vector<std::string> getWarnings() const override { return warnings; }

  Expected<std::vector<NamedArray>> read(int64_t count) override {
    std::vector<NamedArray> result(streams.size());
    for (auto [array, header, argument, whole] :
         zip(result, headers, arguments, fixed)) {
      array.name = header.name;
      if (argument.isFixed) {
        array.array = whole.array;
        continue;
      }
      array.array.type = header.array.type;
      array.array.shape = header.array.shape;
      array.array.shape[0] = 0;
    }
    while (true) {
      int64_t wanted = count - result[first].array.shape[0];
      for (auto [array, stream, argument] : zip(result, streams, arguments))
        if (!argument.isFixed)
          if (Error error = stream.read(wanted, array.array))
            return std::move(error);
      if (result[first].array.shape[0] == count || current + 1 == paths.size())
        return result;
      if (Error error = openFile(current + 1))
        return std::move(error);
    }
  }

private:
  /// All of an array that may be a single number.
  static Error readWhole(ArrayStream &stream, Array &array) {
    bool isNumber = array.shape.empty();
    if (isNumber)
      stream.addLeadingDimension();
    int64_t rows = stream.shape[0];
    array.shape = stream.shape;
    array.shape[0] = 0;
    if (Error error = stream.read(rows, array))
      return error;
    if (isNumber)
      array.shape.clear();
    return Error::success();
  }

  Error openFile(size_t index) {
    current = index;
    warnings.clear();
    auto opened = openArrays(paths[index], function, arguments, warnings);
    if (!opened)
      return opened.takeError();
    streams = std::move(*opened);
    if (isDirectory)
      for (auto [stream, argument] : zip(streams, arguments))
        if (!argument.isFixed &&
            int64_t(stream.shape.size()) + 1 == argument.rank)
          stream.addLeadingDimension();
    return checkEqualSize(streams, arguments);
  }

  std::vector<std::string> paths;
  std::string function;
  SmallVector<SampleArgument> arguments;
  bool isDirectory;
  size_t first;
  size_t current = 0;
  int64_t total = 0;
  std::vector<ArrayStream> streams;
  std::vector<NamedArray> headers;
  /// Of the file that was opened last.
  std::vector<std::string> warnings;
  /// What is fixed, whole, at the place of its argument.
  std::vector<NamedArray> fixed;
};

/// Arrays one after another on standard input, in turn for each argument.
class PipeSource : public SampleSource {
public:
  explicit PipeSource(ArrayRef<SampleArgument> arguments)
      : arguments(arguments) {}

  int64_t size() const override { return -1; }
  std::vector<NamedArray> getHeaders() const override { return {}; }

  Expected<std::vector<NamedArray>> read(int64_t count) override {
    std::vector<NamedArray> result;
    for (const SampleArgument &argument : arguments)
      result.push_back({argument.name, Array()});
    while (true) {
      int64_t left = streams.empty() ? 0 : streams[0].shape[0];
      if (!streams.empty())
        left -= done;
      int64_t have =
          result[0].array.shape.empty() ? 0 : result[0].array.shape[0];
      if (left == 0) {
        Expected<bool> more = have == count ? false : openNext();
        if (!more)
          return more.takeError();
        if (!*more)
          break;
        continue;
      }
      int64_t wanted = std::min(count - have, left);
      if (wanted == 0)
        break;
      for (size_t i = 0; i < arguments.size(); ++i)
        if (Error error = append(i, wanted, result[i].array))
          return std::move(error);
      done += wanted;
    }
    if (result[0].array.shape.empty())
      for (NamedArray &named : result)
        named.array.shape.push_back(0);
    return result;
  }

private:
  /// With several arguments, the arrays of one turn are in memory.
  Error append(size_t i, int64_t wanted, Array &array) {
    if (arguments.size() == 1)
      return streams[0].read(wanted, array);
    const Array &from = turn[i];
    int64_t row = int64_t(from.data.size()) / from.shape[0];
    if (array.shape.empty()) {
      array.type = from.type;
      array.shape = from.shape;
      array.shape[0] = 0;
    }
    if (array.type != from.type ||
        ArrayRef(array.shape).drop_front() != ArrayRef(from.shape).drop_front())
      return createStringError("array '" + arguments[i].name +
                               "' on standard input changes its type or shape "
                               "to " +
                               getElementName(from.type) + " " +
                               formatShape(from.shape));
    array.data.insert(array.data.end(), from.data.begin() + done * row,
                      from.data.begin() + (done + wanted) * row);
    array.shape[0] += wanted;
    return Error::success();
  }

  /// Opens the next array of each argument; false at the end of the input.
  Expected<bool> openNext() {
    streams.clear();
    turn.clear();
    done = 0;
    int first = getc(stdin);
    if (first == EOF)
      return false;
    if (first == 'P')
      return createStringError("standard input is a .npz or something else: "
                               "it takes .npy arrays one after another, as "
                               "numpy.save writes them");
    ungetc(first, stdin);
    for (const SampleArgument &argument : arguments) {
      auto read = [](void *buffer, size_t size) -> Expected<size_t> {
        return fread(buffer, 1, size, stdin);
      };
      Expected<ArrayStream> stream =
          ArrayStream::open(argument.name, "standard input", read,
                            /*isLast=*/false);
      if (!stream)
        return stream.takeError();
      if (int64_t(stream->shape.size()) + 1 == argument.rank)
        stream->addLeadingDimension();
      if (stream->shape.empty() ||
          int64_t(stream->shape.size()) != argument.rank)
        return createStringError(
            "array '" + argument.name + "' on standard input is " +
            getElementName(stream->type) + " " + formatShape(stream->shape) +
            "; expected " + Twine(argument.rank) +
            " dimensions, of which the first counts samples, or one less");
      streams.push_back(std::move(*stream));
      if (arguments.size() == 1)
        break;
      turn.emplace_back();
      if (Error error =
              streams.back().read(streams.back().shape[0], turn.back()))
        return std::move(error);
    }
    // A lone array is that of the only argument.
    if (Error error = checkEqualSize(
            streams, ArrayRef(arguments).take_front(streams.size())))
      return std::move(error);
    return true;
  }

  SmallVector<SampleArgument> arguments;
  std::vector<ArrayStream> streams;
  std::vector<Array> turn;
  int64_t done = 0;
};
} // namespace

/// The .npy and .npz files of a directory, by name.
static Expected<std::vector<std::string>> listFiles(StringRef directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error)) {
    StringRef extension = sys::path::extension(it->path());
    if (extension == ".npy" || extension == ".npz")
      paths.push_back(it->path());
  }
  if (error)
    return createStringError("cannot read directory '" + directory +
                             "': " + error.message());
  if (paths.empty())
    return createStringError("directory '" + directory +
                             "' has no .npy and no .npz file");
  llvm::sort(paths);
  return paths;
}

bool qbackend::arrays::isReadOnce(StringRef path) {
  if (path == "-")
    return true;
  if (sys::fs::is_directory(path))
    return false;
  SmallVector<StringRef> parts;
  path.split(parts, ',');
  return any_of(parts, [](StringRef part) {
    StringRef file = sys::fs::exists(part) ? part : part.rsplit(':').first;
    return sys::fs::exists(file) && !sys::fs::is_regular_file(file);
  });
}

Expected<std::string> qbackend::arrays::hashSamples(StringRef path,
                                                    StringRef scale) {
  if (path.empty() || isReadOnce(path))
    return std::string();
  SHA256 all;
  // What is of any length comes as a hash of its own, so that nothing runs into
  // what is next to it.
  auto add = [&](StringRef text) {
    all.update(SHA256::hash(arrayRefFromStringRef(text)));
  };
  auto addFile = [&](StringRef file) -> Error {
    auto buffer = readFile(file, /*isText=*/false);
    if (!buffer)
      return createStringError("cannot read '" + file +
                               "': " + buffer.getError().message());
    add((*buffer)->getBuffer());
    return Error::success();
  };
  add(scale);
  if (sys::fs::is_directory(path)) {
    auto files = listFiles(path);
    if (!files)
      return files.takeError();
    for (const std::string &file : *files)
      if (Error error = addFile(file))
        return std::move(error);
  } else {
    SmallVector<StringRef> parts;
    path.split(parts, ',');
    for (StringRef part : parts) {
      // As openPart does.
      auto [file, array] = sys::fs::exists(part) ? std::pair(part, StringRef())
                                                 : part.rsplit(':');
      if (Error error = addFile(file))
        return std::move(error);
      add(array);
    }
  }
  return "sha256:" + toHex(all.final(), /*LowerCase=*/true);
}

Error qbackend::arrays::checkSamplePath(StringRef path) {
  if (isReadOnce(path))
    return Error::success();
  if (sys::fs::is_directory(path))
    return listFiles(path).takeError();
  SmallVector<StringRef> parts;
  path.split(parts, ',');
  for (StringRef part : parts)
    if (Error error = openPart(part).takeError())
      return error;
  return Error::success();
}

Expected<std::unique_ptr<SampleSource>>
SampleSource::open(StringRef path, StringRef function,
                   ArrayRef<SampleArgument> arguments) {
  if (!arguments.empty() && getFirstWithSamples(arguments) == arguments.size())
    return createStringError("no argument of function '" + function +
                             "' holds samples: say which with "
                             "sample-arguments=");
  if (path == "-") {
    for (const SampleArgument &argument : arguments)
      if (argument.isFixed)
        return createStringError("argument '" + argument.name +
                                 "' of function '" + function +
                                 "' holds no samples, which standard input "
                                 "gives only; give files");
    if (arguments.empty())
      return createStringError("function '" + function +
                               "' takes no arguments, but standard input gives "
                               "data");
    return std::make_unique<PipeSource>(arguments);
  }
  std::vector<std::string> paths;
  bool isDirectory = sys::fs::is_directory(path);
  if (isDirectory) {
    auto files = listFiles(path);
    if (!files)
      return files.takeError();
    paths = std::move(*files);
  } else {
    paths.push_back(path.str());
  }
  auto source = std::make_unique<FileSource>(std::move(paths), function,
                                             arguments, isDirectory);
  if (Error error = source->open())
    return std::move(error);
  return source;
}
