// The K loop of 128x256x64 on eight waves: one product a block, read from LDS in place, and the wait
// that ends its reads before the slot is handed over. B is [n, k] in memory.
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x256x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer{stages=3},swizzle-lds,wgmma,verify-tile' %s | FileCheck %s
// RUN: ladder show %s --target=sm_90a --passes='import-matmul,tile-workgroup{shape=128x256x64 waves=8x1},promote-to-lds,matrix-core,multi-buffer{stages=3},swizzle-lds,wgmma' --as pseudocode | FileCheck %s --check-prefix=PSEUDO

// CHECK: %A_LDS = "tile.alloc"() {{.*}} !tile.lds<[3, 128, 64], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: %B_LDS = "tile.alloc"() {{.*}} !tile.lds<[3, 256, 64], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: scf.for
// CHECK-NOT: "tile.load"
// CHECK: "tile.copy"(%B, %B_LDS
// CHECK-NEXT: "tile.mma"(%A_LDS, %B_LDS, %acc_k, %current, %wave_m{{.*}}, %c0, %current, %wave_n{{.*}}, %c0) {atom = "wgmma_m64n256k16_f32_bf16", order = "ab", transpose_b = true}
// CHECK-SAME: -> !tile.frag<[16, 256], f32, "acc">
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.fence"() {proxy = "async"}
// CHECK-NEXT: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%bar)

// PSEUDO: for k = 0 to 512 step 64:
// PSEUDO: mma(acc, A_LDS{{.*}}, B_LDS{{.*}})  // wgmma_m64n256k16_f32_bf16
// PSEUDO-NEXT: wait_lds<0>()
func.func @mm(%A: memref<512x512xbf16>, %B: memref<512x512xbf16>, %C: memref<512x512xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<512x512xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : memref<512x512xbf16>, memref<512x512xbf16>) outs(%C : memref<512x512xf32>)
  return
}
