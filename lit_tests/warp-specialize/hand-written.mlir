// IR that no pass of ours emits: an engine that completes full[slot] and waves that arrive at
// empty[slot] of both workgroups of a cluster, slots that wrap by select, fills two blocks ahead
// under a condition of their own, B's ring of two parts a stage, an unrelated op, and the cluster's
// farewell, which stays for all waves. Equal shares of the registers are enough for 8 waves.
// RUN: ladder-opt --passes='warp-specialize{consumers=1 producer_regs=24 consumer_regs=240},verify-tile' %s | FileCheck %s
// RUN: not ladder-opt --passes='warp-specialize{consumers=2}' %s 2>&1 | FileCheck %s --check-prefix=CREW
// RUN: not ladder-opt --passes='warp-specialize{producers=3 producer_regs=232}' %s 2>&1 | FileCheck %s --check-prefix=REGS
// RUN: not ladder-opt --passes='warp-specialize,warp-specialize' %s 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK: known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: [[FULL:%.*]] = "tile.barrier_create"() {arrivals = 1 : i64, kind = "mbarrier", name = "full"
// CHECK-DAG: [[EMPTY:%.*]] = "tile.barrier_create"() {arrivals = 8 : i64, kind = "mbarrier", name = "empty"
// CHECK-DAG: [[EVERYONE:%.*]] = "tile.barrier_create"() {arrivals = 8 : i64, kind = "hw", scope = "workgroup"}
// CHECK-NOT: tile.copy_async
// CHECK: scf.if
// CHECK-NEXT: arith.cmpi eq, {{.*}}, %c0
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.for [[K:%.*]] = %c0 to %c160 step %c32 iter_args([[SLOT:%.*]] = %c0, [[PHASE:%.*]] = %c1)
// CHECK-NEXT: "tile.wait_barrier"([[EMPTY]], [[SLOT]], [[PHASE]])
// CHECK-NEXT: "tile.arrive"([[FULL]], [[SLOT]]) {operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 8192 : i64}
// CHECK-NEXT: "tile.copy_async"({{.*}}, [[SLOT]], {{.*}}, [[K]], %c64, %c32, [[FULL]], [[SLOT]]) {align = 16 : i64, engine = "tma"
// CHECK-NEXT: [[PAIR:%.*]] = arith.muli [[SLOT]], %c2
// CHECK-NEXT: [[PART:%.*]] = arith.addi [[PAIR]],
// CHECK-NEXT: "tile.copy_async"({{.*}}, [[PART]], [[K]], {{.*}}, %c32, %c32, %c3_i32, [[FULL]], [[SLOT]]) {align = 16 : i64, engine = "tma"
// CHECK-NOT: tile.copy_async
// CHECK: } else {
// CHECK-NEXT: arith.subi
// CHECK: scf.for
// CHECK-SAME: iter_args({{.*}} = %{{.*}}, {{.*}} = %{{.*}}, [[OWN:%.*]] = %c0, [[PARITY:%.*]] = %c0)
// CHECK-NEXT: gpu.grid_dim
// CHECK: "tile.wait_barrier"([[FULL]], [[OWN]], [[PARITY]])
// CHECK-NEXT: "tile.load"({{.*}}, [[OWN]],
// CHECK: "tile.mma"
// CHECK: "tile.mma"
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0
// CHECK-NEXT: "tile.arrive"([[EMPTY]], [[OWN]], %c3_i32)
// CHECK: "tile.store"
// CHECK: } {tile.role = "producer", tile.waves = [0, 4]}
// CHECK-NEXT: "tile.barrier"([[EVERYONE]])
// CHECK-NEXT: "tile.arrive"({{.*}}) {issuer = 0
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: gpu.return

