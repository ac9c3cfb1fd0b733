# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""To and from the objects of an installed PyTorch, whatever its version."""

import inspect
import json
import operator

import pytest
import qbackend as q
from qbackend import BackendConfig, BackendPatternConfig, QConfig, QConfigMapping, TorchName
from qbackend.vocabulary.torch_names import NAMES
from qbackend.vocabulary.names import name_of
from qbackend.observation.observers import OBSERVERS

from networks import linear, samples

torch = pytest.importorskip("torch", reason="PyTorch isn't installed")
taq = pytest.importorskip("torch.ao.quantization")
tbc = pytest.importorskip("torch.ao.quantization.backend_config")
tqm = pytest.importorskip("torch.ao.quantization.qconfig_mapping")

IS_1_13 = torch.__version__.startswith("1.13")
OLD = pytest.mark.skipif(not IS_1_13, reason="about PyTorch 1.13")


# -- dtypes and names --


@pytest.mark.parametrize("name", ["quint8", "qint8", "qint32", "quint4x2", "float16"])
def test_dtypes(name):
    ours, theirs = getattr(q, name), getattr(torch, name)
    assert q.DType.of(theirs) is ours
    assert ours.to_torch() is theirs


def test_dtype_of_an_alias():
    assert q.DType.of(torch.float) is q.float32
    assert q.DType.of(torch.half) is q.float16


@pytest.mark.parametrize("name", list(q.QScheme._instances))
def test_qschemes(name):
    ours, theirs = getattr(q, name), getattr(torch, name)
    assert q.QScheme.of(theirs) is ours
    assert ours.to_torch() is theirs


def test_other_objects_of_torch_are_no_dtype():
    with pytest.raises((ValueError, TypeError)):
        q.DType.of(torch.per_tensor_affine)
    with pytest.raises((ValueError, TypeError)):
        q.QScheme.of(torch.quint8)


@pytest.mark.parametrize("namespace", NAMES)
def test_every_listed_name_is_found_and_named_back(namespace):
    """Names of later versions are missing; those there are, come back."""
    found = missing = 0
    for name in NAMES[namespace].split():
        ours = TorchName(f"{namespace}.{name}")
        try:
            theirs = ours.to_torch()
        except ValueError as error:
            assert f"has no {ours}" in str(error)
            missing += 1
            continue
        back = name_of(theirs)
        # Some functions have an older or a private twin.
        assert back == ours or back.to_torch() is theirs, ours
        found += 1
    assert found > missing


def test_same_object_is_what_the_table_says():
    functional = torch.nn.functional
    shared = {
        name
        for name in dir(functional)
        if callable(getattr(functional, name))
        and not inspect.isclass(getattr(functional, name))
        and not name.startswith("_")
        and getattr(torch, name, None) is getattr(functional, name)
        and name not in ("Callable", "Union", "Optional", "List", "Tuple")
    }
    from qbackend.vocabulary.names import _ONE_OBJECT

    assert shared == set(_ONE_OBJECT)


@pytest.mark.parametrize(
    "value, name",
    [
        (lambda: torch.nn.Conv2d, "torch.nn.Conv2d"),
        (lambda: torch.relu, "torch.relu"),
        (lambda: torch.nn.functional.relu, "torch.nn.functional.relu"),
        (lambda: torch.conv2d, "torch.nn.functional.conv2d"),
        (lambda: torch.nn.functional.max_pool2d, "torch.nn.functional.max_pool2d"),
        (lambda: torch.add, "torch.add"),
        (lambda: operator.add, "operator.add"),
        (lambda: torch.ops.aten.add.Tensor, "torch.ops.aten.add.Tensor"),
        (
            lambda: torch.ops.aten.max_pool2d_with_indices.default,
            "torch.ops.aten.max_pool2d_with_indices.default",
        ),
        (
            lambda: torch.nn.intrinsic.qat.ConvReLU2d,
            "torch.ao.nn.intrinsic.qat.ConvReLU2d",
        ),
        (lambda: taq.utils.MatchAllNode, "MatchAllNode"),
    ],
)
def test_name_of_an_object(value, name):
    assert name_of(value()) == name
    assert TorchName(name).to_torch() is value()


def test_instance_of_a_module():
    with pytest.raises(TypeError, match="instance of Linear, expected the class"):
        BackendPatternConfig(torch.nn.Linear(2, 2))


