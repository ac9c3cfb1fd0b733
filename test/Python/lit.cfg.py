# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tests of the Python package.

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from pytest_format import Pytest

config.name = "qbackend-python"
config.test_format = Pytest(config.python_executable, os.path.dirname(__file__))
config.suffixes = []
config.test_source_root = os.path.join(config.qbackend_obj_root, "test", "Python")
config.test_exec_root = config.test_source_root
config.environment["PYTHONPATH"] = os.path.join(config.qbackend_obj_root, "python")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.qbackend_obj_root, "bin"), os.environ.get("PATH", "")]
)

if config.sanitizing_compiler:
    sys.path.insert(0, os.path.join(config.qbackend_src_root, "test"))
    import sanitizers

    config.environment.update(sanitizers.ENVIRONMENT)
    config.environment["LD_PRELOAD"] = sanitizers.preload(
        config.sanitizing_compiler)
