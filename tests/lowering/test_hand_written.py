"""Tile IR that no pass of ours wrote: other names, order, nesting, roles and sizes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from .tile_kernels import blank, build, integers, launch, product

FRAG_A = '!tile.frag<[32, 32], bf16, "a">'
FRAG_B = '!tile.frag<[32, 32], bf16, "b">'
ACC = '!tile.frag<[32, 32], f32, "acc">'
MMA = f"({FRAG_A}, {FRAG_B}, {ACC}) -> {ACC}"


def branches(product: str) -> str:
    """Nested loops; the accumulator goes through an scf.if; an unrelated op counts trips."""
    return f"""
gpu.module @m attributes {{tile.target = "gfx1250"}} {{
gpu.func @odd(%right: memref<64x40xbf16>, %left: memref<40x64xbf16>, %out: memref<40x40xf32>,
              %log: memref<1x8xf32>) kernel attributes {{known_block_size = array<i32: 32, 1, 1>,
              known_grid_size = array<i32: 2, 2, 1>}} {{
  %one = arith.constant 1.0 : f32
  %s = arith.constant 32 : index
  %z = arith.constant 0 : index
  %t = arith.constant 1 : index
  %w = arith.constant 2 : index
  %row, %col = "tile.block_coord"() {{tile = [32, 32]}} : () -> (index, index)
  %start = "tile.zero"() : () -> {ACC}
  %sum = scf.for %half = %z to %w step %t iter_args(%outer = %start) -> ({ACC}) {{
    %k0 = arith.muli %half, %s : index
    %inner = scf.for %i = %z to %t step %t iter_args(%u = %outer) -> ({ACC}) {{
      %old = memref.load %log[%z, %half] : memref<1x8xf32>
      %new = arith.addf %old, %one : f32
      memref.store %new, %log[%z, %half] : memref<1x8xf32>
      %even = arith.cmpi eq, %half, %z : index
      %b = "tile.load"(%right, %k0, %col) {{transpose = false}}
        : (memref<64x40xbf16>, index, index) -> {FRAG_B}
      %picked = scf.if %even -> ({FRAG_A}) {{
        %p = "tile.load"(%left, %row, %z) {{transpose = false}}
          : (memref<40x64xbf16>, index, index) -> {FRAG_A}
        scf.yield %p : {FRAG_A}
      }} else {{
        %p = "tile.load"(%left, %row, %s) {{transpose = false}}
          : (memref<40x64xbf16>, index, index) -> {FRAG_A}
        scf.yield %p : {FRAG_A}
      }}
      {product}
      scf.yield %d : {ACC}
    }}
    scf.yield %inner : {ACC}
  }}
  "tile.store"(%sum, %out, %row, %col) : ({ACC}, memref<40x40xf32>, index, index) -> ()
  gpu.return
}} }}"""


def whole(attributes: str) -> str:
    """One product."""
    return f'%d = "tile.mma"(%picked, %b, %u) {{{attributes}}} : {MMA}'


def cut(attributes: str) -> str:
    """The same product as two ops."""
    first = f'%c = "tile.mma"(%picked, %b, %u) {{{attributes}, atoms = [0, 3]}} : {MMA}'
    return (
        f'{first}\n      %d = "tile.mma"(%picked, %b, %c) {{{attributes}, atoms = [3, 1]}} : {MMA}'
    )


SWAPPED = 'atom = "wmma_f32_16x16x32_bf16", order = "ba"'
STRAIGHT = 'atom = "wmma_f32_16x16x32_bf16"'


@pytest.mark.parametrize(
    "text", [whole(""), whole(SWAPPED), whole(STRAIGHT), cut(SWAPPED), cut(STRAIGHT)]
)
def test_nested_loops_branches_and_an_unrelated_op(text: str) -> None:
    a, b = integers(40, 64), integers(64, 40, seed=1)
    log = np.zeros((1, 8), np.float32)
    _, _, out, log = launch(build(branches(text)), "odd", b, a, blank(40, 40), log)
    assert np.array_equal(out, product(a, b))
    assert (log[0, :2] >= 1).all() and not log[0, 2:].any()


BAR = "!tile.bar<1>"
SYNC = 'arrivals = 3, scope = "workgroup", kind = "hw"'
RING = "!tile.lds<[1, 48, 24], f32, {interval = 128, pad = 16}>"


def staged(names: tuple[str, str]) -> str:
    """Two kernels in one module: three waves stage C through LDS; one has a predicate."""
    copy_in = f"(memref<50x30xf32>, {RING}, index, index, index, index, index, i1) -> ()"
    copy_out = f"({RING}, memref<50x30xf32>, index, index, index, index, index) -> ()"
    kernels = []
    for name, limit in zip(names, (1, 99), strict=True):
        kernels.append(f"""
