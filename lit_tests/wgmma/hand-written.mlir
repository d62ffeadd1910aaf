// IR that no pass of ours emits: K of A is the outer dimension in memory, the release stands before
// the product, an unrelated op between the loads, two products share A's fragment, and no wait.
// The product takes the place of its last load; what followed that load follows the product.
// RUN: ladder-opt --passes=wgmma,verify-tile %s | FileCheck %s

// CHECK: [[FULL:%.*]] = "tile.barrier_create"
// CHECK: [[EMPTY:%.*]] = "tile.barrier_create"
// CHECK: [[X:%.*]] = "tile.alloc"
// CHECK: [[Y:%.*]] = "tile.alloc"
// CHECK: [[ROW:%.*]] = arith.muli
// CHECK: iter_args([[U0:%.*]] = %{{.*}}, [[V0:%.*]] = %{{.*}}, [[SLOT:%.*]] = %c0, {{.*}} = %c0)
// CHECK: "tile.wait_barrier"([[FULL]], [[SLOT]]
// CHECK-NEXT: gpu.lane_id
// CHECK-NEXT: [[U:%.*]] = "tile.mma"([[X]], [[Y]], [[U0]], [[SLOT]], %c0, [[ROW]], [[SLOT]], %c0, %c0) {atom = "wgmma_m64n64k16_f32_f16", order = "ab", transpose_a = true}
// CHECK-NEXT: [[V:%.*]] = "tile.mma"([[X]], [[Y]], [[V0]], [[SLOT]], %c0, [[ROW]], [[SLOT]], %c0, %c64) {atom = "wgmma_m64n64k16_f32_f16", order = "ab", transpose_a = true}
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.arrive"([[EMPTY]], [[SLOT]])
// CHECK: scf.yield [[U]], [[V]]
!X = !tile.lds<[2, 32, 64], f16, {block = 128, swizzle = 128}>
!Y = !tile.lds<[2, 32, 128], f16, {block = 128, swizzle = 128}>
!a = !tile.frag<[16, 32], f16, "a">
!b = !tile.frag<[32, 64], f16, "b">
!acc = !tile.frag<[16, 64], f32, "acc">
!stage = !tile.bar<2>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%p: memref<128x64xf16>, %q: memref<128x128xf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %x = "tile.alloc"() : () -> !X
    %y = "tile.alloc"() : () -> !Y
    %zero = "tile.zero"() : () -> !acc
    %w = gpu.subgroup_id : index
    %row = arith.muli %w, %c16 : index
    %r:4 = scf.for %k = %c0 to %c128 step %c32 iter_args(%u = %zero, %v = %zero, %slot = %c0, %phase = %c0) -> (!acc, !acc, index, index) {
      "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
      %a = "tile.load"(%x, %slot, %c0, %row) {transpose = true} : (!X, index, index, index) -> !a
      %lane = gpu.lane_id
      %b0 = "tile.load"(%y, %slot, %c0, %c0) {transpose = false} : (!Y, index, index, index) -> !b
      %b1 = "tile.load"(%y, %slot, %c0, %c64) {transpose = false} : (!Y, index, index, index) -> !b
      "tile.arrive"(%empty, %slot) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      %u_next = "tile.mma"(%a, %b0, %u) : (!a, !b, !acc) -> !acc
      %v_next = "tile.mma"(%a, %b1, %v) : (!a, !b, !acc) -> !acc
      %more = arith.addi %slot, %c1 : index
      %next = arith.remui %more, %c2 : index
      %wraps = arith.cmpi eq, %next, %c0 : index
      %flipped = arith.subi %c1, %phase : index
      %phase_next = arith.select %wraps, %flipped, %phase : index
      scf.yield %u_next, %v_next, %next, %phase_next : !acc, !acc, index, index
    }
    gpu.return
  }
}
