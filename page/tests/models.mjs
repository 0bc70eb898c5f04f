// A model on each kind of manifold, fitted by the command to a noisy curve or sheet: what the browser tests open.
import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// The same numbers on every machine.
function generator(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
// Columns are made orthonormal one after the other.
function orthonormal(columns) {
  const done = [];
  for (const column of columns) {
    const left = [...column];
    for (const one of done) {
      const along = dot(left, one);
      left.forEach((_, i) => (left[i] -= along * one[i]));
    }
    const length = Math.sqrt(dot(left, left));
    done.push(left.map((x) => x / length));
  }
  return done;
}
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// What numbers about a curve in a linear space become: a point of the manifold.
const intoPoint = {
  euclidean: (v) => v,
  sphere: (v) => {
    const u = v.map((x, i) => x + (i === 0 ? 2 : 0));
    const length = Math.sqrt(dot(u, u));
    return u.map((x) => x / length);
  },
  hyperbolic: (v) => [Math.sqrt(1 + dot(v.slice(1), v.slice(1))), ...v.slice(1)],
  torus: (v) => v.map((x) => Math.atan2(Math.sin(x), Math.cos(x))),
  spd: (v, n) => {
    const A = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => 0.35 * v[i * n + j] + (i === j ? 1.2 : 0)));
    return A.flatMap((row) => A.map((other) => dot(row, other)));
  },
  correlation: (v, n) => {
    const C = intoPoint.spd(v, n);
    return C.map((x, k) => x / Math.sqrt(C[Math.floor(k / n) * (n + 1)] * C[(k % n) * (n + 1)]));
  },
  kendall: (v, k) =>
    Array.from({ length: 2 * k }, (_, i) => {
      const angle = (2 * Math.PI * Math.floor(i / 2)) / k;
      return 2 * (i % 2 ? Math.sin(angle) : Math.cos(angle)) + 0.3 * v[i];
    }),
  kendall3d: (v, k) =>
    Array.from({ length: 3 * k }, (_, i) => {
      const j = Math.floor(i / 3);
      return [2 * Math.cos(2.1 * j), 2 * Math.sin(2.1 * j), 0.7 * j][i % 3] + 0.3 * v[i];
    }),
  so: (v) => {
    const [x, y] = orthonormal([v.slice(0, 3).map((a, i) => 0.5 * a + (i === 0 ? 1.5 : 0)), v.slice(3, 6).map((a, i) => 0.5 * a + (i === 1 ? 1.5 : 0))]);
    const z = cross(x, y);
    return [0, 1, 2].flatMap((i) => [x[i], y[i], z[i]]);
  },
  se: (v) => {
    const R = intoPoint.so(v);
    return [0, 1, 2].flatMap((i) => [...R.slice(3 * i, 3 * i + 3), 2 * v[9 + i]]).concat([0, 0, 0, 1]);
  },
  frame: (v, n, p) => {
    const columns = orthonormal(Array.from({ length: p }, (_, j) => Array.from({ length: n }, (_, i) => 0.5 * v[j * n + i] + (i === j ? 1.5 : 0))));
    return Array.from({ length: n }, (_, i) => columns.map((column) => column[i])).flat();
  },
};

function pointOf(spec, v) {
  if (spec.includes(",")) {
    let at = 0;
    return spec.split(",").flatMap((part) => {
      const made = pointOf(part, v.slice(at));
      at += made.length;
      return made;
    });
  }
  const [name, rest] = spec.split("/")[0].split(":");
  const n = parseInt(rest);
  const size = { euclidean: n, sphere: n + 1, hyperbolic: n + 1, torus: n }[name];
  if (size) return intoPoint[name](v.slice(0, size));
  if (name === "grassmann" || name === "stiefel") return intoPoint.frame(v, n, parseInt(rest.split("x")[1]));
  return intoPoint[name](v, n);
}