def test_name_that_is_missing():
    with pytest.raises(ValueError, match="has no torch.nn.NotThere"):
        TorchName("torch.nn.NotThere").to_torch()


# -- PyTorch's own configurations --

GETTERS = [
    name
    for name in dir(tbc)
    if name.startswith("get_") and name.endswith("_backend_config")
]


@pytest.mark.parametrize("getter", GETTERS)
def test_pytorchs_configuration_comes_back(getter):
    theirs = getattr(tbc, getter)()
    ours = BackendConfig.from_torch(theirs)
    assert len(ours.configs) == len(theirs.configs)
    again = ours.to_torch()
    assert BackendConfig.from_torch(again) == ours
    if isinstance(theirs.configs, dict):
        assert list(again.configs) == list(theirs.configs)
    else:
        keys = theirs._pattern_complex_format_to_config
        assert list(again._pattern_complex_format_to_config) == list(keys)


@pytest.mark.parametrize("getter", GETTERS)
def test_pytorchs_configuration_has_a_document(getter):
    ours = BackendConfig.from_torch(getattr(tbc, getter)())
    assert BackendConfig.from_json(ours.to_json()) == ours


@pytest.mark.parametrize("getter", GETTERS)
def test_fields_of_the_way_back_are_pytorchs(getter):
    """Each field, but the fuser methods, which are closures."""
    theirs = getattr(tbc, getter)()
    again = BackendConfig.from_torch(theirs).to_torch()

    def configs(backend):
        found = backend.configs
        return list(found.values()) if isinstance(found, dict) else found

    for one, two in zip(configs(theirs), configs(again)):
        first, second = one.to_dict(), two.to_dict()
        for values in (first, second):
            method = values.pop("fuser_method", None)
            values["has_fuser_method"] = method is not None
            for key in ("overwrite_output_observer", "overwrite_output_fake_quantize"):
                if key in values:
                    made = values[key]()
                    values[key] = (type(made).__name__, float(made.scale))
        assert first == second


@pytest.mark.parametrize("getter", GETTERS)
def test_fuser_methods_fuse(getter):
    """PyTorch's fuser methods and those of the way back make the same module."""
    theirs = getattr(tbc, getter)()
    again = BackendConfig.from_torch(theirs).to_torch()

    def by_key(backend):
        if isinstance(backend.configs, dict):
            return backend.configs
        return backend._pattern_complex_format_to_config

    def build(pattern):
        """Modules in the place of their classes; None if there are functions."""
        if isinstance(pattern, tuple):
            return tuple(map(build, pattern))
        if not inspect.isclass(pattern):
            return None
        if "ConvTranspose" in pattern.__name__ or "Conv" in pattern.__name__:
            return pattern(4, 4, 1).eval()
        if "BatchNorm" in pattern.__name__:
            return pattern(4).eval()
        return (pattern(4, 4) if pattern is torch.nn.Linear else pattern()).eval()

    def leaves(pattern):
        for element in pattern:
            yield from leaves(element) if isinstance(element, tuple) else [element]

    count = 0
    for key, config in by_key(theirs).items():
        method = config.fuser_method
        if method is None or not isinstance(key, tuple):
            continue
        modules = build(key)
        if None in leaves(modules):
            continue
        if IS_1_13:
            arguments = modules
        else:
            arguments = tuple(reversed(list(leaves(modules))))
            if config._pattern_complex_format is not None:
                continue
        one = method(False, *arguments)
        two = by_key(again)[key].fuser_method(False, *arguments)
        assert type(one) is type(two)
        count += 1
    if getter == "get_qnnpack_backend_config":
        assert count >= 10


@OLD
def test_patterns_are_turned_round():
    theirs = tbc.BackendPatternConfig((torch.nn.ReLU, torch.nn.Conv2d))
    ours = BackendPatternConfig.from_torch(theirs)
    assert ours.pattern == ("torch.nn.Conv2d", "torch.nn.ReLU")
    theirs = tbc.BackendPatternConfig(
        (torch.nn.ReLU, (torch.nn.BatchNorm2d, torch.nn.Conv2d))
    )
    ours = BackendPatternConfig.from_torch(theirs)
    assert ours.pattern == (
        "torch.nn.Conv2d",
        "torch.nn.BatchNorm2d",
        "torch.nn.ReLU",
    )
    assert ours.to_torch().pattern == theirs.pattern


