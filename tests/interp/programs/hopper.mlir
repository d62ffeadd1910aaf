// A Hopper producer/consumer loop: wave 0 fills three stages by TMA, waves 1 and 2 multiply from LDS.
// A stage's slot of `full` counts the producer and the bytes, its slot of `empty` the two consumers.
// Three persistent workgroups share four output tiles; C leaves through LDS and the engine.
!A = !tile.lds<[3, 32, 32], bf16, {}>
!B = !tile.lds<[3, 32, 32], bf16, {}>
!C = !tile.lds<[1, 32, 32], f32, {}>
!acc = !tile.frag<[16, 32], f32, "acc">
!stage = !tile.bar<3>
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%A: memref<64x160xbf16>, %B: memref<160x64xbf16>, %C: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 3, 1, 1>,
                  tile.contract = {m = 64, n = 64, k = 160, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c160 = arith.constant 160 : index
    %full = "tile.barrier_create"() {name = "full", arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {name = "empty", arrivals = 2, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %pair = "tile.barrier_create"() {name = "pair", arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !bar
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %C_LDS = "tile.alloc"() {name = "C_LDS"} : () -> !C
    %wave = gpu.subgroup_id : index
    %first = gpu.block_id x
    %workgroups = gpu.grid_dim x
    %is_producer = arith.cmpi eq, %wave, %c0 : index
    %is_writer = arith.cmpi eq, %wave, %c1 : index
    scf.if %is_producer {
      "tile.set_registers"() {count = 40} : () -> ()
      %p:2 = scf.for %tile = %first to %c4 step %workgroups iter_args(%s0 = %c0, %p0 = %c1) -> (index, index) {
        %i = arith.divui %tile, %c2 : index
        %j = arith.remui %tile, %c2 : index
        %m0 = arith.muli %i, %c32 : index
        %n0 = arith.muli %j, %c32 : index
        %q:2 = scf.for %k = %c0 to %c160 step %c32 iter_args(%slot = %s0, %phase = %p0) -> (index, index) {
          "tile.wait_barrier"(%empty, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
          "tile.arrive"(%full, %slot) {tx_bytes = 4096, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
          "tile.copy_async"(%A, %A_LDS, %slot, %m0, %k, %c32, %c32, %full, %slot) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
            : (memref<64x160xbf16>, !A, index, index, index, index, index, !stage, index) -> ()
          "tile.copy_async"(%B, %B_LDS, %slot, %k, %n0, %c32, %c32, %full, %slot) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
            : (memref<160x64xbf16>, !B, index, index, index, index, index, !stage, index) -> ()
          %slot_more = arith.addi %slot, %c1 : index
          %wraps = arith.cmpi eq, %slot_more, %c3 : index
          %slot_next = arith.select %wraps, %c0, %slot_more : index
          %flipped = arith.subi %c1, %phase : index
          %phase_next = arith.select %wraps, %flipped, %phase : index
          scf.yield %slot_next, %phase_next : index, index
        }
        scf.yield %q#0, %q#1 : index, index
      }
    } else {
      "tile.set_registers"() {count = 232} : () -> ()
      %half = arith.subi %wave, %c1 : index
      %wave_m = arith.muli %half, %c16 : index
      %zero = "tile.zero"() : () -> !acc
      %p:2 = scf.for %tile = %first to %c4 step %workgroups iter_args(%s0 = %c0, %p0 = %c0) -> (index, index) {
        %i = arith.divui %tile, %c2 : index
        %j = arith.remui %tile, %c2 : index
        %m0 = arith.muli %i, %c32 : index
        %n0 = arith.muli %j, %c32 : index
        %q:4 = scf.for %k = %c0 to %c160 step %c32 iter_args(%acc = %zero, %slot = %s0, %phase = %p0, %old = %c0) -> (!acc, index, index, index) {
          "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
          %acc_next = "tile.mma"(%A_LDS, %B_LDS, %acc, %slot, %wave_m, %c0, %slot, %c0, %c0) : (!A, !B, !acc, index, index, index, index, index, index) -> !acc
          "tile.wait"() {kind = "lds", pending = 1} : () -> ()
          %later = arith.cmpi ugt, %k, %c0 : index
          scf.if %later {
            "tile.arrive"(%empty, %old) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
          }
          %slot_more = arith.addi %slot, %c1 : index
          %wraps = arith.cmpi eq, %slot_more, %c3 : index
          %slot_next = arith.select %wraps, %c0, %slot_more : index
          %flipped = arith.subi %c1, %phase : index
          %phase_next = arith.select %wraps, %flipped, %phase : index
          scf.yield %acc_next, %slot_next, %phase_next, %slot : !acc, index, index, index
        }
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.arrive"(%empty, %q#3) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
        "tile.store"(%q#0, %C_LDS, %c0, %wave_m, %c0) : (!acc, !C, index, index, index) -> ()
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.fence"() {proxy = "async"} : () -> ()
        "tile.barrier"(%pair) : (!bar) -> ()
        scf.if %is_writer {
          "tile.copy_async"(%C_LDS, %C, %c0, %m0, %n0, %c32, %c32) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
            : (!C, memref<64x64xf32>, index, index, index, index, index) -> ()
          "tile.wait"() {kind = "copy", pending = 0} : () -> ()
        }
        "tile.barrier"(%pair) : (!bar) -> ()
        scf.yield %q#1, %q#2 : index, index
      }
    } {tile.role = "producer", tile.waves = [0, 1]}
    gpu.return
  }
}
