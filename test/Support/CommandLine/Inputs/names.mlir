// A pattern of PyTorch's name, and a function that returns floats.
#plain = #qbackend.dtype_config<input = <si8>, output = <si8>>
qbackend.backend_config @names version 2 {
  qbackend.pattern_config ["torch.nn.Conv2d"] <dtypes = [#plain]>
  qbackend.pattern_config ["tosa.convolution"] <dtypes = [#plain]>
  qbackend.pattern_config [relu] <dtypes = [#plain], reference = @real>
}
func.func private @real(tensor<?xi8> {qbackend.role = "input0"}) -> tensor<?xf32>
