// Hand-written loop, other names and order, B's load first, an unrelated op in the loop, 1x2 waves:
// both operands are copied once a block, published, read by each wave at its offset, handed over.
// RUN: ladder-opt --passes='promote-to-lds,verify-tile' %s | FileCheck %s

// CHECK: %bar = "tile.barrier_create"() {arrivals = 2 : i64, kind = "hw", scope = "workgroup"}
// CHECK: %Y_LDS = "tile.alloc"() {name = "Y_LDS"} : () -> !tile.lds<[1, 32, 64], bf16, {interval = 256 : i64, pad = 32 : i64}>
// CHECK: %X_LDS = "tile.alloc"() {name = "X_LDS"} : () -> !tile.lds<[1, 16, 32], bf16, {interval = 256 : i64, pad = 16 : i64}>
// CHECK: [[BC:%.*]]:2 = "tile.block_coord"
// CHECK: scf.for [[K:%.*]] = %c0
// CHECK-NEXT: "tile.copy"(%{{.*}}, %Y_LDS, %c0, [[K]], [[BC]]#1, %c32, %c64) {align = 16 : i64}
// CHECK-NEXT: "tile.copy"(%{{.*}}, %X_LDS, %c0, [[BC]]#0, [[K]], %c16, %c32) {align = 16 : i64}
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.barrier"(%bar)
// CHECK-NEXT: "tile.load"(%Y_LDS, %c0, %c0, [[W:%.*]]) {transpose = false}
// CHECK-NEXT: gpu.lane_id
// CHECK-NEXT: "tile.load"(%X_LDS, %c0, %c0, %c0) {transpose = false}
// CHECK-NEXT: "tile.mma"
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.barrier"(%bar)
// CHECK-NEXT: scf.yield
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%p: memref<64x128xbf16>, %q: memref<128x128xbf16>, %r: memref<64x128xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 2, 1>, tile.names = ["X", "Y", "Z"]} {
    %z = arith.constant 0 : index
    %s = arith.constant 32 : index
    %e = arith.constant 128 : index
    %i, %j = "tile.block_coord"() {tile = [16, 64]} : () -> (index, index)
    %w = gpu.subgroup_id : index
    %w32 = arith.muli %w, %s : index
    %jj = arith.addi %w32, %j : index
    %init = "tile.zero"() : () -> !tile.frag<[16, 32], f32, "acc">
    %sum = scf.for %t = %z to %e step %s iter_args(%c = %init) -> (!tile.frag<[16, 32], f32, "acc">) {
      %b = "tile.load"(%q, %t, %jj) {transpose = false} : (memref<128x128xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "b">
      %lane = gpu.lane_id
      %a = "tile.load"(%p, %i, %t) {transpose = false} : (memref<64x128xbf16>, index, index) -> !tile.frag<[16, 32], bf16, "a">
      %d = "tile.mma"(%a, %b, %c) : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 32], bf16, "b">, !tile.frag<[16, 32], f32, "acc">) -> !tile.frag<[16, 32], f32, "acc">
      scf.yield %d : !tile.frag<[16, 32], f32, "acc">
    }
    "tile.store"(%sum, %r, %i, %jj) : (!tile.frag<[16, 32], f32, "acc">, memref<64x128xf32>, index, index) -> ()
    gpu.return
  }
}
