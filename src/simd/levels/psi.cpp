// Second moments of covariances: see simd/psi_kernels.h.
#include "simd/psi_kernels.h"

#include "simd/levels/decay.h"
#include "simd/levels/tables.h"

namespace wgp::WGP_SIMD {
namespace {

// Q coordinates, known to the compiler so that their sums stay in registers; or as many as the point says, for Q = 0.
constexpr int most_known = 8;
template <int Q>
constexpr int known = Q > 0 ? Q : most_known;

// What is the same for a whole column of moments.
template <int Q>
struct Column {
  const PsiPoint& at;
  Index j, q;
  double w;
  double cz[known<Q>];

  [[gnu::always_inline]] Column(const PsiPoint& point, Index column)
      : at(point), j(column), q(Q > 0 ? Q : point.q), w(point.w[column]) {
    for (Index f = 0; f < least(q, known<Q>); ++f) cz[f] = scaled(f);
  }
  double scaled(Index f) const { return at.c[f] * at.z[f * at.padded + j]; }
  [[gnu::always_inline]] Vec exponent(Index i) const {
    Vec t = load(at.w + i) + w;
    for (int f = 0; f < known<Q>; ++f)
      if (Q > 0 || f < q) t -= cz[f] * load(at.z + f * at.padded + i);
    if constexpr (Q == 0)
      for (Index f = known<Q>; f < q; ++f) t -= scaled(f) * load(at.z + f * at.padded + i);
    return t;
  }
};

template <int Q>
void add_second_of(const PsiPoint& at, double* sums) {
  const Decay decay(1);
  for (Index j = 0; j < at.M; ++j) {
    const Column<Q> column(at, j);
    double* to = sums + j * at.padded;
    for (Index i = j / vec_size * vec_size; i < at.padded; i += vec_size)
      store(to + i, load(to + i) + decay(column.exponent(i)));
  }
}

template <int Q>
void pull_back_of(const PsiPoint& at, const double* G, double* pulls) {
  const Decay decay(1);
  for (Index j = 0; j < at.M; ++j) {
    const Column<Q> column(at, j);
    const double* g = G + j * at.padded;
    Vec total{}, totals[known<Q>] = {};
    for (Index i = j / vec_size * vec_size; i < at.padded; i += vec_size) {
      const Vec p = load(g + i) * decay(column.exponent(i));
      total += p;
      store(pulls + i, load(pulls + i) + p);
      for (int f = 0; f < known<Q>; ++f)
        if (Q > 0 || f < column.q) {
          totals[f] += p * load(at.z + f * at.padded + i);
          double* to = pulls + (1 + f) * at.padded + i;
          store(to, load(to) + p * at.z[f * at.padded + j]);
        }
      if constexpr (Q == 0)
        for (Index f = known<Q>; f < column.q; ++f) {
          double* to = pulls + (1 + f) * at.padded;
          store(to + i, load(to + i) + p * at.z[f * at.padded + j]);
          to[j] += sum(p * load(at.z + f * at.padded + i));
        }
    }
    // The other half of each pair.
    pulls[j] += sum(total);
    for (Index f = 0; f < least(column.q, known<Q>); ++f) pulls[(1 + f) * at.padded + j] += sum(totals[f]);
  }
}

template <template <int> class Of, class... Arguments>
void dispatch(const PsiPoint& at, Arguments... arguments) {
  switch (at.q) {
    case 1:
      return Of<1>::run(at, arguments...);
    case 2:
      return Of<2>::run(at, arguments...);
    case 3:
      return Of<3>::run(at, arguments...);
    case 4:
      return Of<4>::run(at, arguments...);
    case 5:
      return Of<5>::run(at, arguments...);
    case 6:
      return Of<6>::run(at, arguments...);
    default:
      return Of<0>::run(at, arguments...);
  }
}
template <int Q>
struct Adding {
  static void run(const PsiPoint& at, double* sums) { add_second_of<Q>(at, sums); }
};
template <int Q>
struct Pulling {
  static void run(const PsiPoint& at, const double* G, double* pulls) { pull_back_of<Q>(at, G, pulls); }
};

void add_second(const PsiPoint& point, double* sums) { dispatch<Adding>(point, sums); }
void pull_back_second(const PsiPoint& point, const double* G, double* pulls) { dispatch<Pulling>(point, G, pulls); }

}  // namespace

const PsiKernels psi_kernels = {add_second, pull_back_second};

}  // namespace wgp::WGP_SIMD
