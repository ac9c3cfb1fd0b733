// A table that an observer finds less in than it takes: averages where only the range
// was recorded, a histogram of other bins.
// RUN: rm -rf %t && mkdir %t
// RUN: echo '{"version": 2, "entries": [{"name": "arg0", "min": 0.0, "max": 5.1, "batches": 8}]}' > %t/range.json
// RUN: echo '{"version": 2, "entries": [{"name": "arg0", "min": 0.0, "max": 5.1, "batches": 1}]}' > %t/batch.json
// RUN: echo '{"version": 2, "entries": [{"name": "arg0", "min": 0.0, "max": 5.1, "batches": 8, "histogram": [1, 0, 2]}]}' > %t/bins.json
// RUN: echo '{"version": 2, "entries": [{"name": "arg0", "min": 0.0, "max": 5.1, "scale": 0.5, "zero_point": 3, "histogram": [1, 0, 2]}]}' > %t/given.json
// RUN: qbackend-opt --apply-backend="qnnpack qconfig=@averages calibration=%t/range.json" %s 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: qbackend-opt --apply-backend="qnnpack qconfig=@averages calibration=%t/batch.json" %s 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not qbackend-opt --apply-backend="qnnpack qconfig=@histogram calibration=%t/bins.json" %s 2>&1 | FileCheck %s --check-prefix=BINS
// RUN: qbackend-opt --apply-backend="qnnpack qconfig=@three calibration=%t/bins.json" %s | FileCheck %s --check-prefix=THREE
// RUN: qbackend-opt --apply-backend="qnnpack qconfig=@histogram calibration=%t/given.json" %s | FileCheck %s --check-prefix=GIVEN

// RANGE: :[[@LINE+16]]:{{.*}}: warning: the calibration table has no averages of '{{.*}}': its least and greatest number are taken, and so for others; calibrate with this qconfig
// RANGE-NOT: warning:
// BATCH-NOT: warning:
// BINS: error: the histogram of '{{.*}}' in the calibration table has 3 bins, the observer has 2048; calibrate with this qconfig, or write bins = 3 in it
// THREE: qnnpack
// What is given wins over all statistics.
// GIVEN: !quant.uniform<u8:f32, 5.000000e-01:3>
qbackend.qconfig_mapping @averages {
  qbackend.qconfig global <activation = <moving_average_min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
qbackend.qconfig_mapping @histogram {
  qbackend.qconfig global <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
}
qbackend.qconfig_mapping @three {
  qbackend.qconfig global <activation = <histogram, ui8, bins = 3>, weight = <min_max, si8, per_tensor_symmetric>>
}
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
