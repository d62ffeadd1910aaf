// RUN: split-file %s %t
// RUN: not ladder-opt --passes='tile-workgroup,async-copies' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds,async-copies,async-copies' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds,async-copies' %t/odd.mlir 2>&1 | FileCheck %s --check-prefix=ODD

// EARLY: error: async-copies: found no copy into LDS; run promote-to-lds first
// TWICE: warning: pass async-copies{{.*}} changed nothing
// ODD: remark: A_LDS is filled through registers: rows aligned to 2 bytes, async needs 4
// ODD: remark: B_LDS is filled through registers: rows aligned to 2 bytes, async needs 4
// ODD-NOT: tile.copy_async

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- odd.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<51x33xbf16>, %y: memref<55x33xbf16>, %z: memref<51x55xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<51x33xbf16>, memref<55x33xbf16>, memref<51x55xf32>) -> ()
    gpu.return
  }
}