@OLD
def test_nested_pattern_is_complex():
    match_all = taq.utils.MatchAllNode
    pattern = (torch.nn.ReLU, (operator.add, torch.nn.Conv2d, match_all))
    ours = BackendPatternConfig.from_torch(tbc.BackendPatternConfig(pattern))
    assert ours.pattern is None
    assert ours._pattern_complex_format == (
        "torch.nn.ReLU",
        ("operator.add", "torch.nn.Conv2d", "MatchAllNode"),
    )
    assert ours.to_torch().pattern == pattern


@OLD
def test_fixed_observer_of_the_output_is_an_exact_match():
    ours = BackendConfig.from_torch(tbc.get_qnnpack_backend_config())
    (sigmoid,) = [c for c in ours.configs if c.pattern == "torch.nn.Sigmoid"]
    for config in sigmoid.dtype_configs:
        constraints = config.output_dtype_with_constraints
        wanted = (1 / 256, 0) if config.output_dtype is q.quint8 else (None, None)
        assert (
            constraints.scale_exact_match,
            constraints.zero_point_exact_match,
        ) == wanted
    theirs = sigmoid.to_torch()
    made = theirs._overwrite_output_observer()
    assert (float(made.scale), int(made.zero_point)) == (1 / 256, 0)


@OLD
def test_not_observed():
    ours = BackendPatternConfig("size").set_observation_type(
        "INPUT_OUTPUT_NOT_OBSERVED"
    )
    theirs = ours.to_torch()
    assert theirs._input_output_observed is False
    assert BackendPatternConfig.from_torch(theirs) == ours


@OLD
def test_missing_names_are_all_listed():
    backend = BackendConfig("b").set_backend_pattern_configs(
        [
            BackendPatternConfig("torch.nn.RMSNorm"),
            BackendPatternConfig("torch.nn.ReLU").set_fused_module(
                "torch.ao.nn.intrinsic.ConvAdd2d"
            ),
            BackendPatternConfig("torch.nn.Linear"),
        ]
    )
    wanted = ["torch.nn.RMSNorm", "torch.ao.nn.intrinsic.ConvAdd2d"]
    with pytest.raises(ValueError, match=", ".join(wanted)):
        backend.to_torch()
    missing = []
    theirs = backend.to_torch(missing)
    assert missing == wanted
    assert list(theirs.configs) == [torch.nn.ReLU, torch.nn.Linear]


@OLD
def test_constraint_that_is_missing():
    constraints = q.DTypeWithConstraints("qint8", scale_exact_match=0.5)
    with pytest.raises(ValueError, match="no DTypeWithConstraints.scale_exact_match"):
        q.DTypeConfig(constraints).to_torch()


def test_onednn_reports_what_it_lacks(document_of_onednn):
    """Every pattern either is there or has a name in the report."""
    ours = BackendConfig.from_json(json.dumps(document_of_onednn))
    missing = []
    theirs = ours.to_torch(missing)
    assert len(theirs.configs) + len(missing) >= len(ours.configs)
    for name in missing:
        assert "torch" not in name or name.split(".")[-1] in json.dumps(
            document_of_onednn
        )
    if IS_1_13:
        assert "torch.ao.nn.intrinsic.LinearLeakyReLU" in missing


@pytest.fixture
def document_of_onednn():
    from conftest import document_of

    return document_of("onednn")


def test_objects_of_pytorch_in_our_classes():
    """A script may build some parts with PyTorch and hand them over."""
    theirs = tbc.DTypeConfig(torch.quint8, torch.quint8, torch.qint8, torch.float)
    config = BackendPatternConfig((torch.nn.Conv2d, torch.nn.functional.relu))
    config.add_dtype_config(theirs)
    config.set_observation_type(tbc.ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT)
    assert config.pattern == ("torch.nn.Conv2d", "torch.nn.functional.relu")
    assert config.dtype_configs == [q.DTypeConfig("quint8", "quint8", "qint8", "float32")]
    assert config.observation_type is q.ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT


# -- QConfigs --

NAMED = sorted(
    name
    for name, value in vars(q).items()
    if isinstance(value, QConfig) and hasattr(taq.qconfig, name)
)


