// Level 7 as published: two waves issue, count_or_zero, the register pipeline unchanged.
// RUN: ladder show %s --target gfx1250 --passes=level7 --as pseudocode | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:kernel mm(A: 2048x1024 bf16, B: 2048x1024 bf16, C: 2048x2048 bf16)  // gfx1250, 8x8 workgroups, 512 threads
// CHECK-NEXT:    A_LDS[2]: 256x128 bf16 in LDS, at byte 0, 16 B of padding every 256 B
// CHECK-NEXT:    B_LDS[2]: 256x128 bf16 in LDS, at byte 139,264, 16 B of padding every 256 B
// CHECK-NEXT:    acc = 0  // 64x64 f32
// CHECK-NEXT:    if wave_id == 0:
// CHECK-NEXT:        tdm::load_async(A_LDS[0], A[m0, 0])
// CHECK-NEXT:    if wave_id == 1:
// CHECK-NEXT:        tdm::load_async(B_LDS[0], B[n0, 0])
// CHECK-NEXT:    wait_tdm<0>()  // wait for data (TDM)
// CHECK-NEXT:    sched_fence()
// CHECK-NEXT:    arrive()  // signal everyone (workgroup)
// CHECK-NEXT:    wait()  // wait for everyone (workgroup)
// CHECK-NEXT:    sched_fence()
// CHECK-NEXT:    current = 0
// CHECK-NEXT:    for k = 0 to 1024 step 128:
// CHECK-NEXT:        next = (current + 1) mod 2
// CHECK-NEXT:        k_next = k + 128
// CHECK-NEXT:        A_reg0 = load(A_LDS[current][wave_m, 0])  // 64x32 bf16
// CHECK-NEXT:        B_reg0 = load(B_LDS[current][wave_n, 0]^T)  // 32x64 bf16
// CHECK-NEXT:        interleave(16 lds_read)
// CHECK-NEXT:        more = k_next < 1024
// CHECK-NEXT:        if wave_id == 0:
// CHECK-NEXT:            tdm::load_async(A_LDS[next], A[m0, k_next], count = more)
// CHECK-NEXT:        if wave_id == 1:
// CHECK-NEXT:            tdm::load_async(B_LDS[next], B[n0, k_next], count = more)
// CHECK-NEXT:        A_reg1 = load(A_LDS[current][wave_m, 32])  // 64x32 bf16
// CHECK-NEXT:        B_reg1 = load(B_LDS[current][wave_n, 32]^T)  // 32x64 bf16
// CHECK-NEXT:        wait_lds<2>()  // wait for LDS reads, all but 2
// CHECK-NEXT:        acc = mma(acc, A_reg0, B_reg0)  // wmma_f32_16x16x32_bf16, operands swapped
// CHECK-NEXT:        interleave(2 lds_read, 2 mma) x 8
// CHECK-NEXT:        A_reg0 = load(A_LDS[current][wave_m, 64])  // 64x32 bf16
// CHECK-NEXT:        B_reg0 = load(B_LDS[current][wave_n, 64]^T)  // 32x64 bf16
// CHECK-NEXT:        wait_lds<2>()  // wait for LDS reads, all but 2
// CHECK-NEXT:        acc = mma(acc, A_reg1, B_reg1)  // wmma_f32_16x16x32_bf16, operands swapped
// CHECK-NEXT:        interleave(2 lds_read, 2 mma) x 8
// CHECK-NEXT:        A_reg1 = load(A_LDS[current][wave_m, 96])  // 64x32 bf16
// CHECK-NEXT:        B_reg1 = load(B_LDS[current][wave_n, 96]^T)  // 32x64 bf16
// CHECK-NEXT:        wait_lds<2>()  // wait for LDS reads, all but 2
// CHECK-NEXT:        acc = mma(acc, A_reg0, B_reg0)  // wmma_f32_16x16x32_bf16, operands swapped
// CHECK-NEXT:        interleave(2 lds_read, 2 mma) x 8
// CHECK-NEXT:        wait_lds<0>()  // wait for LDS reads
// CHECK-NEXT:        acc = mma(acc, A_reg1, B_reg1)  // wmma_f32_16x16x32_bf16, operands swapped
// CHECK-NEXT:        wait_tdm<0>()  // wait for data (TDM)
// CHECK-NEXT:        sched_fence()
// CHECK-NEXT:        arrive()  // signal everyone (workgroup)
// CHECK-NEXT:        wait()  // wait for everyone (workgroup)
// CHECK-NEXT:        sched_fence()
// CHECK-NEXT:        current = next
// CHECK-NEXT:    store(C[m, n], acc)
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
