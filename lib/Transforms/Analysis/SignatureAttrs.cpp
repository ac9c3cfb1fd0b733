// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes on the arguments and results of functions.

#include "qbackend/Transforms/Analysis/SignatureAttrs.h"

using namespace mlir;
using namespace qbackend;

/// Returns whether one of `all` had an attribute of `names`.
static bool eraseFrom(MutableArrayRef<DictionaryAttr> all,
                      ArrayRef<StringRef> names) {
  bool isChanged = false;
  for (DictionaryAttr &attributes : all) {
    NamedAttrList kept(attributes);
    bool isErased = false;
    for (StringRef name : names)
      isErased |= bool(kept.erase(name));
    if (isErased)
      attributes = kept.getDictionary(attributes.getContext());
    isChanged |= isErased;
  }
  return isChanged;
}

void qbackend::eraseSignatureAttrs(FunctionOpInterface function,
                                   ArrayRef<StringRef> names) {
  // All at once: the attributes of a function's arguments are one array.
  SmallVector<DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  if (eraseFrom(arguments, names))
    function.setAllArgAttrs(arguments);
  if (eraseFrom(results, names))
    function.setAllResultAttrs(results);
}
