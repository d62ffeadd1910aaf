// A product with no loads but its own in front of it has nothing to interleave with.
// RUN: not ladder-opt --pass=pin-schedule %s 2>&1 | FileCheck %s
// RUN: not ladder-opt --pass='pin-schedule{repeat=0}' %s 2>&1 | FileCheck %s --check-prefix=ZERO

// CHECK: error: pin-schedule: found no product with loads for a later one in front of it; run register-pipeline first
// ZERO: option 'repeat' is '0'; allowed: an integer of at least 1
!x = !tile.frag<[32, 32], bf16, "a">
!y = !tile.frag<[32, 16], bf16, "b">
!z = !tile.frag<[32, 16], f32, "acc">
!r = !tile.lds<[1, 32, 32], bf16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %r = "tile.alloc"() : () -> !r
    %y = "tile.zero"() : () -> !y
    %z = "tile.zero"() : () -> !z
    %x = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!r, index, index, index) -> !x
    %d = "tile.mma"(%x, %y, %z) {atom = "wmma_f32_16x16x32_bf16"} : (!x, !y, !z) -> !z
    gpu.return
  }
}
