// Points that live in space: the globe, tensors, frames, landmarks. The reader turns them; the model says where they are.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { SVGRenderer } from "three/examples/jsm/renderers/SVGRenderer.js";

import { colourOf } from "./colours";
import type { PageData } from "./data";
import { element } from "./dom";
import type { Look, Model } from "./model";

const blue = "#134a72";
const pale = "#7fa8c9";
const orange = "#d55e00";
const axisColours = ["#d55e00", "#007a58", "#0072b2"];
const curveSteps = 400;
const meshLines = 9;
const meshSteps = 64;
const ringSteps = 25;

export interface SpaceView {
  node: HTMLElement;
  words: string;
  show(look: Look, other: ArrayLike<number> | null): void;
  showPath(points: Float64Array | null): void;
  recolour(): void; // data.colour is another
  image(): HTMLCanvasElement | null; // what is seen, where the browser draws it itself
  svg(): string;
}

// What each kind draws; all of it hangs in one group that the reader turns.
interface Content {
  words: string;
  still(to: THREE.Group): number; // what does not change; its reach
  moving(to: THREE.Group, look: Look, other: ArrayLike<number> | null): void;
  path?(to: THREE.Group, points: Float64Array): void;
  from: [number, number, number]; // where it is seen from
}

function lineOf(points: ArrayLike<number>, stride: number, colour: string, opacity = 1, close = false): THREE.Line {
  const count = points.length / stride;
  const places = new Float32Array(3 * (count + (close ? 1 : 0)));
  for (let i = 0; i < count + (close ? 1 : 0); ++i)
    for (let k = 0; k < 3; ++k) places[3 * i + k] = points[(i % count) * stride + k];
  const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(places, 3));
  return new THREE.Line(
    geometry,
    new THREE.LineBasicMaterial({ color: colour, transparent: opacity < 1, opacity, linewidth: 2 }),
  );
}

function dots(points: ArrayLike<number>, stride: number, size: number, colour: (i: number) => string): THREE.Points {
  const count = points.length / stride;
  const places = new Float32Array(3 * count);
  const colours = new Float32Array(3 * count);
  const made = new THREE.Color();
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < 3; ++k) places[3 * i + k] = points[i * stride + k];
    made.set(colour(i)).toArray(colours, 3 * i);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return new THREE.Points(geometry, new THREE.PointsMaterial({ size, vertexColors: true, map: disc(), alphaTest: 0.5, sizeAttenuation: false }));
}
let discTexture: THREE.Texture | null = null;
function disc(): THREE.Texture {
  if (discTexture) return discTexture;
  const canvas = element("canvas", { width: 32, height: 32 });
  const to = canvas.getContext("2d")!;
  to.fillStyle = "#fff";
  to.arc(16, 16, 15, 0, 2 * Math.PI);
  to.fill();
  return (discTexture = new THREE.CanvasTexture(canvas));
}

// Shapes and paints are made once: what moves are their places.
const shaftShape = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
const headShape = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
const paints = new Map<string, THREE.MeshStandardMaterial>();
function paint(colour: string, opacity: number): THREE.MeshStandardMaterial {
  const name = `${colour} ${opacity}`;
  let made = paints.get(name);
  if (!made) {
    made = new THREE.MeshStandardMaterial({ color: colour, transparent: opacity < 1, opacity, roughness: 0.6 });
    made.userData.kept = true;
    paints.set(name, made);
  }
  return made;
}
for (const shape of [shaftShape, headShape]) shape.userData.kept = true;

const spheres = new Map<number, THREE.SphereGeometry>();
function sphere(fine: number): THREE.SphereGeometry {
  let made = spheres.get(fine);
  if (!made) {
    made = new THREE.SphereGeometry(1, fine, Math.round(0.7 * fine));
    made.userData.kept = true;
    spheres.set(fine, made);
  }
  return made;
}

function ball(at: ArrayLike<number>, radius: number, colour: string): THREE.Mesh {
  const mesh = new THREE.Mesh(sphere(20), paint(colour, 1));
  mesh.scale.setScalar(radius);
  mesh.position.set(at[0], at[1], at[2]);
  return mesh;
}

