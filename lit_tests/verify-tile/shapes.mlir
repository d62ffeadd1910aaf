// Shapes, roles, atoms and attributes that IRDL cannot check.
// RUN: split-file %s %t
// RUN: ladder-opt --pass=verify-tile %t/good.mlir -o /dev/null
// RUN: not ladder-opt --pass=verify-tile %t/depth.mlir 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: not ladder-opt --pass=verify-tile %t/atom.mlir 2>&1 | FileCheck %s --check-prefix=ATOM
// RUN: not ladder-opt --pass=verify-tile %t/elem.mlir 2>&1 | FileCheck %s --check-prefix=ELEM
// RUN: not ladder-opt --pass=verify-tile %t/typo.mlir 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not ladder-opt --pass=verify-tile %t/order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not ladder-opt --pass=verify-tile %t/range.mlir 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ladder-opt --pass=verify-tile %t/role.mlir 2>&1 | FileCheck %s --check-prefix=ROLE
// RUN: not ladder-opt --pass=verify-tile %t/rows.mlir 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not ladder-opt --pass=verify-tile %t/coords.mlir 2>&1 | FileCheck %s --check-prefix=COORDS
// RUN: not ladder-opt --pass=verify-tile %t/align.mlir 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not ladder-opt --pass=verify-tile %t/arrivals.mlir 2>&1 | FileCheck %s --check-prefix=ARRIVALS
// RUN: not ladder-opt --pass=verify-tile %t/pad.mlir 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not ladder-opt --pass=verify-tile %t/tile.mlir 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not ladder-opt --pass=verify-tile %t/kind.mlir 2>&1 | FileCheck %s --check-prefix=KIND

// DEPTH: depth.mlir:12:10: error: verify-tile: a is 16x32, b 64x16: K differs
// ATOM: atom.mlir:12:10: error: verify-tile: gfx1250 has no atom 'wmma_1x1' (atoms: wmma_f32_16x16x32_bf16, wmma_f32_16x16x32_f16)
// ELEM: verify-tile: wmma_f32_16x16x32_bf16 multiplies bf16 by bf16 into f32, not f16, f16, f32
// TYPO: error: verify-tile: unknown attribute 'atm' (known: atom, order, atoms, transpose_a, transpose_b)
// ORDER: error: verify-tile: attribute 'order' is "aa"; allowed: one of ab, ba
// RANGE: error: verify-tile: atoms 0..1 of 1
// ROLE: a fragment's role is a, b or acc
// ROWS: rows [16, 32) of a tile with 16
// COORDS: a ring takes (slot, row, col), got 2 coords
// ALIGN: align is 3; allowed: 1, 2, 4, 8, 16
// ARRIVALS: 3 arrivals at a barrier of a workgroup of 2 waves
// PAD: interval, pad and block are multiples of 16 bytes
// TILE: a tile of [0, 64]: two positive extents are needed
// KIND: attribute 'kind' is "lsd"; allowed: one of copy, lds, global, store

//--- good.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {atom = "wmma_f32_16x16x32_f16", order = "ba"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- depth.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[64, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[64, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- atom.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {atom = "wmma_1x1"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- elem.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {atom = "wmma_f32_16x16x32_bf16"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- typo.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {atm = "x"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- order.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {order = "aa"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- range.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "a">
    %B = "tile.zero"() : () -> !tile.frag<[32, 16], f16, "b">
    %C = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %D = "tile.mma"(%A, %B, %C) {atom = "wmma_f32_16x16x32_f16", atoms = [0, 2]} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    gpu.return
  }
}
//--- role.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.zero"() : () -> !tile.frag<[16, 32], f16, "x">
    gpu.return
  }
}
//--- rows.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.load"(%ring, %c0, %c16, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
//--- coords.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %A = "tile.load"(%ring, %c16, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
//--- align.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 3} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- arrivals.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %b3 = "tile.barrier_create"() {arrivals = 3, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.barrier"(%b3) : (!tile.bar<1>) -> ()
    gpu.return
  }
}
//--- pad.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %r2 = "tile.alloc"() : () -> !tile.lds<[1, 16, 32], f16, {interval = 256, pad = -16}>
    gpu.return
  }
}
//--- tile.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %m, %n = "tile.block_coord"() {tile = [0, 64]} : () -> (index, index)
    gpu.return
  }
}
//--- kind.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.wait"() {kind = "lsd", pending = 0} : () -> ()
    gpu.return
  }
}
