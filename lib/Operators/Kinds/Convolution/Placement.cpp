// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimension is what: nothing but the accesses of a convolution, and where
// they leave it open the usual layouts, tells batch, channels and pixels apart.

#include "Kinds/Convolution/Convolution.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
enum class LoopClass {
  /// In input and result: samples, or pixels that windows of size 1 visit.
  Position,
  /// In input and filter: input channels, or windows of the image's size.
  Reduced,
  /// In all of them.
  Group,
  /// In filter and result.
  OutChannel,
  /// Pixels of the result and of the filter under a window.
  Output,
  Kernel,
  Other,
};

/// What a dimension may be: some of these.
constexpr unsigned Batch = 1, Spatial = 2, Channel = 4, Any = 7;

class Placer {
public:
  Placer(const ConvolutionAccess &access, const InputView &input,
         const AxisView &filter, const AxisView &result, bool strict)
      : access(access), input(input), filter(filter), result(result),
        rank(input.view.dims.size()), strict(strict) {}

  std::optional<Placement> place();

private:
  bool classify();
  bool isUnit(unsigned loop) const { return access.loopSizes[loop] == 1; }
  bool isDroppable(unsigned axis) const;
  unsigned getInputRoles(ArrayRef<unsigned> axes) const;
  unsigned getResultRoles(ArrayRef<unsigned> loops) const;
  bool isFree(unsigned resultDim) const {
    return llvm::all_of(result.dims[resultDim],
                        [&](unsigned loop) { return isUnit(loop); });
  }
  bool placeInput(unsigned batch, unsigned channel);
  bool placeResult();
  bool isEvident() const;

  const ConvolutionAccess &access;
  const InputView &input;
  const AxisView &filter, &result;
  unsigned rank;
  /// Whether dimensions of size 1 are what the accesses say they are: their
  /// loops may have got lost in reshapes.
  bool strict;
  SmallVector<LoopClass> classes;
  Placement placement;
  /// Loops of the samples, if there is one.
  std::optional<unsigned> batchLoop;
};
} // namespace

/// Sorts loops by where they are used; false if the op is no convolution.
bool Placer::classify() {
  enum { InInput = 1, InFilter = 2, InResult = 4 };
  unsigned numLoops = access.loopSizes.size();
  SmallVector<unsigned> uses(numLoops, 0);
  SmallVector<bool> inWindow(numLoops, false);
  bool once = true;
  auto use = [&](std::optional<unsigned> loop, unsigned where) {
    if (!loop)
      return;
    once &= !(uses[*loop] & where);
    uses[*loop] |= where;
  };
  for (const InputAxis &axis : access.inputAxes) {
    use(axis.loop, InInput);
    use(axis.kernelLoop, InInput);
    for (std::optional<unsigned> loop : {axis.loop, axis.kernelLoop})
      if (loop && axis.isWindow)
        inWindow[*loop] = true;
  }
  for (const AxisList &loops : access.filterLoops)
    for (unsigned loop : loops)
      use(loop, InFilter);
  for (const AxisList &loops : access.resultLoops)
    for (unsigned loop : loops)
      use(loop, InResult);
  if (!once)
    return false;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    LoopClass &kind = classes.emplace_back(LoopClass::Other);
    switch (uses[loop]) {
    case InInput | InResult:
      kind = inWindow[loop] ? LoopClass::Output : LoopClass::Position;
      break;
    case InInput | InFilter:
      kind = inWindow[loop] ? LoopClass::Kernel : LoopClass::Reduced;
      break;
    case InInput | InFilter | InResult:
      kind = inWindow[loop] ? LoopClass::Other : LoopClass::Group;
      break;
    case InFilter | InResult:
      kind = LoopClass::OutChannel;
      break;
    }
    if (kind == LoopClass::Other && !isUnit(loop))
      return false;
  }
  return true;
}

/// True if nothing happens along an axis of the input.
bool Placer::isDroppable(unsigned index) const {
  const InputAxis &axis = input.axes[index];
  return input.view.sizes[index] == 1 && axis.before == 0 && axis.after == 0 &&
         axis.spread == 1 && (!axis.kernelLoop || isUnit(*axis.kernelLoop)) &&
         (!axis.loop || isUnit(*axis.loop));
}

