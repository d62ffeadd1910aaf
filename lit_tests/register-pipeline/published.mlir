// K of 128 as four steps of 32: two register slots as published at Level 5, three as at Level 11,
// and Level 12's first operands that are loaded behind the hand-off and carried.
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=4x4},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline,verify-tile' %s | FileCheck %s
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=2x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline{slots=3},verify-tile' %s | FileCheck %s --check-prefix=THREE
// RUN: ladder-opt --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=4x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline{carry=true},verify-tile' %s | FileCheck %s --check-prefix=CARRY

//      CHECK: scf.for %k = %c0 to %c512 step %c128 iter_args(%acc_k = %acc_in, %current = %c0)
//      CHECK: %A_reg0 = "tile.load"(%A_LDS, %current, [[M:%.*]], %c0) {transpose = false} : {{.*}} -> !tile.frag<[64, 32], bf16, "a">
// CHECK-NEXT: %B_reg0 = "tile.load"(%B_LDS, %current, [[N:%.*]], %c0) {transpose = true} : {{.*}} -> !tile.frag<[32, 64], bf16, "b">
// CHECK-NEXT: "tile.sched_group"() {count = 16 : i64, group = 0 : i64, kind = "lds_read", repeat = 1 : i64}
// CHECK-NEXT: "tile.copy_async"(%A, %A_LDS, %next
// CHECK-NEXT: "tile.copy_async"(%B, %B_LDS, %next
// CHECK-NEXT: %A_reg1 = "tile.load"(%A_LDS, %current, [[M]], %c32)
// CHECK-NEXT: %B_reg1 = "tile.load"(%B_LDS, %current, [[N]], %c32)
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 2 : i64}
// CHECK-NEXT: [[S0:%.*]] = "tile.mma"(%A_reg0, %B_reg0, %acc_k) {atom = "wmma_f32_16x16x32_bf16", order = "ba"}
// CHECK-NEXT: "tile.sched_group"() {count = 2 : i64, group = 0 : i64, kind = "lds_read", repeat = 8 : i64}
// CHECK-NEXT: "tile.sched_group"() {count = 2 : i64, group = 0 : i64, kind = "mma", repeat = 8 : i64}
// CHECK-NEXT: [[A2:%A_reg0.*]] = "tile.load"(%A_LDS, %current, [[M]], %c64)
// CHECK-NEXT: [[B2:%B_reg0.*]] = "tile.load"(%B_LDS, %current, [[N]], %c64)
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 2 : i64}
// CHECK-NEXT: [[S1:%.*]] = "tile.mma"(%A_reg1, %B_reg1, [[S0]])
//      CHECK: [[A3:%A_reg1.*]] = "tile.load"(%A_LDS, %current, [[M]], %c96)
// CHECK-NEXT: [[B3:%B_reg1.*]] = "tile.load"(%B_LDS, %current, [[N]], %c96)
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 2 : i64}
// CHECK-NEXT: [[S2:%.*]] = "tile.mma"([[A2]], [[B2]], [[S1]])
//      CHECK: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: [[S3:%.*]] = "tile.mma"([[A3]], [[B3]], [[S2]])
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.sched_fence"
// CHECK-NEXT: scf.yield [[S3]]

//      THREE: scf.for
//      THREE: %A_reg0 = "tile.load"(%A_LDS, %current, {{.*}}, %c0)
// THREE-NEXT: %B_reg0
// THREE-NEXT: %A_reg1 = "tile.load"(%A_LDS, %current, {{.*}}, %c32)
// THREE-NEXT: %B_reg1
// THREE-NEXT: "tile.sched_group"() {count = 64
// THREE-NEXT: "tile.copy_async"(%A
// THREE-NEXT: "tile.copy_async"(%B
// THREE-NEXT: %A_reg2 = "tile.load"(%A_LDS, %current, {{.*}}, %c64)
// THREE-NEXT: %B_reg2
// THREE-NEXT: "tile.wait"() {kind = "lds", pending = 4 : i64}
// THREE-NEXT: "tile.mma"(%A_reg0, %B_reg0, %acc_k)
//      THREE: [[A3:%A_reg0.*]] = "tile.load"(%A_LDS, %current, {{.*}}, %c96)
//      THREE: "tile.wait"() {kind = "lds", pending = 4 : i64}
// THREE-NEXT: "tile.mma"(%A_reg1, %B_reg1,
//      THREE: "tile.wait"() {kind = "lds", pending = 2 : i64}
// THREE-NEXT: "tile.mma"(%A_reg2, %B_reg2,
// THREE-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// THREE-NEXT: "tile.mma"([[A3]],

//      CARRY: "tile.wait_barrier"
//      CARRY: [[A0:%A_reg0.*]] = "tile.load"(%A_LDS, %c0, [[M:%.*]], %c0)
// CARRY-NEXT: [[B0:%B_reg0.*]] = "tile.load"(%B_LDS, %c0, [[N:%.*]], %c0)
// CARRY-NEXT: scf.for {{.*}} iter_args(%acc_k = %acc_in, %current = %c0, [[A:%.*]] = [[A0]], [[B:%.*]] = [[B0]])
//      CARRY: [[NEXT:%next.*]] = arith.remui
//      CARRY: "tile.copy_async"(%B
// CARRY-NEXT: %A_reg1 = "tile.load"(%A_LDS, %current, [[M]], %c32)
// CARRY-NEXT: %B_reg1
// CARRY-NEXT: "tile.wait"() {kind = "lds", pending = 2 : i64}
// CARRY-NEXT: "tile.mma"([[A]], [[B]], %acc_k)
//      CARRY: "tile.wait_barrier"
// CARRY-NEXT: "tile.sched_fence"
// CARRY-NEXT: [[A1:%A_reg0.*]] = "tile.load"(%A_LDS, [[NEXT]], [[M]], %c0)
// CARRY-NEXT: [[B1:%B_reg0.*]] = "tile.load"(%B_LDS, [[NEXT]], [[N]], %c0)
// CARRY-NEXT: scf.yield {{.*}}, [[NEXT]], [[A1]], [[B1]]
func.func @mm(%A: tensor<256x512xbf16>, %B: tensor<256x512xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x512xbf16>, tensor<256x512xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
