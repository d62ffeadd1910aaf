// A contraction that no pass has tiled runs as it is: a thread for each element of C. With K = 0
// nothing is read and C becomes zero.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// CHECK-LABEL: gpu.func @some
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
// CHECK-SAME: contract = {a_order = "km", accumulate = true, b_order = "nk", k = 5 : i64, m = 35 : i64, n = 20 : i64}
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[OLD]]) -> (f32) {
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[SUM]]) : (f32, f32, f32) -> f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16

// CHECK-LABEL: gpu.func @none
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>

gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @some(%a: memref<5x35xf16>, %b: memref<20x5xf16>, %c: memref<35x20xbf16>) kernel {
    "tile.contract"(%a, %b, %c) {a_order = "km", b_order = "nk", accumulate = true} : (memref<5x35xf16>, memref<20x5xf16>, memref<35x20xbf16>) -> ()
    gpu.return
  }
  gpu.func @none(%a: memref<4x0xf32>, %b: memref<0x4xf32>, %c: memref<4x4xf32>) kernel {
    "tile.contract"(%a, %b, %c) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<4x0xf32>, memref<0x4xf32>, memref<4x4xf32>) -> ()
    gpu.return
  }
}
