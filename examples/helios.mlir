// The published ladder's problem: C = A * B^T, 8192 x 8192 x 8192, bf16 in and out.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @gemm(%A: tensor<8192x8192xbf16>, %B: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8192x8192xf32>
  %clear = linalg.fill ins(%zero : f32) outs(%empty : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %product = linalg.matmul indexing_maps = [#a, #b, #c]
      ins(%A, %B : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>)
      outs(%clear : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %result = arith.truncf %product : tensor<8192x8192xf32> to tensor<8192x8192xbf16>
  return %result : tensor<8192x8192xbf16>
}
