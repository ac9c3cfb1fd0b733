// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes say about operators that stay float.

#ifndef QBACKEND_SUPPORT_REMARKS_H
#define QBACKEND_SUPPORT_REMARKS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>
#include <type_traits>

namespace qbackend {

/// A place that a remark is about, apart from its own.
struct RemarkNote {
  /// A place in the code.
  static RemarkNote atCode(mlir::Location loc, const llvm::Twine &text) {
    return {loc, text.str(), /*isConfiguration=*/false};
  }
  /// A place in a backend or a qconfig mapping: of the file that it was read
  /// from, or of the module.
  static RemarkNote atConfiguration(mlir::Location loc,
                                    const llvm::Twine &text) {
    return {loc, text.str(), /*isConfiguration=*/true};
  }

  mlir::Location loc;
  std::string text;
  bool isConfiguration;
};

/// Why something is not done, as a remark says it.
struct Refusal {
  /// Without a reason there is nothing to say: it was not even tried.
  std::string reason;
  /// What to change; empty where whoever asked says it.
  std::string suggestion;
  llvm::SmallVector<RemarkNote, 0> notes;

  Refusal() = default;
  Refusal(const llvm::Twine &reason, const llvm::Twine &suggestion = "",
          llvm::ArrayRef<RemarkNote> notes = {})
      : reason(reason.str()), suggestion(suggestion.str()),
        notes(notes.begin(), notes.end()) {}
};

/// A value, or why there is none.
template <typename T> class OrRefusal {
public:
  template <typename ValueT,
            typename = std::enable_if_t<std::is_convertible_v<ValueT, T>>>
  OrRefusal(ValueT &&value) : value(T(std::forward<ValueT>(value))) {}
  OrRefusal(Refusal refusal) : refusal(std::move(refusal)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  T *operator->() { return &*value; }
  Refusal &getRefusal() { return refusal; }

private:
  std::optional<T> value;
  Refusal refusal;
};

/// Emits a missed remark of category "qbackend" at `op`: `subject` (such as
/// "conv2d+relu") is not quantized. `code` is a stable name like "QB101", which
/// docs/Diagnostics.md explains, `suggestion` says what to change. In a file,
/// each of these is a field, and so are the name of `op`, if its location has
/// one, else `name`, if given, and the places in the configuration; in text,
/// `notes` are notes.
void remarkMissed(mlir::Operation *op, llvm::StringRef code,
                  llvm::StringRef subject, const llvm::Twine &reason,
                  const llvm::Twine &suggestion,
                  llvm::ArrayRef<RemarkNote> notes = {},
                  llvm::StringRef name = {});

/// The same of an operator that is quantized: what is to know about it.
void remarkAnalysis(mlir::Operation *op, llvm::StringRef code,
                    llvm::StringRef subject, const llvm::Twine &reason,
                    const llvm::Twine &suggestion,
                    llvm::ArrayRef<RemarkNote> notes = {});

/// `loc` as remarks have it: the place in a file, if `loc` has one inside, else
/// `loc`.
mlir::Location getRemarkLocation(mlir::Location loc);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_REMARKS_H
