"""Divisors and bounds of index values."""

from __future__ import annotations

import pytest
from mlir import ir

from gemm_ladder.dialect_defs import load_dialect
from gemm_ladder.passes.lowering.ranges import Ranges

TEXT = """
gpu.module @m {{ gpu.func @k(%p: memref<8x8xf32>, %unknown: index) kernel {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c250 = arith.constant 250 : index
  %c100 = arith.constant 100 : index
  %m0, %n0 = "tile.block_coord"() {{tile = [64, 48]}} : () -> (index, index)
  %wave = gpu.subgroup_id : index
  %half = arith.divui %wave, %c2 : index
  %rest = arith.remui %wave, %c2 : index
  %wrapped = arith.remui %unknown, %c3 : index
  %off = arith.muli %half, %c32 : index
  %m = arith.addi %m0, %off : index
  %left = arith.subi %c250, %n0 : index
  %valid = arith.minsi %left, %c32 : index
  %unsigned = arith.minui %left, %c32 : index
  %end = scf.for %k = %c0 to %c100 step %c32 iter_args(%slot = %c0) -> (index) {{
    %up = arith.addi %slot, %c2 : index
    %next = arith.remui %up, %c3 : index
    "test.use"({name}) : (index) -> ()
    scf.yield %next : index
  }}
  gpu.return
}} }}"""


def facts(name: str) -> tuple[int, tuple[int, int] | None]:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    load_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(TEXT.format(name=name))
        uses: list[ir.Value] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "test.use":
                uses.append(op.operands[0])
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        ranges = Ranges((2, 3, 1), (128, 1, 1), 32)
        return ranges.divisor(uses[0]), ranges.bounds(uses[0])


@pytest.mark.parametrize(
    ("name", "divisor", "bounds"),
    [
        ("%c0", 0, (0, 0)),
        ("%m0", 64, (0, 64)),
        ("%n0", 48, (0, 96)),
        ("%wave", 1, (0, 3)),
        ("%half", 1, (0, 1)),
        ("%rest", 1, (0, 1)),
        ("%wrapped", 1, (0, 2)),
        ("%off", 32, (0, 32)),
        ("%m", 32, (0, 96)),
        ("%left", 2, (154, 250)),
        ("%valid", 2, (32, 32)),
        ("%unsigned", 2, (32, 32)),
        ("%k", 32, (0, 96)),
        ("%slot", 1, (0, 2)),
        ("%up", 1, (2, 4)),
        ("%unknown", 1, None),
    ],
)
def test_facts(name: str, divisor: int, bounds: tuple[int, int] | None) -> None:
    assert facts(name) == (divisor, bounds)
