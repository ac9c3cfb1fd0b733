#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs parts of a command side by side with GNU parallel, and merges them: FILE.json is
# what the same command takes as --parts=FILE.json, or, of --calibrate, the table. No
# name has a space in it.
#
# usage: parallel.sh FILE.json PARTS COMMAND...
#   parallel.sh layers.json 8 qbackend-run net.mlir --layers --compare=int.mlir \
#     --input=x.npz --num-threads=1
#
# RUNNER names another program that takes the same options, such as xargs; JOBS is
# how many parts run at once, by default one for each core.
set -eu
merged=$1 parts=$2
shift 2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
seq 0 $((parts - 1)) | ${RUNNER:-parallel} -P "${JOBS:-$(nproc)}" -I{} \
  "$@" --shard="{}/$parts" -o "$folder/{}.json"
qbackend-calib merge "$folder"/*.json -o "$merged"
