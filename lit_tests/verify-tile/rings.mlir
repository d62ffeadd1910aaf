// The order of fills, waits, barriers and reads of a ring's slots.
// RUN: split-file %s %t
// RUN: ladder-opt --pass=verify-tile %t/good.mlir -o /dev/null
// RUN: not ladder-opt --pass=verify-tile %t/nowait.mlir 2>&1 | FileCheck %s --check-prefix=NOWAIT
// RUN: not ladder-opt --pass=verify-tile %t/nobarrier.mlir 2>&1 | FileCheck %s --check-prefix=NOBARRIER
// RUN: not ladder-opt --pass=verify-tile %t/lateWait.mlir 2>&1 | FileCheck %s --check-prefix=LATEWAIT
// RUN: not ladder-opt --pass=verify-tile %t/overwritten.mlir 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: ladder-opt --pass=verify-tile %t/mixed.mlir -o /dev/null
// RUN: not ladder-opt --pass=verify-tile %t/slot.mlir 2>&1 | FileCheck %s --check-prefix=SLOT

// Filled, waited for, published, read, handed over: nothing to say. Another slot may be filled meanwhile.
// NOWAIT: nowait.mlir:11:10: error: verify-tile: reads a slot whose copy is not published: needs tile.wait {kind = "copy"}, then a barrier, between
// NOBARRIER: nobarrier.mlir:11:10: error: verify-tile: reads a slot whose copy is not published: needs a barrier, after the wait, between
// LATEWAIT: needs a barrier, after the wait, between
// OVERWRITTEN: overwritten.mlir:13:5: error: verify-tile: fills a slot that waves may still be reading
// SLOT: slot.mlir:9:5: error: verify-tile: slot 16 of a ring of 2 stages

//--- good.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    "tile.copy"(%x, %ring, %c1, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- nowait.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
//--- nobarrier.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
//--- lateWait.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
//--- overwritten.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- mixed.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %a = "tile.load"(%ring, %c1, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    %d = gpu.block_id x
    %b = "tile.load"(%ring, %d, %c0, %c0) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
//--- slot.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy"(%x, %ring, %c16, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[2, 16, 32], f16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
