// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of protocol buffers, with the field numbers of onnx.proto. What
// wrote them has no part in this.

#include "ONNX/ReadGraph.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace qbackend::proof;

namespace {
/// A field of a message: a number, or bytes.
struct Field {
  unsigned number = 0;
  uint64_t value = 0;
  StringRef bytes;
};
} // namespace

static Error makeError() {
  return createStringError("the ONNX file is no message of onnx.proto");
}

static Error forEachField(StringRef message,
                          function_ref<Error(const Field &)> visit) {
  auto readNumber = [&](uint64_t &value) {
    unsigned size = 0;
    const char *why = nullptr;
    value =
        decodeULEB128(message.bytes_begin(), &size, message.bytes_end(), &why);
    message = message.drop_front(size);
    return why == nullptr;
  };
  while (!message.empty()) {
    uint64_t key, size;
    if (!readNumber(key))
      return makeError();
    Field field;
    field.number = key >> 3;
    unsigned kind = key & 7;
    if (kind == 0) {
      if (!readNumber(field.value))
        return makeError();
    } else {
      size = kind == 5 ? 4 : kind == 1 ? 8 : 0;
      if (kind == 2 ? !readNumber(size) : size == 0)
        return makeError();
      if (size > message.size())
        return makeError();
      field.bytes = message.take_front(size);
      message = message.drop_front(size);
      if (kind == 5)
        std::memcpy(&field.value, field.bytes.data(), size);
    }
    if (Error error = visit(field))
      return error;
  }
  return Error::success();
}

/// Integers that repeat, one by one or together.
static Error addIntegers(const Field &field, SmallVectorImpl<int64_t> &to) {
  if (field.bytes.empty()) {
    to.push_back(field.value);
    return Error::success();
  }
  StringRef rest = field.bytes;
  while (!rest.empty()) {
    unsigned size = 0;
    const char *why = nullptr;
    to.push_back(
        decodeULEB128(rest.bytes_begin(), &size, rest.bytes_end(), &why));
    if (why)
      return makeError();
    rest = rest.drop_front(size);
  }
  return Error::success();
}

static Error readNode(StringRef message, OnnxNode &node) {
  return forEachField(message, [&](const Field &field) -> Error {
    if (field.number == 1)
      node.inputs.push_back(field.bytes.str());
    else if (field.number == 2)
      node.outputs.push_back(field.bytes.str());
    else if (field.number == 4)
      node.kind = field.bytes.str();
    else if (field.number == 7 && !field.bytes.empty())
      return createStringError("the ONNX file has a node of domain '" +
                               field.bytes + "'");
    if (field.number != 5)
      return Error::success();
    std::string name;
    OnnxAttribute attribute;
    if (Error error =
            forEachField(field.bytes, [&](const Field &part) -> Error {
              if (part.number == 1)
                name = part.bytes.str();
              else if (part.number == 2)
                std::memcpy(&attribute.number, &part.value, sizeof(float));
              else if (part.number == 3)
                attribute.integer = part.value;
              else if (part.number == 4)
                attribute.text = part.bytes.str();
              else if (part.number == 8)
                return addIntegers(part, attribute.integers);
              return Error::success();
            }))
      return error;
    node.attributes[name] = std::move(attribute);
    return Error::success();
  });
}

static Error readConstant(StringRef message, OnnxGraph &graph) {
  OnnxConstant constant;
  std::string name;
  if (Error error = forEachField(message, [&](const Field &field) -> Error {
        if (field.number == 1)
          return addIntegers(field, constant.shape);
        if (field.number == 2)
          constant.type = static_cast<OnnxType>(field.value);
        else if (field.number == 8)
          name = field.bytes.str();
        else if (field.number == 9)
          constant.bytes = field.bytes.str();
        return Error::success();
      }))
    return error;
  // Raw elements, as many as the shape says.
  int64_t width =
      constant.type == OnnxType::Float || constant.type == OnnxType::Int32  ? 4
      : constant.type == OnnxType::Int64                                    ? 8
      : constant.type == OnnxType::UInt8 || constant.type == OnnxType::Int8 ? 1
                                                                            : 0;
  int64_t size = width;
  for (int64_t extent : constant.shape)
    if (extent < 0 || MulOverflow(size, extent, size))
      return makeError();
  if (width == 0 || size != int64_t(constant.bytes.size()))
    return createStringError("the ONNX file has a constant without elements "
                             "of a type that is read here");
  graph.constants[name] = std::move(constant);
  return Error::success();
}

/// The name and the element type of a ValueInfoProto.
static Error readValue(StringRef message,
                       std::pair<std::string, OnnxType> &value) {
  return forEachField(message, [&](const Field &field) -> Error {
    if (field.number == 1)
      value.first = field.bytes.str();
    if (field.number != 2)
      return Error::success();
    return forEachField(field.bytes, [&](const Field &type) -> Error {
      if (type.number != 1)
        return Error::success();
      return forEachField(type.bytes, [&](const Field &part) -> Error {
        if (part.number == 1)
          value.second = static_cast<OnnxType>(part.value);
        return Error::success();
      });
    });
  });
}

Expected<OnnxGraph> qbackend::proof::readOnnxGraph(StringRef bytes) {
  OnnxGraph graph;
  auto readGraph = [&](const Field &field) -> Error {
    if (field.number == 1)
      return readNode(field.bytes, graph.nodes.emplace_back());
    if (field.number == 5)
      return readConstant(field.bytes, graph);
    std::pair<std::string, OnnxType> value;
    if (field.number != 11 && field.number != 12)
      return Error::success();
    if (Error error = readValue(field.bytes, value))
      return error;
    if (field.number == 11)
      graph.inputs.push_back(std::move(value));
    else
      graph.outputs.push_back(std::move(value.first));
    return Error::success();
  };
  if (Error error = forEachField(bytes, [&](const Field &field) -> Error {
        return field.number == 7 ? forEachField(field.bytes, readGraph)
                                 : Error::success();
      }))
    return std::move(error);
  return std::move(graph);
}

template <typename To, typename From>
static void addElements(StringRef bytes, std::vector<To> &to) {
  for (size_t at = 0; at + sizeof(From) <= bytes.size(); at += sizeof(From)) {
    From element;
    std::memcpy(&element, bytes.data() + at, sizeof(From));
    to.push_back(element);
  }
}

std::vector<int64_t> OnnxConstant::getIntegers() const {
  std::vector<int64_t> elements;
  if (type == OnnxType::UInt8)
    addElements<int64_t, uint8_t>(bytes, elements);
  else if (type == OnnxType::Int8)
    addElements<int64_t, int8_t>(bytes, elements);
  else if (type == OnnxType::Int32)
    addElements<int64_t, int32_t>(bytes, elements);
  else if (type == OnnxType::Int64)
    addElements<int64_t, int64_t>(bytes, elements);
  return elements;
}

std::vector<float> OnnxConstant::getFloats() const {
  std::vector<float> elements;
  if (type == OnnxType::Float)
    addElements<float, float>(bytes, elements);
  return elements;
}
