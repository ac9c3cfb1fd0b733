// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the ops that are compiled, and what each asserts at run time.

#include "qbackend/Execution/CodeGen/CompiledOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace qbackend::codegen;

namespace {
struct Row {
  StringLiteral dialect;
  RuntimeCheck check;
  /// Names, with spaces between them.
  StringLiteral ops;
};
} // namespace

/// What computes values from values and has a lowering. Others are refused:
/// what is on memory or calls anything (affine.load, func.call_indirect), what
/// nothing lowers (shape, tosa.custom, math.ipowi, winograd), and
/// ub.unreachable, behind which LLVM may assume what it likes.
static constexpr Row table[] = {
    {"affine", RuntimeCheck::ConstantDivision,
     "apply delinearize_index for linearize_index max min yield"},
    {"arith", RuntimeCheck::None,
     "addf addi addui_extended andi bitcast cmpf cmpi constant divf extf extsi "
     "extui fptosi fptoui index_cast index_castui maximumf maxnumf maxsi maxui "
     "minimumf minnumf minsi minui mulf muli mulsi_extended mului_extended "
     "negf ori remf select shli shrsi shrui sitofp subf subi truncf trunci "
     "uitofp xori"},
    {"arith", RuntimeCheck::SignedDivision, "ceildivsi divsi floordivsi remsi"},
    {"arith", RuntimeCheck::UnsignedDivision, "ceildivui divui remui"},
    {"builtin", RuntimeCheck::None, "module"},
    {"cf", RuntimeCheck::None, "assert br cond_br switch"},
    {"func", RuntimeCheck::None, "call func return"},
    {"index", RuntimeCheck::None,
     "add and bool.constant casts castu cmp constant maxs maxu mins minu mul "
     "or shl shrs shru sizeof sub xor"},
    {"index", RuntimeCheck::SignedDivision, "ceildivs divs floordivs rems"},
    {"index", RuntimeCheck::UnsignedDivision, "ceildivu divu remu"},
    {"int8", RuntimeCheck::Bounds, "conv2d"},
    {"linalg", RuntimeCheck::None, "index softmax pack unpack yield"},
    {"linalg", RuntimeCheck::Bounds,
     "abs add batch_matmul batch_matvec batch_mmt4d batch_reduce_matmul "
     "batch_vecmat broadcast ceil contract conv_1d conv_1d_ncw_fcw "
     "conv_1d_nwc_wcf conv_2d conv_2d_nchw_fchw conv_2d_nchw_fchw_q "
     "conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_ngchw_gfchw_q "
     "conv_2d_nhwc_fhwc conv_2d_nhwc_fhwc_q conv_2d_nhwc_hwcf "
     "conv_2d_nhwc_hwcf_q conv_2d_nhwgc_gfhwc conv_2d_nhwgc_gfhwc_q conv_3d "
     "conv_3d_ncdhw_fcdhw conv_3d_ndhwc_dhwcf conv_3d_ndhwc_dhwcf_q copy "
     "depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wc "
     "depthwise_conv_1d_nwc_wcm depthwise_conv_2d_nchw_chw "
     "depthwise_conv_2d_nhwc_hwc depthwise_conv_2d_nhwc_hwc_q "
     "depthwise_conv_2d_nhwc_hwcm depthwise_conv_2d_nhwc_hwcm_q "
     "depthwise_conv_3d_ncdhw_cdhw depthwise_conv_3d_ndhwc_dhwc "
     "depthwise_conv_3d_ndhwc_dhwcm div div_unsigned dot elementwise erf exp "
     "fill fill_rng_2d floor generic log map matmul matvec max min mmt4d mul "
     "negf pooling_nchw_max pooling_nchw_sum pooling_ncw_max pooling_ncw_sum "
     "pooling_ndhwc_max pooling_ndhwc_min pooling_ndhwc_sum pooling_nhwc_max "
     "pooling_nhwc_max_unsigned pooling_nhwc_min pooling_nhwc_min_unsigned "
     "pooling_nhwc_sum pooling_nwc_max pooling_nwc_max_unsigned "
     "pooling_nwc_min pooling_nwc_min_unsigned pooling_nwc_sum powf "
     "quantized_batch_matmul quantized_matmul reciprocal reduce round rsqrt "
     "select sqrt square sub tanh transpose vecmat"},
    {"math", RuntimeCheck::None,
     "absf absi acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos "
     "cosh ctlz ctpop cttz erf erfc exp exp2 expm1 floor fma fpowi isfinite "
     "isnan log log10 log1p log2 powf round roundeven rsqrt sin sincos "
     "sinh sqrt tan tanh trunc"},
    {"ml_program", RuntimeCheck::None,
     "global global_load global_load_const global_store"},
    {"scf", RuntimeCheck::None,
     "condition execute_region forall.in_parallel if index_switch reduce "
     "reduce.return while yield"},
    {"scf", RuntimeCheck::Step, "for forall parallel"},
    {"tensor", RuntimeCheck::None, "collapse_shape from_elements rank yield"},
    {"tensor", RuntimeCheck::Bounds,
     "cast concat dim empty expand_shape extract extract_slice generate insert "
     "insert_slice pad parallel_insert_slice reshape splat"},
    // They are lowered to ops that have the checks.
    {"tosa", RuntimeCheck::None,
     "abs add apply_scale argmax arithmetic_right_shift avg_pool2d bitwise_and "
     "bitwise_not bitwise_or bitwise_xor cast ceil clamp clz concat cond_if "
     "const const_shape conv2d conv3d cos depthwise_conv2d equal erf exp floor "
     "gather greater greater_equal identity intdiv log logical_and "
     "logical_left_shift logical_not logical_or logical_right_shift "
     "logical_xor matmul max_pool2d maximum minimum mul negate pad pow "
     "reciprocal reduce_all reduce_any reduce_max reduce_min reduce_product "
     "reduce_sum rescale reshape resize reverse rfft2d rsqrt scatter select "
     "sigmoid sin slice sub table tanh tile transpose transpose_conv2d "
     "variable variable_read variable_write while_loop yield"},
    {"ub", RuntimeCheck::None, "poison"}};

std::optional<RuntimeCheck>
qbackend::codegen::findCompiledOp(mlir::OperationName name) {
  static const StringMap<RuntimeCheck> checks = [] {
    StringMap<RuntimeCheck> checks;
    for (const Row &row : table) {
      SmallVector<StringRef> ops;
      StringRef(row.ops).split(ops, ' ');
      for (StringRef op : ops)
        checks[(row.dialect + "." + op).str()] = row.check;
    }
    return checks;
  }();
  auto found = checks.find(name.getStringRef());
  return found == checks.end() ? std::nullopt : std::optional(found->second);
}

ArrayRef<StringRef> qbackend::codegen::getCompiledDialects() {
  static const SmallVector<StringRef> dialects = [] {
    SmallVector<StringRef> dialects;
    for (const Row &row : table)
      dialects.push_back(row.dialect);
    dialects.erase(llvm::unique(dialects), dialects.end());
    return dialects;
  }();
  return dialects;
}
