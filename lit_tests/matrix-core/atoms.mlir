// The atom follows element types and target; operands are swapped where that makes a lane's
// accumulators consecutive columns of row-major C. An atom chosen by hand stays.
// RUN: split-file %s %t
// RUN: ladder-opt --passes='matrix-core,verify-tile' %t/amd.mlir | FileCheck %s --check-prefix=AMD
// RUN: ladder-opt --passes='matrix-core,verify-tile' %t/nvidia.mlir | FileCheck %s --check-prefix=NVIDIA

// AMD: "tile.mma"({{.*}}) {atom = "wmma_f32_16x16x32_f16", order = "ba"}
// AMD: "tile.mma"({{.*}}) {atom = "wmma_f32_16x16x32_f16", order = "ab"}
// NVIDIA: "tile.mma"({{.*}}) {atom = "mma_m16n8k16_f32_bf16", order = "ab"}

//--- amd.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<16x32xf16>, %y: memref<32x16xf16>, %z: memref<16x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %acc = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %a = "tile.load"(%x, %c0, %c0) {transpose = false} : (memref<16x32xf16>, index, index) -> !tile.frag<[16, 32], f16, "a">
    %b = "tile.load"(%y, %c0, %c0) {transpose = false} : (memref<32x16xf16>, index, index) -> !tile.frag<[32, 16], f16, "b">
    %d = "tile.mma"(%a, %b, %acc) : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    %e = "tile.mma"(%a, %b, %acc) {atom = "wmma_f32_16x16x32_f16", order = "ab"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    "tile.store"(%d, %z, %c0, %c0) : (!tile.frag<[16, 16], f32, "acc">, memref<16x16xf32>, index, index) -> ()
    gpu.return
  }
}
//--- nvidia.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<16x32xbf16>, %y: memref<32x16xbf16>, %z: memref<16x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %acc = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %a = "tile.load"(%x, %c0, %c0) {transpose = false} : (memref<16x32xbf16>, index, index) -> !tile.frag<[16, 32], bf16, "a">
    %b = "tile.load"(%y, %c0, %c0) {transpose = false} : (memref<32x16xbf16>, index, index) -> !tile.frag<[32, 16], bf16, "b">
    %d = "tile.mma"(%a, %b, %acc) : (!tile.frag<[16, 32], bf16, "a">, !tile.frag<[32, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    "tile.store"(%d, %z, %c0, %c0) : (!tile.frag<[16, 16], f32, "acc">, memref<16x16xf32>, index, index) -> ()
    gpu.return
  }
}
