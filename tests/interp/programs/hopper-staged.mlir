// C leaves through swizzled LDS and the engine, 16 rows and 64 columns a slot: each wave converts
// its accumulators into a slot of its own, makes them visible to the engine, and posts the slot.
!A = !tile.lds<[1, 64, 32], bf16, {block = 64, swizzle = 64}>
!B = !tile.lds<[1, 32, 128], bf16, {block = 128, swizzle = 128}>
!C = !tile.lds<[8, 16, 64], bf16, {block = 128, swizzle = 128}>
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 64], bf16, "b">
!acc = !tile.frag<[16, 64], f32, "acc">
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @matmul(%A: memref<104x96xbf16>, %B: memref<96x136xbf16>, %C: memref<104x136xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 2, 1>,
                  tile.contract = {m = 104, n = 136, k = 96, a_order = "mk", b_order = "kn", accumulate = false},
                  tile.names = ["A", "B", "C"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %c104 = arith.constant 104 : index
    %c128 = arith.constant 128 : index
    %c136 = arith.constant 136 : index
    %bar = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !bar
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %C_LDS = "tile.alloc"() {name = "C_LDS"} : () -> !C
    %m0, %n0 = "tile.block_coord"() {tile = [64, 128]} : () -> (index, index)
    %wave = gpu.subgroup_id : index
    %wave_m = arith.muli %wave, %c16 : index
    %m = arith.addi %m0, %wave_m : index
    %below = arith.subi %c104, %m0 : index
    %rows = arith.minsi %below, %c64 : index
    %right = arith.subi %c136, %n0 : index
    %cols = arith.minsi %right, %c128 : index
    %zero = "tile.zero"() : () -> !acc
    %acc:2 = scf.for %k = %c0 to %c96 step %c32 iter_args(%u = %zero, %v = %zero) -> (!acc, !acc) {
      "tile.copy_async"(%A, %A_LDS, %c0, %m0, %k, %rows, %c32) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (memref<104x96xbf16>, !A, index, index, index, index, index) -> ()
      "tile.copy_async"(%B, %B_LDS, %c0, %k, %n0, %c32, %cols) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (memref<96x136xbf16>, !B, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!bar) -> ()
      %a = "tile.load"(%A_LDS, %c0, %wave_m, %c0) {transpose = false} : (!A, index, index, index) -> !a
      %b0 = "tile.load"(%B_LDS, %c0, %c0, %c0) {transpose = false} : (!B, index, index, index) -> !b
      %b1 = "tile.load"(%B_LDS, %c0, %c0, %c64) {transpose = false} : (!B, index, index, index) -> !b
      %u_next = "tile.mma"(%a, %b0, %u) {atom = "mma_m16n8k16_f32_bf16"} : (!a, !b, !acc) -> !acc
      %v_next = "tile.mma"(%a, %b1, %v) {atom = "mma_m16n8k16_f32_bf16"} : (!a, !b, !acc) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!bar) -> ()
      scf.yield %u_next, %v_next : !acc, !acc
    }
    %left = arith.subi %c104, %m : index
    %mine = arith.minsi %left, %c16 : index
    %some = arith.maxsi %mine, %c0 : index
    %first = arith.minsi %right, %c64 : index
    %n1 = arith.addi %n0, %c64 : index
    %beyond = arith.subi %c136, %n1 : index
    %second = arith.minsi %beyond, %c64 : index
    %last = arith.maxsi %second, %c0 : index
    %even = arith.muli %wave, %c2 : index
    %odd = arith.addi %even, %c1 : index
    "tile.store"(%acc#0, %C_LDS, %even, %c0, %c0) : (!acc, !C, index, index, index) -> ()
    "tile.store"(%acc#1, %C_LDS, %odd, %c0, %c0) : (!acc, !C, index, index, index) -> ()
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.fence"() {proxy = "async"} : () -> ()
    "tile.barrier"(%bar) : (!bar) -> ()
    "tile.copy_async"(%C_LDS, %C, %even, %m, %n0, %some, %first) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
      : (!C, memref<104x136xbf16>, index, index, index, index, index) -> ()
    "tile.copy_async"(%C_LDS, %C, %odd, %m, %n1, %some, %last) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
      : (!C, memref<104x136xbf16>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
}
