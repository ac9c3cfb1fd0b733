#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Searches a qconfig mapping in parts, round by round until nothing is left to measure:
# FILE.mlir and what is printed are those of one qbackend-tune.
#
# usage: tune.sh FILE.mlir PARTS NETWORK [options of qbackend-tune]
#   tune.sh tuned.mlir 8 net.mlir --calibration=table.json --input=x.npz \
#     --keep-sqnr=40 --num-threads=1
#
# parallel.sh runs the parts of a round, and has RUNNER and JOBS; on a SLURM cluster
# RUN_PARTS names slurm.sh. What is measured is beside FILE.mlir, which has no space in
# its name.
set -eu
tuned=$1 parts=$2
shift 2
run=${RUN_PARTS:-$(dirname "$0")/parallel.sh}
folder=$(mktemp -d "$tuned.XXXXXX")
trap 'rm -r "$folder"' EXIT
known=
until [ -n "$known" ] && grep -q '"complete"' "$known"; do
  "$run" "$folder/round.json" "$parts" qbackend-tune "$@" ${known:+--parts="$known"}
  qbackend-calib merge $known "$folder/round.json" -o "$folder/all.json"
  known=$folder/known.json
  mv "$folder/all.json" "$known"
done
qbackend-tune "$@" --parts="$known" -o "$tuned"
