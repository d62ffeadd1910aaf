// Other names and order, an unrelated op, a ring that no product reads, one that is swizzled already.
// RUN: ladder-opt --pass=swizzle-lds %s | FileCheck %s

// CHECK: %[[C:.*]] = "tile.alloc"() {name = "scratch"} : () -> !tile.lds<[1, 16, 32], f32, {interval = 128 : i64, pad = 16 : i64}>
// CHECK: %[[R:.*]] = "tile.alloc"() {name = "right"} : () -> !tile.lds<[3, 32, 96], f16, {block = 64 : i64, swizzle = 64 : i64}>
// CHECK: %[[L:.*]] = "tile.alloc"() {name = "left"} : () -> !tile.lds<[2, 32, 32], f16, {block = 64 : i64, swizzle = 64 : i64}>
// CHECK: scf.for
// CHECK: memref.store
// CHECK: "tile.load"(%[[R]], {{.*}}) {transpose = true} : (!tile.lds<[3, 32, 96], f16, {block = 64 : i64, swizzle = 64 : i64}>
// CHECK: "tile.store"({{.*}}%[[C]]
!scratch = !tile.lds<[1, 16, 32], f32, {interval = 128, pad = 16}>
!right = !tile.lds<[3, 32, 96], f16, {interval = 64, pad = 32}>
!left = !tile.lds<[2, 32, 32], f16, {block = 64, swizzle = 64}>
!acc = !tile.frag<[16, 32], f32, "acc">
gpu.module @m attributes {tile.target = "sm_120"} {
  gpu.func @odd(%log: memref<8xf32>, %x: memref<64x64xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %f = arith.constant 1.0 : f32
    %u = "tile.zero"() : () -> !acc
    %s = "tile.alloc"() {name = "scratch"} : () -> !scratch
    %r = "tile.alloc"() {name = "right"} : () -> !right
    %l = "tile.alloc"() {name = "left"} : () -> !left
    scf.for %i = %zero to %eight step %one {
      memref.store %f, %log[%i] : memref<8xf32>
      %b = "tile.load"(%r, %zero, %zero, %zero) {transpose = true} : (!right, index, index, index) -> !tile.frag<[96, 32], f16, "b">
      %a = "tile.load"(%l, %one, %zero, %zero) {transpose = false} : (!left, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    }
    "tile.store"(%u, %s, %zero, %zero, %zero) : (!acc, !scratch, index, index, index) -> ()
    gpu.return
  }
}
