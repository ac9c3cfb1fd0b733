// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emitted code on arrays.

#include "Running/RunCode.h"

#include "qbackend/Execution/Pipelines/RunModule.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using arrays::Array;
using llvm::APInt;

APInt qbackend::proof::getElement(const Array &array, int64_t index) {
  size_t size = arrays::getElementSize(array.type);
  uint64_t value = 0;
  std::memcpy(&value, array.data.data() + index * size, size);
  return APInt(64, value).trunc(8 * size);
}

/// Fills `array` for run `run`: the first one is `given` everywhere.
static void fill(Array &array, const Filling &given, unsigned run,
                 uint64_t &state) {
  // xorshift64: the same arrays everywhere.
  auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  static constexpr uint64_t ends[] = {0, ~uint64_t(0), 0x7F7F7F7F7F7F7F7F,
                                      0x8080808080808080};
  size_t size = arrays::getElementSize(array.type);
  bool isOfFloats = arrays::isFloat(array.type);
  // In turns nearly all given, half of them, bytes that are an end, and any.
  unsigned kind = run % 4, turn = run / 4;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    uint64_t value = next(), other = next();
    bool isGiven = kind == 0 ? turn == 0 || other % (8 << turn % 4) != 0
                             : kind == 1 && other % 2 == 0;
    if (given.value && isGiven)
      value = given.value->getZExtValue();
    else if (kind == 2 && turn < std::size(ends) && !isOfFloats)
      value = ends[turn];
    else if (isOfFloats && size == sizeof(float))
      // Of few digits before the point.
      value = (value & 0x807FFFFF) | (117 + next() % 20) << 23;
    if (given.below != 0)
      value %= given.below;
    std::memcpy(array.data.data() + i * size, &value, size);
  }
}

std::string qbackend::proof::runCode(ModuleOp module, StringRef entry,
                                     ArrayRef<Filling> given,
                                     CompareRun compare, unsigned runs,
                                     bool onBuffers) {
  auto stop = [](llvm::Error error) {
    return "not run: " + llvm::toString(std::move(error));
  };
  runtime::CompileOptions options;
  options.onBuffers = onBuffers;
  auto executable = compileModule(module, entry, {}, {}, options);
  if (!executable)
    return stop(executable.takeError());
  std::vector<Array> inputs;
  for (const runtime::TensorSignature &input : (*executable)->getInputs()) {
    // Extents that aren't known are equal where they have to be.
    SmallVector<int64_t> shape(input.shape);
    for (auto [d, size] : llvm::enumerate(shape))
      if (size < 0)
        size = d == 0 ? 2 : 8;
    inputs.push_back(Array::zeros(input.type, shape));
  }
  uint64_t state = 0x9E3779B97F4A7C15;
  for (unsigned run = 0; run < runs; ++run) {
    for (auto [input, value] : llvm::zip_equal(inputs, given))
      fill(input, value, run, state);
    auto pointers =
        llvm::map_to_vector(inputs, [](const Array &input) { return &input; });
    Array result;
    if (llvm::Error error = (*executable)->run(pointers, result))
      return stop(std::move(error));
    if (auto difference = compare(inputs, result))
      return "confirmed: " + *difference +
             (run == 0 ? "" : ", in run " + std::to_string(run));
  }
  return "not confirmed: the emitted code gives what the formula does in " +
         std::to_string(runs) + " runs";
}
