#include "cli/commands/commands.h"

#include <algorithm>

#include "wgp/types.h"

namespace wgp::cli {
namespace {

// A command's own flags and those that go along: --ignore-affine wherever there is --mask, and what all commands have.
std::vector<std::string> with(std::vector<std::string> own) {
  if (const auto mask = std::find(own.begin(), own.end(), "mask"); mask != own.end())
    own.insert(mask + 1, "ignore-affine");
  // What goes for all tables of numbers goes along with --array, and for points with --tolerance.
  if (const auto array = std::find(own.begin(), own.end(), "array"); array != own.end())
    own.insert(array, {"rows", "every", "decimal", "curves"});
  if (const auto array = std::find(own.begin(), own.end(), "array"); array != own.end())
    own.insert(array + 1, "sample-axis");
  if (const auto tolerance = std::find(own.begin(), own.end(), "tolerance"); tolerance != own.end())
    own.insert(tolerance, "quaternion");
  for (const char* common : {"json", "quiet", "help"}) own.emplace_back(common);
  return own;
}

constexpr std::size_t most_files = 1000000;

}  // namespace

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

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"manifolds",
       "",
       0,
       0,
       "list every manifold and metric",
       "Lists every manifold and metric: how it is written, its dimension and injectivity\n"
       "radius, what is in closed form and what iterative, and the data it is for; then its\n"
       "metric, with the factors to distances of geomstats and pymanopt. A,B is a product,\n"
       "A^n a power, 2.5*A scales distances.",
       with({}),
       {"wgp manifolds", "wgp manifolds --json"},
       run_manifolds},
      {"check",
       "INPUT...",
       1,
       most_files,
       "check a table: invalid rows, duplicates, singular matrices, spread",
       "Checks a table: rows that are not on the manifold and why, duplicates, condition numbers\n"
       "and ranks of covariance matrices, mirror images among landmarks, pairs at each other's cut\n"
       "locus, whether the Frechet mean is unique. Without --manifold it says what the manifold\n"
       "could be. Exits with 3 if a row is invalid.",
       with({"manifold", "columns", "mask", "tensor-order", "bone", "frame", "as", "skeleton", "array", "shrink",
             "samples", "tolerance", "reflect", "seed"}),
       {"printf '1,0,0\\n0,1,0\\n0,0,1\\n' | wgp check - --manifold sphere:2",
        "printf '1,0,0\\n0,1,0\\n0,0,1\\n' | wgp check -"},
       run_check},
      {"geom",
       "OP FILE...",
       1,
       3,
       "exp, log, dist, transport, logdet, project by row",
       "Geometry row by row; a one-row base is used for all rows. Operations:\n"
       "  exp --base P V           the end of the geodesic from P with velocity V\n"
       "  log --base P Q           the velocity at P of the geodesic to Q\n"
       "  dist --base P Q          the distance\n"
       "  transport --base P Q W   W, tangent at P, carried along the geodesic to Q\n"
       "  logdet --base P Q        log|det dExp_P| at Log_P Q\n"
       "  project X                the nearest point of the manifold",
       with({"manifold", "base", "columns", "mask", "tensor-order", "bone", "frame", "as", "skeleton", "array",
             "shrink", "samples", "tolerance", "drop-invalid", "threads", "strict", "output"}),
       {"printf '0,0,1\\n' >north.csv; printf '1,0,0\\n0,1,0\\n' |\n"
        "      wgp geom log --manifold sphere:2 --base north.csv -",
        "printf '3,4,0\\n' | wgp geom project --manifold sphere:2 -"},
       run_geom},
      {"mean",
       "INPUT...",
       1,
       most_files,
       "Frechet mean",
       "The Frechet mean: the point with the smallest sum of squared distances. Writes it\n"
       "as a table of one row, in the form of the input's rows.",
       with({"manifold", "weights", "columns", "mask", "tensor-order", "bone", "frame", "as", "skeleton", "array",
             "shrink", "samples", "tolerance", "drop-invalid", "reflect", "max-iterations", "strict", "seed",
             "output"}),
       {"printf '1,0,0\\n0,1,0\\n' | wgp mean - --manifold sphere:2",
        "printf '2,0,0,2\\n8,0,0,8\\n' | wgp mean - --manifold spd:2 --json"},
       run_mean},
      {"pga",
       "INPUT...",
       1,
       most_files,
       "principal geodesic analysis",
       "Principal geodesic analysis: the directions at the Frechet mean along which the\n"
       "points spread most. Writes the scores pc1, pc2, ... of each row; --json gives the\n"
       "mean, eigenvalues and directions as well.",
       with({"manifold",  "components",   "exact",   "labels",         "columns", "mask",   "tensor-order",
             "bone",      "frame",        "as",      "skeleton",       "array",   "shrink", "samples",
             "tolerance", "drop-invalid", "reflect", "max-iterations", "strict",  "seed",   "output"}),
       {"printf '1,0,0\\n0.8,0.6,0\\n0.8,0,0.6\\n' | wgp pga - --manifold sphere:2",
        "printf '0,0\\n1,2\\n2,3\\n' |\n      wgp pga - --manifold euclidean:2 --components 1 --json"},
       run_pga},
      {"curve",
       "INPUT...",
       1,
       most_files,
       "principal curve, open or closed",
       "The principal curve through the points, open or closed. Writes arc length, latent\n"
       "coordinate and distance of each row's projection on it.",
       with({"manifold", "closed",         "nodes",        "bandwidth", "nodes-out", "labels",
             "columns",  "mask",           "tensor-order", "bone",      "frame",     "as",
             "skeleton", "array",          "shrink",       "samples",   "tolerance", "drop-invalid",
             "reflect",  "max-iterations", "strict",       "seed",      "output"}),
       {"seq 0 9 | awk '{t=$1/9; print t \",\" t*t}' | wgp curve - --manifold euclidean:2",
        "seq 1 20 | awk '{t=$1*0.314; print cos(t) \",\" sin(t)}' |\n"
        "      wgp curve - --manifold euclidean:2 --closed --nodes-out nodes.csv"},
       run_curve},
      {"fit",
       "INPUT...",
       1,
       most_files,
       "fit a latent variable model",
       "Fits a Gaussian process latent variable model: each row gets latent coordinates, and\n"
       "a smooth map with uncertainty leads from them to the manifold. By default the latent\n"
       "coordinates are integrated out, so that the map follows the data and not their noise;\n"
       "--inference point estimates them instead, as the paper does. wgplvm models the points\n"
       "in the tangent space at their mean; gplvm and gplvmproj are the same in the ambient\n"
       "space, without and with projection onto the manifold. Several files, or those of a\n"
       "directory, are one table. Ctrl-C keeps the best model so far.",
       with({"manifold",     "latent",    "output",       "model",     "kernel",         "ard",
             "periodic",     "inference", "choose",       "candidate", "noise-law",      "outliers",
             "init",         "at",        "subsample",    "starts",    "basepoint",      "no-volume",
             "prior",        "effort",    "calibrate",    "variance",  "folds",          "clip",
             "encoder",      "labels",    "id",           "columns",   "mask",           "tensor-order",
             "bone",         "frame",     "as",           "skeleton",  "array",          "shrink",
             "samples",      "tolerance", "drop-invalid", "reflect",   "max-iterations", "time-limit",
             "checkpoint",   "resume",    "seed",         "threads",   "dry-run",        "strict",
             "keep-latents", "progress"}),
       {"seq 30 | awk '{t=$1/5; print cos(t) \",\" sin(t)}' |\n"
        "      wgp fit - --manifold euclidean:2 --latent 1 --kernel periodic --json -o circle.wgp",
        "seq 30 | awk '{t=$1/5; print cos(t) \",\" sin(t)}' |\n"
        "      wgp fit - --manifold euclidean:2 --dry-run"},
       run_fit,
       RunsOn::all_processes},
      {"encode",
       "MODEL INPUT...",
       2,
       most_files,
       "latent coordinates of points",
       "The latent coordinates that explain each row best, by density or as the nearest point\n"
       "of the model, with standard deviations, the point's log density with its latent\n"
       "integrated out, its weight under the noise distribution, the number of latent positions\n"
       "that explain it (modes), and a status:\n"
       "  ok, ambiguous (several modes, none with 95 %: --modes writes a row for each),\n"
       "  outside_support (unlike the points that the model was fitted to), not_converged\n"
       "Of an image, -o maps.nii.gz writes all of it as maps on the image's grid, in which\n"
       "voxels that are no points have the status -1. Several files are one table, whose\n"
       "column file (--labels file) says where a row is from.",
       with({"encoder", "modes", "labels", "columns", "mask", "tensor-order", "bone", "frame", "as", "skeleton",
             "array", "shrink", "samples", "tolerance", "drop-invalid", "reflect", "threads", "strict", "output"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' | tee p.csv |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp encode p.wgp p.csv",
        "seq 12 | awk '{print $1/5, $1*$1/25}' | tee p.csv |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp encode p.wgp p.csv --json"},
       run_encode,
       RunsOn::all_processes},
      {"decode",
       "MODEL LATENTS",
       2,
       2,
       "points at latent coordinates",
       "The points that the model predicts at latent coordinates, in the form of the rows it\n"
       "was fitted to, and sd, the standard deviation of data in each tangent direction. A\n"
       "calibrated model adds the radii that hold 50, 80, 90 and 95 % of new points. LATENTS\n"
       "has a column for each coordinate, or x1, x2, ... among others (wgp encode). A row\n"
       "where the prediction leaves the manifold is nan, and counted. Maps of wgp encode are\n"
       "decoded to an image in the form of the one that was encoded; a file of landmarks\n"
       "(.tps) has the points alone. Conformal radii come with wgp fit --calibrate.",
       with({"with-sd", "columns", "tensor-order", "strict", "output"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 --latent 1 -o p.wgp; seq -1 1 | wgp decode p.wgp -",
        "seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 --latent 1 -o p.wgp; seq -1 1 | wgp decode p.wgp - --json"},
       run_decode},
      {"sample",
       "MODEL",
       1,
       1,
       "draws from the predictive distribution",
       "Draws of points at given latents, in the form of the rows the model was fitted to,\n"
       "after the columns latent (the row of LATENTS) and draw: by latent, then by draw;\n"
       "with --joint by draw, then by latent. A draw that leaves the manifold is nan, and\n"
       "counted.",
       with({"at", "count", "joint", "no-noise", "columns", "seed", "strict", "output"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; echo 0 | wgp sample p.wgp --at - --count 3",
        "seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 --latent 1 -o p.wgp; seq 3 | wgp sample p.wgp --at - --joint"},
       run_sample},
      {"morph",
       "MODEL A B",
       3,
       3,
       "interpolate between two points along the model",
       "What the model predicts between two of the points that it was fitted to, in equal\n"
       "steps along the shortest path of its latent metric: one that stays where there were\n"
       "data. A and B are ids that the model has, or rows (from 1 on) of the table it was\n"
       "fitted to. Rows have the form of that table, then sd, the standard deviation of data\n"
       "in each tangent direction, and the latent coordinates; a file of landmarks (.tps) has\n"
       "the points alone.",
       with({"steps", "straight", "strict", "output"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 --latent 1 -o p.wgp; wgp morph p.wgp 2 11 --steps 5",
        "seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 --latent 1 -o p.wgp; wgp morph p.wgp 2 11 --straight --json"},
       run_morph},
      {"score",
       "MODEL INPUT...",
       2,
       most_files,
       "reconstruction error and density of points",
       "How well a model explains points: each is encoded and decoded again. Writes the\n"
       "distances of each row to its reconstruction, on the manifold and Euclidean; --json\n"
       "gives root mean squares, the median and the mean log density. --at gives the latents\n"
       "instead, for the inputs of a regression.",
       with({"encoder", "at", "labels", "columns", "mask", "tensor-order", "bone", "frame", "as", "skeleton", "array",
             "shrink", "samples", "tolerance", "drop-invalid", "reflect", "threads", "output"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' | tee p.csv |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp score p.wgp p.csv",
        "seq 12 | awk '{print $1/5, $1*$1/25}' | tee p.csv |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp score p.wgp p.csv --json"},
       run_score,
       RunsOn::all_processes},
      {"regress",
       "X Y...",
       2,
       most_files,
       "Gaussian process regression of points on numbers",
       "Wrapped Gaussian process regression of the points Y, in one file or in several, on the\n"
       "numbers X, row by row. The model works with decode, sample and score; its latents are\n"
       "inputs like X. With --input-sd X has normal errors (errors in variables), which are\n"
       "integrated out.",
       with({"manifold",     "output",         "kernel",     "ard",      "periodic",
             "basepoint",    "no-volume",      "x-columns",  "input-sd", "columns",
             "mask",         "tensor-order",   "bone",       "frame",    "as",
             "skeleton",     "array",          "shrink",     "samples",  "tolerance",
             "drop-invalid", "max-iterations", "time-limit", "progress", "checkpoint",
             "resume",       "seed",           "threads",    "strict"}),
       {"seq 9 | tee x.csv | awk '{print cos($1/4), sin($1/4)}' |\n"
        "      wgp regress x.csv - --manifold euclidean:2 -o r.wgp; echo 2.5 | wgp decode r.wgp -",
        "seq 9 | tee x.csv | awk '{print cos($1/4), sin($1/4)}' |\n"
        "      wgp regress x.csv - --manifold euclidean:2 -o r.wgp --json"},
       run_regress},
      {"evaluate",
       "INPUT...",
       1,
       most_files,
       "errors and calibration on points held out",
       "How well models do on points they have not seen: repeated random splits, on which each\n"
       "model is fitted to the larger part and reconstructs the rest, encoding it by density and\n"
       "by projection. Beside them: the nearest training point, and the projection on principal\n"
       "geodesics. Calibration is compared with what the model's own draws show (null). With\n"
       "--calibrate, the coverage of conformal regions is measured. -o writes a table of all splits.",
       with({"manifold", "latent",       "models",    "basepoint",    "no-volume", "repeats",        "train-share",
             "kernel",   "ard",          "periodic",  "inference",    "noise-law", "outliers",       "init",
             "starts",   "prior",        "effort",    "calibrate",    "variance",  "clip",           "columns",
             "mask",     "tensor-order", "bone",      "frame",        "as",        "skeleton",       "array",
             "shrink",   "samples",      "tolerance", "drop-invalid", "reflect",   "max-iterations", "seed",
             "threads",  "output"}),
       {"seq 60 | awk '{t=$1/9; print cos(t) \",\" sin(t) \",\" t/3}' |\n"
        "      wgp evaluate - --manifold euclidean:3 --latent 1 --effort quick --repeats 2",
        "seq 60 | awk '{t=$1/9; print cos(t) \",\" sin(t) \",\" t/3}' |\n"
        "      wgp evaluate - --manifold euclidean:3 --models nearest,pga --json"},
       run_evaluate,
       RunsOn::all_processes},
      {"report",
       "MODEL [DATA...]",
       1,
       most_files,
       "one HTML page of a model: figures and numbers",
       "One self-contained HTML page of figures: the latent space with its uncertainty, decoded\n"
       "points in the manifold's own picture, the points that fit worst, calibration, all optima\n"
       "of the fit, provenance. --labels colours the points: numbers (more than 12 values) by a\n"
       "ramp, other labels by colour and shape. --data is joined by ids where the model has them\n"
       "(wgp fit --id; the voxels of an image), else by the points themselves. Models of more\n"
       "than 5,000 points hold none of them: --data supplies them, by ids or by rows, and is read\n"
       "with the flags that the fit was given (--array, --mask, --bone and their like). --figures\n"
       "also writes the figures as files (PNG where rsvg-convert is installed), --projector the\n"
       "latents for the Embedding Projector, an angle as its cosine and sine.",
       with({"output", "labels", "data", "id", "by-row", "columns", "mask", "tensor-order", "bone", "frame", "as",
             "skeleton", "array", "shrink", "samples", "figures", "projector"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp --quiet; wgp report p.wgp -o p.html --json",
        "seq 12 | awk '{print $1/5, $1*$1/25}' | tee p.csv |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp report p.wgp --data p.csv --labels 1"},
       run_report},
      {"reproduce",
       "[SETS]",
       0,
       1,
       "the experiments of the paper: Table 1 and figures",
       "The experiments of Mallasto, Hauberg and Feragen (2019) on femur, diatoms, dti and crypto,\n"
       "or some of them (femur,crypto): ten random splits, WGPLVM, GPLVM and GPLVMProj on each.\n"
       "Prints Table 1 beside the published numbers and writes OUT/reproduction.html with all\n"
       "figures, which also stand in OUT/figures. Every finished trial is kept in OUT/trials: a\n"
       "run that was stopped continues with --resume and gives the same files.",
       with({"data", "out", "resume", "repeats", "effort", "seed", "threads"}),
       {"wgp reproduce crypto --effort quick --repeats 1",
        "wgp reproduce crypto --effort quick --repeats 1 --out crypto --json"},
       run_reproduce,
       RunsOn::all_processes},
      {"convert",
       "INPUT...",
       1,
       most_files,
       "convert file formats, reduce covariance matrices",
       "Reads a table, or several files as one, and writes it in the format of the output's name:\n"
       "  read      CSV, TSV, NPY, NPZ, MAT; landmarks: TPS, NTS, Morphologika, .mrk.json, .fcsv;\n"
       "            tensor images: NIfTI, MIF, NRRD; motion: BVH, AMC with ASF; each also as .gz\n"
       "  written   .csv, .tsv, .npy, .npz, .tps\n"
       "The input's format is recognised by its content, then by its name; --dry-run tells it.\n"
       "Landmarks become rows x1 y1 x2 y2 ... or x1 y1 z1 ...; --labels passes columns of text\n"
       "on (TPS: id, image, comment; NTS: name; Morphologika: name and its labels).\n"
       "--rank R makes R x R matrices U'CU of covariance matrices C; the columns of U are the\n"
       "leading eigenvectors of their mean, each C at trace 1 (--basis-out and --basis keep U for\n"
       "other files of the same channels).",
       with({"output", "columns", "labels", "array", "dim", "mask", "tensor-order", "bone", "frame", "as", "skeleton",
             "rank", "basis", "basis-out", "dry-run"}),
       {"printf 'LM=3\\n0 0\\n1 0\\n0 1\\nID=a\\n' | wgp convert - --labels id",
        "printf 'LM=3\\n0 0\\n1 0\\n0 1\\nID=a\\n' | wgp convert - -o shapes.npz --json"},
       run_convert},
      {"synth",
       "NAME",
       1,
       1,
       "synthetic data with known truth",
       "Synthetic data sets with known truth, close to real ones in size and difficulty:\n"
       "  femur     338 directions of a thigh bone while walking (sphere:2)\n"
       "  diatoms   780 outlines of 90 landmarks in 37 groups (kendall:90)\n"
       "  dti       750 diffusion tensors (spd:3)\n"
       "  crypto    126 covariance matrices of ten prices (spd:10)\n"
       "and --count points about a submanifold, with normal noise:\n"
       "  circle    a circle in the plane (euclidean:2)\n"
       "  loop      a closed curve on the sphere (sphere:2)\n"
       "  turn      a closed curve of rotations (so:3)\n"
       "  arc       an open curve on the sphere (sphere:2)\n"
       "  sheet     a surface of positive definite matrices (spd:3)\n"
       "Curves that are harder to learn: uneven, gap, peanut, horseshoe, eight, trefoil,\n"
       "trefoil20, spiral, circle20, ellipse, outliers.\n"
       "The points come first, then the latents they were made from, then true_*, the points\n"
       "without noise; outliers are marked in a last column.",
       with({"count", "seed", "output"}),
       {"wgp synth femur -o femur.csv; wgp mean femur.csv --columns x,y,z",
        "wgp synth loop --count 1000 --seed 3 -o loop.npy --json"},
       run_synth},
      {"info",
       "MODEL",
       1,
       1,
       "what a model file holds",
       "What a model file holds: manifold, kernel and its parameters, the fit and its starts.",
       with({}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp --quiet; wgp info p.wgp",
        "seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp --quiet; wgp info p.wgp --json"},
       run_info},
      {"completion",
       "SHELL",
       1,
       1,
       "completion script for bash, zsh or fish",
       "A script that makes the shell complete commands, flags and files.",
       with({}),
       {"wgp completion bash >wgp.bash", "wgp completion fish >wgp.fish"},
       run_completion},
      {"manual",
       "",
       0,
       0,
       "the man page",
       "All commands and flags as a man page, or as a page in Markdown.",
       with({"markdown"}),
       {"wgp manual >wgp.1", "wgp manual --markdown >reference.md"},
       run_manual},
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

const Command* find_command(const std::string& name) {
  for (const auto& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace wgp::cli
