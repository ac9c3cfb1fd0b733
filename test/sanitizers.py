# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests need in a build with AddressSanitizer and UBSan."""

import subprocess


# The packaged libMLIR and libLLVM are not instrumented: what they take from
# containers and arenas, and what they keep until the end, looks wrong to one
# side only.
ENVIRONMENT = {
    "ASAN_OPTIONS": "allow_user_poisoning=0:detect_container_overflow=0:"
                    "detect_leaks=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def preload(compiler):
    """The libraries that a program which is not instrumented loads first, so
    that it can load one of ours. Exceptions are caught by AddressSanitizer only
    where the C++ library is there before it asks for it."""
    files = (subprocess.run([compiler, f"-print-file-name={name}"],
                            capture_output=True, text=True, check=True)
             .stdout.strip() for name in ("libasan.so", "libstdc++.so"))
    return ":".join(files)
