// Workgroups in the order in which they start, and the tiles of a persistent loop, in groups of rows;
// a group that does not fill the last rows is as high as what is left.
// RUN: ladder-opt --target=gfx1250 --passes='import-matmul,tile-workgroup,rasterize{group=4}' %s | FileCheck %s --check-prefix=LAUNCHED
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup,persistent{grid=8},rasterize{group=3}' %s | FileCheck %s --check-prefix=LOOP
// RUN: ladder-opt --target=gfx1250 --passes='import-matmul,tile-workgroup,rasterize{order=row}' %s | FileCheck %s --check-prefix=ROW
// RUN: ladder-opt --target=gfx1250 --passes='import-matmul,tile-workgroup,rasterize{group=99}' %s | FileCheck %s --check-prefix=COLUMN

// LAUNCHED-NOT: tile.block_coord
// LAUNCHED: [[X:%.*]] = gpu.block_id x
// LAUNCHED-NEXT: [[Y:%.*]] = gpu.block_id y
// LAUNCHED-NEXT: [[DOWN:%.*]] = arith.muli [[Y]], %c8
// LAUNCHED-NEXT: [[T:%.*]] = arith.addi [[X]], [[DOWN]]
// LAUNCHED-NEXT: [[G:%.*]] = arith.divui [[T]], %c16
// LAUNCHED-NEXT: [[ABOVE:%.*]] = arith.muli [[G]], %c4
// LAUNCHED-NEXT: [[IN:%.*]] = arith.remui [[T]], %c16
// LAUNCHED-NEXT: [[R:%.*]] = arith.remui [[IN]], %c4
// LAUNCHED-NEXT: [[I:%.*]] = arith.addi [[ABOVE]], [[R]]
// LAUNCHED-NEXT: [[J:%.*]] = arith.divui [[IN]], %c4
// LAUNCHED-NEXT: %m0 = arith.muli [[I]], %c64
// LAUNCHED-NEXT: %n0 = arith.muli [[J]], %c64

// LOOP: scf.for %tile = %first to %c32 step %c8
// LOOP-NEXT: [[G:%.*]] = arith.divui %tile, %c12
// LOOP-NEXT: [[ABOVE:%.*]] = arith.muli [[G]], %c3
// LOOP-NEXT: [[IN:%.*]] = arith.remui %tile, %c12
// LOOP-NEXT: [[LEFT:%.*]] = arith.subi %c8, [[ABOVE]]
// LOOP-NEXT: [[HIGH:%.*]] = arith.minui [[LEFT]], %c3
// LOOP-NEXT: [[R:%.*]] = arith.remui [[IN]], [[HIGH]]
// LOOP-NEXT: [[I:%.*]] = arith.addi [[ABOVE]], [[R]]
// LOOP-NEXT: [[J:%.*]] = arith.divui [[IN]], [[HIGH]]
// LOOP-NEXT: %m0 = arith.muli [[I]], %c64

// ROW: [[I:%.*]] = arith.divui %{{.*}}, %c4
// ROW-NEXT: [[J:%.*]] = arith.remui %{{.*}}, %c4
// ROW-NEXT: %m0 = arith.muli [[I]], %c64

// COLUMN: [[J:%.*]] = arith.divui %{{.*}}, %c8
// COLUMN-NEXT: [[I:%.*]] = arith.remui %{{.*}}, %c8
// COLUMN-NEXT: %m0 = arith.muli [[I]], %c64
func.func @mm(%A: memref<512x128xbf16>, %B: memref<128x256xbf16>, %C: memref<512x256xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<512x256xf32>)
  linalg.matmul ins(%A, %B : memref<512x128xbf16>, memref<128x256xbf16>) outs(%C : memref<512x256xf32>)
  return
}
