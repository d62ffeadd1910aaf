// Level 6 of the ladder: all of A, then all of B, 139,264 bytes apart.
// RUN: ladder compile %s --passes='import-matmul,tile-workgroup{shape=256x256x128 waves=4x4},promote-to-lds,multi-buffer,partition-lds' --stop-after tile -o - 2>&1 | FileCheck %s
// RUN: ladder compile %s --passes='import-matmul,tile-workgroup{shape=128x128x128 waves=4x4},promote-to-lds,multi-buffer,partition-lds' --stop-after tile -o - 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: ladder compile %s --passes='import-matmul,tile-workgroup{shape=384x192x128 waves=4x4},promote-to-lds,multi-buffer,partition-lds' --stop-after tile -o - 2>&1 | FileCheck %s --check-prefix=NOT

// CHECK-NOT: remark
// CHECK: %A_LDS = "tile.alloc"() {name = "A_LDS", offset = 0 : i64} : () -> !tile.lds<[2, 256, 128]
// CHECK: %B_LDS = "tile.alloc"() {name = "B_LDS", offset = 139264 : i64}

// Slot 1 of A ends in partition 1, where B would begin: B moves to the next.
// SMALL: remark: partition-lds: 139,264 B of LDS become 200,704 B, which may cost workgroups on a processor
// SMALL: %B_LDS = "tile.alloc"() {name = "B_LDS", offset = 131072 : i64}

// NOT: remark: partition-lds: slots of one stage share a partition of 65,536 B: 2 x 104,448 B + 2 x 52,224 B do not fit 327,680 B of LDS otherwise
// NOT: %B_LDS = "tile.alloc"() {name = "B_LDS", offset = 208896 : i64}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @mm(%A: tensor<512x512xbf16>, %B: tensor<512x512xbf16>, %C: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%A, %B : tensor<512x512xbf16>, tensor<512x512xbf16>) outs(%C : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
