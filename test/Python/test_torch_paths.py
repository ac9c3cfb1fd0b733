# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's module paths below qbackend: what each of them has."""

import importlib

import pytest

QUANTIZATION = "torch.ao.quantization"
NAMES = {
    "": """FakeQuantize HistogramObserver QConfig QConfigMapping
        QuantType get_default_qconfig get_default_qconfig_mapping fuse_conv_bn
        get_default_static_quant_module_mappings disable_observer""",
    "backend_config": """BackendConfig BackendPatternConfig DTypeConfig
        DTypeWithConstraints ObservationType get_executorch_backend_config
        get_fbgemm_backend_config get_native_backend_config
        get_native_backend_config_dict get_onednn_backend_config
        get_qnnpack_backend_config get_tensorrt_backend_config
        get_tensorrt_backend_config_dict get_x86_backend_config""",
    "backend_config.backend_config": """BackendConfig BackendPatternConfig
        DTypeConfig DTypeWithConstraints ObservationType INPUT_DTYPE_DICT_KEY
        OUTPUT_DTYPE_DICT_KEY WEIGHT_DTYPE_DICT_KEY BIAS_DTYPE_DICT_KEY
        IS_DYNAMIC_DICT_KEY NAME_DICT_KEY CONFIGS_DICT_KEY PATTERN_DICT_KEY
        PATTERN_COMPLEX_FORMAT_DICT_KEY OBSERVATION_TYPE_DICT_KEY
        DTYPE_CONFIGS_DICT_KEY ROOT_MODULE_DICT_KEY QAT_MODULE_DICT_KEY
        REFERENCE_QUANTIZED_MODULE_DICT_KEY FUSED_MODULE_DICT_KEY
        FUSER_METHOD_DICT_KEY ROOT_NODE_GETTER_DICT_KEY
        EXTRA_INPUTS_GETTER_DICT_KEY INPUT_TYPE_TO_INDEX_DICT_KEY
        NUM_TENSOR_ARGS_TO_OBSERVATION_TYPE_DICT_KEY""",
    "backend_config.observation_type": "ObservationType",
    "backend_config.native": """get_native_backend_config
        get_native_backend_config_dict weighted_op_quint8_dtype_config
        get_test_only_legacy_native_backend_config default_op_fp16_dtype_config
        get_test_only_legacy_native_backend_config_dict""",
    "backend_config.qnnpack": """get_qnnpack_backend_config
        qnnpack_act_qint8_scale_min_2_neg_12 qnnpack_default_op_fp16_dtype_config
        qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12""",
    "backend_config.fbgemm": "get_fbgemm_backend_config",
    "backend_config.x86": "get_x86_backend_config",
    "backend_config.onednn": "get_onednn_backend_config conv_configs linear_configs",
    "backend_config.tensorrt": """get_tensorrt_backend_config
        get_tensorrt_backend_config_dict""",
    "backend_config.executorch": """get_executorch_backend_config
        executorch_act_qint8_scale_min_2_neg_12
        executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12""",
    "backend_config._qnnpack_pt2e": """get_qnnpack_pt2e_backend_config
        weighted_op_quint8_dtype_config get_linear_configs get_conv_configs
        get_pooling_configs get_relu_configs get_binary_op_configs""",
    "backend_config._common_operator_config_utils": """_get_binary_op_configs
        _get_bn_configs _get_cat_config _get_conv_configs
        _get_default_op_configs _get_embedding_op_configs
        _get_fixed_qparams_op_configs _get_linear_configs _get_ln_configs
        _get_rnn_op_configs _get_share_qparams_op_configs
        _get_tensor_info_op_configs _add_fixed_qparams_to_dtype_configs
        _Conv1dMetadata _Conv2dMetadata _Conv3dMetadata
        _FIXED_QPARAMS_OP_TO_CONSTRAINTS""",
    "backend_config.utils": """get_pattern_to_dtype_configs
        get_qat_module_classes get_fused_module_classes
        get_pattern_to_input_type_to_index get_fuser_method_mapping
        get_root_module_to_quantized_reference_module get_module_to_qat_module
        get_fusion_pattern_to_root_node_getter remove_boolean_dispatch_from_name
        get_fusion_pattern_to_extra_inputs_getter pattern_to_human_readable
        entry_to_pretty_str _get_pattern_in_reversed_nested_tuple_format""",
    "fx.custom_config": """PrepareCustomConfig ConvertCustomConfig
        FuseCustomConfig StandaloneModuleConfigEntry
        STANDALONE_MODULE_NAME_DICT_KEY STANDALONE_MODULE_CLASS_DICT_KEY
        FLOAT_TO_OBSERVED_DICT_KEY OBSERVED_TO_QUANTIZED_DICT_KEY
        NON_TRACEABLE_MODULE_NAME_DICT_KEY NON_TRACEABLE_MODULE_CLASS_DICT_KEY
        INPUT_QUANTIZED_INDEXES_DICT_KEY OUTPUT_QUANTIZED_INDEXES_DICT_KEY
        PRESERVED_ATTRIBUTES_DICT_KEY""",
    "fx.qconfig_mapping_utils": """_get_object_type_qconfig
        _get_module_name_regex_qconfig _get_module_name_qconfig
        _maybe_adjust_qconfig_for_module_name_object_type_order""",
    "fx.quantize_handler": "_default_root_node_getter",
    "fx._equalize": """EqualizationQConfig default_equalization_qconfig
        input_equalization_observer weight_equalization_observer
        calculate_equalization_scale _InputEqualizationObserver""",
    "qconfig_mapping": """QConfigMapping get_default_qconfig_mapping
        get_default_qat_qconfig_mapping _get_symmetric_qnnpack_qconfig_mapping
        _GLOBAL_DICT_KEY _OBJECT_TYPE_DICT_KEY _MODULE_NAME_REGEX_DICT_KEY
        _MODULE_NAME_DICT_KEY _MODULE_NAME_OBJECT_TYPE_ORDER_DICT_KEY
        _FIXED_QPARAMS_OP_TO_OBSERVER _QCONFIG_STYLE_ORDER""",
    "qconfig": """QConfig default_qconfig get_default_qconfig
        get_default_qconfig_dict get_default_qat_qconfig_dict qconfig_equals
        _activation_is_memoryless _is_reuse_input_qconfig""",
    "observer": """MinMaxObserver UniformQuantizationObserverBase
        default_observer _PartialWrapper ObserverBase""",
    "fake_quantize": """FakeQuantize FakeQuantizeBase enable_fake_quant
        disable_fake_quant enable_observer disable_observer
        default_fused_per_channel_wt_fake_quant _is_per_channel""",
    "fuser_method_mappings": """fuse_conv_bn fuse_conv_bn_relu fuse_linear_bn
        fuse_convtranspose_bn get_fuser_method get_fuser_method_new
        _sequential_wrapper2 _reverse2 _reverse3""",
    "quantization_mappings": """get_default_dynamic_quant_module_mappings
        DEFAULT_QAT_MODULE_MAPPINGS no_observer_set""",
    "quant_type": "QuantType _get_quant_type_to_str _quant_type_from_str",
    "utils": """MatchAllNode Pattern is_per_tensor is_per_channel
        calculate_qmin_qmax validate_qmin_qmax check_min_max_valid
        determine_qparams get_quant_type""",
}


