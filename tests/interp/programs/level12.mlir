// The shape of the published Level 12: the first operands of the next stage are loaded between the two
// parts of the last product, and carried.
!A = !tile.lds<[2, 32, 128], bf16, {interval = 256, pad = 16}>
!B = !tile.lds<[2, 128, 32], bf16, {interval = 256, pad = 16}>
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 32], bf16, "b">
!acc = !tile.frag<[16, 32], f32, "acc">
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @matmul(%A: memref<128x384xbf16>, %B: memref<384x64xbf16>, %C: memref<128x64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 2, 1>, known_cluster_size = array<i32: 2, 2, 1>,
                  tile.contract = {m = 128, n = 64, k = 384, a_order = "mk", b_order = "kn", accumulate = false},
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
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !bar
    %cluster = "tile.barrier_create"() {arrivals = 4, scope = "cluster", kind = "hw"} : () -> !bar
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %m0, %n0 = "tile.block_coord"() {tile = [32, 32]} : () -> (index, index)
    %wave = gpu.subgroup_id : index
    %wm = arith.divui %wave, %c1 : index
    %wn = arith.remui %wave, %c1 : index
    %wave_m = arith.muli %wm, %c16 : index
    %wave_n = arith.muli %wn, %c32 : index
    %m = arith.addi %m0, %wave_m : index
    %n = arith.addi %n0, %wave_n : index
    // Workgroup x + 2 * y of the cluster: A is the same along y, B along x.
    %cluster_x = gpu.cluster_block_id x
    %cluster_y = gpu.cluster_block_id y
    %five = arith.constant 5 : i32
    %three = arith.constant 3 : i32
    %two = arith.constant 2 : i32
    %x = arith.index_cast %cluster_x : index to i32
    %y = arith.index_cast %cluster_y : index to i32
    %y2 = arith.muli %y, %two : i32
    %maskA = arith.shli %five, %x : i32
    %maskB = arith.shli %three, %y2 : i32
    %zero = "tile.zero"() : () -> !acc
    "tile.copy_async"(%A, %A_LDS, %c0, %m0, %c0, %c32, %c128, %maskA) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
      : (memref<128x384xbf16>, !A, index, index, index, index, index, i32) -> ()
    "tile.copy_async"(%B, %B_LDS, %c0, %c0, %n0, %c128, %c32, %maskB) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
      : (memref<384x64xbf16>, !B, index, index, index, index, index, i32) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    // The workgroup, then the cluster.
    "tile.barrier"(%bar) : (!bar) -> ()
    "tile.arrive"(%cluster) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%cluster) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    %a_in = "tile.load"(%A_LDS, %c0, %wave_m, %c0) {transpose = false} : (!A, index, index, index) -> !a
    %b_in = "tile.load"(%B_LDS, %c0, %c0, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
    %sum:4 = scf.for %k = %c0 to %c384 step %c128 iter_args(%acc = %zero, %current = %c0, %a_reg = %a_in, %b_reg = %b_in) -> (!acc, index, !a, !b) {
      %more = arith.addi %current, %c1 : index
      %next = arith.remui %more, %c2 : index
      %k_more = arith.addi %k, %c128 : index
      %k_next = arith.minsi %k_more, %c256 : index
      "tile.copy_async"(%A, %A_LDS, %next, %m0, %k_next, %c32, %c128, %maskA) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
        : (memref<128x384xbf16>, !A, index, index, index, index, index, i32) -> ()
      "tile.copy_async"(%B, %B_LDS, %next, %k_next, %n0, %c128, %c32, %maskB) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
        : (memref<384x64xbf16>, !B, index, index, index, index, index, i32) -> ()
      %a1 = "tile.load"(%A_LDS, %current, %wave_m, %c32) {transpose = false} : (!A, index, index, index) -> !a
      %b1 = "tile.load"(%B_LDS, %current, %c32, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      %s0 = "tile.mma"(%a_reg, %b_reg, %acc) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      %a2 = "tile.load"(%A_LDS, %current, %wave_m, %c64) {transpose = false} : (!A, index, index, index) -> !a
      %b2 = "tile.load"(%B_LDS, %current, %c64, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      %s1 = "tile.mma"(%a1, %b1, %s0) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      %a3 = "tile.load"(%A_LDS, %current, %wave_m, %c96) {transpose = false} : (!A, index, index, index) -> !a
      %b3 = "tile.load"(%B_LDS, %current, %c96, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      %s2 = "tile.mma"(%a2, %b2, %s1) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      %part = "tile.mma"(%a3, %b3, %s2) {atom = "wmma_f32_16x16x32_bf16", atoms = [0, 1]} : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.arrive"(%cluster) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      %a0_next = "tile.load"(%A_LDS, %next, %wave_m, %c0) {transpose = false} : (!A, index, index, index) -> !a
      %b0_next = "tile.load"(%B_LDS, %next, %c0, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      %sum_next = "tile.mma"(%a3, %b3, %part) {atom = "wmma_f32_16x16x32_bf16", atoms = [1, 1]} : (!a, !b, !acc) -> !acc
      "tile.wait_barrier"(%cluster) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      scf.yield %sum_next, %next, %a0_next, %b0_next : !acc, index, !a, !b
    }
    "tile.store"(%sum#0, %C, %m, %n) : (!acc, memref<128x64xf32>, index, index) -> ()
    gpu.return
  }
}
