#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
qbackend.backend_config @mine version 1 default_qconfig @all {
  qbackend.pattern_config [linear] <dtypes = [#u8]>
  qbackend.qconfig_mapping @all {
    qbackend.qconfig global <activation = <min_max, ui8>,
                             weight = <min_max, si8, per_tensor_symmetric>>
  }
}