unsigned Placer::getInputRoles(ArrayRef<unsigned> axes) const {
  if (axes.empty() || (!strict && llvm::all_of(axes, [&](unsigned axis) {
        return isDroppable(axis);
      })))
    return Any;
  auto getClass = [&](unsigned axis) {
    std::optional<unsigned> loop = input.axes[axis].loop;
    return loop ? classes[*loop] : LoopClass::Other;
  };
  if (axes.size() == 2)
    return getClass(axes[0]) == LoopClass::Group &&
                   getClass(axes[1]) == LoopClass::Reduced
               ? Channel
               : 0;
  if (axes.size() != 1)
    return 0;
  const InputAxis &axis = input.axes[axes[0]];
  if (axis.isWindow)
    return Spatial;
  if (access.batchLoop && axis.loop == access.batchLoop)
    return Batch;
  switch (getClass(axes[0])) {
  case LoopClass::Position:
    return access.batchLoop ? Spatial : Batch | Spatial;
  case LoopClass::Reduced:
    return Channel | Spatial;
  case LoopClass::Group:
    return Channel;
  default:
    return isDroppable(axes[0]) ? Any : 0;
  }
}

unsigned Placer::getResultRoles(ArrayRef<unsigned> loops) const {
  if (llvm::all_of(loops, [&](unsigned loop) { return isUnit(loop); }))
    return Any;
  if (loops.size() == 2)
    return classes[loops[0]] == LoopClass::Group &&
                   classes[loops[1]] == LoopClass::OutChannel
               ? Channel
               : 0;
  if (loops.size() != 1)
    return 0;
  switch (classes[loops[0]]) {
  case LoopClass::Position:
    return Batch | Spatial;
  case LoopClass::Output:
    return Spatial;
  case LoopClass::Group:
  case LoopClass::OutChannel:
    return Channel;
  default:
    return 0;
  }
}

bool Placer::placeInput(unsigned batch, unsigned channel) {
  auto getAxis = [&](unsigned dim) -> std::optional<unsigned> {
    const AxisList &axes = input.view.dims[dim];
    return axes.size() == 1 ? std::optional(axes[0]) : std::nullopt;
  };
  placement = {};
  batchLoop = std::nullopt;
  if (!(getInputRoles(input.view.dims[batch]) & Batch) ||
      !(getInputRoles(input.view.dims[channel]) & Channel))
    return false;
  if (auto axis = getAxis(batch))
    batchLoop = input.axes[*axis].loop;
  placement.input.push_back(batch);
  SmallVector<unsigned> kernelLoops;
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim == batch || dim == channel)
      continue;
    if (!(getInputRoles(input.view.dims[dim]) & Spatial))
      return false;
    placement.input.push_back(dim);
    Placement::Spatial &spatial = placement.spatial.emplace_back();
    spatial.inputAxis = getAxis(dim);
    if (!spatial.inputAxis)
      continue;
    const InputAxis &axis = input.axes[*spatial.inputAxis];
    bool isReduced = !axis.isWindow && axis.loop &&
                     classes[*axis.loop] == LoopClass::Reduced;
    spatial.outputLoop = isReduced ? std::nullopt : axis.loop;
    spatial.kernelLoop = isReduced ? axis.loop : axis.kernelLoop;
    if (spatial.kernelLoop)
      kernelLoops.push_back(*spatial.kernelLoop);
  }
  placement.input.push_back(channel);
  // Of each of the others one, with more than one iteration if there is one.
  for (auto [loop, kind] : llvm::enumerate(classes)) {
    std::optional<unsigned> *place = nullptr;
    if (kind == LoopClass::Group)
      place = &placement.group;
    else if (kind == LoopClass::OutChannel)
      place = &placement.outChannel;
    else if (kind == LoopClass::Reduced &&
             !llvm::is_contained(kernelLoops, loop))
      place = &placement.inChannel;
    if (!place)
      continue;
    if (*place && !isUnit(**place) && !isUnit(loop))
      return false;
    if (!*place || isUnit(**place))
      *place = loop;
  }
  return true;
}

