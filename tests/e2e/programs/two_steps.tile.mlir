// Written by hand, unlike what tile-workgroup emits: 1x2 waves, B's fragments before A's, two products
// in one loop body (k and k + 32), an unrelated op in the loop, a ragged problem, B stored [n, k].
module {
  gpu.module @mine attributes {tile.target = "TARGET"} {
    gpu.func @product(%lhs: memref<50x90xbf16>, %rhs: memref<70x90xbf16>, %out: memref<50x70xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 2, 1>, tile.names = ["lhs", "rhs", "out"],
                    tile.contract = {m = 50, n = 70, k = 90, a_order = "mk", b_order = "nk", accumulate = false}} {
      %zero = arith.constant 0 : index
      %thirty_two = arith.constant 32 : index
      %depth = arith.constant 64 : index
      %end = arith.constant 90 : index
      %row, %col0 = "tile.block_coord"() {tile = [32, 64]} : () -> (index, index)
      %w = gpu.subgroup_id : index
      %shift = arith.muli %w, %thirty_two : index
      %col = arith.addi %shift, %col0 : index
      %start = "tile.zero"() : () -> !tile.frag<[32, 32], f32, "acc">
      %sum = scf.for %t = %zero to %end step %depth iter_args(%s = %start) -> (!tile.frag<[32, 32], f32, "acc">) {
        %y0 = "tile.load"(%rhs, %col, %t) {transpose = true} : (memref<70x90xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "b">
        %x0 = "tile.load"(%lhs, %row, %t) {transpose = false} : (memref<50x90xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "a">
        %lane = gpu.lane_id
        %s0 = "tile.mma"(%x0, %y0, %s) : (!tile.frag<[32, 32], bf16, "a">, !tile.frag<[32, 32], bf16, "b">, !tile.frag<[32, 32], f32, "acc">) -> !tile.frag<[32, 32], f32, "acc">
        %t1 = arith.addi %thirty_two, %t : index
        %y1 = "tile.load"(%rhs, %col, %t1) {transpose = true} : (memref<70x90xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "b">
        %x1 = "tile.load"(%lhs, %row, %t1) {transpose = false} : (memref<50x90xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "a">
        %s1 = "tile.mma"(%x1, %y1, %s0) : (!tile.frag<[32, 32], bf16, "a">, !tile.frag<[32, 32], bf16, "b">, !tile.frag<[32, 32], f32, "acc">) -> !tile.frag<[32, 32], f32, "acc">
        scf.yield %s1 : !tile.frag<[32, 32], f32, "acc">
      }
      "tile.store"(%sum, %out, %row, %col) : (!tile.frag<[32, 32], f32, "acc">, memref<50x70xf32>, index, index) -> ()
      gpu.return
    }
  }
}
