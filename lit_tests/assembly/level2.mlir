// RUN: ladder compile %examples/helios.mlir --passes=level2 --stop-after s | %k_loop | FileCheck %s
// RUN: ladder compile %examples/helios.mlir --passes=level4 --stop-after s | %k_loop | FileCheck %s --check-prefix=LARGE
// Reads of the current stage come first, then the copies of the next; one drain of each.
// CHECK: ds_load x8
// CHECK-NEXT: load_async x4
// CHECK-NEXT: wait dscnt
// CHECK-NEXT: wmma x4
// CHECK-NEXT: wait asynccnt
// CHECK-NEXT: signal workgroup
// CHECK-NEXT: wait workgroup
// CHECK-NOT: {{.}}
// LARGE: ds_load x16
// LARGE-NEXT: load_async x4
// LARGE-NEXT: wait dscnt
// LARGE-NEXT: wmma x16
// LARGE-NEXT: wait asynccnt
// LARGE-NEXT: signal workgroup
// LARGE-NEXT: wait workgroup
// LARGE-NOT: {{.}}
