# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lit format for pytest: a file is one run, each of its cases a test.

The cases reach lit as those of GoogleTest do, in a JSON file that conftest.py
writes and lit splits up when all have run.
"""

import os

import lit.formats
import lit.Test
import lit.util


class Pytest(lit.formats.base.TestFormat):
    def __init__(self, python, source_root):
        self.python = python
        self.source_root = source_root

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        for name in sorted(os.listdir(self.source_root)):
            if name.startswith("test_") and name.endswith(".py"):
                # What follows the file name, lit replaces by suite and case.
                test = lit.Test.Test(
                    suite,
                    path_in_suite + (name, "0", "1"),
                    config,
                    os.path.join(self.source_root, name),
                )
                test.gtest_json_file = os.path.join(
                    suite.exec_root, f"{name}.{os.getpid()}.json"
                )
                yield test

    def execute(self, test, lit_config):
        if os.path.exists(test.gtest_json_file):
            os.remove(test.gtest_json_file)
        command = [self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        environment = dict(test.config.environment)
        environment["QBACKEND_TEST_RESULTS"] = test.gtest_json_file
        try:
            output, errors, code = lit.util.executeCommand(
                [*command, test.file_path],
                env=environment,
                cwd=test.suite.exec_root,
                timeout=lit_config.maxIndividualTestTime,
            )
        except lit.util.ExecuteCommandTimeoutException as timeout:
            return lit.Test.TIMEOUT, f"{timeout.msg}\n{timeout.out}{timeout.err}"
        # 5: no test was collected, which a skipped file looks like.
        passed = code in (0, 5)
        return (lit.Test.PASS if passed else lit.Test.FAIL), output + errors
