// Asynchronous copies: as wide as the alignment, no displacement in the instruction, zeros from the
// lane where nothing exists, shared with the cluster where a mask says so.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// 32 x 64 elements by 64 lanes: 4 pieces of 16 bytes each, 8 rows apart, of slot 1.
// CHECK-LABEL: gpu.func @wide
// CHECK-NOT: scf.if
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[4352] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: rocdl.global.load.async.to.lds.b128 %{{.*}}, %[[FIRST]], 0, 0
// CHECK: llvm.getelementptr %[[FIRST]][1088]
// CHECK-COUNT-3: rocdl.global.load.async.to.lds.b128 {{.*}}, 0, 0
// CHECK: rocdl.s.wait.asynccnt 0
// CHECK-NOT: tensorcnt

// Columns that exist come in pairs.
// CHECK-LABEL: gpu.func @narrow
// CHECK: %[[THERE:.*]] = arith.cmpi slt
// CHECK: scf.if %[[THERE]] {
// CHECK-NEXT: rocdl.global.load.async.to.lds.b32
// CHECK-NEXT: } else {
// CHECK-NEXT: llvm.store %{{.*}} {alignment = 4 : i64} : vector<2xbf16>, !llvm.ptr<3>
// CHECK-NEXT: }

// Wave 1 moves all of it, under its predicate.
// CHECK-LABEL: gpu.func @cluster
// CHECK: scf.if
// CHECK-COUNT-8: rocdl.cluster.load.async.to.lds.b128 {{.*}}, 0, 0, %c3_i32
// CHECK-NOT: tile.

!whole = !tile.lds<[2, 32, 64], bf16, {interval = 256, pad = 16}>
!pairs = !tile.lds<[1, 8, 16], bf16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @wide(%x: memref<64x128xbf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 2, 1>} {
    %t = arith.constant 1 : index
    %h = arith.constant 32 : index
    %w = arith.constant 64 : index
    %r, %c = "tile.block_coord"() {tile = [32, 64]} : () -> (index, index)
    %ring = "tile.alloc"() {name = "R"} : () -> !whole
    "tile.copy_async"(%x, %ring, %t, %r, %c, %h, %w) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<64x128xbf16>, !whole, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
  gpu.func @narrow(%x: memref<8x10xbf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0 : index
    %h = arith.constant 8 : index
    %w = arith.constant 10 : index
    %ring = "tile.alloc"() {name = "R"} : () -> !pairs
    "tile.copy_async"(%x, %ring, %z, %z, %z, %h, %w) {align = 4, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<8x10xbf16>, !pairs, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
  gpu.func @cluster(%x: memref<64x128xbf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 2, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %t = arith.constant 0 : index
    %h = arith.constant 32 : index
    %w = arith.constant 64 : index
    %three = arith.constant 3 : i32
    %r, %c = "tile.block_coord"() {tile = [32, 64]} : () -> (index, index)
    %some = arith.cmpi eq, %r, %t : index
    %ring = "tile.alloc"() {name = "R"} : () -> !whole
    "tile.copy_async"(%x, %ring, %t, %t, %c, %h, %w, %some, %three) {align = 16, engine = "async", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0>} : (memref<64x128xbf16>, !whole, index, index, index, index, index, i1, i32) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
}
