# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the package and its library are, and that they run a network."""

import numpy as np
import qbackend

print(qbackend.__file__, qbackend.__version__)
model = qbackend.Model(
    """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = math.absf %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }"""
)
result = model.run(np.array([1, -2], "float32"))
with open("/proc/self/maps") as maps:
    print({line.split()[-1] for line in maps if "libQBackendCAPI" in line}.pop())
print(result.tolist())
