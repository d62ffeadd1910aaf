// Illegal shapes are refused before any code is generated, with the numbers.
// RUN: not ladder-opt --pass='tile-workgroup{shape=17x64x32}' %s 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not ladder-opt --pass='tile-workgroup{shape=16x104x32 waves=1x12}' %s 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not ladder-opt --pass='tile-workgroup{shape=512x512x256 waves=4x4}' %s 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not ladder-opt --pass='tile-workgroup{shape=512x512x32 waves=8x8}' %s 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not ladder-opt --passes='tile-workgroup,tile-workgroup' %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ladder-opt --pass='tile-workgroup{waves=0x2}' %s 2>&1 | FileCheck %s --check-prefix=ZERO

// SHAPE: refused.mlir:[[#@LINE+9]]:5: error: tile-workgroup: option 'shape' is 17x64x32: M = 17 must be a multiple of 16 (2 waves of whole 8s)
// WAVES: error: tile-workgroup: option 'shape' is 16x104x32: N = 104 must be a multiple of 192 (12 waves of whole 16s)
// REGISTERS: error: tile-workgroup: needs at least 640 registers a lane (accumulators 512 + A 64 + B 64), gfx1250 has 256 at 512 threads
// THREADS: error: tile-workgroup: option 'waves' is 8x8: 2048 threads, gfx1250 allows 1024 a workgroup
// TWICE: error: tile-workgroup: found no tile.contract; run import-matmul first
// ZERO: error: {{.*}}option 'waves' is '0x2'; allowed: 2 integers of at least 1 joined by 'x'

gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>, %z: memref<64x64xf32>) kernel {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>) -> ()
    gpu.return
  }
}
