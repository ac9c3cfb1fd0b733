# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest
import qbackend
from qbackend import (
    FakeQuantize,
    FixedQParamsFakeQuantize,
    FixedQParamsObserver,
    FusedMovingAvgObsFakeQuantize,
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    ReuseInputObserver,
)


def test_with_args_chains_and_does_not_change():
    first = MinMaxObserver.with_args(dtype="qint8")
    second = first.with_args(quant_min=-127, quant_max=127)
    assert (first().quant_min, first().quant_max) == (-128, 127)
    assert not first().has_customized_qrange and second().has_customized_qrange
    made = second()
    assert (made.dtype, made.quant_min, made.quant_max) == (qbackend.qint8, -127, 127)


def test_later_argument_wins():
    factory = MinMaxObserver.with_args(eps=1.0).with_args(eps=2.0)
    assert factory().eps == 2.0
    assert factory(eps=3.0).eps == 3.0


def test_callable_argument_is_computed_each_time():
    values = iter([1.0, 2.0])
    factory = MinMaxObserver.with_callable_args(eps=lambda: next(values))
    assert [factory().eps, factory().eps] == [1.0, 2.0]
    assert factory(eps=5.0).eps == 5.0


def test_equal_to_spelled_out_default():
    assert MinMaxObserver.with_args(reduce_range=False) == MinMaxObserver.with_args()
    assert MinMaxObserver.with_args() == MinMaxObserver
    assert MinMaxObserver.with_args() != HistogramObserver
    assert MinMaxObserver.with_args(eps=0.5) != MinMaxObserver


def test_unknown_argument_is_refused_where_it_is_written():
    with pytest.raises(TypeError, match="MinMaxObserver has no argument 'bins'; it has"):
        MinMaxObserver.with_args(bins=3)


def test_default_eps_is_float32_epsilon():
    for cls in (MinMaxObserver, HistogramObserver, PlaceholderObserver):
        assert cls().eps == 1.1920928955078125e-07


@pytest.mark.parametrize(
    "cls, scheme, wanted",
    [
        (MinMaxObserver, "per_channel_affine", "per_tensor_affine or per_tensor_sym"),
        (HistogramObserver, "per_channel_symmetric", "per_tensor_affine"),
        (MovingAverageMinMaxObserver, "per_channel_affine", "per_tensor_affine"),
        (PerChannelMinMaxObserver, "per_tensor_affine", "per_channel_affine or"),
        (MovingAveragePerChannelMinMaxObserver, "per_tensor_symmetric", "per_channel"),
    ],
)
def test_scheme_of_the_wrong_kind(cls, scheme, wanted):
    with pytest.raises(NotImplementedError, match=f"qscheme {scheme}, expected .*{wanted}"):
        cls(qscheme=scheme)


@pytest.mark.parametrize("low, high", [(5, 5), (6, 5)])
def test_empty_range(low, high):
    with pytest.raises(AssertionError, match=f"quant_min {low}, expected less than"):
        MinMaxObserver(quant_min=low, quant_max=high)


@pytest.mark.parametrize("low, high", [(1, 255), (-10, -1)])
def test_range_without_zero(low, high):
    with pytest.raises(AssertionError, match="expected one with 0 in it"):
        MinMaxObserver(quant_min=low, quant_max=high)


def test_half_of_a_range_has_no_effect():
    with pytest.warns(UserWarning, match="one without the other has no effect"):
        observer = MinMaxObserver(quant_max=127)
    assert observer == MinMaxObserver()


def test_compute_dtype_means_dynamic():
    with pytest.warns(UserWarning, match="write is_dynamic"):
        old = PlaceholderObserver(dtype="quint8", compute_dtype="quint8")
    assert old == PlaceholderObserver(dtype="quint8", is_dynamic=True)


def test_fixed_needs_its_parameters():
    with pytest.raises(TypeError, match="scale"):
        FixedQParamsObserver.with_args()()


def test_fake_quantize_passes_its_range_on():
    made = FakeQuantize(MovingAverageMinMaxObserver, 0, 127, averaging_constant=0.5)
    inner = made.activation_post_process
    assert inner == MovingAverageMinMaxObserver(0.5, quant_min=0, quant_max=127)
    assert made.dtype is qbackend.quint8


def test_fake_quantize_takes_an_observer_with_arguments():
    factory = FakeQuantize.with_args(
        observer=MinMaxObserver.with_args(dtype="qint8"), quant_min=-128, quant_max=127
    )
    assert factory().dtype is qbackend.qint8
    assert factory == factory.with_args(quant_min=-128)


def test_fake_quantize_range_that_the_type_cannot_hold():
    with pytest.raises(AssertionError, match=r"inside \[0, 255\], that of .*quint8"):
        FakeQuantize(MinMaxObserver, -128, 127)


def test_fake_quantize_of_no_observer():
    with pytest.raises(TypeError, match="expected an observer class"):
        FakeQuantize(observer=3)


def test_fused_is_0_to_255_by_default_and_a_moving_average():
    made = FusedMovingAvgObsFakeQuantize()
    assert made.activation_post_process.quant_max == 255
    with pytest.raises(AssertionError, match="HistogramObserver, expected MovingAverage"):
        FusedMovingAvgObsFakeQuantize(HistogramObserver)


def test_fixed_fake_quantize_needs_a_fixed_observer():
    observer = FixedQParamsObserver.with_args(scale=0.5, zero_point=1)
    made = FixedQParamsFakeQuantize(observer)
    assert made.activation_post_process == FixedQParamsObserver(0.5, 1)
    for wrong in (MinMaxObserver, MinMaxObserver.with_args()):
        with pytest.raises(AssertionError, match="expected FixedQParamsObserver"):
            FixedQParamsFakeQuantize(wrong)


def test_reuse_input_has_no_arguments():
    assert ReuseInputObserver().dtype is qbackend.quint8
    with pytest.raises(TypeError, match="no argument 'dtype'"):
        ReuseInputObserver.with_args(dtype="qint8")


def test_repr():
    factory = MinMaxObserver.with_args(dtype="qint8", eps=0.5)
    assert repr(factory) == "MinMaxObserver.with_args(dtype='qint8', eps=0.5)"
    fake = FakeQuantize.with_args(observer=MinMaxObserver)
    assert repr(fake) == "FakeQuantize.with_args(observer=MinMaxObserver)"
