// The top of the Hopper ladder: two warpgroups, each 64 rows of the tile, half of its columns at a time.
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x256x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer{stages=4},async-copies,swizzle-lds,copy-engine,wgmma,split-barriers,stage-epilogue{alias=false columns=128},warp-specialize,persistent,split-epilogue' %s | FileCheck %s

// CHECK: %[[C:.*]] = "tile.alloc"() {name = "C_LDS"} : () -> !tile.lds<[2, 64, 128], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: %[[OWN:.*]] = "tile.barrier_create"() {arrivals = 4 : i64, kind = "mbarrier", name = "own", scope = "workgroup"} : () -> !tile.bar<2 : i64>
// CHECK: } else {
// CHECK: "tile.mma"
// CHECK: "tile.wait_barrier"(%[[OWN]], %[[G:.*]], %c0{{[_0-9]*}})
// CHECK: "tile.store"(%{{.*}}, %[[C]], %[[G]], {{.*}} {cols = [0, 128]}
// CHECK: "tile.wait_barrier"(%[[OWN]], %[[G]], %c1{{[_0-9]*}})
// CHECK: scf.if
// CHECK-NEXT: "tile.copy_async"(%[[C]]
// CHECK: "tile.wait_barrier"(%[[OWN]], %[[G]], %c0{{[_0-9]*}})
// CHECK: "tile.store"(%{{.*}}, %[[C]], %[[G]], {{.*}} {cols = [128, 128]}
// CHECK: "tile.wait_barrier"(%[[OWN]], %[[G]], %c1{{[_0-9]*}})
// CHECK: scf.if
// CHECK-NEXT: "tile.copy_async"(%[[C]]
func.func @mm(%A: memref<8192x8192xbf16>, %B: memref<8192x8192xbf16>, %C: memref<8192x8192xbf16>) {
  %z = arith.constant 0.0 : bf16
  linalg.fill ins(%z : bf16) outs(%C : memref<8192x8192xbf16>)
  linalg.matmul ins(%A, %B : memref<8192x8192xbf16>, memref<8192x8192xbf16>) outs(%C : memref<8192x8192xbf16>)
  return
}
