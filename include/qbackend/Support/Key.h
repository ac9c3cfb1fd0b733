// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can stand on a command line as key=value.

#ifndef QBACKEND_SUPPORT_KEY_H
#define QBACKEND_SUPPORT_KEY_H

#include <cstdint>
#include <string>
#include <vector>

namespace qbackend {

struct Key {
  enum class Kind { Text, Integer, Number };

  std::string name;
  /// A sentence.
  std::string help;
  Kind kind = Kind::Text;
  /// Of an Integer; -1 means something where it isn't counted from 0.
  int64_t least = -1, most = INT64_MAX;
  /// All values that there are; empty: not a fixed list.
  std::vector<std::string> choices;
};

} // namespace qbackend

#endif // QBACKEND_SUPPORT_KEY_H
