// Copies of a part of a tile: the slot counts parts, and they are equal.
// RUN: ladder-opt --pass=verify-tile %s -o /dev/null
// RUN: sed 's/%c2, %m0/%c4, %m0/' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=SLOT
// RUN: sed 's/parts = .1, 2./parts = [1, 3]/' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: sed 's/parts = .1, 2./parts = [2]/' %s | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=PAIR

// SLOT: slot 4 of a ring of 2 stages in 2 parts each
// UNEQUAL: a tile of 32x32 has no 1 x 3 equal parts
// PAIR: attribute 'parts' is [2]; allowed: two integers of at least 1

!B = !tile.lds<[2, 32, 32], bf16, {}>
!stage = !tile.bar<2>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%B: memref<32x64xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %m0, %n0 = "tile.block_coord"() {tile = [32, 32]} : () -> (index, index)
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !stage
    %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !B
    "tile.arrive"(%full, %c1) {issuer = 0, tx_bytes = 1024, operandSegmentSizes = array<i32: 1, 1, 0>} : (!stage, index) -> ()
    "tile.copy_async"(%B, %B_LDS, %c2, %m0, %n0, %c32, %c16, %full, %c1)
      {align = 16, engine = "tma", parts = [1, 2], operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
      : (memref<32x64xbf16>, !B, index, index, index, index, index, !stage, index) -> ()
    "tile.wait_barrier"(%full, %c1, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!stage, index, index) -> ()
    gpu.return
  }
}
