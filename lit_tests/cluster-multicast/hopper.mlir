// Two workgroups along M share B: each moves half of a tile to both, a slot of `empty` counts the readers of
// both, and nobody leaves while the other may signal. Without mbarriers of that kind the cluster's barrier
// follows the workgroup's, when all reads are over. With 2 x 2, A and B come from a row and a column: three
// workgroups fill one's LDS.
// RUN: ladder show %s --target sm_90a --passes=level9 | FileCheck %s
// RUN: ladder show %s --target sm_90a --passes='level7,cluster-multicast{dims=2x1}' | FileCheck %s --check-prefix=SYNC
// RUN: ladder show %s --target sm_90a --passes='level8,cluster-multicast{dims=2x2}' | FileCheck %s --check-prefix=BOTH
// RUN: ladder show %s --target sm_90a --passes='level8,cluster-multicast{dims=2x1 multicast=false}' | FileCheck %s --check-prefix=ALONE
// RUN: ladder run %s --target sm_90a --passes='level9' --device interp:random,seed=1
// RUN: ladder run %s --target sm_90a --passes='level8,cluster-multicast{dims=2x2}' --device interp

// CHECK: known_cluster_size = array<i32: 2, 1, 1>, known_grid_size = array<i32: 4, 2, 1>
// CHECK: %empty = "tile.barrier_create"() {arrivals = 16 : i64, kind = "mbarrier", name = "empty", scope = "cluster"}
// CHECK: %maskB = arith.constant 3 : i32
// CHECK: "tile.copy_async"(%A, %A_LDS, %c0, {{.*}}, %full, %c0)
// CHECK-NOT: parts
// CHECK: [[HALF:%part.*]] = arith.addi {{.*}}, %[[RANK:.*]] :
// CHECK: [[DOWN:%start.*]] = arith.muli %[[RANK]], %c128
// CHECK: [[ROW:%start.*]] = arith.addi %block#1, [[DOWN]]
// CHECK: "tile.copy_async"(%B, %B_LDS, [[HALF]], [[ROW]], %c0, {{.*}}, %maskB, %full, %c0) {{.*}}parts = [2, 1]
// CHECK: scf.for
// CHECK: "tile.arrive"(%empty, %{{.*}}, %maskB)
// CHECK: "tile.copy_async"(%B, {{.*}}parts = [2, 1]
// CHECK: "tile.store"
// CHECK: "tile.barrier"(%[[ALL:.*]])
// CHECK-NEXT: "tile.arrive"(%cluster) {issuer = 0
// CHECK-NEXT: "tile.wait_barrier"(%cluster)
// CHECK-NEXT: gpu.return

// SYNC: scf.for
// SYNC: "tile.wait_barrier"(%bar)
// SYNC-NEXT: "tile.arrive"(%cluster) {issuer = 0
// SYNC: "tile.wait_barrier"(%cluster)
// SYNC-NEXT: scf.yield
// SYNC-NOT: %cluster

// BOTH: %empty = "tile.barrier_create"() {arrivals = 24 : i64,
// BOTH: [[PEERS:%.*]] = arith.ori %maskB, %maskA
// BOTH: "tile.copy_async"(%A, {{.*}}, %maskA, %full, {{.*}}parts = [2, 1]
// BOTH: "tile.arrive"(%empty, %{{.*}}, [[PEERS]])

// ALONE: known_cluster_size = array<i32: 2, 1, 1>
// ALONE-NOT: scope = "cluster"
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @mm(%A: tensor<296x320xbf16>, %B: tensor<264x320xbf16>, %C: tensor<296x264xf32>) -> tensor<296x264xf32> {
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%A, %B : tensor<296x320xbf16>, tensor<264x320xbf16>) outs(%C : tensor<296x264xf32>) -> tensor<296x264xf32>
  return %r : tensor<296x264xf32>
}
