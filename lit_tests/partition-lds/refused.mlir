// RUN: split-file %s %t
// RUN: not ladder-opt --pass=partition-lds %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --passes='import-matmul,tile-workgroup,promote-to-lds,partition-lds' --target=sm_90a %t/nvidia.mlir 2>&1 | FileCheck %s --check-prefix=NVIDIA

// EARLY: error: partition-lds: found no loop that fills LDS rings and reads them; run promote-to-lds first
// NVIDIA: nvidia.mlir:2:{{.*}} error: partition-lds: the LDS of sm_90a is one partition; see swizzle-lds

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f() kernel {
    gpu.return
  }
}
//--- nvidia.mlir
func.func @mm(%A: tensor<64x64xbf16>, %B: tensor<64x64xbf16>, %C: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%C : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
