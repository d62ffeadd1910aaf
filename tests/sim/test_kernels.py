"""Whole kernels: LLVM IR compiled as the product compiles it, run and checked on the host."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from gemm_ladder.runtime.sim import SimDevice, SimError

from .compiling import assembly
from .gemm_ir import Gemm, gemm_ir

TYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "bfloat": ml_dtypes.bfloat16,
    "f16": np.float16,
    "float": np.float32,
}
HEAD = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
"""
TAIL = (
    '\nattributes #0 = { "amdgpu-flat-work-group-size"="SIZE,SIZE" "amdgpu-cluster-dims"="0,0,0" }'
)


def put(device: SimDevice, data: Any) -> int:
    address = device.alloc(data.nbytes)
    device.write(address, data.tobytes())
    return address


def get(device: SimDevice, address: int, like: Any) -> Any:
    return np.frombuffer(device.read(address, like.nbytes), like.dtype).reshape(like.shape)


def run_gemm(g: Gemm, a: Any, b: Any, c: Any) -> Any:
    device = SimDevice()
    grid = (-(-g.m // 64), -(-g.n // 64), 1)
    handle = device.load_asm(assembly(gemm_ir(g)), "gemm", grid, (128, 1, 1))
    addresses = [put(device, x) for x in (a, b, c)]
    device.launch(handle, addresses)
    return get(device, addresses[2], c)


GEMMS = [
    Gemm(64, 64, 32),
    Gemm(256, 256, 256),
    Gemm(128, 192, 64, output="bfloat", accumulate=True),
    Gemm(64, 128, 96, element="f16"),
    Gemm(16, 104, 64, output="bfloat"),
    Gemm(35, 19, 79, vector=False),
    Gemm(1, 107, 105, vector=False, accumulate=True),
    Gemm(130, 67, 33, element="f16", output="half", vector=False),
    Gemm(7, 7, 7, output="bfloat", vector=False, accumulate=True),
]
TYPES["half"] = np.float16


@pytest.mark.parametrize("g", GEMMS, ids=lambda g: f"{g.m}x{g.n}x{g.k}-{g.element}-{g.output}")
def test_gemm_is_exact_on_integers(g: Gemm) -> None:
    generator = np.random.default_rng(g.m + g.n + g.k)
    a = generator.integers(-2, 3, (g.m, g.k)).astype(TYPES[g.element])
    b = generator.integers(-2, 3, (g.n, g.k)).astype(TYPES[g.element])
    c = np.full((g.m, g.n), np.nan).astype(TYPES[g.output])
    want = a.astype(np.float64) @ b.astype(np.float64).T
    if g.accumulate:
        c = generator.integers(-9, 9, (g.m, g.n)).astype(TYPES[g.output])
        want += c.astype(np.float64)
    got = run_gemm(g, a, b, c)
    np.testing.assert_array_equal(got, want.astype(np.float32).astype(TYPES[g.output]))


def test_gemm_on_normals_stays_within_the_f32_bound_and_repeats() -> None:
    g = Gemm(64, 64, 256)
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal((64, 256)).astype(ml_dtypes.bfloat16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    got = run_gemm(g, a, b, c)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64).T
    assert (np.abs(got - exact) <= 256 * 2.0**-24 * scale).all()
    np.testing.assert_array_equal(got, run_gemm(g, a, b, c))


DIVERGE = (
    HEAD
    + """
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = mul i32 %b, 96
  %i = add i32 %base, %t
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %n = load i32, ptr addrspace(1) %p
  br label %loop
loop:
  %x = phi i32 [%n, %entry], [%y, %next]
  %c = phi i32 [0, %entry], [%c1, %next]
  %one = icmp ult i32 %x, 2
  br i1 %one, label %done, label %step
step:
  %odd = and i32 %x, 1
  %isodd = icmp eq i32 %odd, 1
  br i1 %isodd, label %up, label %down
up:
  %x3 = mul i32 %x, 3
  %x31 = add i32 %x3, 1
  br label %next
down:
  %h = lshr i32 %x, 1
  br label %next
next:
  %y = phi i32 [%x31, %up], [%h, %down]
  %c1 = add i32 %c, 1
  br label %loop
done:
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %c, ptr addrspace(1) %q
  ret void
}"""
    + TAIL.replace("SIZE", "96")
)


def test_lanes_that_loop_different_times() -> None:
    """Collatz steps: every lane has its own trip count and branches inside."""
    values = np.arange(288, dtype=np.uint32) + 1
    device = SimDevice()
    handle = device.load_asm(assembly(DIVERGE), "k", (3, 1, 1), (96, 1, 1))
    source, out = put(device, values), put(device, np.zeros(288, np.uint32))
    device.launch(handle, [source, out])
    want = []
    for value in values.tolist():
        steps = 0
        while value > 1:
            value = 3 * value + 1 if value % 2 else value // 2
            steps += 1
        want.append(steps)
    assert get(device, out, values).tolist() == want


REVERSE = (
    HEAD
    + """
@lds = internal addrspace(3) global [256 x float] poison, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = shl i32 %b, 8
  %i = add i32 %base, %t
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %s = getelementptr float, ptr addrspace(3) @lds, i32 %t
  store float %v, ptr addrspace(3) %s
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %r = sub i32 255, %t
  %l = getelementptr float, ptr addrspace(3) @lds, i32 %r
  %w = load float, ptr addrspace(3) %l
  %q = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %w, ptr addrspace(1) %q
  ret void
}"""
    + TAIL.replace("SIZE", "256")
)


def test_waves_exchange_through_lds() -> None:
    values = np.random.default_rng(1).standard_normal(5 * 256).astype(np.float32)
    device = SimDevice()
    handle = device.load_asm(assembly(REVERSE), "k", (5, 1, 1), (256, 1, 1))
    source, out = put(device, values), put(device, np.zeros_like(values))
    device.launch(handle, [source, out])
    want = values.reshape(5, 256)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(get(device, out, values), want)


def test_a_store_past_the_buffer_names_instruction_and_wave() -> None:
    values = np.zeros(256, np.float32)
    device = SimDevice()
    handle = device.load_asm(assembly(REVERSE), "k", (2, 1, 1), (256, 1, 1))
    source, out = put(device, np.zeros(512, np.float32)), put(device, values)
    with pytest.raises(SimError, match=r"line \d+: `global_store_b32 .*workgroup \(1, 0, 0\) wave"):
        device.launch(handle, [source, out])


FMA = (
    HEAD
    + """
define amdgpu_kernel void @k(ptr addrspace(1) noalias %A, ptr addrspace(1) noalias %B,
                             ptr addrspace(1) noalias %C) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = shl i32 %b, 6
  %i = add i32 %base, %t
  %in = icmp ult i32 %i, MN
  br i1 %in, label %go, label %out
go:
  %m = udiv i32 %i, NN
  %n = urem i32 %i, NN
  %row = mul i32 %m, KK
  br label %loop
loop:
  %k = phi i32 [0, %go], [%k1, %loop]
  %acc = phi float [0.0, %go], [%acc1, %loop]
  %ai = add i32 %row, %k
  %ap = getelementptr float, ptr addrspace(1) %A, i32 %ai
  %a = load float, ptr addrspace(1) %ap
  %bk = mul i32 %k, NN
  %bi = add i32 %bk, %n
  %bp = getelementptr float, ptr addrspace(1) %B, i32 %bi
  %bv = load float, ptr addrspace(1) %bp
  %acc1 = call float @llvm.fma.f32(float %a, float %bv, float %acc)
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, KK
  br i1 %more, label %loop, label %end
end:
  %cp = getelementptr float, ptr addrspace(1) %C, i32 %i
  store float %acc1, ptr addrspace(1) %cp
  br label %out
out:
  ret void
}
declare float @llvm.fma.f32(float, float, float)"""
    + TAIL.replace("SIZE", "64")
)


def test_f32_fma_kernel_at_odd_sizes() -> None:
    """One fused multiply-add a step, in order of k, rounded once each: exact to the bit."""
    from gemm_ladder.runtime.sim.numeric import fma32

    m, n, k = 13, 19, 37
    ir = FMA.replace("MN", str(m * n)).replace("NN", str(n)).replace("KK", str(k))
    generator = np.random.default_rng(2)
    a = generator.standard_normal((m, k)).astype(np.float32)
    b = generator.standard_normal((k, n)).astype(np.float32)
    c = np.full((m, n), np.nan, np.float32)
    device = SimDevice()
    handle = device.load_asm(assembly(ir), "k", (-(-m * n // 64), 1, 1), (64, 1, 1))
    addresses = [put(device, x) for x in (a, b, c)]
    device.launch(handle, addresses)
    want = np.zeros((m, n), np.float32)
    for step in range(k):
        want = fma32(a[:, step : step + 1], b[step : step + 1], want)
    np.testing.assert_array_equal(get(device, addresses[2], c), want)


def test_grids_larger_than_a_chunk() -> None:
    """Chunks of workgroups keep their ids: 700 workgroups of 8 waves."""
    values = np.arange(700 * 256, dtype=np.float32)
    device = SimDevice()
    handle = device.load_asm(assembly(REVERSE), "k", (700, 1, 1), (256, 1, 1))
    source, out = put(device, values), put(device, np.zeros_like(values))
    device.launch(handle, [source, out])
    want = values.reshape(700, 256)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(get(device, out, values), want)


def test_launch_is_refused_before_anything_runs() -> None:
    device = SimDevice()
    text = assembly(REVERSE)
    with pytest.raises(SimError, match="no code for a kernel named 'other'"):
        device.load_asm(text, "other", (1, 1, 1), (256, 1, 1))
    with pytest.raises(SimError, match="2048 work-items"):
        device.load_asm(text, "k", (1, 1, 1), (2048, 1, 1))
    with pytest.raises(SimError, match="gfx1250 has 327680 B"):
        device.load_asm(text, "k", (1, 1, 1), (256, 1, 1), dynamic_lds=327_680)
    handle = device.load_asm(text, "k", (1, 1, 1), (256, 1, 1))
    with pytest.raises(SimError, match="takes 2 arguments, got 1"):
        device.launch(handle, [device.alloc(16)])


def test_an_empty_grid_launches_nothing() -> None:
    device = SimDevice()
    handle = device.load_asm(assembly(REVERSE), "k", (0, 1, 1), (256, 1, 1))
    device.launch(handle, [])
    assert device.wave_instructions == 0
