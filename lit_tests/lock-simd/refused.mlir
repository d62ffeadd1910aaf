// RUN: split-file %s %t
// RUN: not ladder-opt --pass=lock-simd %t/nvidia.mlir 2>&1 | FileCheck %s --check-prefix=NVIDIA
// RUN: not ladder-opt --pass=lock-simd %t/nothing.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING

// NVIDIA: error: lock-simd: sm_90a cannot lock a SIMD
// NOTHING: error: lock-simd: found no tile.mma; run tile-workgroup first

//--- nvidia.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = "tile.zero"() : () -> !tile.frag<[16, 32], bf16, "a">
    %b = "tile.zero"() : () -> !tile.frag<[32, 16], bf16, "b">
    %c = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %d = "tile.mma"(%a, %b, %c) : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- nothing.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