@pytest.mark.parametrize("name", NAMED)
def test_named_qconfig_is_pytorchs(name):
    """What of 1.13 differs: is_dynamic, which it has in another form."""
    ours = getattr(q, name)
    assert QConfig.from_torch(ours.to_torch()) == ours
    theirs = QConfig.from_torch(getattr(taq.qconfig, name))
    if IS_1_13 and "dynamic" in name:
        assert theirs.weight() == ours.weight()
        assert theirs.activation().dtype == ours.activation().dtype
        return
    assert theirs == ours


def test_many_qconfigs_are_compared():
    assert len(NAMED) >= 20


@pytest.mark.parametrize("backend", ["qnnpack", "fbgemm", "x86", "onednn"])
@pytest.mark.parametrize("getter", ["get_default_qconfig", "get_default_qat_qconfig"])
def test_default_qconfig_is_pytorchs(getter, backend):
    theirs = getattr(taq.qconfig, getter)(backend)
    assert QConfig.from_torch(theirs) == getattr(q, getter)(backend)


@pytest.mark.parametrize("backend", ["qnnpack", "fbgemm", "x86", "onednn"])
@pytest.mark.parametrize(
    "getter", ["get_default_qconfig_mapping", "get_default_qat_qconfig_mapping"]
)
def test_default_mapping_is_pytorchs(getter, backend):
    theirs = QConfigMapping.from_torch(getattr(tqm, getter)(backend))
    ours = getattr(q, getter)(backend)
    assert QConfigMapping.from_torch(ours.to_torch()) == ours
    assert theirs.global_qconfig == ours.global_qconfig
    for name, qconfig in ours.object_type_qconfigs.items():
        if IS_1_13 and name == "torch.nn.PReLU":
            continue  # Has its entry since 2.0.
        assert theirs.object_type_qconfigs[name] == qconfig, name
    for name, qconfig in theirs.object_type_qconfigs.items():
        # 1.13 repeats the global one for some.
        assert ours.object_type_qconfigs.get(name, ours.global_qconfig) == qconfig


@pytest.mark.parametrize("name", [n for n, c in OBSERVERS.items() if c.in_torch])
def test_observer_defaults_are_pytorchs(name):
    ours = OBSERVERS[name]
    theirs = getattr(taq.observer, name)
    parameters = inspect.signature(theirs.__init__).parameters
    for field in ours.argument_names() or []:
        parameter = parameters.get(field)
        if parameter is None or parameter.default is inspect.Parameter.empty:
            continue
        default = ours.__dataclass_fields__[field].default
        wanted = parameter.default
        if isinstance(default, (q.DType, q.QScheme)):
            wanted = type(default).of(wanted)
        assert default == wanted, field


def test_nested_with_args():
    theirs = taq.MinMaxObserver.with_args(dtype=torch.qint8).with_args(
        dtype=torch.quint8, quant_min=0, quant_max=127
    )
    ours = QConfig.from_torch(taq.QConfig(theirs, torch.nn.Identity))
    assert ours.activation == q.MinMaxObserver.with_args(quant_min=0, quant_max=127)
    assert ours.weight == q.nn.Identity
    assert ours.to_torch().weight is torch.nn.Identity


def test_pytorchs_observers_in_our_qconfig():
    ours = QConfig(
        activation=taq.HistogramObserver.with_args(reduce_range=True),
        weight=taq.default_weight_observer,
    )
    assert ours == QConfig(
        q.HistogramObserver.with_args(reduce_range=True), q.default_weight_observer
    )


class OwnObserver(taq.MinMaxObserver):
    pass


def test_own_observer_class():
    with pytest.raises(ValueError, match="OwnObserver is none of PyTorch's"):
        QConfig.from_torch(taq.QConfig(OwnObserver, OwnObserver))


def test_observers_computed_by_pytorch_agree():
    """The converted observer runs, and finds what the arguments say."""
    observer = q.default_symmetric_qnnpack_qconfig.to_torch().weight()
    observer(torch.tensor([-1.0, 0.5]))
    scale, zero_point = observer.calculate_qparams()
    assert float(scale) == pytest.approx(1.0 / 127) and int(zero_point) == 0


def test_mapping_with_all_levels():
    ours = (
        QConfigMapping()
        .set_global(q.default_qconfig)
        .set_object_type(torch.nn.Linear, None)
        .set_object_type("relu", q.default_dynamic_qconfig)
        .set_module_name_regex("a.*", q.float16_static_qconfig)
        .set_module_name("b", None)
        .set_module_name_object_type_order(
            "c", torch.nn.functional.linear, 2, q.default_qconfig
        )
    )
    theirs = ours.to_torch()
    assert theirs.object_type_qconfigs[torch.nn.Linear] is None
    assert QConfigMapping.from_torch(theirs) == ours


