// A producer that moves A by TMA and B, which it may not, by asynchronous copies of its own two waves:
// a slot of `full` counts both waves, and the bytes of A.
!A = !tile.lds<[2, 32, 32], bf16, {}>
!B = !tile.lds<[2, 32, 32], bf16, {interval = 256, pad = 16}>
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 32], bf16, "b">
!acc = !tile.frag<[16, 32], f32, "acc">
!stage = !tile.bar<2>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%A: memref<64x104xbf16>, %B: memref<104x40xbf16>, %C: memref<64x40xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 2, 1>,
                  tile.contract = {m = 64, n = 40, k = 104, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c40 = arith.constant 40 : index
    %c104 = arith.constant 104 : index
    %full = "tile.barrier_create"() {name = "full", arrivals = 2, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {name = "empty", arrivals = 2, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %m0, %n0 = "tile.block_coord"() {tile = [32, 32]} : () -> (index, index)
    %wave = gpu.subgroup_id : index
    %is_producer = arith.cmpi ult, %wave, %c2 : index
    %is_first = arith.cmpi eq, %wave, %c0 : index
    %right = arith.subi %c40, %n0 : index
    %cols = arith.minsi %right, %c32 : index
    scf.if %is_producer {
      %p:2 = scf.for %k = %c0 to %c104 step %c32 iter_args(%slot = %c0, %phase = %c1) -> (index, index) {
        "tile.wait_barrier"(%empty, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
        %below = arith.subi %c104, %k : index
        %depth = arith.minsi %below, %c32 : index
        "tile.copy_async"(%B, %B_LDS, %slot, %k, %n0, %depth, %cols) {align = 2, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
          : (memref<104x40xbf16>, !B, index, index, index, index, index) -> ()
        scf.if %is_first {
          "tile.copy_async"(%A, %A_LDS, %slot, %m0, %k, %c32, %depth, %full, %slot) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
            : (memref<64x104xbf16>, !A, index, index, index, index, index, !stage, index) -> ()
          "tile.wait"() {kind = "copy", pending = 0} : () -> ()
          "tile.arrive"(%full, %slot) {tx_bytes = 2048, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
        } else {
          "tile.wait"() {kind = "copy", pending = 0} : () -> ()
          "tile.arrive"(%full, %slot) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
        }
        %slot_more = arith.addi %slot, %c1 : index
        %slot_next = arith.remui %slot_more, %c2 : index
        %wraps = arith.cmpi eq, %slot_next, %c0 : index
        %flipped = arith.subi %c1, %phase : index
        %phase_next = arith.select %wraps, %flipped, %phase : index
        scf.yield %slot_next, %phase_next : index, index
      }
    } else {
      %row = arith.subi %wave, %c2 : index
      %wave_m = arith.muli %row, %c16 : index
      %m = arith.addi %m0, %wave_m : index
      %zero = "tile.zero"() : () -> !acc
      %p:3 = scf.for %k = %c0 to %c104 step %c32 iter_args(%acc = %zero, %slot = %c0, %phase = %c0) -> (!acc, index, index) {
        "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
        %a = "tile.load"(%A_LDS, %slot, %wave_m, %c0) {transpose = false} : (!A, index, index, index) -> !a
        %b = "tile.load"(%B_LDS, %slot, %c0, %c0) {transpose = false} : (!B, index, index, index) -> !b
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.arrive"(%empty, %slot) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
        %acc_next = "tile.mma"(%a, %b, %acc) : (!a, !b, !acc) -> !acc
        %slot_more = arith.addi %slot, %c1 : index
        %slot_next = arith.remui %slot_more, %c2 : index
        %wraps = arith.cmpi eq, %slot_next, %c0 : index
        %flipped = arith.subi %c1, %phase : index
        %phase_next = arith.select %wraps, %flipped, %phase : index
        scf.yield %acc_next, %slot_next, %phase_next : !acc, index, index
      }
      "tile.store"(%p#0, %C, %m, %n0) : (!acc, memref<64x40xf32>, index, index) -> ()
    } {tile.role = "producer", tile.waves = [0, 2]}
    gpu.return
  }
}
