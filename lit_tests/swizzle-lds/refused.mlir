// RUN: split-file %s %t
// RUN: not ladder-opt --pass=swizzle-lds %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --pass='swizzle-lds{bytes=48}' %t/ring.mlir 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not ladder-opt --pass=swizzle-lds %t/tdm.mlir 2>&1 | FileCheck %s --check-prefix=TDM
// RUN: not ladder-opt --pass=swizzle-lds %t/offset.mlir 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not ladder-opt --pass=verify-tile %t/both.mlir 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not ladder-opt --pass=verify-tile %t/blocks.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: ladder-opt --pass=swizzle-lds %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=NARROW

// EARLY: error: swizzle-lds: found no LDS ring that a product reads; run promote-to-lds first
// BYTES: error: swizzle-lds: bytes is 48; a swizzle has 32, 64, 128
// TDM: tdm.mlir:5:5: error: swizzle-lds: engine tdm cannot write a swizzled tile: it only pads
// OFFSET: offset.mlir:4:13: error: swizzle-lds: the ring has an offset; run swizzle-lds before partition-lds
// BOTH: error: verify-tile: a layout swizzles 0, 32, 64, 128 bytes, and then pads nothing
// BLOCKS: error: verify-tile: rows of 64 bytes are no whole blocks of 48
// NARROW: remark: {{.*}}X keeps its layout: rows of 48 B are no multiple of 32
// NARROW: warning: pass swizzle-lds{{.*}} changed nothing

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x32xbf16>) kernel { gpu.return }
}
//--- ring.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 32], bf16, {}>
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 16, 32], bf16, {}>, index, index, index) -> !tile.frag<[16, 32], bf16, "a">
    gpu.return
  }
}
//--- tdm.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>, %0: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 32], bf16, {}>
    %a = "tile.load"(%ring, %0, %0, %0) {transpose = false} : (!tile.lds<[1, 16, 32], bf16, {}>, index, index, index) -> !tile.frag<[16, 32], bf16, "a">
    "tile.copy_async"(%x, %ring, %0, %0, %0, %0, %0) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<16x32xbf16>, !tile.lds<[1, 16, 32], bf16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- offset.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = "tile.alloc"() {name = "X", offset = 1024} : () -> !tile.lds<[1, 16, 32], bf16, {}>
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 16, 32], bf16, {}>, index, index, index) -> !tile.frag<[16, 32], bf16, "a">
    gpu.return
  }
}
//--- both.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 32], bf16, {interval = 64, pad = 16, swizzle = 64}>
    gpu.return
  }
}
//--- blocks.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 32], bf16, {block = 48}>
    gpu.return
  }
}
//--- narrow.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ring = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 24], bf16, {}>
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 16, 24], bf16, {}>, index, index, index) -> !tile.frag<[16, 24], bf16, "a">
    gpu.return
  }
}
