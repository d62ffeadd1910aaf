"""LLVM IR of complete matmuls in the shape of the upper levels' K loops, for the simulator's tests.

C[M, N] f32 = A[M, K] B[N, K]^T, bf16. A stage of A and one of B for each of two slots in LDS, rows
padded by 16 bytes. Copies are asynchronous (level 2) or the TDM's (7 on), barriers split (8 on),
with a cluster and multicast (9), with two or three register slots (11).
"""

from __future__ import annotations

from .ladder_loop import HEAD, WMMA, Builder, Loop


def loop_ir(g: Loop) -> str:
    """The module's text; kernel `gemm` of (A, B, C)."""
    b = Builder(g)
    t = b.op("call i32 @llvm.amdgcn.workitem.id.x()")
    wave = b.op(f"call i32 @llvm.amdgcn.readfirstlane.i32(i32 {b.op(f'lshr i32 {t}, 5')})")
    tiles = [b.op("call i32 @llvm.amdgcn.workgroup.id.x()"),
             b.op("call i32 @llvm.amdgcn.workgroup.id.y()")]  # fmt: skip
    first = [b.op(f"mul i32 {tile}, {size}") for tile, size in zip(tiles, g.tile, strict=True)]
    masks = _masks(b)
    _fill(b, "p", "0", "0", t, wave, first, masks)
    _wait_copies(b)
    _barrier(b, wave, "p")
    lane = b.op(f"and i32 {t}, 31")
    bases = _bases(b, lane, wave)
    b.put("  br label %loop", "loop:")
    b.put("  %k = phi i32 [0, %inp], [%k1, %latch]", "  %cur = phi i32 [0, %inp], [%nxt, %latch]")
    for i in range(g.fm * g.fn):
        b.put(f"  %c{i}_0 = phi <8 x float> [zeroinitializer, %inp], [%c{i}_{g.subs}, %latch]")
    _body(b, t, wave, first, masks, bases)
    b.put("latch:", f"  %e = icmp ult i32 %k1, {g.k // (32 * g.subs)}",
          "  br i1 %e, label %loop, label %exit", "exit:")  # fmt: skip
    _epilogue(b, lane, wave, first)
    b.put("  br label %idle", "idle:", "  ret void", "}")
    x, y = g.cluster
    dims = f"{x},{y},1" if x * y > 1 else "0,0,0"
    tail = (f'attributes #0 = {{ "amdgpu-flat-work-group-size"="{g.threads},{g.threads}" '
            f'"amdgpu-cluster-dims"="{dims}" "amdgpu-waves-per-eu"="1" '
            '"uniform-work-group-size"="true" }\n')  # fmt: skip
    return HEAD + "\n".join(b.lines) + "\n" + tail


def _masks(b: Builder) -> list[str]:
    """Multicast masks of A (same x in the cluster) and B (same y); 0 without a cluster."""
    x, y = b.loop.cluster
    if x * y == 1:
        return ["0", "0"]
    cx = b.op("call i32 @llvm.amdgcn.cluster.workgroup.id.x()")
    cy = b.op("call i32 @llvm.amdgcn.cluster.workgroup.id.y()")
    column = sum(1 << (x * i) for i in range(y))
    row_shift = b.op(f"mul i32 {cy}, {x}")
    return [b.op(f"shl i32 {column}, {cx}"), b.op(f"shl i32 {(1 << x) - 1}, {row_shift}")]


def _fill(
    b: Builder, tag: str, k: str, slot: str, t: str, wave: str, first: list[str], masks: list[str]
) -> None:
    """Start the copies of stage `k` of A and B to LDS byte `slot`; ends in block %join<tag>."""
    if b.loop.copies == "async":
        for which in (0, 1):
            _async(b, which, k, slot, t, first[which])
        b.put(f"  br label %join{tag}", f"join{tag}:")
        return
    count = "1"
    if k != "0":
        more = b.op(f"icmp ult i32 {k}, {b.loop.k // (32 * b.loop.subs)}")
        count = b.op(f"zext i1 {more} to i32")
    b.put(f"  %first{tag} = icmp ult i32 {wave}, 2",
          f"  br i1 %first{tag}, label %tdm{tag}, label %join{tag}", f"tdm{tag}:")  # fmt: skip
    is_a = b.op(f"icmp eq i32 {wave}, 0")
    _tdm(b, is_a, k, slot, count, first, masks)
    b.put(f"  br label %join{tag}", f"join{tag}:")


