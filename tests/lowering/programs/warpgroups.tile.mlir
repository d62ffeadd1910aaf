// Two warpgroups, three stages: wave 0 posts TMA copies, products read their tiles in place. A slot of
// `full` counts the bytes, a slot of `empty` the eight waves that have read it. A is stored [K, M] and
// B [K, N], both along the other dimension than k; M, N and K are no multiples of the tile.
!MA = memref<328x200xf16>
!MB = memref<328x264xf16>
!MC = memref<200x264xf32>
!A = !tile.lds<[3, 64, 128], f16, {block = 128, swizzle = 128}>
!B = !tile.lds<[3, 64, 256], f16, {block = 128, swizzle = 128}>
!acc = !tile.frag<[16, 256], f32, "acc">
!stage = !tile.bar<3>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%A: !MA, %B: !MB, %C: !MC) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 2, 2, 1>,
      tile.contract = {m = 200, n = 264, k = 328, a_order = "km", b_order = "kn", accumulate = true},
      tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c200 = arith.constant 200 : index
    %c256 = arith.constant 256 : index
    %c264 = arith.constant 264 : index
    %c328 = arith.constant 328 : index
    %full = "tile.barrier_create"() {name = "full", arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {name = "empty", arrivals = 8, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %m0, %n0 = "tile.block_coord"() {tile = [128, 256]} : () -> (index, index)
    %wave = gpu.subgroup_id : index
    %wave_m = arith.muli %wave, %c16 : index
    %m = arith.addi %m0, %wave_m : index
    %is_issuer = arith.cmpi eq, %wave, %c0 : index
    %below = arith.subi %c200, %m0 : index
    %tall = arith.minsi %below, %c128 : index
    %beside = arith.subi %c264, %n0 : index
    %wide = arith.minsi %beside, %c256 : index
    scf.if %is_issuer {
      %k0 = arith.constant 0 : index
      "tile.arrive"(%full, %c0) {tx_bytes = 49152, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      "tile.copy_async"(%A, %A_LDS, %c0, %k0, %m0, %c64, %tall, %full, %c0) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MA, !A, index, index, index, index, index, !stage, index) -> ()
      "tile.copy_async"(%B, %B_LDS, %c0, %k0, %n0, %c64, %wide, %full, %c0) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MB, !B, index, index, index, index, index, !stage, index) -> ()
      %k1 = arith.constant 64 : index
      "tile.arrive"(%full, %c1) {tx_bytes = 49152, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      "tile.copy_async"(%A, %A_LDS, %c1, %k1, %m0, %c64, %tall, %full, %c1) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MA, !A, index, index, index, index, index, !stage, index) -> ()
      "tile.copy_async"(%B, %B_LDS, %c1, %k1, %n0, %c64, %wide, %full, %c1) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MB, !B, index, index, index, index, index, !stage, index) -> ()
    }
    %first = "tile.load"(%C, %m, %n0) {transpose = false} : (!MC, index, index) -> !acc
    %p:5 = scf.for %k = %c0 to %c328 step %c64 iter_args(%acc = %first, %slot = %c0, %phase = %c0, %old = %c2, %old_phase = %c1) -> (!acc, index, index, index, index) {
      "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
      %next = "tile.mma"(%A_LDS, %B_LDS, %acc, %slot, %c0, %wave_m, %slot, %c0, %c0) {atom = "wgmma_m64n256k16_f32_f16", order = "ab", transpose_a = true} : (!A, !B, !acc, index, index, index, index, index, index) -> !acc
      "tile.wait"() {kind = "lds", pending = 1} : () -> ()
      %later = arith.cmpi ugt, %k, %c0 : index
      scf.if %later {
        "tile.arrive"(%empty, %old) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      }
      %ahead = arith.addi %k, %c128 : index
      %more = arith.cmpi ult, %ahead, %c328 : index
      %fill = arith.andi %more, %is_issuer : i1
      scf.if %fill {
        "tile.wait_barrier"(%empty, %old, %old_phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
        %rest = arith.subi %c328, %ahead : index
        %depth = arith.minsi %rest, %c64 : index
        "tile.arrive"(%full, %old) {tx_bytes = 49152, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
        "tile.copy_async"(%A, %A_LDS, %old, %ahead, %m0, %depth, %tall, %full, %old) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MA, !A, index, index, index, index, index, !stage, index) -> ()
        "tile.copy_async"(%B, %B_LDS, %old, %ahead, %n0, %depth, %wide, %full, %old) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (!MB, !B, index, index, index, index, index, !stage, index) -> ()
      }
      %slot_more = arith.addi %slot, %c1 : index
      %wraps = arith.cmpi eq, %slot_more, %c3 : index
      %slot_next = arith.select %wraps, %c0, %slot_more : index
      %flipped = arith.subi %c1, %phase : index
      %phase_next = arith.select %wraps, %flipped, %phase : index
      scf.yield %next, %slot_next, %phase_next, %slot, %phase : !acc, index, index, index, index
    }
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.store"(%p#0, %C, %m, %n0) : (!acc, !MC, index, index) -> ()
    gpu.return
  }
}
