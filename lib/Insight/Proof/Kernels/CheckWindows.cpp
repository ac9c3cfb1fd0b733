// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of results: what each byte of an image is multiplied by, where it is
// read, and where a copy of the image with its padding has it.

#include "Kernels/KernelJudge.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;

//===----------------------------------------------------------------------===//
// The copy of an image
//===----------------------------------------------------------------------===//

/// Each byte of the image, with its padding, is in its place, and written once.
KernelJudge::Result KernelJudge::checkCopy(Environment &values) {
  const KernelBuffer &scratch = walk.buffers[image];
  // Of a loop over images one; else all, whose rows follow each other.
  int64_t images = imageLoop ? 1 : batch,
          number = imageLoop ? values[*imageLoop] : 0;
  if (images != 1 &&
      llvm::any_of(op.getPadding(), [](int64_t size) { return size != 0; }))
    return open("several images with padding have one copy");
  int64_t top = op.getPadding()[0], left = op.getPadding()[2],
          bottom = top + images * height, rows = bottom + op.getPadding()[1];
  enum : uint8_t { Unknown, Pads, Copied, Twice };
  std::vector<uint8_t> kinds(scratch.size, Unknown);
  std::vector<int64_t> sources(scratch.size, 0);
  Result finding;
  Fn extend = op.getIsSigned() ? Fn::ExtS : Fn::ExtU;
  Term byte = scope.terms.variable("byte", bits(inputBits));
  Term held = scratch.sort.width == inputBits
                  ? byte
                  : scope.terms.make(extend, scratch.sort, {byte});
  hasOtherSign = llvm::any_of(copies, [](const KernelAccess *copy) {
    return llvm::any_of(copy->lanes,
                        [](Term lane) { return lane->op == Fn::Xor; });
  });
  if (hasOtherSign)
    held = scope.terms.binary(Fn::Xor, held,
                              scope.terms.constant(scratch.sort.width, 128));
  llvm::DenseMap<Term, Term> padding = {
      {byte, scope.terms.constant(inputBits, op.getPadValue())}};
  Term pad = scope.terms.replace(held, padding);
  for (const KernelAccess *copy : copies) {
    std::vector<unsigned> loops;
    for (unsigned loop : copy->loops)
      if (!imageLoop || loop != *imageLoop)
        loops.push_back(loop);
    // What each lane is: a byte of the input, or the padding.
    std::vector<std::optional<Linear>> from;
    for (Term lane : copy->lanes) {
      from.emplace_back();
      if (lane == pad)
        continue;
      Term source = lane->operands.empty() ? lane : lane->operands[0];
      auto element = walk.elements.find(source);
      bool isInput =
          element != walk.elements.end() &&
          walk.buffers[element->second.buffer].kind == KernelBuffer::Argument &&
          walk.buffers[element->second.buffer].argument == inputArgument;
      if (!isInput)
        return wrong("the copy of the image has what is neither the padding "
                     "nor a byte of the image");
      llvm::DenseMap<Term, Term> by = {{byte, source}};
      if (scope.terms.replace(held, by) != lane)
        return wrong("the copy of the image has changed bytes");
      from.back() = element->second.at;
    }
    walk.places.forEach(loops, values, [&] {
      int64_t to = walk.places.evaluate(copy->at, values);
      for (auto [i, source] : llvm::enumerate(from)) {
        kinds[to + i] = kinds[to + i] != Unknown ? Twice
                        : source                 ? Copied
                                                 : Pads;
        if (source)
          sources[to + i] = walk.places.evaluate(*source, values);
      }
      return true;
    });
    if (finding)
      return finding;
  }
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t at = 0; at < row; ++at) {
      int64_t place = y * row + at, x = at / in - left;
      bool isInside = y >= top && y < bottom && x >= 0 && x < width;
      if (place < scratch.size && kinds[place] == Twice) {
        finding = open("a byte of the copy of the image is written twice");
        continue;
      }
      int64_t wanted = ((number * height + y - top) * width + x) * in + at % in;
      if (place < scratch.size &&
          (isInside ? kinds[place] == Copied && sources[place] == wanted
                    : kinds[place] == Pads))
        continue;
      return wrong(
          "the copy of image " + Twine(number) + " has " +
          (place >= scratch.size || kinds[place] == Unknown ? Twine("nothing")
           : kinds[place] == Pads                           ? Twine("padding")
                                  : "byte " + Twine(sources[place])) +
          " at row " + Twine(y - top) + ", column " + Twine(x) + ", channel " +
          Twine(at % in) + ", where " +
          (isInside ? "byte " + Twine(wanted) : Twine("padding")) + " is read");
    }
  return finding;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Each result is stored, with the sum of its window.
