// RUN: not ladder-opt --target=gfx1250 --passes='import-matmul,tile-workgroup,promote-to-lds,multi-buffer,warp-specialize' %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup,promote-to-lds,warp-specialize' %s 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup,warp-specialize' %s 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=1x2},promote-to-lds,multi-buffer,warp-specialize' %s 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds,multi-buffer,warp-specialize{producer_regs=42}' %s 2>&1 | FileCheck %s --check-prefix=EIGHTS
// RUN: ladder-opt --target=sm_120 --passes='import-matmul,tile-workgroup,promote-to-lds,multi-buffer,warp-specialize' %s | FileCheck %s --check-prefix=RTX

// TARGET: error: warp-specialize: gfx1250 has no mbarriers
// STAGES: error: warp-specialize: the loop does not go round two or more stages; run multi-buffer first
// EARLY: error: warp-specialize: found no loop that fills LDS rings and reads them; run multi-buffer first
// WAVES: error: warp-specialize: the kernel's 2 waves are 0.5 warpgroups of consumers, not whole warpgroups
// EIGHTS: error: warp-specialize: budgets of 42 and 200 registers; setmaxnreg takes multiples of 8 from 24 to 256
// RTX-NOT: tile.set_registers
// RTX: tile.role = "producer"
func.func @mm(%A: memref<128x128xbf16>, %B: memref<128x128xbf16>, %C: memref<128x128xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<128x128xf32>)
  linalg.matmul ins(%A, %B : memref<128x128xbf16>, memref<128x128xbf16>) outs(%C : memref<128x128xf32>)
  return
}
