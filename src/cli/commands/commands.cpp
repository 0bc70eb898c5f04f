#include "cli/commands/commands.h"

#include <algorithm>

#include "wgp/types.h"

namespace wgp::cli {
namespace {

// What goes for all files of rows, and for those of points.
constexpr const char *rows_of_files = "(rows)", *points_of_files = "(points)";
const std::vector<std::string> for_rows = {"columns", "mask",   "ignore-affine", "tensor-order", "bone",
                                           "frame",   "as",     "skeleton",      "rows",         "every",
                                           "decimal", "curves", "array",         "sample-axis"};
const std::vector<std::string> for_points = {"shrink", "samples", "quaternion", "tolerance"};

// A command's own flags, with those of a group in its place, and what all commands have.
std::vector<std::string> with(const std::vector<std::string>& own) {
  std::vector<std::string> all;
  for (const std::string& flag : own) {
    if (flag == rows_of_files || flag == points_of_files) {
      all.insert(all.end(), for_rows.begin(), for_rows.end());
      if (flag == points_of_files) all.insert(all.end(), for_points.begin(), for_points.end());
    } else {
      all.push_back(flag);
    }
  }
  for (const char* common : {"json", "quiet", "help"}) all.emplace_back(common);
  return all;
}

constexpr std::size_t most_files = 1000000;

}  // namespace

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
       with({"manifold", points_of_files, "channels", "reflect", "seed"}),
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
       with({"manifold", "base", points_of_files, "drop-invalid", "threads", "strict", "output"}),
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
       with({"manifold", "weights", points_of_files, "drop-invalid", "reflect", "max-iterations", "strict", "seed",
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
       with({"manifold", "components", "exact", "labels", points_of_files, "drop-invalid", "reflect", "max-iterations",
             "strict", "seed", "output"}),
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
       with({"manifold", "closed", "nodes", "bandwidth", "nodes-out", "labels", points_of_files, "drop-invalid",
             "reflect", "max-iterations", "strict", "seed", "output"}),
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
       with({"manifold",  "latent",       "output",    "model",          "kernel",       "ard",        "periodic",
             "inference", "choose",       "candidate", "noise-law",      "outliers",     "init",       "at",
             "subsample", "starts",       "basepoint", "no-volume",      "prior",        "effort",     "calibrate",
             "variance",  "folds",        "clip",      "encoder",        "labels",       "id",         points_of_files,
             "channels",  "drop-invalid", "reflect",   "max-iterations", "time-limit",   "checkpoint", "resume",
             "seed",      "threads",      "dry-run",   "strict",         "keep-latents", "progress"}),
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
       with({"encoder", "modes", "labels", points_of_files, "drop-invalid", "reflect", "threads", "strict", "output"}),
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
       "model of wgp fit --calibrate adds conformal radii, which hold 50, 80, 90 and 95 % of\n"
       "new points. LATENTS has a column for each coordinate, or x1, x2, ... among others (wgp\n"
       "encode). A row where the prediction leaves the manifold is nan, and counted. Maps of\n"
       "wgp encode are decoded to an image in the form of the one that was encoded; a file of\n"
       "landmarks (.tps) has the points alone. Rotations of a motion file's bones (wgp fit\n"
       "--as rotation) are written as motion by -o motion.bvh --skeleton FILE.bvh: a frame for\n"
       "each row, the other joints and the place of the root as in the first frame of FILE.bvh.",
       with({"with-sd", "columns", "tensor-order", "skeleton", "bone", "frame", "strict", "output"}),
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
       "counted. One joint draw of rotations is written as motion by -o motion.bvh (see\n"
       "wgp decode --help).",
       with({"at", "count", "joint", "no-noise", "columns", "seed", "skeleton", "bone", "frame", "strict", "output"}),
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
       "the points alone, one of motion (.bvh) the rotations (see wgp decode --help).",
       with({"steps", "straight", "skeleton", "bone", "frame", "strict", "output"}),
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
       with({"encoder", "at", "labels", points_of_files, "drop-invalid", "reflect", "threads", "output"}),
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
       with({"manifold",  "output",     "kernel",        "ard",      "periodic",     "basepoint",      "no-volume",
             "x-columns", "input-sd",   points_of_files, "channels", "drop-invalid", "max-iterations", "time-limit",
             "progress",  "checkpoint", "resume",        "seed",     "threads",      "strict"}),
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
       with({"manifold",     "latent",  "models",         "basepoint", "no-volume", "repeats",  "train-share",
             "kernel",       "ard",     "periodic",       "inference", "noise-law", "outliers", "init",
             "starts",       "prior",   "effort",         "calibrate", "variance",  "clip",     points_of_files,
             "drop-invalid", "reflect", "max-iterations", "seed",      "threads",   "output"}),
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
       "One self-contained HTML page, alive without a network: the library itself decodes where the\n"
       "pointer is, in the manifold's own picture. Below stand the points that fit worst,\n"
       "calibration, all optima of the fit, provenance. --labels colours the points: numbers (more\n"
       "than 12 values) by a scale of colours, other labels by colour and shape; --labels A,B,C lets\n"
       "readers choose. --data is joined by ids where the model has them (wgp fit --id; the voxels\n"
       "of an image), else by the points themselves. Models of more than 5,000 points hold none of\n"
       "them: --data supplies them, by ids or by rows, and is read with the flags that the fit was\n"
       "given (--array, --mask, --bone and their like). --figures\n"
       "also writes the figures as files (PNG where rsvg-convert is installed), --projector the\n"
       "latents for the Embedding Projector, an angle as its cosine and sine.",
       with({"output", "labels", "data", "id", "by-row", rows_of_files, "shrink", "samples", "figures", "projector"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp --quiet; wgp report p.wgp -o p.html --json",
        "seq 12 | awk '{print $1/5, $1*$1/25}' | tee p.csv |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp report p.wgp --data p.csv --labels 1"},
       run_report},
      {"explore",
       "MODEL [DATA...]",
       1,
       most_files,
       "the page of a model in the browser, for new points too",
       "The page of wgp report, served to this machine's browser: on 127.0.0.1 alone, at an\n"
       "address that nobody can guess, which is printed. Files that are dropped on the page are\n"
       "encoded, read as wgp encode reads them, with the flags that are given here; their\n"
       "points appear among the others. Programs may ask for decoded points, joint covariances\n"
       "and encodings as well. Ctrl-C ends it, with exit code 130.",
       with({"port", "no-open", "until-eof", "encoder", "labels", "data", "id", "by-row", points_of_files,
             "drop-invalid", "reflect", "threads"}),
       {"seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp explore p.wgp --until-eof",
        "seq 12 | awk '{print $1/5, $1*$1/25}' |\n"
        "      wgp fit - --manifold euclidean:2 -o p.wgp; wgp explore p.wgp --until-eof --no-open --json"},
       run_explore},
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
       "leading eigenvectors of their mean, each C scaled to trace 1 (--basis-out and --basis keep\n"
       "U for other files of the same channels).",
       with({"output", rows_of_files, "labels", "dim", "rank", "basis", "basis-out", "dry-run"}),
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

const Command* find_command(const std::string& name) {
  for (const auto& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace wgp::cli