gpu.func @{name}(%dst: memref<50x30xf32>, %src: memref<50x30xf32>) kernel attributes
    {{known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 2, 2, 1>}} {{
  %zero = arith.constant 0 : index
  %rows = arith.constant 50 : index
  %cols = arith.constant 30 : index
  %limit = arith.constant {limit} : index
  %sync = "tile.barrier_create"() {{{SYNC}}} : () -> {BAR}
  %a, %b = "tile.block_coord"() {{tile = [48, 24]}} : () -> (index, index)
  %ring = "tile.alloc"() {{name = "C"}} : () -> {RING}
  %below = arith.subi %rows, %a : index
  %right = arith.subi %cols, %b : index
  %some = arith.cmpi ult, %a, %limit : index
  "tile.copy"(%src, %ring, %zero, %a, %b, %below, %right, %some) {{align = 8}} : {copy_in}
  "tile.wait"() {{kind = "copy", pending = 0}} : () -> ()
  "tile.barrier"(%sync) : (!tile.bar<1>) -> ()
  "tile.copy"(%ring, %dst, %zero, %a, %b, %below, %right) {{align = 8}} : {copy_out}
  gpu.return
}}""")
    head = 'gpu.module @m attributes {tile.target = "gfx1250"} {'
    return head + "".join(kernels) + "}"


def test_copies_both_ways_at_the_edge_with_a_predicate() -> None:
    artefact = build(staged(("first", "all")))
    src = integers(50, 30, dtype="f32")
    out, _ = launch(artefact, "all", blank(50, 30), src)
    assert np.array_equal(out, src)
    # The workgroups of rows 48 and 49 do not copy: they pass on what LDS holds, which nobody wrote.
    with pytest.raises(AssertionError, match="that nobody wrote|nobody wrote|uninit"):
        launch(artefact, "first", blank(50, 30), src)


A_RING = "!tile.lds<[1, 32, 48], bf16, {interval = 256, pad = 16}>"
B_RING = "!tile.lds<[1, 32, 32], bf16, {interval = 256, pad = 16}>"
C_RING = "!tile.lds<[2, 48, 32], f32, {interval = 256, pad = 32}>"
WAVE_A = '!tile.frag<[16, 32], bf16, "a">'
WAVE_B = '!tile.frag<[32, 32], bf16, "b">'
WAVE_C = '!tile.frag<[16, 32], f32, "acc">'


def epilogue(attributes: str, aliased: str) -> str:
    """Three waves along M, A stored transposed; C goes through slot 1 of a ring on A's bytes."""
    move = "index, index, index, index, index) -> ()"
    done = "{operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()"
    return f"""
gpu.module @m attributes {{tile.target = "gfx1250"}} {{
gpu.func @k(%x: memref<32x48xbf16>, %y: memref<32x32xbf16>, %c: memref<48x32xf32>) kernel attributes
    {{known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %16 = arith.constant 16 : index
  %32 = arith.constant 32 : index
  %48 = arith.constant 48 : index
  %sync = "tile.barrier_create"() {{{SYNC}}} : () -> {BAR}
  %lx = "tile.alloc"() {{name = "X"}} : () -> {A_RING}
  %ly = "tile.alloc"() {{name = "Y"}} : () -> {B_RING}
  %lc = "tile.alloc"({aliased}) {{name = "C"}} : ({A_RING if aliased else ""}) -> {C_RING}
  %wave = gpu.subgroup_id : index
  %m = arith.muli %wave, %16 : index
  "tile.copy"(%y, %ly, %0, %0, %0, %32, %32) {{align = 16}} : (memref<32x32xbf16>, {B_RING}, {move}
  "tile.copy"(%x, %lx, %0, %0, %0, %32, %48) {{align = 16}} : (memref<32x48xbf16>, {A_RING}, {move}
  "tile.wait"() {{kind = "copy", pending = 0}} : () -> ()
  "tile.arrive"(%sync) {done}
  "tile.wait_barrier"(%sync) {done}
  %b = "tile.load"(%ly, %0, %0, %0) {{transpose = false}}
    : ({B_RING}, index, index, index) -> {WAVE_B}
  %a = "tile.load"(%lx, %0, %0, %m) {{transpose = true}}
    : ({A_RING}, index, index, index) -> {WAVE_A}
  %z = "tile.zero"() : () -> {WAVE_C}
  %d = "tile.mma"(%a, %b, %z) {{{attributes}}} : ({WAVE_A}, {WAVE_B}, {WAVE_C}) -> {WAVE_C}
  "tile.barrier"(%sync) : (!tile.bar<1>) -> ()
  "tile.store"(%d, %lc, %1, %m, %0) : ({WAVE_C}, {C_RING}, index, index, index) -> ()
  "tile.wait"() {{kind = "lds", pending = 0}} : () -> ()
  "tile.barrier"(%sync) : (!tile.bar<1>) -> ()
  "tile.copy"(%lc, %c, %1, %0, %0, %48, %32) {{align = 16}} : ({C_RING}, memref<48x32xf32>, {move}
  gpu.return
}} }}"""


