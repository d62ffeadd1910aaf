"""Every fault a kernel can have turns a check red, and a right kernel passes at every shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fake_device import FakeDevice, artefact, kernel

from gemm_ladder.runtime.buffers import GuardedArray
from gemm_ladder.runtime.check import check_artefact, render_table, to_json
from gemm_ladder.runtime.errors import ArtefactError, DeviceError, LaunchError
from gemm_ladder.runtime.inputs import make_case

SHAPES = [(64, 64, 32), (7, 7, 7), (35, 79, 19), (1, 105, 107), (3, 3, 431), (16, 104, 64)]
SHAPES += [(127, 65, 33), (130, 258, 51), (5, 6, 1), (5, 6, 0), (0, 8, 4), (8, 0, 4)]


def check(fault="", repeats=1, inputs=("normal", "integer"), device=None, **shape):
    shape = {"m": 20, "n": 40, "k": 64, **shape}
    device = device or FakeDevice(fault)
    made = kernel(**shape)
    (result,) = check_artefact(artefact(made), device, repeats=repeats, inputs=inputs)
    return result


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize(
    ("in_type", "out"), [("bf16", "f32"), ("bf16", "bf16"), ("f16", "f16"), ("f32", "f32")]
)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_right_kernel_passes(shape, in_type, out, accumulate):
    m, n, k = shape
    for a, b in (("mk", "kn"), ("km", "nk")):
        result = check(
            m=m,
            n=n,
            k=k,
            a=a,
            b=b,
            in_type=in_type,
            out=out,
            accumulate=accumulate,
            pad=3,
            inputs=("normal", "integer", "ones"),
        )
        assert result.ok, result.failures
        assert (result.mismatches, result.never_written) == (0, 0)


@pytest.mark.parametrize(
    ("fault", "shape", "said"),
    [
        ("wrong element", {}, "worst C[1, 2] in tile (0, 0)"),
        ("skips an element", {}, "1 never written"),
        ("skips an element", {"accumulate": True}, "1 never written"),
        ("leaks NaN", {}, "1 NaN"),
        ("writes before", {}, "C: 1 elements outside the array were overwritten, the first at"),
        ("writes behind", {}, "outside the array were overwritten"),
        ("writes between rows", {"pad": 2}, "outside the array were overwritten"),
        ("writes to A", {}, "A: 1 elements of a read-only argument"),
        ("truncates", {"out": "bf16"}, "elements are wrong"),
        ("drops the K remainder", {"k": 72}, "elements are wrong"),
        ("drops C", {"accumulate": True}, "elements are wrong"),
        ("drops C", {"accumulate": True, "k": 0}, "elements are wrong"),
        ("finding", {}, "race on LDS"),
    ],
)
@pytest.mark.parametrize("inputs", ["normal", "integer"])
def test_a_fault_turns_the_check_red(fault, shape, said, inputs):
    result = check(fault, inputs=(inputs,), **shape)
    assert any(said in failure for failure in result.failures), result.failures
    assert not result.ok
    assert render_table([result]).splitlines()[1].endswith("FAIL")
    assert to_json([result])["ok"] is False


@pytest.mark.parametrize("inputs", ["normal", "integer"])
def test_the_message_gives_the_reference_at_the_worst_element(inputs):
    made = kernel(20, 40, 64)
    (result,) = check_artefact(artefact(made), FakeDevice("wrong element"), inputs=(inputs,))
    want = make_case(made, inputs, 0).reference[1, 2]
    assert f"got {want + 1:.5g}"[:8] in result.failures[0]
    assert f"expected {want:.5g}"[:13] in result.failures[0]


@pytest.mark.parametrize("inputs", ["normal", "integer"])
def test_repeats_that_differ_in_one_bit_turn_red(inputs):
    result = check("not repeatable", repeats=3, inputs=(inputs,))
    assert result.identical is False
    assert any("differs from the first run in 1 elements" in f for f in result.failures)
    assert check(repeats=3).identical is True
    assert check(repeats=1).identical is None


def test_accumulation_in_bf16_turns_red():
    shape = {"m": 3, "n": 4, "k": 8192}
    for inputs in ("ones", "integer"):
        result = check("bf16 accumulation", inputs=(inputs,), **shape)
        assert result.mismatches == 12, inputs
        assert check(inputs=(inputs,), **shape).ok
    assert (
        "got 256, expected 8192"
        in check("bf16 accumulation", inputs=("ones",), **shape).failures[0]
    )


def test_tf32_in_an_f32_kernel_turns_red_at_any_k():
    for k in (2, 64, 1024):
        for fault in ("tf32 in A", "tf32 in B"):
            assert not check(fault, inputs=("integer",), in_type="f32", k=k).ok


def test_information_of_the_device_is_no_failure():
    result = check("info")
    assert result.ok
    assert result.notes == ("info: 12 instructions",)


def test_an_empty_grid_launches_nothing_and_passes():
    device = FakeDevice()
    result = check(device=device, m=0)
    assert result.ok
    assert device.launches == 0


def test_f16_results_that_overflow_must_become_infinite():
    case = make_case(kernel(2, 2, 4, in_type="f16", out="f16"), "integer", 0)
    assert np.abs(case.reference).max() < 65504


def test_integers_stay_exact_in_any_order():
    for in_type, out, k in (("bf16", "f32", 64), ("f16", "f16", 100), ("f32", "f32", 3000)):
        case = make_case(kernel(9, 9, k, in_type=in_type, out=out), "integer", 1)
        total = np.abs(case.a.astype(np.float64)) @ np.abs(case.b.astype(np.float64))
        assert total.max() <= 2**23
        assert total.max() > 0


def test_integers_exercise_the_rounding_of_the_output():
    case = make_case(kernel(9, 9, 64, out="bf16"), "integer", 0)
    rounded = case.reference.astype(case.out.numpy).astype(np.float64)
    assert (rounded != case.reference).any()


def test_buffers_are_given_back_even_after_a_fault():
    device = FakeDevice("wrong element")
    check(device=device)
    assert len(device.freed) == 3


def test_the_base_has_the_promised_alignment_and_no_more():
    for align in (16, 64, 512):
        arg = replace(kernel(4, 4, 4).args[0], align=align)
        address = GuardedArray(FakeDevice(), arg).array.address
        assert address % (2 * align) == align


def test_a_kernel_without_a_contract_is_a_failure_of_its_own():
    bare = replace(kernel(4, 4, 4), contract=None, name="bare")
    results = check_artefact(artefact(bare, kernel(4, 4, 4)), FakeDevice())
    assert ["no contract" in f for f in results[0].failures] == [True]
    assert results[1].ok


def test_unknown_kernel_and_wrong_architecture_stop_the_check():
    with pytest.raises(ArtefactError, match="no kernel 'nope' in the artefact; it has mm"):
        check_artefact(artefact(kernel(4, 4, 4)), FakeDevice(), ["nope"])
    with pytest.raises(LaunchError, match="cubin for sm_90a, device 'fake' is sm_100"):
        check_artefact(artefact(kernel(4, 4, 4)), FakeDevice(arch="sm_100"))


def test_the_table_shows_what_was_measured():
    text = render_table([check(repeats=2)])
    header, row = text.splitlines()
    for word in ("device", "kernel", "grid", "time", "max error / bound", "never written"):
        assert word in header
    assert row.startswith("fake")
    assert "1x1x1" in row
    assert row.endswith("ok")


@pytest.mark.parametrize("fault", ["", "drops C"])
def test_a_check_gives_back_code_and_memory(fault):
    device = FakeDevice(fault)
    check_artefact(artefact(kernel(4, 4, 4, accumulate=True)), device)
    assert device.launches
    assert device.loaded == set()


def test_a_launch_gives_its_code_back_even_if_it_fails():
    class Failing(FakeDevice):
        def launch(self, handle, args):
            raise DeviceError("illegal address")

    device = Failing()
    results = check_artefact(artefact(kernel(4, 4, 4)), device)
    assert results[0].failures == ("illegal address",)
    assert len(device.kernels) == 1
    assert device.loaded == set()
