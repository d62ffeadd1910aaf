// A fill behind a wait for its slot of an mbarrier that its readers arrive at; without, it is refused.
// RUN: ladder-opt --pass=verify-tile %s -o /dev/null
// RUN: sed '/wait_barrier.*empty/d' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s
// RUN: sed 's/wait_barrier"(.empty, .old/wait_barrier"(%%empty, %%slot/' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s

// CHECK: error: verify-tile: fills a slot that waves may still be reading

!A = !tile.lds<[3, 16, 32], bf16, {}>
!B = !tile.lds<[3, 32, 32], bf16, {}>
!stage = !tile.bar<3>
!acc = !tile.frag<[16, 32], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%B: memref<320x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c320 = arith.constant 320 : index
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %empty = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !A
    %zero = "tile.zero"() : () -> !acc
    %p:5 = scf.for %k = %c0 to %c320 step %c32 iter_args(%acc = %zero, %slot = %c0, %phase = %c0, %old = %c2, %before = %c1) -> (!acc, index, index, index, index) {
      "tile.wait_barrier"(%full, %slot, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
      %next = "tile.mma"(%A_LDS, %B_LDS, %acc, %slot, %c0, %c0, %slot, %c0, %c0)
        : (!A, !B, !acc, index, index, index, index, index, index) -> !acc
      "tile.wait"() {kind = "lds", pending = 1} : () -> ()
      %later = arith.cmpi ugt, %k, %c0 : index
      scf.if %later {
        "tile.arrive"(%empty, %old) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      }
      "tile.wait_barrier"(%empty, %old, %before) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
      %two_on = arith.addi %k, %c64 : index
      %exists = arith.cmpi slt, %two_on, %c320 : index
      scf.if %exists {
      "tile.arrive"(%full, %old) {tx_bytes = 2048, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
      "tile.copy_async"(%B, %B_LDS, %old, %k, %c0, %c32, %c32, %full, %old)
        {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
        : (memref<320x32xbf16>, !B, index, index, index, index, index, !stage, index) -> ()
      }
      %more = arith.addi %slot, %c1 : index
      %wraps = arith.cmpi eq, %more, %c3 : index
      %slot_next = arith.select %wraps, %c0, %more : index
      scf.yield %next, %slot_next, %phase, %slot, %phase : !acc, index, index, index, index
    }
    gpu.return
  }
}
