#include "evidence/evidence.h"

#include <cmath>

#include "linalg/decompositions.h"

namespace wgp {

Matrix compress_rows(ConstMatrixRef V) {
  if (V.rows() == 0 || V.cols() == 0) return V;
  Matrix tall = V;
  if (V.rows() > V.cols()) tall = Qr(V).R();
  const Svd svd = divided_svd(tall, SvdParts::left);
  const Vector& s = svd.s;
  Index rank = 1;
  while (rank < s.size() && s[rank] > 1e-13 * s[0]) ++rank;
  if (rank == V.rows()) return V;  // nothing to gain, and no rounding
  return svd.U.leftCols(rank).transpose() * tall;
}

double Evidence::value_and_gradient(const Parameters& at, const Outputs& outputs, EvidenceGradient& out,
                                    ByOutputs by_outputs) {
  const double evidence = value(at, outputs);
  if (std::isfinite(evidence)) gradient(out, by_outputs);
  return evidence;
}

std::unique_ptr<Evidence> point_evidence(const EvidenceSetting& setting) {
  if (auto evidence = fourier_evidence(setting)) return evidence;
  return dense_evidence(setting);
}

}  // namespace wgp
