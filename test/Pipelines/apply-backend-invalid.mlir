// What can't be done is one error, and leaves no file behind.

// RUN: rm -rf %t && split-file %s %t
// RUN: %python %t/data.py %t

// RUN: not qbackend-opt --apply-backend=nope %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=BACKEND --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// BACKEND: error: no backend 'nope': not a file, and the built-in ones are {{.*, qnnpack, .*}}

// RUN: not qbackend-opt --apply-backend=@nope %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=SYMBOL --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// SYMBOL: error: no qbackend.backend_config @nope in this module

// RUN: not qbackend-opt --apply-backend=%t/table-ok.json %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=NOT-A-BACKEND < %t/err
// RUN: not test -e %t/out
// NOT-A-BACKEND: table-ok.json:1:{{.*}}error:

// RUN: not qbackend-opt --apply-backend=%t/net.mlir %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=NO-CONFIG --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// NO-CONFIG: error: no qbackend.backend_config in this file

// RUN: not qbackend-opt --apply-backend=qnnpack qconfig=nope %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=QCONFIG --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// QCONFIG: error: no qconfig 'nope': backend 'qnnpack' has default, minmax, per_channel,

// RUN: not qbackend-opt --apply-backend=qnnpack lower-to=nope %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=LOWER --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// LOWER: error: lower-to is 'nope', but backend 'qnnpack' lowers to qnnpack, reference, linalg, tosa

// RUN: not qbackend-opt --apply-backend=%t/backend.mlir lower-to=linalg %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=REFERENCE-ONLY --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// REFERENCE-ONLY: error: lower-to is 'linalg', but backend 'plain' lowers to reference

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/missing.npz %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=MISSING --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// MISSING: error: calibration failed: {{.*}}missing.npz

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:nope %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=ARRAY --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// ARRAY: error: calibration failed: no array 'nope' in '{{.*}}data.npz'; it has good, wide, nan, bytes

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=MANY --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// MANY: error: calibration failed: '{{.*}}' has the arrays good, wide, nan, bytes, function 'main' takes arg0; name the arrays so, or pick one with FILE:ARRAY

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:wide %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=SHAPE --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// SHAPE: error: calibration failed: {{.*}}5

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:nan %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=NAN --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// NAN: error: calibration failed: array {{.*}} NaN or infinite {{.*}}first in sample 1

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:bytes %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=BYTES --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// BYTES: error: calibration failed: array '{{.*}}' is {{.*}}, the network takes {{.*}}: say what to multiply by, input-scale=1/255

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:bytes input-scale=x %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=SCALE --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// SCALE: error: calibration failed: input-scale 'x' is not a number or a quotient like 1/255

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:good batch-size=0 %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=BATCH --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// BATCH: error: calibration failed: batch-size is 0, expected 1 or more

// RUN: not qbackend-opt --apply-backend=qnnpack data=%t/data.npz:good samples=0 %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=SAMPLES --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// SAMPLES: error:

// RUN: not qbackend-opt --apply-backend=qnnpack calibration=%t/missing.json %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=NO-TABLE --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// NO-TABLE: error: {{.*}}missing.json

// RUN: not qbackend-opt --apply-backend=qnnpack calibration=%t/table-short.json %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=SHORT --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// SHORT: error: calibration table '{{.*}}table-short.json' has nothing for 1 of the network's observers: linear_0; calibrate this network with the --backend that it is quantized for, or add data= for the rest

// RUN: not qbackend-opt --apply-backend=qnnpack calibration=%t/table-broken.json %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=BROKEN --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// BROKEN: error: {{.*}}table-broken.json

// RUN: not qbackend-opt --apply-backend=qnnpack calibration=%t/table-zero-point.json %t/net.mlir -o %t/out 2>%t/err
// RUN: FileCheck %s --check-prefix=ZERO-POINT --implicit-check-not=error: < %t/err
// RUN: not test -e %t/out
// ZERO-POINT: error: {{.*}}300

// The same table with every entry is fine.
// RUN: qbackend-opt --apply-backend=qnnpack calibration=%t/table-ok.json %t/net.mlir -o %t/out
// RUN: test -e %t/out

//--- net.mlir
func.func @main(%x: tensor<1x1x4xf32>) -> tensor<1x1x2xf32> {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<1x4x2xf32>}> : () -> tensor<1x4x2xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %x, %w, %z, %z : (tensor<1x1x4xf32>, tensor<1x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x2xf32>
  return %m : tensor<1x1x2xf32>
}
//--- backend.mlir
qbackend.backend_config @plain version 2 default_qconfig @m {
  qbackend.qconfig_mapping @m {
  }
}
//--- table-ok.json
{"version": 1, "entries": [{"name": "arg0", "kind": "histogram", "scale": 0.5, "zero_point": 3},
 {"name": "linear_0", "kind": "histogram", "scale": 0.5, "zero_point": 3}]}
//--- table-short.json
{"version": 1, "entries": [{"name": "arg0", "kind": "histogram", "scale": 0.5, "zero_point": 3}]}
//--- table-broken.json
{"version": 1, "entries": [
//--- table-zero-point.json
{"version": 1, "entries": [{"name": "arg0", "kind": "histogram", "scale": 0.5, "zero_point": 300},
 {"name": "linear_0", "kind": "histogram", "scale": 0.5, "zero_point": 3}]}
//--- data.py
import sys
import numpy as np

good = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 1, 4)
nan = good.copy()
nan[1, 0, 2] = np.nan
np.savez(sys.argv[1] + "/data.npz", good=good, wide=np.zeros((3, 1, 5), np.float32),
         nan=nan, bytes=np.zeros((3, 1, 4), np.uint8))
