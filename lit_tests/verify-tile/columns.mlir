// A store of some of an accumulator's columns: they exist, and fit where they go.
// RUN: ladder-opt --pass=verify-tile %s -o /dev/null
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s --check-prefix=UPPER
// RUN: sed 's/cols = .128, 128./cols = [112, 112]/' %s | ladder-opt --pass=lower-tile-to-nvgpu | FileCheck %s --check-prefix=PART
// RUN: sed 's/cols = .128, 128./cols = [192, 128]/' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: sed 's/cols = .128, 128./cols = [0, 256]/' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/cols = .128, 128./cols = [4, 128]/' %s | not ladder-opt --pass=lower-tile-to-nvgpu 2>&1 | FileCheck %s --check-prefix=UNEVEN

// UPPER: llvm.shufflevector %{{.*}}, %{{.*}} [64, 65, 66, 67,
// PART: llvm.shufflevector %{{.*}}, %{{.*}} [56, 57, 58, {{.*}} 110, 111]
// BEYOND: verify-tile: columns 192..319 of 256
// WIDE: verify-tile: cols [0, 256) of a tile with 128
// UNEVEN: lower-tile-to-nvgpu: columns [4, 132) are no part of a block of 256

!C = !tile.lds<[1, 64, 128], bf16, {block = 128, swizzle = 128}>
!T = !tile.lds<[1, 256, 64], bf16, {block = 128, swizzle = 128}>
!acc = !tile.frag<[16, 256], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%B: memref<256x64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %C_LDS = "tile.alloc"() {name = "C_LDS"} : () -> !C
    %ring = "tile.alloc"() {name = "ring"} : () -> !T
    %wave = gpu.subgroup_id : index
    %row = arith.muli %wave, %c16 : index
    %zero = "tile.zero"() : () -> !acc
    %d = "tile.mma"(%ring, %ring, %zero, %c0, %row, %c0, %c0, %c0, %c0)
      {atom = "wgmma_m64n256k16_f32_bf16", order = "ab", transpose_b = true}
      : (!T, !T, !acc, index, index, index, index, index, index) -> !acc
    "tile.store"(%d, %C_LDS, %c0, %row, %c0) {cols = [128, 128]} : (!acc, !C, index, index, index) -> ()
    gpu.return
  }
}