// CREW: error: warp-specialize: the kernel's 4 waves are 1 warpgroups of consumers, not 2
// REGS: error: warp-specialize: needs 118,784 registers (producers 12 waves of 232, consumers 4 of 232 a lane), sm_90a has 65,536; at equal shares each lane has 128
// TWICE: error: warp-specialize: the kernel has roles already
!A = !tile.lds<[3, 64, 32], bf16, {}>
!B = !tile.lds<[6, 32, 32], bf16, {}>
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 32], bf16, "b">
!acc = !tile.frag<[16, 32], f32, "acc">
!stage = !tile.bar<3>
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%p: memref<128x160xbf16>, %q: memref<160x64xbf16>, %r: memref<128x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
                  tile.contract = {m = 128, n = 64, k = 160, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c160 = arith.constant 160 : index
    %both = arith.constant 3 : i32
    %full = "tile.barrier_create"() {name = "full", arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {name = "empty", arrivals = 8, scope = "cluster", kind = "mbarrier"} : () -> !stage
    %all = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !bar
    %end = "tile.barrier_create"() {arrivals = 2, scope = "cluster", kind = "hw"} : () -> !bar
    %x = "tile.alloc"() : () -> !A
    %y = "tile.alloc"() : () -> !B
    %m0, %n0 = "tile.block_coord"() {tile = [64, 64]} : () -> (index, index)
    %mine = gpu.cluster_block_id x
    %wave = gpu.subgroup_id : index
    %half = arith.muli %mine, %c32 : index
    %n = arith.addi %n0, %half : index
    %row = arith.muli %wave, %c16 : index
    %is_first = arith.cmpi eq, %wave, %c0 : index
    scf.if %is_first {
      "tile.arrive"(%full, %c0) {tx_bytes = 8192, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      "tile.copy_async"(%p, %x, %c0, %m0, %c0, %c64, %c32, %full, %c0) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<128x160xbf16>, !A, index, index, index, index, index, !stage, index) -> ()
      "tile.copy_async"(%q, %y, %mine, %c0, %n, %c32, %c32, %both, %full, %c0) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1>} : (memref<160x64xbf16>, !B, index, index, index, index, index, i32, !stage, index) -> ()
      %second = arith.addi %mine, %c2 : index
      "tile.arrive"(%full, %c1) {tx_bytes = 8192, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      "tile.copy_async"(%p, %x, %c1, %m0, %c32, %c64, %c32, %full, %c1) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<128x160xbf16>, !A, index, index, index, index, index, !stage, index) -> ()
      "tile.copy_async"(%q, %y, %second, %c32, %n, %c32, %c32, %both, %full, %c1) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1>} : (memref<160x64xbf16>, !B, index, index, index, index, index, i32, !stage, index) -> ()
    }
    %zero = "tile.zero"() : () -> !acc
    %s:6 = scf.for %k = %c0 to %c160 step %c32 iter_args(%u = %zero, %v = %zero, %s0 = %c0, %p0 = %c0, %s2 = %c2, %p2 = %c1) -> (!acc, !acc, index, index, index, index) {
      %ahead = arith.addi %k, %c64 : index
      %more = arith.cmpi slt, %ahead, %c160 : index
      scf.if %is_first {
        scf.if %more {
          "tile.wait_barrier"(%empty, %s2, %p2) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
          "tile.arrive"(%full, %s2) {tx_bytes = 8192, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
          "tile.copy_async"(%p, %x, %s2, %m0, %ahead, %c64, %c32, %full, %s2) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<128x160xbf16>, !A, index, index, index, index, index, !stage, index) -> ()
          %pair = arith.muli %s2, %c2 : index
          %part = arith.addi %pair, %mine : index
          "tile.copy_async"(%q, %y, %part, %ahead, %n, %c32, %c32, %both, %full, %s2) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1>} : (memref<160x64xbf16>, !B, index, index, index, index, index, i32, !stage, index) -> ()
        }
      }
      "tile.wait_barrier"(%full, %s0, %p0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
      %unrelated = gpu.grid_dim x
      %left = arith.muli %s0, %c2 : index
      %right = arith.addi %left, %c1 : index
      %a = "tile.load"(%x, %s0, %row, %c0) {transpose = false} : (!A, index, index, index) -> !a
      %b0 = "tile.load"(%y, %left, %c0, %c0) {transpose = false} : (!B, index, index, index) -> !b
      %b1 = "tile.load"(%y, %right, %c0, %c0) {transpose = false} : (!B, index, index, index) -> !b
      %u_next = "tile.mma"(%a, %b0, %u) : (!a, !b, !acc) -> !acc
      %v_next = "tile.mma"(%a, %b1, %v) : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.arrive"(%empty, %s0, %both) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, i32) -> ()
      %s0_more = arith.addi %s0, %c1 : index
      %s0_wraps = arith.cmpi eq, %s0_more, %c3 : index
      %s0_next = arith.select %s0_wraps, %c0, %s0_more : index
      %p0_flipped = arith.subi %c1, %p0 : index
      %p0_next = arith.select %s0_wraps, %p0_flipped, %p0 : index
      %s2_more = arith.addi %s2, %c1 : index
      %s2_wraps = arith.cmpi eq, %s2_more, %c3 : index
      %s2_next = arith.select %s2_wraps, %c0, %s2_more : index
      %p2_flipped = arith.subi %c1, %p2 : index
      %p2_next = arith.select %s2_wraps, %p2_flipped, %p2 : index
      scf.yield %u_next, %v_next, %s0_next, %p0_next, %s2_next, %p2_next : !acc, !acc, index, index, index, index
    }
    %m = arith.addi %m0, %row : index
    %n1 = arith.addi %n0, %c32 : index
    "tile.store"(%s#0, %r, %m, %n0) : (!acc, memref<128x64xf32>, index, index) -> ()
    "tile.store"(%s#1, %r, %m, %n1) : (!acc, memref<128x64xf32>, index, index) -> ()
    "tile.barrier"(%all) : (!bar) -> ()
    "tile.arrive"(%end) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%end) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    gpu.return
  }
}
