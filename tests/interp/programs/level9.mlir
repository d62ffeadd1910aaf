// The shape of the published Level 9: a cluster shares A along y and B along x; its barrier is signalled
// by wave 0 and waited for by all. (2 x 2 instead of 4 x 4 workgroups.)
!A = !tile.lds<[2, 32, 64], bf16, {interval = 256, pad = 16}>
!B = !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 16], bf16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @matmul(%A: memref<128x192xbf16>, %B: memref<192x64xbf16>, %C: memref<128x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 2, 1>, known_cluster_size = array<i32: 2, 2, 1>,
                  tile.contract = {m = 128, n = 64, k = 192, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %bar = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !bar
    %cluster = "tile.barrier_create"() {arrivals = 4, scope = "cluster", kind = "hw"} : () -> !bar
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
    "tile.copy_async"(%A, %A_LDS, %c0, %m0, %c0, %c32, %c64, %maskA) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
      : (memref<128x192xbf16>, !A, index, index, index, index, index, i32) -> ()
    "tile.copy_async"(%B, %B_LDS, %c0, %c0, %n0, %c64, %c32, %maskB) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
      : (memref<192x64xbf16>, !B, index, index, index, index, index, i32) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    // The workgroup, then the cluster.
    "tile.barrier"(%bar) : (!bar) -> ()
    "tile.arrive"(%cluster) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    "tile.wait_barrier"(%cluster) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
    %sum:2 = scf.for %k = %c0 to %c192 step %c64 iter_args(%acc = %zero, %current = %c0) -> (!acc, index) {
      %more = arith.addi %current, %c1 : index
      %next = arith.remui %more, %c2 : index
      %a0 = "tile.load"(%A_LDS, %current, %wave_m, %c0) {transpose = false} : (!A, index, index, index) -> !a
      %b0 = "tile.load"(%B_LDS, %current, %c0, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      %k_more = arith.addi %k, %c64 : index
      %k_next = arith.minsi %k_more, %c128 : index
      "tile.copy_async"(%A, %A_LDS, %next, %m0, %k_next, %c32, %c64, %maskA) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
        : (memref<128x192xbf16>, !A, index, index, index, index, index, i32) -> ()
      "tile.copy_async"(%B, %B_LDS, %next, %k_next, %n0, %c64, %c32, %maskB) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>}
        : (memref<192x64xbf16>, !B, index, index, index, index, index, i32) -> ()
      %a1 = "tile.load"(%A_LDS, %current, %wave_m, %c32) {transpose = false} : (!A, index, index, index) -> !a
      %b1 = "tile.load"(%B_LDS, %current, %c32, %wave_n) {transpose = false} : (!B, index, index, index) -> !b
      "tile.wait"() {kind = "lds", pending = 2} : () -> ()
      %s0 = "tile.mma"(%a0, %b0, %acc) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.arrive"(%cluster) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      %sum_next = "tile.mma"(%a1, %b1, %s0) {atom = "wmma_f32_16x16x32_bf16"} : (!a, !b, !acc) -> !acc
      "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.wait_barrier"(%cluster) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      scf.yield %sum_next, %next : !acc, index
    }
    "tile.store"(%sum#0, %C, %m, %n) : (!acc, memref<128x64xf32>, index, index) -> ()
    gpu.return
  }
}
