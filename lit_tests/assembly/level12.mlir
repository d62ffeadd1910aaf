// RUN: ladder compile %examples/helios.mlir --passes=level12 --stop-after s | %k_loop | FileCheck %s
// Six LDS loads and eight matrix instructions, twelve times; the last product is cut behind its
// twelfth, and the next stage's first fragments are loaded under the rest.
// CHECK: tensor_load x1
// CHECK-NEXT: (ds_load x6 wmma x8) x11
// CHECK-NEXT: ds_load x6 wmma x15
// CHECK-NEXT: wait dscnt
// CHECK-NEXT: wmma x5
// CHECK-NEXT: wait tensorcnt
// CHECK-NEXT: signal workgroup
// CHECK-NEXT: signal cluster
// CHECK-NEXT: wait workgroup
// CHECK-NEXT: (ds_load x6 wmma x5) x4
// CHECK-NEXT: wait cluster
// CHECK-NOT: {{.}}
