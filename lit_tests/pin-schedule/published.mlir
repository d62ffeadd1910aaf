// 24 reads and 32 products of a K step in four rounds of 6 and 8; the cut product has 20 left.
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=4x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline{carry=true},split-barriers{after=12},pin-schedule,verify-tile' %s | FileCheck %s
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=2x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline{slots=3},pin-schedule{ds=4 mma=8 repeat=8},verify-tile' %s | FileCheck %s --check-prefix=THREE

// CHECK-COUNT-3: "tile.sched_group"() {count = 6 : i64, group = 0 : i64, kind = "lds_read", repeat = 4 : i64} : () -> (){{[[:space:]]*}}"tile.sched_group"() {count = 8 : i64, group = 0 : i64, kind = "mma", repeat = 4 : i64}
//      CHECK: atoms = [0, 12]
//  CHECK-NOT: "tile.sched_group"
//      CHECK: atoms = [12, 20]
// CHECK-NEXT: "tile.sched_group"() {count = 6 : i64, group = 0 : i64, kind = "lds_read", repeat = 4 : i64}
// CHECK-NEXT: "tile.sched_group"() {count = 5 : i64, group = 0 : i64, kind = "mma", repeat = 4 : i64}
//  CHECK-NOT: "tile.sched_group"

// The loads ahead stay a group of their own.
//      THREE: "tile.sched_group"() {count = 64 : i64, group = 0 : i64, kind = "lds_read", repeat = 1 : i64}
// THREE-COUNT-2: "tile.sched_group"() {count = 4 : i64, group = 0 : i64, kind = "lds_read", repeat = 8 : i64} : () -> (){{[[:space:]]*}}"tile.sched_group"() {count = 8 : i64, group = 0 : i64, kind = "mma", repeat = 8 : i64}
//  THREE-NOT: "tile.sched_group"
func.func @mm(%A: tensor<256x512xbf16>, %B: tensor<256x512xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x512xbf16>, tensor<256x512xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
