// mbarriers with slots and phases, parts of a shared tile, an arrival in both workgroups.
// RUN: ladder show %s --target sm_90a --passes=level9 --as pseudocode | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:kernel mm(A: 2048x1024 bf16, B: 2048x1024 bf16, C: 2048x2048 bf16)  // sm_90a, 16x8 workgroups, 256 threads
// CHECK-NEXT:    A_LDS[4]: 128x64 bf16 in LDS, 128-byte swizzle
// CHECK-NEXT:    B_LDS[4]: 256x64 bf16 in LDS, 128-byte swizzle
// CHECK-NEXT:    full: mbarriers, 1 arrival in the workgroup a phase
// CHECK-NEXT:    empty: mbarriers, 16 arrivals in the cluster a phase
// CHECK-NEXT:    acc = 0  // 16x256 f32
// CHECK-NEXT:    if wave_id == 0:
// CHECK-NEXT:        arrive(full[0], expect 49,152 B)
// CHECK-NEXT:        tma::load_async(A_LDS[0], A[m0, 0], full[0])
// CHECK-NEXT:        tma::load_async(B_LDS[(0 * 2) + cluster_x] of 2 parts each, B[n0 + (cluster_x * 128), 0], 0x3, full[0])
// CHECK-NEXT:        arrive(full[1], expect 49,152 B)
// CHECK-NEXT:        tma::load_async(A_LDS[1], A[m0, 64], full[1])
// CHECK-NEXT:        tma::load_async(B_LDS[(1 * 2) + cluster_x] of 2 parts each, B[n0 + (cluster_x * 128), 64], 0x3, full[1])
// CHECK-NEXT:        arrive(full[2], expect 49,152 B)
// CHECK-NEXT:        tma::load_async(A_LDS[2], A[m0, 128], full[2])
// CHECK-NEXT:        tma::load_async(B_LDS[(2 * 2) + cluster_x] of 2 parts each, B[n0 + (cluster_x * 128), 128], 0x3, full[2])
// CHECK-NEXT:    current = 0
// CHECK-NEXT:    phase = 0
// CHECK-NEXT:    free = 0
// CHECK-NEXT:    for k = 0 to 1024 step 64:
// CHECK-NEXT:        next = (current + 3) mod 4
// CHECK-NEXT:        k_next = k + 192
// CHECK-NEXT:        more = k_next < 1024
// CHECK-NEXT:        wait(full[current], phase)
// CHECK-NEXT:        acc = mma(acc, A_LDS[current][wave_m, 0], B_LDS[current][wave_n, 0]^T)  // wgmma_m64n256k16_f32_bf16
// CHECK-NEXT:        wait_lds<1>()  // wait for LDS reads, all but 1
// CHECK-NEXT:        arrive(empty[next], in 0x3)
// CHECK-NEXT:        if more:
// CHECK-NEXT:            if wave_id == 0:
// CHECK-NEXT:                wait(empty[next], free)
// CHECK-NEXT:                arrive(full[next], expect 49,152 B)
// CHECK-NEXT:                tma::load_async(A_LDS[next], A[m0, k_next], full[next])
// CHECK-NEXT:                tma::load_async(B_LDS[(next * 2) + cluster_x] of 2 parts each, B[n0 + (cluster_x * 128), k_next], 0x3, full[next])
// CHECK-NEXT:        wraps = ((current + 1) mod 4) == 0
// CHECK-NEXT:        phase_next = (1 - phase) if wraps else phase
// CHECK-NEXT:        free = (1 - free) if (next == 2) else free
// CHECK-NEXT:        current = (current + 1) mod 4
// CHECK-NEXT:        phase = phase_next
// CHECK-NEXT:    wait_lds<0>()  // wait for LDS reads
// CHECK-NEXT:    wait_copy<0>()  // wait for data (register copies)
// CHECK-NEXT:    store(C[m, n], acc)
// CHECK-NEXT:    sync()  // wait for everyone (workgroup)
// CHECK-NEXT:    if wave_id == 0:
// CHECK-NEXT:        cluster::arrive()  // signal everyone (cluster)
// CHECK-NEXT:    cluster::wait()  // wait for everyone (cluster)
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @mm(%A: tensor<2048x1024xbf16>, %B: tensor<2048x1024xbf16>) -> tensor<2048x2048xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%A, %B : tensor<2048x1024xbf16>, tensor<2048x1024xbf16>) outs(%i : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %t = arith.truncf %r : tensor<2048x2048xf32> to tensor<2048x2048xbf16>
  return %t : tensor<2048x2048xbf16>
}
