"""A wrong launch is refused with one line before anything runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_device import FakeDevice, artefact, kernel

from gemm_ladder.runtime.buffers import DeviceArray
from gemm_ladder.runtime.device import DeviceProperties
from gemm_ladder.runtime.errors import LaunchError
from gemm_ladder.runtime.launch import launch_kernel


def arrays(entry):
    # Apart, whatever the shapes of a test.
    return [
        DeviceArray((i + 1) << 40, arg.dtype, arg.shape, arg.strides)
        for i, arg in enumerate(entry.args)
    ]


def refused(entry, args, device=None, **made):
    device = device or FakeDevice()
    with pytest.raises(LaunchError) as caught:
        launch_kernel(device, artefact(entry, **made), entry.name, args)
    assert device.launches == 0
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_number_of_arguments():
    entry = kernel(20, 40, 64)
    said = "kernel mm takes 3 arguments (A, B, C), got"
    assert f"{said} 2" in refused(entry, arrays(entry)[:2])
    assert f"{said} 4" in refused(entry, arrays(entry) + arrays(entry)[:1])


@pytest.mark.parametrize(
    ("index", "change", "said"),
    [
        (0, {"dtype": "f16"}, "argument 0 (A): dtype must be bf16, got f16"),
        (1, {"shape": (64, 41)}, "argument 1 (B): shape must be (64, 40), got (64, 41)"),
        (1, {"shape": (64 * 40,), "strides": (1,)}, "shape must be (64, 40), got (2560,)"),
        (2, {"strides": (48, 1)}, "argument 2 (C): strides must be (40, 1), got (48, 1)"),
        (2, {"strides": (1, 20)}, "strides must be (40, 1), got (1, 20)"),
        (0, {"address": (1 << 40) + 8}, "aligned to 8 bytes, the kernel relies on 16"),
    ],
)
def test_an_argument_that_differs(index, change, said):
    entry = kernel(20, 40, 64)
    args = arrays(entry)
    args[index] = replace(args[index], **change)
    assert said in refused(entry, args)


def test_what_is_written_may_not_overlap():
    entry = kernel(64, 64, 64)
    device = FakeDevice()
    device.alloc(4 << 20)
    args = [replace(arg, address=(1 << 32) + i * 65536) for i, arg in enumerate(arrays(entry))]
    same = [args[0], replace(args[1], address=args[0].address), args[2]]
    launch_kernel(device, artefact(entry), "mm", same)
    touching = [*args[:2], replace(args[2], address=args[1].end)]
    launch_kernel(device, artefact(entry), "mm", touching)
    inside = [*args[:2], replace(args[2], address=args[1].end - 16)]
    with pytest.raises(LaunchError, match="argument C, which is written, overlaps B"):
        launch_kernel(device, artefact(entry), "mm", inside)
    assert device.launches == 2


def test_the_stride_of_an_extent_of_one_does_not_matter():
    entry = kernel(1, 40, 64)
    device = FakeDevice()
    args = arrays(entry)
    assert replace(args[0], strides=(999, 1)).strides != args[0].strides
    device.alloc(4 << 20)
    base = 1 << 32
    args = [replace(arg, address=base + i * 65536) for i, arg in enumerate(args)]
    args[0] = replace(args[0], strides=(999, 1))
    launch_kernel(device, artefact(entry), "mm", args)
    assert device.launches == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cluster": (2, 1, 1), "grid": (3, 1, 1)}, "grid x = 3 is no multiple of cluster 2"),
        ({"cluster": (1, 2, 1), "grid": (2, 3, 1)}, "grid y = 3 is no multiple of cluster 2"),
        ({"cluster": (4, 4, 1), "grid": (4, 4, 1)}, "clusters of 16 workgroups, device fake"),
        ({"grid": (2**31, 1, 1)}, "grid x is 2,147,483,648, the limit is 2,147,483,647"),
        ({"grid": (1, 65536, 1)}, "grid y is 65,536, the limit is 65,535"),
        ({"grid": (1, 1, 65536)}, "grid z is 65,536, the limit is 65,535"),
        ({"block": (1025, 1, 1)}, "a workgroup of 1,025 threads, sm_90 allows 1,024"),
        ({"block": (32, 33, 1)}, "a workgroup of 1,056 threads"),
        ({"lds_bytes": 1, "dynamic_lds_bytes": 227 << 10}, "needs 232,449 B of LDS"),
    ],
)
def test_limits_of_grid_block_cluster_and_lds(change, said):
    entry = kernel(20, 40, 64, **change)
    assert said in refused(entry, arrays(entry))


def test_a_cluster_kernel_never_runs_unclustered():
    entry = kernel(20, 40, 64, cluster=(2, 1, 1), grid=(2, 1, 1))
    said = refused(entry, arrays(entry), FakeDevice(max_cluster=1))
    assert "clusters of 2 workgroups, device fake allows no clusters" in said


def test_work_items_on_hip_stay_below_two_to_the_32():
    grid = {"grid": (2**25, 1, 1)}
    entry = kernel(20, 40, 64, **grid)
    device = FakeDevice(arch="gfx1250")
    said = refused(entry, arrays(entry), device, target="gfx1250", form="hsaco")
    assert "4,294,967,296 work-items, HIP allows fewer than 2^32" in said


@pytest.mark.parametrize(
    ("arch", "target", "form", "runs"),
    [
        ("sm_90", "sm_90a", "cubin", True),
        ("sm_100", "sm_90a", "ptx", False),
        ("sm_89", "sm_90a", "cubin", False),
        ("sm_90", "sm_80", "cubin", False),
        ("sm_90", "sm_80", "ptx", True),
        ("sm_89", "sm_80", "cubin", True),
        ("sm_80", "sm_89", "cubin", False),
        ("sm_121", "sm_120f", "cubin", True),
        ("sm_121", "sm_120a", "cubin", False),
        ("sm_120", "sm_100f", "ptx", False),
        ("sm_90", "gfx1250", "hsaco", False),
        ("gfx1250", "gfx1250", "hsaco", True),
        ("gfx942:sramecc+:xnack-", "gfx942", "hsaco", True),
        ("gfx1250", "gfx1251", "hsaco", False),
        ("gfx1250", "sm_90a", "cubin", False),
    ],
)
def test_which_targets_run_where(arch, target, form, runs):
    found = DeviceProperties("x", arch, 32, 65536)
    assert found.accepts(target, form) is runs
    if not runs:
        entry = kernel(20, 40, 64)
        said = refused(entry, arrays(entry), FakeDevice(arch=arch), target=target, form=form)
        assert f"{form} for {target}, device 'fake' is {arch}" in said
