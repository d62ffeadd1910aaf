// Fragments along the other axis than memory: gfx1250 exchanges elements inside groups of eight
// lanes, so that each lane still reads 16 bytes. f32 has no such read: element by element.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// CHECK-LABEL: gpu.func @half
// CHECK-COUNT-4: rocdl.ds.load.tr16.b128 %{{.*}} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NOT: !llvm.ptr<3> -> f16
// CHECK-LABEL: gpu.func @single
// CHECK-NOT: rocdl.ds.load
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<1xf32>

gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @half(%z: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 16], f16, {interval = 256, pad = 16}>
    %y = "tile.alloc"() {name = "Y"} : () -> !tile.lds<[1, 32, 16], f16, {interval = 256, pad = 16}>
    %acc = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %a = "tile.load"(%x, %c0, %c0, %c0) {transpose = true} : (!tile.lds<[1, 32, 16], f16, {interval = 256, pad = 16}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
    %b = "tile.load"(%y, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 32, 16], f16, {interval = 256, pad = 16}>, index, index, index) -> !tile.frag<[32, 16], f16, "b">
    %d = "tile.mma"(%a, %b, %acc) {atom = "wmma_f32_16x16x32_f16", order = "ba"} : (!tile.frag<[16, 32], f16, "a">, !tile.frag<[32, 16], f16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    "tile.store"(%d, %z, %c0, %c0) : (!tile.frag<[16, 16], f32, "acc">, memref<16x16xf32>, index, index) -> ()
    gpu.return
  }
  gpu.func @single(%z: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 16], f32, {interval = 256, pad = 16}>
    %y = "tile.alloc"() {name = "Y"} : () -> !tile.lds<[1, 32, 16], f32, {interval = 256, pad = 16}>
    %acc = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %a = "tile.load"(%x, %c0, %c0, %c0) {transpose = true} : (!tile.lds<[1, 32, 16], f32, {interval = 256, pad = 16}>, index, index, index) -> !tile.frag<[16, 32], f32, "a">
    %b = "tile.load"(%y, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 32, 16], f32, {interval = 256, pad = 16}>, index, index, index) -> !tile.frag<[32, 16], f32, "b">
    %d = "tile.mma"(%a, %b, %acc) : (!tile.frag<[16, 32], f32, "a">, !tile.frag<[32, 16], f32, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
    "tile.store"(%d, %z, %c0, %c0) : (!tile.frag<[16, 16], f32, "acc">, memref<16x16xf32>, index, index) -> ()
    gpu.return
  }
}