bool Placer::placeResult() {
  SmallVector<bool> used(rank, false);
  placement.result.assign(rank, -1);
  auto take = [&](unsigned slot, std::optional<unsigned> dim) {
    if (!dim || used[*dim])
      return false;
    used[*dim] = true;
    placement.result[slot] = *dim;
    return true;
  };
  auto takeLoop = [&](unsigned slot, std::optional<unsigned> loop) {
    return !loop || isUnit(*loop) || take(slot, result.find(*loop));
  };
  if (!takeLoop(0, batchLoop))
    return false;
  for (auto [index, spatial] : llvm::enumerate(placement.spatial))
    if (!takeLoop(index + 1, spatial.outputLoop))
      return false;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (getResultRoles(result.dims[dim]) == Channel && !take(rank - 1, dim))
      return false;
  // What is left has size 1: in the place it has in the input, if it can.
  for (unsigned pass = 0; pass < 2; ++pass)
    for (unsigned slot = 0; slot < rank; ++slot)
      for (unsigned dim = 0; dim < rank && placement.result[slot] < 0; ++dim)
        if (!used[dim] && isFree(dim) &&
            (pass == 1 || dim == unsigned(placement.input[slot])))
          take(slot, dim);
  return !llvm::is_contained(placement.result, -1);
}

/// Whether all that reads `value` normalizes images of `spatial` dimensions by
/// their channels, which no linear layer gives.
static bool isNormalized(Value value, unsigned spatial) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           auto op = dyn_cast<OperatorOp>(user);
           return op && ((spatial == 2 && isa<BatchNorm2dAttr>(op.getKind())) ||
                         (spatial == 3 && isa<BatchNorm3dAttr>(op.getKind())));
         });
}

/// Without windows it may as well be a linear layer: only a filter that has
/// dimensions for them, images with channels first, or what is done with the
/// result, tell.
bool Placer::isEvident() const {
  for (const Placement::Spatial &spatial : placement.spatial)
    if (spatial.inputAxis && input.axes[*spatial.inputAxis].isWindow)
      return true;
  // A product of matrices has groups, its batch; or reduces what would be
  // pixels. It has no rows and columns behind the channels, and its batch isn't
  // cut from features that become features again.
  if (placement.group) {
    bool isCut = input.view.dims[placement.input.back()].size() == 2 &&
                 result.dims[placement.result.back()].size() == 2;
    return placement.spatial.size() >= 2 &&
           (isCut ||
            (placement.input.back() == 1 && placement.result.back() == 1));
  }
  for (const Placement::Spatial &spatial : placement.spatial)
    if (rank == 3 && spatial.kernelLoop && !isUnit(*spatial.kernelLoop))
      return false;
  unsigned channels = 0;
  for (const AxisList &loops : filter.dims)
    for (unsigned loop : loops)
      channels += classes[loop] == LoopClass::Group ||
                  classes[loop] == LoopClass::OutChannel ||
                  placement.inChannel == loop;
  if (filter.dims.size() >= channels + placement.spatial.size() ||
      isNormalized(result.value, placement.spatial.size()))
    return true;
  return rank >= 4 && placement.result.back() != rank - 1;
}

std::optional<Placement> Placer::place() {
  if (rank != result.dims.size() || rank < 3 || rank > 5 || !classify())
    return std::nullopt;
  // Channels are at the same place in input and result, and samples come first,
  // unless there is no other way.
  SmallVector<unsigned> channels, batches;
  for (unsigned dim = 0; dim < rank; ++dim) {
    unsigned roles = getResultRoles(result.dims[dim]);
    if (roles == 0)
      return std::nullopt;
    if (roles == Channel)
      channels.push_back(dim);
    batches.push_back(dim);
  }
  channels.append({rank - 1, 1, 0, 2, 3});
  for (unsigned channel : channels)
    for (unsigned batch : batches)
      if (batch != channel && channel < rank && placeInput(batch, channel) &&
          placeResult() && isEvident())
        return placement;
  return std::nullopt;
}

std::optional<Placement> forms::placeDimensions(const ConvolutionAccess &access,
                                                const InputView &input,
                                                const AxisView &filter,
                                                const AxisView &result) {
  for (bool strict : {true, false})
    if (auto placement = Placer(access, input, filter, result, strict).place())
      return placement;
  return std::nullopt;
}
