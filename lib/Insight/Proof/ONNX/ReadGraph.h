// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph in the bytes of an ONNX file.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_ONNX_READGRAPH_H
#define QBACKEND_LIB_INSIGHT_PROOF_ONNX_READGRAPH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace qbackend::proof {

/// TensorProto.DataType.
enum class OnnxType { Float = 1, UInt8 = 2, Int8 = 3, Int32 = 6, Int64 = 7 };

struct OnnxAttribute {
  int64_t integer = 0;
  float number = 0;
  std::string text;
  llvm::SmallVector<int64_t> integers;
};

struct OnnxNode {
  std::string kind;
  std::vector<std::string> inputs, outputs;
  llvm::StringMap<OnnxAttribute> attributes;
};

/// A constant, row-major.
struct OnnxConstant {
  OnnxType type = OnnxType::Float;
  llvm::SmallVector<int64_t> shape;
  std::string bytes;

  /// Its elements as numbers; floats as they are.
  std::vector<int64_t> getIntegers() const;
  std::vector<float> getFloats() const;
};

struct OnnxGraph {
  std::vector<OnnxNode> nodes;
  llvm::StringMap<OnnxConstant> constants;
  /// Names, and the types of inputs.
  std::vector<std::pair<std::string, OnnxType>> inputs;
  std::vector<std::string> outputs;
};

/// An error says what isn't as onnx.proto has it.
llvm::Expected<OnnxGraph> readOnnxGraph(llvm::StringRef bytes);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_ONNX_READGRAPH_H
