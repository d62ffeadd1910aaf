// A fill by TMA, its mbarrier, and a product of a warpgroup that reads the tile in place.
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s --check-prefix=FACTS

// Slots of barriers lie behind the rings; thread 0 sets them up for everyone.
// CHECK-LABEL: gpu.func @k(
// CHECK-SAME: %[[MAP:arg[0-9]+]]: !llvm.ptr)
// CHECK-DAG: %[[ROWS:.*]] = arith.constant -64 : i32
// CHECK-DAG: %[[FULL:.*]] = llvm.getelementptr %{{.*}}[32768]
// CHECK-DAG: %[[EMPTY:.*]] = llvm.getelementptr %{{.*}}[32784]
// CHECK: scf.if
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %{{.*}}
// CHECK: nvvm.mbarrier.init %[[EMPTY]], %{{.*}}
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0

// One wave, one lane of it.
// CHECK: %[[LANE:.*]] = nvvm.elect.sync
// CHECK: nvvm.shfl.sync
// CHECK: %[[BOTH:.*]] = arith.andi %[[LANE]]
// CHECK-NEXT: scf.if %[[BOTH]]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL]]
// CHECK: scf.if
// CHECK-NEXT: %[[LANE:.*]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[LANE]]
// CHECK-NEXT: %[[TO:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[TO]], %[[MAP]], %[[FULL]], box[
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.mbarrier.try_wait.parity %[[FULL]]

// 64 rows of the warpgroup, whichever 16 the warp owns; K of 64 in four steps of 32 bytes.
// CHECK: arith.andi %{{.*}}, %[[ROWS]] : i32
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 64, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: scf.if
// CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]]

// A use behind the wait that gives back the registers, converted in pairs.
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;"
// CHECK: arith.truncf %{{.*}} : vector<32xf32> to vector<32xbf16>

// FACTS: dynamic_lds = 32800
// FACTS-SAME: tensor_maps = [{arg = 0 : i64, box = [64, 64], swizzle = 128 : i64}]

!T = !tile.lds<[2, 64, 64], bf16, {block = 128, swizzle = 128}>
!acc = !tile.frag<[16, 64], f32, "acc">
!stage = !tile.bar<2>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%A: memref<64x64xbf16>, %C: memref<64x64xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.names = ["A", "C"]} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %spare = "tile.alloc"() {name = "spare"} : () -> !T
    %ring = "tile.alloc"() {name = "ring"} : () -> !T
    "tile.arrive"(%full, %c0) {issuer = 2, tx_bytes = 8192, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
    "tile.copy_async"(%A, %ring, %c0, %c0, %c0, %c64, %c64, %full, %c0)
      {align = 16, engine = "tma", issuer = 2, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
      : (memref<64x64xbf16>, !T, index, index, index, index, index, !stage, index) -> ()
    "tile.wait_barrier"(%full, %c0, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
    %wave = gpu.subgroup_id : index
    %row = arith.muli %wave, %c16 : index
    %zero = "tile.zero"() : () -> !acc
    %d = "tile.mma"(%ring, %ring, %zero, %c0, %row, %c0, %c0, %c0, %c0)
      {atom = "wgmma_m64n64k16_f32_bf16", order = "ab", transpose_b = true}
      : (!T, !T, !acc, index, index, index, index, index, index) -> !acc
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.arrive"(%empty, %c0) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
    "tile.store"(%d, %C, %row, %c0) : (!acc, memref<64x64xbf16>, index, index) -> ()
    gpu.return
  }
}
