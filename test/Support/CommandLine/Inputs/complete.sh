# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What bash would offer: complete.sh FOLDER LINE, with FOLDER that of completions.

line=$2
read -ra COMP_WORDS <<<"$line"
[[ $line != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE=$line
COMP_POINT=${#line}
program=${COMP_WORDS[0]}
. "$1/$program"
"_${program//-/_}"
echo "${COMPREPLY[@]}"
