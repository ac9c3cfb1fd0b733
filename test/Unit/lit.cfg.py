# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The GoogleTest programs of the other folders, each of their cases a test.

import os
import sys

import lit.formats

config.name = "qbackend-unit"
config.test_format = lit.formats.GoogleTest(
    "Numerics;Calibration;Conversion;Dialect;Operators;Pipelines;"
    "Execution/Samples;Execution/Runtime",
    "Tests",
)
config.suffixes = []
# A suite of its own.
config.excludes = ["Python"]
config.test_source_root = os.path.join(config.qbackend_obj_root, "test")
config.test_exec_root = config.test_source_root

if config.sanitizing_compiler:
    sys.path.insert(0, os.path.join(config.qbackend_src_root, "test"))
    import sanitizers

    config.environment.update(sanitizers.ENVIRONMENT)
