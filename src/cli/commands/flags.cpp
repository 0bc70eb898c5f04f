// Every flag, in the order of help texts, and what it means to a command.
#include <stdexcept>

#include "cli/commands/commands.h"

namespace wgp::cli {

const std::vector<Flag>& flags() {
  static const std::vector<Flag> table = {
      {"manifold", 0, "M", "the manifold, e.g. sphere:2 (wgp manifolds lists all)"},
      {"mask", 0, "FILE", "image: use voxels where this is not 0; {dir}/{name}_mask.nii: each own"},
      {"ignore-affine", 0, "", "match voxels of mask and image by index, not by position in space"},
      {"tensor-order", 0, "ORDER", "tensor image: order of the channels, symmatrix, fsl or mrtrix"},
      {"tensor-order", 0, "ORDER", "order of the channels to write (default: that of the encoded image)", "decode"},
      {"bone", 0, "NAME", "motion file: the bone to follow, or several: A,B,C"},
      {"frame", 0, "WHICH", "motion file: frame of reference, world (default) or root"},
      {"as", 0, "WHAT", "motion file: what a row is, direction or rotation"},
      {"skeleton", 0, "FILE", "AMC file: its ASF file (default: found beside it)"},
      {"base", 0, "FILE", "table of base points: one row for all, or one per row"},
      {"components", 0, "Q", "number of principal geodesics (default 2)"},
      {"exact", 0, "", "minimise geodesic distances, not those in the tangent space"},
      {"closed", 0, "", "fit a closed curve"},
      {"nodes", 0, "T", "number of nodes of the curve (default 100, at most one per row)"},
      {"bandwidth", 0, "B", "smoothing, as a share of the curve's length (default: cross-validated)"},
      {"nodes-out", 0, "FILE", "also write the curve's nodes as a table"},
      {"weights", 0, "COL", "column of weights, by name or number"},
      {"latent", 0, "Q", "number of latent coordinates (default 2, in two dimensions 1); fit: auto"},
      {"inference", 0, "HOW", "variational (default): integrate latents out; point: estimate them"},
      {"choose", 0, "BY", "choose among candidates by bound (default) or held-out density"},
      {"candidate", 0, "K", "keep the K-th candidate of the table that fit prints (default: best)"},
      {"noise-law", 0, "LAW", "noise distribution: auto (default), normal, student or structured"},
      {"outliers", 0, "WHICH", "auto (default): allow for outliers if that helps; none: do not"},
      {"model", 0, "KIND", "wgplvm (default), or the Euclidean baselines gplvm and gplvmproj"},
      {"kernel", 0, "SPEC", "rbf (default), matern32, matern52, periodic, linear, or rbf+linear etc."},
      {"ard", 0, "", "one length-scale for each latent coordinate (ARD)"},
      {"periodic", 0, "K", "make the first K coordinates angles (with kernel periodic: all)"},
      {"init", 0, "LIST", "starts: list of pga, isomap, growth, curve, tour, mds, random, given"},
      {"at", 0, "LATENTS", "with --init given: table of initial latents, one row per data row", "fit"},
      {"subsample", 0, "N", "search on at most this many random points (default 2000)", "fit"},
      {"keep-latents", 0, "", "store all latents even of more than 100000 points", "fit"},
      {"starts", 0, "R", "number of starts in all: random ones are added to those of --init"},
      {"basepoint", 0, "WHERE", "of the tangent space: mean (default), optimised, geodesic, spline, auto"},
      {"no-volume", 0, "", "fit base points with the paper's objective, without log|det dExp|"},
      {"prior", 0, "WHICH", "prior of estimated latents: map (normal, default), none, or auto"},
      {"effort", 0, "E", "how long to search: quick, normal (default) or thorough"},
      {"calibrate", 0, "SHARE", "hold out this share of the points to calibrate prediction regions"},
      {"variance", 0, "RULE", "of estimated latents: variances by held_out (default), dof, as_fitted"},
      {"folds", 0, "WHICH", "cross-validation folds: random (default), or blocks for time series"},
      {"clip", 0, "C", "gplvmproj on spd: smallest eigenvalue, as a share of the largest"},
      {"checkpoint", 0, "FILE", "save finished steps there, to continue with --resume"},
      {"resume", 0, "FILE", "continue from this checkpoint, to the same model"},
      {"models", 0, "LIST", "list of wgplvm[-point|-variational], gplvm, gplvmproj, nearest, pga"},
      {"repeats", 0, "R", "number of splits (default 10)"},
      {"train-share", 0, "S", "share of the points to train on (default 0.8)"},
      {"data", 0, "FILE", "the fitted table: points that the model does not hold, and --labels"},
      {"id", 0, "COL", "column that names each row, kept in the model (default: id, name)", "fit"},
      {"id", 0, "COL", "column of --data that names each row (default: that of the fit)"},
      {"by-row", 0, "", "match rows of --data by their order, that of the fitted table"},
      {"data", 0, "DIR", "femur/femur.csv, diatoms/, dti/, crypto/ (default: synthetic sets)", "reproduce"},
      {"out", 0, "DIR", "directory of page, figures and finished trials (default reproduction)"},
      {"resume", 0, "", "continue with the finished trials in --out", "reproduce"},
      {"figures", 0, "DIR", "also write each figure there, as SVG and PNG"},
      {"projector", 0, "PREFIX", "also write PREFIX_vectors.tsv and PREFIX_metadata.tsv"},
      {"markdown", 0, "", "the reference page instead of the man page"},
      {"time-limit", 0, "SECONDS", "stop after this time and keep the best model so far"},
      {"progress", 0, "SECONDS", "without a terminal: print progress so often (default 30, 0: never)"},
      {"threads", 0, "T", "number of threads; does not change the result (default: all)"},
      {"dry-run", 0, "", "print what would be done, and stop"},
      {"with-sd", 0, "", "latents have standard deviations: columns x1..xQ, sd1..sdQ as of encode"},
      {"modes", 0, "", "one row per latent position that explains a point, with probability"},
      {"encoder", 0, "HOW", "density (default, or as fitted): most probable; projection: nearest"},
      {"at", 0, "LATENTS", "table of latents, one per row"},
      {"count", 0, "S", "number of draws at each latent (default 1)"},
      {"count", 0, "N", "number of points around a curve or surface (default 200)", "synth"},
      {"steps", 0, "K", "number of rows, both end points included (default 20)"},
      {"straight", 0, "", "follow the straight line between the latents, not the shortest path"},
      {"joint", 0, "", "draw whole functions: all latents jointly"},
      {"no-noise", 0, "", "draw the function alone, without observation noise"},
      {"x-columns", 0, "LIST", "columns of X to use"},
      {"input-sd", 0, "SD", "standard deviation of errors in X: one number, one per input, or columns"},
      {"labels", 0, "COL", "column of labels to pass on, FILE:COL (by ids), or a file of an array"},
      {"columns", 0, "LIST", "columns to use: 4:19, 1,3,5, x,y,z or x1:y8"},
      {"rows", 0, "A:B", "rows A to B of each file, counted from 1 as in messages"},
      {"every", 0, "K", "every K-th row of each file, starting with the first"},
      {"decimal", 0, "MARK", "text table: decimal mark, . (default) or ,"},
      {"curves", 0, "HOW", "TPS: points of curves are landmarks (default), or ignore them"},
      {"quaternion", 0, "ORDER", "quaternions without column names: wxyz (default) or xyzw"},
      {"array", 0, "NAME", "which array of an NPZ or MAT file"},
      {"sample-axis", 0, "K", "array of a MAT file: the axis that counts samples, from 1"},
      {"dim", 0, "D", "coordinates per landmark: 2 or 3 (default: as read, else 2)"},
      {"tolerance", 0, "T", "accept rows that violate the manifold's constraints by so much"},
      {"drop-invalid", 0, "", "skip rows that are not on the manifold"},
      {"reflect", 0, "", "reflect landmark configurations that are mirror images of the others"},
      {"shrink", 0, "HOW", "shrink covariance matrices: oas, ledoit-wolf, or a share like 0.01"},
      {"samples", 0, "N", "with --shrink: number of samples behind each covariance matrix"},
      {"rank", 0, "R", "project covariance matrices to R x R, onto directions they share"},
      {"basis", 0, "FILE", "project onto the directions that --basis-out wrote"},
      {"basis-out", 0, "FILE", "with --rank: write the directions, for --basis"},
      {"max-iterations", 0, "K", "stop after this many iterations"},
      {"strict", 0, "", "exit with code 4 if something did not converge"},
      {"seed", 0, "S", "seed of the random number generator (default 0)"},
      {"output", 'o', "FILE", "write to FILE: .csv, .tsv, .npy, .npz; landmarks as .tps"},
      {"output", 'o', "FILE", "the model, e.g. model.wgp; - is standard output", "fit"},
      {"output", 'o', "FILE", "the model, e.g. model.wgp; - is standard output", "regress"},
      {"output", 'o', "FILE", "the page, e.g. report.html (default: standard output)", "report"},
      {"output", 'o', "FILE", "write to FILE: .csv, .tsv, .npz; of an image .nii, .nii.gz", "encode"},
      {"output", 'o', "FILE", "write to FILE: .csv, .npy, .npz; of an image .nii, .nii.gz", "pga"},
      {"output", 'o', "FILE", "write to FILE: .csv, .npy, .npz; of an image .nii, .nii.gz", "score"},
      {"output", 'o', "FILE", "write to FILE: .csv, .tsv, .npy, .npz, .tps; .nii, .nii.gz", "decode"},
      {"json", 0, "", "print one JSON object on standard output"},
      {"quiet", 0, "", "print no messages"},
      {"help", 'h', "", "print this text"},
  };
  return table;
}

const Flag& flag_of(const Command& command, const std::string& name) {
  const Flag* general = nullptr;
  for (const Flag& flag : flags()) {
    if (flag.name != name) continue;
    if (flag.only == command.name) return flag;
    if (flag.only.empty()) general = &flag;
  }
  if (general == nullptr) throw std::logic_error("the table of commands names a flag that does not exist: " + name);
  return *general;
}

}  // namespace wgp::cli
