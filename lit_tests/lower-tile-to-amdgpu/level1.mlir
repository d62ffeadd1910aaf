// Level 1: 16-byte global loads start before the products and reach LDS behind them, fragments are
// 16-byte LDS reads, one barrier a K block, C leaves in 16-byte stores.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// CHECK: #[[LDS:.*]] = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
// CHECK: llvm.mlir.global internal @mm_lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<17408 x i8>
// CHECK: gpu.func @mm(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: !llvm.ptr<1> {{.*}}, %{{.*}}: !llvm.ptr<1>
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: passthrough = {{\[\["amdgpu-flat-work-group-size", "128,128"\], \["amdgpu-waves-per-eu", "1"\]}}
// CHECK-SAME: tile.kernel = {args = [{access = "read", align = 16 : i64, dtype = "bf16", name = "A", shape = [256, 256], strides = [256, 1]}
// CHECK-SAME: {access = "write", align = 16 : i64, dtype = "f32", name = "C"
// CHECK-SAME: contract = {a_order = "mk"
// CHECK-SAME: dynamic_lds = 0 : i64, grid = [4, 4, 1]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.wave.id"() : () -> i32
// The prologue: one stage of A and B, then a full barrier.
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-COUNT-4: llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[LDS]]}
// CHECK: rocdl.s.barrier.signal id = -1
// CHECK: rocdl.s.barrier.wait id = -1
// LDS is in order: nothing has to drain behind a barrier, only to stay there.
// CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
// The loop, its counter in 32 bits.
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, index) : i32
// CHECK: arith.minui {{.*}} : i32
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-COUNT-8: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK: rocdl.sched.barrier 0
// CHECK-NOT: llvm.store
// CHECK-COUNT-4: rocdl.wmma.f32.16x16x32.bf16
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-COUNT-4: llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: rocdl.s.barrier.signal id = -1
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.barrier.wait id = -1
// CHECK: scf.yield
// No guard: every element of C exists.
// CHECK-NOT: scf.if
// CHECK-COUNT-8: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: gpu.return
// CHECK-NOT: tile.

module {
  gpu.module @mm_module attributes {tile.target = "gfx1250"} {
    gpu.func @mm(%A: memref<256x256xbf16>, %B: memref<256x256xbf16>, %C: memref<256x256xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4, 4, 1>, tile.names = ["A", "B", "C"], tile.contract = {m = 256, n = 256, k = 256, a_order = "mk", b_order = "nk", accumulate = false}} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c224 = arith.constant 224 : index
      %c256 = arith.constant 256 : index
      %m0, %n0 = "tile.block_coord"() {tile = [64, 64]} : () -> (index, index)
      %wave = gpu.subgroup_id : index
      %wm = arith.divui %wave, %c2 : index
      %wn = arith.remui %wave, %c2 : index
      %mo = arith.muli %wm, %c32 : index
      %no = arith.muli %wn, %c32 : index
      %m = arith.addi %m0, %mo : index
      %n = arith.addi %n0, %no : index
      %bar = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
      %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>
      %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>
      %zero = "tile.zero"() : () -> !tile.frag<[32, 32], f32, "acc">
      "tile.copy"(%A, %A_LDS, %c0, %m0, %c0, %c64, %c32) {align = 16} : (memref<256x256xbf16>, !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>, index, index, index, index, index) -> ()
      "tile.copy"(%B, %B_LDS, %c0, %n0, %c0, %c64, %c32) {align = 16} : (memref<256x256xbf16>, !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      %acc, %last = scf.for %k = %c0 to %c256 step %c32 iter_args(%c = %zero, %current = %c0) -> (!tile.frag<[32, 32], f32, "acc">, index) {
        %cp1 = arith.addi %current, %c1 : index
        %next = arith.remui %cp1, %c2 : index
        %kn = arith.addi %k, %c32 : index
        %kc = arith.minui %kn, %c224 : index
        "tile.copy"(%A, %A_LDS, %next, %m0, %kc, %c64, %c32) {align = 16} : (memref<256x256xbf16>, !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>, index, index, index, index, index) -> ()
        "tile.copy"(%B, %B_LDS, %next, %n0, %kc, %c64, %c32) {align = 16} : (memref<256x256xbf16>, !tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>, index, index, index, index, index) -> ()
        %a = "tile.load"(%A_LDS, %current, %mo, %c0) {transpose = false} : (!tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>, index, index, index) -> !tile.frag<[32, 32], bf16, "a">
        %b = "tile.load"(%B_LDS, %current, %no, %c0) {transpose = true} : (!tile.lds<[2, 64, 32], bf16, {interval = 256, pad = 16}>, index, index, index) -> !tile.frag<[32, 32], bf16, "b">
        %d = "tile.mma"(%a, %b, %c) {atom = "wmma_f32_16x16x32_bf16", order = "ba"} : (!tile.frag<[32, 32], bf16, "a">, !tile.frag<[32, 32], bf16, "b">, !tile.frag<[32, 32], f32, "acc">) -> !tile.frag<[32, 32], f32, "acc">
        "tile.wait"() {kind = "copy", pending = 0} : () -> ()
        "tile.wait"() {kind = "lds", pending = 0} : () -> ()
        "tile.arrive"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
        "tile.wait_barrier"(%bar) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
        scf.yield %d, %next : !tile.frag<[32, 32], f32, "acc">, index
      }
      "tile.store"(%acc, %C, %m, %n) : (!tile.frag<[32, 32], f32, "acc">, memref<256x256xf32>, index, index) -> ()
      gpu.return
    }
  }
}
