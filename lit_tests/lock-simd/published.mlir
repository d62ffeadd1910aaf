// The hint stands at the kernel's start, before the first fill, and lowers to one bit of a hardware
// register.
// RUN: ladder-opt --passes='import-matmul,tile-workgroup,promote-to-lds,matrix-core,lock-simd,verify-tile' %s | FileCheck %s
// RUN: ladder compile %s --passes='import-matmul,tile-workgroup,promote-to-lds,matrix-core,lock-simd' --target gfx1250 --stop-after s -o - | FileCheck %s --check-prefix=ASM

//  CHECK-NOT: "tile.copy"
//      CHECK: "tile.hint"() {kind = "lock_simd", value = 1 : i64}
//      CHECK: "tile.copy"
//        ASM: s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 2, 1), 1
func.func @mm(%A: tensor<256x512xbf16>, %B: tensor<512x256xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%A, %B : tensor<256x512xbf16>, tensor<512x256xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