function arrow(from: THREE.Vector3, along: THREE.Vector3, colour: string, opacity: number, thick: number): THREE.Group {
  const length = along.length();
  const group = new THREE.Group();
  if (!(length > 0)) return group;
  const head = Math.min(0.22 * length, 6 * thick);
  const shaft = new THREE.Mesh(shaftShape, paint(colour, opacity));
  shaft.scale.set(thick, length - head, thick);
  const tip = new THREE.Mesh(headShape, paint(colour, opacity));
  tip.scale.set(2.4 * thick, head, 2.4 * thick);
  tip.position.y = length - head;
  group.add(shaft, tip);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.clone().normalize());
  group.position.copy(from);
  return group;
}

// The latent lines that show the whole of what was learned: a curve, or a mesh of both coordinates.
function latentLines(model: Model, data: PageData): { lines: Float64Array[]; curve: number[] | null } {
  const q = model.latentDim;
  const ranges = data.axes.map((axis, j) => {
    if (axis.angle) return [-Math.PI, Math.PI];
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < model.count; ++i) {
      low = Math.min(low, model.latents[i * q + j]);
      high = Math.max(high, model.latents[i * q + j]);
    }
    return [low, high];
  });
  const along = (j: number, steps: number, fixed: number[]) => {
    const latents: number[] = [];
    for (let s = 0; s <= steps; ++s) {
      const latent = [...fixed];
      latent[j] = ranges[j][0] + ((ranges[j][1] - ranges[j][0]) * s) / steps;
      latents.push(...latent);
    }
    return latents;
  };
  const middle = data.axes.map((axis) => axis.middle);
  if (q === 1) {
    const curve = along(0, curveSteps, middle);
    return { lines: [model.decode(curve)], curve };
  }
  const lines: Float64Array[] = [];
  for (const [j, other] of [[0, 1], [1, 0]])
    for (let k = 0; k < meshLines; ++k) {
      const fixed = [...middle];
      fixed[other] = ranges[other][0] + ((ranges[other][1] - ranges[other][0]) * k) / (meshLines - 1);
      const latents = along(j, meshSteps, fixed);
      const sd = model.spread(latents);
      const points = model.decode(latents);
      // Where the model knows nothing it says the mean: lines through there would mislead.
      const limit = 4 * Math.max(...Array.from(model.spread(model.latents.subarray(0, q * Math.min(model.count, 500)))), data.noise);
      let begin = 0;
      for (let s = 0; s <= sd.length; ++s)
        if (s === sd.length || sd[s] > limit) {
          if (s - begin > 1) lines.push(points.slice(begin * model.ambient, s * model.ambient));
          begin = s + 1;
        }
    }
  return { lines, curve: null };
}

function cloud(model: Model, data: PageData, lift: number): THREE.Points | null {
  if (!model.observed) return null;
  const every = Math.max(1, Math.ceil(model.count / 20000));
  const places: number[] = [];
  const which: number[] = [];
  for (let i = 0; i < model.count; i += every) {
    const p = model.observedPoint(i)!;
    places.push(p[0] * lift, p[1] * lift, p[2] * lift);
    which.push(i);
  }
  return dots(places, 3, model.count > 2000 ? 3 : 5, (i) => colourOf(data.colour, which[i]));
}

