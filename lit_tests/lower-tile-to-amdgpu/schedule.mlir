// What moves no data: split barriers of a workgroup and of a cluster, waits that LLVM does better,
// groups in rounds, hints, and the place in a cluster.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// CHECK-LABEL: gpu.func @hints
// CHECK-SAME: cluster = [2, 2, 1]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.setreg"(%c154_i32, %c1_i32)
// CHECK: rocdl.s.setprio 2
// CHECK: llvm.call_intrinsic "llvm.amdgcn.cluster.workgroup.id.y"
// The workgroup's barrier by all, the cluster's by wave 0; what was read is over.
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK-NEXT: rocdl.s.barrier.signal id = -1
// CHECK: arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-NEXT: scf.if
// CHECK-NEXT: rocdl.s.barrier.signal id = -3
// A partial wait for LDS is nothing, and groups of one number take turns.
// CHECK-NOT: llvm.fence
// CHECK: rocdl.wmma
// CHECK-NEXT: rocdl.sched.group.barrier 256, 6, 1
// CHECK-NEXT: rocdl.sched.group.barrier 8, 8, 1
// CHECK-NEXT: rocdl.sched.group.barrier 256, 6, 1
// CHECK-NEXT: rocdl.sched.group.barrier 8, 8, 1
// CHECK-NEXT: rocdl.sched.group.barrier 2, 3, 2
// Products stay before the wait; behind it nothing has to drain.
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier.wait id = -1
// CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier.wait id = -3
// CHECK-NOT: tile.

!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 16], bf16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @hints(%p: memref<16x32xbf16>, %q: memref<32x16xbf16>, %out: memref<16x16xf32>, %log: memref<8xindex>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 2, 1>, known_cluster_size = array<i32: 2, 2, 1>} {
    %z = arith.constant 0 : index
    "tile.hint"() {kind = "lock_simd", value = 1} : () -> ()
    "tile.hint"() {kind = "priority", value = 2} : () -> ()
    %all = "tile.barrier_create"() {arrivals = 4, scope = "cluster", kind = "hw"} : () -> !tile.bar<1>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %y = gpu.cluster_block_id y
    memref.store %y, %log[%z] : memref<8xindex>
    %u = "tile.load"(%p, %z, %z) {transpose = false} : (memref<16x32xbf16>, index, index) -> !a
    %v = "tile.load"(%q, %z, %z) {transpose = false} : (memref<32x16xbf16>, index, index) -> !b
    %s = "tile.zero"() : () -> !acc
    "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    "tile.arrive"(%all) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    "tile.wait"() {kind = "lds", pending = 2} : () -> ()
    %t = "tile.mma"(%u, %v, %s) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
    "tile.sched_group"() {kind = "lds_read", count = 6, group = 1, repeat = 2} : () -> ()
    "tile.sched_group"() {kind = "mma", count = 8, group = 1, repeat = 2} : () -> ()
    "tile.sched_group"() {kind = "valu", count = 3, group = 2} : () -> ()
    "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    "tile.wait_barrier"(%all) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    "tile.store"(%t, %out, %z, %z) : (!acc, memref<16x16xf32>, index, index) -> ()
    gpu.return
  }
}
