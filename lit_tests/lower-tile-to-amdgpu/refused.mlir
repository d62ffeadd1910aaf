// RUN: split-file %s %t
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/lds.mlir 2>&1 | FileCheck %s --check-prefix=LDS
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/atoms.mlir 2>&1 | FileCheck %s --check-prefix=ATOMS
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/threads.mlir 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/align.mlir 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/engine.mlir 2>&1 | FileCheck %s --check-prefix=ENGINE
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/target.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/blocks.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/padded.mlir 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/part.mlir 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not ladder-opt --pass=lower-tile-to-amdgpu %t/cluster.mlir 2>&1 | FileCheck %s --check-prefix=CLUSTER

// LDS: lds.mlir:5:{{.*}} error: {{.*}}needs 528,384 B of LDS, gfx1250 has 327,680 B: X 2 x 131,072 + Y 2 x 133,120; try
// ATOMS: atoms.mlir:9:{{.*}} error: {{.*}}a fragment of this product needs no atom, another atom wmma_f32_16x16x32_bf16
// ATOMS: atoms.mlir:8:{{.*}} note: the other product
// UNKNOWN: unknown.mlir:7:{{.*}} error: {{.*}}gfx1250 has no atom 'mma_m16n8k16' (atoms: wmma_f32_16x16x32_bf16, wmma_f32_16x16x32_f16)
// THREADS: threads.mlir:2:{{.*}} error: {{.*}}a workgroup of 48x1x1 threads is no multiple of 32 up to 1024 along x
// ALIGN: align.mlir:5:{{.*}} error: {{.*}}align is 16 bytes, but rows are 72 bytes apart
// ENGINE: engine.mlir:5:{{.*}} error: {{.*}}gfx1250 cannot lower tile.copy_async by engine tma
// TARGET: target.mlir:1:{{.*}} error: {{.*}}target sm_90a is lowered by lower-tile-to-nvgpu
// BLOCKS: blocks.mlir:3:{{.*}} error: {{.*}}a 20x16 fragment is no whole number of 8x16 blocks, as plain products on gfx1250 needs
// NARROW: narrow.mlir:5:{{.*}} error: {{.*}}engine async moves 16, 8, 4, 1 bytes a lane, this copy allows 2
// PADDED: padded.mlir:5:{{.*}} error: {{.*}}engine tdm cannot read an LDS tile with padding
// PART: part.mlir:4:{{.*}} error: {{.*}}a barrier of 1 of the 2 waves; gfx1250's takes all of them, once each
// CLUSTER: cluster.mlir:4:{{.*}} error: {{.*}}one wave of a workgroup arrives at a cluster's barrier: issuer = ...

//--- lds.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = "tile.alloc"() {name = "X"} : () -> !tile.lds<[2, 256, 256], bf16, {}>
    %b = "tile.alloc"() {name = "Y"} : () -> !tile.lds<[2, 256, 256], bf16, {interval = 1024, pad = 16}>
    gpu.return
  }
}
//--- atoms.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>, %y: memref<32x16xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %a = "tile.load"(%x, %c0, %c0) {transpose = false} : (memref<16x32xbf16>, index, index) -> !tile.frag<[16, 32], bf16, "a">
    %b = "tile.load"(%y, %c0, %c0) {transpose = false} : (memref<32x16xbf16>, index, index) -> !tile.frag<[32, 16], bf16, "b">
    // Both products share %a, %b and %z.
    %d = "tile.mma"(%a, %b, %z) {atom = "wmma_f32_16x16x32_bf16"} : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    %e = "tile.mma"(%a, %b, %d) : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- unknown.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>, %y: memref<32x16xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %a = "tile.load"(%x, %c0, %c0) {transpose = false} : (memref<16x32xbf16>, index, index) -> !tile.frag<[16, 32], bf16, "a">
    %b = "tile.load"(%y, %c0, %c0) {transpose = false} : (memref<32x16xbf16>, index, index) -> !tile.frag<[32, 16], bf16, "b">
    %d = "tile.mma"(%a, %b, %z) {atom = "mma_m16n8k16"} : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- threads.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xbf16>) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- align.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x36xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], bf16, {}>
    "tile.copy"(%x, %a, %c0, %c0, %c0, %c0, %c0) {align = 16} : (memref<32x36xbf16>, !tile.lds<[1, 32, 32], bf16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- engine.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], bf16, {}>
    "tile.copy_async"(%x, %a, %c0, %c0, %c0, %c0, %c0) {align = 16, engine = "tma", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<32x32xbf16>, !tile.lds<[1, 32, 32], bf16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- target.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<32x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- blocks.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x32xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %z = "tile.zero"() : () -> !tile.frag<[20, 16], f32, "acc">
    gpu.return
  }
}
//--- narrow.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x33xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], bf16, {}>
    "tile.copy_async"(%x, %a, %c0, %c0, %c0, %c0, %c0) {align = 2, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<32x33xbf16>, !tile.lds<[1, 32, 32], bf16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- padded.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], f32, {interval = 256, pad = 16}>
    "tile.copy_async"(%a, %x, %c0, %c0, %c0, %c0, %c0) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (!tile.lds<[1, 32, 32], f32, {interval = 256, pad = 16}>, memref<32x32xf32>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- part.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x32xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %bar = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.arrive"(%bar) {issuer = 0, operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    gpu.return
  }
}
//--- cluster.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<32x32xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "cluster", kind = "hw"} : () -> !tile.bar<1>
    "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    gpu.return
  }
}
