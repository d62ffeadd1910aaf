// An accumulating contraction starts from C, widened to f32; transposed A is loaded from [k, m].
// An op that has nothing to do with it stays where it is.
// RUN: ladder-opt --pass=tile-workgroup %s | FileCheck %s

// CHECK: gpu.thread_id  x
// CHECK: %acc_in = "tile.load"(%arg2, %m, %n) {transpose = false} : (memref<70x64xbf16>, index, index) -> !tile.frag<[32, 32], f32, "acc">
// CHECK: scf.for {{.*}} iter_args(%acc_k = %acc_in)
// CHECK: "tile.load"(%arg0, %k, %m) {transpose = true}
// CHECK: "tile.load"(%arg1, %k, %n) {transpose = false}
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<40x70xbf16>, %y: memref<40x64xbf16>, %z: memref<70x64xbf16>) kernel {
    %t = gpu.thread_id x
    "tile.contract"(%x, %y, %z) {a_order = "km", b_order = "kn", accumulate = true} : (memref<40x70xbf16>, memref<40x64xbf16>, memref<70x64xbf16>) -> ()
    gpu.return
  }
}