KernelJudge::Result KernelJudge::checkResults(Environment &values) {
  Result finding;
  for (const StoredVector &vector : vectors) {
    const KernelAccess &store = *vector.store;
    std::vector<unsigned> loops;
    for (unsigned loop : store.loops)
      if (!imageLoop || loop != *imageLoop)
        loops.push_back(loop);
    walk.places.forEach(loops, values, [&] {
      int64_t place = walk.places.evaluate(store.at, values);
      int64_t o = place % out, x = place / out % resultX,
              y = place / out / resultX % resultY,
              n = place / out / resultX / resultY;
      if (o + store.count > out) {
        finding = wrong("results of several pixels are stored at once, from "
                        "output channel " +
                        Twine(o) + " on");
        return false;
      }
      if (imageLoop && n != values[*imageLoop]) {
        finding = wrong("results of image " + Twine(n) +
                        " are computed of image " + Twine(values[*imageLoop]));
        return false;
      }
      for (int64_t i = place; i < place + store.count; ++i)
        written[i] = true;
      int64_t first = x * op.getStride()[1];
      Columns columns = {0, kernelX};
      if (!isCopied) {
        first -= op.getPadding()[2];
        columns = getColumns(first);
      }
      int64_t base =
          y * op.getStride()[0] * row + first * in + o / outGroup * inGroup;
      if (!isCopied || !imageLoop)
        base += n * height * width * in;
      // Lanes of one vector may be of several groups.
      finding = checkVector(
          vector, values, o,
          walk.places.evaluate(vector.lanes[0].outer, values) - base, columns);
      if (finding)
        finding->text += ", for the result at row " + std::to_string(y) +
                         ", column " + std::to_string(x) + " of image " +
                         std::to_string(n);
      return !finding;
    });
    if (finding)
      return finding;
  }
  return std::nullopt;
}

KernelJudge::Columns KernelJudge::getColumns(int64_t first) {
  int64_t dilation = op.getDilation()[1];
  auto count = [&](int64_t pixels) {
    return std::clamp<int64_t>((pixels + dilation - 1) / dilation, 0, kernelX);
  };
  return {count(-first), count(width - first)};
}

KernelJudge::Result KernelJudge::checkVector(const StoredVector &vector,
                                             const Environment &values,
                                             int64_t output, int64_t distance,
                                             Columns columns) {
  std::vector<int64_t> key = {int64_t(&vector - vectors.data()), output,
                              distance, columns.begin, columns.end};
  for (unsigned loop : vector.blockLoops)
    key.push_back(values[loop]);
  if (!compared.insert(key).second)
    return std::nullopt;
  for (auto [i, lane] : llvm::enumerate(vector.lanes)) {
    if (!(lane.outer == vector.lanes[0].outer))
      return open("bytes of lanes move in different ways");
    int64_t o = output + i;
    // What is before the lane's group.
    int64_t group = (o / outGroup - output / outGroup) * inGroup;
    uint32_t moved;
    if (auto finding =
            checkLane(lane, values, o, distance - group, columns, moved))
      return finding;
    auto read = [&](const KernelElement &element) {
      const KernelBuffer &buffer = walk.buffers[element.buffer];
      return llvm::APInt(
                 64, buffer.values[walk.places.evaluate(element.at, values)],
                 /*isSigned=*/true)
          .trunc(buffer.sort.width);
    };
    if (lane.multiplier && read(*lane.multiplier) != multiplier[o])
      return wrong("the multiplier of output channel " + Twine(o) +
                   " is another one's");
    if (lane.numbers.empty() && moved != 0)
      return wrong("the sum of output channel " + Twine(o) + " begins with " +
                   Twine(int32_t(uint32_t(bias[o]) + moved)) + ", not with " +
                   Twine(bias[o]));
    if (lane.numbers.empty())
      continue;
    std::vector<uint64_t> numbers = {uint64_t(o), moved};
    for (auto &[name, element] : lane.numbers)
      numbers.push_back(read(element).getZExtValue());
    if (!lane.law->seen.insert(numbers).second)
      continue;
    auto [first, last] = boundSum(o);
    StepCase each;
    each.first = first;
    each.last = last;
    each.place = ", for output channel " + std::to_string(o);
    each.constants[offset] = llvm::APInt(32, moved);
    each.constants[m] = llvm::APInt(m->sort.width, multiplier[o]);
    for (auto &[name, element] : lane.numbers)
      each.constants[name] = read(element);
    lane.law->steps.cases.push_back(std::move(each));
  }
  return std::nullopt;
}

