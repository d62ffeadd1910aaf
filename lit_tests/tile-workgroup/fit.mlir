// With `fit`, a tile has the columns with which 132 processors take the fewest and shortest rounds:
// at 8192 square 192 (21 rounds) and not 256 (16, the last of them short), at 4096 square 256.
// RUN: split-file %s %t
// RUN: ladder-opt --pass='tile-workgroup{shape=128x256x64 waves=8x1 fit=132}' %t/large.mlir | FileCheck %s --check-prefix=LARGE
// RUN: ladder-opt --pass='tile-workgroup{shape=128x256x64 waves=8x1}' %t/large.mlir | FileCheck %s --check-prefix=GIVEN
// RUN: ladder-opt --pass='tile-workgroup{shape=128x256x64 waves=8x1 fit=132}' %t/small.mlir | FileCheck %s --check-prefix=SMALL
// RUN: ladder-opt --pass='tile-workgroup{shape=128x256x8 waves=8x1 fit=132}' %t/wide.mlir | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/sm_90a/gfx1250/' %t/large.mlir | ladder-opt --pass='tile-workgroup{shape=128x256x64 waves=1x8 fit=132}' - | FileCheck %s --check-prefix=AMD

// LARGE: known_grid_size = array<i32: 64, 43, 1>
// LARGE: "tile.block_coord"() {tile = [128, 192]}
// LARGE: "tile.mma"({{.*}}!tile.frag<[16, 192], f32, "acc">
// GIVEN: known_grid_size = array<i32: 64, 32, 1>
// SMALL: known_grid_size = array<i32: 32, 16, 1>
// Whole 128 bytes of the inputs are 32 columns of f32: 160 here, four rounds as with 192 or 256.
// WIDE: "tile.block_coord"() {tile = [128, 160]}
// Of 8 waves beside each other none gets 24 columns, a matrix instruction of gfx1250 and a half.
// AMD: "tile.block_coord"() {tile = [128, 256]}

//--- large.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<8192x64xbf16>, %y: memref<64x8192xbf16>, %z: memref<8192x8192xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<8192x64xbf16>, memref<64x8192xbf16>, memref<8192x8192xf32>) -> ()
    gpu.return
  }
}
//--- small.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<4096x64xbf16>, %y: memref<64x4096xbf16>, %z: memref<4096x4096xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<4096x64xbf16>, memref<64x4096xbf16>, memref<4096x4096xf32>) -> ()
    gpu.return
  }
}
//--- wide.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<16384x64xf32>, %y: memref<64x640xf32>, %z: memref<16384x640xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<16384x64xf32>, memref<64x640xf32>, memref<16384x640xf32>) -> ()
    gpu.return
  }
}
