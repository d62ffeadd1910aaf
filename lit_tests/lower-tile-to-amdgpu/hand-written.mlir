// IR that no pass of ours wrote: the accumulator is loaded, comes out of an scf.if and is stored at
// an edge; a product without an atom stays on FMA; a kernel on other arguments is left alone.
// RUN: ladder-opt --pass=lower-tile-to-amdgpu %s | FileCheck %s

// A kernel that promises no contraction: its arguments may be one buffer.
// CHECK-LABEL: gpu.func @odd
// CHECK-NOT: llvm.noalias
// CHECK-SAME: {access = "readwrite", align = 16 : i64, dtype = "f16", name = "arg0", shape = [20, 18], strides = [24, 1]}
// Rows of C are 48 bytes apart, but 18 columns are no multiple of 4: accesses of 2 elements; what
// does not exist is not read.
// CHECK: %[[OLD:.*]] = scf.if %{{.*}} -> (vector<2xf16>) {
// CHECK-NEXT: %[[RAW:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
// CHECK-NEXT: scf.yield %[[RAW]]
// CHECK: arith.extf %[[OLD]] : vector<2xf16> to vector<2xf32>
// CHECK: %[[BOTH:.*]]:2 = scf.if %{{.*}} -> (vector<4xf32>, vector<4xf32>) {
// Reads wait for the product, k by k; each trip takes 8.
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (vector<4xf32>, vector<4xf32>) {
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-64: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32>
// CHECK: arith.truncf %[[BOTH]]#0 : vector<4xf32> to vector<4xf16>
// CHECK: scf.if
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>

// CHECK-LABEL: gpu.func @plain(%{{.*}}: memref<8xf32>)

gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @odd(%out: memref<20x18xf16, strided<[24, 1]>>, %q: memref<64x64xf32>, %p: memref<64x64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 2, 1>} {
    %s = arith.constant 16 : index
    %z = arith.constant 0 : index
    %who = gpu.subgroup_id : index
    %r = arith.muli %who, %s : index
    %unused, %c = "tile.block_coord"() {tile = [32, 16]} : () -> (index, index)
    %first = arith.cmpi eq, %c, %z : index
    %old = "tile.load"(%out, %r, %c) {transpose = false} : (memref<20x18xf16, strided<[24, 1]>>, index, index) -> !tile.frag<[16, 16], f32, "acc">
    %sum = scf.if %first -> (!tile.frag<[16, 16], f32, "acc">) {
      %b = "tile.load"(%q, %z, %c) {transpose = false} : (memref<64x64xf32>, index, index) -> !tile.frag<[64, 16], f32, "b">
      %a = "tile.load"(%p, %r, %z) {transpose = false} : (memref<64x64xf32>, index, index) -> !tile.frag<[16, 64], f32, "a">
      %d = "tile.mma"(%a, %b, %old) : (!tile.frag<[16, 64], f32, "a">, !tile.frag<[64, 16], f32, "b">, !tile.frag<[16, 16], f32, "acc">) -> !tile.frag<[16, 16], f32, "acc">
      scf.yield %d : !tile.frag<[16, 16], f32, "acc">
    } else {
      scf.yield %old : !tile.frag<[16, 16], f32, "acc">
    }
    "tile.store"(%sum, %out, %r, %c) : (!tile.frag<[16, 16], f32, "acc">, memref<20x18xf16, strided<[24, 1]>>, index, index) -> ()
    gpu.return
  }
  gpu.func @plain(%x: memref<8xf32>) kernel {
    gpu.return
  }
}
