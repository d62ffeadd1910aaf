// The signal before the last product and the wait behind it, as published at Level 8, and around the
// second part of a product cut in two, with the next stage's operands, as at Level 12.
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=4x4},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline,split-barriers,verify-tile' %s | FileCheck %s
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=4x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline{carry=true},split-barriers{after=12},verify-tile' %s | FileCheck %s --check-prefix=CARRY

//      CHECK: scf.for
//      CHECK: "tile.wait"() {kind = "lds", pending = 2 : i64}
//      CHECK: "tile.wait"() {kind = "lds", pending = 2 : i64}
//      CHECK: "tile.wait"() {kind = "lds", pending = 2 : i64}
// CHECK-NEXT: [[S2:%.*]] = "tile.mma"
// CHECK-NEXT: "tile.sched_group"
// CHECK-NEXT: "tile.sched_group"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: [[S3:%.*]] = "tile.mma"({{.*}}, {{.*}}, [[S2]])
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.wait_barrier"(%bar)
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: scf.yield [[S3]]

//      CARRY: scf.for
//      CARRY: [[PART:%.*]] = "tile.mma"({{.*}}) {atom = "wmma_f32_16x16x32_bf16", atoms = [0, 12], order = "ba"}
// CARRY-NEXT: "tile.sched_fence"
// CARRY-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CARRY-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CARRY-NEXT: "tile.arrive"(%bar)
// CARRY-NEXT: "tile.wait_barrier"(%bar)
// CARRY-NEXT: "tile.sched_fence"
// CARRY-NEXT: [[A:%A_reg0.*]] = "tile.load"(%A_LDS, %next
// CARRY-NEXT: [[B:%B_reg0.*]] = "tile.load"(%B_LDS, %next
// CARRY-NEXT: [[ALL:%.*]] = "tile.mma"({{.*}}, {{.*}}, [[PART]]) {atom = "wmma_f32_16x16x32_bf16", atoms = [12, 20], order = "ba"}
// CARRY-NEXT: "tile.sched_group"() {count = 6 : i64, group = 0 : i64, kind = "lds_read", repeat = 4 : i64}
// CARRY-NEXT: "tile.sched_group"() {count = 5 : i64, group = 0 : i64, kind = "mma", repeat = 4 : i64}
// CARRY-NEXT: scf.yield [[ALL]], {{.*}}, [[A]], [[B]]
func.func @mm(%A: tensor<256x512xbf16>, %B: tensor<256x512xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x512xbf16>, tensor<256x512xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
