// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tosa.resize, and tosa.gather of the pixels of an image.

#include "Kinds/Movement/Interpolation.h"
#include "Kinds/Movement/Movement.h"
#include "Reading/TosaOperands.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// By TOSA's formula: position `low` and the next one, both inside of the
/// image, and how far it is from the first to the second.
struct Position {
  int64_t low, high;
  double upper;
};
} // namespace

static Position getPosition(int64_t position, ArrayRef<int64_t> scale,
                            int64_t offset, int64_t size) {
  int64_t scaled = position * scale[1] + offset;
  int64_t low = scaled / scale[0], rest = scaled % scale[0];
  if (rest < 0) {
    --low;
    rest += scale[0];
  }
  auto inside = [&](int64_t index) {
    return std::min(std::max<int64_t>(index, 0), size - 1);
  };
  return {inside(low), inside(low + 1), double(rest) / double(scale[0])};
}

static void recognizeResize(const Recognition &recognition,
                            tosa::ResizeOp resize) {
  auto type = getFloatType(resize.getInput());
  auto resultType = getFloatType(recognition.result());
  auto scale = readShape(resize.getScale());
  auto offset = readShape(resize.getOffset());
  if (!type || type.getRank() != 4 || resultType.getRank() != 4 || !scale ||
      scale->size() != 4 || !offset || offset->size() != 2 ||
      llvm::any_of(*scale, [](int64_t part) { return part < 1; }))
    return;
  ArrayRef<int64_t> in = type.getShape().slice(1, 2);
  ArrayRef<int64_t> out = resultType.getShape().slice(1, 2);
  SmallVector<double> factors;
  for (unsigned dim : {0, 1})
    factors.push_back(double((*scale)[2 * dim]) /
                      double((*scale)[2 * dim + 1]));
  bool isNearest = resize.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
  InterpolateAttr kind = matchInterpolation(
      recognition.context(), in, out, factors,
      [&](int64_t row, int64_t column, SmallVectorImpl<Tap> &taps) {
        ArrayRef<int64_t> parts = *scale;
        Position y = getPosition(row, parts.take_front(2), (*offset)[0], in[0]);
        Position x =
            getPosition(column, parts.drop_front(2), (*offset)[1], in[1]);
        if (isNearest) {
          taps.push_back({y.upper < 0.5 ? y.low : y.high,
                          x.upper < 0.5 ? x.low : x.high, 1});
          return true;
        }
        taps.push_back({y.low, x.low, (1 - y.upper) * (1 - x.upper)});
        taps.push_back({y.low, x.high, (1 - y.upper) * x.upper});
        taps.push_back({y.high, x.low, y.upper * (1 - x.upper)});
        taps.push_back({y.high, x.high, y.upper * x.upper});
        return true;
      });
  if (kind)
    addImageOperator(recognition, kind, resize.getInput(), {0, 1, 2, 3});
}

/// The map of the ops from `source` on up to `last`; nullopt if they aren't
/// moves.
static std::optional<ElementMap> getMap(Value source, Value last) {
  SmallVector<Operation *> moves;
  while (last != source) {
    Operation *op = last.getDefiningOp();
    Value before = op ? getMoved(op) : Value();
    if (!before || moves.size() == 4)
      return std::nullopt;
    moves.push_back(op);
    last = before;
  }
  ElementMap map(getFloatType(source));
  for (Operation *op : llvm::reverse(moves))
    if (!map.apply(op))
      return std::nullopt;
  return map;
}

/// Whether `map` makes [batch, pixels, channels] of an image or, with
/// `inverse`, the other way round.
static bool isFlattened(const ElementMap &map, ArrayRef<int64_t> positions,
                        RankedTensorType image, bool inverse) {
  if (map.hasOffsets())
    return false;
  SmallVector<Runs> expected;
  if (!inverse) {
    Runs pixels = getWholeDim(image, positions[1]);
    pixels.append(getWholeDim(image, positions[2]));
    expected = {getWholeDim(image, positions[0]), pixels,
                getWholeDim(image, positions[3])};
  } else {
    RankedTensorType flat = map.getSourceType();
    int64_t height = image.getDimSize(positions[1]);
    int64_t width = image.getDimSize(positions[2]);
    expected.resize(4);
    expected[positions[0]] = getWholeDim(flat, 0);
    expected[positions[1]] = Runs{{1, height, width}};
    expected[positions[2]] = Runs{{1, width, 1}};
    expected[positions[3]] = getWholeDim(flat, 2);
    for (Runs &runs : expected)
      llvm::erase_if(runs, [](const Run &run) { return run.size == 1; });
  }
  return map.getDims() == ArrayRef<Runs>(expected);
}

/// Pixels that a constant tells, between changes of layout.
static void recognizeGather(const Recognition &recognition) {
  Value gathered = recognition.result();
  auto gather = gathered.getDefiningOp<tosa::GatherOp>();
  for (unsigned i = 0; i < 4 && !gather; ++i) {
    Operation *op = gathered.getDefiningOp();
    gathered = op ? getMoved(op) : Value();
    if (!gathered)
      return;
    gather = gathered.getDefiningOp<tosa::GatherOp>();
  }
  auto type = getFloatType(recognition.result());
  if (!gather || type.getRank() != 4 || !type.hasStaticShape() ||
      !getFloatType(gathered))
    return;
  DenseElementsAttr indices =
      recognition.constants().evaluate(gather.getIndices());
  auto after = getMap(gathered, recognition.result());
  Value source = gather.getValues();
  for (unsigned i = 0; i < 4; ++i) {
    auto sourceType = getFloatType(source);
    if (sourceType && sourceType.getRank() == 4)
      break;
    Operation *op = source.getDefiningOp();
    source = op ? getMoved(op) : Value();
    if (!source)
      return;
  }
  auto sourceType = getFloatType(source);
  if (!indices || !after || !sourceType || sourceType.getRank() != 4 ||
      !sourceType.hasStaticShape() ||
      !isActivation(source, recognition.constants()))
    return;
  auto before = getMap(source, gather.getValues());
  if (!before)
    return;
  SmallVector<int64_t> table;
  for (const APInt &index : indices.getValues<APInt>())
    table.push_back(index.getSExtValue());
  for (ArrayRef<int64_t> positions : kImageLayouts) {
    if (!isFlattened(*before, positions, sourceType, /*inverse=*/false) ||
        !isFlattened(*after, positions, type, /*inverse=*/true))
      continue;
    int64_t in[] = {sourceType.getDimSize(positions[1]),
                    sourceType.getDimSize(positions[2])};
    int64_t out[] = {type.getDimSize(positions[1]),
                     type.getDimSize(positions[2])};
    // All images of the batch have the same pixels.
    int64_t count = out[0] * out[1];
    if (in[1] < 1 || count < 1 || int64_t(table.size()) % count != 0)
      return;
    for (size_t i = count; i < table.size(); ++i)
      if (table[i] != table[i - count])
        return;
    InterpolateAttr kind = matchInterpolation(
        recognition.context(), in, out, {},
        [&](int64_t row, int64_t column, SmallVectorImpl<Tap> &taps) {
          int64_t index = table[row * out[1] + column];
          taps.push_back({index / in[1], index % in[1], 1});
          return index >= 0;
        });
    if (kind)
      addImageOperator(recognition, kind, source, positions);
    return;
  }
}

void forms::recognizeTosaResize(const Recognition &recognition) {
  if (auto resize = dyn_cast<tosa::ResizeOp>(recognition.root))
    recognizeResize(recognition, resize);
  else
    recognizeGather(recognition);
}
