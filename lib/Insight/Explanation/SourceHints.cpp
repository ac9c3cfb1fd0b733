// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds dialects of front ends, and spellings of older MLIRs, in texts.

#include "qbackend/Insight/Explanation/SourceHints.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace qbackend;

namespace {
struct Converter {
  StringRef dialect, command;
};

/// What an op was spelled like: a line with `op` that has `present`, if that
/// isn't empty, and hasn't `missing`.
struct OldSpelling {
  StringRef op, present, missing, now;
};
} // namespace

/// The options are those of the projects' tools in 2026.
static constexpr Converter kConverters[] = {
    {"torch", "torch-mlir-opt "
              "--torch-backend-to-linalg-on-tensors-backend-pipeline, or "
              "torch_mlir.fx.export_and_import(..., "
              "output_type=\"linalg-on-tensors\")"},
    {"torch_c", "torch-mlir-opt "
                "--torch-backend-to-linalg-on-tensors-backend-pipeline"},
    {"tm_tensor", "torch-mlir-opt --convert-tmtensor-to-linalg"},
    {"stablehlo", "stablehlo-opt --stablehlo-legalize-to-linalg"},
    {"chlo", "stablehlo-opt --chlo-legalize-to-stablehlo "
             "--stablehlo-legalize-to-linalg"},
    {"vhlo", "stablehlo-opt --vhlo-to-version=target=current "
             "--vhlo-legalize-to-stablehlo --stablehlo-legalize-to-linalg"},
    {"mhlo", "mlir-hlo-opt --hlo-legalize-to-stablehlo, then stablehlo-opt "
             "--stablehlo-legalize-to-linalg"},
    {"tf", "tf-opt --tf-to-tosa-pipeline"},
    {"tfl", "tf-opt --tfl-to-tosa-pipeline"},
    {"onnx", "onnx-mlir-opt --convert-onnx-to-tosa, or torch-mlir-import-onnx "
             "and torch-mlir-opt"},
};

static constexpr OldSpelling kOldSpellings[] = {
    {"tensor.expand_shape", "", "output_shape",
     "'tensor.expand_shape' has 'output_shape [...]' since 2024"},
    {"linalg.init_tensor", "", "", "'linalg.init_tensor' is 'tensor.empty'"},
    {"arith.maxf", "", "", "'arith.maxf' is 'arith.maximumf'"},
    {"arith.minf", "", "", "'arith.minf' is 'arith.minimumf'"},
    {"tensor.pack", "", "", "'tensor.pack' is 'linalg.pack'"},
    {"tensor.unpack", "", "", "'tensor.unpack' is 'linalg.unpack'"},
    {"linalg.matmul_transpose_a", "", "",
     "'linalg.matmul_transpose_a' is 'linalg.matmul' with indexing_maps"},
    {"linalg.matmul_transpose_b", "", "",
     "'linalg.matmul_transpose_b' is 'linalg.matmul' with indexing_maps"},
    {"tosa.const", "value =", "values",
     "the attribute 'value' of 'tosa.const' is 'values'"},
    {"tosa.const", "value=", "values",
     "the attribute 'value' of 'tosa.const' is 'values'"},
    {"tosa.reshape", "new_shape", "",
     "'new_shape' of 'tosa.reshape' is an operand, from 'tosa.const_shape'"},
    {"tosa.transpose", "", "perms",
     "the permutation of 'tosa.transpose' is the attribute 'perms'"},
    {"tosa.mul", "shift", "",
     "'shift' of 'tosa.mul' is an operand, a tensor<1xi8>"},
    {"tosa.clamp", "min_fp", "",
     "the bounds of 'tosa.clamp' are 'min_val' and 'max_val'"},
    {"tosa.fully_connected", "", "",
     "'tosa.fully_connected' is 'tosa.conv2d' or 'tosa.matmul'"},
    {"tosa.reluN", "", "", "'tosa.reluN' is 'tosa.clamp'"},
    {"tosa.reduce_prod", "", "", "'tosa.reduce_prod' is 'tosa.reduce_product'"},
    {"tosa.div", "", "", "'tosa.div' is 'tosa.intdiv'"},
    {"quantization_info", "", "",
     "'quantization_info' is zero points as operands"},
    {"tosa.slice", "start =", "",
     "'start' and 'size' of 'tosa.slice' are operands, from "
     "'tosa.const_shape'"},
    {"tosa.tile", "multiples =", "",
     "'multiples' of 'tosa.tile' is an operand, from 'tosa.const_shape'"},
    {"tosa.conv2d", "", "acc_type",
     "'tosa.conv2d' has zero points as operands, and 'acc_type'"},
    {"tosa.depthwise_conv2d", "", "acc_type",
     "'tosa.depthwise_conv2d' has zero points as operands, and 'acc_type'"},
    {"tosa.avg_pool2d", "", "acc_type",
     "'tosa.avg_pool2d' has zero points as operands, and 'acc_type'"},
};

static bool isName(char c) { return isAlnum(c) || c == '_' || c == '$'; }

/// Whether the name in quotes that begins at `at` is an op in generic form, and
/// not a string, such as PyTorch's name in a configuration.
static bool isQuotedOp(StringRef line, size_t at) {
  size_t quote = line.find('"', at);
  return quote != StringRef::npos && line.substr(quote + 1).starts_with("(");
}

/// Where in `line` a name begins that is `prefix` and what follows; npos if
/// nowhere. A name may be in quotes, and a type begins with '!'.
static size_t findName(StringRef line, StringRef prefix, bool isWhole) {
  for (size_t at = line.find(prefix); at != StringRef::npos;
       at = line.find(prefix, at + 1)) {
    char before = at == 0 ? ' ' : line[at - 1];
    size_t end = at + prefix.size();
    char after = end < line.size() ? line[end] : ' ';
    if (!isName(before) && before != '.' && before != '@' && before != '%' &&
        before != '/' && (before != '"' || isQuotedOp(line, at)) &&
        (isWhole ? !isName(after) : isAlpha(after)))
      return at;
  }
  return StringRef::npos;
}

/// `line` without a comment. Strings are taken out of it only as far as names
/// in them would be taken for ops: locations.
static StringRef getCode(StringRef line) {
  return line.take_front(std::min(line.find("//"), line.find(" loc(")));
}

static std::optional<std::pair<size_t, std::string>>
findInLine(StringRef line) {
  for (const Converter &converter : kConverters) {
    size_t at =
        findName(line, (converter.dialect + ".").str(), /*isWhole=*/false);
    if (at != StringRef::npos)
      return {{at, "'" + converter.dialect.str() +
                       "' is the dialect of a front end, and not read here; "
                       "convert the module to linalg or tosa with " +
                       converter.command.str()}};
  }
  for (const OldSpelling &old : kOldSpellings) {
    size_t at = findName(line, old.op, /*isWhole=*/true);
    if (at == StringRef::npos || !line.contains(old.present) ||
        (!old.missing.empty() && line.contains(old.missing)))
      continue;
    return {{at, old.now.str() +
                     " in MLIR 22: the module is of an older one; export it "
                     "again, with tools of this year"}};
  }
  return std::nullopt;
}

std::optional<SourceHint> qbackend::findSourceHint(StringRef text) {
  // The data of constants may be lines of many megabytes.
  constexpr size_t kMaxLine = 1 << 14;
  unsigned number = 0;
  // Bytecode is no text.
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    if (auto found = findInLine(getCode(line.take_front(kMaxLine))))
      return SourceHint{number, unsigned(found->first) + 1, found->second};
  }
  return std::nullopt;
}
