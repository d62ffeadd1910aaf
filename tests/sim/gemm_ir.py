"""LLVM IR of a small tiled matmul, written by hand, for the simulator's end-to-end tests."""

from __future__ import annotations

from dataclasses import dataclass, field

TILE, DEPTH, PITCH = 64, 32, 40  # workgroup tile, K tile, LDS row in elements
DECLARATIONS = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare void @llvm.amdgcn.s.barrier()
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x32.{e}.v8f32.v16{s}(i1, <16 x {t}>, i1, \
<16 x {t}>, i16, <8 x float>, i1, i1)
@lds = internal addrspace(3) global [{lds} x {t}] poison, align 16
"""
ATTRIBUTES = (
    'attributes #0 = { "amdgpu-flat-work-group-size"="128,128" "amdgpu-cluster-dims"="0,0,0" '
    '"uniform-work-group-size"="true" }\n'
)


@dataclass
class Ir:
    """Collects lines and hands out value names."""

    lines: list[str] = field(default_factory=list)
    count: int = 0

    def op(self, text: str) -> str:
        """Append an operation, return the name of its value."""
        self.count += 1
        name = f"%x{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def put(self, text: str) -> None:
        """Append a line as it is."""
        self.lines.append(text)


@dataclass(frozen=True)
class Gemm:
    """C[m, n] (+)= A[m, k] B[n, k]^T: element type, output type, accumulate, vector copies."""

    m: int
    n: int
    k: int
    element: str = "bf16"
    output: str = "float"
    accumulate: bool = False
    vector: bool = True

    @property
    def type(self) -> str:
        """LLVM type of an input element."""
        return "bfloat" if self.element == "bf16" else "half"


def gemm_ir(g: Gemm) -> str:
    """The module's text; kernel `gemm` of (A, B, C), grid (M tiles, N tiles), block 128."""
    ir = Ir()
    short = "bf16" if g.element == "bf16" else "f16"
    head = DECLARATIONS.format(e=g.element, s=short, t=g.type, lds=2 * TILE * PITCH)
    ir.put(
        f"{head}define amdgpu_kernel void @gemm(ptr addrspace(1) noalias align 16 %A, "
        "ptr addrspace(1) noalias align 16 %B, ptr addrspace(1) noalias align 16 %C) #0 {"
    )
    ir.put("entry:")
    t = ir.op("call i32 @llvm.amdgcn.workitem.id.x()")
    m0 = ir.op("shl i32 " + ir.op("call i32 @llvm.amdgcn.workgroup.id.x()") + ", 6")
    n0 = ir.op("shl i32 " + ir.op("call i32 @llvm.amdgcn.workgroup.id.y()") + ", 6")
    lane = ir.op(f"and i32 {t}, 31")
    wave = ir.op(f"lshr i32 {t}, 5")
    wm = ir.op("shl i32 " + ir.op(f"and i32 {wave}, 1") + ", 5")
    wn = ir.op("shl i32 " + ir.op(f"lshr i32 {wave}, 1") + ", 5")
    ir.put("  br label %loop\nloop:")
    ir.put("  %kk = phi i32 [0, %entry], [%kn, %loop]")
    for i in range(4):
        ir.put(f"  %c{i} = phi <8 x float> [zeroinitializer, %entry], [%d{i}, %loop]")
    _copy(ir, g, "%A", m0, g.m, t, 0)
    _copy(ir, g, "%B", n0, g.n, t, TILE * PITCH)
    ir.put('  fence syncscope("workgroup") release\n  call void @llvm.amdgcn.s.barrier()')
    _multiply(ir, g, lane, wm, wn, short)
    ir.put("  call void @llvm.amdgcn.s.barrier()")
    ir.put(f"  %kn = add nuw nsw i32 %kk, {DEPTH}\n  %more = icmp ult i32 %kn, {g.k}")
    ir.put("  br i1 %more, label %loop, label %exit\nexit:")
    _epilogue(ir, g, lane, ir.op(f"add i32 {m0}, {wm}"), ir.op(f"add i32 {n0}, {wn}"))
    ir.put("  ret void\n}")
    return "\n".join(ir.lines) + "\n" + ATTRIBUTES


def _copy(ir: Ir, g: Gemm, source: str, first: str, rows: int, t: str, base: int) -> None:
    """Each work-item moves half a row of 32 elements, zero outside the matrix."""
    row = ir.op(f"lshr i32 {t}, 1")
    half = ir.op("shl i32 " + ir.op(f"and i32 {t}, 1") + ", 4")
    at = ir.op(f"add i32 {first}, {row}")
    inside = ir.op(f"icmp ult i32 {at}, {rows}")
    safe_row = ir.op(f"select i1 {inside}, i32 {at}, i32 0")
    start = ir.op("mul i64 " + ir.op(f"zext i32 {safe_row} to i64") + f", {g.k}")
    spot = ir.op("add i32 " + ir.op(f"mul i32 {row}, {PITCH}") + f", {half}")
    spot = ir.op(f"add i32 {spot}, {base}")
    column = ir.op(f"add i32 %kk, {half}")
    width = 8 if g.vector else 1
    for i in range(0, 16, width):
        col = ir.op(f"add i32 {column}, {i}")
        good = ir.op(f"and i1 {inside}, " + ir.op(f"icmp ult i32 {col}, {g.k}"))
        where = ir.op(f"select i1 {good}, i32 {col}, i32 0")
        index = ir.op(f"add i64 {start}, " + ir.op(f"zext i32 {where} to i64"))
        pointer = ir.op(f"getelementptr {g.type}, ptr addrspace(1) {source}, i64 {index}")
        kind = f"<8 x {g.type}>" if g.vector else g.type
        align = 16 if g.vector else 2
        raw = ir.op(f"load {kind}, ptr addrspace(1) {pointer}, align {align}")
        value = ir.op(
            f"select i1 {good}, {kind} {raw}, {kind} zeroinitializer"
            if g.vector
            else f"select i1 {good}, {kind} {raw}, {kind} 0.0"
        )
        goal = ir.op(f"add i32 {spot}, {i}")
        slot = ir.op(f"getelementptr {g.type}, ptr addrspace(3) @lds, i32 {goal}")
        ir.put(f"  store {kind} {value}, ptr addrspace(3) {slot}, align {align}")


