"""WMMA against its lane map, written out element by element, on asymmetric random data."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from gemm_ladder.runtime.sim import SimError
from gemm_ladder.runtime.sim.matrix import unpack16

from .snippet import execute, vgpr

FORMATS: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


def pack_ab(matrix: Any, kind: str) -> dict[int, Any]:
    """A[row, k] or B[col, k] as 8 VGPRs: lane = i + 16*((k/8)%2), half e = 8*(k/16) + k%8."""
    halves = np.zeros((16, 32), np.uint16)
    codes = matrix.astype(FORMATS[kind]).view(np.uint16)
    for i in range(16):
        for k in range(32):
            halves[8 * (k // 16) + k % 8, i + 16 * (k // 8 % 2)] = codes[i, k]
    words = halves.astype(np.uint32)
    return {r: words[2 * r] | words[2 * r + 1] << 16 for r in range(8)}


def pack_c(matrix: Any) -> dict[int, Any]:
    """C[row, col] f32 as 8 VGPRs: lane = col + 16*(row/8), VGPR = row%8."""
    words = np.zeros((8, 32), np.float32)
    for row in range(16):
        for col in range(16):
            words[row % 8, col + 16 * (row // 8)] = matrix[row, col]
    return {r: words[r] for r in range(8)}


def unpack_d(machine: Any, first: int) -> Any:
    out = np.zeros((16, 16), np.float32)
    for row in range(16):
        for col in range(16):
            out[row, col] = vgpr(machine, first + row % 8, np.float32)[col + 16 * (row // 8)]
    return out


def operands(seed: int, low: int = -8, high: int = 9) -> tuple[Any, Any, Any]:
    generator = np.random.default_rng(seed)
    a, b = (generator.integers(low, high, (16, 32)).astype(np.float32) for _ in range(2))
    return a, b, generator.integers(-99, 99, (16, 16)).astype(np.float32)


def registers(a: Any, b: Any, c: Any, kind: str) -> dict[int, Any]:
    v = {16 + r: x for r, x in pack_ab(a, kind).items()}
    v |= {24 + r: x for r, x in pack_ab(b, kind).items()}
    return v | dict(pack_c(c))


@pytest.mark.parametrize("kind", FORMATS)
def test_integers_are_exact(kind: str) -> None:
    a, b, c = operands(1)
    text = f"v_wmma_f32_16x16x32_{kind} v[0:7], v[16:23], v[24:31], v[0:7] matrix_a_reuse"
    machine = execute(text, v=registers(a, b, c, kind))
    np.testing.assert_array_equal(unpack_d(machine, 0), a @ b.T + c)


def test_fragment_order_of_k() -> None:
    """The product cannot see a permutation of k common to A and B; this can."""
    a, _, _ = operands(6)
    vgpr, high, half = np.meshgrid(range(8), range(2), range(2), indexing="ij")
    true_k = (16 * (vgpr // 4) + 8 * high + 2 * (vgpr % 4) + half).reshape(-1)
    words = np.stack([pack_ab(a, "bf16")[r] for r in range(8)])[:, None, :]
    np.testing.assert_array_equal(unpack16(words, "bf16")[0], a[:, true_k].T)


def test_a_fragment_is_read_again_after_a_write() -> None:
    """Unpacked matrices are kept; a write to any of their registers must drop them."""
    a, b, c = operands(7)
    v = registers(a, b, c, "bf16")
    text = """v_wmma_f32_16x16x32_bf16 v[40:47], v[16:23], v[24:31], v[0:7]
    v_mov_b32_e32 v31, 0
    v_wmma_f32_16x16x32_bf16 v[48:55], v[16:23], v[24:31], v[0:7]"""
    machine = execute(text, v=v)
    lanes = b.copy()
    lanes[:, [22, 23, 30, 31]] = 0
    np.testing.assert_array_equal(unpack_d(machine, 40), a @ b.T + c)
    np.testing.assert_array_equal(unpack_d(machine, 48), a @ lanes.T + c)


def test_a_fragment_is_read_again_after_a_product_landed_in_it() -> None:
    """Two steps in one run give what the second gives alone on the first one's registers."""
    first = "v_wmma_f32_16x16x32_bf16 v[16:23], v[16:23], v[24:31], v[0:7]\n"
    second = "v_wmma_f32_16x16x32_bf16 v[40:47], v[16:23], v[24:31], v[0:7]"
    v = registers(*operands(8), "bf16")
    both = execute(first + second, v=v)
    middle = execute(first, v=v)
    alone = execute(second, v={reg: middle.v[reg, 0] for reg in range(32)})
    np.testing.assert_array_equal(both.v[40:48], alone.v[40:48])


