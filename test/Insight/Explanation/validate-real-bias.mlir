// RUN: not qbackend-config validate %s | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

// Where the engine adds a real bias, its arithmetic is given one.

#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
qbackend.backend_config @real version 2 lowering ["reference"] real_bias {
  qbackend.pattern_config [linear] <dtypes = [#u8], reference = @real_linear>
  // CHECK: :[[@LINE+1]]:3: error: argument 1 of reference @integer_linear is tensor<?xi32>; make it a tensor of f32, as the backend has 'real_bias'
  qbackend.pattern_config [linear, relu] <dtypes = [#u8], reference = @integer_linear>
}
// CHECK: real: 1 errors, 0 warnings, 0 notes
func.func private @real_linear(tensor<?x?xi8> {qbackend.role = "weight"}, tensor<?xf32> {qbackend.role = "bias"}) -> tensor<?x?xi8>
func.func private @integer_linear(tensor<?x?xi8> {qbackend.role = "weight"}, tensor<?xi32> {qbackend.role = "bias"}) -> tensor<?x?xi8>