def _fragment(ir: Ir, g: Gemm, lane: str, first: str, base: int) -> str:
    row = ir.op(f"add i32 {first}, " + ir.op(f"and i32 {lane}, 15"))
    spot = ir.op(f"mul i32 {row}, {PITCH}")
    high = ir.op("shl i32 " + ir.op(f"lshr i32 {lane}, 4") + ", 3")
    spot = ir.op(f"add i32 {spot}, {high}")
    parts = []
    for i in (0, 16):
        at = ir.op(f"add i32 {spot}, {base + i}")
        slot = ir.op(f"getelementptr {g.type}, ptr addrspace(3) @lds, i32 {at}")
        parts.append(ir.op(f"load <8 x {g.type}>, ptr addrspace(3) {slot}, align 16"))
    order = ", ".join(f"i32 {i}" for i in range(16))
    return ir.op(
        f"shufflevector <8 x {g.type}> {parts[0]}, <8 x {g.type}> {parts[1]}, <16 x i32> <{order}>"
    )


def _multiply(ir: Ir, g: Gemm, lane: str, wm: str, wn: str, short: str) -> None:
    """Operands swapped, mma(b, a): a lane then holds 8 consecutive columns of one row."""
    a = [_fragment(ir, g, lane, ir.op(f"add i32 {wm}, {16 * i}"), 0) for i in (0, 1)]
    b = [_fragment(ir, g, lane, ir.op(f"add i32 {wn}, {16 * j}"), TILE * PITCH) for j in (0, 1)]
    name = f"@llvm.amdgcn.wmma.f32.16x16x32.{g.element}.v8f32.v16{short}"
    for i in (0, 1):
        for j in (0, 1):
            at = 2 * i + j
            ir.put(
                f"  %d{at} = call <8 x float> {name}(i1 0, <16 x {g.type}> {b[j]}, i1 0, "
                f"<16 x {g.type}> {a[i]}, i16 0, <8 x float> %c{at}, i1 0, i1 0)"
            )


def _epilogue(ir: Ir, g: Gemm, lane: str, first_row: str, first_col: str) -> None:
    for at in range(4):
        row = ir.op(f"add i32 {first_row}, {16 * (at // 2)}")
        row = ir.op(f"add i32 {row}, " + ir.op(f"and i32 {lane}, 15"))
        col = ir.op("shl i32 " + ir.op(f"lshr i32 {lane}, 4") + ", 3")
        col = ir.op(f"add i32 {col}, " + ir.op(f"add i32 {first_col}, {16 * (at % 2)}"))
        index = ir.op("mul i64 " + ir.op(f"zext i32 {row} to i64") + f", {g.n}")
        index = ir.op(f"add i64 {index}, " + ir.op(f"zext i32 {col} to i64"))
        pointer = ir.op(f"getelementptr {g.output}, ptr addrspace(1) %C, i64 {index}")
        inside = ir.op(f"icmp ult i32 {row}, {g.m}")
        if g.n % 8 == 0:
            whole = ir.op(f"and i1 {inside}, " + ir.op(f"icmp ult i32 {col}, {g.n}"))
            _guarded(ir, g, f"{at}v", whole, pointer, f"<8 x {g.output}>", f"%d{at}", 16)
            continue
        for i in range(8):
            each = ir.op(f"add i32 {col}, {i}")
            good = ir.op(f"and i1 {inside}, " + ir.op(f"icmp ult i32 {each}, {g.n}"))
            one = ir.op(f"extractelement <8 x float> %d{at}, i32 {i}")
            slot = ir.op(f"getelementptr {g.output}, ptr addrspace(1) {pointer}, i32 {i}")
            align = 4 if g.output == "float" else 2
            _guarded(ir, g, f"{at}s{i}", good, slot, g.output, one, align)


def _guarded(
    ir: Ir, g: Gemm, tag: str, good: str, pointer: str, kind: str, value: str, align: int
) -> None:
    """Store `value` (f32 or 8 x f32) converted to the output type, when `good`."""
    ir.put(f"  br i1 {good}, label %do{tag}, label %no{tag}\ndo{tag}:")
    wide = kind.replace(g.output, "float")
    if g.accumulate:
        old = ir.op(f"load {kind}, ptr addrspace(1) {pointer}, align {align}")
        if g.output != "float":
            old = ir.op(f"fpext {kind} {old} to {wide}")
        value = ir.op(f"fadd {wide} {value}, {old}")
    if g.output != "float":
        value = ir.op(f"fptrunc {wide} {value} to {kind}")
    ir.put(f"  store {kind} {value}, ptr addrspace(1) {pointer}, align {align}")
    ir.put(f"  br label %no{tag}\nno{tag}:")
