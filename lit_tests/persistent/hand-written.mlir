// IR that no pass of ours emits: clusters of two workgroups along M and two along N, coordinates
// used through arithmetic of other names, an unrelated op, an op among the work that does not depend
// on the tile, and the cluster's farewell behind the loop.
// RUN: ladder-opt --passes='persistent{grid=9},verify-tile' %s | FileCheck %s

// CHECK: known_cluster_size = array<i32: 2, 2, 1>, known_grid_size = array<i32: 4, 2, 1>
// CHECK: [[UNRELATED:%.*]] = gpu.grid_dim x
// CHECK: [[BLOCK:%.*]] = gpu.block_id x
// CHECK-NEXT: [[UNIT:%.*]] = arith.divui [[BLOCK]], %c2
// CHECK-NEXT: scf.for [[TILE:%.*]] = [[UNIT]] to %c3{{.*}} step %c2
// CHECK-NEXT: [[I:%.*]] = arith.divui [[TILE]], %c1
// CHECK-NEXT: [[J:%.*]] = arith.remui [[TILE]], %c1
// CHECK-NEXT: [[UP:%.*]] = arith.muli [[I]], %c2
// CHECK-NEXT: [[RANK:%.*]] = gpu.cluster_block_id x
// CHECK-NEXT: [[ROW:%.*]] = arith.addi [[UP]], [[RANK]]
// CHECK-NEXT: [[M:%.*]] = arith.muli [[ROW]], %c16
// CHECK-NEXT: arith.muli [[J]], %c2
// CHECK-NEXT: gpu.cluster_block_id y
// CHECK: [[HALF:%.*]] = arith.addi [[M]], %c8
// CHECK: "tile.load"(%{{.*}}, [[HALF]],
// CHECK: "tile.store"
// CHECK: "tile.barrier"
// CHECK: }
// CHECK-NEXT: "tile.arrive"({{.*}}) {issuer = 0
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: gpu.return
!acc = !tile.frag<[8, 16], f32, "acc">
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%p: memref<96x32xf32>, %q: memref<96x32xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 6, 2, 1>, known_cluster_size = array<i32: 2, 2, 1>} {
    %c8 = arith.constant 8 : index
    %end = "tile.barrier_create"() {arrivals = 4, scope = "cluster", kind = "hw"} : () -> !bar
    %x, %y = "tile.block_coord"() {tile = [16, 16]} : () -> (index, index)
    %half = arith.addi %x, %c8 : index
    %a = "tile.load"(%p, %x, %y) {transpose = false} : (memref<96x32xf32>, index, index) -> !acc
    %unrelated = gpu.grid_dim x
    %b = "tile.load"(%p, %half, %y) {transpose = false} : (memref<96x32xf32>, index, index) -> !acc
    "tile.store"(%a, %q, %x, %y) : (!acc, memref<96x32xf32>, index, index) -> ()
    "tile.store"(%b, %q, %half, %y) : (!acc, memref<96x32xf32>, index, index) -> ()
    "tile.arrive"(%end) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%end) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    gpu.return
  }
}
