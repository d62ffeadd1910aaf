// The kernel whose fills two waves post: statements, order and nesting of the published Level 7, and
// the same technique by TMA, where an mbarrier's slots count the bytes.
// RUN: split-file %s %t
// RUN: ladder show %t/whole.mlir --passes=level1,async-copies,copy-engine | FileCheck %s --check-prefix=TDM
// RUN: ladder show %t/whole.mlir --passes=level1,copy-engine | FileCheck %s --check-prefix=TDM
// RUN: ladder show %t/whole.mlir --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=2x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline,copy-engine' | FileCheck %s --check-prefix=PIPELINED
// RUN: ladder show %t/whole.mlir --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds{pad=0},matrix-core,multi-buffer{stages=3},async-copies,copy-engine' | FileCheck %s --check-prefix=TMA
// RUN: ladder show %t/whole.mlir --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds{pad=0},matrix-core,copy-engine' | FileCheck %s --check-prefix=SINGLE
// RUN: ladder show %t/ragged.mlir --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds{pad=0},matrix-core,multi-buffer,async-copies,copy-engine' 2>&1 | FileCheck %s --check-prefix=FALLBACK

// TDM: "tile.copy_async"(%A, %A_LDS, %c0, %block#0, %c0, %c64, %c32) {align = 16 : i64, engine = "tdm", issuer = 0 : i64, operandSegmentSizes
// TDM-NEXT: "tile.copy_async"(%B, %B_LDS, %c0, %block#1, %c0, %c64, %c32) {align = 16 : i64, engine = "tdm", issuer = 1 : i64, operandSegmentSizes
// TDM-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// TDM-NEXT: "tile.sched_fence"()
// TDM-NEXT: "tile.arrive"(%bar)
// TDM-NEXT: "tile.wait_barrier"(%bar)
// TDM-NEXT: "tile.sched_fence"()
// TDM-NEXT: scf.for %k = %c0 to %c256 step %c32 iter_args(%acc_k = %acc_in, %current = %c0)
// TDM-NEXT: arith.addi %current, %c1
// TDM-NEXT: [[NEXT:%next_[0-9]+]] = arith.remui {{.*}}, %c2
// TDM-NEXT: [[K:%k_next]] = arith.addi %k, %c32
// TDM-NEXT: %A_reg = "tile.load"(%A_LDS, %current,
// TDM-NEXT: %B_reg = "tile.load"(%B_LDS, %current,
// TDM-NEXT: %more = arith.cmpi slt, [[K]], %c256
// TDM-NEXT: "tile.copy_async"(%A, %A_LDS, [[NEXT]], %block#0, [[K]], %c64, %c32, %more) {align = 16 : i64, engine = "tdm", issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>}
// TDM-NEXT: "tile.copy_async"(%B, %B_LDS, [[NEXT]], %block#1, [[K]], %c64, %c32, %more) {align = 16 : i64, engine = "tdm", issuer = 1 : i64
// TDM-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// TDM-NEXT: %acc_next = "tile.mma"(%A_reg, %B_reg, %acc_k)
// TDM-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// TDM-NEXT: "tile.sched_fence"()
// TDM-NEXT: "tile.arrive"(%bar)
// TDM-NEXT: "tile.wait_barrier"(%bar)
// TDM-NEXT: "tile.sched_fence"()
// TDM-NEXT: scf.yield

// RUN: ladder show %t/whole.mlir --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=2x2},promote-to-lds,matrix-core,multi-buffer,async-copies,register-pipeline{carry=true},copy-engine' | FileCheck %s --check-prefix=CARRY
// The first products' operands come from the iteration before: the fills stay at the top.
// CARRY: scf.for
// CARRY: %more = arith.cmpi
// CARRY-NEXT: "tile.copy_async"(%A, {{.*}}, %more) {{.*}} engine = "tdm"
// CARRY-NEXT: "tile.copy_async"(%B, {{.*}}, %more) {{.*}} engine = "tdm"
// CARRY-NEXT: "tile.load"

