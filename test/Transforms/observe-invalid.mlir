// RUN: qbackend-opt %s '--qbackend-observe=qconfig=nope' -split-input-file -verify-diagnostics

// expected-error @+1 {{no qconfig 'nope': backend 'qnnpack' has default, minmax, per_channel, minmax_per_channel, symmetric, per_channel_symmetric, default_qconfig, dynamic, per_channel_dynamic}}
module {
}