function globe(model: Model, data: PageData): Content {
  const lifted = (points: ArrayLike<number>, by: number) => Array.from(points, (value) => value * by);
  return {
    words:
      "The sphere with the training points. " +
      (model.latentDim === 1
        ? "The orange line is what the model predicts along its coordinate, and the pale tube about it holds 95 % of new points."
        : "The mesh is a grid of the first two latent coordinates as the model maps it onto the sphere.") +
      " The orange ball is the prediction here; the ring about it holds 95 % of new points; dark dots are draws. Drag to turn.",
    from: directionOf(model),
    still(to) {
      to.add(new THREE.Mesh(new THREE.SphereGeometry(0.985, 64, 40), new THREE.MeshStandardMaterial({ color: "#f2f5f8", roughness: 1 })));
      for (let degrees = 0; degrees < 180; degrees += 30) {
        const meridian: number[] = [];
        const parallel: number[] = [];
        for (let s = 0; s < 96; ++s) {
          const a = (2 * Math.PI * s) / 96;
          const b = (degrees * Math.PI) / 180;
          meridian.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
          parallel.push(Math.sin(b) * Math.cos(a), Math.sin(b) * Math.sin(a), Math.cos(b));
        }
        to.add(lineOf(meridian, 3, "#c9d0d7", 0.8, true));
        if (degrees > 0) to.add(lineOf(parallel, 3, "#c9d0d7", 0.8, true));
      }
      const { lines, curve } = latentLines(model, data);
      if (curve) {
        const radii = model.radii(curve);
        const corners: number[] = [];
        for (let s = 0; s <= curveSteps; s += 2) {
          const centre = lines[0].subarray(3 * s, 3 * s + 3);
          const ring = model.circle(centre, radii[s], ringSteps);
          for (let k = 0; k + 1 < ringSteps; ++k)
            corners.push(...centre, ...ring.subarray(3 * k, 3 * k + 3), ...ring.subarray(3 * k + 3, 3 * k + 6));
        }
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(lifted(corners, 0.992)), 3));
        to.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: "#f5d3b6", side: THREE.DoubleSide })));
        to.add(tube(lifted(lines[0], 1.004), 0.008, orange));
      } else for (const one of lines) to.add(lineOf(lifted(one, 1.004), 3, "#4a4f55"));
      const points = cloud(model, data, 1.002);
      if (points) to.add(points);
      return 1.05;
    },
    moving(to, look, other) {
      if (!look.point) return;
      const radius = Math.min(look.radius, 3.1);
      to.add(lineOf(lifted(model.circle(look.point, radius, 97), 1.01), 3, orange));
      if (look.draws.length > 0) to.add(dots(lifted(look.draws, 1.012), 3, 5, () => blue));
      to.add(ball(lifted(look.point, 1.01), 0.028, orange));
      if (other) {
        to.add(ball(lifted(other, 1.01), 0.024, "#222222"));
      }
    },
    path(to, points) {
      to.add(tube(lifted(points, 1.012), 0.006, "#222222"));
    },
  };
}

function directionOf(model: Model): [number, number, number] {
  const mean = model.mean;
  const length = Math.hypot(mean[0], mean[1], mean[2]) || 1;
  return [mean[0] / length + 0.25, mean[1] / length - 0.35, mean[2] / length + 0.3];
}

// A line with a thickness; lines of one pixel are all that WebGL draws.
function tube(points: ArrayLike<number>, radius: number, colour: string): THREE.Object3D {
  const places: THREE.Vector3[] = [];
  for (let i = 0; i < points.length; i += 3) {
    const place = new THREE.Vector3(points[i], points[i + 1], points[i + 2]);
    if (places.length === 0 || place.distanceTo(places[places.length - 1]) > 1e-4) places.push(place);
  }
  if (places.length < 2) return new THREE.Group();
  const curve = new THREE.CatmullRomCurve3(places);
  return new THREE.Mesh(
    new THREE.TubeGeometry(curve, Math.min(2 * places.length, 600), radius, 6),
    new THREE.MeshBasicMaterial({ color: colour }),
  );
}

