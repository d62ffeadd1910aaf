// Hopper producers and consumers in a cluster of two workgroups along M, B's slots whole: each loads
// its A and multicasts its part of B, half of the slot's columns, into the LDS of both. Products read
// A and B where they lie.
!A = !tile.lds<[2, 32, 32], bf16, {}>
!B = !tile.lds<[2, 32, 32], bf16, {}>
!acc = !tile.frag<[16, 32], f32, "acc">
!stage = !tile.bar<2>
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%A: memref<64x160xbf16>, %B: memref<160x32xbf16>, %C: memref<64x32xf32>) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 2, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
                  tile.contract = {m = 64, n = 32, k = 160, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c160 = arith.constant 160 : index
    %both = arith.constant 3 : i32
    %full = "tile.barrier_create"() {name = "full", arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {name = "empty", arrivals = 4, scope = "cluster", kind = "mbarrier"} : () -> !stage
    %all = "tile.barrier_create"() {name = "all", arrivals = 3, scope = "workgroup", kind = "hw"} : () -> !bar
    %end = "tile.barrier_create"() {name = "end", arrivals = 2, scope = "cluster", kind = "hw"} : () -> !bar
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %m0, %n0 = "tile.block_coord"() {tile = [32, 32]} : () -> (index, index)
    %mine = gpu.cluster_block_id x
    %wave = gpu.subgroup_id : index
    %is_producer = arith.cmpi eq, %wave, %c0 : index
    scf.if %is_producer {
      %half = arith.muli %mine, %c16 : index
      %n = arith.addi %n0, %half : index
      %p:2 = scf.for %k = %c0 to %c160 step %c32 iter_args(%slot = %c0, %phase = %c1) -> (index, index) {
        "tile.wait_barrier"(%empty, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
        "tile.arrive"(%full, %slot) {tx_bytes = 4096, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
        "tile.copy_async"(%A, %A_LDS, %slot, %m0, %k, %c32, %c32, %full, %slot) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
          : (memref<64x160xbf16>, !A, index, index, index, index, index, !stage, index) -> ()
        %pair = arith.muli %slot, %c2 : index
        %part = arith.addi %pair, %mine : index
        "tile.copy_async"(%B, %B_LDS, %part, %k, %n, %c32, %c16, %both, %full, %slot) {align = 16, engine = "tma", parts = [1, 2], operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1>}
          : (memref<160x32xbf16>, !B, index, index, index, index, index, i32, !stage, index) -> ()
        %slot_more = arith.addi %slot, %c1 : index
        %slot_next = arith.remui %slot_more, %c2 : index
        %wraps = arith.cmpi eq, %slot_next, %c0 : index
        %flipped = arith.subi %c1, %phase : index
        %phase_next = arith.select %wraps, %flipped, %phase : index
        scf.yield %slot_next, %phase_next : index, index
      }
    } else {
      %row = arith.subi %wave, %c1 : index
      %wave_m = arith.muli %row, %c16 : index
      %m = arith.addi %m0, %wave_m : index
      %zero = "tile.zero"() : () -> !acc
      %p:3 = scf.for %k = %c0 to %c160 step %c32 iter_args(%u = %zero, %slot = %c0, %phase = %c0) -> (!acc, index, index) {
        "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
        %u_next = "tile.mma"(%A_LDS, %B_LDS, %u, %slot, %wave_m, %c0, %slot, %c0, %c0)
          : (!A, !B, !acc, index, index, index, index, index, index) -> !acc
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.arrive"(%empty, %slot, %both) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, i32) -> ()
        %slot_more = arith.addi %slot, %c1 : index
        %slot_next = arith.remui %slot_more, %c2 : index
        %wraps = arith.cmpi eq, %slot_next, %c0 : index
        %flipped = arith.subi %c1, %phase : index
        %phase_next = arith.select %wraps, %flipped, %phase : index
        scf.yield %u_next, %slot_next, %phase_next : !acc, index, index
      }
      "tile.store"(%p#0, %C, %m, %n0) : (!acc, memref<64x32xf32>, index, index) -> ()
    } {tile.role = "producer", tile.waves = [0, 1]}
    // Nobody leaves while the other workgroup may still arrive at its barriers.
    "tile.barrier"(%all) : (!bar) -> ()
    "tile.arrive"(%end) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%end) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    gpu.return
  }
}
