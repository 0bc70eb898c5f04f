// wgp geom transport: vectors end at the rows that were given, whichever representatives of their points those are.
#include <cmath>

#include "run_command.h"
#include "wgp/row_form.h"

namespace wgp::test {
namespace {

class Transport : public CommandTest {
 protected:
  void write_rows(const std::string& name, ConstMatrixRef columns) const {
    std::ostringstream text;
    text.precision(17);
    for (Index i = 0; i < columns.cols(); ++i)
      for (Index j = 0; j < columns.rows(); ++j) text << columns(j, i) << (j + 1 < columns.rows() ? ',' : '\n');
    write(name, text.str());
  }

  // Other representatives of the same points: another basis of the subspace, landmarks turned about their centre.
  static Matrix turned(const std::string& name, Index rows, Matrix points) {
    const double c = std::cos(1.1), s = std::sin(1.1);
    for (Index i = 0; i < points.cols(); ++i) {
      auto x = points.col(i);
      const Index columns = name == "grassmann" ? x.size() / rows : name == "kendall" ? 2 : 3;
      for (Index j = 0; j < x.size(); j += columns) {
        if (columns == 1) {
          x[j] *= -1;
          continue;
        }
        const double first = x[j], second = x[j + 1];
        x[j] = c * first - s * second;
        x[j + 1] = s * first + c * second;
      }
    }
    return points;
  }
};

// exp_Q(-transport(log_P Q)) is P: through files, for every form of rows of every registered manifold.
TEST_F(Transport, LeadsBackFromTheRowThatWasGiven) {
  for (const ManifoldEntry& entry : registered_manifolds())
    for (const std::string& spec : entry.examples) {
      const ManifoldPtr manifold = parse_manifold(spec);
      for (const auto& form : row_forms(*manifold)) {
        SCOPED_TRACE(spec + ", " + form->name());
        Random random(4);
        constexpr Index count = 5;
        Matrix P(form->width(), count), Q = P;
        for (Index i = 0; i < count; ++i) {
          const Vector p = manifold->project(manifold->random_point(random));
          const auto space = manifold->at(p);
          const double inj = std::min(1.0, space->injectivity_radius());
          const Vector q = exp_point(*space, 0.5 * inj * random.normals(manifold->dim()).normalized());
          P.col(i) = form->from_point(p);
          Q.col(i) = form->from_point(q);
        }
        if (entry.name == "grassmann" || entry.name == "kendall" || entry.name == "kendall3d")
          Q = turned(entry.name, std::atoi(spec.substr(spec.find(':') + 1).c_str()), Q);
        write_rows("p.csv", P);
        write_rows("q.csv", Q);
        const std::string on = " --manifold '" + spec + "' ";
        const Outcome back =
            shell("wgp geom log" + on + "--base p.csv q.csv -o v.csv && wgp geom transport" + on +
                  "--base p.csv q.csv v.csv -o w.csv && sed '2,$ s/[^,]*/-&/g; s/--//g' w.csv > n.csv" +
                  " && wgp geom exp" + on + "--base q.csv n.csv -o e.csv && wgp geom dist" + on + "--base p.csv e.csv");
        ASSERT_EQ(back.exit_code, 0) << back.err;
        for (const auto& row : numbers(back.out)) EXPECT_NEAR(row[0], 0, 1e-8);
      }
    }
}

}  // namespace
}  // namespace wgp::test