function ellipsoids(model: Model): Content {
  let scale = 1e-300;
  const every = Math.max(1, Math.floor(model.count / 200));
  const longest = (point: ArrayLike<number>) => {
    const axes = model.halfAxes(point);
    return Math.hypot(axes[6], axes[7], axes[8]);
  };
  const predicted = model.decode(model.latents.filter((_, k) => Math.floor(k / model.latentDim) % every === 0));
  for (let i = 0; i < predicted.length; i += 9) scale = Math.max(scale, longest(predicted.subarray(i, i + 9)));
  const ellipsoid = (point: ArrayLike<number>, material: THREE.Material, fine: number): THREE.Mesh => {
    const axes = model.halfAxes(point);
    const mesh = new THREE.Mesh(sphere(fine), material);
    const [x, y, z] = [0, 3, 6].map((k) => new THREE.Vector3(axes[k], axes[k + 1], axes[k + 2]).divideScalar(scale));
    // A mirror image has the same surface, but its normals point inwards.
    if (x.clone().cross(y).dot(z) < 0) x.negate();
    mesh.matrixAutoUpdate = false;
    mesh.matrix.makeBasis(x, y, z);
    return mesh;
  };
  const direction = (point: ArrayLike<number>) => {
    const axes = model.halfAxes(point);
    const length = Math.hypot(axes[6], axes[7], axes[8]) || 1;
    return new THREE.Color(Math.abs(axes[6]) / length, Math.abs(axes[7]) / length, Math.abs(axes[8]) / length);
  };
  return {
    words:
      "The tensor as an ellipsoid with the square roots of its eigenvalues as half-axes, on one scale for the whole model; " +
      "its colour is the direction of its longest axis (red x, green y, blue z). Wire frames are draws, the grey axes are x, y, z. Drag to turn.",
    from: [1, -1.3, 0.8],
    still(to) {
      for (const [k, colour] of ["#b33", "#3a3", "#33b"].entries()) {
        const end = [0, 0, 0];
        end[k] = 1.15;
        to.add(lineOf([0, 0, 0, ...end], 3, colour, 0.7));
      }
      return 1.25;
    },
    moving(to, look, other) {
      if (!look.point) return;
      to.add(ellipsoid(look.point, new THREE.MeshStandardMaterial({ color: direction(look.point), roughness: 0.55 }), 48));
      for (let i = 0; i < Math.min(look.draws.length / 9, 6); ++i)
        to.add(ellipsoid(look.draws.subarray(9 * i, 9 * i + 9), new THREE.MeshBasicMaterial({ color: pale, wireframe: true, transparent: true, opacity: 0.22 }), 18));
      if (other)
        to.add(ellipsoid(other, new THREE.MeshBasicMaterial({ color: "#222222", wireframe: true, transparent: true, opacity: 0.55 }), 24));
    },
  };
}

// Columns of a rotation, which stands row by row; a motion has its translation behind it.
function axesOf(point: ArrayLike<number>): THREE.Vector3[] {
  return [0, 1, 2].map((k) => new THREE.Vector3(point[k], point[3 + k], point[6 + k]));
}

function frames(model: Model, data: PageData): Content {
  const moves = model.ambient === 12;
  let centre = new THREE.Vector3();
  let size = 1;
  const placeOf = (point: ArrayLike<number>) =>
    moves ? new THREE.Vector3(point[9], point[10], point[11]).sub(centre).divideScalar(size) : new THREE.Vector3();
  return {
    words:
      "The turned axes x (orange), y (green) and z (blue); pale axes are draws" +
      (moves ? ", the line is where the model's origin goes along its coordinates. " : ". ") +
      "Drag to turn.",
    from: [1, -1.3, 0.8],
    still(to) {
      if (!moves) {
        for (let k = 0; k < 3; ++k) {
          const end = [0, 0, 0];
          end[k] = 1;
          to.add(lineOf([0, 0, 0, ...end], 3, "#9aa5b1"));
        }
        return 1.2;
      }
      const { lines } = latentLines(model, data);
      const places: number[][] = lines.map((one) => {
        const xyz: number[] = [];
        for (let i = 0; i < one.length; i += 12) xyz.push(one[i + 9], one[i + 10], one[i + 11]);
        return xyz;
      });
      const box = new THREE.Box3();
      for (const one of places) for (let i = 0; i < one.length; i += 3) box.expandByPoint(new THREE.Vector3(one[i], one[i + 1], one[i + 2]));
      box.getCenter(centre);
      size = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-9);
      for (const one of places)
        to.add(lineOf(one.map((value, k) => (value - centre.getComponent(k % 3)) / size), 3, "#4a4f55"));
      return 1.4;
    },
    moving(to, look, other) {
      if (!look.point) return;
      const reach = moves ? 0.35 : 1;
      const add = (point: ArrayLike<number>, colours: string[], opacity: number, thick: number) => {
        for (const [k, axis] of axesOf(point).entries())
          to.add(arrow(placeOf(point), axis.multiplyScalar(reach), colours[k], opacity, thick * reach));
      };
      for (let i = 0; i < Math.min(look.draws.length / model.ambient, 10); ++i)
        add(look.draws.subarray(model.ambient * i, model.ambient * (i + 1)), axisColours, 0.16, 0.012);
      if (other) add(other, ["#222222", "#222222", "#222222"], 0.6, 0.016);
      add(look.point, axisColours, 1, 0.024);
    },
  };
}

