// Two accumulators a wave, stored right half first with another op between, in a loop over tiles: the
// ring is never dead for a tile to come, so that C gets bytes of its own, and the tile before must have left.
// RUN: ladder-opt --pass=stage-epilogue %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ladder-opt --pass=verify-tile %t.mlir -o /dev/null

// CHECK: %tile_LDS = "tile.alloc"() {name = "tile_LDS"} : () -> !tile.lds<[1, 32, 32], f32, {interval = 128 : i64, pad = 16 : i64}>
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: "tile.mma"
// CHECK: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.store"(%v, %tile_LDS, %c0, %wm, %c16)
// CHECK-NEXT: memref.store
// CHECK-NEXT: "tile.store"(%u, %tile_LDS, %c0, %wm, %c0)
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.copy"(%tile_LDS, %arg2, %c0, %[[I]], %c64, %c32, %c26) {align = 8
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%q: memref<256xf32>, %x: memref<256x256xf16>, %c: memref<256x90xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %0 = arith.constant 0 : index
    %16 = arith.constant 16 : index
    %32 = arith.constant 32 : index
    %64 = arith.constant 64 : index
    %80 = arith.constant 80 : index
    %256 = arith.constant 256 : index
    %one = arith.constant 1.0 : f32
    %ring = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %w = gpu.subgroup_id : index
    %wm = arith.muli %w, %16 : index loc("wm")
    scf.for %i = %0 to %256 step %32 {
      "tile.copy"(%x, %ring, %0, %i, %0, %32, %32) {align = 16} : (memref<256x256xf16>, !tile.lds<[1, 32, 32], f16, {}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%ring, %0, %wm, %0) {transpose = false} : (!tile.lds<[1, 32, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      %b = "tile.load"(%ring, %0, %0, %0) {transpose = false} : (!tile.lds<[1, 32, 32], f16, {}>, index, index, index) -> !tile.frag<[32, 16], f16, "b">
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
      %u = "tile.mma"(%a, %b, %z) {atom = "wmma_f32_16x16x32_f16", order = "ba"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc"> loc("u")
      %v = "tile.mma"(%a, %b, %u) {atom = "wmma_f32_16x16x32_f16", order = "ba"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc"> loc("v")
      %m = arith.addi %wm, %i : index
      %right = arith.addi %64, %16 : index
      "tile.store"(%v, %c, %m, %right) : (!tile.frag<[16, 16], f32, "acc">, memref<256x90xf32>, index, index) -> ()
      memref.store %one, %q[%i] : memref<256xf32>
      "tile.store"(%u, %c, %m, %64) : (!tile.frag<[16, 16], f32, "acc">, memref<256x90xf32>, index, index) -> ()
    }
    gpu.return
  }
}
