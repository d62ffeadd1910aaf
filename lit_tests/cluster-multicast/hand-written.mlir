// One stage, one wave, an operand that only M decides (%p), one that only N does (%q, through registers), an
// unrelated op. Only the hand-off behind the reads lets the next fill begin: the cluster waits there, once.
// RUN: ladder-opt --pass='cluster-multicast{dims=2x3}' %s -o %t.mlir 2> %t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: ladder-opt --pass=verify-tile %t.mlir -o /dev/null

// REMARK: hand-written.mlir:{{[0-9]+}}:{{.*}} remark: cluster-multicast: every workgroup asks for tile on its own: copies by registers cannot be shared, those of copy-engine can
// CHECK: known_cluster_size = array<i32: 2, 3, 1>, known_grid_size = array<i32: 4, 3, 1>
// CHECK: "tile.barrier_create"() {arrivals = 6 : i64, kind = "hw", scope = "cluster"}
// Workgroups 0, 2 and 4, from the place along x on.
// CHECK: %masktile = arith.shli %c21_i32, {{.*}}
// CHECK-NOT: shli
// CHECK: scf.for
// CHECK: "tile.copy_async"(%arg0, %{{.*}}, %c0, %{{.*}}, %{{.*}}, %valid{{.*}}, %c32, %masktile)
// CHECK: "tile.barrier"(%[[BAR:.*]]) :
// CHECK-NOT: %cluster
// CHECK: "tile.barrier"(%[[BAR]])
// CHECK-NEXT: "tile.arrive"(%cluster) {issuer = 0
// CHECK-NEXT: memref.store
// CHECK-NEXT: "tile.wait_barrier"(%cluster)
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%p: memref<48x256xf16>, %q: memref<256x48xf16>, %s: memref<256xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 3, 3, 1>} {
    %0 = arith.constant 0 : index
    %16 = arith.constant 16 : index
    %32 = arith.constant 32 : index
    %256 = arith.constant 256 : index
    %x = "tile.alloc"() : () -> !tile.lds<[1, 16, 32], f16, {}>
    %y = "tile.alloc"() : () -> !tile.lds<[1, 32, 16], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %m, %n = "tile.block_coord"() {tile = [16, 16]} : () -> (index, index)
    scf.for %i = %0 to %256 step %32 {
      %one = memref.load %s[%i] : memref<256xf32>
      "tile.copy_async"(%p, %x, %0, %m, %i, %16, %32) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (memref<48x256xf16>, !tile.lds<[1, 16, 32], f16, {}>, index, index, index, index, index) -> ()
      "tile.copy"(%q, %y, %0, %i, %n, %32, %16) {align = 16} : (memref<256x48xf16>, !tile.lds<[1, 32, 16], f16, {}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%x, %0, %0, %0) {transpose = false} : (!tile.lds<[1, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      %b = "tile.load"(%y, %0, %0, %0) {transpose = false} : (!tile.lds<[1, 32, 16], f16, {}>, index, index, index) -> !tile.frag<[32, 16], f16, "b">
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      memref.store %one, %s[%i] : memref<256xf32>
    }
    gpu.return
  }
}
