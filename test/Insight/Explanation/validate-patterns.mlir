// RUN: qbackend-config validate %s | FileCheck %s --implicit-check-not=warning: --implicit-check-not=note:

#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>

qbackend.backend_config @patterns version 2 default_qconfig @default {
  // The nested pattern has more elements, and a sum has two operands whatever
  // they are.
  qbackend.pattern_config relu(add(_, _)) <dtypes = [#u8], root = [0]>
  // CHECK: :[[@LINE+1]]:3: warning: pattern [add, relu] never matches: relu(add(_, _)) is tried first and matches the same operators; remove one of the two, or make the other one narrower
  qbackend.pattern_config [add, relu] <dtypes = [#u8]>

  // A cat has any number of operands: the second is for those with others.
  qbackend.pattern_config relu(cat(_, _)) <dtypes = [#u8], root = [0]>
  qbackend.pattern_config [cat, relu] <dtypes = [#u8]>

  // Neither covers the other.
  qbackend.pattern_config relu(mul(relu, _)) <dtypes = [#u8], root = [0, 0], extra_inputs = [[0, 1]]>
  qbackend.pattern_config relu(mul(_, relu)) <dtypes = [#u8], root = [0, 1], extra_inputs = [[0, 0]]>

  // What becomes one operator is tried before what is only a unit, even if the
  // unit has more elements.
  qbackend.pattern_config [tanh, sigmoid] <dtypes = [#u8], fuser_method = "sequential_wrapper2">
  // CHECK: :[[@LINE+1]]:3: warning: pattern [relu, tanh, sigmoid] never matches: [tanh, sigmoid] is tried first and matches the same operators
  qbackend.pattern_config [relu, tanh, sigmoid] <dtypes = [#u8]>

  // Two spellings are not two patterns; two forms are.
  qbackend.pattern_config [relu6] <dtypes = [#u8], torch = ["torch.nn.ReLU6"]>
  qbackend.pattern_config [relu6] <dtypes = [#u8], torch = ["torch.nn.functional.relu6"]>
  qbackend.pattern_config [elu] <dtypes = [#u8]>
  // CHECK: :[[@LINE+1]]:3: warning: pattern elu(_) never matches: [elu] comes first and is the same operators; give one of the two all dtypes, or another 'torch'
  qbackend.pattern_config elu(_) <dtypes = [#u8], root = []>

  // CHECK: :[[@LINE+1]]:3: note: kind 'lstm' stays data: no code is raised to it; patterns that wait for it: 1; nothing to change, it is kept for PyTorch
  qbackend.pattern_config [lstm] <dtypes = [#u8]>
  // CHECK: :[[@LINE+1]]:3: warning: kind 'hardsvish' stays data: no code is raised to it; the nearest kinds are hardswish, {{.*}}; an op of another dialect has its full name
  qbackend.pattern_config [hardsvish] <dtypes = [#u8]>
  qbackend.pattern_config ["vendor.swish"] <dtypes = [#u8]>

  // CHECK: :[[@LINE+1]]:3: warning: pattern [mul, tanh] has the fuser_method "fuse_mine", which is not known: the operators are joined as they are; say with 'fused_operator' which of them stay
  qbackend.pattern_config [mul, tanh] <dtypes = [#u8], fuser_method = "fuse_mine">
  qbackend.pattern_config [mul, elu] <dtypes = [#u8], fuser_method = "fuse_mine", fused_operator = ["mul", "elu"]>

  // CHECK: :[[@LINE+1]]:3: warning: pattern [mul] has no entry for 1 tensor in num_tensor_args_to_observation_type: mul with that many stays float; add "1" = "output_use_different_observer_as_input"
  qbackend.pattern_config [mul] <dtypes = [#u8], num_tensor_args_to_observation_type = {"2" = "output_use_different_observer_as_input"}>
  // CHECK: :[[@LINE+1]]:3: warning: pattern [add] has no entry for 2 tensors in num_tensor_args_to_observation_type
  qbackend.pattern_config [add] <dtypes = [#u8], num_tensor_args_to_observation_type = {"1" = "output_use_different_observer_as_input"}>
  // A relu has one tensor, and needs no other entry.
  qbackend.pattern_config [relu] <dtypes = [#u8], num_tensor_args_to_observation_type = {"1" = "output_share_observer_with_input"}>

  // CHECK: :[[@LINE+1]]:3: warning: pattern [linear] has the bias and the weight at index 1 in input_type_to_index; give each its own index
  qbackend.pattern_config [linear] <dtypes = [#u8], input_type_to_index = {bias = 1 : i64, weight = 1 : i64}>
  qbackend.pattern_config [conv2d] <dtypes = [#u8], input_type_to_index = {bias = 2 : i64, weight = 1 : i64}>

  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  }
}
// CHECK: patterns: 0 errors, 8 warnings, 1 notes
