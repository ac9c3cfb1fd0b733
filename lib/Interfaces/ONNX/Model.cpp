// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX models as messages of protocol buffers. Lengths come before contents, so
// small messages are strings; the bytes of constants go to the file from where
// they are.

#include "Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace qbackend::onnx;

//===----------------------------------------------------------------------===//
// The wire format
//===----------------------------------------------------------------------===//

static void putVarint(std::string &to, uint64_t value) {
  for (; value > 127; value >>= 7)
    to.push_back(static_cast<char>((value & 127) | 128));
  to.push_back(static_cast<char>(value));
}

static uint64_t varintSize(uint64_t value) {
  uint64_t size = 1;
  for (; value > 127; value >>= 7)
    ++size;
  return size;
}

static void putInt(std::string &to, unsigned field, int64_t value) {
  putVarint(to, field << 3);
  putVarint(to, static_cast<uint64_t>(value));
}

/// Key and length of a field of `size` bytes, which follow.
static void putKey(std::string &to, unsigned field, uint64_t size) {
  putVarint(to, field << 3 | 2);
  putVarint(to, size);
}

static void putBytes(std::string &to, unsigned field, StringRef bytes) {
  putKey(to, field, bytes.size());
  to.append(bytes.data(), bytes.size());
}

/// The size of a field with a length.
static uint64_t fieldSize(unsigned field, uint64_t size) {
  return varintSize(field << 3) + varintSize(size) + size;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// AttributeProto.AttributeType.
enum AttributeKind { kFloat = 1, kInt = 2, kString = 3, kInts = 7 };
} // namespace

NodeAttr::NodeAttr(StringRef name, int64_t value) {
  putBytes(message, 1, name);
  putInt(message, 3, value);
  putInt(message, 20, kInt);
}

NodeAttr::NodeAttr(StringRef name, float value) {
  putBytes(message, 1, name);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  putVarint(message, 2 << 3 | 5);
  char bytes[sizeof(bits)];
  support::endian::write32le(bytes, bits);
  message.append(bytes, sizeof(bytes));
  putInt(message, 20, kFloat);
}

NodeAttr::NodeAttr(StringRef name, StringRef value) {
  putBytes(message, 1, name);
  putBytes(message, 4, value);
  putInt(message, 20, kString);
}

