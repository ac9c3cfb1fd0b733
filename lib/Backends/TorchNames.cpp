// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator kinds PyTorch's names of modules, functions and methods are.

#include "qbackend/Backends/TorchNames.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace qbackend;

namespace {
struct Spelling {
  /// A dotted name; "method:" before that of a method of tensors.
  StringRef name;
  /// Joined by +, in the order of execution; by | where one name is of several
  /// ranks.
  StringRef kinds;
};
} // namespace

// One kind for the module, the function and the method of an operator, as they
// are the same code in MLIR.
static constexpr Spelling spellings[] = {
    {"method:clamp", "clamp"},
    {"method:contiguous", "contiguous"},
    {"method:detach", "detach"},
    {"method:detach_", "detach"},
    {"method:hardsigmoid", "hardsigmoid"},
    {"method:hardsigmoid_", "hardsigmoid"},
    {"method:leaky_relu", "leaky_relu"},
    {"method:mean", "mean"},
    {"method:permute", "transpose"},
    {"method:relu", "relu"},
    {"method:relu_", "relu"},
    {"method:repeat", "repeat"},
    {"method:repeat_interleave", "repeat_interleave"},
    {"method:reshape", "reshape"},
    {"method:resize_", "resize"},
    {"method:shape", "shape"},
    {"method:sigmoid", "sigmoid"},
    {"method:sigmoid_", "sigmoid"},
    {"method:size", "size"},
    {"method:squeeze", "squeeze"},
    {"method:squeeze_", "squeeze"},
    {"method:tanh", "tanh"},
    {"method:tanh_", "tanh"},
    {"method:transpose", "transpose"},
    {"method:unsqueeze", "unsqueeze"},
    {"method:unsqueeze_", "unsqueeze"},
    {"method:view", "reshape"},
    {"operator.add", "add"},
    {"operator.floordiv", "floordiv"},
    {"operator.getitem", "getitem"},
    {"operator.mul", "mul"},
    {"operator.sub", "sub"},
    {"torch.add", "add"},
    {"torch.addmm", "linear"},
    {"torch.ao.nn.intrinsic.BNReLU2d", "batch_norm2d+relu"},
    {"torch.ao.nn.intrinsic.BNReLU3d", "batch_norm3d+relu"},
    {"torch.ao.nn.intrinsic.ConvAdd2d", "conv2d+add"},
    {"torch.ao.nn.intrinsic.ConvAddReLU2d", "conv2d+add+relu"},
    {"torch.ao.nn.intrinsic.ConvBn1d", "conv1d+batch_norm1d"},
    {"torch.ao.nn.intrinsic.ConvBn2d", "conv2d+batch_norm2d"},
    {"torch.ao.nn.intrinsic.ConvBn3d", "conv3d+batch_norm3d"},
    {"torch.ao.nn.intrinsic.ConvBnReLU1d", "conv1d+batch_norm1d+relu"},
    {"torch.ao.nn.intrinsic.ConvBnReLU2d", "conv2d+batch_norm2d+relu"},
    {"torch.ao.nn.intrinsic.ConvBnReLU3d", "conv3d+batch_norm3d+relu"},
    {"torch.ao.nn.intrinsic.ConvReLU1d", "conv1d+relu"},
    {"torch.ao.nn.intrinsic.ConvReLU2d", "conv2d+relu"},
    {"torch.ao.nn.intrinsic.ConvReLU3d", "conv3d+relu"},
    {"torch.ao.nn.intrinsic.LinearBn1d", "linear+batch_norm1d"},
    {"torch.ao.nn.intrinsic.LinearLeakyReLU", "linear+leaky_relu"},
    {"torch.ao.nn.intrinsic.LinearReLU", "linear+relu"},
    {"torch.ao.nn.intrinsic.LinearTanh", "linear+tanh"},
    {"torch.ao.nn.intrinsic.qat.ConvBn1d", "conv1d+batch_norm1d"},
    {"torch.ao.nn.intrinsic.qat.ConvBn2d", "conv2d+batch_norm2d"},
    {"torch.ao.nn.intrinsic.qat.ConvBn3d", "conv3d+batch_norm3d"},
    {"torch.ao.nn.intrinsic.qat.ConvBnReLU1d", "conv1d+batch_norm1d+relu"},
    {"torch.ao.nn.intrinsic.qat.ConvBnReLU2d", "conv2d+batch_norm2d+relu"},
    {"torch.ao.nn.intrinsic.qat.ConvBnReLU3d", "conv3d+batch_norm3d+relu"},
    {"torch.ao.nn.intrinsic.qat.ConvReLU1d", "conv1d+relu"},
    {"torch.ao.nn.intrinsic.qat.ConvReLU2d", "conv2d+relu"},
    {"torch.ao.nn.intrinsic.qat.ConvReLU3d", "conv3d+relu"},
    {"torch.ao.nn.intrinsic.qat.LinearBn1d", "linear+batch_norm1d"},
    {"torch.ao.nn.intrinsic.qat.LinearReLU", "linear+relu"},
    {"torch.ao.nn.qat.Conv1d", "conv1d"},
    {"torch.ao.nn.qat.Conv2d", "conv2d"},
    {"torch.ao.nn.qat.Conv3d", "conv3d"},
    {"torch.ao.nn.qat.Embedding", "embedding"},
    {"torch.ao.nn.qat.EmbeddingBag", "embedding_bag"},
    {"torch.ao.nn.qat.Linear", "linear"},
    {"torch.cat", "cat"},
    {"torch.clamp", "clamp"},
    {"torch.concat", "cat"},
    {"torch.concatenate", "cat"},
    {"torch.flatten", "flatten"},
    {"torch.matmul", "matmul"},
    {"torch.mean", "mean"},
    {"torch.mul", "mul"},
    {"torch.narrow", "narrow"},
    {"torch.nn.AdaptiveAvgPool1d", "adaptive_avg_pool1d"},
    {"torch.nn.AdaptiveAvgPool2d", "adaptive_avg_pool2d"},
    {"torch.nn.AdaptiveAvgPool3d", "adaptive_avg_pool3d"},
    {"torch.nn.AvgPool1d", "avg_pool1d"},
    {"torch.nn.AvgPool2d", "avg_pool2d"},
    {"torch.nn.AvgPool3d", "avg_pool3d"},
    {"torch.nn.BatchNorm1d", "batch_norm1d"},
    {"torch.nn.BatchNorm2d", "batch_norm2d"},
    {"torch.nn.BatchNorm3d", "batch_norm3d"},
    {"torch.nn.ConstantPad2d", "pad"},
    {"torch.nn.Conv1d", "conv1d"},
    {"torch.nn.Conv2d", "conv2d"},
    {"torch.nn.Conv3d", "conv3d"},
    {"torch.nn.ConvTranspose1d", "conv_transpose1d"},
    {"torch.nn.ConvTranspose2d", "conv_transpose2d"},
    {"torch.nn.ConvTranspose3d", "conv_transpose3d"},
    {"torch.nn.Dropout", "dropout"},
    {"torch.nn.ELU", "elu"},
    {"torch.nn.Embedding", "embedding"},
    {"torch.nn.EmbeddingBag", "embedding_bag"},
    {"torch.nn.Flatten", "flatten"},
    {"torch.nn.GRU", "gru"},
    {"torch.nn.GRUCell", "gru_cell"},
    {"torch.nn.Hardsigmoid", "hardsigmoid"},
    {"torch.nn.Hardswish", "hardswish"},
    {"torch.nn.Hardtanh", "hardtanh"},
    {"torch.nn.Identity", "identity"},
    {"torch.nn.InstanceNorm1d", "instance_norm1d"},
    {"torch.nn.InstanceNorm2d", "instance_norm2d"},
    {"torch.nn.InstanceNorm3d", "instance_norm3d"},
    {"torch.nn.LSTM", "lstm"},
    {"torch.nn.LSTMCell", "lstm_cell"},
    {"torch.nn.LayerNorm", "layer_norm"},
    {"torch.nn.LeakyReLU", "leaky_relu"},
    {"torch.nn.Linear", "linear"},
    {"torch.nn.MaxPool1d", "max_pool1d"},
    {"torch.nn.MaxPool2d", "max_pool2d"},
    {"torch.nn.MaxPool3d", "max_pool3d"},
    {"torch.nn.PReLU", "prelu"},
    {"torch.nn.PixelShuffle", "pixel_shuffle"},
    {"torch.nn.PixelUnshuffle", "pixel_unshuffle"},
    {"torch.nn.RNNCell", "rnn_cell"},
    {"torch.nn.ReLU", "relu"},
    {"torch.nn.ReLU6", "relu6"},
    {"torch.nn.Sigmoid", "sigmoid"},
    {"torch.nn.Softmax", "softmax"},
    {"torch.nn.Tanh", "tanh"},
    {"torch.nn.functional.adaptive_avg_pool1d", "adaptive_avg_pool1d"},
    {"torch.nn.functional.adaptive_avg_pool2d", "adaptive_avg_pool2d"},
    {"torch.nn.functional.adaptive_avg_pool3d", "adaptive_avg_pool3d"},
    {"torch.nn.functional.avg_pool1d", "avg_pool1d"},
    {"torch.nn.functional.avg_pool2d", "avg_pool2d"},
    {"torch.nn.functional.avg_pool3d", "avg_pool3d"},
    {"torch.nn.functional.conv1d", "conv1d"},
    {"torch.nn.functional.conv2d", "conv2d"},
    {"torch.nn.functional.conv3d", "conv3d"},
    {"torch.nn.functional.conv_transpose1d", "conv_transpose1d"},
    {"torch.nn.functional.conv_transpose2d", "conv_transpose2d"},
    {"torch.nn.functional.conv_transpose3d", "conv_transpose3d"},
    {"torch.nn.functional.dropout", "dropout"},
    {"torch.nn.functional.elu", "elu"},
    {"torch.nn.functional.embedding", "embedding"},
    {"torch.nn.functional.group_norm", "group_norm"},
    {"torch.nn.functional.hardsigmoid", "hardsigmoid"},
    {"torch.nn.functional.hardswish", "hardswish"},
    {"torch.nn.functional.hardtanh", "hardtanh"},
    {"torch.nn.functional.hardtanh_", "hardtanh"},
    {"torch.nn.functional.instance_norm",
     "instance_norm1d|instance_norm2d|instance_norm3d"},
    {"torch.nn.functional.interpolate", "interpolate"},
    {"torch.nn.functional.layer_norm", "layer_norm"},
    {"torch.nn.functional.leaky_relu", "leaky_relu"},
    {"torch.nn.functional.leaky_relu_", "leaky_relu"},
    {"torch.nn.functional.linear", "linear"},
    {"torch.nn.functional.max_pool1d", "max_pool1d"},
    {"torch.nn.functional.max_pool2d", "max_pool2d"},
    {"torch.nn.functional.max_pool3d", "max_pool3d"},
    {"torch.nn.functional.pad", "pad"},
    {"torch.nn.functional.pixel_shuffle", "pixel_shuffle"},
    {"torch.nn.functional.pixel_unshuffle", "pixel_unshuffle"},
    {"torch.nn.functional.relu", "relu"},
    {"torch.nn.functional.relu6", "relu6"},
    {"torch.ops.aten.adaptive_avg_pool2d.default", "adaptive_avg_pool2d"},
    {"torch.ops.aten.add.Tensor", "add"},
    {"torch.ops.aten.add_.Tensor", "add"},
    {"torch.ops.aten.addmm.default", "linear"},
    {"torch.ops.aten.avg_pool2d.default", "avg_pool2d"},
    {"torch.ops.aten.bmm.default", "matmul"},
    {"torch.ops.aten.cat.default", "cat"},
    {"torch.ops.aten.conv1d.default", "conv1d"},
    {"torch.ops.aten.conv2d.default", "conv2d"},
    {"torch.ops.aten.conv3d.default", "conv3d"},
    {"torch.ops.aten.conv_transpose1d.default", "conv_transpose1d"},
    {"torch.ops.aten.conv_transpose2d.input", "conv_transpose2d"},
    {"torch.ops.aten.conv_transpose3d.input", "conv_transpose3d"},
    {"torch.ops.aten.convolution.default",
     "conv1d|conv2d|conv3d|conv_transpose1d|conv_transpose2d|conv_transpose3d"},
    {"torch.ops.aten.div.Tensor", "div"},
    {"torch.ops.aten.flatten.using_ints", "flatten"},
    {"torch.ops.aten.gelu.default", "gelu"},
    {"torch.ops.aten.hardsigmoid.default", "hardsigmoid"},
    {"torch.ops.aten.hardswish.default", "hardswish"},
    {"torch.ops.aten.hardswish_.default", "hardswish"},
    {"torch.ops.aten.hardtanh.default", "hardtanh|relu6|clamp"},
    {"torch.ops.aten.hardtanh_.default", "hardtanh|relu6|clamp"},
    {"torch.ops.aten.leaky_relu.default", "leaky_relu"},
    {"torch.ops.aten.linear.default", "linear"},
    {"torch.ops.aten.matmul.default", "matmul"},
    {"torch.ops.aten.max_pool2d.default", "max_pool2d"},
    // max_pool1d is exported as a pool of images of one row.
    {"torch.ops.aten.max_pool2d_with_indices.default", "max_pool1d|max_pool2d"},
    {"torch.ops.aten.mean.dim", "mean"},
    {"torch.ops.aten.mm.default", "linear"},
    {"torch.ops.aten.mul.Tensor", "mul"},
    {"torch.ops.aten.mul_.Tensor", "mul"},
    {"torch.ops.aten.permute.default", "transpose"},
    {"torch.ops.aten.relu.default", "relu"},
    {"torch.ops.aten.relu6.default", "relu6"},
    {"torch.ops.aten.relu_.default", "relu"},
    {"torch.ops.aten.reshape.default", "reshape"},
    {"torch.ops.aten.sigmoid.default", "sigmoid"},
    {"torch.ops.aten.silu.default", "silu"},
    {"torch.ops.aten.softmax.int", "softmax"},
    {"torch.ops.aten.squeeze.dim", "squeeze"},
    {"torch.ops.aten.sub.Tensor", "sub"},
    {"torch.ops.aten.tanh.default", "tanh"},
    {"torch.ops.aten.transpose.int", "transpose"},
    {"torch.ops.aten.view.default", "reshape"},
    {"torch.permute", "transpose"},
    {"torch.permute_copy", "transpose"},
    {"torch.relu", "relu"},
    {"torch.repeat_interleave", "repeat_interleave"},
    {"torch.sigmoid", "sigmoid"},
    {"torch.squeeze", "squeeze"},
    {"torch.stack", "stack"},
    {"torch.sub", "sub"},
    {"torch.tanh", "tanh"},
    {"torch.transpose", "transpose"},
    {"torch.unsqueeze", "unsqueeze"},
};