// A register pipeline has placed the fills and the waits for reads: they stay.
// PIPELINED: scf.for
// PIPELINED: "tile.load"(%A_LDS, %current, {{.*}}, %c0)
// PIPELINED-NEXT: "tile.load"(%B_LDS, %current, {{.*}}, %c0)
// PIPELINED-NEXT: "tile.sched_group"
// PIPELINED-NEXT: %more = arith.cmpi
// PIPELINED-NEXT: "tile.copy_async"(%A, {{.*}} engine = "tdm"
// PIPELINED-NEXT: "tile.copy_async"(%B, {{.*}} engine = "tdm"
// PIPELINED-NEXT: "tile.load"(%A_LDS, %current, {{.*}}, %c32)
// PIPELINED-NEXT: "tile.load"(%B_LDS, %current, {{.*}}, %c32)
// PIPELINED-NEXT: "tile.wait"() {kind = "lds", pending = 2 : i64}
// PIPELINED-NEXT: "tile.mma"
// PIPELINED: "tile.wait"() {kind = "lds", pending = 0 : i64}
// PIPELINED-NEXT: "tile.mma"
// PIPELINED-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}

// TMA: %full = "tile.barrier_create"() {arrivals = 1 : i64, kind = "mbarrier", name = "full", scope = "workgroup"} : () -> !tile.bar<3 : i64>
// TMA: "tile.arrive"(%full, %c0) {issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 8192 : i64}
// TMA-NEXT: "tile.copy_async"(%A, %A_LDS, %c0, %block#0, %c0, %c64, %c32, %full, %c0) {align = 16 : i64, engine = "tma", issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1>}
// TMA-NEXT: "tile.copy_async"(%B, %B_LDS, %c0, %block#1, %c0, %c64, %c32, %full, %c0)
// TMA-NEXT: "tile.arrive"(%full, %c1)
// TMA-NEXT: "tile.copy_async"(%A, %A_LDS, %c1, %block#0, %c32, %c64, %c32, %full, %c1)
// TMA-NEXT: "tile.copy_async"(%B, %B_LDS, %c1, %block#1, %c32, %c64, %c32, %full, %c1)
// TMA-NEXT: scf.for %k = %c0 to %c256 step %c32 iter_args(%acc_k = %acc_in, %current = %c0, %phase = %c0)
// TMA: [[FAR:%next_[0-9]+]] = arith.remui
// TMA: [[NEXT:%[0-9]+]] = arith.remui
// TMA: [[K:%k_next]] = arith.addi %k, %c64
// TMA-NEXT: %more = arith.cmpi slt, [[K]], %c256
// TMA-NEXT: scf.if %more {
// TMA-NEXT: "tile.arrive"(%full, [[FAR]]) {issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 8192 : i64}
// TMA-NEXT: "tile.copy_async"(%A, %A_LDS, [[FAR]], %block#0, [[K]], %c64, %c32, %full, [[FAR]])
// TMA-NEXT: "tile.copy_async"(%B, %B_LDS, [[FAR]], %block#1, [[K]], %c64, %c32, %full, [[FAR]])
// TMA-NEXT: {{^ *}}}
// TMA-NEXT: "tile.wait_barrier"(%full, %current, %phase)
// TMA-NEXT: "tile.load"(%A_LDS, %current
// TMA-NEXT: "tile.load"(%B_LDS, %current
// TMA-NEXT: "tile.wait"() {kind = "lds"
// TMA-NEXT: "tile.mma"
// TMA-NEXT: "tile.sched_fence"()
// TMA-NEXT: "tile.arrive"(%bar)
// TMA-NEXT: "tile.wait_barrier"(%bar)
// TMA-NEXT: "tile.sched_fence"()
// TMA-NEXT: %wraps = arith.cmpi eq, [[NEXT]], %c0
// TMA-NEXT: arith.subi %c1, %phase
// TMA-NEXT: %phase_next{{.*}} = arith.select %wraps
// TMA-NEXT: scf.yield {{.*}}, [[NEXT]], %phase_next

