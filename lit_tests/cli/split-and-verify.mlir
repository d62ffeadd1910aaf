// --split-input-file, --verify-diagnostics, --verify-each and stdin.
// RUN: ladder-opt --split-input-file --verify-diagnostics --pass=verify-tile %s
// RUN: not ladder-opt --split-input-file --pass=verify-tile %s 2>&1 | FileCheck %s
// RUN: ladder-opt --passes=level1 --verify-each - < %S/../../examples/matmul.mlir | FileCheck %s --check-prefix=EACH

// CHECK: split-and-verify.mlir:13:10: error: verify-tile: slot 2 of a ring of 2 stages
// CHECK: error: verify-tile: found no GPU kernel
// CHECK: error: unknown target 'nothing'
// EACH: "tile.wait_barrier"
gpu.module @a attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>, %s: !tile.lds<[2, 16, 32], f16, {}>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c2 = arith.constant 2 : index // expected-error@+1 {{slot 2 of a ring}}
    %a = "tile.load"(%s, %c2, %c2, %c2) {transpose = false} : (!tile.lds<[2, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[8, 16], f16, "a">
    gpu.return
  }
}
// -----
// expected-error@below {{found no GPU kernel}}
module {
}
// -----
// expected-error@unknown {{unknown target 'nothing'}}
gpu.module @c attributes {tile.target = "nothing"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel {
    gpu.return
  }
}
