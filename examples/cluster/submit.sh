#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Calibrates a network on a SLURM cluster, then measures what it costs to quantize
# each operator: table.json and sensitivity.json in FOLDER, which all nodes see, are
# those of one machine.
#
# FOLDER is new or empty, and has no space in its name.
#
# usage: submit.sh FOLDER PARTS NETWORK CALIBRATION TEST [options of qbackend-run]
set -eu
folder=$1 parts=$2 network=$3 calibration=$4 test=$5
shift 5
run=$(dirname "$0")/slurm.sh
mkdir -p "$folder"

"$run" "$folder/table.json" "$parts" qbackend-run "$network" --calibrate \
  --statistics=mergeable --input="$calibration" "$@"

# Which operators are float in the curve, follows from the first round.
set -- "$network" --sensitivity --calibration="$folder/table.json" \
  --input="$test" "$@"
"$run" "$folder/first.json" "$parts" qbackend-run "$@"
"$run" "$folder/second.json" "$parts" qbackend-run "$@" --parts="$folder/first.json"
qbackend-calib merge "$folder/first.json" "$folder/second.json" -o "$folder/parts.json"
qbackend-run "$@" --parts="$folder/parts.json" -o "$folder/sensitivity.json"