@pytest.mark.parametrize("path", NAMES)
def test_module_has_its_names(path):
    module = importlib.import_module(
        ".".join(part for part in ("qbackend", QUANTIZATION, path) if part)
    )
    for name in NAMES[path].split():
        assert getattr(module, name) is not None, name


def test_keys_are_those_of_the_dictionaries():
    from qbackend import BackendPatternConfig, DTypeConfig
    from qbackend.torch.ao.quantization.backend_config import backend_config as b

    config = DTypeConfig("quint8", "quint8", "qint8", "float32", True)
    assert list(config.to_dict()) == [
        b.INPUT_DTYPE_DICT_KEY,
        b.OUTPUT_DTYPE_DICT_KEY,
        b.WEIGHT_DTYPE_DICT_KEY,
        b.BIAS_DTYPE_DICT_KEY,
        b.IS_DYNAMIC_DICT_KEY,
    ]
    pattern = (
        BackendPatternConfig("relu")
        .set_root_module("torch.nn.ReLU")
        .set_qat_module("torch.nn.ReLU")
        .set_reference_quantized_module("torch.nn.ReLU")
        .set_fused_module("torch.nn.ReLU")
        .set_fuser_method("fuse_conv_bn")
        ._set_root_node_getter([])
        ._set_extra_inputs_getter([])
        ._set_num_tensor_args_to_observation_type({0: "INPUT_OUTPUT_NOT_OBSERVED"})
        ._set_input_type_to_index({"weight": 1})
    )
    keys = {v for k, v in vars(b).items() if k.endswith("_DICT_KEY")}
    assert set(pattern.to_dict()) < keys


def test_classes_are_one():
    """Whatever the path, so that isinstance works."""
    import qbackend
    from qbackend.torch.ao.quantization.backend_config import backend_config, qnnpack
    from qbackend.torch.ao.quantization.observer import MinMaxObserver

    assert backend_config.BackendConfig is qbackend.BackendConfig
    assert isinstance(qnnpack.get_qnnpack_backend_config(), qbackend.BackendConfig)
    assert MinMaxObserver is qbackend.MinMaxObserver
    # PyTorch's inheritance.
    assert isinstance(qbackend.MovingAverageMinMaxObserver(), MinMaxObserver)
    assert not isinstance(qbackend.HistogramObserver(), MinMaxObserver)


def test_functions_by_their_other_name():
    import qbackend.torch as torch

    assert torch._C._nn.avg_pool2d == torch.nn.functional.avg_pool2d
    with pytest.raises(AttributeError, match="did you mean avg_pool2d"):
        torch._C._nn.avg_pool2
