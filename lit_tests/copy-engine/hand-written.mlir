// Loops that no pass of ours makes. @tensor: three stages, run-time bounds, a fill without a bound, an
// op between; what the loop counts stays under way, so nothing is left out. @mover: slots carried as a pair that swaps, f16, the barrier
// before the products, a predicate that is there already. @one: a single stage, the slot a constant.
// RUN: ladder-opt --split-input-file --passes='copy-engine,verify-tile' %s | FileCheck %s

// CHECK-LABEL: gpu.func @tensor
// CHECK: "tile.copy_async"(%{{.*}}, [[X:%[0-9]+]], %c0, {{.*}} {align = 2 : i64, engine = "tdm", issuer = 0 : i64
// CHECK: "tile.copy_async"(%{{.*}}, [[Y:%[0-9]+]], %c0, {{.*}} {align = 2 : i64, engine = "tdm", issuer = 1 : i64
// CHECK: "tile.wait"() {kind = "copy", pending = 1 : i64}
// CHECK: scf.for
// CHECK: [[BLOCK:%[0-9]+]] = arith.addi %arg{{.*}}, %c64
// CHECK: gpu.lane_id
// CHECK-NEXT: "tile.load"([[X]]
// CHECK-NEXT: "tile.load"([[Y]]
// CHECK-NEXT: "tile.copy_async"({{.*}}, [[X]], {{.*}}, [[BLOCK]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {align = 2 : i64, engine = "tdm", issuer = 0 : i64
// CHECK-NEXT: "tile.copy_async"({{.*}}, [[Y]], {{.*}}, [[BLOCK]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {align = 2 : i64, engine = "tdm", issuer = 1 : i64
// CHECK-NEXT: "tile.wait"() {kind = "lds"
// CHECK-NEXT: "tile.mma"
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 1 : i64}
// CHECK: scf.yield
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
!ring = !tile.lds<[3, 16, 32], f16, {}>
!a = !tile.frag<[16, 32], f16, "a">
!b = !tile.frag<[32, 16], f16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
gpu.module @amd attributes {tile.target = "gfx1250"} {
  gpu.func @tensor(%x: memref<64x101xf16>, %hi: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c101 = arith.constant 101 : index
    %xs = "tile.alloc"() : () -> !ring
    %ys = "tile.alloc"() : () -> !ring
    %everyone = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %init = "tile.zero"() : () -> !acc
    "tile.copy"(%x, %xs, %c0, %c0, %c0, %c16, %c32) {align = 2} : (memref<64x101xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy"(%x, %ys, %c0, %c32, %c0, %c16, %c32) {align = 2} : (memref<64x101xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy"(%x, %xs, %c1, %c0, %c32, %c16, %c32) {align = 2} : (memref<64x101xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy"(%x, %ys, %c1, %c32, %c32, %c16, %c32) {align = 2} : (memref<64x101xf16>, !ring, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%everyone) : (!tile.bar<1>) -> ()
    %sum:2 = scf.for %t = %c0 to %hi step %c32 iter_args(%c = %init, %now = %c0) -> (!acc, index) {
      %far = arith.addi %now, %c2 : index
      %there = arith.remui %far, %c3 : index
      %more = arith.addi %now, %c1 : index
      %wraps = arith.cmpi eq, %more, %c3 : index
      %then = arith.select %wraps, %c0, %more : index
      %u = arith.addi %t, %c64 : index
      %left = arith.subi %c101, %u : index
      "tile.copy"(%x, %xs, %there, %c0, %u, %c16, %left) {align = 2} : (memref<64x101xf16>, !ring, index, index, index, index, index) -> ()
      "tile.copy"(%x, %ys, %there, %c32, %u, %c16, %left) {align = 2} : (memref<64x101xf16>, !ring, index, index, index, index, index) -> ()
      %lane = gpu.lane_id
      %a = "tile.load"(%xs, %now, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
      %b = "tile.load"(%ys, %now, %c0, %c0) {transpose = true} : (!ring, index, index, index) -> !b
      %d = "tile.mma"(%a, %b, %c) : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%everyone) : (!tile.bar<1>) -> ()
      scf.yield %d, %then : !acc, index
    }
    gpu.return
  }
}

// -----
// CHECK-LABEL: gpu.func @mover
// CHECK: [[BAR:%full]] = "tile.barrier_create"() {arrivals = 1 : i64, kind = "mbarrier", name = "full", scope = "workgroup"} : () -> !tile.bar<2 : i64>
// CHECK: [[SOME:%more]] = arith.cmpi slt, %c0, %arg
// CHECK-NEXT: scf.if [[SOME]] {
// CHECK-NEXT: "tile.arrive"([[BAR]], %c0) {issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 1024 : i64}
// CHECK-NEXT: "tile.copy_async"({{.*}}, [[BAR]], %c0) {align = 16 : i64, engine = "tma", issuer = 0 : i64
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = {{.*}}, [[CUR:%arg[0-9]+]] = %c0, [[NXT:%arg[0-9]+]] = %c1, [[PHASE:%phase]] = %c0)
// CHECK: scf.if [[MINE:%[0-9]+]] {
// CHECK-NEXT: "tile.arrive"([[BAR]], [[NXT]])
// CHECK-NEXT: "tile.copy_async"({{.*}}, [[BAR]], [[NXT]])
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: "tile.wait_barrier"([[BAR]], [[CUR]], [[PHASE]])
// CHECK-NEXT: "tile.load"
// CHECK: "tile.arrive"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 0, 0>}
// CHECK-NEXT: "tile.mma"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: [[WRAPS:%wraps]] = arith.cmpi eq, [[NXT]], %c0
// CHECK: scf.yield {{.*}}, [[NXT]], [[CUR]], %{{.*}}

// CHECK-LABEL: gpu.func @one
// CHECK: scf.for
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.copy_async"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.load"
// CHECK-NEXT: "tile.wait"() {kind = "lds"
// CHECK-NEXT: "tile.barrier"
!two = !tile.lds<[2, 16, 32], f16, {}>
!first = !tile.lds<[1, 16, 32], f16, {}>
!a = !tile.frag<[16, 32], f16, "a">
!b = !tile.frag<[32, 16], f16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
gpu.module @nvidia attributes {tile.target = "sm_90a"} {
  gpu.func @mover(%x: memref<64x128xf16>, %hi: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !two
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %init = "tile.zero"() : () -> !acc
    %b = "tile.zero"() : () -> !b
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<64x128xf16>, !two, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %sum:3 = scf.for %t = %c0 to %hi step %c32 iter_args(%c = %init, %cur = %c0, %nxt = %c1) -> (!acc, index, index) {
      %a = "tile.load"(%ring, %cur, %c0, %c0) {transpose = false} : (!two, index, index, index) -> !a
      %u = arith.addi %t, %c32 : index
      %mine = arith.cmpi ult, %u, %hi : index
      "tile.copy"(%x, %ring, %nxt, %c0, %u, %c16, %c32, %mine) {align = 16} : (memref<64x128xf16>, !two, index, index, index, index, index, i1) -> ()
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      %d = "tile.mma"(%a, %b, %c) : (!a, !b, !acc) -> !acc
      "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      scf.yield %d, %nxt, %cur : !acc, index, index
    }
    gpu.return
  }
  gpu.func @one(%x: memref<64x128xf16>, %hi: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !first
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    scf.for %t = %c0 to %hi step %c32 {
      "tile.copy"(%x, %ring, %c0, %c0, %t, %c16, %c32) {align = 16} : (memref<64x128xf16>, !first, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!first, index, index, index) -> !a
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    gpu.return
  }
}
