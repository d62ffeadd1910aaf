// The register budget is the target's: 256x128 over 2x2 waves fits gfx1250's 1024 registers a lane,
// and is too much for the 255 of sm_90a.
// RUN: split-file %s %t
// RUN: ladder-opt --pass='tile-workgroup{shape=256x128x32}' %t/amd.mlir | FileCheck %s --check-prefix=AMD
// RUN: not ladder-opt --pass='tile-workgroup{shape=256x128x32}' %t/nvidia.mlir 2>&1 | FileCheck %s --check-prefix=NVIDIA

// AMD: known_block_size = array<i32: 128, 1, 1>
// NVIDIA: nvidia.mlir:3:5: error: tile-workgroup: needs at least 304 registers a lane (accumulators 256 + A 32 + B 16), sm_90a has 255 at 128 threads; try a smaller shape or more waves

//--- amd.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %z: memref<64x64xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
    gpu.return
  }
}
//--- nvidia.mlir
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @k(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %z: memref<64x64xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
    gpu.return
  }
}
