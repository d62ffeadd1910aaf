// Where a tile may stick out, the copy carries the extents that exist; alignment follows the row
// stride. What does not change in the loop is computed before it.
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds' %s | FileCheck %s
// RUN: ladder-opt --passes='tile-workgroup,promote-to-lds{pad=0}' %s | FileCheck %s --check-prefix=DENSE

// CHECK: [[BC:%.*]]:2 = "tile.block_coord"
// CHECK: [[LEFT:%.*]] = arith.subi %c100, [[BC]]#0
// CHECK: [[ROWS:%.*]] = arith.minsi [[LEFT]], %c64
// CHECK: scf.for %k
// CHECK: [[KLEFT:%.*]] = arith.subi %c36, %k
// CHECK: [[COLS:%.*]] = arith.minsi [[KLEFT]], %c32
// CHECK: "tile.copy"(%{{.*}}, %{{.*}}, %c0, [[BC]]#0, %k, [[ROWS]], [[COLS]]) {align = 8 : i64}
// CHECK: "tile.copy"(%{{.*}}, %{{.*}}, %c0, %k, [[BC]]#1, {{.*}}, %c64) {align = 16 : i64}
// DENSE: !tile.lds<[1, 64, 32], bf16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<100x36xbf16>, %y: memref<36x64xbf16>, %z: memref<100x64xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<100x36xbf16>, memref<36x64xbf16>, memref<100x64xf32>) -> ()
    gpu.return
  }
}