function landmarks(model: Model): Content {
  let reach = 1e-12;
  for (const value of model.mean) reach = Math.max(reach, Math.abs(value));
  const scaled = (points: ArrayLike<number>) => Array.from(points, (value) => value / reach);
  return {
    words:
      "The landmarks that the model predicts here (dark), draws about them (pale), and lines to where the mean shape has them (grey). Drag to turn.",
    from: [0.4, -0.5, 1.2],
    still(to) {
      to.add(dots(scaled(model.mean), 3, 5, () => "#8a939c"));
      return 1.5;
    },
    moving(to, look, other) {
      if (!look.point) return;
      const at = scaled(look.point);
      const mean = scaled(model.mean);
      for (let k = 0; k < at.length; k += 3) to.add(lineOf([...mean.slice(k, k + 3), ...at.slice(k, k + 3)], 3, "#8a939c"));
      if (look.draws.length > 0) to.add(dots(scaled(look.draws), 3, 3, () => pale));
      to.add(dots(at, 3, 10, () => blue));
      if (other) to.add(dots(scaled(other), 3, 9, () => orange));
    },
  };
}

function space(model: Model, data: PageData): Content {
  const centre = Array.from(model.mean);
  let size = 1e-300;
  const all = model.observed ?? model.decode(model.latents);
  for (let i = 0; i < all.length; ++i) size = Math.max(size, Math.abs(all[i] - centre[i % 3]));
  const placed = (points: ArrayLike<number>) => Array.from(points, (value, k) => (value - centre[k % 3]) / size);
  return {
    words:
      "Space with the training points; the line or mesh is what the model predicts along its coordinates, the ball is the prediction here, its glass shell holds 95 % of new points. Drag to turn.",
    from: [1, -1.3, 0.8],
    still(to) {
      const { lines } = latentLines(model, data);
      for (const one of lines) to.add(lines.length === 1 ? tube(placed(one), 0.012, orange) : lineOf(placed(one), 3, "#4a4f55"));
      const shown: number[] = [];
      const which: number[] = [];
      const every = Math.max(1, Math.ceil(model.count / 20000));
      for (let i = 0; i < model.count; i += every) {
        shown.push(all[3 * i], all[3 * i + 1], all[3 * i + 2]);
        which.push(i);
      }
      if (model.observed) to.add(dots(placed(shown), 3, 4, (i) => colourOf(data.colour, which[i])));
      return 1.5;
    },
    moving(to, look, other) {
      if (!look.point) return;
      const at = placed(look.point);
      to.add(ball(at, 0.035, orange));
      const shell = ball(at, look.radius / size, orange);
      shell.material = paint(orange, 0.14);
      to.add(shell);
      if (look.draws.length > 0) to.add(dots(placed(look.draws), 3, 5, () => blue));
      if (other) to.add(ball(placed(other), 0.03, "#222222"));
    },
    path(to, points) {
      to.add(tube(placed(points), 0.008, "#222222"));
    },
  };
}

function contentOf(model: Model, data: PageData): Content | null {
  switch (data.view) {
    case "globe":
      return globe(model, data);
    case "ellipsoid":
      return ellipsoids(model);
    case "frames":
      return frames(model, data);
    case "landmarks":
      return landmarks(model);
    case "space":
      return space(model, data);
    case "flat":
      return null;
  }
}

function empty(group: THREE.Group): void {
  group.traverse((object) => {
    const drawn = object as THREE.Mesh;
    if (drawn.geometry && !drawn.geometry.userData.kept) drawn.geometry.dispose();
    for (const material of drawn.material ? [drawn.material].flat() : []) if (!material.userData.kept) material.dispose();
  });
  group.clear();
}

