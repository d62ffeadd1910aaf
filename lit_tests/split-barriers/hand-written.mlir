// @one: a single stage, no register pipeline, one barrier op, an unrelated op behind the product, the
// reads' wait missing (the product itself had its operands). @both: a workgroup and a cluster hand-off
// whose slot and signaller are given, operands of the next iteration loaded behind the waits: the
// cluster's wait stays last.
// RUN: ladder-opt --passes='split-barriers{after=1},verify-tile' %s | FileCheck %s

// CHECK-LABEL: gpu.func @one
//      CHECK: [[A:%.*]] = "tile.load"
//      CHECK: [[P:%.*]] = "tile.mma"{{.*}}atoms = [0, 1]
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.mma"([[A]], {{.*}}, [[P]]) {{.*}}atoms = [1, 1]
// CHECK-NEXT: gpu.lane_id
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: scf.yield

// CHECK-LABEL: gpu.func @both
//      CHECK: [[OURS:%.*]] = "tile.barrier_create"{{.*}}scope = "workgroup"
//      CHECK: [[THEIRS:%.*]] = "tile.barrier_create"{{.*}}scope = "cluster"
//      CHECK: scf.for
//      CHECK: "tile.mma"{{.*}}atoms = [0, 1]
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0
// CHECK-NEXT: "tile.arrive"([[OURS]])
// CHECK-NEXT: "tile.arrive"([[THEIRS]]) {issuer = 0
// CHECK-NEXT: "tile.wait_barrier"([[OURS]])
// CHECK-NEXT: arith.addi
// CHECK-NEXT: [[THEN:%.*]] = arith.remui
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: [[NEXT:%.*]] = "tile.load"({{.*}}, [[THEN]],
// CHECK-NEXT: "tile.mma"{{.*}}atoms = [1, 1]
// CHECK-NEXT: "tile.sched_group"() {count = 2 : i64, group = 0 : i64, kind = "lds_read", repeat = 1
// CHECK-NEXT: "tile.sched_group"() {count = 1 : i64, group = 0 : i64, kind = "mma", repeat = 1
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.wait_barrier"([[THEIRS]])
// CHECK-NEXT: scf.yield {{.*}}[[NEXT]]
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 32], bf16, "b">
!acc = !tile.frag<[16, 32], f32, "acc">
!one = !tile.lds<[1, 16, 32], bf16, {}>
!two = !tile.lds<[2, 16, 32], bf16, {}>
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @one(%x: memref<16x512xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c512 = arith.constant 512 : index
    %r = "tile.alloc"() : () -> !one
    %all = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !bar
    %b = "tile.zero"() : () -> !b
    %zero = "tile.zero"() : () -> !acc
    %s = scf.for %t = %c0 to %c512 step %c32 iter_args(%p = %zero) -> (!acc) {
      "tile.copy"(%x, %r, %c0, %c0, %t, %c16, %c32) {align = 16} : (memref<16x512xbf16>, !one, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%all) : (!bar) -> ()
      %a = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!one, index, index, index) -> !a
      %d = "tile.mma"(%a, %b, %p) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      %lane = gpu.lane_id
      "tile.barrier"(%all) : (!bar) -> ()
      scf.yield %d : !acc
    }
    gpu.return
  }
  gpu.func @both(%x: memref<16x512xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c480 = arith.constant 480 : index
    %ours = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !bar
    %theirs = "tile.barrier_create"() {arrivals = 2, scope = "cluster", kind = "hw"} : () -> !bar
    %r = "tile.alloc"() : () -> !two
    %b = "tile.zero"() : () -> !b
    %zero = "tile.zero"() : () -> !acc
    "tile.copy"(%x, %r, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x512xbf16>, !two, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%ours) : (!bar) -> ()
    %first = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!two, index, index, index) -> !a
    %s:3 = scf.for %t = %c0 to %c480 step %c32 iter_args(%p = %zero, %now = %c0, %a = %first) -> (!acc, index, !a) {
      %one = arith.addi %now, %c1 : index
      %there = arith.remui %one, %c2 : index
      %u = arith.addi %t, %c32 : index
      "tile.copy"(%x, %r, %there, %c0, %u, %c16, %c32) {align = 16} : (memref<16x512xbf16>, !two, index, index, index, index, index) -> ()
      %d = "tile.mma"(%a, %b, %p) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%ours) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.arrive"(%theirs) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.wait_barrier"(%ours) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.wait_barrier"(%theirs) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      %more = arith.addi %now, %c1 : index
      %then = arith.remui %more, %c2 : index
      %next = "tile.load"(%r, %then, %c0, %c0) {transpose = false} : (!two, index, index, index) -> !a
      scf.yield %d, %then, %next : !acc, index, !a
    }
    gpu.return
  }
}
