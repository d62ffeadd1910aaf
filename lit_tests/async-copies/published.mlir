// The double-buffered kernel with asynchronous fills: statements, order and nesting of the published
// Level 2. An operand whose rows the engine cannot move stays with the registers.
// RUN: split-file %s %t
// RUN: ladder show %t/whole.mlir --passes=level1,async-copies | FileCheck %s
// RUN: ladder show %t/whole.mlir --passes=level1,async-copies --as pseudocode | FileCheck %s --check-prefix=PSEUDO --match-full-lines --strict-whitespace
// RUN: ladder show %t/whole.mlir --target=sm_90a --passes=level1,async-copies | FileCheck %s
// RUN: ladder show %t/ragged.mlir --passes=level1,async-copies 2>&1 | FileCheck %s --check-prefix=RAGGED
// RUN: ladder show %t/whole.mlir --passes=level0,async-copies --as pseudocode | FileCheck %s --check-prefix=SINGLE

// RUN: ladder show %t/whole.mlir --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds,matrix-core,multi-buffer{stages=4},async-copies' | FileCheck %s --check-prefix=FOUR

// CHECK: "tile.copy_async"(%A, %A_LDS, %c0, %block#0, %c0, %c64, %c32) {align = 16 : i64, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
// CHECK-NEXT: "tile.copy_async"(%B, %B_LDS, %c0, %block#1, %c0, %c64, %c32)
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.sched_fence"()
// CHECK-NEXT: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%bar)
// CHECK-NEXT: "tile.sched_fence"()
// CHECK-NEXT: scf.for %k = %c0 to %c256 step %c32 iter_args(%acc_k = %acc_in, %current = %c0)
// CHECK-NEXT: arith.addi %current, %c1
// CHECK-NEXT: [[NEXT:%next.*]] = arith.remui {{.*}}, %c2
// CHECK-NEXT: arith.addi %k, %c32
// CHECK-NEXT: [[K:%k_next.*]] = arith.minsi {{.*}}, %c224
// CHECK-NEXT: %A_reg = "tile.load"(%A_LDS, %current,
// CHECK-NEXT: %B_reg = "tile.load"(%B_LDS, %current,
// CHECK-NEXT: "tile.copy_async"(%A, %A_LDS, [[NEXT]], %block#0, [[K]], %c64, %c32) {align = 16 : i64, engine = "async"
// CHECK-NEXT: "tile.copy_async"(%B, %B_LDS, [[NEXT]], %block#1, [[K]], %c64, %c32) {align = 16 : i64, engine = "async"
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: %acc_next = "tile.mma"(%A_reg, %B_reg, %acc_k)
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.sched_fence"()
// CHECK-NEXT: "tile.arrive"(%bar)
// CHECK-NEXT: "tile.wait_barrier"(%bar)
// CHECK-NEXT: "tile.sched_fence"()
// CHECK-NEXT: scf.yield %acc_next, [[NEXT]]

// PSEUDO:    load_async(A_LDS[0], A[m0, 0])
// PSEUDO-NEXT:    load_async(B_LDS[0], B[n0, 0])
// PSEUDO-NEXT:    wait_async<0>()  // {{.*}}
// PSEUDO-NEXT:    sched_fence(){{.*}}
// PSEUDO-NEXT:    arrive()  // {{.*}}
// PSEUDO-NEXT:    wait()  // {{.*}}
// PSEUDO-NEXT:    sched_fence(){{.*}}
// PSEUDO-NEXT:    current = 0
// PSEUDO-NEXT:    for k = 0 to 256 step 32:
// PSEUDO-NEXT:        next = (current + 1) mod 2
// PSEUDO-NEXT:        k_next = min(k + 32, 224)
// PSEUDO-NEXT:        A_reg = load(A_LDS[current][wave_m, 0])  // {{.*}}
// PSEUDO-NEXT:        B_reg = load(B_LDS[current][wave_n, 0]^T)  // {{.*}}
// PSEUDO-NEXT:        load_async(A_LDS[next], A[m0, k_next])
// PSEUDO-NEXT:        load_async(B_LDS[next], B[n0, k_next])
// PSEUDO-NEXT:        wait_lds<0>()  // {{.*}}
// PSEUDO-NEXT:        acc = mma(acc, A_reg, B_reg)  // {{.*}}
// PSEUDO-NEXT:        wait_async<0>()  // {{.*}}
// PSEUDO-NEXT:        sched_fence(){{.*}}
// PSEUDO-NEXT:        arrive()  // {{.*}}
// PSEUDO-NEXT:        wait()  // {{.*}}
// PSEUDO-NEXT:        sched_fence(){{.*}}
// PSEUDO-NEXT:        current = next

// RAGGED: remark: A_LDS is filled through registers: rows aligned to 2 bytes, async needs 4
// RAGGED: tile.remarks = ["A_LDS is filled through registers: rows aligned to 2 bytes, async needs 4"]
// RAGGED: scf.for
// RAGGED: "tile.copy"(%A, %A_LDS,
// RAGGED: "tile.load"(%A_LDS
// RAGGED-NEXT: "tile.load"(%B_LDS
// RAGGED-NEXT: "tile.copy_async"(%B, %B_LDS, {{.*}} {align = 4 : i64, engine = "async"
// RAGGED-NEXT: "tile.wait"() {kind = "lds"

// Three stages ahead: two of them may be under way when the next one is handed over.
// FOUR: "tile.wait"() {kind = "copy", pending = 4 : i64}
// FOUR: scf.for
// FOUR: "tile.wait"() {kind = "copy", pending = 4 : i64}
// FOUR: scf.yield
// FOUR-NEXT: {{^ *}}}
// FOUR-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}

// SINGLE: for k = 0 to 256 step 32:
// SINGLE-NEXT: load_async(A_LDS[0], A[m0, k])
// SINGLE-NEXT: load_async(B_LDS[0], B[n0, k])
// SINGLE-NEXT: wait_async<0>()
// SINGLE-NEXT: sched_fence()
// SINGLE-NEXT: sync()
// SINGLE-NEXT: sched_fence()
// SINGLE-NEXT: A_reg = load
// SINGLE-NEXT: B_reg = load
// SINGLE-NEXT: wait_lds<0>()
// SINGLE-NEXT: acc = mma
// SINGLE-NEXT: sync()

//--- whole.mlir
func.func @mm(%A: tensor<256x256xbf16>, %B: tensor<256x256xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
//--- ragged.mlir
func.func @mm(%A: tensor<100x77xbf16>, %B: tensor<77x66xbf16>, %C: tensor<100x66xf32>) -> tensor<100x66xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<100x77xbf16>, tensor<77x66xbf16>) outs(%C : tensor<100x66xf32>) -> tensor<100x66xf32>
  return %r : tensor<100x66xf32>
}
