// Loops that no pass of ours makes. @shared: one stage, f16, a stored transposed, two products of one
// load of b, an unrelated op between, run-time bounds. @far: the slot is carried by other names, three
// stages, a start of the fragment that is not a constant; with carry, the address is made anew for the
// first stage and for the next.
// RUN: ladder-opt --passes='register-pipeline,verify-tile' %s | FileCheck %s
// RUN: split-file %s %t
// RUN: ladder-opt --passes='register-pipeline{carry=true},verify-tile' %t/far.mlir | FileCheck %s --check-prefix=CARRY

// CHECK-LABEL: gpu.func @shared
//      CHECK: [[LONG:%.*]] = "tile.alloc"() : () -> !tile.lds<[1, 64, 16]
//      CHECK: [[WIDE:%.*]] = "tile.alloc"() : () -> !tile.lds<[1, 64, 32]
//      CHECK: "tile.barrier"
//      CHECK: "tile.load"([[LONG]], %c0, %c0, %c0) {transpose = true} : {{.*}} -> !tile.frag<[16, 32], f16, "a">
// CHECK-NEXT: "tile.load"([[WIDE]], %c0, %c0, %c0) {transpose = false} : {{.*}} -> !tile.frag<[32, 32], f16, "b">
// CHECK-NEXT: "tile.sched_group"() {count = 6
//      CHECK: gpu.lane_id
//      CHECK: "tile.load"([[LONG]], %c0, %c32, %c0) {transpose = true}
// CHECK-NEXT: "tile.load"([[WIDE]], %c0, %c32, %c0) {transpose = false}
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 2
// CHECK-NEXT: [[S:%.*]] = "tile.mma"
// CHECK-NEXT: "tile.sched_group"() {count = 3 : i64, {{.*}}kind = "lds_read", repeat = 2
// CHECK-NEXT: "tile.sched_group"() {count = 1 : i64, {{.*}}kind = "mma", repeat = 2
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.mma"({{.*}}, {{.*}}, [[S]])
//      CHECK: "tile.load"([[LONG]], %c0, %c32, %c0)
//      CHECK: "tile.wait"() {kind = "lds", pending = 2
//      CHECK: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.mma"
// CHECK-NEXT: "tile.barrier"

// CHECK-LABEL: gpu.func @far
//      CHECK: scf.for
//      CHECK: "tile.load"({{.*}}, [[AT:%.*]], %c0, [[COL:%.*]]) {transpose = false} : {{.*}} -> !tile.frag<[16, 32], bf16, "a">
//      CHECK: [[NEXT:%.*]] = arith.addi [[COL]], %c32
// CHECK-NEXT: "tile.load"({{.*}}, [[AT]], %c0, [[NEXT]]) {transpose = false}

// CARRY-LABEL: gpu.func @far
//      CARRY: "tile.barrier"
//      CARRY: [[HALF:%.*]] = arith.divui %c0
// CARRY-NEXT: [[START:%.*]] = arith.muli [[HALF]], %c0
// CARRY-NEXT: "tile.load"({{.*}}, %c0, %c0, [[START]])
//      CARRY: scf.for
//      CARRY: "tile.barrier"
//      CARRY: arith.addi %{{.*}}, %c64
//      CARRY: "tile.load"({{.*}}, [[THEN:%.*]], %c0, %{{.*}}) {transpose = false}
//      CARRY: scf.yield %{{.*}}, [[THEN]],
!acc = !tile.frag<[16, 32], f32, "acc">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @shared(%x: memref<128x16xf16>, %y: memref<128x32xf16>, %lo: index, %hi: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %long = "tile.alloc"() : () -> !tile.lds<[1, 64, 16], f16, {}>
    %wide = "tile.alloc"() : () -> !tile.lds<[1, 64, 32], f16, {}>
    %all = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %zero = "tile.zero"() : () -> !acc
    %s:2 = scf.for %t = %lo to %hi step %c64 iter_args(%p = %zero, %q = %zero) -> (!acc, !acc) {
      "tile.copy"(%x, %long, %c0, %t, %c0, %c64, %c16) {align = 16} : (memref<128x16xf16>, !tile.lds<[1, 64, 16], f16, {}>, index, index, index, index, index) -> ()
      "tile.copy"(%y, %wide, %c0, %t, %c0, %c64, %c32) {align = 16} : (memref<128x32xf16>, !tile.lds<[1, 64, 32], f16, {}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%all) : (!tile.bar<1>) -> ()
      %b = "tile.load"(%wide, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 64, 32], f16, {}>, index, index, index) -> !tile.frag<[64, 32], f16, "b">
      %a = "tile.load"(%long, %c0, %c0, %c0) {transpose = true} : (!tile.lds<[1, 64, 16], f16, {}>, index, index, index) -> !tile.frag<[16, 64], f16, "a">
      %lane = gpu.lane_id
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      %d = "tile.mma"(%a, %b, %p) {atom = "wmma_f32_16x16x32_f16"} : (!tile.frag<[16, 64], f16, "a">, !tile.frag<[64, 32], f16, "b">, !acc) -> !acc
      %e = "tile.mma"(%a, %b, %q) {atom = "wmma_f32_16x16x32_f16"} : (!tile.frag<[16, 64], f16, "a">, !tile.frag<[64, 32], f16, "b">, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%all) : (!tile.bar<1>) -> ()
      scf.yield %d, %e : !acc, !acc
    }
    gpu.return
  }
}
//--- far.mlir
!ring = !tile.lds<[3, 32, 64], bf16, {}>
!frag = !tile.frag<[16, 64], bf16, "a">
!half = !tile.frag<[64, 32], bf16, "b">
!sum = !tile.frag<[16, 32], f32, "acc">
gpu.module @n attributes {tile.target = "gfx1250"} {
  gpu.func @far(%x: memref<32x512xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c384 = arith.constant 384 : index
    %c512 = arith.constant 512 : index
    %r = "tile.alloc"() : () -> !ring
    %all = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %zero = "tile.zero"() : () -> !sum
    "tile.copy"(%x, %r, %c0, %c0, %c0, %c32, %c64) {align = 16} : (memref<32x512xbf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy"(%x, %r, %c1, %c0, %c64, %c32, %c64) {align = 16} : (memref<32x512xbf16>, !ring, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%all) : (!tile.bar<1>) -> ()
    %s:2 = scf.for %t = %c0 to %c384 step %c64 iter_args(%p = %zero, %now = %c0) -> (!sum, index) {
      %half = arith.divui %t, %c64 : index
      %start = arith.muli %half, %c0 : index
      %a = "tile.load"(%r, %now, %c0, %start) {transpose = false} : (!ring, index, index, index) -> !frag
      %b = "tile.load"(%r, %now, %c0, %c0) {transpose = true} : (!ring, index, index, index) -> !half
      %two = arith.addi %now, %c2 : index
      %there = arith.remui %two, %c3 : index
      %u = arith.addi %t, %c64 : index
      %v = arith.addi %u, %c64 : index
      "tile.copy"(%x, %r, %there, %c0, %v, %c32, %c64) {align = 16} : (memref<32x512xbf16>, !ring, index, index, index, index, index) -> ()
      %d = "tile.mma"(%a, %b, %p) {atom = "wmma_f32_16x16x32_bf16"} : (!frag, !half, !sum) -> !sum
      %one = arith.addi %now, %c1 : index
      %then = arith.remui %one, %c3 : index
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%all) : (!tile.bar<1>) -> ()
      scf.yield %d, %then : !sum, index
    }
    gpu.return
  }
}