export function spaceView(model: Model, data: PageData): SpaceView | null {
  const content = contentOf(model, data);
  if (!content) return null;
  const scene = new THREE.Scene();
  const still = new THREE.Group();
  const moving = new THREE.Group();
  const path = new THREE.Group();
  scene.add(still, moving, path);
  const reach = content.still(still);
  const camera = new THREE.OrthographicCamera(-reach, reach, reach, -reach, 0.01, 100);
  camera.up.set(0, 0, 1);
  camera.position.set(...content.from).normalize().multiplyScalar(8);
  const light = new THREE.DirectionalLight("#ffffff", 1.6);
  scene.add(new THREE.AmbientLight("#ffffff", 1.6), camera);
  camera.add(light);
  light.position.set(1, 1.5, 3);

  const drawn = rendererOf();
  const canvas = drawn.domElement as HTMLElement;
  canvas.setAttribute("tabindex", "0");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${data.manifold}: the predicted point. Arrow keys turn the view. ${content.words}`);
  const node = element("div", { class: "space" }, canvas);
  const controls = new OrbitControls(camera, canvas);
  controls.enablePan = false;
  let asked = 0;
  let sized = false;
  const draw = () => {
    if (!asked && sized)
      asked = requestAnimationFrame(() => {
        asked = 0;
        drawn.render(scene, camera);
      });
  };
  controls.addEventListener("change", draw);
  canvas.addEventListener("keydown", (event) => {
    const turn = 0.12;
    const moves: Record<string, [number, number]> = { ArrowLeft: [-turn, 0], ArrowRight: [turn, 0], ArrowUp: [0, -turn], ArrowDown: [0, turn] };
    const move = moves[event.key];
    if (!move) return;
    const spherical = new THREE.Spherical().setFromVector3(new THREE.Vector3(camera.position.x, camera.position.z, -camera.position.y));
    spherical.theta += move[0];
    spherical.phi += move[1];
    spherical.makeSafe();
    const to = new THREE.Vector3().setFromSpherical(spherical);
    camera.position.set(to.x, -to.z, to.y);
    controls.update();
    event.preventDefault();
    draw();
  });
  new ResizeObserver(() => {
    const side = Math.round(Math.min(node.getBoundingClientRect().width, 520));
    if (side < 40) return;
    drawn.setSize(side, side);
    sized = true;
    draw();
  }).observe(node);
  return {
    node,
    words: content.words,
    show(look, other) {
      empty(moving);
      content.moving(moving, look, other);
      draw();
    },
    recolour() {
      empty(still);
      content.still(still);
      draw();
    },
    showPath(points) {
      empty(path);
      if (points && content.path) content.path(path, points);
      draw();
    },
    image() {
      drawn.render(scene, camera);
      return canvas instanceof HTMLCanvasElement ? canvas : null;
    },
    svg() {
      const painter = new SVGRenderer();
      painter.setSize(520, 520);
      painter.setQuality("high");
      asAttributes(() => painter.render(scene, camera));
      const made = painter.domElement as unknown as SVGElement;
      made.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      return made.outerHTML;
    },
  };
}

// The SVG renderer paints by style attributes, which the page's policy forbids; as attributes of their own the same paints
// are allowed, and more programs that read the file know them.
function asAttributes(render: () => void): void {
  const set = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name: string, value: string) {
    if (name !== "style" || !(this instanceof SVGElement)) return set.call(this, name, value);
    for (const rule of value.split(";")) {
      const [property, paint] = rule.split(":").map((part) => part.trim());
      if (property && paint) set.call(this, property, paint);
    }
  };
  try {
    render();
  } finally {
    Element.prototype.setAttribute = set;
  }
}

interface AnyRenderer {
  domElement: Element;
  setSize(width: number, height: number): void;
  render(scene: THREE.Scene, camera: THREE.Camera): void;
}
// Where the browser has no WebGL the same scene is drawn as SVG.
function rendererOf(): AnyRenderer {
  try {
    const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    renderer.setPixelRatio(window.devicePixelRatio || 1);
    return renderer;
  } catch {
    const painter = new SVGRenderer();
    return {
      domElement: painter.domElement,
      setSize: (width, height) => painter.setSize(width, height),
      render: (scene, camera) => asAttributes(() => painter.render(scene, camera)),
    };
  }
}