# -- Dictionaries, and the parts that backends are made of --


def test_dictionaries_of_pytorch():
    """What PyTorch's to_dict gives, with its objects inside."""
    theirs = tbc.BackendPatternConfig(torch.nn.Linear)
    theirs.add_dtype_config(
        tbc.DTypeConfig(
            tbc.backend_config.DTypeWithConstraints(
                torch.quint8, quant_min_lower_bound=0, quant_max_upper_bound=127
            ),
            torch.float,
            torch.qint8,
            torch.float,
        )
    )
    theirs.add_dtype_config(tbc.DTypeConfig(torch.float16, is_dynamic=True))
    theirs.set_root_module(torch.nn.Linear)
    theirs.set_qat_module(torch.ao.nn.qat.Linear)
    wanted = BackendPatternConfig.from_torch(theirs)
    assert [c.is_dynamic for c in wanted.dtype_configs] == [None, True]
    assert BackendPatternConfig.from_dict(theirs.to_dict()) == wanted
    assert wanted.to_torch().dtype_configs == theirs.dtype_configs
    # In a backend, as a dictionary and as an object.
    for config in (theirs.to_dict(), theirs):
        backend = BackendConfig.from_dict({"name": "b", "configs": [config]})
        assert backend.configs == [wanted]
    types = [tbc.DTypeConfig(torch.quint8)]
    ours = BackendPatternConfig("relu").set_dtype_configs(types)
    assert ours.dtype_configs is types == [q.DTypeConfig("quint8")]


def test_mapping_from_a_dictionary_of_pytorch():
    theirs = tqm.get_default_qconfig_mapping("qnnpack")
    assert QConfigMapping.from_dict(theirs.to_dict()) == QConfigMapping.from_torch(theirs)


@pytest.mark.parametrize("name", ["conv", "linear", "rnn_op", "embedding_op", "bn"])
def test_types_are_pytorchs_objects(name):
    """Equal by PyTorch's own comparison: what is unset is unset."""
    backend = q.get_native_backend_config()
    types = {
        id(c): c for p in backend.configs for c in p.dtype_configs
    }.values()
    for config in types:
        theirs = config.to_torch(missing=[])
        again = q.DTypeConfig.from_torch(theirs).to_torch(missing=[])
        assert again == theirs
        assert theirs.is_dynamic in (None, True)
    configs = getattr(q.operator_configs, f"get_{name}_configs")([q.DTypeConfig("quint8")])
    for config in configs:
        made = config.to_torch(missing=[])
        if made is not None:
            assert made.dtype_configs == [tbc.DTypeConfig(torch.quint8)]


# -- Observers and fake quantizers that are called --


def _factories():
    return [
        name
        for module in (q.observers, q.fake_quantize)
        for name in module.__all__
        if isinstance(getattr(module, name), q.ObserverFactory)
    ]


@pytest.mark.parametrize("name", _factories())
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore")
def test_values_are_pytorchs(name, seed):
    """Every default, on three batches. A histogram is 2.x's, not 1.13's; a real zero
    point of millions is rounded as the compiler of PyTorch's kernels likes."""
    numpy = pytest.importorskip("numpy")
    if "embedding" in name or (IS_1_13 and "histogram" in name):
        pytest.skip("its numbers differ between builds")
    ours = getattr(q, name)()
    theirs = getattr(taq.observer, name, None) or getattr(taq.fake_quantize, name)
    theirs = theirs()
    rng = numpy.random.default_rng(seed)
    for batch in range(3):
        x = rng.normal(size=(4, 6)) * 10 ** rng.uniform(-5, 3) + rng.normal()
        x = abs(x).astype("float32") if seed == 1 else x.astype("float32")
        wanted = theirs(torch.tensor(x))
        assert numpy.array_equal(ours(x), wanted.detach().numpy())
    inside = getattr(ours, "activation_post_process", ours)
    theirs_inside = getattr(theirs, "activation_post_process", theirs)
    for end in ("min_val", "max_val"):
        if hasattr(theirs_inside, end):
            wanted = getattr(theirs_inside, end).numpy()
            assert numpy.array_equal(getattr(inside, end), wanted)
    if hasattr(inside, "reduce_range") or hasattr(inside, "scale"):
        for found, wanted in zip(ours.calculate_qparams(), theirs.calculate_qparams()):
            assert numpy.array_equal(found, wanted.numpy())
    if hasattr(theirs, "fake_quant_enabled"):
        assert numpy.array_equal(ours.scale, theirs.scale.numpy())
        assert numpy.array_equal(ours.zero_point, theirs.zero_point.numpy())
        assert (ours.quant_min, ours.quant_max) == (
            theirs_inside.quant_min,
            theirs_inside.quant_max,
        )


