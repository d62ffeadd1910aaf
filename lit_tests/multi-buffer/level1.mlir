// The pipeline up to multi-buffer, as IR and as pseudocode: the statements, order and nesting of
// the published double-buffered kernel.
// RUN: ladder show %s --passes=level1 | FileCheck %s
// RUN: ladder show %s --passes=level1 --as pseudocode | FileCheck %s --check-prefix=PSEUDO --match-full-lines --strict-whitespace

// CHECK: %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !tile.lds<[2, 64, 32], bf16,
// CHECK: %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !tile.lds<[2, 64, 32], bf16,
// CHECK: "tile.copy"(%A, %A_LDS, %c0, %block#0, %c0, %c64, %c32)
// CHECK-NEXT: "tile.copy"(%B, %B_LDS, %c0, %block#1, %c0, %c64, %c32)
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%bar)
// CHECK-NEXT: %acc:2 = scf.for %k = %c0 to %c256 step %c32 iter_args(%acc_k = %acc_in, %current = %c0)
// CHECK-NEXT: arith.addi %current, %c1
// CHECK-NEXT: [[NEXT:%next.*]] = arith.remui {{.*}}, %c2
// CHECK-NEXT: arith.addi %k, %c32
// CHECK-NEXT: [[K:%k_next.*]] = arith.minsi {{.*}}, %c224
// CHECK-NEXT: "tile.copy"(%A, %A_LDS, [[NEXT]], %block#0, [[K]], %c64, %c32)
// CHECK-NEXT: "tile.copy"(%B, %B_LDS, [[NEXT]], %block#1, [[K]], %c64, %c32)
// CHECK-NEXT: %A_reg = "tile.load"(%A_LDS, %current, {{.*}}, %c0) {transpose = false}
// CHECK-NEXT: %B_reg = "tile.load"(%B_LDS, %current, {{.*}}, %c0) {transpose = true}
// CHECK-NEXT: %acc_next = "tile.mma"(%A_reg, %B_reg, %acc_k) {atom = "wmma_f32_16x16x32_bf16", order = "ba"}
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%bar)
// CHECK-NEXT: scf.yield %acc_next, [[NEXT]]

//      PSEUDO:kernel mm(A: 256x256 bf16, B: 256x256 bf16, C: 256x256 f32)  // gfx1250, 4x4 workgroups, 128 threads
// PSEUDO-NEXT:    A_LDS[2]: 64x32 bf16 in LDS, 16 B of padding every 256 B
// PSEUDO-NEXT:    B_LDS[2]: 64x32 bf16 in LDS, 16 B of padding every 256 B
// PSEUDO-NEXT:    acc = 0  // 32x32 f32
// PSEUDO-NEXT:    load(A_LDS[0], A[m0, 0])  // global -> registers -> LDS
// PSEUDO-NEXT:    load(B_LDS[0], B[n0, 0])  // global -> registers -> LDS
// PSEUDO-NEXT:    wait_copy<0>()  // wait for data (register copies)
// PSEUDO-NEXT:    arrive()  // signal everyone (workgroup)
// PSEUDO-NEXT:    wait()  // wait for everyone (workgroup)
// PSEUDO-NEXT:    current = 0
// PSEUDO-NEXT:    for k = 0 to 256 step 32:
// PSEUDO-NEXT:        next = (current + 1) mod 2
// PSEUDO-NEXT:        k_next = min(k + 32, 224)
// PSEUDO-NEXT:        load(A_LDS[next], A[m0, k_next])  // global -> registers -> LDS
// PSEUDO-NEXT:        load(B_LDS[next], B[n0, k_next])  // global -> registers -> LDS
// PSEUDO-NEXT:        A_reg = load(A_LDS[current][wave_m, 0])  // 32x32 bf16
// PSEUDO-NEXT:        B_reg = load(B_LDS[current][wave_n, 0]^T)  // 32x32 bf16
// PSEUDO-NEXT:        acc = mma(acc, A_reg, B_reg)  // wmma_f32_16x16x32_bf16, operands swapped
// PSEUDO-NEXT:        wait_lds<0>()  // wait for LDS reads
// PSEUDO-NEXT:        wait_copy<0>()  // wait for data (register copies)
// PSEUDO-NEXT:        arrive()  // signal everyone (workgroup)
// PSEUDO-NEXT:        wait()  // wait for everyone (workgroup)
// PSEUDO-NEXT:        current = next
// PSEUDO-NEXT:    store(C[m, n], acc)
func.func @mm(%A: tensor<256x256xbf16>, %B: tensor<256x256xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
