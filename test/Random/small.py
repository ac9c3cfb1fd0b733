# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What transform.py keeps of a network that goes wrong: a form is made up that adds one
to each result, where there is an exponential.

    small.py BIN SEED
"""

import sys
import tempfile

import transform


def variants(case, has_mlir_opt):
    error = "tosa.exp" in case.text
    return {"made up": lambda: [result + error for result in case.compute(case.source)]}


transform.variants = variants
with tempfile.TemporaryDirectory() as work:
    case = transform.Case.of_seed(transform.Tools(sys.argv[1], work), int(sys.argv[2]))
    for wrong in transform.check(case, False, None):
        print(transform.make_small(case, *wrong, False))
