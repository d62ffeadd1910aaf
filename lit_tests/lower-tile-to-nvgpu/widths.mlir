// A tile of 224 columns is one instruction wide; a lane has 2 of each 8 columns, of 2 rows.
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x224x64 waves=4x1},promote-to-lds,matrix-core,swizzle-lds,wgmma,lower-tile-to-nvgpu' %s | FileCheck %s
// RUN: sed 's/(n, k)>/(k, n)>/; s/memref<224x128/memref<128x224/g' %s | not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x224x64 waves=4x1},promote-to-lds,matrix-core,swizzle-lds,wgmma' - 2>&1 | FileCheck %s --check-prefix=BLOCKS

// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 224, k = 16>
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// BLOCKS: error: wgmma: B's ring is not laid out in swizzled blocks of 128 bytes
func.func @nt(%A: memref<64x128xbf16>, %B: memref<224x128xbf16>, %C: memref<64x224xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<64x224xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%A, %B : memref<64x128xbf16>, memref<224x128xbf16>) outs(%C : memref<64x224xf32>)
  return
}
