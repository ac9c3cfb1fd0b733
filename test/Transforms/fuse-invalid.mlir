// RUN: qbackend-opt %s --qbackend-fuse=backend=nope -split-input-file -verify-diagnostics

// expected-error-re @+1 {{no backend 'nope': not a file, and the built-in ones are {{.*, qnnpack, .*}}}}
module {
}
