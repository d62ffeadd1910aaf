// Where rings lie: offsets, aliases that run on over what lies behind, and the budget.
// RUN: split-file %s %t
// RUN: ladder-opt --pass=verify-tile %t/good.mlir -o /dev/null
// RUN: not ladder-opt --pass=verify-tile %t/over.mlir 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not ladder-opt --pass=verify-tile %t/crooked.mlir 2>&1 | FileCheck %s --check-prefix=CROOKED
// RUN: not ladder-opt --pass=verify-tile %t/budget.mlir 2>&1 | FileCheck %s --check-prefix=BUDGET

// OVER: over.mlir:4:10: error: verify-tile: bytes [1,024, 3,072) run over another ring's [0, 2,048), which is not its alias
// OVER: over.mlir:3:10: note: that ring
// CROOKED: crooked.mlir:3:10: error: verify-tile: offset 8 is no multiple of 16 bytes, which gfx1250 needs
// The last ring reaches over the end; the one on top of P is counted once.
// BUDGET: budget.mlir:5:10: error: verify-tile: needs 393,216 B of LDS, gfx1250 has 327,680 B: P 2 x 65,536 + Q 1 x 131,072 (shared) + R 2 x 131,072; try

//--- good.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %p = "tile.alloc"() {offset = 4096} : () -> !tile.lds<[2, 16, 32], f16, {}>
    %q = "tile.alloc"() : () -> !tile.lds<[1, 16, 32], bf16, {}>
    %r = "tile.alloc"(%p) : (!tile.lds<[2, 16, 32], f16, {}>) -> !tile.lds<[1, 64, 32], f32, {}>
    %s = "tile.alloc"() {offset = 0} : () -> !tile.lds<[2, 16, 32], f16, {}>
    gpu.return
  }
}
//--- over.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %p = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %q = "tile.alloc"() {offset = 1024} : () -> !tile.lds<[2, 16, 32], f16, {}>
    gpu.return
  }
}
//--- crooked.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %p = "tile.alloc"() {offset = 8} : () -> !tile.lds<[2, 16, 32], f16, {}>
    gpu.return
  }
}
//--- budget.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %p = "tile.alloc"() {name = "P"} : () -> !tile.lds<[2, 256, 128], bf16, {}>
    %q = "tile.alloc"(%p) {name = "Q"} : (!tile.lds<[2, 256, 128], bf16, {}>) -> !tile.lds<[1, 256, 128], f32, {}>
    %r = "tile.alloc"() {name = "R"} : () -> !tile.lds<[2, 512, 128], bf16, {}>
    gpu.return
  }
}
