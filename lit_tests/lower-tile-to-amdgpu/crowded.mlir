// 64 x 128 and 128 x 64 operands beside 64 x 64 sums are 384 registers, a lane of 512 threads has
// 256: each step of 32 of K is read and multiplied by itself, behind the copy. The loop has one trip
// and stays a loop.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// CHECK: %[[END:.*]] = llvm.inline_asm "", "=s,0" %c128_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[END]]
// CHECK: rocdl.global.load.async.to.lds.b128
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-COUNT-16: rocdl.wmma
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-COUNT-16: rocdl.wmma
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-COUNT-16: rocdl.wmma
// CHECK-COUNT-16: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-COUNT-16: rocdl.wmma
// The hand-off drains LDS, so that the wait before the products may be nothing.
// CHECK-NOT: llvm.load
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK: rocdl.s.barrier.signal id = -1

// A block that says how its instructions are grouped is left as it is: a wait, then the products.
// CHECK-LABEL: gpu.func @grouped
// CHECK-COUNT-64: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK-COUNT-64: rocdl.wmma

!ring = !tile.lds<[2, 256, 128], bf16, {interval = 256, pad = 16}>
!a = !tile.frag<[64, 128], bf16, "a">
!b = !tile.frag<[128, 64], bf16, "b">
!acc = !tile.frag<[64, 64], f32, "acc">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @wide(%p: memref<256x128xbf16>, %log: memref<4xf32>, %out: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0 : index
    %t = arith.constant 1 : index
    %h = arith.constant 256 : index
    %w = arith.constant 128 : index
    %f = arith.constant 2.0 : f32
    %n = arith.constant 64 : index
    %bar = "tile.barrier_create"() {arrivals = 16, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %x = "tile.alloc"() {name = "X"} : () -> !ring
    %s = "tile.zero"() : () -> !acc
    %r = scf.for %k = %z to %w step %w iter_args(%sum = %s) -> (!acc) {
      %v = "tile.load"(%x, %z, %n, %z) {transpose = true} : (!ring, index, index, index) -> !b
      %u = "tile.load"(%x, %z, %z, %z) {transpose = false} : (!ring, index, index, index) -> !a
      memref.store %f, %log[%z] : memref<4xf32>
      "tile.copy_async"(%p, %x, %t, %z, %z, %h, %w) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<256x128xbf16>, !ring, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      %d = "tile.mma"(%u, %v, %sum) {atom = "wmma_f32_16x16x32_bf16", order = "ba"} : (!a, !b, !acc) -> !acc
      "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      scf.yield %d : !acc
    }
    "tile.store"(%r, %out, %z, %z) : (!acc, memref<64x64xf32>, index, index) -> ()
    gpu.return
  }
  gpu.func @grouped(%out: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0 : index
    %n = arith.constant 64 : index
    %x = "tile.alloc"() {name = "X"} : () -> !ring
    %s = "tile.zero"() : () -> !acc
    %v = "tile.load"(%x, %z, %n, %z) {transpose = true} : (!ring, index, index, index) -> !b
    %u = "tile.load"(%x, %z, %z, %z) {transpose = false} : (!ring, index, index, index) -> !a
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    %d = "tile.mma"(%u, %v, %s) {atom = "wmma_f32_16x16x32_bf16", order = "ba"} : (!a, !b, !acc) -> !acc
    "tile.sched_group"() {kind = "mma", count = 64, group = 0} : () -> ()
    "tile.store"(%d, %out, %z, %z) : (!acc, memref<64x64xf32>, index, index) -> ()
    gpu.return
  }
}
