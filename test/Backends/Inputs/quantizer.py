# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantizer.py FILE.py FILE.json: is the configuration of the one the other?"""

import ast
import json
import pathlib
import sys

source, document = (pathlib.Path(name).read_text() for name in sys.argv[1:])
for node in ast.walk(ast.parse(source)):
    if isinstance(node, ast.Assign) and node.targets[0].id == "CONFIGURATION":
        assert json.loads(node.value.args[0].value) == json.loads(document)
        break
else:
    raise AssertionError("there is no configuration")
