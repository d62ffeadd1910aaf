// RUN: split-file %s %t
// RUN: not ladder-opt --pass=promote-to-lds %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --pass=promote-to-lds %t/divergent.mlir 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: not ladder-opt --passes='tile-workgroup{shape=512x512x32 waves=4x4},promote-to-lds' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=REG
// RUN: not ladder-opt --passes='tile-workgroup{shape=256x256x320 waves=2x2},promote-to-lds' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=BUDGET

// The pass that establishes what is missing is named; a barrier never stands where waves diverge;
// tiles over the LDS budget are refused with the sum.
// EARLY: error: promote-to-lds: found no fragment of A or B loaded from global memory; run tile-workgroup first
// DIVERGENT: divergent.mlir:10:12: error: promote-to-lds: needs a barrier here, but not every wave comes here
// DIVERGENT: divergent.mlir:9:5: note: 'scf.if' depends on the wave or lane
// REG: error: tile-workgroup: needs at least 640 registers a lane (accumulators 512 + A 64 + B 64), gfx1250 has 256 at 512 threads
// BUDGET: error: promote-to-lds: needs 348,160 B of LDS, gfx1250 has 327,680 B: A_LDS 1 x 174,080 + B_LDS 1 x 174,080; try a smaller shape in tile-workgroup, or fewer stages

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}

//--- divergent.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %z: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %w = gpu.subgroup_id : index
    %acc = "tile.zero"() : () -> !tile.frag<[32, 32], f32, "acc">
    %first = arith.cmpi eq, %w, %c0 : index
    scf.if %first {
      %a = "tile.load"(%x, %c0, %c0) {transpose = false} : (memref<64x64xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "a">
      %b = "tile.load"(%y, %c0, %c0) {transpose = false} : (memref<64x64xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "b">
      %d = "tile.mma"(%a, %b, %acc) : (!tile.frag<[32, 32], bf16, "a">, !tile.frag<[32, 32], bf16, "b">, !tile.frag<[32, 32], f32, "acc">) -> !tile.frag<[32, 32], f32, "acc">
      "tile.store"(%d, %z, %c0, %c0) : (!tile.frag<[32, 32], f32, "acc">, memref<64x64xf32>, index, index) -> ()
    }
    gpu.return
  }
}
