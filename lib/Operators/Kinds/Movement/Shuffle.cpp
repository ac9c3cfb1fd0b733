// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises pixel and channel shuffles, and nearest upsampling that repeats
// rows and columns, by which elements they move where.

#include "Kinds/Movement/Interpolation.h"
#include "Kinds/Movement/Movement.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

void forms::addImageOperator(const Recognition &recognition, Attribute kind,
                             Value source, ArrayRef<int64_t> positions,
                             ArrayRef<int64_t> outputShape) {
  RecognizedOperator op;
  op.outputShape.assign(outputShape.begin(), outputShape.end());
  op.kind = kind;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(source)};
  if (!llvm::is_sorted(positions)) {
    op.inputs = {RecognizedOperand::transposed(source, positions)};
    op.outputPermutation.assign(positions.begin(), positions.end());
  }
  recognition.found.push_back(std::move(op));
}

/// `a / b`, if that is a whole number above 1.
static std::optional<int64_t> getFactor(int64_t a, int64_t b) {
  if (ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || b < 1 ||
      a % b != 0 || a / b < 2)
    return std::nullopt;
  return a / b;
}

/// Whether dimension `dim` of the result is `expected`.
static bool hasRuns(const ElementMap &map, unsigned dim, Runs expected) {
  llvm::erase_if(expected, [](const Run &run) { return run.size == 1; });
  return map.getDims()[dim] == expected;
}

static bool recognizePixelShuffle(const Recognition &recognition, Value source,
                                  const ElementMap &map,
                                  ArrayRef<int64_t> positions) {
  RankedTensorType from = map.getSourceType();
  auto to = getFloatType(recognition.result());
  unsigned h = positions[1], w = positions[2], c = positions[3];
  int64_t height = from.getDimSize(h), width = from.getDimSize(w);
  int64_t channels = from.getDimSize(c);
  if (auto f = getFactor(to.getDimSize(h), height)) {
    if (channels % (*f * *f) == 0 &&
        hasRuns(map, h, {{h, height, 1}, {c, *f, *f}}) &&
        hasRuns(map, w, {{w, width, 1}, {c, *f, 1}}) &&
        hasRuns(map, c, {{c, channels / (*f * *f), *f * *f}})) {
      addImageOperator(recognition,
                       PixelShuffleAttr::get(recognition.context(), *f), source,
                       positions);
      return true;
    }
  }
  if (auto f = getFactor(height, to.getDimSize(h))) {
    if (hasRuns(map, h, {{h, height / *f, *f}}) && width % *f == 0 &&
        hasRuns(map, w, {{w, width / *f, *f}}) &&
        hasRuns(map, c, {{c, channels, 1}, {h, *f, 1}, {w, *f, 1}})) {
      addImageOperator(recognition,
                       PixelUnshuffleAttr::get(recognition.context(), *f),
                       source, positions);
      return true;
    }
  }
  return false;
}

/// Rows and columns that are there several times.
static bool recognizeUpsampling(const Recognition &recognition, Value source,
                                const ElementMap &map,
                                ArrayRef<int64_t> positions) {
  for (unsigned dim : {positions[1], positions[2]}) {
    ArrayRef<Run> runs = map.getDims()[dim];
    int64_t size = map.getSourceType().getDimSize(dim);
    if (runs.size() != 2 || runs[1].dim || runs[1].size < 2 ||
        ShapedType::isDynamic(size) || runs[0] != Run{dim, size, 1})
      return false;
  }
  int64_t in[2], out[2];
  for (unsigned i : {0, 1}) {
    in[i] = map.getSourceType().getDimSize(positions[i + 1]);
    out[i] = in[i] * map.getDims()[positions[i + 1]][1].size;
  }
  InterpolateAttr kind = matchInterpolation(
      recognition.context(), in, out, {},
      [&](int64_t row, int64_t column, SmallVectorImpl<Tap> &taps) {
        taps.push_back({row / (out[0] / in[0]), column / (out[1] / in[1]), 1});
        return true;
      });
  if (!kind)
    return false;
  addImageOperator(recognition, kind, source, positions);
  return true;
}

static bool recognizeChannelShuffle(const Recognition &recognition,
                                    Value source, const ElementMap &map) {
  RankedTensorType type = map.getSourceType();
  std::optional<unsigned> axis;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (map.getDims()[dim] == getWholeDim(type, dim))
      continue;
    if (axis)
      return false;
    axis = dim;
  }
  if (!axis || map.getDims()[*axis].size() != 2)
    return false;
  const Runs &runs = map.getDims()[*axis];
  int64_t count = runs[0].size, groups = runs[1].size;
  if (runs[0] != Run{*axis, count, 1} || runs[1] != Run{*axis, groups, count} ||
      ShapedType::isDynamic(count) || ShapedType::isDynamic(groups) ||
      count * groups != type.getDimSize(*axis))
    return false;
  recognition.add(ChannelShuffleAttr::get(recognition.context(), *axis, groups),
                  {source});
  return true;
}

bool forms::recognizeShuffle(const Recognition &recognition, Value source,
                             const ElementMap &map) {
  RankedTensorType type = map.getSourceType();
  if (map.hasOffsets() ||
      type.getRank() != getFloatType(recognition.result()).getRank())
    return false;
  if (recognizeChannelShuffle(recognition, source, map))
    return true;
  if (type.getRank() != 4)
    return false;
  for (ArrayRef<int64_t> positions : kImageLayouts) {
    unsigned batch = positions[0], channel = positions[3];
    if (map.getDims()[batch] != getWholeDim(type, batch) ||
        ShapedType::isDynamic(type.getDimSize(channel)))
      continue;
    if (recognizePixelShuffle(recognition, source, map, positions) ||
        (map.getDims()[channel] == getWholeDim(type, channel) &&
         recognizeUpsampling(recognition, source, map, positions)))
      return true;
  }
  return false;
}
