// Rings of A and B take the widest swizzle that their rows allow; the statements stay.
// RUN: ladder show %s --passes='tile-workgroup{shape=128x256x64 waves=2x4},promote-to-lds,matrix-core,multi-buffer,swizzle-lds' | FileCheck %s
// RUN: ladder show %s --passes='tile-workgroup{shape=128x256x64 waves=2x4},promote-to-lds,matrix-core,multi-buffer,swizzle-lds' --as pseudocode | FileCheck %s --check-prefix=PSEUDO
// RUN: ladder show %s --passes='tile-workgroup{shape=64x64x32 waves=2x2},promote-to-lds,swizzle-lds' | FileCheck %s --check-prefix=NARROW
// RUN: ladder show %s --passes='tile-workgroup{shape=64x64x16 waves=2x2},promote-to-lds,swizzle-lds{bytes=32}' | FileCheck %s --check-prefix=BYTES
// RUN: ladder compile %s --passes='tile-workgroup{shape=128x256x64 waves=2x4},promote-to-lds,matrix-core,swizzle-lds' --stop ptx -o - | FileCheck %s --check-prefix=PTX

// CHECK: %A_LDS = "tile.alloc"() {name = "A_LDS"} : () -> !tile.lds<[2, 128, 64], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: %B_LDS = "tile.alloc"() {name = "B_LDS"} : () -> !tile.lds<[2, 64, 256], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: "tile.copy"({{.*}}, %A_LDS, %c0
// CHECK: %A_reg = "tile.load"(%A_LDS

// PSEUDO: A_LDS[2]: 128x64 bf16 in LDS, 128-byte swizzle
// PSEUDO: B_LDS[2]: 64x256 bf16 in LDS, columns in blocks of 128 B, 128-byte swizzle

// NARROW: %A_LDS = {{.*}} !tile.lds<[1, 64, 32], bf16, {block = 64 : i64, swizzle = 64 : i64}>
// NARROW: %B_LDS = {{.*}} !tile.lds<[1, 32, 64], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// BYTES: %A_LDS = {{.*}} !tile.lds<[1, 64, 16], bf16, {block = 32 : i64, swizzle = 32 : i64}>
// BYTES: %B_LDS = {{.*}} !tile.lds<[1, 16, 64], bf16, {block = 32 : i64, swizzle = 32 : i64}>

// PTX: ldmatrix.sync.aligned.m8n8.x4.shared
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @mm(%A: memref<512x512xbf16>, %B: memref<512x512xbf16>, %C: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"], tile.contract = {m = 512, n = 512, k = 512, a_order = "mk", b_order = "kn", accumulate = false}} {
    "tile.contract"(%A, %B, %C) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
