// Names that are no text in UTF-8 are the same in a table as in the network.
// RUN: %python -c "import numpy; numpy.save(r'%t.npy', numpy.linspace(-1, 1, 8, dtype='f4').reshape(2, 4))"
// RUN: qbackend-run %s --calibrate --input=%t.npy -o %t.json
// RUN: qbackend-opt --apply-backend=qnnpack calibration=%t.json %s | FileCheck %s
// CHECK: qnnpack.sigmoid
func.func @f(%x: tensor<1x4xf32> loc("\FF\FEx")) -> tensor<1x4xf32> {
  %y = tosa.sigmoid %x : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("\80\81\C3")
  return %y : tensor<1x4xf32>
}
