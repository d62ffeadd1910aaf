// Accumulators leave through swizzled LDS: stmatrix, proxy fence, barrier, TMA store, its wait.
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s

// CHECK-LABEL: gpu.func @leave(
// CHECK-SAME: tensor_maps = [{arg = 0 : i64, box = [16, 64], swizzle = 128 : i64}]
// CHECK: nvvm.setmaxregister decrease 96
// A lane's two neighbours are one word; four 8 x 8 matrices an instruction.
// CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK-COUNT-4: nvvm.stmatrix {{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.barrier0
// One lane posts, closes the group, and waits for its reads of LDS; the others wait for it.
// CHECK: nvvm.elect.sync
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: nvvm.bar.warp.sync

// f32 has no such instruction: plain stores.
// CHECK-LABEL: gpu.func @wide(
// CHECK-NOT: nvvm.stmatrix
// CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
!c = !tile.lds<[2, 16, 64], bf16, {block = 128, swizzle = 128}>
!w = !tile.lds<[1, 16, 64], f32, {block = 128, swizzle = 128}>
!acc = !tile.frag<[16, 64], f32, "acc">
!a = !tile.frag<[16, 16], bf16, "a">
!b = !tile.frag<[16, 64], bf16, "b">
gpu.module @hand attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%out: memref<40x128xbf16>, %in: memref<64x64xbf16>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, tile.names = ["out", "in"]} {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %16 = arith.constant 16 : index
    %64 = arith.constant 64 : index
    %bar = "tile.barrier_create"() {arrivals = 16, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %C = "tile.alloc"() {name = "C"} : () -> !c
    "tile.set_registers"() {count = 96} : () -> ()
    %z = "tile.zero"() : () -> !acc
    %p = "tile.load"(%in, %0, %0) {transpose = false} : (memref<64x64xbf16>, index, index) -> !a
    %q = "tile.load"(%in, %0, %0) {transpose = false} : (memref<64x64xbf16>, index, index) -> !b
    %r = "tile.mma"(%p, %q, %z) {atom = "mma_m16n8k16_f32_bf16"} : (!a, !b, !acc) -> !acc
    "tile.store"(%r, %C, %1, %0, %0) : (!acc, !c, index, index, index) -> ()
    "tile.wait"() {kind = "lds", pending = 0} : () -> ()
    "tile.fence"() {proxy = "async"} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    "tile.copy_async"(%C, %out, %1, %16, %64, %16, %64) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (!c, memref<40x128xbf16>, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
  gpu.func @wide(%in: memref<64x64xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, tile.names = ["in"]} {
    %0 = arith.constant 0 : index
    %C = "tile.alloc"() {name = "C"} : () -> !w
    %z = "tile.zero"() : () -> !acc
    %p = "tile.load"(%in, %0, %0) {transpose = false} : (memref<64x64xbf16>, index, index) -> !a
    %q = "tile.load"(%in, %0, %0) {transpose = false} : (memref<64x64xbf16>, index, index) -> !b
    %r = "tile.mma"(%p, %q, %z) {atom = "mma_m16n8k16_f32_bf16"} : (!a, !b, !acc) -> !acc
    "tile.store"(%r, %C, %0, %0, %0) : (!acc, !w, index, index, index) -> ()
    gpu.return
  }
}
