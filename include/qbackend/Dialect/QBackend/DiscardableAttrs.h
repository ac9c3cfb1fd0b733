// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the discardable attributes of the dialect. The list in
// lib/Dialect/QBackend/DiscardableAttrs.cpp says what each may stand on and
// which values it takes; all others are refused.

#ifndef QBACKEND_DIALECT_QBACKEND_DISCARDABLEATTRS_H
#define QBACKEND_DIALECT_QBACKEND_DISCARDABLEATTRS_H

#include "llvm/ADT/StringRef.h"

namespace qbackend {

/// The range of a function argument:
/// `{qbackend.range = array<f64: -1.0, 1.0>}`.
inline constexpr llvm::StringLiteral kRangeAttrName = "qbackend.range";

/// Keeps the name of a function argument in text that has no locations:
/// `{qbackend.name = "image"}`.
inline constexpr llvm::StringLiteral kNameAttrName = "qbackend.name";

/// Of an argument or a result, a tensor of f32, that is integers for the
/// caller.
inline constexpr llvm::StringLiteral kQuantizedAttrName = "qbackend.quantized";

/// Of an argument or a result, a tensor of signless integers, that is of
/// unsigned ones for the caller.
inline constexpr llvm::StringLiteral kUnsignedAttrName = "qbackend.unsigned";

/// What an argument of a reference implementation is:
/// `{qbackend.role = "input0.scale"}`.
inline constexpr llvm::StringLiteral kRoleAttrName = "qbackend.role";

/// Of a module some of whose code rounds in a way that isn't recognised:
/// `qbackend-import-quantization` says so to `qbackend-observe`.
inline constexpr llvm::StringLiteral kRoundsAttrName = "qbackend.rounds";

/// Which dimension of what an observe op observes is that of the channels, if
/// it isn't the last: its value has changed its layout.
inline constexpr llvm::StringLiteral kChannelAxisAttrName =
    "qbackend.channel_axis";

/// Of an operator, an argument and an observe op: how many values of the given
/// network it stands for, an i64, 1 without it; an observer is updated so often
/// in a batch. What a pass puts in, a transpose or a view, stands for none; a
/// transpose of the network's own counts where its input comes from. In observe
/// ops array<i64: 0, 1> has the place of each in the code: behind how many of
/// the next observe ops of its observer it comes.
inline constexpr llvm::StringLiteral kSourceValuesAttrName =
    "qbackend.source_values";

/// Of a qconfig_mapping that several networks share: names that a network has
/// no operators of are no errors, as in PyTorch.
inline constexpr llvm::StringLiteral kIgnoreUnknownNamesAttrName =
    "qbackend.ignore_unknown_names";

/// Of a network: the classes of the modules that its operators are in, by path,
/// as `qbackend-import` reads them: `{layer1 = "net.Block"}`.
inline constexpr llvm::StringLiteral kModuleTypesAttrName =
    "qbackend.module_types";

/// The corrections that go with a qconfig mapping:
/// `attributes {qbackend.corrections = ["bias-correction"]}`.
inline constexpr llvm::StringLiteral kCorrectionsAttrName =
    "qbackend.corrections";

/// A call with this attribute, a number N, takes 0 and N last: the range of the
/// units of work that it does, which can be done in parts.
inline constexpr llvm::StringLiteral kUnitsAttrName = "qbackend.units";

/// Of a loop: its turns are independent, and enough work for several threads.
inline constexpr llvm::StringLiteral kParallelAttrName = "qbackend.parallel";

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_DISCARDABLEATTRS_H
