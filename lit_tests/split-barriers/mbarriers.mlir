// Where the engine completes `full`, the workgroup's barrier only hands stages back: it becomes
// `empty`, for which the wave that fills waits alone. Products from registers hand the stage back
// before the last of them; products that read LDS in place hand back the stage before theirs, and the
// fill stands behind them, so that the next product is under way while the last one ends.
// RUN: ladder-opt --target sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=2x4},promote-to-lds,matrix-core,multi-buffer{stages=3},async-copies,register-pipeline,swizzle-lds,copy-engine,split-barriers,verify-tile' %s | FileCheck %s
// RUN: ladder-opt --target sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer{stages=4},async-copies,swizzle-lds,copy-engine,wgmma,split-barriers,verify-tile' %s | FileCheck %s --check-prefix=PLACE
// RUN: ladder-opt --target sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer,async-copies,swizzle-lds,wgmma,split-barriers,verify-tile' %s 2>&1 | FileCheck %s --check-prefix=STAYS

//      CHECK: %empty = "tile.barrier_create"() {arrivals = 8 : i64, kind = "mbarrier", name = "empty", scope = "workgroup"} : () -> !tile.bar<3 : i64>
//      CHECK: scf.for {{.*}} %current = %c0, %phase = %c0, [[FREE:%free]] = %c1)
//      CHECK: [[NEXT:%next.*]] = arith.remui
//      CHECK: scf.if
//      CHECK: arith.cmpi eq, %wave, %c0
// CHECK-NEXT: scf.if
// CHECK-NEXT: "tile.wait_barrier"(%empty, [[NEXT]], [[FREE]])
// CHECK-NEXT: "tile.arrive"({{.*}}, [[NEXT]]) {issuer = 0
// CHECK-NEXT: "tile.copy_async"(%A, %A_LDS, [[NEXT]]
// CHECK-NEXT: "tile.copy_async"(%B, %B_LDS, [[NEXT]]
//      CHECK: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.arrive"(%empty, %current)
// CHECK-NEXT: "tile.mma"
//  CHECK-NOT: "tile.wait_barrier"
//      CHECK: [[WRAPS:%.*]] = arith.cmpi eq, [[NEXT]], %c2
// CHECK-NEXT: [[FLIP:%.*]] = arith.subi %c1, [[FREE]]
// CHECK-NEXT: [[THEN:%.*]] = arith.select [[WRAPS]], [[FLIP]], [[FREE]]
// CHECK-NEXT: scf.yield {{.*}}, [[THEN]]

//      PLACE: scf.for {{.*}} %current = %c0, %phase = %c0, [[FREE:%free]] = %c0)
//      PLACE: [[NEXT:%next.*]] = arith.remui
//      PLACE: "tile.wait_barrier"({{.*}}, %current, %phase)
// PLACE-NEXT: "tile.mma"(%A_LDS, %B_LDS,
// PLACE-NEXT: "tile.wait"() {kind = "lds", pending = 1 : i64}
// PLACE-NEXT: "tile.arrive"(%empty, [[NEXT]])
// PLACE-NEXT: scf.if
//      PLACE: scf.if
// PLACE-NEXT: "tile.wait_barrier"(%empty, [[NEXT]], [[FREE]])
// PLACE-NEXT: "tile.arrive"
// PLACE-NEXT: "tile.copy_async"
// PLACE-NEXT: "tile.copy_async"
//      PLACE: arith.cmpi eq, [[NEXT]], %c2
//      PLACE: scf.yield
// PLACE-NEXT: }
// PLACE-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}

// STAYS: remark: split-barriers: the last product reads LDS until the signal, which stays behind it
func.func @mm(%A: tensor<256x512xbf16>, %B: tensor<256x512xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x512xbf16>, tensor<256x512xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
