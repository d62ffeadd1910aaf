// Level 9 of the ladder: masks of a row and a column of the cluster, on the way in and in the loop; the
// cluster's barrier beside the workgroup's, signalled by wave 0. 3 x 2 tiles make one cluster of 4 x 4.
// RUN: ladder show %s --passes=level9 | FileCheck %s
// RUN: ladder show %s --passes=level9-nomc | FileCheck %s --check-prefix=NOMC
// RUN: ladder show %s --passes=level12 | FileCheck %s --check-prefix=CARRY

// CHECK: known_cluster_size = array<i32: 4, 4, 1>, known_grid_size = array<i32: 4, 4, 1>
// CHECK: %cluster = "tile.barrier_create"() {arrivals = 16 : i64, kind = "hw", scope = "cluster"}
// CHECK: %[[X:.*]] = gpu.cluster_block_id x
// CHECK: %[[X32:.*]] = arith.index_cast %[[X]] : index to i32
// CHECK: %maskA = arith.shli %c4369_i32, %[[X32]]
// CHECK: %[[Y4:.*]] = arith.muli %{{.*}}, %c4_i32
// CHECK: %maskB = arith.shli %c15_i32, %[[Y4]]
// Workgroups 3 along x and 2, 3 along y have no tile.
// CHECK: [[M:%.*]] = arith.subi %c768, %block#0
// CHECK: [[ROWS:%valid.*]] = arith.minsi [[M]], %c256
// CHECK: "tile.copy_async"(%A, %A_LDS, %c0, %block#0, %c0, [[ROWS]], %c128, %maskA) {{.*}}engine = "tdm", issuer = 0
// CHECK: "tile.copy_async"(%B, %B_LDS, %c0, %block#1, %c0, {{.*}}, %c128, %maskB) {{.*}}engine = "tdm", issuer = 1
// CHECK: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.arrive"(%cluster) {issuer = 0
// CHECK-NEXT: "tile.wait_barrier"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%cluster)
// CHECK: scf.for
// CHECK: "tile.copy_async"(%A, {{.*}}, %maskA)
// CHECK: "tile.copy_async"(%B, {{.*}}, %maskB)
// CHECK: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.arrive"(%cluster) {issuer = 0
// CHECK: "tile.mma"
// CHECK: "tile.wait_barrier"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%cluster)
// CHECK: scf.yield

// NOMC: known_cluster_size = array<i32: 4, 4, 1>
// NOMC-NOT: mask
// NOMC: "tile.arrive"(%cluster)

// Only fills must wait for the cluster: the next stage's loads and the rest of the product go first.
// CARRY: scf.for
// CARRY: "tile.arrive"(%cluster)
// CARRY-NEXT: "tile.wait_barrier"(%bar)
// CARRY-NOT: "tile.wait_barrier"(%cluster)
// CARRY: "tile.mma"
// CARRY: "tile.sched_fence"
// CARRY-NEXT: "tile.wait_barrier"(%cluster)
// CARRY-NEXT: scf.yield
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @mm(%A: tensor<768x512xbf16>, %B: tensor<512x512xbf16>, %C: tensor<768x512xf32>) -> tensor<768x512xf32> {
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%A, %B : tensor<768x512xbf16>, tensor<512x512xbf16>) outs(%C : tensor<768x512xf32>) -> tensor<768x512xf32>
  return %r : tensor<768x512xf32>
}
