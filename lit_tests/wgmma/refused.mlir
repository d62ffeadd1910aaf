// RUN: not ladder-opt --target=gfx1250 --passes='import-matmul,tile-workgroup,promote-to-lds,matrix-core,wgmma' %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not ladder-opt --target=sm_120 --passes='import-matmul,wgmma' %s 2>&1 | FileCheck %s --check-prefix=RTX
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,wgmma' %s 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=8x1},matrix-core,wgmma' %s 2>&1 | FileCheck %s --check-prefix=GLOBAL
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=8x1},promote-to-lds,matrix-core,wgmma' %s 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x128x64 waves=2x4},promote-to-lds,matrix-core,swizzle-lds,wgmma' %s 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=32x128x64 waves=2x2},promote-to-lds,matrix-core,swizzle-lds,wgmma' %s 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x8 waves=4x1},promote-to-lds,swizzle-lds,wgmma' %s 2>&1 | FileCheck %s --check-prefix=COLS
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=4x1},promote-to-lds,matrix-core,multi-buffer,register-pipeline,swizzle-lds,wgmma' %s 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=4x1},promote-to-lds,swizzle-lds,wgmma' %s | not ladder-opt --pass=wgmma - 2>&1 | FileCheck %s --check-prefix=TWICE

// TARGET: error: wgmma: gfx1250 has no wgmma
// RTX: error: wgmma: sm_120 has no wgmma
// EARLY: error: wgmma: found no product of fragments from LDS; run promote-to-lds and matrix-core first
// GLOBAL: error: wgmma: A comes from global memory; run promote-to-lds first
// PADDED: error: wgmma: A's ring is not laid out in swizzled blocks of 128 bytes{{.*}}; run swizzle-lds first
// ROWS: error: wgmma: a wave has 64 rows of the product, a warpgroup's instruction gives each of its 4 waves 16
// WAVES: error: wgmma: waves 0 to 3 have rows [0, 0, 16, 16] of A; the waves of a warpgroup take 16 rows after 16
// COLS: error: wgmma: a wave's 16x64x8 is not whole instructions of 16 rows, 8 to 256 columns in steps of 8 and K = 16
// PIECES: error: wgmma: A is read in pieces of K = 16 of 64; run wgmma instead of register-pipeline
// TWICE: error: wgmma: found no product of fragments from LDS
func.func @mm(%A: memref<256x256xbf16>, %B: memref<256x256xbf16>, %C: memref<256x256xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<256x256xf32>)
  linalg.matmul ins(%A, %B : memref<256x256xbf16>, memref<256x256xbf16>) outs(%C : memref<256x256xf32>)
  return
}
