// RUN: split-file %s %t
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/budget.mlir 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/atom.mlir 2>&1 | FileCheck %s --check-prefix=ATOM
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/async.mlir 2>&1 | FileCheck %s --check-prefix=ASYNC
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/out.mlir 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/engine.mlir 2>&1 | FileCheck %s --check-prefix=ENGINE
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/proxy.mlir 2>&1 | FileCheck %s --check-prefix=PROXY
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/noregs.mlir 2>&1 | FileCheck %s --check-prefix=NOREGS
// RUN: not ladder-opt --pass=lower-tile-to-nvgpu %t/amd.mlir 2>&1 | FileCheck %s --check-prefix=AMD

// BUDGET: budget.mlir:5:{{.*}} error: lower-tile-to-nvgpu: needs 131,072 B of LDS, sm_120 has 101,376 B: X 2 x 32,768 + Y 2 x 32,768; try
// ATOM: atom.mlir:7:{{.*}} error: lower-tile-to-nvgpu: sm_90a has no atom 'wmma_f32_16x16x32_bf16' (atoms: mma_m16n8k16_f32_bf16, mma_m16n8k16_f32_f16, wgmma_{{.*}})
// ASYNC: async.mlir:6:5: error: lower-tile-to-nvgpu: engine async moves 16, 8, 4 bytes a thread, this copy allows 2
// OUT: out.mlir:6:5: error: lower-tile-to-nvgpu: engine async copies from global memory to LDS only
// ENGINE: engine.mlir:6:5: error: lower-tile-to-nvgpu: sm_90a has no copy engine 'tdm'
// COUNT: count.mlir:4:5: error: lower-tile-to-nvgpu: count is 100; allowed: multiples of 8 from 24 to 256
// PROXY: proxy.mlir:4:5: error: lower-tile-to-nvgpu: no proxy 'tensor' to make writes visible to
// NOREGS: noregs.mlir:4:5: error: lower-tile-to-nvgpu: sm_120 cannot change a wave's registers
// AMD: amd.mlir:1:1: error: lower-tile-to-nvgpu: target gfx1250 is lowered by lower-tile-to-amdgpu

//--- budget.mlir
gpu.module @m attributes {tile.target = "sm_120"} {
  gpu.func @k(%D: memref<16x8xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.names = ["D"]} {
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[2, 128, 128], bf16, {}>
    %Y = "tile.alloc"() {name = "Y"} : () -> !tile.lds<[2, 128, 128], bf16, {}>
    gpu.return
  }
}
//--- atom.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["D"]} {
    %c0 = arith.constant 0 : index
    %s = "tile.zero"() : () -> !tile.frag<[32, 32], f32, "acc">
    %a = "tile.load"(%D, %c0, %c0) {transpose = false} : (memref<32x32xbf16>, index, index) -> !tile.frag<[32, 32], bf16, "a">
    %n = "tile.mma"(%a, %a, %s) {atom = "wmma_f32_16x16x32_bf16"} : (!tile.frag<[32, 32], bf16, "a">, !tile.frag<[32, 32], bf16, "a">, !tile.frag<[32, 32], f32, "acc">) -> !tile.frag<[32, 32], f32, "acc">
    gpu.return
  }
}
//--- async.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["D"]} {
    %i = arith.constant 0 : index
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], bf16, {}>
    "tile.copy_async"(%D, %X, %i, %i, %i, %i, %i) {align = 2, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<32x32xbf16>, !tile.lds<[1, 32, 32], bf16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- out.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["D"]} {
    %i = arith.constant 0 : index
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], bf16, {}>
    "tile.copy_async"(%X, %D, %i, %i, %i, %i, %i) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (!tile.lds<[1, 32, 32], bf16, {}>, memref<32x32xbf16>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- engine.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["D"]} {
    %i = arith.constant 0 : index
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 32, 32], bf16, {}>
    "tile.copy_async"(%D, %X, %i, %i, %i, %i, %i) {align = 16, engine = "tdm", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<32x32xbf16>, !tile.lds<[1, 32, 32], bf16, {}>, index, index, index, index, index) -> ()
    gpu.return
  }
}
//--- count.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.names = ["D"]} {
    "tile.set_registers"() {count = 100} : () -> ()
    gpu.return
  }
}
//--- proxy.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.names = ["D"]} {
    "tile.fence"() {proxy = "tensor"} : () -> ()
    gpu.return
  }
}
//--- noregs.mlir
gpu.module @m attributes {tile.target = "sm_120"} {
  gpu.func @k(%D: memref<32x32xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.names = ["D"]} {
    "tile.set_registers"() {count = 40} : () -> ()
    gpu.return
  }
}
//--- amd.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
}