// Numbers that turn with the latent: a closed curve, an open one, a sheet or a body.
function tableOf(spec, latent, closed, count, seed) {
  const normal = generator(seed);
  const numbers = 64;
  const waves = Array.from({ length: 3 * latent }, () => Array.from({ length: numbers }, () => normal()));
  const rows = [];
  for (let i = 0; i < count; ++i) {
    const t = Array.from({ length: latent }, (_, j) => (closed ? (2 * Math.PI * i) / count : 2 * (((i * [1, 7, 13][j]) % count) / count) - 1));
    const v = Array.from({ length: numbers }, (_, k) => {
      let sum = 0.05 * normal();
      for (let j = 0; j < latent; ++j)
        sum += closed ? Math.cos(t[j]) * waves[3 * j][k] + Math.sin(t[j]) * waves[3 * j + 1][k] : t[j] * waves[3 * j][k] + 0.4 * t[j] ** 2 * waves[3 * j + 1][k];
      return sum;
    });
    rows.push(pointOf(spec, v));
  }
  return rows;
}

// name, manifold, latent coordinates, closed or not, further flags of the fit, names of labels
export const models = [
  { name: "globe", spec: "sphere:2", latent: 1, closed: true, labels: "number" },
  { name: "sheet-of-directions", spec: "sphere:2", latent: 2 },
  { name: "tensors", spec: "spd:3", latent: 2, labels: "groups" },
  { name: "rotations", spec: "so:3", latent: 1, closed: true },
  { name: "motions", spec: "se:3", latent: 1 },
  { name: "outlines", spec: "kendall:12", latent: 2, labels: "hostile" },
  { name: "landmarks", spec: "kendall3d:6", latent: 1 },
  { name: "covariances", spec: "spd:6/affine-invariant", latent: 2, labels: "groups" },
  { name: "ellipses", spec: "spd:2", latent: 1 },
  { name: "correlations", spec: "correlation:4", latent: 1 },
  { name: "disc", spec: "hyperbolic:2", latent: 1 },
  { name: "torus", spec: "torus:2", latent: 1 },
  { name: "plane", spec: "euclidean:2", latent: 1, closed: true },
  { name: "space", spec: "euclidean:3", latent: 2 },
  { name: "numbers", spec: "euclidean:7", latent: 3, flags: ["--inference", "point"] },
  { name: "directions-in-six", spec: "sphere:5", latent: 1 },
  { name: "subspaces", spec: "grassmann:4x2", latent: 1 },
  { name: "orthonormal-frames", spec: "stiefel:4x2", latent: 1 },
  { name: "product", spec: "sphere:2,spd:2,euclidean:2", latent: 1 },
];

export const hostile = [
  "<script>window.broken = 1</script>",
  "\"><img src=x onerror=window.broken=1>",
  "</script><script>window.broken=1</script>",
  "<!-- ]]> & ' \"",
  "\u202eright to left\u202c",
  "x".repeat(100000),
];

// One model as a page; --quick fits, since what is tested is the page.
export function make(command, folder, model, seed = 1) {
  const points = join(folder, `${model.name}.csv`);
  const file = join(folder, `${model.name}.wgp`);
  const page = join(folder, `${model.name}.html`);
  // Made by this very command, and not by one before it.
  if (existsSync(page) && statSync(page).mtimeMs > statSync(command).mtimeMs) return { page, file };
  const rows = tableOf(model.spec, model.latent, model.closed, model.count ?? 80, seed);
  const header = rows[0].map((_, k) => `v${k + 1}`);
  const label = {
    groups: (i) => `group ${i % 3}`,
    number: (i) => String(0.5 * i),
    hostile: (i) => hostile[i % hostile.length],
  }[model.labels];
  const cell = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map((row, i) => row.join(",") + (label ? `,${cell(label(i))}` : ""));
  writeFileSync(points, [header.join(",") + (label ? ",kind" : ""), ...lines].join("\n") + "\n");
  const run = (...words) => execFileSync(command, words, { stdio: ["ignore", "pipe", "pipe"] });
  run(
    "fit", points, "--columns", `v1:v${header.length}`, "--manifold", model.spec, "--latent", String(model.latent),
    "--effort", "quick", "--seed", String(seed), "--tolerance", "1e-6", ...(model.closed ? ["--kernel", "periodic"] : []),
    ...(label ? ["--labels", "kind"] : []), ...(model.flags ?? []), "--quiet", "-o", file,
  );
  run("report", file, "-o", page, "--quiet");
  return { page, file };
}
