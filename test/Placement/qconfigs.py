# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The qconfig mappings of the cases that are not the default of qnnpack.

Modules and functions of PyTorch are kinds here. `NAMED` are mappings that the
backend has; `WRITTEN` are attribute aliases and entries of a mapping @m.
"""

NAMED = {
    "per_channel_symmetric_linear": "per_channel_symmetric",
    "dynamic_linear_relu": "dynamic",
    "dynamic_functional_linear": "dynamic",
    "matched_but_dtype_rejected_between": "dynamic",
    "dyn_conv": "dynamic",
    "dyn_lstm": "dynamic",
    "fp16_dynamic_linear": "float16_dynamic",
    "fp16_static_linear": "float16_static",
    "qat_conv_bn_relu": "qat",
    "qat_symmetric_linear": "symmetric_qat",
}

_ALIASES = {
    # get_default_qconfig("qnnpack")
    "default": "activation = <histogram, ui8>, "
               "weight = <min_max, si8, per_tensor_symmetric>",
    # default_qconfig
    "min_max_7bit": "activation = <min_max, ui8, quant_min = 0, "
                    "quant_max = 127>, "
                    "weight = <min_max, si8, per_tensor_symmetric>",
    "min_max": "activation = <min_max, ui8>, "
               "weight = <min_max, si8, per_tensor_symmetric>",
    # default_symmetric_qnnpack_qconfig
    "symmetric": "activation = <histogram, si8, eps = 2.44140625E-4>, "
                 "weight = <min_max, si8, per_tensor_symmetric, "
                 "quant_min = -127, quant_max = 127, eps = 2.44140625E-4>",
    # qint8 with the eps that observers have by default
    "small_eps": "activation = <min_max, si8>, "
                 "weight = <min_max, si8, per_tensor_symmetric, "
                 "quant_min = -127, quant_max = 127, eps = 2.44140625E-4>",
    # qint8 with the whole range of weights
    "wide_weight": "activation = <min_max, si8, eps = 2.44140625E-4>, "
                   "weight = <min_max, si8, per_tensor_symmetric, "
                   "eps = 2.44140625E-4>",
    "fixed_0_1": "activation = <fixed_qparams, ui8, scale = 0.00390625, "
                 "zero_point = 0>, "
                 "weight = <min_max, si8, per_tensor_symmetric>",
    # float_qparams_weight_only_qconfig
    "float_qparams": "activation = <placeholder, f32>, weight = "
                     "<per_channel_min_max, ui8, "
                     "per_channel_affine_float_qparams>",
}


def _entry(level, *rest):
    *selectors, config = rest
    selected = "".join(f' "{selector}"' for selector in selectors)
    return f"{level}{selected} {'none' if config is None else '#' + config}"


def _everywhere(config):
    return [_entry("global", config)]


def _default(*changes):
    return [_entry("global", "default"),
            _entry("object_type", "sigmoid", "fixed_0_1"),
            _entry("object_type", "hardsigmoid", "fixed_0_1"), *changes]


_WRITTEN = {
    "sigmoid_wrong_qconfig": _everywhere("min_max_7bit"),
    "symmetric_qint8_conv_relu_add": _everywhere("symmetric"),
    "sym_sigmoid": _everywhere("symmetric"),
    "sym_maxpool_linear": _everywhere("symmetric"),
    "qint8_eps_too_small": _everywhere("small_eps"),
    "qint8_functional_weight_range_too_wide": _everywhere("wide_weight"),
    "qint8_module_weight_range_too_wide": _everywhere("wide_weight"),
    "middle_conv_none": _default(_entry("module_name", "c2", None)),
    "mixed_dtype_boundary": _default(_entry("module_name", "c2", "symmetric")),
    "rejected_static_between_accepted": _default(
        _entry("object_type", "hardswish", "small_eps")),
    "embedding_weight_only": [
        _entry("object_type", "embedding", "float_qparams")],
    "hardswish_none_between": _default(_entry("module_name", "h", None)),
    "maxpool_none_between": _default(_entry("module_name", "h", None)),
    "add_none_between": _default(_entry("object_type", "add", None)),
    "add_scalar_then_none": _default(_entry("module_name", "c1", None)),
    "regex_vs_name": _default(_entry("module_name_regex", "c.*", None),
                              _entry("module_name", "c2", "default")),
    "two_obs_types": _default(_entry("module_name", "c2", "min_max_7bit")),
    "two_consumers_two_obs": _default(
        _entry("module_name", "c2", "min_max_7bit")),
    "pat_AB": [_entry("object_type", "linear", "min_max"),
               _entry("object_type", "relu", "default")],
    "pat_linear_none": [_entry("object_type", "relu", "default")],
    "pat_relu_none": [_entry("object_type", "linear", "default")],
    "same_type_diff_range": [_entry("module_name", "c1", "min_max"),
                             _entry("module_name", "c2", "min_max_7bit")],
}


def write(case):
    """The mapping @m of `case`; None if the backend has it."""
    entries = _WRITTEN.get(case)
    if entries is None:
        return None
    used = [name for name in _ALIASES
            if any(entry.endswith("#" + name) for entry in entries)]
    lines = [f"#{name} = #qbackend.qconfig<{_ALIASES[name]}>" for name in used]
    return "\n".join([*lines, "qbackend.qconfig_mapping @m {",
                      *[f"  qbackend.qconfig {entry}" for entry in entries],
                      "}"]) + "\n"


def option(case):
    """The key of the passes that names the mapping."""
    if case in _WRITTEN:
        return "qconfig=@m"
    return f"qconfig={NAMED[case]}" if case in NAMED else ""