@pytest.mark.parametrize("seed", range(5))
def test_equalization_is_pytorchs(seed):
    numpy = pytest.importorskip("numpy")
    theirs = pytest.importorskip("torch.ao.quantization.fx._equalize")
    from qbackend.torch.ao.quantization.fx import _equalize as ours

    rng = numpy.random.default_rng(seed)
    x = rng.normal(size=(7, 5)).astype("float32") * [1, 10, 100, 0, 3]
    w = rng.normal(size=(4, 5)).astype("float32") * [1, 1, 0, 1, 9]
    found = []
    for module, make in ((ours, lambda a: a), (theirs, torch.tensor)):
        inputs = module.input_equalization_observer()
        weights = module.weight_equalization_observer()
        inputs(make(x.astype("float32")))
        weights(make(w.astype("float32")))
        scale = module.calculate_equalization_scale(inputs, weights)
        inputs.set_equalization_scale(scale)
        found.append([numpy.asarray(v) for v in (scale, *inputs.calculate_scaled_minmax())])
    for one, two in zip(*found):
        assert numpy.array_equal(one, two)


def test_models_take_objects_of_pytorch():
    """A mapping and a backend, as they are."""
    x = samples()
    mapping = tqm.get_default_qconfig_mapping("qnnpack")
    backend = tbc.get_qnnpack_backend_config()
    ours = q.get_default_qconfig_mapping("qnnpack")
    theirs = q.Model(linear()).calibrate(x, backend=backend, qconfig=mapping)
    model = q.Model(linear()).calibrate(x, qconfig=ours)
    assert theirs.quantize().run(x).tolist() == model.quantize().run(x).tolist()


def test_tensors_in_tensors_out():
    """With PyTorch's own gradient, and what torch.save takes."""
    x = torch.tensor([[1.0, 2.0, -3.0], [0.0, 1.0, 2.0]], requires_grad=True)
    for name in ("FakeQuantize", "FusedMovingAvgObsFakeQuantize",
                 "default_per_channel_weight_fake_quant"):
        made, pytorchs = getattr(q, name)(), getattr(taq, name)()
        y, z = made(x), pytorchs(x)
        assert torch.equal(y, z)
        gradients = [torch.autograd.grad(value.sum(), x)[0] for value in (y, z)]
        assert torch.equal(*gradients)
        state, wanted = made.state_dict(), pytorchs.state_dict()
        assert list(state) == list(wanted)
        for key, value in wanted.items():
            assert torch.equal(state[key], value) and state[key].dtype == value.dtype
        again = getattr(q, name)()
        again.load_state_dict(wanted)
        if not (IS_1_13 and made.is_per_channel):  # It wants a state's version.
            pytorchs.load_state_dict(state)
        assert torch.equal(again(x), pytorchs(x))


def test_tensors_come_back_from_what_records_nothing():
    """From the observer of a fake quantizer that is switched off, and fixed numbers."""
    x = torch.tensor([1.0, -2.0])
    switched_off = q.FakeQuantize()
    switched_off.disable_observer()
    switched_off.disable_fake_quant()
    assert switched_off(x) is x
    fixed = q.FixedQParamsObserver(scale=0.5, zero_point=3)
    fixed(x)
    for state in (switched_off.state_dict(), fixed.state_dict()):
        assert {type(value) for value in state.values()} == {torch.Tensor}
    assert torch.isposinf(switched_off.activation_post_process.min_val)
    scale, zero_point = fixed.calculate_qparams()
    assert (scale.item(), zero_point.item(), zero_point.dtype) == (0.5, 3, torch.int64)
    again = q.FixedQParamsObserver(scale=1.0, zero_point=0)
    again.load_state_dict(fixed.state_dict())
    assert torch.equal(again.calculate_qparams()[0], scale)
