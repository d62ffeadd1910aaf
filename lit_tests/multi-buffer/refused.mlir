// RUN: split-file %s %t
// RUN: not ladder-opt --passes='tile-workgroup,multi-buffer' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --passes='tile-workgroup,promote-to-lds,multi-buffer,multi-buffer' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ladder-opt --passes='tile-workgroup{shape=128x128x256},promote-to-lds,multi-buffer{stages=3}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not ladder-opt --pass='multi-buffer{stages=0}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ladder-opt --pass=multi-buffer %t/bare.mlir 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds,multi-buffer{stages=1}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=ONE

// EARLY: error: multi-buffer: found no loop that fills single-stage LDS rings; run promote-to-lds first
// TWICE: error: multi-buffer: found no loop that fills single-stage LDS rings; run promote-to-lds first
// BUDGET: error: multi-buffer: needs 405,504 B of LDS, gfx1250 has 327,680 B: A_LDS 3 x 67,584 + B_LDS 3 x 67,584; try a smaller shape in tile-workgroup, or fewer stages
// ZERO: option 'stages' is '0'; allowed: an integer of at least 1
// BARE: bare.mlir:10:7: error: multi-buffer: no barrier after the last read of the ring, before it is filled again; run promote-to-lds first
// ONE: warning: pass multi-buffer{{.*}} changed nothing

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- bare.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[1, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    scf.for %t = %c0 to %c128 step %c32 {
      "tile.copy"(%x, %ring, %c0, %c0, %t, %c16, %c32) {align = 16} : (memref<16x128xf16>, !tile.lds<[1, 16, 32], f16, {}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%ring, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    }
    gpu.return
  }
}
