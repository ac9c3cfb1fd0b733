// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can stand on a command line as key=value.

#ifndef QBACKEND_SUPPORT_KEY_H
#define QBACKEND_SUPPORT_KEY_H

#include <string>
#include <vector>

namespace qbackend {

struct Key {
  enum class Kind { Text, Integer, Number };

  std::string name;
  /// A sentence.
  std::string help;
  Kind kind = Kind::Text;
  /// All values that there are; empty: not a fixed list.
  std::vector<std::string> choices;
};

} // namespace qbackend

#endif // QBACKEND_SUPPORT_KEY_H