LAYOUTS = {  # of rings with rows of 96, 64 and 128 bytes
    "padded": ("{interval = 256, pad = 16}", "{interval = 256, pad = 16}"),
    "swizzled": ("{block = 32, swizzle = 32}", "{block = 64, swizzle = 64}"),
    "rows that no line fits": ("{swizzle = 128}", "{block = 16, swizzle = 128}"),
    "blocks": ("{block = 48}", "{block = 32, interval = 64, pad = 32}"),
}


@pytest.mark.parametrize("attributes", [SWAPPED, STRAIGHT, ""])
@pytest.mark.parametrize("aliased", ["%lx", ""])
@pytest.mark.parametrize("layouts", LAYOUTS.values(), ids=LAYOUTS)
def test_an_epilogue_through_lds(attributes: str, aliased: str, layouts: tuple[str, str]) -> None:
    x, y = integers(32, 48), integers(32, 32, seed=1)
    text = epilogue(attributes, aliased)
    for ring, layout in zip((A_RING, B_RING), layouts, strict=True):
        text = text.replace(ring, re.sub(r"{.*}", layout, ring))
    if "swizzle" in layouts[0]:
        text = text.replace(C_RING, re.sub(r"{.*}", "{block = 128, swizzle = 128}", C_RING))
    *_, c = launch(build(text), "k", x, y, blank(48, 32))
    assert np.array_equal(c, product(x.T, y))


def tall(attributes: str) -> str:
    """Three waves of 16 rows along M; from row 17 on nothing exists: one wave has no row at all."""
    return f"""
gpu.module @m attributes {{tile.target = "gfx1250"}} {{
gpu.func @k(%x: memref<17x32xbf16>, %y: memref<32x32xbf16>, %c: memref<17x32xf32>) kernel attributes
    {{known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %0 = arith.constant 0 : index
  %16 = arith.constant 16000 : index
  %wave = gpu.subgroup_id : index
  %m = arith.muli %wave, %16 : index
  %a = "tile.load"(%x, %m, %0) {{transpose = false}}
    : (memref<17x32xbf16>, index, index) -> {WAVE_A}
  %b = "tile.load"(%y, %0, %0) {{transpose = false}}
    : (memref<32x32xbf16>, index, index) -> {WAVE_B}
  %z = "tile.load"(%c, %m, %0) {{transpose = false}}
    : (memref<17x32xf32>, index, index) -> {WAVE_C}
  %d = "tile.mma"(%a, %b, %z) {{{attributes}}} : ({WAVE_A}, {WAVE_B}, {WAVE_C}) -> {WAVE_C}
  "tile.store"(%d, %c, %m, %0) : ({WAVE_C}, memref<17x32xf32>, index, index) -> ()
  gpu.return
}} }}"""


@pytest.mark.parametrize("attributes", [SWAPPED, STRAIGHT, ""])
@pytest.mark.parametrize("step", [16, 16000])
def test_a_wave_beyond_the_edge_touches_nothing(attributes: str, step: int) -> None:
    text = tall(attributes).replace("16000", str(step))
    x, y, old = integers(17, 32), integers(32, 32, seed=1), integers(17, 32, dtype="f32", seed=2)
    *_, c = launch(build(text), "k", x, y, old)
    rows = 17 if step == 16 else 16
    assert np.array_equal(c[:rows], product(x, y)[:rows] + old[:rows])
    assert np.array_equal(c[rows:], old[rows:])
