// RUN: not ladder-opt --pass='split-epilogue{rows=24}' %s 2>&1 | FileCheck %s --check-prefix=BAND
// RUN: sed 's/"tile.wait"() {kind = "copy".*/"tile.barrier"(%%meet) : (!bar) -> ()/' %s | not ladder-opt --pass='split-epilogue{rows=32}' 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: sed 's/issuer = 0, //' %s | not ladder-opt --pass='split-epilogue{rows=32}' 2>&1 | FileCheck %s --check-prefix=POSTS
// RUN: sed 's/gpu.return/"tile.barrier"(%%meet) : (!bar) -> () gpu.return/' %s | not ladder-opt --pass='split-epilogue{rows=32}' 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// RUN: sed 's/muli %%w, %%some/muli %%w, %%zero/' %s | not ladder-opt --pass='split-epilogue{rows=32}' 2>&1 | FileCheck %s --check-prefix=LEADS

// BAND: error: split-epilogue: a wave's rows do not lie in one band of 24
// ODD: error: split-epilogue: 3 meetings a round: phases of slots need an even number
// POSTS: error: split-epilogue: a staged tile is a ring of its own, that waves store to and one wave posts
// ELSEWHERE: error: split-epilogue: the waves meet at this barrier elsewhere, too
// LEADS: error: split-epilogue: the waves do not part evenly in bands of 32 rows

!acc = !tile.frag<[16, 64], f32, "acc">
!R = !tile.lds<[1, 64, 64], bf16, {block = 128, swizzle = 128}>
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%out: memref<64x256xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %step = arith.constant 1 : index
    %some = arith.constant 16 : index
    %wide = arith.constant 64 : index
    %meet = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !bar
    %stage = "tile.alloc"() {name = "out_LDS"} : () -> !R
    %w = gpu.subgroup_id : index
    %down = arith.muli %w, %some : index
    %z = "tile.zero"() : () -> !acc
    scf.for %tile = %zero to %four step %step {
      %left = arith.muli %tile, %wide : index
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%meet) : (!bar) -> ()
      "tile.store"(%z, %stage, %zero, %down, %zero) : (!acc, !R, index, index, index) -> ()
      "tile.barrier"(%meet) : (!bar) -> ()
      "tile.copy_async"(%stage, %out, %zero, %zero, %left, %wide, %wide) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (!R, memref<64x256xbf16>, index, index, index, index, index) -> ()
    }
    gpu.return
  }
}
