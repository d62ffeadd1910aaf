// Copies by engines: counted by the waves that post them, over before the kernel ends, with the bytes
// that a barrier expects; and rings that share bytes.
// RUN: split-file %s %t
// RUN: ladder-opt --pass=verify-tile %t/posted.mlir -o /dev/null
// RUN: sed 's/pending = 1/pending = 2/' %t/posted.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: sed '/pending = 0/d' %t/posted.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=END
// RUN: ladder-opt --pass=verify-tile %t/bytes.mlir -o /dev/null
// RUN: sed 's/tx_bytes = 2048/tx_bytes = 1024/' %t/bytes.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sed '/tx_bytes/d' %t/bytes.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: sed '/tile.wait_barrier/d' %t/bytes.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=UNSEEN
// RUN: sed 's/(%%full, %%c0, %%c0)/(%%full, %%c1, %%c0)/' %t/bytes.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=UNSEEN
// RUN: ladder-opt --pass=verify-tile %t/shared.mlir -o /dev/null
// RUN: sed '/behind the reads/d' %t/shared.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: ladder-opt --pass=verify-tile %t/last.mlir -o /dev/null
// RUN: sed 's/slt, %%u, %%hi/sle, %%u, %%hi/' %t/last.mlir | not ladder-opt --pass=verify-tile 2>&1 | FileCheck %s --check-prefix=END

// COUNT: error: verify-tile: reads a slot whose copy is not published: needs tile.wait {kind = "copy"}, then a barrier, between
// END: error: verify-tile: the kernel may end before this copy is over: needs a wait
// BYTES: error: verify-tile: expects 1,024 bytes; the copies that complete this slot bring 2,048
// NOBODY: error: verify-tile: no arrive (tx_bytes) expects this copy's bytes at its slot
// UNSEEN: error: verify-tile: reads a slot whose copy is not published: needs a wait for the slot of the barrier that the copy completes
// SHARED: error: verify-tile: writes bytes of another ring that is still in use: needs the waits for it and a barrier between

//--- posted.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
!a = !tile.frag<[16, 32], f16, "a">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>, %y: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %xs = "tile.alloc"() : () -> !ring
    %ys = "tile.alloc"() : () -> !ring
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.copy_async"(%x, %xs, %c0, %c0, %c0, %c16, %c32) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<16x128xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy_async"(%y, %ys, %c0, %c0, %c0, %c16, %c32) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<16x128xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy_async"(%x, %xs, %c1, %c0, %c32, %c16, %c32) {align = 16, engine = "tdm", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<16x128xf16>, !ring, index, index, index, index, index) -> ()
    "tile.copy_async"(%y, %ys, %c1, %c0, %c32, %c16, %c32) {align = 16, engine = "tdm", issuer = 1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<16x128xf16>, !ring, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 1} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %a = "tile.load"(%xs, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
    %b = "tile.load"(%ys, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
}
//--- bytes.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
!a = !tile.frag<[16, 32], f16, "a">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %xs = "tile.alloc"() : () -> !ring
    %ys = "tile.alloc"() : () -> !ring
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !tile.bar<2>
    "tile.arrive"(%full, %c0) {issuer = 0, tx_bytes = 2048, operandSegmentSizes = array<i32: 1, 1, 0>} : (!tile.bar<2>, index) -> ()
    "tile.copy_async"(%x, %xs, %c0, %c0, %c0, %c16, %c32, %full, %c0) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<16x128xf16>, !ring, index, index, index, index, index, !tile.bar<2>, index) -> ()
    "tile.copy_async"(%x, %ys, %c0, %c0, %c32, %c16, %c32, %full, %c0) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<16x128xf16>, !ring, index, index, index, index, index, !tile.bar<2>, index) -> ()
    "tile.wait_barrier"(%full, %c0, %c0) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!tile.bar<2>, index, index) -> ()
    %a = "tile.load"(%xs, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
    %b = "tile.load"(%ys, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
    gpu.return
  }
}
//--- shared.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
!out = !tile.lds<[1, 16, 16], f32, {}>
!a = !tile.frag<[16, 32], f16, "a">
!acc = !tile.frag<[16, 16], f32, "acc">
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>, %y: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %xs = "tile.alloc"() : () -> !ring
    %ys = "tile.alloc"(%xs) : (!ring) -> !out
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %acc = "tile.zero"() : () -> !acc
    "tile.copy"(%x, %xs, %c0, %c0, %c0, %c16, %c32) {align = 16} : (memref<16x128xf16>, !ring, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    %a = "tile.load"(%xs, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> () // behind the reads
    "tile.store"(%acc, %ys, %c0, %c0, %c0) : (!acc, !out, index, index, index) -> ()
    gpu.return
  }
}
//--- last.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
!a = !tile.frag<[16, 32], f16, "a">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<16x128xf16>, %hi: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %xs = "tile.alloc"() : () -> !ring
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !tile.bar<2>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    "tile.arrive"(%full, %c0) {issuer = 0, tx_bytes = 1024, operandSegmentSizes = array<i32: 1, 1, 0>} : (!tile.bar<2>, index) -> ()
    "tile.copy_async"(%x, %xs, %c0, %c0, %c0, %c16, %c32, %full, %c0) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<16x128xf16>, !ring, index, index, index, index, index, !tile.bar<2>, index) -> ()
    %r:2 = scf.for %t = %c0 to %hi step %c32 iter_args(%now = %c0, %phase = %c0) -> (index, index) {
      %then = arith.xori %now, %c1 : index
      %u = arith.addi %c32, %t : index
      %more = arith.cmpi slt, %u, %hi : index
      scf.if %more {
        "tile.arrive"(%full, %then) {issuer = 0, tx_bytes = 1024, operandSegmentSizes = array<i32: 1, 1, 0>} : (!tile.bar<2>, index) -> ()
        "tile.copy_async"(%x, %xs, %then, %c0, %u, %c16, %c32, %full, %then) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>} : (memref<16x128xf16>, !ring, index, index, index, index, index, !tile.bar<2>, index) -> ()
      }
      "tile.wait_barrier"(%full, %now, %phase) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!tile.bar<2>, index, index) -> ()
      %a = "tile.load"(%xs, %now, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %wraps = arith.cmpi eq, %then, %c0 : index
      %other = arith.xori %phase, %c1 : index
      %later = arith.select %wraps, %other, %phase : index
      scf.yield %then, %later : index, index
    }
    gpu.return
  }
}
