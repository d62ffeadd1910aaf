// A hint once in each kernel that multiplies, however often the pass runs.
// RUN: ladder-opt --passes='lock-simd,lock-simd,verify-tile' %s 2>&1 | FileCheck %s

// CHECK: warning: pass lock-simd{{.*}} changed nothing
// CHECK-LABEL: gpu.func @product
// CHECK-NEXT: arith.constant
// CHECK-NEXT: "tile.hint"() {kind = "lock_simd", value = 1 : i64}
// CHECK-NOT: "tile.hint"
// CHECK-LABEL: gpu.func @other
// CHECK-NOT: "tile.hint"
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
