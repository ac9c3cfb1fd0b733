// Float operators with one reason, and a mapping that selects one without a
// name.
qbackend.qconfig_mapping @sigmoids {
  qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8>>
  qbackend.qconfig object_type "tanh" none
  qbackend.qconfig module_name "sigmoid_1" none
}
func.func @main(%x: tensor<1x4xf32> loc("x")) -> tensor<1x4xf32> {
  %0 = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.sigmoid %0 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = tosa.tanh %1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = tosa.sigmoid %2 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %4 = tosa.tanh %3 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %4 : tensor<1x4xf32>
}
func.func @other(%y: tensor<1x4xf32> loc("y")) -> tensor<1x4xf32> {
  %0 = tosa.tanh %y : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
