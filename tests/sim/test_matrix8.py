"""WMMA on bytes, and mixed 16-bit forms, against lane maps written out element by element."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from gemm_ladder.runtime.sim.matrix import unpack8

from .snippet import execute, vgpr
from .test_matrix import operands, pack_c, registers, unpack_d

FORMATS: dict[str, Any] = {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2}


def pack_bytes(codes: Any) -> dict[int, Any]:
    """[16, k] bytes: lane = i + 16*((k/16)%2), byte e = 16*(k/32) + k%16 of the lane's registers.

    rocjitsu mma/layout.h, wmma_input_loc, for 16x16x64 and 16x16x128 of 8 bits.
    """
    depth = codes.shape[1]
    octets = np.zeros((32, depth // 2), np.uint8)
    for i in range(16):
        for k in range(depth):
            octets[i + 16 * (k // 16 % 2), 16 * (k // 32) + k % 16] = codes[i, k]
    words = octets.view("<u4")
    return {r: words[:, r] for r in range(words.shape[1])}


def run8(text: str, a: Any, b: Any, c: Any) -> Any:
    """D's machine; A from v16, B from v32, C in v[0:7]."""
    v = {16 + r: x for r, x in pack_bytes(a).items()}
    v |= {32 + r: x for r, x in pack_bytes(b).items()}
    return execute(text, v=v | c)


@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize("kinds", ["fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"])
def test_small_integers_are_exact(kinds: str, depth: int) -> None:
    generator = np.random.default_rng(depth)
    a, b = (generator.integers(-4, 5, (16, depth)).astype(np.float32) for _ in range(2))
    c = generator.integers(-99, 99, (16, 16)).astype(np.float32)
    codes = [x.astype(FORMATS[kind]).view(np.uint8)
             for x, kind in zip((a, b), kinds.split("_"), strict=True)]  # fmt: skip
    last = depth // 8 - 1
    text = (f"v_wmma_f32_16x16x{depth}_{kinds} v[0:7], v[16:{16 + last}], v[32:{32 + last}], "
            "v[0:7] matrix_b_reuse")  # fmt: skip
    machine = run8(text, *codes, pack_c(c))
    np.testing.assert_array_equal(unpack_d(machine, 0), a @ b.T + c)


def test_order_of_k_of_bytes() -> None:
    """The product cannot see a permutation of k common to A and B; this can."""
    codes = np.random.default_rng(1).integers(0, 256, (16, 64)).astype(np.uint8)
    packed = pack_bytes(codes)
    words = np.stack([packed[r] for r in range(8)])[:, None, :]
    vgpr_, high, byte = np.meshgrid(range(8), range(2), range(4), indexing="ij")
    k = (32 * (vgpr_ // 4) + 16 * high + 4 * (vgpr_ % 4) + byte).reshape(-1)
    np.testing.assert_array_equal(unpack8(words, "u8")[0], codes[:, k].T)


def test_sixteen_bit_result_of_bytes() -> None:
    generator = np.random.default_rng(9)
    a, b = (generator.integers(-2, 3, (16, 64)).astype(np.float32) for _ in range(2))
    codes = [x.astype(FORMATS["fp8"]).view(np.uint8) for x in (a, b)]
    machine = run8("v_wmma_f16_16x16x64_fp8_fp8 v[60:63], v[16:23], v[32:39], 1.0", *codes, {})
    for row, col in np.ndindex(16, 16):
        word = int(vgpr(machine, 60 + row % 8 // 2)[col + 16 * (row // 8)])
        half = np.uint16(word >> (16 * (row % 2)) & 0xFFFF).view(np.float16)
        assert float(half) == float((a @ b.T + 1)[row, col])


def test_negated_addend_of_bytes() -> None:
    one = np.ones((16, 64), np.float32).astype(FORMATS["fp8"]).view(np.uint8)
    c = np.arange(256, dtype=np.float32).reshape(16, 16)
    text = "v_wmma_f32_16x16x64_fp8_fp8 v[0:7], v[16:23], v[32:39], v[0:7] neg_lo:[0,0,1]"
    np.testing.assert_array_equal(unpack_d(run8(text, one, one, pack_c(c)), 0), 64 - c)


def test_reserved_codes_of_bytes_are_nan_and_infinity() -> None:
    """OCP: e4m3 has NaN at 0x7f and no infinity, e5m2 infinity at 0x7c."""
    zero = np.zeros((16, 64), np.uint8)
    for kind, code, want in (("fp8", 0x7F, np.nan), ("bf8", 0x7C, np.inf)):
        a, b = zero.copy(), zero.copy()
        a[3, 17], b[5, 17] = code, np.float32(1).astype(FORMATS[kind]).view(np.uint8)
        text = f"v_wmma_f32_16x16x64_{kind}_{kind} v[0:7], v[16:23], v[32:39], 0"
        got = unpack_d(run8(text, a, b, {}), 0)
        np.testing.assert_array_equal(got[3, 5], want)


@pytest.mark.parametrize(("modifier", "signed"), [("", (0, 0)), ("neg_lo:[1,0,0]", (1, 0)),
                                                  ("neg_lo:[1,1,0]", (1, 1))])  # fmt: skip
def test_integer_products(modifier: str, signed: tuple[int, int]) -> None:
    codes = np.random.default_rng(4).integers(0, 256, (2, 16, 64)).astype(np.uint8)
    wide = [x.view(np.int8).astype(int) if s else x.astype(int)
            for x, s in zip(codes, signed, strict=True)]  # fmt: skip
    c = np.arange(-128, 128).reshape(16, 16)
    words = {r: x.astype(np.int64) for r, x in pack_c(c.astype(np.float32)).items()}
    text = f"v_wmma_i32_16x16x64_iu8 v[0:7], v[16:23], v[32:39], v[0:7] {modifier}"
    machine = run8(text, codes[0], codes[1], words)
    got = unpack_d(machine, 0).view(np.int32)
    np.testing.assert_array_equal(got, wide[0] @ wide[1].T + c)


def test_integer_clamp() -> None:
    codes = np.full((2, 16, 64), 255, np.uint8)
    c = {r: np.full(32, 2**31 - 1) for r in range(8)}
    text = "v_wmma_i32_16x16x64_iu8 v[0:7], v[16:23], v[32:39], v[0:7]"
    total = 64 * 255 * 255
    plain = unpack_d(run8(text, codes[0], codes[1], c), 0).view(np.int32)
    assert plain[0, 0] == total + 2**31 - 1 - 2**32
    clamped = unpack_d(run8(text + " clamp", codes[0], codes[1], c), 0).view(np.int32)
    assert clamped[0, 0] == 2**31 - 1


def test_f32_addend_with_a_bf16_result() -> None:
    a, b, c = operands(20, -2, 3)
    text = "v_wmma_bf16f32_16x16x32_bf16 v[60:63], v[16:23], v[24:31], v[0:7]"
    machine = execute(text, v=registers(a, b, c, "bf16"))
    want = (a @ b.T + c).astype(ml_dtypes.bfloat16)
    for row, col in np.ndindex(16, 16):
        word = int(vgpr(machine, 60 + row % 8 // 2)[col + 16 * (row // 8)])
        assert np.uint16(word >> (16 * (row % 2)) & 0xFFFF) == want[row, col].view(np.uint16)
