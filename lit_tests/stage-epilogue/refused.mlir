// RUN: split-file %s %t
// RUN: not ladder-opt --pass=stage-epilogue %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --pass=stage-epilogue %t/hole.mlir 2>&1 | FileCheck %s --check-prefix=HOLE
// RUN: not ladder-opt --pass=stage-epilogue %t/some.mlir 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: not ladder-opt --pass=stage-epilogue %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ladder-opt --passes='import-matmul,tile-workgroup{shape=256x384x16 waves=2x4},stage-epilogue' %t/large.mlir 2>&1 | FileCheck %s --check-prefix=LARGE

// EARLY: error: stage-epilogue: found no store of an accumulator to global memory; run tile-workgroup first
// HOLE: hole.mlir:9:5: error: stage-epilogue: the waves' stores do not fill a tile of 48x16 exactly, each once
// SOME: some.mlir:10:7: error: stage-epilogue: needs a barrier here, but not every wave comes here
// SOME: some.mlir:8:5: note: 'scf.if' depends on the wave or lane
// UNKNOWN: unknown.mlir:8:5: error: stage-epilogue: cannot tell which elements each wave stores: a coordinate mixes the wave
// LARGE: error: stage-epilogue: needs 397,312 B of LDS, gfx1250 has 327,680 B: C_LDS 1 x 397,312; try

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}
//--- hole.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%c: memref<64x16xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = arith.constant 0 : index
    %32 = arith.constant 32 : index
    %w = gpu.subgroup_id : index
    %m = arith.muli %w, %32 : index
    %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    // Rows 16 to 31 are nobody's.
    "tile.store"(%z, %c, %m, %0) : (!tile.frag<[16, 16], f32, "acc">, memref<64x16xf32>, index, index) -> ()
    gpu.return
  }
}
//--- some.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%c: memref<64x16xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = arith.constant 0 : index
    %16 = arith.constant 16 : index
    %w = gpu.subgroup_id : index
    %m = arith.muli %w, %16 : index
    %first = arith.cmpi eq, %w, %0 : index
    scf.if %first {
      %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
      "tile.store"(%z, %c, %m, %0) : (!tile.frag<[16, 16], f32, "acc">, memref<64x16xf32>, index, index) -> ()
    }
    gpu.return
  }
}
//--- unknown.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%c: memref<64x16xf32>, %n: memref<1xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %0 = arith.constant 0 : index
    %w = gpu.subgroup_id : index
    %u = memref.load %n[%0] : memref<1xindex>
    %m = arith.muli %w, %u : index
    %z = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    "tile.store"(%z, %c, %m, %0) : (!tile.frag<[16, 16], f32, "acc">, memref<64x16xf32>, index, index) -> ()
    gpu.return
  }
}
//--- large.mlir
func.func @mm(%A: tensor<512x512xbf16>, %B: tensor<512x512xbf16>, %C: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<512x512xbf16>, tensor<512x512xbf16>) outs(%C : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
