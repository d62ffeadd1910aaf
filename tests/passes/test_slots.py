"""Ring slots in every way that a loop can carry and wrap them."""

from __future__ import annotations

import pytest
from mlir import ir

from gemm_ladder.compiler.session import Session
from gemm_ladder.passes.analysis.kernel import defining, walk
from gemm_ladder.passes.analysis.slots import Slot, next_iteration, slot_of

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
"""


def loop_slots(stages: int, starts: str, body: str, yields: str, args: str) -> list[Slot]:
    """Slots of the operands of the call in a loop that carries ``args`` from ``starts``."""
    carried = ", ".join(f"{a} = {s}" for a, s in zip(args.split(), starts.split(), strict=True))
    types = ", ".join(["index"] * len(args.split()))
    many = body.rsplit(" : ", 1)[1].count("index")
    text = f"""func.func private @use({", ".join(["index"] * many)})
func.func @f(%n: index) {{ {HEAD}
  %r:{len(args.split())} = scf.for %k = %c0 to %n step %c1 iter_args({carried}) -> ({types}) {{
    {body}
    scf.yield {yields} : {types}
  }}
  return
}}"""
    session = Session()
    module = session.parse(text, "")
    with session.context:
        ops = list(walk(module.body.operations[1].regions[0].blocks[0]))
        use = next(op for op in ops if op.name == "func.call")
        found = [slot_of(v, stages) for v in use.operands]
        loop = use.parent.operation
        assert defining(loop.operands[0]) is not None
        moved = [next_iteration(s, loop) for s in found]
        # One iteration later the same place has another offset from the base.
        assert all(m.unknown or m.same_base(f) for m, f in zip(moved, found, strict=True))
        return [Slot(None, s.offset, s.stages, s.unknown) for s in (*found, *moved)]


USE = "func.call @use(%cur, %nxt) : (index, index) -> ()"
ONE_AHEAD = {
    "remui": (3, "%m = arith.addi %cur, %c1 : index\n%nxt = arith.remui %m, %c3 : index"),
    "and": (4, "%m = arith.addi %cur, %c1 : index\n%nxt = arith.andi %m, %c3 : index"),
    "xor": (2, "%nxt = arith.xori %cur, %c1 : index"),
    "other of two": (2, "%nxt = arith.subi %c1, %cur : index"),
    "select on the sum": (
        3,
        "%m = arith.addi %cur, %c1 : index\n%e = arith.cmpi eq, %m, %c3 : index\n"
        "%nxt = arith.select %e, %c0, %m : index",
    ),
    "select on the slot": (
        4,
        "%m = arith.addi %cur, %c1 : index\n%e = arith.cmpi ult, %cur, %c3 : index\n"
        "%nxt = arith.select %e, %m, %c0 : index",
    ),
    "minus the stages": (
        3,
        "%m = arith.addi %cur, %c1 : index\n%e = arith.cmpi uge, %m, %c3 : index\n"
        "%w = arith.subi %m, %c3 : index\n%nxt = arith.select %e, %w, %m : index",
    ),
}


@pytest.mark.parametrize("way", ONE_AHEAD)
def test_next_is_one_ahead(way: str) -> None:
    stages, body = ONE_AHEAD[way]
    cur, nxt, cur_later, nxt_later = loop_slots(stages, "%c0", f"{body}\n{USE}", "%nxt", "%cur")
    assert (cur.offset, nxt.offset) == (0, 1)
    assert (cur_later.offset, nxt_later.offset) == (stages - 1, 0)


@pytest.mark.parametrize("start", ["%c0 %c1", "%c1 %c0"])
def test_two_values_that_swap(start: str) -> None:
    cur, nxt, cur_later, nxt_later = loop_slots(2, start, USE, "%nxt, %cur", "%cur %nxt")
    assert (cur.offset, nxt.offset, cur_later.offset, nxt_later.offset) == (0, 1, 1, 0)


def test_two_values_that_do_not_keep_their_distance() -> None:
    cur, nxt, *_ = loop_slots(2, "%c0 %c1", USE, "%cur, %cur", "%cur %nxt")
    assert (cur.offset, nxt.offset) == (0, 0)


def test_three_values_in_turn() -> None:
    use = "func.call @use(%a, %b, %c) : (index, index, index) -> ()"
    found = loop_slots(3, "%c0 %c1 %c2", use, "%b, %c, %a", "%a %b %c")
    assert [s.offset for s in found] == [0, 1, 2, 2, 0, 1]


@pytest.mark.parametrize(
    ("stages", "start", "body"),
    [
        (3, "%c0", "%nxt = arith.xori %cur, %c1 : index"),
        (2, "%c3", "%nxt = arith.xori %cur, %c1 : index"),
        (3, "%c0", "%m = arith.muli %cur, %c2 : index\n%nxt = arith.remui %m, %c3 : index"),
        (2, "%c0", "%nxt = arith.addi %cur, %c1 : index"),
    ],
)
def test_what_is_not_a_distance_has_a_base_of_its_own(stages: int, start: str, body: str) -> None:
    cur, nxt, *_ = loop_slots(stages, start, f"{body}\n{USE}", "%nxt", "%cur")
    assert nxt.offset == 0 and isinstance(cur, Slot)


def test_a_constant_wraps() -> None:
    session = Session()
    with session.context, ir.Location.unknown():
        module = session.parse(f"func.func @f() {{ {HEAD} return }}", "")
        last = list(module.body.operations[0].regions[0].blocks[0].operations)[4]
        assert slot_of(last.results[0], 3) == Slot(None, 1, 3)
