// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,persistent' %s 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup,persistent,persistent' %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=4x1},promote-to-lds,matrix-core,multi-buffer,async-copies,swizzle-lds,copy-engine,persistent' %s 2>&1 | FileCheck %s --check-prefix=PHASES
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=4x1},promote-to-lds,matrix-core,multi-buffer,stage-epilogue,warp-specialize,persistent' %s 2>&1 | FileCheck %s --check-prefix=ALIAS

// EARLY: error: persistent: found no output tile that a workgroup's place chooses
// TWICE: error: persistent: found no output tile that a workgroup's place chooses
// PHASES: error: persistent: phases of an mbarrier go on from tile to tile; run warp-specialize first
// ALIAS: error: persistent: C_LDS takes LDS that the producer fills for the next tile; run stage-epilogue{alias=false}
func.func @mm(%A: memref<128x128xbf16>, %B: memref<128x128xbf16>, %C: memref<128x128xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<128x128xf32>)
  linalg.matmul ins(%A, %B : memref<128x128xbf16>, memref<128x128xbf16>) outs(%C : memref<128x128xf32>)
  return
}