static constexpr llvm::StringLiteral kMethod = "method:";

SmallVector<SmallVector<StringRef>>
qbackend::getKindsOfTorchName(StringRef name) {
  static const llvm::StringMap<StringRef> kinds = [] {
    llvm::StringMap<StringRef> result;
    for (const Spelling &spelling : spellings) {
      result.insert({spelling.name, spelling.kinds});
      StringRef method = spelling.name;
      if (method.consume_front(kMethod))
        result.insert({method, spelling.kinds});
    }
    return result;
  }();
  auto it = kinds.find(name);
  if (it != kinds.end()) {
    SmallVector<SmallVector<StringRef>> result;
    for (StringRef alternative : llvm::split(it->second, '|'))
      result.push_back(llvm::to_vector(llvm::split(alternative, '+')));
    return result;
  }
  // A kind that PyTorch has no method of.
  if (StringRef kind = name;
      kind.consume_front(kMethod) && llvm::is_contained(getTorchKinds(), kind))
    return {{kind}};
  return {{name}};
}

ArrayRef<StringRef> qbackend::getTorchKinds() {
  static const SmallVector<StringRef> kinds = [] {
    SmallVector<StringRef> result;
    for (const Spelling &spelling : spellings)
      if (!spelling.kinds.contains('+'))
        llvm::append_range(result, llvm::split(spelling.kinds, '|'));
    llvm::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }();
  return kinds;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Far more than PyTorch's patterns have; nested names of several kinds
/// multiply.
static constexpr size_t kMaxPatterns = 64;

/// Appends to each of `lists` each of `ends`, the last one varying first. Empty
/// if there are too many.
template <typename T>
static SmallVector<SmallVector<T>> appendEach(ArrayRef<SmallVector<T>> lists,
                                              ArrayRef<SmallVector<T>> ends) {
  SmallVector<SmallVector<T>> result;
  if (lists.size() * ends.size() > kMaxPatterns)
    return result;
  for (const SmallVector<T> &list : lists)
    for (const SmallVector<T> &end : ends) {
      result.push_back(list);
      llvm::append_range(result.back(), end);
    }
  return result;
}

SmallVector<SmallVector<StringRef>>
qbackend::getKindsOfTorchNames(ArrayRef<StringRef> names) {
  SmallVector<SmallVector<StringRef>> result = {{}};
  for (StringRef name : names)
    result = appendEach<StringRef>(result, getKindsOfTorchName(name));
  return result;
}

/// `node` with the kinds of its names; those of a fused module nest.
static SmallVector<Attribute> translate(Attribute element) {
  auto node = dyn_cast<PatternNodeAttr>(element);
  if (!node)
    return {element};
  SmallVector<SmallVector<Attribute>> operands = {{}};
  for (Attribute operand : node.getOperands()) {
    SmallVector<SmallVector<Attribute>> patterns;
    for (Attribute pattern : translate(operand))
      patterns.push_back({pattern});
    operands = appendEach<Attribute>(operands, patterns);
  }
  SmallVector<Attribute> result;
  for (ArrayRef<StringRef> kinds :
       getKindsOfTorchName(node.getName().getValue()))
    for (SmallVector<Attribute> each : operands) {
      for (StringRef kind : kinds)
        each = {PatternNodeAttr::get(node.getContext(),
                                     StringAttr::get(node.getContext(), kind),
                                     ArrayRef<Attribute>(each))};
      result.push_back(each.front());
    }
  if (result.size() > kMaxPatterns)
    result.clear();
  return result;
}

/// Whether `element` is a pool alone, whose kinds are those of its name.
static bool isPool(Attribute element) {
  auto node = dyn_cast<PatternNodeAttr>(element);
  return node && node.getOperands().empty() &&
         llvm::all_of(getKindsOfTorchName(node.getName().getValue()),
                      [](ArrayRef<StringRef> kinds) {
                        return kinds.front().starts_with("max_pool");
                      });
}

static SmallVector<Attribute> getAllPatterns(Attribute torch) {
  MLIRContext *context = torch.getContext();
  auto list = dyn_cast<ArrayAttr>(torch);
  if (!list) {
    auto node = cast<PatternNodeAttr>(torch);
    // The first result of a pool with indices is the pool.
    if (node.getName() == "operator.getitem" &&
        node.getOperands().size() == 2 && isPool(node.getOperands()[0]))
      return llvm::map_to_vector(
          translate(node.getOperands()[0]), [&](Attribute pool) -> Attribute {
            return ArrayAttr::get(context,
                                  {cast<PatternNodeAttr>(pool).getName()});
          });
    return translate(node);
  }
  return llvm::map_to_vector(
      getKindsOfTorchNames(llvm::to_vector(list.getAsValueRange<StringAttr>())),
      [&](ArrayRef<StringRef> names) -> Attribute {
        auto kinds =
            llvm::map_to_vector(names, [&](StringRef name) -> Attribute {
              return StringAttr::get(context, name);
            });
        if (kinds.size() <= 3)
          return ArrayAttr::get(context, kinds);
        PatternNodeAttr node;
        for (Attribute kind : kinds)
          node = PatternNodeAttr::get(context, cast<StringAttr>(kind),
                                      node ? ArrayRef<Attribute>(node)
                                           : ArrayRef<Attribute>());
        return node;
      });
}

/// Whether `pattern` has each of `kinds`.
static bool hasKinds(Attribute pattern, ArrayAttr kinds) {
  return llvm::all_of(kinds, [&](Attribute kind) {
    return pattern
        .walk([&](StringAttr name) {
          return name == kind ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

SmallVector<Attribute> qbackend::getPatternsOfTorch(Attribute torch,
                                                    ArrayAttr fusedOperator) {
  SmallVector<Attribute> patterns = getAllPatterns(torch);
  if (patterns.size() <= 1 || !fusedOperator)
    return patterns;
  auto fitting = llvm::to_vector(llvm::make_filter_range(
      patterns, [&](Attribute each) { return hasKinds(each, fusedOperator); }));
  return fitting.empty() ? patterns : fitting;
}
