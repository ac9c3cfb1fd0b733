# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the samples of the two documents."""

import numpy

random = numpy.random.default_rng(0)


def images(count, channels=1):
    return random.normal(size=(count, channels, 8, 8)).astype("f4")


numpy.savez("samples.npz", x=images(32))
numpy.savez("test.npz", x=images(16), labels=random.integers(0, 4, 16))
numpy.savez("images.npz", calib=random.integers(0, 255, (32, 1, 8, 8)).astype("u1"))
numpy.savez("rows.npz", x=random.normal(size=(32, 4)).astype("f4"))
numpy.savez("other.npz", picture=images(32))
numpy.savez("several.npz", a=images(4), b=images(4))
numpy.savez("wrong.npz", x=images(16, 3))
numpy.savez("zeros.npz", x=images(16) * 0)
numpy.savez("nan.npz", x=images(16) * numpy.nan)