def test_normals_round_once() -> None:
    """D is the exact sum (float64 is exact to far below an f32 ulp here), rounded to f32."""
    generator = np.random.default_rng(5)
    a, b = (generator.standard_normal((16, 32)).astype(ml_dtypes.bfloat16) for _ in range(2))
    c = generator.standard_normal((16, 16)).astype(np.float32)
    text = "v_wmma_f32_16x16x32_bf16 v[0:7], v[16:23], v[24:31], v[0:7]"
    machine = execute(text, v=registers(a, b, c, "bf16"))
    exact = a.astype(np.float64) @ b.astype(np.float64).T + c
    np.testing.assert_array_equal(unpack_d(machine, 0), exact.astype(np.float32))


def test_constant_addend_and_other_destination() -> None:
    a, b, c = operands(2)
    text = "v_wmma_f32_16x16x32_bf16 v[40:47], v[16:23], v[24:31], 1.0"
    machine = execute(text, v=registers(a, b, c, "bf16"))
    np.testing.assert_array_equal(unpack_d(machine, 40), a @ b.T + 1)


@pytest.mark.parametrize(
    ("modifier", "sign", "c_sign"),
    [("neg_lo:[1,0,0] neg_hi:[1,0,0]", -1, 1), ("neg_lo:[1,1,0] neg_hi:[1,1,0]", 1, 1),
     ("neg_lo:[0,0,1]", 1, -1)],
)  # fmt: skip
def test_negation(modifier: str, sign: int, c_sign: int) -> None:
    a, b, c = operands(3)
    text = f"v_wmma_f32_16x16x32_bf16 v[0:7], v[16:23], v[24:31], v[0:7] {modifier}"
    machine = execute(text, v=registers(a, b, c, "bf16"))
    np.testing.assert_array_equal(unpack_d(machine, 0), sign * (a @ b.T) + c_sign * c)


@pytest.mark.parametrize("kind", FORMATS)
def test_sixteen_bit_results(kind: str) -> None:
    """D 16-bit: rows 2v and 2v+1 of a lane's eight share a VGPR, low half first."""
    a, b, _ = operands(4, -2, 3)
    text = f"v_wmma_{kind}_16x16x32_{kind} v[40:43], v[16:23], v[24:31], 0"
    machine = execute(text, v=registers(a, b, np.zeros((16, 16)), kind))
    want = a @ b.T
    for row in range(16):
        for col in range(16):
            word = int(vgpr(machine, 40 + row % 8 // 2)[col + 16 * (row // 8)])
            half = np.uint16(word >> (16 * (row % 2)) & 0xFFFF).view(FORMATS[kind])
            assert float(half) == float(want[row, col].astype(FORMATS[kind]))


def test_every_wave_has_its_own_product() -> None:
    cases = [operands(seed) for seed in (10, 11, 12)]
    each = [registers(a, b, c, "bf16") for a, b, c in cases]
    v = {reg: np.stack([np.broadcast_to(r[reg], 32) for r in each]) for reg in each[0]}
    text = "v_wmma_f32_16x16x32_bf16 v[0:7], v[16:23], v[24:31], v[0:7]"
    machine = execute(text, v=v, waves=3)
    for wave, (a, b, c) in enumerate(cases):
        for row in (0, 9, 15):
            got = machine.v[row % 8, wave].view(np.float32)[16 * (row // 8) :][:16]
            np.testing.assert_array_equal(got, (a @ b.T + c)[row])


@pytest.mark.parametrize(
    ("text", "says"),
    [("v_wmma_f32_16x16x32_bf16 v[0:7], v[16:22], v[24:31], 0", "8 registers for A and B"),
     ("v_wmma_f32_16x16x32_bf16 v[0:6], v[16:23], v[24:31], 0", "8 registers for D"),
     ("v_wmma_f32_16x16x128_fp8_fp8 v[0:7], v[16:23], v[24:31], 0", "16 registers for A and B"),
     ("v_wmma_f32_16x16x64_bf16 v[0:7], v[16:23], v[24:31], 0", "no such WMMA"),
     ("v_wmma_f32_16x16x32_bf16 v[0:7], v[16:23], v[24:31], 0 clamp", "unknown modifier clamp"),
     ("v_wmma_f32_16x16x32_fp4 v[0:7], v[16:23], v[24:31], 0", "unknown instruction")],
)  # fmt: skip
def test_wrong_forms_are_refused(text: str, says: str) -> None:
    with pytest.raises(SimError, match=says):
        execute(text)


def test_inactive_lanes_are_refused() -> None:
    with pytest.raises(SimError, match="inactive lanes"):
        execute("v_wmma_f32_16x16x32_bf16 v[0:7], v[16:23], v[24:31], 0", exec_mask=1)
