// The epilogue of Level 10: rings released, C to LDS, published, whole rows to global memory. The tile lies on
// A's bytes, and on B's where it is larger.
// RUN: ladder show %s --passes='import-matmul,tile-workgroup{shape=256x256x64 waves=4x4},promote-to-lds,matrix-core,multi-buffer,stage-epilogue' --as pseudocode | FileCheck %s
// RUN: ladder compile %s --passes='import-matmul,tile-workgroup{shape=256x256x64 waves=4x4},promote-to-lds,matrix-core,multi-buffer,stage-epilogue' --stop-after tile -o - | FileCheck %s --check-prefix=IR
// RUN: ladder compile %s --passes='import-matmul,tile-workgroup{shape=256x256x64 waves=4x4},promote-to-lds,matrix-core,multi-buffer,stage-epilogue{alias=false}' --stop-after tile -o - | FileCheck %s --check-prefix=OWN

// CHECK:          current = next
// CHECK-NEXT:     wait_lds<0>()
// CHECK-NEXT:     wait_{{copy|tdm}}<0>()
// CHECK-NEXT:     arrive()
// CHECK-NEXT:     wait()
// CHECK-NEXT:     store(C_LDS{{.*}}[wave_m, wave_n], acc)
// CHECK-NEXT:     wait_lds<0>()
// CHECK-NEXT:     arrive()
// CHECK-NEXT:     wait()
// CHECK-NEXT:     store(C[m0, n0], C_LDS
// CHECK-NOT:      store

// A row and 16 bytes: 16 rows begin in 16 different groups of banks.
// IR: %C_LDS = "tile.alloc"(%A_LDS) {name = "C_LDS"} : {{.*}} -> !tile.lds<[1, 256, 256], bf16, {interval = 512 : i64, pad = 16 : i64}>
// IR: "tile.copy"(%C_LDS, %C, %c0, %block#0, %block#1, %c256, %c256) {align = 16 : i64}
// The loop's last hand-off has ordered all reads already, and C has bytes of its own.
// OWN: %C_LDS = "tile.alloc"() {name = "C_LDS"}
// OWN: scf.yield
// OWN-NEXT: }
// OWN-NEXT: "tile.store"
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @mm(%A: tensor<512x512xbf16>, %B: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%A, %B : tensor<512x512xbf16>, tensor<512x512xbf16>) outs(%i : tensor<512x512xf32>) -> tensor<512x512xf32>
  %t = arith.truncf %r : tensor<512x512xf32> to tensor<512x512xbf16>
  return %t : tensor<512x512xbf16>
}
