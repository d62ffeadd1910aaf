// Loops that no pass of ours makes. @three: three stages, the hand-off in the middle of the body, an
// unrelated op between, f16, a predicated fill. @behind: reads that
// a barrier orders behind the fill stay there.
// RUN: ladder-opt --passes='async-copies,verify-tile' %s | FileCheck %s

// CHECK-LABEL: gpu.func @three
// CHECK: "tile.copy_async"(%{{.*}}, [[RING:%[0-9]+]], %c0, {{.*}} {align = 8 : i64, engine = "async"
// CHECK: "tile.wait"() {kind = "copy"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.barrier"
// CHECK-NEXT: "tile.sched_fence"
// CHECK: scf.for
// CHECK-NOT: "tile.copy_async"
// CHECK: gpu.lane_id
// CHECK-NEXT: "tile.load"([[RING]],
// CHECK-NEXT: "tile.copy_async"(%{{.*}}, [[RING]], {{.*}}, %{{.*}}) {align = 8 : i64, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>}
// CHECK-NEXT: "tile.wait"() {kind = "lds"
// CHECK-NEXT: "tile.mma"
// CHECK-NEXT: "tile.wait"() {kind = "copy"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: gpu.thread_id
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: scf.yield

// CHECK-LABEL: gpu.func @behind
// CHECK: scf.for
// CHECK: "tile.copy_async"
// CHECK-NEXT: "tile.wait"() {kind = "copy"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.barrier"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.load"
// CHECK-NEXT: "tile.wait"() {kind = "lds"
// CHECK-NEXT: "tile.barrier"
!ring = !tile.lds<[3, 16, 32], f16, {}>
!one = !tile.lds<[1, 16, 32], f16, {}>
!a = !tile.frag<[16, 32], f16, "a">
!b = !tile.frag<[32, 16], f16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @three(%x: memref<64x100xf16>, %hi: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c100 = arith.constant 100 : index
    %hers = "tile.alloc"() : () -> !ring
    %everyone = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %b = "tile.zero"() : () -> !b
    %init = "tile.zero"() : () -> !acc
    "tile.copy"(%x, %hers, %c0, %c0, %c0, %c16, %c32) {align = 8} : (memref<64x100xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy"(%x, %hers, %c1, %c0, %c32, %c16, %c32) {align = 8} : (memref<64x100xf16>, !ring, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%everyone) : (!tile.bar<1>) -> ()
    %sum:2 = scf.for %t = %c0 to %hi step %c32 iter_args(%c = %init, %now = %c0) -> (!acc, index) {
      %far = arith.addi %now, %c2 : index
      %there = arith.remui %far, %c3 : index
      %more = arith.addi %now, %c1 : index
      %then = arith.remui %more, %c3 : index
      %u = arith.addi %t, %c64 : index
      %left = arith.subi %c100, %u : index
      %wanted = arith.cmpi slt, %u, %hi : index
      "tile.copy"(%x, %hers, %there, %c0, %u, %c16, %left, %wanted) {align = 8} : (memref<64x100xf16>, !ring, index, index, index, index, index, i1) -> ()
      %lane = gpu.lane_id
      %a = "tile.load"(%hers, %now, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
      %d = "tile.mma"(%a, %b, %c) : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.arrive"(%everyone) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      %thread = gpu.thread_id x
      "tile.wait_barrier"(%everyone) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      scf.yield %d, %then : !acc, index
    }
    gpu.return
  }
  gpu.func @behind(%x: memref<64x100xf16>, %hi: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !one
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    scf.for %t = %c0 to %hi step %c32 {
      "tile.copy"(%x, %ring, %c0, %c0, %t, %c16, %c32) {align = 8} : (memref<64x100xf16>, !one, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!one, index, index, index) -> !a
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    gpu.return
  }
}
