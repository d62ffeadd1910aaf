// What the copy engine and a warpgroup cannot do is said, not done differently.
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s -o /dev/null
// RUN: sed 's/block = 128, swizzle = 128/block = 64, swizzle = 64/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// RUN: sed 's/block = 128, swizzle = 128/block = 128/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/muli %%wave, %%c16/muli %%wave, %%c0/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/i32: 128, 1, 1/i32: 96, 1, 1/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=PART
// RUN: sed 's/%%zero, %%c0, %%row, %%c0, %%c0,/%%zero, %%c0, %%row, %%c0, %%wave,/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=SLOT
// RUN: sed 's/wgmma_m64n64k16_f32_bf16/mma_m16n8k16_f32_bf16/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=ATOM
// RUN: sed 's/wait_barrier"(%%full, %%c0, %%c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index)/wait_barrier"(%%full, %%c0) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index)/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: sed 's/%%c64, %%c64, %%full/%%c16, %%c64, %%full/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: sed 's/memref<64x64xbf16>/memref<64x64xbf16, strided<[68, 1]>>/g' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=PITCH

// SWIZZLE: error: lower-tile-to-nvgpu: a warpgroup reads blocks of 128 bytes with a swizzle of 128, not !tile.lds
// PLAIN: error: lower-tile-to-nvgpu: a warpgroup reads blocks of 128 bytes with a swizzle of 128, not !tile.lds
// ROWS: error: lower-tile-to-nvgpu: the waves of a warpgroup have to multiply consecutive 16 rows each
// PART: error: lower-tile-to-nvgpu: a part of a warpgroup of four consecutive waves cannot multiply
// SLOT: error: lower-tile-to-nvgpu: the waves of a warpgroup have to read one operand b of one slot
// ATOM: error: lower-tile-to-nvgpu: a product of LDS operands needs an atom of a warpgroup; run wgmma
// PHASE: error: lower-tile-to-nvgpu: waiting for an mbarrier needs the phase
// EXTENT: error: lower-tile-to-nvgpu: the tma engine copies to the tile's or the operand's end, not to this extent
// PITCH: error: lower-tile-to-nvgpu: the tma engine needs rows of whole 16 bytes, not memref

!T = !tile.lds<[2, 64, 64], bf16, {block = 128, swizzle = 128}>
!acc = !tile.frag<[16, 64], f32, "acc">
!stage = !tile.bar<2>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%A: memref<64x64xbf16>, %C: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.names = ["A", "C"]} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %ring = "tile.alloc"() {name = "ring"} : () -> !T
    "tile.arrive"(%full, %c0) {issuer = 2, tx_bytes = 8192, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
    "tile.copy_async"(%A, %ring, %c0, %c0, %c0, %c64, %c64, %full, %c0)
      {align = 16, engine = "tma", issuer = 2, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
      : (memref<64x64xbf16>, !T, index, index, index, index, index, !stage, index) -> ()
    "tile.wait_barrier"(%full, %c0, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
    %wave = gpu.subgroup_id : index
    %row = arith.muli %wave, %c16 : index
    %zero = "tile.zero"() : () -> !acc
    %d = "tile.mma"(%ring, %ring, %zero, %c0, %row, %c0, %c0, %c0, %c0)
      {atom = "wgmma_m64n64k16_f32_bf16", order = "ab", transpose_b = true}
      : (!T, !T, !acc, index, index, index, index, index, index) -> !acc
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.store"(%d, %C, %row, %c0) : (!acc, memref<64x64xf32>, index, index) -> ()
    gpu.return
  }
}
