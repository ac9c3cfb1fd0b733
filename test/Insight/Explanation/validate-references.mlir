// RUN: not qbackend-config validate %s | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>

qbackend.backend_config @references version 2 {
  qbackend.pattern_config [relu] <dtypes = [#u8], reference = @fits>
  // CHECK: :[[@LINE+1]]:3: error: argument 0 of reference @no_role has no qbackend.role; say what it is: {qbackend.role = "input0"}, "weight", "bias", or one of them or "output" with .scale or .zero_point
  qbackend.pattern_config [tanh] <dtypes = [#u8], reference = @no_role>
  // CHECK: :[[@LINE+1]]:3: error: reference @two_results has 2 results; return one tensor, the output
  qbackend.pattern_config [elu] <dtypes = [#u8], reference = @two_results>
  // CHECK: :[[@LINE+1]]:3: error: argument 1 of reference @weighted is the weight, which [sigmoid] doesn't have; remove the argument, or say where an op of another dialect has it with 'input_type_to_index'
  qbackend.pattern_config [sigmoid] <dtypes = [#u8], reference = @weighted>
  qbackend.pattern_config [linear] <dtypes = [#u8], reference = @weighted>
  qbackend.pattern_config ["vendor.dense"] <dtypes = [#u8], reference = @weighted, input_type_to_index = {weight = 1 : i64}>
  // CHECK: :[[@LINE+1]]:3: error: argument 1 of reference @binary is input 1, but [hardswish] has 1; inputs count from 0: those of the root, then 'extra_inputs'
  qbackend.pattern_config [hardswish] <dtypes = [#u8], reference = @binary>
  qbackend.pattern_config [add] <dtypes = [#u8], reference = @binary>
  qbackend.pattern_config relu(add(conv2d, _)) <dtypes = [#u8], root = [0, 0], extra_inputs = [[0, 1]], reference = @binary>
  // CHECK: :[[@LINE+1]]:3: error: the result of reference @real_result is tensor<?xf32>; make it a tensor of i8, the integers of the pattern's dtypes
  qbackend.pattern_config [leaky_relu] <dtypes = [#u8], reference = @real_result>
  // CHECK: :[[@LINE+1]]:3: error: argument 0 of reference @wide is tensor<?xi32>; make it a tensor of i8, the integers of the pattern's dtypes
  qbackend.pattern_config [hardtanh] <dtypes = [#u8], reference = @wide>
}
// CHECK: references: 6 errors, 0 warnings, 0 notes

func.func private @fits(tensor<?xi8> {qbackend.role = "input0"}, f32 {qbackend.role = "output.scale"}) -> tensor<?xi8>
func.func private @no_role(tensor<?xi8>) -> tensor<?xi8>
func.func private @two_results(tensor<?xi8> {qbackend.role = "input0"}) -> (tensor<?xi8>, tensor<?xi8>)
func.func private @weighted(tensor<?x?xi8> {qbackend.role = "input0"}, tensor<?x?xi8> {qbackend.role = "weight"}) -> tensor<?x?xi8>
func.func private @binary(tensor<?xi8> {qbackend.role = "input0"}, tensor<?xi8> {qbackend.role = "input1"}) -> tensor<?xi8>
func.func private @real_result(tensor<?xi8> {qbackend.role = "input0"}) -> tensor<?xf32>
func.func private @wide(tensor<?xi32> {qbackend.role = "input0"}, tensor<1xi64> {qbackend.role = "attribute.stride"}) -> tensor<?xi8>
