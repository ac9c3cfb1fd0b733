// RUN: qbackend-opt %s --qbackend-fuse=backend=nope -split-input-file -verify-diagnostics

// expected-error @+1 {{no backend 'nope': not a file, and the built-in ones are executorch, fbgemm, native, onednn, qnnpack, qnnpack_pt2e, tensorrt, x86}}
module {
}
