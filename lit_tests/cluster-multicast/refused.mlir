// RUN: split-file %s %t
// RUN: not ladder-opt --pass=cluster-multicast %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --passes='level1,cluster-multicast{dims=5x4}' %t/mm.mlir 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not ladder-opt --passes='level2,cluster-multicast{dims=2x8}' %t/mm.mlir 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not ladder-opt --passes='level9,cluster-multicast' %t/mm.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ladder-opt --passes='level1,cluster-multicast' --target=sm_120 %t/mm.mlir 2>&1 | FileCheck %s --check-prefix=SM120
// RUN: not ladder-opt --pass='cluster-multicast' %t/bounds.mlir 2>&1 | FileCheck %s --check-prefix=BOUNDS

// EARLY: error: cluster-multicast: found no loop that fills LDS rings and reads them; run promote-to-lds first
// LARGE: error: cluster-multicast: option 'dims' is 5x4: 20 workgroups, a cluster of gfx1250 has at most 16
// SHARE: error: cluster-multicast: option 'dims' is 2x8: 8 workgroups would share this tile, one answer serves at most 5 on gfx1250
// TWICE: error: cluster-multicast: has clusters already (known_cluster_size)
// SM120: error: cluster-multicast: {{.*}}sm_120
// BOUNDS: bounds.mlir:10:5: error: cluster-multicast: workgroups may not run this loop equally often: bounds differ

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
//--- mm.mlir
func.func @mm(%A: tensor<64x64xbf16>, %B: tensor<64x64xbf16>, %C: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%C : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
//--- bounds.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%p: memref<48x256xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 3, 1, 1>} {
    %0 = arith.constant 0 : index
    %16 = arith.constant 16 : index
    %32 = arith.constant 32 : index
    %x = "tile.alloc"() : () -> !tile.lds<[1, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %m, %n = "tile.block_coord"() {tile = [16, 16]} : () -> (index, index)
    // As far as the diagonal.
    scf.for %i = %0 to %m step %32 {
      "tile.copy"(%p, %x, %0, %m, %i, %16, %32) {align = 16} : (memref<48x256xf16>, !tile.lds<[1, 16, 32], f16, {}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %a = "tile.load"(%x, %0, %0, %0) {transpose = false} : (!tile.lds<[1, 16, 32], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    gpu.return
  }
}
