// A contraction becomes coordinates, a K loop of one product a block, and a store.
// RUN: ladder-opt --pass='tile-workgroup{shape=128x64x32 waves=4x2}' %s | FileCheck %s

// CHECK: gpu.func @k(%A: memref<100x40xbf16>, %B: memref<72x40xbf16>, %C: memref<100x72xf32>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 2, 1>
// CHECK: [[M0N0:%.*]]:2 = "tile.block_coord"() {tile = [128, 64]}
// CHECK: %wave = gpu.subgroup_id
// CHECK: [[ROW:%.*]] = arith.divui %wave, %c2
// CHECK: [[WM:%.*]] = arith.muli [[ROW]], %c32
// CHECK: [[COL:%.*]] = arith.remui %wave, %c2
// CHECK: [[WN:%.*]] = arith.muli [[COL]], %c32
// CHECK: %m = arith.addi [[M0N0]]#0, [[WM]]
// CHECK: %n = arith.addi [[M0N0]]#1, [[WN]]
// CHECK: %acc_in = "tile.zero"()
// CHECK: %acc = scf.for %k = %c0 to %c40 step %c32 iter_args(%acc_k = %acc_in)
// CHECK-NEXT: %A_reg = "tile.load"(%A, %m, %k) {transpose = false} {{.*}} -> !tile.frag<[32, 32], bf16, "a">
// CHECK-NEXT: %B_reg = "tile.load"(%B, %n, %k) {transpose = true} {{.*}} -> !tile.frag<[32, 32], bf16, "b">
// CHECK-NEXT: %acc_next = "tile.mma"(%A_reg, %B_reg, %acc_k) :
// CHECK-NEXT: scf.yield %acc_next
// CHECK: "tile.store"(%acc, %C, %m, %n)
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<100x40xbf16> loc("A"), %y: memref<72x40xbf16> loc("B"), %z: memref<100x72xf32> loc("C")) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<100x40xbf16>, memref<72x40xbf16>, memref<100x72xf32>) -> ()
    gpu.return
  }
}
