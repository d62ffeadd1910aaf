// No groups to replace, other names, a load for the next iteration in front of the product. Its four
// reads make no four rounds with two instructions: they are shared out evenly.
// RUN: ladder-opt --passes='pin-schedule,verify-tile' %s | FileCheck %s
// RUN: ladder-opt --passes='pin-schedule{ds=4 mma=2 repeat=1},verify-tile' %s | FileCheck %s --check-prefix=ONE

//      CHECK: "tile.mma"
// CHECK-NEXT: "tile.sched_group"() {count = 2 : i64, group = 0 : i64, kind = "lds_read", repeat = 2 : i64}
// CHECK-NEXT: "tile.sched_group"() {count = 1 : i64, group = 0 : i64, kind = "mma", repeat = 2 : i64}
// CHECK-NEXT: gpu.lane_id
//        ONE: "tile.mma"
//   ONE-NEXT: "tile.sched_group"() {count = 4 : i64, group = 0 : i64, kind = "lds_read", repeat = 1 : i64}
//   ONE-NEXT: "tile.sched_group"() {count = 2 : i64, group = 0 : i64, kind = "mma", repeat = 1 : i64}

!x = !tile.frag<[32, 32], bf16, "a">
!y = !tile.frag<[32, 16], bf16, "b">
!z = !tile.frag<[32, 16], f32, "acc">
!r = !tile.lds<[1, 32, 32], bf16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%n: index, %k: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = "tile.alloc"() : () -> !r
    %y = "tile.zero"() : () -> !y
    %z = "tile.zero"() : () -> !z
    %x = "tile.zero"() : () -> !x
    %s:2 = scf.for %t = %c0 to %n step %c1 iter_args(%p = %z, %now = %x) -> (!z, !x) {
      %then = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!r, index, index, index) -> !x
      %d = "tile.mma"(%now, %y, %p) {atom = "wmma_f32_16x16x32_bf16"} : (!x, !y, !z) -> !z
      %lane = gpu.lane_id
      scf.yield %d, %then : !z, !x
    }
    gpu.return
  }
}
