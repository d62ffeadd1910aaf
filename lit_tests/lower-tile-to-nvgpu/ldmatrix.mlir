// Hand-written: other names and sizes than the passes use, an unrelated copy of one number in the loop.
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s

// Shared memory is one array whose size is given at launch.
// CHECK: llvm.mlir.global external @gemm_lds() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: gpu.func @gemm(
// CHECK-SAME: !llvm.ptr<1>
// CHECK-SAME: nvvm.minctasm = 1 : i32
// X is 2 x 1,152 bytes behind the 1,536 of Y, at a multiple of 1,024.
// CHECK-SAME: dynamic_lds = 4352 : i64

// The warp's number comes from lane 0.
// CHECK: nvvm.shfl.sync {{ *}}idx

// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
// X holds the product's rows as they are used, Y its columns: an [k, n] operand needs .trans.
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT: !llvm.ptr<3> -> vector
// CHECK-COUNT-2: nvvm.mma.sync {{.*}}mma_type<bf16>{{.*}}#nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: nvvm.mma.sync
// Arriving alone emits nothing; the wait is the barrier.
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK: scf.yield
// Two neighbouring columns of a lane are one packed conversion and one store.
// CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK: llvm.store {{.*}} : vector<2xbf16>, !llvm.ptr<1>

// The same operand stored [n, k]: plain ldmatrix, and with one atom two matrices are left.
// CHECK-LABEL: gpu.func @transposed(
// CHECK-NOT: layout = #nvvm.mma_layout<col>
// CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 2 : i32
// CHECK: nvvm.mma.sync
gpu.module @hand attributes {tile.target = "sm_90a"} {
  gpu.func @gemm(%P: memref<32x16xbf16>, %Q: memref<128x16xbf16>, %D: memref<32x16xbf16>, %junk: memref<8xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tile.names = ["P", "Q", "D", "J"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %gate = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %Y = "tile.alloc"() {name = "Y"} : () -> !tile.lds<[3, 16, 16], bf16, {}>
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[2, 32, 16], bf16, {interval = 128, pad = 16}>
    %w = gpu.subgroup_id : index
    %row = arith.muli %w, %c16 : index
    %start = "tile.zero"() : () -> !tile.frag<[16, 16], f32, "acc">
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %start) -> (!tile.frag<[16, 16], f32, "acc">) {
      %x = memref.load %junk[%i] : memref<8xf32>
      memref.store %x, %junk[%c4] : memref<8xf32>
      %r = arith.muli %i, %c16 : index
      "tile.copy"(%Q, %Y, %c0, %r, %c0, %c16, %c16) {align = 16} : (memref<128x16xbf16>, !tile.lds<[3, 16, 16], bf16, {}>, index, index, index, index, index) -> ()
      %a = "tile.load"(%X, %c1, %row, %c0) {transpose = false} : (!tile.lds<[2, 32, 16], bf16, {interval = 128, pad = 16}>, index, index, index) -> !tile.frag<[16, 16], bf16, "a">
      %b = "tile.load"(%Y, %c1, %c0, %c0) {transpose = false} : (!tile.lds<[3, 16, 16], bf16, {}>, index, index, index) -> !tile.frag<[16, 16], bf16, "b">
      %n = "tile.mma"(%a, %b, %s) {atom = "mma_m16n8k16_f32_bf16"} : (!tile.frag<[16, 16], bf16, "a">, !tile.frag<[16, 16], bf16, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.arrive"(%gate) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      "tile.wait_barrier"(%gate) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
      scf.yield %n : !tile.frag<[16, 16], f32, "acc">
    }
    "tile.store"(%sum, %D, %row, %c0) : (!tile.frag<[16, 16], f32, "acc">, memref<32x16xbf16>, index, index) -> ()
    gpu.return
  }
  gpu.func @transposed(%D: memref<16x8xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tile.names = ["D"]} {
    %c0 = arith.constant 0 : index
    %X = "tile.alloc"() {name = "X"} : () -> !tile.lds<[1, 16, 16], f16, {}>
    %Y = "tile.alloc"() {name = "Y"} : () -> !tile.lds<[1, 8, 16], f16, {}>
    %s = "tile.zero"() : () -> !tile.frag<[16, 8], f32, "acc">
    %b = "tile.load"(%Y, %c0, %c0, %c0) {transpose = true} : (!tile.lds<[1, 8, 16], f16, {}>, index, index, index) -> !tile.frag<[16, 8], f16, "b">
    %a = "tile.load"(%X, %c0, %c0, %c0) {transpose = false} : (!tile.lds<[1, 16, 16], f16, {}>, index, index, index) -> !tile.frag<[16, 16], f16, "a">
    %n = "tile.mma"(%a, %b, %s) {atom = "mma_m16n8k16_f32_f16"} : (!tile.frag<[16, 16], f16, "a">, !tile.frag<[16, 8], f16, "b">, !tile.frag<[16, 8], f32, "acc">) -> !tile.frag<[16, 8], f32, "acc">
    "tile.store"(%n, %D, %c0, %c0) : (!tile.frag<[16, 8], f32, "acc">, memref<16x8xf32>, index, index) -> ()
    gpu.return
  }
}
