// A hint once in each kernel that multiplies; a target without it refuses.
// RUN: split-file %s %t
// RUN: ladder-opt --passes='lock-simd,lock-simd,verify-tile' %t/amd.mlir 2>&1 | FileCheck %s
// RUN: not ladder-opt --pass=lock-simd %t/nvidia.mlir 2>&1 | FileCheck %s --check-prefix=NVIDIA
// RUN: not ladder-opt --pass=lock-simd %t/nothing.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING

// CHECK: warning: pass lock-simd{{.*}} changed nothing
// CHECK-LABEL: gpu.func @product
// CHECK-NEXT: arith.constant
// CHECK-NEXT: "tile.hint"() {kind = "lock_simd", value = 1 : i64}
// CHECK-NOT: "tile.hint"
// CHECK-LABEL: gpu.func @other
// CHECK-NOT: "tile.hint"
// NVIDIA: error: lock-simd: sm_90a cannot lock a SIMD
// NOTHING: error: lock-simd: found no tile.mma; run tile-workgroup first

//--- amd.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @product(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = "tile.load"(%x, %c0, %c0) {transpose = false} : (memref<16x32xbf16>, index, index) -> !tile.frag<[16, 32], bf16, "a">
    %b = "tile.zero"() : () -> !tile.frag<[32, 16], bf16, "b">
    %c = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %d = "tile.mma"(%a, %b, %c) : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
  gpu.func @other() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
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
