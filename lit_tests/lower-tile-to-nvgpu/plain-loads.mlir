// Where ldmatrix does not apply, ordinary loads feed the same instructions.
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s

// Rows of 20 elements are 40 bytes: half of them off the 16-byte rows of ldmatrix.
// CHECK-LABEL: gpu.func @short_rows(
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK: nvvm.mma.sync

// f32 has no atom: FMAs in f32, no matrix instruction, no tf32.
// CHECK-LABEL: gpu.func @single(
// CHECK-NOT: {{nvvm.mma|nvvm.ldmatrix|tf32}}
// CHECK: llvm.intr.fma
// CHECK-NOT: {{nvvm.mma|nvvm.ldmatrix|tf32}}
// CHECK: gpu.return
gpu.module @hand attributes {tile.target = "sm_120"} {
  gpu.func @short_rows(%D: memref<16x8xf32>, %Q: memref<16x8xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["D", "Q"]} {
    %c0 = arith.constant 0 : index
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 20], bf16, {}>
    %s = "tile.zero"() : () -> !tile.frag<[16, 8], f32, "acc">
    %a = "tile.load"(%X, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 16, 20], bf16, {}>, index, index, index) -> !tile.frag<[16, 16], bf16, "a">
    %b = "tile.load"(%Q, %c0, %c0) {transpose = false} : (memref<16x8xbf16>, index, index) -> !tile.frag<[16, 8], bf16, "b">
    %n = "tile.mma"(%a, %b, %s) {atom = "mma_m16n8k16_f32_bf16"} : (!tile.frag<[16, 16], bf16, "a">, !tile.frag<[16, 8], bf16, "b">, !tile.frag<[16, 8], f32, "acc">) -> !tile.frag<[16, 8], f32, "acc">
    "tile.store"(%n, %D, %c0, %c0) : (!tile.frag<[16, 8], f32, "acc">, memref<16x8xf32>, index, index) -> ()
    gpu.return
  }
  gpu.func @single(%P: memref<16x16xf32>, %Q: memref<16x8xf32>, %D: memref<16x8xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["P", "Q", "D"]} {
    %c0 = arith.constant 0 : index
    %s = "tile.load"(%D, %c0, %c0) {transpose = false} : (memref<16x8xf32>, index, index) -> !tile.frag<[16, 8], f32, "acc">
    %a = "tile.load"(%P, %c0, %c0) {transpose = false} : (memref<16x16xf32>, index, index) -> !tile.frag<[16, 16], f32, "a">
    %b = "tile.load"(%Q, %c0, %c0) {transpose = false} : (memref<16x8xf32>, index, index) -> !tile.frag<[16, 8], f32, "b">
    %n = "tile.mma"(%a, %b, %s) : (!tile.frag<[16, 16], f32, "a">, !tile.frag<[16, 8], f32, "b">, !tile.frag<[16, 8], f32, "acc">) -> !tile.frag<[16, 8], f32, "acc">
    "tile.store"(%n, %D, %c0, %c0) : (!tile.frag<[16, 8], f32, "acc">, memref<16x8xf32>, index, index) -> ()
    gpu.return
  }
}
