// Register copies and products from LDS on two warpgroups: the producer's four waves fill a stage when
// it is empty, the consumers multiply it when it is full; the stage before goes back while the
// product of this one runs.
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer{stages=3},swizzle-lds,wgmma,warp-specialize,verify-tile' %s | FileCheck %s
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer{stages=3},async-copies,swizzle-lds,copy-engine,wgmma,warp-specialize,verify-tile' %s | FileCheck %s --check-prefix=ENGINE

// ENGINE: scf.if %is_producer {
// ENGINE-NEXT: "tile.set_registers"() {count = 40 : i64}
// ENGINE-NEXT: [[FIRST:%.*]] = arith.cmpi eq, %wave, %c0
// ENGINE-NEXT: scf.if [[FIRST]] {
// ENGINE: "tile.arrive"(%full, %slot) {operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 32768 : i64}
// ENGINE: "tile.set_registers"() {count = 232 : i64}

// CHECK: known_block_size = array<i32: 384, 1, 1>
// CHECK-DAG: %full = "tile.barrier_create"() {arrivals = 4 : i64, kind = "mbarrier", name = "full", scope = "workgroup"} : () -> !tile.bar<3 : i64>
// CHECK-DAG: %empty = "tile.barrier_create"() {arrivals = 8 : i64, kind = "mbarrier", name = "empty", scope = "workgroup"} : () -> !tile.bar<3 : i64>
// CHECK-NOT: "tile.copy"
// CHECK: [[PRODUCER:%.*]] = arith.cmpi ult, %wave, %c4
// CHECK: scf.if [[PRODUCER]] {
// CHECK-NEXT: "tile.set_registers"() {count = 104 : i64}
// CHECK-NEXT: %filled:2 = scf.for %k = %c0 to %c200 step %c64 iter_args(%slot = %c0, %phase = %c1)
// CHECK-NEXT: "tile.wait_barrier"(%empty, %slot, %phase)
// CHECK: [[LEFT:%.*]] = arith.subi %c200, %k
// CHECK: [[DEPTH:%.*]] = arith.minsi [[LEFT]], %c64
// CHECK: "tile.copy"(%A, %A_LDS, %slot, %block#0, %k, %{{.*}}, [[DEPTH]])
// CHECK: "tile.copy"(%B, %B_LDS, %slot, %k, %block#1,
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.fence"() {proxy = "async"}
// CHECK-NEXT: "tile.arrive"(%full, %slot)
// CHECK: scf.yield %slot_next{{.*}}, %phase_next
// CHECK: } else {
// CHECK-NEXT: "tile.set_registers"() {count = 200 : i64}
// CHECK-NEXT: [[OWN:%consumer.*]] = arith.subi %wave, %c4
// CHECK-NEXT: arith.divui [[OWN]], %c1
// CHECK: scf.for %k = %c0 to %c200 step %c64 iter_args(%acc_k = %acc_in, %slot = %c0, %phase = %c0, %previous = %c0)
// CHECK-NEXT: "tile.wait_barrier"(%full, %slot, %phase)
// CHECK-NEXT: "tile.mma"(%A_LDS, %B_LDS, %acc_k, %slot,
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 1 : i64}
// CHECK-NEXT: arith.cmpi ugt, %k, %c0
// CHECK-NEXT: scf.if
// CHECK-NEXT: "tile.arrive"(%empty, %previous)
// CHECK: scf.yield {{.*}}, %slot
// CHECK: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.arrive"(%empty,
// CHECK-NEXT: "tile.store"
// CHECK: {tile.role = "producer", tile.waves = [0, 4]}
func.func @mm(%A: memref<100x200xbf16>, %B: memref<200x256xbf16>, %C: memref<100x256xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<100x256xf32>)
  linalg.matmul ins(%A, %B : memref<100x200xbf16>, memref<200x256xbf16>) outs(%C : memref<100x256xf32>)
  return
}
