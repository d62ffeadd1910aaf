// Around a kernel without roles: its fills, K loop and store once a tile, and a barrier before the
// next tile's fills. Around roles: each has its own loop over tiles, and the rings go on; of three
// workgroups two are enough for four tiles in two rounds.
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x128x64 waves=4x1},promote-to-lds,matrix-core,multi-buffer,persistent{grid=3 balance=false},verify-tile' %s | FileCheck %s --check-prefix=ONE
// RUN: ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup{shape=64x128x64 waves=4x1},promote-to-lds,matrix-core,multi-buffer{stages=3},async-copies,swizzle-lds,copy-engine,wgmma,warp-specialize,persistent{grid=3},verify-tile' %s | FileCheck %s --check-prefix=ROLES
// RUN: ladder-opt --target=gfx1250 --passes='import-matmul,tile-workgroup{shape=64x64x64 waves=2x2},promote-to-lds,matrix-core,multi-buffer,persistent{grid=100},verify-tile' %s | FileCheck %s --check-prefix=AMD

// ONE: known_grid_size = array<i32: 3, 1, 1>
// ONE-NOT: tile.block_coord
// ONE: %first = gpu.block_id x
// ONE-NEXT: scf.for %tile = %first to %c4 step %c3 {
// ONE-NEXT: %tile_i = arith.divui %tile, %c2
// ONE-NEXT: %tile_j = arith.remui %tile, %c2
// ONE-NEXT: %m0 = arith.muli %tile_i, %c64
// ONE-NEXT: %n0 = arith.muli %tile_j, %c128
// ONE: "tile.copy"(%A, %A_LDS, %c0, %m0, %c0,
// ONE: scf.for %k
// ONE: "tile.store"
// ONE-NEXT: "tile.wait"() {kind = "lds", pending = 0
// ONE-NEXT: "tile.barrier"(%bar)
// ONE-NEXT: }
// ONE-NEXT: gpu.return

// ROLES: known_grid_size = array<i32: 2, 1, 1>
// ROLES: scf.if %is_producer
// ROLES-NEXT: arith.cmpi eq, %wave, %c0
// ROLES: scf.for %tile = %first to %c4 step %c2 iter_args(%slot = %c0, %phase = %c1)
// ROLES: %filled:2 = scf.for %k {{.*}} iter_args([[S:%.*]] = %slot, [[P:%.*]] = %phase)
// ROLES: "tile.copy_async"(%A, %A_LDS, [[S]], %m0, %k,
// ROLES: scf.yield %filled#0, %filled#1
// ROLES: } else {
// ROLES: scf.for %tile = %first{{.*}} to %c4 step %c2 iter_args(%slot = %c0, %phase = %c0, %previous = %c0)
// ROLES: "tile.zero"
// ROLES: %acc:4 = scf.for %k {{.*}} iter_args(%acc_k = %acc_in, {{.*}} = %slot, {{.*}} = %phase, {{.*}} = %previous)
// ROLES: "tile.store"
// ROLES-NEXT: scf.yield %acc#1, %acc#2, %acc#3

// AMD: known_grid_size = array<i32: 8, 1, 1>
// AMD: scf.for %tile = %first to %c8 step %c8
func.func @mm(%A: memref<100x200xbf16>, %B: memref<200x256xbf16>, %C: memref<100x256xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<100x256xf32>)
  linalg.matmul ins(%A, %B : memref<100x200xbf16>, memref<200x256xbf16>) outs(%C : memref<100x256xf32>)
  return
}
