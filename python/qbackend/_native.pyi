#SPDX - License - Identifier : Apache - 2.0 WITH LLVM - exception

from typing import Any, List, Optional,
    Tuple

        __version__
    : str

# : Severity, message, file, line, column, notes.
          _Diagnostic =
              Tuple[str, str, Optional[str], int, int, List[Any]]

              def
              builtin_backends()
                  ->List[str] : ... def
                                observer_kinds()
                  ->str : ... def
                          backend_to_json(name_path_or_mlir_text
                                          : str)
                  ->str : ... def
                          backend_from_json(json
                                            : str)
                  ->str : ... def
                          mapping_to_json(name_path_or_mlir_text
                                          : str, name
                                          : str)
                  ->str : ... def
                          mapping_from_json(json
                                            : str, name
                                            : str)
                  ->str : ... def
                          apply_backend(module
                                        : bytes, configuration
                                        : str, options
                                        : str)
                  ->Tuple[str, List[_Diagnostic]] : ... def
                                                    compare(base
                                                            : List[Any], other
                                                            : List[Any])
                  ->str : ... def
                          to_bytecode(module
                                      : bytes, resources
                                      : List[Tuple[str, memoryview]])
                  ->bytes : ... def
                            fake_quantize(input
                                          : Any, output
                                          : Any, scales
                                          : List[float], zero_points
                                          : List[float], axis
                                          : int, quant_min
                                          : int, quant_max
                                          : int, real_zero_points
                                          : bool, )
                  ->None : ... def
                           choose_params(min
                                         : float, max
                                         : float, quant_min
                                         : int, quant_max
                                         : int, symmetric
                                         : bool)
                  ->Tuple[float, int] : ...

                                        class Observer : def
                                                         __init__(self, json
                                                                  : str)
                  ->None : ... def
                           record(self, array
                                  : Any)
                  ->None : ... def
                           reset(self)
                  ->None : ... def
                           to_table(self, name
                                    : str)
                  ->str : ... def
                          from_table(self, table
                                     : str, name
                                     : str)
                  ->None : ... def
                           params(self)
                  ->str : ...

                          class Model : @staticmethod def
                                        load(module
                                             : bytes, name
                                             : str, entry
                                             : str)
                  ->Model : ... def
                            describe(self)
                  ->str : ... def
                          explain(self)
                  ->str : ... def
                          text(self)
                  ->str : ... def
                          bytecode(self)
                  ->bytes : ... def
                            run(self, arrays
                                : List[Any], input_scale
                                : str, sample_arguments
                                : str, threads
                                : int, )
                  ->List[Any] : ... def
                                quantize(self, configuration
                                         : str, options
                                         : str, table
                                         : str)
                  ->Tuple[Model, List[_Diagnostic]] : ...

                                                      class Calibration
    : def
      __init__(self, model
               : Model, backend
               : str, qconfig
               : str, configuration
               : str, input_scale
               : str, sample_arguments
               : str, source
               : str, batch_size
               : int, ignore_non_finite
               : bool, threads
               : int, )
                  ->None : ... def
                           add(self, arrays
                               : List[Any])
                  ->None : ... def
                           table(self)
                  ->str : ...
