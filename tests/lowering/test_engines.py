"""Copies by gfx1250's engines: every element of a tile, what does not exist, and who moves it."""

from __future__ import annotations

import numpy as np
import pytest

from .tile_kernels import Array, blank, build, integers, launch

BAR = "!tile.bar<1>"
WHOLE = "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>"
MODES = ("sim", "sim:early", "sim:random,seed=3")


def fill(
    shape: tuple[int, int],
    tile: tuple[int, int],
    engine: str,
    elem: str = "bf16",
    align: int = 8,
    layout: str = "{interval = 64, pad = 16}",
    waves: int = 3,
) -> str:
    """Workgroup (x, y) brings tile (x, y) of %from into slot 1 of a ring, and writes all of it."""
    rows, cols = -(-shape[0] // tile[0]) + 1, -(-shape[1] // tile[1]) + 1
    source, ring = f"memref<{shape[0]}x{shape[1]}x{elem}>", f"!tile.lds<[2, {tile[0]}, {tile[1]}], "
    ring += f"{elem}, {layout}>"
    whole = f"memref<{rows * tile[0]}x{cols * tile[1]}x{elem}>"
    segments = "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>"
    kinds = "index, index, index, index, index"
    return f"""
gpu.module @m attributes {{tile.target = "gfx1250"}} {{
gpu.func @move(%from: {source}, %to: {whole}) kernel attributes {{
    known_block_size = array<i32: {32 * waves}, 1, 1>,
    known_grid_size = array<i32: {rows}, {cols}, 1>}} {{
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %height = arith.constant {tile[0]} : index
  %width = arith.constant {tile[1]} : index
  %all_rows = arith.constant {shape[0]} : index
  %all_cols = arith.constant {shape[1]} : index
  %yes = arith.constant true
  %sync = "tile.barrier_create"()
    {{arrivals = {waves}, scope = "workgroup", kind = "hw"}} : () -> {BAR}
  %y, %x = "tile.block_coord"() {{tile = [{tile[0]}, {tile[1]}]}} : () -> (index, index)
  %ring = "tile.alloc"() {{name = "R"}} : () -> {ring}
  %below = arith.subi %all_rows, %y : index
  %down = arith.minsi %below, %height : index
  %right = arith.subi %all_cols, %x : index
  %across = arith.minsi %right, %width : index
  "tile.copy_async"(%from, %ring, %one, %y, %x, %down, %across, %yes)
    {{align = {align}, engine = {engine}, {segments}}} : ({source}, {ring}, {kinds}, i1) -> ()
  "tile.wait"() {{kind = "copy", pending = 0}} : () -> ()
  "tile.barrier"(%sync) : ({BAR}) -> ()
  "tile.copy"(%ring, %to, %one, %y, %x, %height, %width) {{align = {align}}}
    : ({ring}, {whole}, {kinds}) -> ()
  gpu.return
}} }}"""


def padded(source: Array, shape: tuple[int, ...]) -> Array:
    """``source`` with zeros to ``shape``."""
    whole = np.zeros(shape, source.dtype)
    whole[: source.shape[0], : source.shape[1]] = source
    return whole


ENGINES = ['"async"', '"async", issuer = 2', '"tdm", issuer = 0', '"tdm", issuer = 1']


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_does_not_exist_is_zero(engine: str, mode: str) -> None:
    """Whole tiles, ragged ones, and workgroups beyond the operand, whose extents are negative."""
    source, whole = integers(70, 40), blank(3 * 48, 3 * 32, dtype="bf16")
    text = fill((70, 40), (48, 32), engine)
    _, got = launch(build(text), "move", source, whole, device=mode)
    assert np.array_equal(got, padded(source, whole.shape))


@pytest.mark.parametrize(
    ("align", "elem", "cols"), [(4, "bf16", 38), (4, "f32", 33), (16, "f32", 36)]
)
@pytest.mark.parametrize("engine", ENGINES[:2])
def test_pieces_as_wide_as_the_alignment(engine: str, align: int, elem: str, cols: int) -> None:
    source, whole = integers(50, cols, dtype=elem), blank(96, 96, dtype=elem)
    text = fill((50, cols), (32, 32), engine, elem, align, "{}")
    _, got = launch(build(text), "move", source, whole)
    assert np.array_equal(got, padded(source, whole.shape))
    assert f"global_load_async_to_lds_b{8 * align} " in (build(text).asm or "")


def test_many_pieces_are_moved_in_a_loop() -> None:
    """64 pieces of each lane, of which an edge cuts some off."""
    source, whole = integers(130, 70), blank(2 * 128, 2 * 64, dtype="bf16")
    artefact = build(fill((130, 70), (128, 64), '"async"', align=4, layout="{}", waves=2))
    _, got = launch(artefact, "move", source, blank(3 * 128, 3 * 64, dtype="bf16"))
    assert np.array_equal(got, padded(source, got.shape)), whole.shape
    assert (artefact.asm or "").count("global_load_async_to_lds_b32 ") == 4


def test_a_whole_tile_needs_no_zeros() -> None:
    """Extents that are known ask for no condition, and a descriptor has no word to compute."""
    text = fill((64, 64), (64, 64), '"async"', layout="{}", waves=4)
    text = text.replace("array<i32: 2, 2, 1>", "array<i32: 1, 1, 1>")
    assembly = build(text).asm or ""
    assert "ds_store" not in assembly and "saveexec" not in assembly


RING = "!tile.lds<[1, 32, 32], f32, {}>"
STORE = f"""
gpu.module @m attributes {{tile.target = "gfx1250"}} {{
gpu.func @leave(%from: memref<64x32xf32>, %to: memref<50x20xf32>) kernel attributes {{
    known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>}} {{
  %none = arith.constant 0 : index
  %height = arith.constant 32 : index
  %fifty = arith.constant 50 : index
  %width = arith.constant 20 : index
  %sync = "tile.barrier_create"()
    {{arrivals = 2, scope = "workgroup", kind = "hw"}} : () -> {BAR}
  %y, %x = "tile.block_coord"() {{tile = [32, 32]}} : () -> (index, index)
  %ring = "tile.alloc"() {{name = "R"}} : () -> {RING}
  %below = arith.subi %fifty, %y : index
  "tile.copy"(%from, %ring, %none, %y, %none, %height, %height) {{align = 16}}
    : (memref<64x32xf32>, {RING}, index, index, index, index, index) -> ()
  "tile.wait"() {{kind = "copy", pending = 0}} : () -> ()
  "tile.barrier"(%sync) : ({BAR}) -> ()
  "tile.copy_async"(%ring, %to, %none, %y, %none, %below, %width)
    {{align = 16, engine = "tdm", issuer = 1, {WHOLE}}}
    : ({RING}, memref<50x20xf32>, index, index, index, index, index) -> ()
  "tile.wait"() {{kind = "copy", pending = 0}} : () -> ()
  gpu.return
}} }}"""


@pytest.mark.parametrize("mode", MODES)
def test_an_engine_writes_what_exists(mode: str) -> None:
    source = integers(64, 32, dtype="f32")
    _, got = launch(build(STORE), "leave", source, blank(50, 20), device=mode)
    assert np.array_equal(got, source[:50, :20])
