// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes say about operators that stay float.

#include "qbackend/Support/Remarks.h"

#include "qbackend/Support/Places.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;

Location qbackend::getRemarkLocation(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return file;
  return loc;
}

/// `loc` as "file:line:column", or the name of what is there.
static void printPlace(Location loc, raw_ostream &os) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn();
  else
    os << getLocationName(loc);
}

template <typename CreateT>
static void emitRemark(Operation *op, StringRef code, StringRef subject,
                       const Twine &reason, const Twine &suggestion,
                       ArrayRef<RemarkNote> notes, StringRef fallbackName,
                       CreateT create) {
  auto opts = remark::RemarkOpts::name(code).category("qbackend");
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    opts = opts.function(function.getName());
  // Remarks have no notes: what is printed for one gets them.
  ScopedDiagnosticHandler addNotes(op->getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Remark)
      for (const RemarkNote &note : notes)
        diag.attachNote(note.loc) << note.text;
    return failure();
  });
  auto remark = create(getRemarkLocation(op->getLoc()), opts);
  if (!remark)
    return;
  remark << remark::detail::Remark::Arg("Operator", subject)
         << remark::reason("{0}", reason.str())
         << remark::suggest("{0}", suggestion.str());
  std::string name = getLocationName(op->getLoc());
  if (name.empty())
    name = fallbackName.str();
  if (!name.empty())
    remark << remark::detail::Remark::Arg("OperatorName", name);
  std::string places;
  llvm::raw_string_ostream os(places);
  for (const RemarkNote &note : notes)
    if (note.isConfiguration) {
      os << (places.empty() ? "" : ", ");
      printPlace(note.loc, os);
    }
  if (!places.empty())
    remark << remark::detail::Remark::Arg("Where", places);
}

void qbackend::remarkMissed(Operation *op, StringRef code, StringRef subject,
                            const Twine &reason, const Twine &suggestion,
                            ArrayRef<RemarkNote> notes, StringRef name) {
  emitRemark(op, code, subject, reason, suggestion, notes, name,
             [](Location loc, remark::RemarkOpts opts) {
               return remark::missed(loc, opts);
             });
}

void qbackend::remarkAnalysis(Operation *op, StringRef code, StringRef subject,
                              const Twine &reason, const Twine &suggestion,
                              ArrayRef<RemarkNote> notes) {
  emitRemark(op, code, subject, reason, suggestion, notes, /*fallbackName=*/"",
             [](Location loc, remark::RemarkOpts opts) {
               return remark::analysis(loc, opts);
             });
}
