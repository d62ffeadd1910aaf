"""Opening devices: what is missing is one line; a GPU, where there is one, runs a kernel."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fake_device import artefact, kernel

from gemm_ladder.runtime.artefact import Artefact, Contract
from gemm_ladder.runtime.check import check_artefact
from gemm_ladder.runtime.device import KINDS, device_statuses, open_device
from gemm_ladder.runtime.errors import DeviceError


def cuda_or_reason():
    try:
        return open_device("cuda"), ""
    except DeviceError as fault:
        return None, str(fault)


def test_every_kind_has_a_status_of_one_line():
    statuses = device_statuses()
    assert [status.kind for status in statuses] == list(KINDS)
    for status in statuses:
        assert status.reason
        assert "\n" not in status.reason


@pytest.mark.parametrize("kind", ["cuda", "hip"])
def test_an_absent_binding_names_the_extra(kind, monkeypatch):
    for module in ("cuda.bindings.driver", "hip"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DeviceError, match=rf"not installed .* pip install 'gemm-ladder\[{kind}\]'"):
        open_device(kind)


def test_an_absent_driver_names_the_driver():
    pytest.importorskip("cuda.bindings.driver")
    device, reason = cuda_or_reason()
    if device is not None:
        pytest.skip("a CUDA device is present")
    assert reason.startswith("no CUDA device: ")


def test_the_runtime_imports_no_compiler_and_no_binding():
    code = (
        "import sys, gemm_ladder.runtime.check, gemm_ladder.runtime.worker;"
        "bad = {'mlir', 'llvmlite', 'cuda', 'hip', 'torch'} & set(sys.modules);"
        "bad |= {m for m in sys.modules if m.startswith('gemm_ladder.')"
        " and not m.startswith('gemm_ladder.runtime')}; print(sorted(bad)); sys.exit(bool(bad))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# One thread an element: C[i, j] = sum over k of A[i, k] * B[k, j] in f32; grid n x m of 1 thread.
PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry mm(.param .u64 pa, .param .u64 pb, .param .u64 pc)
{
  .reg .pred %p; .reg .b32 %i, %j, %k; .reg .f32 %s, %x, %y;
  .reg .b64 %a, %b, %c, %t;
  ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %c, [pc];
  mov.u32 %i, %ctaid.x; mov.u32 %j, %ctaid.y; mov.u32 %k, 0; mov.f32 %s, 0f00000000;
  mul.wide.u32 %t, %i, 28; add.u64 %a, %a, %t;
  mul.wide.u32 %t, %j, 4; add.u64 %b, %b, %t; add.u64 %c, %c, %t;
  mul.wide.u32 %t, %i, 20; add.u64 %c, %c, %t;
loop:
  ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b];
  fma.rn.f32 %s, %x, %y, %s;
  add.u64 %a, %a, 4; add.u64 %b, %b, 20; add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 7;
  @%p bra loop;
  st.global.f32 [%c], %s;
  ret;
}
"""


def ptx_artefact(text: str = PTX) -> Artefact:
    """C (6 x 5) = A (6 x 7) * B (7 x 5) in f32."""
    made = kernel(6, 5, 7, in_type="f32", grid=(6, 5, 1), block=(1, 1, 1), tile=(1, 1))
    assert made.contract == Contract(6, 5, 7, "mk", "kn", False)
    return Artefact("sm_90", "ptx", None, text, (made,))


@pytest.mark.gpu
def test_a_kernel_runs_on_the_gpu_and_a_wrong_one_is_seen():
    device, reason = cuda_or_reason()
    if device is None:
        pytest.skip(reason)
    (result,) = check_artefact(ptx_artefact(), device, repeats=3)
    assert result.ok, result.failures
    assert result.seconds > 0
    (result,) = check_artefact(ptx_artefact(PTX.replace("%k, 7;", "%k, 6;")), device)
    assert result.mismatches == 30


@pytest.mark.gpu
def test_code_that_does_not_load_is_one_line():
    device, reason = cuda_or_reason()
    if device is None:
        pytest.skip(reason)
    (result,) = check_artefact(artefact(kernel(6, 5, 7)), device)
    assert result.failures[0].startswith("cuModuleLoadData says CUDA_ERROR_")
