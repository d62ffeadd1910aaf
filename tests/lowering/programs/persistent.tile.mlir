// The same with a persistent grid: each cluster takes every other pair of output tiles, row by row in
// groups of eight. C leaves through LDS and the copy engine, while the producer fetches ahead: each
// warpgroup puts together its 64 rows, 128 columns at a time, with a barrier slot of its own.
!MA = memref<512x320xbf16>
!MB = memref<768x320xbf16>
!MC = memref<512x768xbf16>
!A = !tile.lds<[4, 128, 64], bf16, {block = 128, swizzle = 128}>
!B = !tile.lds<[4, 256, 64], bf16, {block = 128, swizzle = 128}>
!acc = !tile.frag<[16, 256], f32, "acc">
!stage = !tile.bar<4>
!bar = !tile.bar<1>
!CL = !tile.lds<[2, 64, 128], bf16, {block = 128, swizzle = 128}>
!two = !tile.bar<2>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%A: !MA, %B: !MB, %C: !MC) kernel
    attributes {known_block_size = array<i32: 384, 1, 1>, known_grid_size = array<i32: 4, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
      tile.contract = {m = 512, n = 768, k = 320, a_order = "mk", b_order = "nk", accumulate = false},
      tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c320 = arith.constant 320 : index
    %both = arith.constant 3 : i32
    %ctm = arith.constant 2 : index
    %cG = arith.constant 8 : index
    %total = arith.constant 6 : index
    %groups = arith.constant 2 : index
    %full = "tile.barrier_create"() {name = "full", arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {name = "empty", arrivals = 16, scope = "cluster", kind = "mbarrier"} : () -> !stage
    %all = "tile.barrier_create"() {name = "all", arrivals = 12, scope = "workgroup", kind = "hw"} : () -> !bar
    %end = "tile.barrier_create"() {name = "end", arrivals = 2, scope = "cluster", kind = "hw"} : () -> !bar
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %C_LDS = "tile.alloc"() {name = "C_LDS"} : () -> !CL
    %mine2 = "tile.barrier_create"() {name = "mine", arrivals = 4, scope = "workgroup", kind = "mbarrier"} : () -> !two
    %mine = gpu.cluster_block_id x
    %id = gpu.block_id x
    %first = arith.divui %id, %c2 : index
    %wave = gpu.subgroup_id : index
    %is_producer = arith.cmpi ult, %wave, %c4 : index
    scf.if %is_producer {
      "tile.set_registers"() {count = 40} : () -> ()
      %is_issuer = arith.cmpi eq, %wave, %c0 : index
      scf.if %is_issuer {
        %t:2 = scf.for %tile = %first to %total step %groups iter_args(%s0 = %c0, %p0 = %c1) -> (index, index) {
          %per = arith.constant 24 : index
          %g = arith.divui %tile, %per : index
          %r = arith.remui %tile, %per : index
          %g8 = arith.muli %g, %cG : index
          %rest = arith.subi %ctm, %g8 : index
          %high = arith.minui %rest, %cG : index
          %i0 = arith.remui %r, %high : index
          %i = arith.addi %g8, %i0 : index
          %j = arith.divui %r, %high : index
          %i2 = arith.muli %i, %c2 : index
          %mi = arith.addi %i2, %mine : index
          %m0 = arith.muli %mi, %c128 : index
          %n0 = arith.muli %j, %c256 : index
          %half = arith.muli %mine, %c128 : index
          %n = arith.addi %n0, %half : index
          %p:2 = scf.for %k = %c0 to %c320 step %c64 iter_args(%slot = %s0, %phase = %p0) -> (index, index) {
            "tile.wait_barrier"(%empty, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
            "tile.arrive"(%full, %slot) {tx_bytes = 49152, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
            "tile.copy_async"(%A, %A_LDS, %slot, %m0, %k, %c128, %c64, %full, %slot) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MA, !A, index, index, index, index, index, !stage, index) -> ()
            %pair = arith.muli %slot, %c2 : index
            %part = arith.addi %pair, %mine : index
            "tile.copy_async"(%B, %B_LDS, %part, %n, %k, %c128, %c64, %both, %full, %slot) {align = 16, engine = "tma", parts = [2, 1], operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1>} : (!MB, !B, index, index, index, index, index, i32, !stage, index) -> ()
            %slot_more = arith.addi %slot, %c1 : index
            %wraps = arith.cmpi eq, %slot_more, %c4 : index
            %slot_next = arith.select %wraps, %c0, %slot_more : index
            %flipped = arith.subi %c1, %phase : index
            %phase_next = arith.select %wraps, %flipped, %phase : index
            scf.yield %slot_next, %phase_next : index, index
          }
          scf.yield %p#0, %p#1 : index, index
        }
      }
    } else {
      "tile.set_registers"() {count = 232} : () -> ()
      %row = arith.subi %wave, %c4 : index
      %wave_m = arith.muli %row, %c16 : index
      %zero = "tile.zero"() : () -> !acc
      %wg = arith.divui %row, %c4 : index
      %in_wg = arith.remui %row, %c4 : index
      %wg_row = arith.muli %in_wg, %c16 : index
      %is_writer = arith.cmpi eq, %in_wg, %c0 : index
      %t:2 = scf.for %tile = %first to %total step %groups iter_args(%s0 = %c0, %p0 = %c0) -> (index, index) {
        %per = arith.constant 24 : index
        %g = arith.divui %tile, %per : index
        %r = arith.remui %tile, %per : index
        %g8 = arith.muli %g, %cG : index
        %rest = arith.subi %ctm, %g8 : index
        %high = arith.minui %rest, %cG : index
        %i0 = arith.remui %r, %high : index
        %i = arith.addi %g8, %i0 : index
        %j = arith.divui %r, %high : index
        %i2 = arith.muli %i, %c2 : index
        %mi = arith.addi %i2, %mine : index
        %m0 = arith.muli %mi, %c128 : index
        %n0 = arith.muli %j, %c256 : index
        %q:4 = scf.for %k = %c0 to %c320 step %c64 iter_args(%a0 = %zero, %slot = %s0, %phase = %p0, %old = %c0) -> (!acc, index, index, index) {
          "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
          %pair = arith.muli %slot, %c2 : index
          %next0 = "tile.mma"(%A_LDS, %B_LDS, %a0, %slot, %wave_m, %c0, %slot, %c0, %c0) {atom = "wgmma_m64n256k16_f32_bf16", order = "ab", transpose_b = true} : (!A, !B, !acc, index, index, index, index, index, index) -> !acc
          "tile.wait"() {kind = "lds", pending = 1} : () -> ()
          %later = arith.cmpi ugt, %k, %c0 : index
          scf.if %later {
            "tile.arrive"(%empty, %old, %both) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, i32) -> ()
          }
          %slot_more = arith.addi %slot, %c1 : index
          %wraps = arith.cmpi eq, %slot_more, %c4 : index
          %slot_next = arith.select %wraps, %c0, %slot_more : index
          %flipped = arith.subi %c1, %phase : index
          %phase_next = arith.select %wraps, %flipped, %phase : index
          scf.yield %next0, %slot_next, %phase_next, %slot : !acc, index, index, index
        }
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.arrive"(%empty, %q#3, %both) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, i32) -> ()
        %wg64 = arith.muli %wg, %c64 : index
        %mg = arith.addi %m0, %wg64 : index
        scf.if %is_writer {
          "tile.wait"() {kind = "copy", pending = 0} : () -> ()
        }
        "tile.arrive"(%mine2, %wg) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!two, index) -> ()
        "tile.wait_barrier"(%mine2, %wg, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!two, index, index) -> ()
        "tile.store"(%q#0, %C_LDS, %wg, %wg_row, %c0) {cols = [0, 128]} : (!acc, !CL, index, index, index) -> ()
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.fence"() {proxy = "async"} : () -> ()
        "tile.arrive"(%mine2, %wg) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!two, index) -> ()
        "tile.wait_barrier"(%mine2, %wg, %c1) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!two, index, index) -> ()
        %nh0 = arith.addi %n0, %c0 : index
        scf.if %is_writer {
          "tile.copy_async"(%C_LDS, %C, %wg, %mg, %nh0, %c64, %c128) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
            : (!CL, !MC, index, index, index, index, index) -> ()
        }
        scf.if %is_writer {
          "tile.wait"() {kind = "copy", pending = 0} : () -> ()
        }
        "tile.arrive"(%mine2, %wg) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!two, index) -> ()
        "tile.wait_barrier"(%mine2, %wg, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!two, index, index) -> ()
        "tile.store"(%q#0, %C_LDS, %wg, %wg_row, %c0) {cols = [128, 128]} : (!acc, !CL, index, index, index) -> ()
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.fence"() {proxy = "async"} : () -> ()
        "tile.arrive"(%mine2, %wg) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!two, index) -> ()
        "tile.wait_barrier"(%mine2, %wg, %c1) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!two, index, index) -> ()
        %nh1 = arith.addi %n0, %c128 : index
        scf.if %is_writer {
          "tile.copy_async"(%C_LDS, %C, %wg, %mg, %nh1, %c64, %c128) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
            : (!CL, !MC, index, index, index, index, index) -> ()
        }
        scf.yield %q#1, %q#2 : index, index
      }
      scf.if %is_writer {
        "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      }
    } {tile.role = "producer", tile.waves = [0, 4]}
    "tile.barrier"(%all) : (!bar) -> ()
    "tile.arrive"(%end) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%end) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    gpu.return
  }
}