/// The smallest and the largest sum of output channel `output`; where these
/// wrap, any.
std::pair<int64_t, int64_t> KernelJudge::boundSum(int64_t output) {
  int64_t first = bias[output], last = first, count = weight.size() / out;
  int64_t range = (int64_t(1) << inputBits) - 1,
          least = op.getIsSigned() ? ~(range >> 1) : 0;
  for (int64_t w : ArrayRef(weight).slice(output * count, count)) {
    first += std::min(w * least, w * (least + range));
    last += std::max(w * least, w * (least + range));
  }
  if (first < INT32_MIN || last > INT32_MAX)
    return {INT32_MIN, INT32_MAX};
  return {first, last};
}

/// What each byte of the window of output channel `output` is multiplied by, at
/// `distance` of where a window begins, of `columns`; `moved` is what the sum
/// begins with, less the bias, and what is outside.
KernelJudge::Result KernelJudge::checkLane(const StoredVector::Lane &lane,
                                           Environment values, int64_t output,
                                           int64_t distance, Columns columns,
                                           uint32_t &moved) {
  const LinearForm &form = *lane.form;
  int64_t dilationY = op.getDilation()[0], dilationX = op.getDilation()[1];
  int64_t reach = (kernelY - 1) * dilationY * row +
                  (kernelX - 1) * dilationX * in + inGroup;
  // By the function of the byte: nearly always there is one.
  std::map<const ByteFunction *, std::vector<uint32_t>> factors;
  uint32_t constant = form.constant;
  Result finding;
  for (const KernelProduct &product : form.products) {
    const std::vector<int64_t> *weights =
        product.weight ? &walk.buffers[product.weight->buffer].values : nullptr;
    unsigned bits =
        product.weight ? walk.buffers[product.weight->buffer].sort.width : 0;
    std::vector<uint32_t> *of = nullptr;
    if (product.function) {
      of = &factors[product.function];
      of->resize(reach, 0);
    }
    walk.places.forEach(product.loops, values, [&] {
      uint32_t factor = product.factor;
      if (weights) {
        int64_t w =
            (*weights)[walk.places.evaluate(product.weight->at, values)];
        if (!product.isSignedWeight)
          w &= (int64_t(1) << bits) - 1;
        factor *= uint32_t(w);
      }
      if (factor == 0)
        return true;
      if (!of) {
        constant += factor;
        return true;
      }
      int64_t at =
          walk.places.evaluate(product.at, values) + lane.first + distance;
      if (at < 0 || at >= reach) {
        finding = wrong("output channel " + Twine(output) +
                        " adds a byte behind its window, times " +
                        Twine(int32_t(factor)));
        return false;
      }
      (*of)[at] += factor;
      return true;
    });
    if (finding)
      return finding;
  }
  // Sums of 16 bits fit, whatever the bytes are.
  for (auto [begin, end] : form.narrow) {
    ArrayRef<KernelProduct> products =
        ArrayRef(form.products).slice(begin, end - begin);
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const KernelProduct &product : products) {
      if (!product.function || !product.weight ||
          product.loops != products.front().loops)
        return open("16 bits hold what is no sum of pairs");
      auto [lo, hi] = std::minmax_element(
          product.function->begin(), product.function->end(),
          [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); });
      ranges.push_back({int32_t(*lo), int32_t(*hi)});
    }
    walk.places.forEach(products.front().loops, values, [&] {
      int64_t least = 0, most = 0;
      for (auto [product, range] : llvm::zip_equal(products, ranges)) {
        int64_t w =
            walk.buffers[product.weight->buffer]
                .values[walk.places.evaluate(product.weight->at, values)];
        int64_t a = w * range.first, b = w * range.second;
        least += std::min(a, b);
        most += std::max(a, b);
      }
      if (least >= INT16_MIN && most <= INT16_MAX)
        return true;
      finding = wrong("output channel " + Twine(output) +
                      " has a sum of 16 bits that can be " +
                      Twine(most > INT16_MAX ? most : least));
      return false;
    });
    if (finding)
      return finding;
  }
  // The window: w times the byte, and a constant.
  std::vector<int64_t> wanted(reach, 0);
  uint32_t outside = 0;
  for (int64_t ky = 0; ky < kernelY; ++ky)
    for (int64_t kx = 0; kx < kernelX; ++kx)
      for (int64_t i = 0; i < inGroup; ++i) {
        int64_t w = getWeight(output, ky, kx, i);
        if (kx >= columns.begin && kx < columns.end)
          wanted[ky * dilationY * row + kx * dilationX * in + i] = w;
        else
          outside += uint32_t(w * int64_t(op.getPadValue()));
      }
  auto getByte = [&](unsigned value) {
    return op.getIsSigned() ? llvm::SignExtend64(value, inputBits)
                            : int64_t(value);
  };
  // By what is read where the byte is.
  auto apply = [&](const ByteFunction &function, unsigned value) {
    unsigned bits = getByte(value) ^ (hasOtherSign ? 128 : 0);
    return function[bits & (function.size() - 1)];
  };
  auto differ = [&](int64_t at, unsigned value, uint32_t code) -> Result {
    int64_t ky = at / (dilationY * row), rest = at - ky * dilationY * row;
    return wrong("output channel " + Twine(output) + " adds " +
                 Twine(int32_t(code)) + " for the byte " +
                 Twine(getByte(value)) + " rather than 0 at row " + Twine(ky) +
                 ", column " + Twine(rest / (dilationX * in)) + ", channel " +
                 Twine(rest % in) + " of its window, expected " +
                 Twine((getByte(value) - getByte(0)) * wanted[at]));
  };
  // A function that is the byte and a constant has been looked at once.
  bool isPlain = factors.size() <= 1;
  unsigned count = 1u << inputBits;
  uint32_t offset = 0;
  if (!factors.empty()) {
    const ByteFunction &function = *factors.begin()->first;
    offset = apply(function, 0);
    for (unsigned value = 0; value < count && isPlain; ++value)
      isPlain = apply(function, value) - offset == uint32_t(getByte(value));
  }
  for (int64_t at = 0; at < reach; ++at) {
    if (isPlain) {
      uint32_t factor = factors.empty() ? 0 : factors.begin()->second[at];
      if (factor != uint32_t(wanted[at]))
        return differ(at, 1, factor);
      constant += factor * offset;
      continue;
    }
    for (unsigned value = count; value-- > 0;) {
      uint32_t added = 0, zero = 0;
      for (auto &[function, factor] : factors) {
        added += factor[at] * apply(*function, value);
        zero += factor[at] * apply(*function, 0);
      }
      if (added - zero != uint32_t(getByte(value) * wanted[at]))
        return differ(at, value, added - zero);
      if (value == 0)
        constant += zero;
    }
  }
  moved = constant - uint32_t(bias[output]) - outside;
  return std::nullopt;
}
