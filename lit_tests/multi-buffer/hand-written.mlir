// A loop that no pass of ours emits: one ring, run-time bounds, the fill's extent computed in the
// loop, an unrelated op between, a split barrier. Three stages: two are filled ahead.
// RUN: ladder-opt --passes='multi-buffer{stages=3},verify-tile' %s | FileCheck %s

// CHECK: gpu.func @f(%{{.*}}: memref<64x100xf16>, [[LO:%.*]]: index, [[HI:%.*]]: index)
// CHECK: "tile.alloc"() : () -> !tile.lds<[3, 16, 32], f16, {}>
// CHECK: [[LAST:%.*]] = arith.maxsi
// CHECK: "tile.copy"({{.*}}, {{.*}}, %c0, %{{.*}}, [[LO]],
// CHECK: [[AHEAD:%.*]] = arith.addi [[LO]], %c32
// CHECK: [[SECOND:%.*]] = arith.minsi [[AHEAD]], [[LAST]]
// CHECK: "tile.copy"({{.*}}, {{.*}}, %c1, %{{.*}}, [[SECOND]],
// CHECK: "tile.wait"() {kind = "copy"
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK: scf.for [[T:%.*]] = [[LO]] to [[HI]]
// CHECK: arith.addi %current, %c2
// CHECK: [[FAR:%.*]] = arith.remui %{{.*}}, %c3
// CHECK: arith.addi %current, %c1
// CHECK: [[NEXT:%.*]] = arith.remui %{{.*}}, %c3
// CHECK: arith.addi [[T]], %c64
// CHECK: [[BLOCK:%.*]] = arith.minsi {{.*}}, [[LAST]]
// CHECK: [[LEFT:%.*]] = arith.subi %{{.*}}, [[BLOCK]]
// CHECK: "tile.copy"({{.*}}, {{.*}}, [[FAR]], %{{.*}}, [[BLOCK]], %{{.*}}, [[LEFT]])
// CHECK-NEXT: gpu.lane_id
// CHECK-NEXT: "tile.load"({{.*}}, %current,
// CHECK: scf.yield {{.*}}, [[NEXT]]
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<64x100xf16>, %lo: index, %hi: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c16 = arith.constant 16 : index
    %c100 = arith.constant 100 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[1, 16, 32], f16, {}>
    %everyone = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %b = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %init = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %sum = scf.for %t = %lo to %hi step %c32 iter_args(%c = %init) -> (!tile.frag<[16, 16], f32, "acc">) {
      %left = arith.subi %c100, %t : index
      "tile.copy"(%x, %ring, %zero, %zero, %t, %c16, %left) {align = 8} : (memref<64x100xf16>, !tile.lds<[1, 16, 32], f16, {}>, index, index, index, index, index) -> ()
      %lane = gpu.lane_id
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%everyone) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      "tile.wait_barrier"(%everyone) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      %a = "tile.load"(%ring, %zero, %zero, %zero) {transpose = false} : (!tile.lds<[1, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      %d = "tile.mma"(%a, %b, %c) : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
      "tile.barrier"(%everyone) : (!tile.bar<1>) -> ()
      scf.yield %d : !tile.frag<[16, 16], f32, "acc">
    }
    gpu.return
  }
}
