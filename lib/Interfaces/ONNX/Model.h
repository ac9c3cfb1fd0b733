// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model that is being built, and its file: messages of protocol
// buffers. Knows nothing of MLIR. Field numbers are those of onnx.proto, IR
// version 8.

#ifndef QBACKEND_LIB_INTERFACES_ONNX_MODEL_H
#define QBACKEND_LIB_INTERFACES_ONNX_MODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace qbackend::onnx {

/// TensorProto.DataType.
enum class ElementType {
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Float16 = 10,
  Double = 11
};

/// A value of the graph. The default one is an input that is left out.
struct Tensor {
  unsigned id = 0;
  explicit operator bool() const { return id != 0; }
};

/// An attribute of a node.
class NodeAttr {
public:
  NodeAttr(llvm::StringRef name, int64_t value);
  NodeAttr(llvm::StringRef name, float value);
  NodeAttr(llvm::StringRef name, llvm::StringRef value);
  NodeAttr(llvm::StringRef name, llvm::ArrayRef<int64_t> values);

  const std::string &getMessage() const { return message; }

private:
  std::string message;
};

class Model {
public:
  /// A dynamic extent is negative.
  Tensor addInput(llvm::StringRef name, ElementType type,
                  llvm::ArrayRef<int64_t> shape);
  void addOutput(Tensor tensor, llvm::StringRef name, ElementType type,
                 llvm::ArrayRef<int64_t> shape);

  /// A constant. `bytes` have to live as long as the model, unless `keep` took
  /// them over.
  Tensor addInitializer(llvm::StringRef name, ElementType type,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<char> bytes,
                        llvm::StringRef documentation = "");
  llvm::ArrayRef<char> keep(std::vector<char> bytes);

  /// A node with one result.
  Tensor addNode(llvm::StringRef kind, llvm::ArrayRef<Tensor> inputs,
                 llvm::ArrayRef<NodeAttr> attributes, llvm::StringRef name) {
    return addNodes(kind, inputs, attributes, name, 1).front();
  }
  /// The same with several.
  llvm::SmallVector<Tensor> addNodes(llvm::StringRef kind,
                                     llvm::ArrayRef<Tensor> inputs,
                                     llvm::ArrayRef<NodeAttr> attributes,
                                     llvm::StringRef name, unsigned numResults);

  /// The size of the file in bytes.
  uint64_t getSize() const;
  void write(llvm::raw_ostream &output) const;

private:
  struct Node {
    std::string kind, name;
    llvm::SmallVector<unsigned> inputs, outputs;
    std::string attributes;
  };
  struct Initializer {
    unsigned id;
    ElementType type;
    llvm::SmallVector<int64_t> shape;
    llvm::ArrayRef<char> bytes;
    std::string documentation;
  };

  Tensor addTensor(llvm::StringRef name);
  /// `name`, or with a number behind it if there is one of that name.
  std::string makeUnique(llvm::StringRef name, llvm::StringSet<> &taken);
  /// The fields of an initializer before its bytes.
  std::string getHeader(const Initializer &initializer) const;
  std::string getNodes() const;
  std::string getOpsets() const;

  std::vector<Node> nodes;
  std::vector<Initializer> initializers;
  /// ValueInfo messages.
  std::string inputs, outputs;
  /// By id; the first one is the empty name of an input that is left out.
  std::vector<std::string> names = {""};
  llvm::StringSet<> tensorNames, nodeNames;
  /// Tensors that inputs, initializers and outputs have named.
  std::vector<bool> fixed = {true};
  std::deque<std::vector<char>> kept;
};

} // namespace qbackend::onnx

#endif // QBACKEND_LIB_INTERFACES_ONNX_MODEL_H
