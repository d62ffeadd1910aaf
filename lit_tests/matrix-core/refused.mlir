// Fragments that are not whole atoms are refused with the sizes; so is a kernel without products.
// RUN: not ladder-opt --passes='tile-workgroup{shape=64x64x16},matrix-core' %s 2>&1 | FileCheck %s --check-prefix=K
// RUN: not ladder-opt --passes='tile-workgroup{shape=16x64x32 waves=2x2},matrix-core' %s 2>&1 | FileCheck %s --check-prefix=M
// RUN: not ladder-opt --pass=matrix-core %s 2>&1 | FileCheck %s --check-prefix=NONE

// K: error: matrix-core: a wave's 32x32x16 is not a multiple of gfx1250's matrix instruction for bf16 (16x16x32); change shape or waves of tile-workgroup
// M: error: matrix-core: a wave's 8x32x32 is not a multiple of gfx1250's matrix instruction
// NONE: error: matrix-core: found no tile.mma; run tile-workgroup first
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %z: memref<64x64xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
    gpu.return
  }
}
