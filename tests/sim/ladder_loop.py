"""What a loop of ladder_ir.py looks like, its declarations, and a builder of its lines."""

from __future__ import annotations

from dataclasses import dataclass, field

PAD = 16
WMMA = "@llvm.amdgcn.wmma.f32.16x16x32.bf16.v8f32.v16bf16"
HEAD = f"""
@lds = external addrspace(3) global [0 x i8], align 16
declare <8 x float> {WMMA}(i1, <16 x bfloat>, i1, <16 x bfloat>, i16, <8 x float>, i1, i1)
declare void @llvm.amdgcn.s.wait.tensorcnt(i16)
declare void @llvm.amdgcn.s.wait.asynccnt(i16)
declare void @llvm.amdgcn.s.barrier.signal(i32)
declare void @llvm.amdgcn.s.barrier.wait(i16)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.cluster.workgroup.id.x()
declare i32 @llvm.amdgcn.cluster.workgroup.id.y()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @llvm.amdgcn.sched.barrier(i32)
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32)
declare void @llvm.amdgcn.global.load.async.to.lds.b128(ptr addrspace(1), ptr addrspace(3),
    i32, i32)
define amdgpu_kernel void @gemm(ptr addrspace(1) noalias align 16 %A,
    ptr addrspace(1) noalias align 16 %B, ptr addrspace(1) noalias align 16 %C) #0 {{
entry:
"""


@dataclass(frozen=True)
class Loop:
    """What the kernel looks like: sizes in elements; wave tiles are 16 * fm x 16 * fn."""

    m: int
    n: int
    k: int
    copies: str = "tdm"
    split: bool = False
    cluster: tuple[int, int] = (1, 1)
    slots: int = 2
    subs: int = 2
    fm: int = 2
    fn: int = 2
    waves: tuple[int, int] = (2, 2)

    @property
    def tile(self) -> tuple[int, int]:
        """Rows of A and of B in a workgroup's tile."""
        return 16 * self.fm * self.waves[0], 16 * self.fn * self.waves[1]

    @property
    def pitch(self) -> int:
        """Bytes from row to row in LDS."""
        return self.subs * 64 + PAD

    @property
    def stage(self) -> int:
        """LDS bytes of a stage of A and B."""
        return sum(self.tile) * self.pitch

    @property
    def threads(self) -> int:
        """Work-items of a workgroup."""
        return 32 * self.waves[0] * self.waves[1]

    @property
    def grid(self) -> tuple[int, int, int]:
        """Workgroups: M tiles, N tiles, made whole clusters."""
        x, y = (
            -(-size // (tile * part)) * part
            for size, tile, part in zip((self.m, self.n), self.tile, self.cluster, strict=True)
        )
        return x, y, 1

    @property
    def padded(self) -> bool:
        """Whether some workgroups have no tile of C."""
        return (self.grid[0] * self.tile[0], self.grid[1] * self.tile[1]) != (self.m, self.n)

    @property
    def lds(self) -> int:
        """Dynamic LDS in bytes."""
        return 2 * self.stage


@dataclass
class Builder:
    """Collects lines and hands out value names."""

    loop: Loop
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def op(self, text: str) -> str:
        """Append an operation, return the name of its value."""
        self.count += 1
        self.lines.append(f"  %x{self.count} = {text}")
        return f"%x{self.count}"

    def put(self, *lines: str) -> None:
        """Append lines as they are."""
        self.lines.extend(lines)

    def call(self, name: str, args: str) -> None:
        """Append a call without a result."""
        self.put(f"  call void @llvm.amdgcn.{name}({args})")
