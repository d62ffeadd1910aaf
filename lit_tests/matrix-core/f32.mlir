// f32 has no matrix instruction (and never TF32): the product stays on FMAs, and the user hears it.
// RUN: ladder-opt --passes='tile-workgroup,matrix-core' %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err

// CHECK: "tile.mma"(%A_reg, %B_reg, %acc_k) :
// REMARK: f32.mlir:[[#@LINE+3]]:5: remark: matrix-core: gfx1250 has no matrix instruction for f32; the product stays on FMAs
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %z: memref<64x64xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> ()
    gpu.return
  }
}
