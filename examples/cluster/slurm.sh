#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs parts of a command as a SLURM array, waits for all of them, and merges them:
# FILE.json is what the same command takes as --parts=FILE.json, or, of --calibrate, the
# table. Fails if a part does. The folder of FILE.json is one that all nodes see, and
# has no space in its name.
#
# usage: slurm.sh FILE.json PARTS COMMAND...
set -eu
merged=$1 parts=$2
shift 2
folder=${merged%.json}
mkdir -p "$folder"
sbatch --wait --array=0-$((parts - 1)) "$(dirname "$0")/array.sbatch" "$folder" "$@"
qbackend-calib merge "$folder"/*.json -o "$merged"