def _tdm(
    b: Builder, is_a: str, k: str, slot: str, count: str, first: list[str], masks: list[str]
) -> None:
    g = b.loop
    pointer = b.op(f"select i1 {is_a}, ptr addrspace(1) %A, ptr addrspace(1) %B")
    row = b.op(f"select i1 {is_a}, i32 {first[0]}, i32 {first[1]}")
    mask = b.op(f"select i1 {is_a}, i32 {masks[0]}, i32 {masks[1]}")
    start = b.op("mul i64 " + b.op(f"zext i32 {row} to i64") + f", {2 * g.k}")
    along = b.op("mul i64 " + b.op(f"zext i32 {k} to i64") + f", {64 * g.subs}")
    start = b.op(f"add i64 {start}, {along}")
    address = b.op(f"add i64 {start}, " + b.op(f"ptrtoint ptr addrspace(1) {pointer} to i64"))
    offset = b.op(f"select i1 {is_a}, i32 0, i32 {g.tile[0] * g.pitch}")
    place = b.op(f"add i32 {slot}, {offset}")
    low = b.op(f"trunc i64 {address} to i32")
    high = b.op(f"trunc i64 {b.op(f'lshr i64 {address}, 32')} to i32")
    high = b.op(f"or i32 {high}, -2147483648")
    rows = b.op(f"select i1 {is_a}, i32 {g.tile[0]}, i32 {g.tile[1]}")
    total = b.op(f"select i1 {is_a}, i32 {g.m}, i32 {g.n}")
    left = b.op(f"sub i32 {total}, {row}")
    if g.padded:
        some = b.op(f"icmp ult i32 {row}, {total}")
        left = b.op(f"select i1 {some}, i32 {left}, i32 0")
    inner = 32 * g.subs
    interval = (inner * 2 // 4).bit_length() - 2
    word0 = b.op(f"or i32 {mask}, {1 << 16 | 1 << 20 | interval << 22 | 3 << 25}")
    columns = b.op(f"sub i32 {g.k}, " + b.op(f"mul i32 {k}, {inner}"))
    word1 = b.op(f"shl i32 {columns}, 16")
    word2 = b.op(f"or i32 {b.op(f'lshr i32 {columns}, 16')}, {b.op(f'shl i32 {left}, 16')}")
    word3 = b.op(f"or i32 {b.op(f'lshr i32 {left}, 16')}, {inner << 16}")
    g0 = _vector(b, 4, [count, place, low, high])
    g1 = _vector(b, 8, [word0, word1, word2, word3, rows, str(g.k), "0", "0"])
    b.call("tensor.load.to.lds.d2", f"<4 x i32> {g0}, <8 x i32> {g1}, i32 0")


def _vector(b: Builder, size: int, words: list[str]) -> str:
    value = "poison"
    for index, word in enumerate(words):
        value = b.op(f"insertelement <{size} x i32> {value}, i32 {word}, i32 {index}")
    return value


def _async(b: Builder, which: int, k: str, slot: str, t: str, row0: str) -> None:
    g = b.loop
    chunks = 4 * g.subs  # 16-byte chunks a row
    index = k
    if k != "0":  # no null form: the last fill fetches the last stage again
        inside = b.op(f"icmp ult i32 {k}, {g.k // (32 * g.subs)}")
        index = b.op(f"select i1 {inside}, i32 {k}, i32 {g.k // (32 * g.subs) - 1}")
    for step in range(g.tile[which] * chunks // g.threads):
        chunk = b.op(f"add i32 {t}, {step * g.threads}")
        row, column = b.op(f"udiv i32 {chunk}, {chunks}"), b.op(f"urem i32 {chunk}, {chunks}")
        far = b.op("mul i32 " + b.op(f"add i32 {row0}, {row}") + f", {2 * g.k}")
        far = b.op(f"add i32 {far}, " + b.op(f"mul i32 {column}, 16"))
        far = b.op(f"add i32 {far}, " + b.op(f"mul i32 {index}, {64 * g.subs}"))
        near = b.op(f"add i32 {slot}, " + b.op(f"mul i32 {row}, {g.pitch}"))
        near = b.op(f"add i32 {near}, " + b.op(f"mul i32 {column}, 16"))
        near = b.op(f"add i32 {near}, {which * g.tile[0] * g.pitch}")
        source = b.op(f"getelementptr i8, ptr addrspace(1) %{'AB'[which]}, i32 {far}")
        goal = b.op(f"getelementptr i8, ptr addrspace(3) @lds, i32 {near}")
        b.call("global.load.async.to.lds.b128",
               f"ptr addrspace(1) {source}, ptr addrspace(3) {goal}, i32 0, i32 0")  # fmt: skip


def _wait_copies(b: Builder) -> None:
    b.call(f"s.wait.{'asynccnt' if b.loop.copies == 'async' else 'tensorcnt'}", "i16 0")


def _signal(b: Builder, wave: str, tag: str) -> None:
    b.put('  fence syncscope("workgroup") release')
    b.call("s.barrier.signal", "i32 -1")
    if b.loop.cluster != (1, 1):
        b.put(f"  %lead{tag} = icmp eq i32 {wave}, 0",
              f"  br i1 %lead{tag}, label %peer{tag}, label %gone{tag}", f"peer{tag}:")  # fmt: skip
        b.call("s.barrier.signal", "i32 -3")
        b.put(f"  br label %gone{tag}", f"gone{tag}:")


def _wait(b: Builder) -> None:
    b.call("s.barrier.wait", "i16 -1")
    if b.loop.cluster != (1, 1):
        b.call("s.barrier.wait", "i16 -3")
    b.put('  fence syncscope("workgroup") acquire')


def _barrier(b: Builder, wave: str, tag: str) -> None:
    _signal(b, wave, tag)
    _wait(b)
    b.put(f"  br label %in{tag}", f"in{tag}:")


def _bases(b: Builder, lane: str, wave: str) -> tuple[str, str]:
    """LDS bytes of this lane's first fragment row of A and B in slot 0."""
    g = b.loop
    wm, wn = b.op(f"urem i32 {wave}, {g.waves[0]}"), b.op(f"udiv i32 {wave}, {g.waves[0]}")
    row = b.op("mul i32 " + b.op(f"and i32 {lane}, 15") + f", {g.pitch}")
    row = b.op(f"add i32 {row}, " + b.op("mul i32 " + b.op(f"lshr i32 {lane}, 4") + ", 16"))
    a = b.op(f"add i32 {row}, " + b.op(f"mul i32 {wm}, {16 * g.fm * g.pitch}"))
    other = b.op(f"add i32 {row}, " + b.op(f"mul i32 {wn}, {16 * g.fn * g.pitch}"))
    return a, b.op(f"add i32 {other}, {g.tile[0] * g.pitch}")


def _loads(b: Builder, sub: int, bases: tuple[str, str]) -> tuple[list[str], list[str]]:
    g = b.loop
    found: tuple[list[str], list[str]] = ([], [])
    order = ", ".join(f"i32 {i}" for i in range(16))
    for which, count in ((0, g.fm), (1, g.fn)):
        at = b.op(f"add i32 {bases[which]}, %cur")
        for i in range(count):
            halves = []
            for part in (0, 32):
                spot = b.op(f"add i32 {at}, {16 * i * g.pitch + 64 * sub + part}")
                slot = b.op(f"getelementptr i8, ptr addrspace(3) @lds, i32 {spot}")
                halves.append(b.op(f"load <8 x bfloat>, ptr addrspace(3) {slot}, align 16"))
            found[which].append(
                b.op(f"shufflevector <8 x bfloat> {halves[0]}, <8 x bfloat> {halves[1]}, "
                     f"<16 x i32> <{order}>")
            )  # fmt: skip
    return found


def _body(
    b: Builder, t: str, wave: str, first: list[str], masks: list[str], bases: tuple[str, str]
) -> None:
    g = b.loop
    ring = [_loads(b, sub, bases) for sub in range(min(g.slots - 1, g.subs))]
    b.put(f"  %nxt = sub i32 {g.stage}, %cur", "  %k1 = add nuw nsw i32 %k, 1")
    _fill(b, "l", "%k1", "%nxt", t, wave, first, masks)
    for sub in range(g.subs):
        if sub + g.slots - 1 < g.subs:
            ring.append(_loads(b, sub + g.slots - 1, bases))
        last = sub == g.subs - 1
        if last:
            _wait_copies(b)
            _signal(b, wave, "l")
            if not g.split:
                _wait(b)
        _products(b, sub, ring[sub])
        if last and g.split:
            b.call("sched.barrier", "i32 0")
            _wait(b)
    b.put("  br label %latch")


def _products(b: Builder, sub: int, fragments: tuple[list[str], list[str]]) -> None:
    """Operands swapped: a lane then holds 8 consecutive columns of one row of C."""
    g = b.loop
    for i in range(g.fm):
        for j in range(g.fn):
            at = i * g.fn + j
            b.put(f"  %c{at}_{sub + 1} = call <8 x float> {WMMA}(i1 0, <16 x bfloat> "
                  f"{fragments[1][j]}, i1 0, <16 x bfloat> {fragments[0][i]}, i16 0, "
                  f"<8 x float> %c{at}_{sub}, i1 0, i1 0)")  # fmt: skip


def _epilogue(b: Builder, lane: str, wave: str, first: list[str]) -> None:
    g = b.loop
    wm, wn = b.op(f"urem i32 {wave}, {g.waves[0]}"), b.op(f"udiv i32 {wave}, {g.waves[0]}")
    row = b.op(f"add i32 {first[0]}, " + b.op(f"mul i32 {wm}, {16 * g.fm}"))
    row = b.op(f"add i32 {row}, " + b.op(f"and i32 {lane}, 15"))
    column = b.op(f"add i32 {first[1]}, " + b.op(f"mul i32 {wn}, {16 * g.fn}"))
    column = b.op(f"add i32 {column}, " + b.op("mul i32 " + b.op(f"lshr i32 {lane}, 4") + ", 8"))
    start = b.op(f"add i32 {column}, " + b.op(f"mul i32 {row}, {g.n}"))
    if g.padded:  # tiles are whole or have nothing of C
        inside = b.op(f"icmp ult i32 {first[0]}, {g.m}")
        inside = b.op(f"and i1 {inside}, " + b.op(f"icmp ult i32 {first[1]}, {g.n}"))
        b.put(f"  br i1 {inside}, label %mine, label %idle", "mine:")
    for i in range(g.fm):
        for j in range(g.fn):
            at = b.op(f"add i32 {start}, {16 * i * g.n + 16 * j}")
            slot = b.op(f"getelementptr float, ptr addrspace(1) %C, i32 {at}")
            b.put(
                f"  store <8 x float> %c{i * g.fn + j}_{g.subs}, ptr addrspace(1) {slot}, align 16"
            )