NodeAttr::NodeAttr(StringRef name, ArrayRef<int64_t> values) {
  putBytes(message, 1, name);
  for (int64_t value : values)
    putInt(message, 8, value);
  putInt(message, 20, kInts);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

std::string Model::makeUnique(StringRef name, StringSet<> &taken) {
  std::string result = name.str();
  for (unsigned count = 1; !taken.insert(result).second; ++count)
    result = (name + "_" + Twine(count)).str();
  return result;
}

Tensor Model::addTensor(StringRef name) {
  names.push_back(makeUnique(name, tensorNames));
  fixed.push_back(false);
  return {static_cast<unsigned>(names.size() - 1)};
}

static std::string getValueInfo(StringRef name, ElementType type,
                                ArrayRef<int64_t> shape) {
  std::string dims;
  for (auto [i, extent] : enumerate(shape)) {
    std::string dim;
    if (extent >= 0)
      putInt(dim, 1, extent);
    else
      putBytes(dim, 2, i == 0 ? "batch" : (name + "_" + Twine(i)).str());
    putBytes(dims, 1, dim);
  }
  std::string tensor, proto, info;
  putInt(tensor, 1, static_cast<int64_t>(type));
  putBytes(tensor, 2, dims);
  putBytes(proto, 1, tensor);
  putBytes(info, 1, name);
  putBytes(info, 2, proto);
  return info;
}

Tensor Model::addInput(StringRef name, ElementType type,
                       ArrayRef<int64_t> shape) {
  Tensor tensor = addTensor(name);
  fixed[tensor.id] = true;
  putBytes(inputs, 11, getValueInfo(names[tensor.id], type, shape));
  return tensor;
}

void Model::addOutput(Tensor tensor, StringRef name, ElementType type,
                      ArrayRef<int64_t> shape) {
  // What has a name already is copied.
  if (fixed[tensor.id])
    tensor = addNode("Identity", tensor, {}, (name + "/Identity").str());
  names[tensor.id] = makeUnique(name, tensorNames);
  fixed[tensor.id] = true;
  putBytes(outputs, 12, getValueInfo(names[tensor.id], type, shape));
}

Tensor Model::addInitializer(StringRef name, ElementType type,
                             ArrayRef<int64_t> shape, ArrayRef<char> bytes,
                             StringRef documentation) {
  Tensor tensor = addTensor(name);
  fixed[tensor.id] = true;
  initializers.push_back({tensor.id, type, SmallVector<int64_t>(shape), bytes,
                          documentation.str()});
  return tensor;
}

ArrayRef<char> Model::keep(std::vector<char> bytes) {
  kept.push_back(std::move(bytes));
  return kept.back();
}

SmallVector<Tensor> Model::addNodes(StringRef kind, ArrayRef<Tensor> inputs,
                                    ArrayRef<NodeAttr> attributes,
                                    StringRef name, unsigned numResults) {
  Node node;
  node.kind = kind.str();
  node.name = makeUnique(name, nodeNames);
  // Optional inputs at the end that are left out have no name either.
  while (!inputs.empty() && !inputs.back())
    inputs = inputs.drop_back();
  for (Tensor input : inputs)
    node.inputs.push_back(input.id);
  SmallVector<Tensor> results;
  for (unsigned i = 0; i < numResults; ++i) {
    results.push_back(
        addTensor(i ? node.name + ":" + std::to_string(i) : node.name));
    node.outputs.push_back(results.back().id);
  }
  for (const NodeAttr &attribute : attributes)
    putBytes(node.attributes, 5, attribute.getMessage());
  nodes.push_back(std::move(node));
  return results;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static constexpr int64_t irVersion = 8;
static constexpr int64_t opset = 17;
static constexpr StringLiteral graphName = "main";

std::string Model::getHeader(const Initializer &initializer) const {
  std::string header;
  for (int64_t extent : initializer.shape)
    putInt(header, 1, extent);
  putInt(header, 2, static_cast<int64_t>(initializer.type));
  putBytes(header, 8, names[initializer.id]);
  if (!initializer.documentation.empty())
    putBytes(header, 12, initializer.documentation);
  putKey(header, 9, initializer.bytes.size());
  return header;
}

std::string Model::getNodes() const {
  std::string all;
  for (const Node &node : nodes) {
    std::string message;
    for (unsigned input : node.inputs)
      putBytes(message, 1, names[input]);
    for (unsigned output : node.outputs)
      putBytes(message, 2, names[output]);
    putBytes(message, 3, node.name);
    putBytes(message, 4, node.kind);
    message += node.attributes;
    putBytes(all, 1, message);
  }
  return all;
}

/// Version and producer, before the graph.
static std::string getPreamble() {
  std::string message;
  putInt(message, 1, irVersion);
  putBytes(message, 2, "qbackend");
  return message;
}

std::string Model::getOpsets() const {
  std::string message, result;
  putBytes(message, 1, "");
  putInt(message, 2, opset);
  putBytes(result, 8, message);
  return result;
}

uint64_t Model::getSize() const {
  uint64_t graph = getNodes().size() + fieldSize(2, graphName.size()) +
                   inputs.size() + outputs.size();
  for (const Initializer &initializer : initializers)
    graph +=
        fieldSize(5, getHeader(initializer).size() + initializer.bytes.size());
  return getPreamble().size() + fieldSize(7, graph) + getOpsets().size();
}

void Model::write(raw_ostream &output) const {
  std::string all = getNodes(), name;
  putBytes(name, 2, graphName);
  uint64_t size = all.size() + name.size() + inputs.size() + outputs.size();
  for (const Initializer &initializer : initializers)
    size +=
        fieldSize(5, getHeader(initializer).size() + initializer.bytes.size());
  std::string start = getPreamble();
  putKey(start, 7, size);
  output << start << all << name;
  for (const Initializer &initializer : initializers) {
    std::string header = getHeader(initializer), key;
    putKey(key, 5, header.size() + initializer.bytes.size());
    output << key << header;
    output.write(initializer.bytes.data(), initializer.bytes.size());
  }
  output << inputs << outputs << getOpsets();
}
