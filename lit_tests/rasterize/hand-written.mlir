// A persistent loop that no pass of ours emits: remainder before quotient, an unrelated op between,
// a step that the hardware gives, and an inner loop that is not over tiles.
// RUN: ladder-opt --pass='rasterize{order=column}' %s | FileCheck %s
// RUN: sed 's/divui %%t, %%c3/divui %%t, %%c2/' %s | not ladder-opt --pass=rasterize 2>&1 | FileCheck %s --check-prefix=WIDTHS

// CHECK: scf.for [[T:%.*]] = %{{.*}} to %c6 step
// CHECK-NEXT: [[J:%.*]] = arith.divui [[T]], %c2
// CHECK-NEXT: [[I:%.*]] = arith.remui [[T]], %c2
// CHECK-NEXT: gpu.lane_id
// CHECK-NEXT: arith.muli [[I]], %c16
// CHECK-NEXT: arith.muli [[J]], %c16
// CHECK: scf.for [[K:%.*]] =
// CHECK-NEXT: arith.divui [[K]], %c3

// WIDTHS: error: rasterize: the loop over tiles does not take them row by row any more
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%p: memref<32x48xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c6 = arith.constant 6 : index
    %c16 = arith.constant 16 : index
    %first = gpu.block_id x
    %step = gpu.grid_dim x
    scf.for %t = %first to %c6 step %step {
      %col = arith.remui %t, %c3 : index
      %lane = gpu.lane_id
      %row = arith.divui %t, %c3 : index
      %y = arith.muli %row, %c16 : index
      %x = arith.muli %col, %c16 : index
      scf.for %k = %c0 to %c2 step %c1 {
        %unrelated = arith.divui %k, %c3 : index
        %zero = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
        "tile.store"(%zero, %p, %y, %x) : (!tile.frag<[16, 16], f32, "acc">, memref<32x48xf32>, index, index) -> ()
      }
    }
    gpu.return
  }
}
