// A whole tile by the TDM: two vectors of words, of which a loop changes the LDS byte and the
// address; wave 1 alone issues; the mask is in word 0 beside element size, padding and its interval.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// CHECK-LABEL: gpu.func @shared
// CHECK-SAME: cluster = [4, 1, 1]
// 2-byte elements, 16 bytes after each 256, and 15, the workgroups of the cluster.
// CHECK-DAG: %[[HEAD:.*]] = arith.constant 122748943 : i32
// 64 columns and rows are left, which is the tile; rows are 256 elements apart.
// CHECK-DAG: %[[SHAPE:.*]] = arith.constant dense<[0, 4194304, 4194304, 4194304, 64, 256, 0, 0]> : vector<8xi32>
// CHECK-DAG: %[[PLACE:.*]] = arith.constant dense<[1, 0, 0, 0]> : vector<4xi32>
// CHECK: scf.for
// CHECK: %[[WAVE:.*]] = llvm.call_intrinsic "llvm.amdgcn.wave.id"
// CHECK: %[[ISSUES:.*]] = arith.cmpi eq, %[[WAVE]], %c1_i32
// CHECK: scf.if %[[ISSUES]] {
// CHECK: llvm.insertelement %{{.*}}, %[[PLACE]][%c1_i32 : i32]
// CHECK: %[[WHERE:.*]] = llvm.insertelement %{{.*}}[%c3_i32 : i32]
// CHECK: %[[WHAT:.*]] = llvm.insertelement %[[HEAD]], %[[SHAPE]][%c0_i32 : i32]
// CHECK-NEXT: rocdl.tensor.load.to.lds.d2 %[[WHERE]], %[[WHAT]] cachepolicy 0
// CHECK: rocdl.s.wait.tensorcnt 0
// CHECK-NOT: asynccnt

// An edge: what is left of 50 rows is a word, never a negative one; nobody shares (there is no
// cluster); a predicate is a branch.
// CHECK-LABEL: gpu.func @edge
// CHECK: arith.constant dense<[131072, 2097152, 0, 0, 16, 32, 0, 0]> : vector<8xi32>
// CHECK: %[[LEFT:.*]] = arith.minsi
// CHECK: scf.if %{{.*}} {
// CHECK: arith.maxsi %{{.*}}, %c0_i32
// CHECK: arith.shli
// CHECK: rocdl.tensor.load.to.lds.d2
// CHECK-NOT: tile.

!slot = !tile.lds<[2, 64, 64], bf16, {interval = 256, pad = 16}>
!one = !tile.lds<[1, 16, 32], f32, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @shared(%g: memref<1024x256xbf16>, %log: memref<4xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 16, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %n = arith.constant 64 : index
    %end = arith.constant 256 : index
    %f = arith.constant 1.0 : f32
    %share = arith.constant 15 : i32
    %ring = "tile.alloc"() {name = "R"} : () -> !slot
    %m, %u = "tile.block_coord"() {tile = [64, 64]} : () -> (index, index)
    scf.for %k = %z to %end step %n iter_args(%slot = %z) -> (index) {
      %more = arith.addi %slot, %one : index
      %next = arith.remui %more, %two : index
      memref.store %f, %log[%z] : memref<4xf32>
      "tile.copy_async"(%g, %ring, %slot, %m, %k, %n, %n, %share) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>} : (memref<1024x256xbf16>, !slot, index, index, index, index, index, i32) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      scf.yield %next : index
    }
    gpu.return
  }
  gpu.func @edge(%g: memref<50x32xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 5, 1, 1>} {
    %z = arith.constant 0 : index
    %h = arith.constant 16 : index
    %w = arith.constant 32 : index
    %fifty = arith.constant 50 : index
    %share = arith.constant 3 : i32
    %ring = "tile.alloc"() {name = "R"} : () -> !one
    %m, %u = "tile.block_coord"() {tile = [16, 32]} : () -> (index, index)
    %below = arith.subi %fifty, %m : index
    %left = arith.minsi %below, %h : index
    %wanted = arith.cmpi slt, %m, %fifty : index
    "tile.copy_async"(%g, %ring, %z, %m, %z, %left, %w, %wanted, %share) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0>} : (memref<50x32xf32>, !one, index, index, index, index, index, i1, i32) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
}
