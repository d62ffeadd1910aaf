// The shape of the published Level 7: wave 0 moves A and wave 1 moves B by the tensor mover, the other
// waves have nothing to wait for but the barrier.
!A = !tile.lds<[2, 32, 128], bf16, {interval = 256, pad = 16}>
!B = !tile.lds<[2, 128, 32], bf16, {interval = 256, pad = 16}>
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 16], bf16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @matmul(%A: memref<64x384xbf16>, %B: memref<384x64xbf16>, %C: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 2, 1>,
                  tile.contract = {m = 64, n = 64, k = 384, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c384 = arith.constant 384 : index
    %bar = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !bar
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %m0, %n0 = "tile.block_coord"() {tile = [32, 32]} : () -> (index, index)
    %wave = gpu.subgroup_id : index
    %wm = arith.divui %wave, %c2 : index
    %wn = arith.remui %wave, %c2 : index
    %wave_m = arith.muli %wm, %c16 : index
    %wave_n = arith.muli %wn, %c16 : index
    %m = arith.addi %m0, %wave_m : index
    %n = arith.addi %n0, %wave_n : index
    %first = arith.cmpi eq, %wave, %c0 : index
    %second = arith.cmpi eq, %wave, %c1 : index
    %zero = "tile.zero"() : () -> !acc
    scf.if %first {
      "tile.copy_async"(%A, %A_LDS, %c0, %m0, %c0, %c32, %c128) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (memref<64x384xbf16>, !A, index, index, index, index, index) -> ()
    }
    scf.if %second {
      "tile.copy_async"(%B, %B_LDS, %c0, %c0, %n0, %c128, %c32) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (memref<384x64xbf16>, !B, index, index, index, index, index) -> ()
    }
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.sched_fence"() : () -> ()
    "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.sched_fence"() : () -> ()
    %sum:2 = scf.for %k = %c0 to %c384 step %c128 iter_args(%acc = %zero, %current = %c0) -> (!acc, index) {
      %more = arith.addi %current, %c1 : index
      %next = arith.remui %more, %c2 : index
      %a0 = "tile.load"(%A_LDS, %current, %wave_m, %c0) {transpose = false} : (!A, index, index, index) -> !a
      %b0 = "tile.load"(%B_LDS, %current, %c0, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      %k_more = arith.addi %k, %c128 : index
      %k_next = arith.minsi %k_more, %c256 : index
      scf.if %first {
        "tile.copy_async"(%A, %A_LDS, %next, %m0, %k_next, %c32, %c128) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
          : (memref<64x384xbf16>, !A, index, index, index, index, index) -> ()
      }
      scf.if %second {
        "tile.copy_async"(%B, %B_LDS, %next, %k_next, %n0, %c128, %c32) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
          : (memref<384x64xbf16>, !B, index, index, index, index, index) -> ()
      }
      %a1 = "tile.load"(%A_LDS, %current, %wave_m, %c32) {transpose = false} : (!A, index, index, index) -> !a
      %b1 = "tile.load"(%B_LDS, %current, %c32, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      "tile.wait"() {kind = "lds", pending = 2} : () -> ()
      %s0 = "tile.mma"(%a0, %b0, %acc) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      %a2 = "tile.load"(%A_LDS, %current, %wave_m, %c64) {transpose = false} : (!A, index, index, index) -> !a
      %b2 = "tile.load"(%B_LDS, %current, %c64, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      "tile.wait"() {kind = "lds", pending = 2} : () -> ()
      %s1 = "tile.mma"(%a1, %b1, %s0) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      %a3 = "tile.load"(%A_LDS, %current, %wave_m, %c96) {transpose = false} : (!A, index, index, index) -> !a
      %b3 = "tile.load"(%B_LDS, %current, %c96, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      "tile.wait"() {kind = "lds", pending = 2} : () -> ()
      %s2 = "tile.mma"(%a2, %b2, %s1) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      %sum_next = "tile.mma"(%a3, %b3, %s2) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.sched_fence"() : () -> ()
      "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.sched_fence"() : () -> ()
      scf.yield %sum_next, %next : !acc, index
    }
    "tile.store"(%sum#0, %C, %m, %n) : (!acc, memref<64x64xf32>, index, index) -> ()
    gpu.return
  }
}
