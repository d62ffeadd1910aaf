// RUN: split-file %s %t
// RUN: not ladder-opt --passes='tile-workgroup,matrix-core,register-pipeline' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=GLOBAL
// RUN: not ladder-opt --passes='tile-workgroup{shape=64x64x128},promote-to-lds,register-pipeline' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=ATOM
// RUN: not ladder-opt --passes=register-pipeline %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --passes='tile-workgroup{shape=64x64x64},promote-to-lds,matrix-core,register-pipeline{slots=3}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not ladder-opt --passes='tile-workgroup{shape=256x256x128 waves=4x4},promote-to-lds,matrix-core,register-pipeline{slots=3}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not ladder-opt --passes='tile-workgroup{shape=64x64x128},promote-to-lds,matrix-core,register-pipeline{carry=true}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=CARRY
// RUN: not ladder-opt --passes='tile-workgroup{shape=64x64x128},promote-to-lds,matrix-core,multi-buffer,split-barriers{after=1},register-pipeline' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not ladder-opt --passes='tile-workgroup{shape=64x64x128},promote-to-lds,matrix-core,multi-buffer,split-barriers,register-pipeline' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: not ladder-opt --pass=register-pipeline %t/zero.mlir 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: ladder-opt --passes='tile-workgroup{shape=64x64x128},promote-to-lds,matrix-core,register-pipeline' %t/f32.mlir 2>&1 | FileCheck %s --check-prefix=FMA

// GLOBAL: error: register-pipeline: the fragment comes from global memory; run promote-to-lds first
// ATOM: error: register-pipeline: the product has no matrix instruction yet; run matrix-core first
// EARLY: error: register-pipeline: found no tile.mma; run tile-workgroup first
// STEPS: error: register-pipeline: slots=3 needs as many K steps, and K of 64 is 2 x 32; try a deeper shape in tile-workgroup
// BUDGET: error: register-pipeline: needs 320 registers a lane, gfx1250 has 256 at 512 threads: accumulators 128 + 3 slots x operands 64; try fewer slots, or smaller tiles of a wave
// CARRY: error: register-pipeline: carry=true needs stages that are filled an iteration ahead; run multi-buffer first
// CUT: error: register-pipeline: the product is cut into atoms already: it comes before split-barriers
// BARRIER: error: register-pipeline: a barrier between a load and its product: it comes before split-barriers
// BARRIER: note: the fragment that would be loaded later
// MADE: zero.mlir:12:10: error: register-pipeline: operand b is 'tile.zero': only a load can be cut along K
// FMA: register-pipeline: a product on FMAs has no K steps; it stays

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- f32.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xf32>, %y: memref<512x512xf32>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xf32>, memref<512x512xf32>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- zero.mlir
!ring = !tile.lds<[1, 16, 64], bf16, {}>
!a = !tile.frag<[16, 64], bf16, "a">
!b = !tile.frag<[64, 16], bf16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %r = "tile.alloc"() : () -> !ring
    %b = "tile.zero"() : () -> !b
    %c = "tile.zero"() : () -> !acc
    %a = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
    %d = "tile.mma"(%a, %b, %c) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
    gpu.return
  }
}
