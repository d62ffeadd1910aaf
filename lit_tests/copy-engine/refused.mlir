// RUN: split-file %s %t
// RUN: not ladder-opt --passes='tile-workgroup,copy-engine' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds,copy-engine,copy-engine' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds{pad=16},copy-engine' %t/padded.mlir 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: ladder-opt --passes='tile-workgroup{shape=64x64x33},promote-to-lds,copy-engine' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not ladder-opt --pass=copy-engine %t/nested.mlir 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not ladder-opt --pass=copy-engine %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not ladder-opt --pass=copy-engine %t/branch.mlir 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not ladder-opt --pass=copy-engine %t/slots.mlir 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: not ladder-opt --pass=copy-engine %t/outside.mlir 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// EARLY: error: copy-engine: found no copy into LDS; run promote-to-lds first
// TWICE: warning: pass copy-engine{{.*}} changed nothing
// PADDED: remark: A_LDS is filled through registers: its ring is padded, tma packs rows; run swizzle-lds first
// ROWS: remark: A_LDS is filled through registers: tile rows of 66 bytes, no multiple of 4
// NESTED: nested.mlir:14:7: error: copy-engine: a loop inside another would count its phases anew each time; run persistent behind copy-engine
// NESTED: nested.mlir:13:5: note: the other loop
// TWO: error: copy-engine: reads another stage than the reads before it: one wait for a phase does not cover both; run register-pipeline without carry
// BRANCH: error: copy-engine: an engine's bytes cannot be expected under a condition
// SLOTS: error: copy-engine: the slots do not tell which iteration reads what this copy brings
// OUTSIDE: error: copy-engine: reads a ring outside of the loop that fills it: no phase to wait for there

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- padded.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- nested.mlir
!ring = !tile.lds<[1, 16, 32], f16, {}>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<64x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %ring = "tile.alloc"() : () -> !ring
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %t = %c0 to %c128 step %c32 {
        "tile.copy"(%x, %ring, %c0, %c0, %t, %c16, %c32) {align = 16} : (memref<64x128xf16>, !ring, index, index, index, index, index) -> ()
        "tile.wait"() {kind = "copy", pending = 0} : () -> ()
        "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
        %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
        "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      }
    }
    gpu.return
  }
}
//--- two.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<64x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %ring = "tile.alloc"() : () -> !ring
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %r = scf.for %t = %c0 to %c128 step %c32 iter_args(%now = %c0) -> (index) {
      %then = arith.xori %now, %c1 : index
      "tile.copy"(%x, %ring, %then, %c0, %t, %c16, %c32) {align = 16} : (memref<64x128xf16>, !ring, index, index, index, index, index) -> ()
      %a = "tile.load"(%ring, %now, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %b = "tile.load"(%ring, %then, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      scf.yield %then : index
    }
    gpu.return
  }
}
//--- branch.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<64x128xf16>, %p: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %ring = "tile.alloc"() : () -> !ring
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %r = scf.for %t = %c0 to %c128 step %c32 iter_args(%now = %c0) -> (index) {
      %then = arith.xori %now, %c1 : index
      scf.if %p {
        "tile.copy"(%x, %ring, %then, %c0, %t, %c16, %c32) {align = 16} : (memref<64x128xf16>, !ring, index, index, index, index, index) -> ()
      }
      %a = "tile.load"(%ring, %now, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      scf.yield %then : index
    }
    gpu.return
  }
}
//--- slots.mlir
!ring = !tile.lds<[2, 16, 32], f16, {}>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<64x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %ring = "tile.alloc"() : () -> !ring
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %r = scf.for %t = %c0 to %c128 step %c32 iter_args(%now = %c0) -> (index) {
      "tile.copy"(%x, %ring, %c1, %c0, %t, %c16, %c32) {align = 16} : (memref<64x128xf16>, !ring, index, index, index, index, index) -> ()
      %a = "tile.load"(%ring, %now, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %then = arith.xori %now, %c1 : index
      scf.yield %then : index
    }
    gpu.return
  }
}
//--- outside.mlir
!ring = !tile.lds<[1, 16, 32], f16, {}>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%x: memref<64x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %ring = "tile.alloc"() : () -> !ring
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    scf.for %t = %c0 to %c128 step %c32 {
      "tile.copy"(%x, %ring, %c0, %c0, %t, %c16, %c32) {align = 16} : (memref<64x128xf16>, !ring, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    %last = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    gpu.return
  }
}
