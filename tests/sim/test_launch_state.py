"""What a kernel finds at launch: ids, packed work-items, preloaded arguments, hidden arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gemm_ladder.runtime.artefact import Arg, Artefact, Kernel
from gemm_ladder.runtime.errors import DeviceNameError
from gemm_ladder.runtime.sim import SimDevice, SimError, open_device

from .compiling import assembly

IDS = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.wave.id()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
define amdgpu_kernel void @ids(ptr addrspace(1) inreg %out, ptr addrspace(1) %base) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %gx = call i32 @llvm.amdgcn.workgroup.id.x()
  %gy = call i32 @llvm.amdgcn.workgroup.id.y()
  %gz = call i32 @llvm.amdgcn.workgroup.id.z()
  %w = call i32 @llvm.amdgcn.wave.id()
  %v0 = insertelement <8 x i32> poison, i32 %x, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %y, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %gx, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %gy, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %gz, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %w, i32 5
  %added = load i32, ptr addrspace(1) %base
  %v6 = insertelement <8 x i32> %v5, i32 %added, i32 6
  %v7 = insertelement <8 x i32> %v6, i32 77, i32 7
  %r0 = mul i32 %gz, 2
  %r1 = add i32 %r0, %gy
  %r2 = mul i32 %r1, 3
  %r3 = add i32 %r2, %gx
  %r4 = mul i32 %r3, 3
  %r5 = add i32 %r4, %y
  %r6 = mul i32 %r5, 40
  %r7 = add i32 %r6, %x
  %p = getelementptr <8 x i32>, ptr addrspace(1) %out, i32 %r7
  store <8 x i32> %v7, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="120,120" CLUSTER }
"""
NO_CLUSTER = '"amdgpu-cluster-dims"="0,0,0"'


@pytest.mark.parametrize("attribute", [NO_CLUSTER, ""], ids=["no-clusters", "unknown-clusters"])
def test_ids_of_every_work_item(attribute: str) -> None:
    device = SimDevice()
    text = assembly(IDS.replace("CLUSTER", attribute))
    handle = device.load_asm(text, "ids", (3, 2, 2), (40, 3, 1))
    out, base = device.alloc(12 * 120 * 32), device.alloc(4)
    device.write(base, np.uint32(4242).tobytes())
    device.launch(handle, [out, base])
    got = np.frombuffer(device.read(out, 12 * 120 * 32), np.uint32).reshape(2, 2, 3, 3, 40, 8)
    gz, gy, gx, y, x = np.meshgrid(*(range(n) for n in (2, 2, 3, 3, 40)), indexing="ij")
    for position, want in enumerate((x, y, gx, gy, gz, (y * 40 + x) // 32)):
        np.testing.assert_array_equal(got[..., position], want)
    assert (got[..., 6] == 4242).all()
    assert (got[..., 7] == 77).all()


def artefact(target: str = "gfx1250", asm: str | None = "") -> Artefact:
    text = assembly(IDS.replace("CLUSTER", NO_CLUSTER)) if asm == "" else asm
    arg = Arg("out", "f32", (1440, 8), (8, 1), "write")
    other = Arg("base", "f32", (1,), (1,), "read")
    kernel = Kernel("ids", (arg, other), (3, 2, 2), (40, 3, 1))
    return Artefact(target, "hsaco", b"\x7fELF", text, (kernel,))


def test_an_artefact_is_loaded_and_launched() -> None:
    device: Any = open_device("")
    assert device.properties().arch == "gfx1250"
    handle = device.load(artefact(), "ids")
    out, base = device.alloc(12 * 120 * 32), device.alloc(4)
    result = device.launch(handle, [out, base])
    assert result.seconds > 0
    assert np.frombuffer(device.read(out + 28, 4), np.uint32)[0] == 77


def test_what_cannot_be_loaded_is_said() -> None:
    device = SimDevice()
    with pytest.raises(SimError, match="runs gfx1250 code, not gfx950"):
        device.load(artefact("gfx950"), "ids")
    with pytest.raises(SimError, match="no kernel named nope"):
        device.load(artefact(), "nope")
    with pytest.raises(SimError, match="no assembly"):
        device.load(artefact(asm=None), "ids")
    with pytest.raises(DeviceNameError, match="unknown simulator option 'fast'"):
        open_device("fast")


def test_host_access_is_checked() -> None:
    device = SimDevice()
    address = device.alloc(64)
    device.write(address + 32, bytes(range(32)))
    assert device.read(address + 40, 4) == bytes([8, 9, 10, 11])
    assert np.isnan(np.frombuffer(device.read(address, 32), np.float32)).all()
    for action in (
        lambda: device.write(address + 33, bytes(32)),
        lambda: device.read(address - 1, 4),
        lambda: device.free(address + 1),
        lambda: device.alloc(0),
    ):
        with pytest.raises(SimError):
            action()
    device.free(address)
    with pytest.raises(SimError):
        device.read(address, 4)
    assert device.alloc(64) % 256 == 0
