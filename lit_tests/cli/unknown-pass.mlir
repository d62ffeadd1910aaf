// RUN: not ladder-opt --pass=promot-to-lds %s 2>&1 | FileCheck %s
// RUN: not ladder-opt --passes='level1, verify-tiel' %s 2>&1 | FileCheck %s --check-prefix=SECOND

// CHECK: error: unknown pass or level 'promot-to-lds'; did you mean 'promote-to-lds'?
// CHECK-NEXT: {{^}}  promot-to-lds
// CHECK-NEXT: {{^}}  ^~~~~~~~~~~~~
// CHECK-NEXT: passes: import-matmul,
// CHECK-NEXT: levels of gfx1250: level0, level1,

// SECOND: 'verify-tiel'; did you mean 'verify-tile'?
// SECOND-NEXT: {{^}}  level1, verify-tiel
// SECOND-NEXT: {{^}}          ^~~~~~~~~~~
module {}