// SINGLE: scf.for %k = %c0 to %c256 step %c32 iter_args(%acc_k = %acc_in, %phase = %c0)
// SINGLE-NEXT: "tile.arrive"(%full, %c0) {issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 8192 : i64}
// SINGLE-NEXT: "tile.copy_async"(%A, %A_LDS, %c0, %block#0, %k,
// SINGLE-NEXT: "tile.copy_async"(%B, %B_LDS, %c0, %block#1, %k,
// SINGLE-NEXT: "tile.wait_barrier"(%full, %c0, %phase)
// SINGLE-NEXT: "tile.load"
// SINGLE-NEXT: "tile.load"
// SINGLE-NEXT: "tile.mma"
// SINGLE-NEXT: "tile.wait"() {kind = "lds"
// SINGLE-NEXT: "tile.barrier"(%bar)
// SINGLE-NEXT: arith.subi %c1, %phase

// Rows of 40 bytes are nothing for that engine. The arrivals of B's waves and the bytes of A complete
// a slot together.
// FALLBACK: remark: B_LDS is filled through asynchronous copies: rows aligned to 8 bytes, tma needs 16
// FALLBACK: %full = "tile.barrier_create"() {arrivals = 5 : i64, kind = "mbarrier"
// FALLBACK: "tile.copy_async"(%B, %B_LDS, %c0, {{.*}} engine = "async"
// FALLBACK: "tile.wait"() {kind = "copy", pending = 0 : i64}
// FALLBACK-NEXT: "tile.arrive"(%full, %c0) {operandSegmentSizes = array<i32: 1, 1, 0>}
// FALLBACK-NEXT: scf.for
// FALLBACK: [[BOUNDED:%k_next_[0-9]+]] = arith.minsi
// FALLBACK: scf.if %more {
// FALLBACK-NEXT: "tile.arrive"(%full, [[NEXT:%next_[0-9]+]]) {issuer = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0>, tx_bytes = 4096 : i64}
// FALLBACK-NEXT: "tile.copy_async"(%A, %A_LDS, [[NEXT]],
// FALLBACK-NEXT: {{^ *}}}
// FALLBACK-NEXT: "tile.wait_barrier"(%full, %current, %phase)
// FALLBACK: "tile.copy_async"(%B, %B_LDS, [[NEXT]], [[BOUNDED]],
// FALLBACK: "tile.mma"
// FALLBACK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// FALLBACK-NEXT: "tile.arrive"(%full, [[NEXT]]) {operandSegmentSizes = array<i32: 1, 1, 0>}
// FALLBACK-NEXT: "tile.sched_fence"()
// FALLBACK-NEXT: "tile.arrive"(%bar)
// FALLBACK-NEXT: "tile.wait_barrier"(%bar)

// Two stages ahead: a wave says that its copies of the next stage are in while later ones are not.
// RUN: ladder show %t/ragged.mlir --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds{pad=0},matrix-core,multi-buffer{stages=3},async-copies,copy-engine' | FileCheck %s --check-prefix=DEEP
// DEEP: "tile.copy_async"(%B, %B_LDS, %c1,
// DEEP-NEXT: "tile.wait"() {kind = "copy", pending = 1 : i64}
// DEEP-NEXT: "tile.arrive"(%full, %c0)
// DEEP-NEXT: scf.for
// DEEP: [[FILLED:%next_[0-9]+]] = arith.{{[a-z]+}}i
// DEEP: "tile.copy_async"(%B, %B_LDS, [[FILLED]],
// DEEP: "tile.wait"() {kind = "copy", pending = 1 : i64}
// DEEP-NEXT: "tile.arrive"(%full, [[FOLLOWING:%[0-9]+]]) {operandSegmentSizes = array<i32: 1, 1, 0>}
// DEEP: scf.yield {{.*}}, [[FOLLOWING]],
// DEEP-NEXT: {{^ *}}}
// DEEP-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}

//--- whole.mlir
func.func @mm(%A: tensor<256x256xbf16>, %B: tensor<256x256xbf16>, %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%A, %B : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
//--- ragged.mlir
func.func @mm(%A: tensor<100x80xbf16>, %B: tensor<80x20xbf16>, %C: tensor<100x20xf32>) -> tensor<100x20xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<100x80xbf16>, tensor<80x20xbf16>) outs(%C : tensor<100x20xf32>) -> tensor<100x20xf32>
  return %r : tensor<100x20xf32>
}
