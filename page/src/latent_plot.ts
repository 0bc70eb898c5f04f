// The latent space: points over the uncertainty of the model, and what the reader does there - point, catch, draw.
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";

import { colourOf, markerOf, theme, traceMarker } from "./colours";
import { labelOf, nameOf, type PageData } from "./data";
import { element } from "./dom";
import type { Model } from "./model";

export type Mode = "point" | "lasso" | "path" | "geodesic";

export interface Handlers {
  point(x: number[]): void; // the reader points there
  pick(i: number | null): void; // a training point was clicked, or nothing
  caught(points: number[]): void; // by the lasso
  drawn(path: number[][]): void;
  ends(from: number[], to: number[]): void; // of a geodesic
}

const manyPoints = 20000; // beyond these a sample stands on a density
const manyShapes = 3000; // beyond these points are dots
const cells = { x: 96, y: 72 }; // of the shading
const margin = { left: 58, right: 14, top: 12, bottom: 44 };

// Coordinate j of a latent under the pointer, the others where their sliders stand.
export class LatentPlot {
  readonly node: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly over: HTMLCanvasElement;
  private readonly said: HTMLElement;
  private width = 560;
  private height = 460;
  private x: ScaleLinear<number, number>;
  private y: ScaleLinear<number, number>;
  private transform: ZoomTransform = zoomIdentity;
  private readonly zoomer: ZoomBehavior<HTMLCanvasElement, unknown>;
  private readonly order: Uint32Array; // the points that are drawn, shuffled where they are a sample
  private heights: Float64Array; // where there is one coordinate: what stands against it
  private shading: { image: ImageData; x: [number, number]; y: [number, number]; low: number; high: number } | null = null;
  private shadingWork = 0;
  private shadingLater = 0;
  private redraw = 0;
  private hidden = new Set<number>(); // groups
  private lifted: number | null = null; // a group that stands out
  private marked = new Set<number>(); // points that stand out: found, or caught
  private lasso: [number, number][] = [];
  private drawing: [number, number][] = [];
  private firstEnd: number[] | null = null;
  private dragging = false;
  mode: Mode = "point";
  axes: [number, number];
  others: number[]; // of every coordinate, used for those that are not on an axis
  at: number[]; // where the reader is
  picked: number | null = null;
  path: number[][] = [];
  straight: number[][] = [];
  showSpread = false;
  readonly layers: ((to: CanvasRenderingContext2D) => void)[] = []; // what others draw over the points

  constructor(
    private readonly model: Model,
    private readonly data: PageData,
    private readonly handlers: Handlers,
  ) {
    const q = model.latentDim;
    this.axes = [0, Math.min(1, q - 1)];
    this.others = data.axes.map((axis) => axis.middle);
    this.at = [...this.others];
    this.order = sample(model.count, manyPoints);
    this.heights = heightsOf(data, model.count);
    this.canvas = element("canvas", {
      tabindex: 0,
      role: "img",
      "aria-label":
        `The latent space with ${model.count} points. Arrow keys move the place that is decoded, ` +
        "plus and minus zoom, Enter chooses the nearest point, Escape lets it go.",
    });
    this.over = element("canvas", { class: "over", "aria-hidden": "true" });
    this.said = element("div", { class: "unseen", "aria-live": "polite" });
    this.node = element("div", { class: "plot" }, this.canvas, this.over, this.said);
    this.x = scaleLinear();
    this.y = scaleLinear();
    this.zoomer = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.5, 200])
      .filter((event: any) => (event.type === "wheel" || this.mode === "point" || event.touches?.length > 1) && !event.button)
      .on("zoom", (event: any) => {
        this.transform = event.transform;
        this.draw();
        this.shadeLater();
      });
    select(this.canvas).call(this.zoomer).on("dblclick.zoom", null);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.node);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.shadeLater(0));
  }

  get oneCoordinate(): boolean {
    return this.model.latentDim === 1;
  }
  setAxes(axes: [number, number]): void {
    this.axes = axes;
    this.home();
  }
  setOther(j: number, value: number): void {
    this.others[j] = value;
    this.at[j] = value;
    this.draw();
    this.shadeLater(60);
  }
  home(): void {
    select(this.canvas).call(this.zoomer.transform, zoomIdentity);
    this.shadeLater(0);
  }
  zoomBy(factor: number): void {
    select(this.canvas).call(this.zoomer.scaleBy, factor);
  }
  setHidden(groups: Set<number>): void {
    this.hidden = groups;
    this.draw();
  }
  // data.colour is another.
  setColour(): void {
    this.hidden = new Set();
    this.lifted = null;
    this.heights = heightsOf(this.data, this.model.count);
    this.scales();
    this.draw();
  }
  lift(group: number | null): void {
    this.lifted = group;
    this.draw();
  }
  mark(points: Iterable<number>): void {
    this.marked = new Set(points);
    this.draw();
  }
  setPath(path: number[][], straight: number[][] = []): void {
    this.path = path;
    this.straight = straight;
    this.drawOver();
  }
  moveTo(x: number[]): void {
    this.at = x;
    this.drawOver();
  }
  setMode(mode: Mode): void {
    this.mode = mode;
    this.firstEnd = null;
    this.lasso = [];
    this.canvas.dataset.mode = mode;
    this.drawOver();
  }
  visible(i: number): boolean {
    return this.data.colour.kind !== "groups" || !this.hidden.has(this.data.colour.of[i]);
  }

  // ---- places

  private place(i: number): [number, number] {
    const q = this.model.latentDim;
    const first = this.model.latents[i * q + this.axes[0]];
    const second = this.oneCoordinate ? this.heights[i] : this.model.latents[i * q + this.axes[1]];
    return [this.sx(first), this.sy(second)];
  }
  private sx(value: number): number {
    return this.transform.applyX(this.x(value));
  }
  private sy(value: number): number {
    return this.oneCoordinate ? this.y(value) : this.transform.applyY(this.y(value));
  }
  placeOf(latent: number[]): [number, number] {
    return [this.sx(latent[this.axes[0]]), this.oneCoordinate ? this.height / 2 : this.sy(latent[this.axes[1]])];
  }
  private latentAt(px: number, py: number): number[] {
    const latent = [...this.others];
    latent[this.axes[0]] = this.wrapped(this.axes[0], this.x.invert(this.transform.invertX(px)));
    if (!this.oneCoordinate)
      latent[this.axes[1]] = this.wrapped(this.axes[1], this.y.invert(this.transform.invertY(py)));
    return latent;
  }
  private wrapped(j: number, value: number): number {
    if (!this.data.axes[j].angle) return value;
    return value - 2 * Math.PI * Math.round(value / (2 * Math.PI));
  }

  private resize(): void {
    const box = this.node.getBoundingClientRect();
    if (box.width < 40) return;
    this.width = Math.round(box.width);
    this.height = Math.round(Math.min(Math.max(0.78 * box.width, 300), 560));
    this.node.style.height = `${this.height}px`;
    const dense = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(this.width * dense);
      canvas.height = Math.round(this.height * dense);
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${this.height}px`;
    }
    this.scales();
    this.draw();
    this.shadeLater(0);
  }
  private scales(): void {
    const [a, b] = this.axes;
    const axis = this.data.axes[a];
    this.x = scaleLinear([axis.low, axis.high], [margin.left, this.width - margin.right]);
    const down: [number, number] = [this.height - margin.bottom, margin.top];
    if (this.oneCoordinate) {
      const values = Array.from(this.heights).filter(Number.isFinite);
      let low = Infinity;
      let high = -Infinity;
      for (const value of values) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      const room = 0.06 * (high - low || 1);
      this.y = scaleLinear([low - room, high + room], down);
    } else {
      this.y = scaleLinear([this.data.axes[b].low, this.data.axes[b].high], down);
    }
    this.zoomer.extent([
      [margin.left, margin.top],
      [this.width - margin.right, this.height - margin.bottom],
    ]);
  }

  // ---- shading

  private shadeLater(wait = 180): void {
    window.clearTimeout(this.shadingLater);
    this.shadingLater = window.setTimeout(() => this.shade(), wait);
  }
  // A few rows at a time, so that the pointer is never kept waiting.
  private shade(): void {
    const work = ++this.shadingWork;
    this.scales();
    const rows = this.oneCoordinate ? 1 : cells.y;
    const columns = this.oneCoordinate ? 4 * cells.x : cells.x;
    const left = margin.left;
    const right = this.width - margin.right;
    const bottom = this.height - margin.bottom;
    const sd = new Float64Array(rows * columns);
    let row = 0;
    const step = () => {
      if (work !== this.shadingWork) return;
      const begin = performance.now();
      while (row < rows && performance.now() - begin < 6) {
        const latents: number[] = [];
        const py = margin.top + ((row + 0.5) / rows) * (bottom - margin.top);
        for (let column = 0; column < columns; ++column)
          latents.push(...this.latentAt(left + ((column + 0.5) / columns) * (right - left), py));
        sd.set(this.model.spread(latents), row * columns);
        ++row;
      }
      if (row < rows) window.setTimeout(step, 0);
      else this.paintShading(sd, rows, columns);
    };
    step();
  }
  private paintShading(sd: Float64Array, rows: number, columns: number): void {
    let low = Infinity;
    let high = 0;
    for (const value of sd) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    // Differences that drown in the noise of the data are none to show.
    const full = Math.max(high, this.data.noise);
    const [r0, g0, b0] = rgb(theme("sure"));
    const [r1, g1, b1] = rgb(theme("unsure"));
    const image = new ImageData(columns, rows);
    for (let i = 0; i < sd.length; ++i) {
      const share = Math.sqrt(Math.max((sd[i] - low) / (full - low || 1), 0));
      image.data.set(
        [r0 + share * (r1 - r0), g0 + share * (g1 - g0), b0 + share * (b1 - b0), 255].map(Math.round),
        4 * i,
      );
    }
    const left = this.x.invert(this.transform.invertX(margin.left));
    const right = this.x.invert(this.transform.invertX(this.width - margin.right));
    const top = this.y.invert(this.transform.invertY(margin.top));
    const bottom = this.y.invert(this.transform.invertY(this.height - margin.bottom));
    this.shading = { image, x: [left, right], y: [top, bottom], low, high };
    this.node.dispatchEvent(new CustomEvent("shaded", { detail: { low, high } }));
    this.draw();
  }

  // ---- drawing

  draw(): void {
    if (this.redraw) return;
    this.redraw = requestAnimationFrame(() => {
      this.redraw = 0;
      const to = this.canvas.getContext("2d")!;
      const dense = this.canvas.width / this.width;
      to.setTransform(dense, 0, 0, dense, 0, 0);
      this.paint(to);
      this.drawOver();
    });
  }

  // All of the plot, on any canvas: the one that is seen, or one to be saved.
  paint(to: CanvasRenderingContext2D): void {
    const { width, height } = this;
    to.fillStyle = theme("paper");
    to.fillRect(0, 0, width, height);
    to.save();
    to.beginPath();
    to.rect(margin.left, margin.top, width - margin.left - margin.right, height - margin.top - margin.bottom);
    to.clip();
    if (this.shading) {
      const small = document.createElement("canvas");
      small.width = this.shading.image.width;
      small.height = this.shading.image.height;
      small.getContext("2d")!.putImageData(this.shading.image, 0, 0);
      const x0 = this.sx(this.shading.x[0]);
      const x1 = this.sx(this.shading.x[1]);
      const y0 = this.oneCoordinate ? margin.top : this.sy(this.shading.y[0]);
      const y1 = this.oneCoordinate ? height - margin.bottom : this.sy(this.shading.y[1]);
      to.imageSmoothingEnabled = true;
      to.drawImage(small, x0, y0, x1 - x0, y1 - y0);
    }
    if (this.model.count > manyPoints) this.paintDensity(to);
    this.paintPoints(to);
    for (const layer of this.layers) layer(to);
    to.restore();
    this.paintAxes(to);
  }

  private radius(): number {
    const n = this.order.length;
    const base = n <= 150 ? 4.6 : n <= 500 ? 3.8 : n <= 2000 ? 3 : n <= 6000 ? 2.3 : 1.7;
    return base * Math.min(Math.sqrt(this.transform.k), 1.8);
  }
  private paintPoints(to: CanvasRenderingContext2D): void {
    const colouring = this.data.colour;
    const r = this.radius();
    const faint = this.lifted !== null || this.marked.size > 0;
    const standsOut = (i: number) =>
      this.marked.has(i) || (this.lifted !== null && colouring.kind === "groups" && colouring.of[i] === this.lifted);
    const raised: number[] = [];
    const shown: number[] = [];
    for (const i of this.order)
      if (this.visible(i)) (faint && standsOut(i) ? raised : shown).push(i);
    to.globalAlpha = faint ? 0.18 : 1;
    if (shown.length > manyShapes) this.paintDots(to, shown, r);
    else this.paintShapes(to, shown, r);
    to.globalAlpha = 1;
    to.lineWidth = 0.6;
    to.strokeStyle = theme("edge");
    for (const i of raised) {
      const [x, y] = this.place(i);
      to.beginPath();
      traceMarker(to, markerOf(colouring, i), x, y, 1.35 * r);
      to.fillStyle = colourOf(colouring, i);
      to.fill();
      to.lineWidth = 1;
      to.stroke();
    }
    if (this.showSpread && this.model.latentSd) this.paintSpreads(to);
  }
  // Points of one look are one path.
  private paintShapes(to: CanvasRenderingContext2D, points: number[], r: number): void {
    const paths = new Map<string, Path2D>();
    for (const i of points) {
      const [x, y] = this.place(i);
      if (x < margin.left - 9 || x > this.width || y < -9 || y > this.height) continue;
      const colour = colourOf(this.data.colour, i);
      let path = paths.get(colour);
      if (!path) paths.set(colour, (path = new Path2D()));
      traceMarker(path, markerOf(this.data.colour, i), x, y, r);
    }
    to.lineWidth = 0.6;
    to.strokeStyle = theme("edge");
    for (const [colour, path] of paths) {
      to.fillStyle = colour;
      to.fill(path);
      if (r > 2) to.stroke(path);
    }
  }
  // So many that shapes would not be told apart, and would take a tenth of a second: pixels are written one by one.
  private paintDots(to: CanvasRenderingContext2D, points: number[], r: number): void {
    const dense = to.getTransform().a;
    const wide = Math.ceil(this.width * dense);
    const tall = Math.ceil(this.height * dense);
    const image = new ImageData(wide, tall);
    const pixels = new Uint32Array(image.data.buffer);
    const reach = r * dense;
    const offsets: [number, number][] = [];
    for (let dy = -Math.ceil(reach); dy <= reach; ++dy)
      for (let dx = -Math.ceil(reach); dx <= reach; ++dx) if (dx * dx + dy * dy <= reach * reach) offsets.push([dx, dy]);
    const colours = new Map<string, number>();
    for (const i of points) {
      const [px, py] = this.place(i);
      const x = Math.round(px * dense);
      const y = Math.round(py * dense);
      const name = colourOf(this.data.colour, i);
      let colour = colours.get(name);
      if (colour === undefined) {
        const [red, green, blue] = rgb(name);
        colours.set(name, (colour = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0));
      }
      for (const [dx, dy] of offsets) {
        const at = x + dx;
        const down = y + dy;
        if (at >= 0 && at < wide && down >= 0 && down < tall) pixels[down * wide + at] = colour;
      }
    }
    const layer = element("canvas", { width: wide, height: tall });
    layer.getContext("2d")!.putImageData(image, 0, 0);
    to.drawImage(layer, 0, 0, wide / dense, tall / dense);
  }
  // The standard deviations of the points' own coordinates.
  private paintSpreads(to: CanvasRenderingContext2D): void {
    const q = this.model.latentDim;
    const sd = this.model.latentSd!;
    to.strokeStyle = theme("spread");
    to.lineWidth = 0.9;
    to.beginPath();
    for (const i of this.order) {
      if (!this.visible(i)) continue;
      const [x, y] = this.place(i);
      const wide = Math.abs(this.sx(sd[i * q + this.axes[0]]) - this.sx(0));
      if (this.oneCoordinate) {
        to.moveTo(x - wide, y);
        to.lineTo(x + wide, y);
      } else {
        const tall = Math.abs(this.sy(sd[i * q + this.axes[1]]) - this.sy(0));
        to.moveTo(x + wide, y);
        to.ellipse(x, y, wide, tall, 0, 0, 2 * Math.PI);
      }
    }
    to.stroke();
  }
  private paintDensity(to: CanvasRenderingContext2D): void {
    const cell = 4;
    const columns = Math.ceil(this.width / cell);
    const rows = Math.ceil(this.height / cell);
    const counts = new Float32Array(columns * rows);
    let most = 0;
    for (let i = 0; i < this.model.count; ++i) {
      const [x, y] = this.place(i);
      const column = Math.floor(x / cell);
      const row = Math.floor(y / cell);
      if (column < 0 || row < 0 || column >= columns || row >= rows || !this.visible(i)) continue;
      most = Math.max(most, ++counts[row * columns + column]);
    }
    to.fillStyle = theme("dense");
    for (let row = 0; row < rows; ++row)
      for (let column = 0; column < columns; ++column) {
        const count = counts[row * columns + column];
        if (count === 0) continue;
        to.globalAlpha = 0.15 + 0.7 * Math.sqrt(count / most);
        to.fillRect(column * cell, row * cell, cell, cell);
      }
    to.globalAlpha = 1;
  }

  private paintAxes(to: CanvasRenderingContext2D): void {
    const { width, height } = this;
    to.strokeStyle = theme("rule");
    to.lineWidth = 1;
    to.strokeRect(margin.left, margin.top, width - margin.left - margin.right, height - margin.top - margin.bottom);
    to.fillStyle = theme("ink");
    to.font = "13px system-ui, sans-serif";
    to.textAlign = "center";
    to.textBaseline = "top";
    const shownX = scaleLinear(
      [margin.left, width - margin.right].map((p) => this.x.invert(this.transform.invertX(p))),
      [margin.left, width - margin.right],
    );
    for (const tick of this.ticks(shownX, this.data.axes[this.axes[0]].angle && this.transform.k < 3)) {
      const at = shownX(tick.value);
      line(to, at, height - margin.bottom, at, height - margin.bottom + 5);
      to.fillText(tick.text, at, height - margin.bottom + 8);
    }
    to.fillText(
      this.data.axes[this.axes[0]].label + (this.data.axes[this.axes[0]].angle ? " (radians)" : ""),
      (margin.left + width - margin.right) / 2,
      height - 17,
    );
    to.textBaseline = "middle";
    to.textAlign = "right";
    if (!this.oneCoordinate || this.data.colour.kind !== "groups") {
      const shownY = this.oneCoordinate
        ? this.y
        : scaleLinear(
            [height - margin.bottom, margin.top].map((p) => this.y.invert(this.transform.invertY(p))),
            [height - margin.bottom, margin.top],
          );
      const angle = !this.oneCoordinate && this.data.axes[this.axes[1]].angle && this.transform.k < 3;
      for (const tick of this.ticks(shownY, angle)) {
        const at = shownY(tick.value);
        line(to, margin.left - 5, at, margin.left, at);
        to.fillText(tick.text, margin.left - 8, at);
      }
    }
    to.save();
    to.translate(13, (margin.top + height - margin.bottom) / 2);
    to.rotate(-Math.PI / 2);
    to.textAlign = "center";
    const second = this.data.axes[this.axes[1]];
    to.fillText(this.oneCoordinate ? this.heightName() : second.label + (second.angle ? " (radians)" : ""), 0, 0);
    to.restore();
  }
  private heightName(): string {
    const colour = this.data.colour;
    return colour.kind === "none" ? this.data.names.heading === "row" ? "row" : "order" : colour.name.slice(0, 40);
  }
  private ticks(scale: ScaleLinear<number, number>, angle: boolean): { value: number; text: string }[] {
    if (angle)
      return [-2, -1, 0, 1, 2].map((k) => ({
        value: (k * Math.PI) / 2,
        text: ["−π", "−π/2", "0", "π/2", "π"][k + 2],
      }));
    const format = scale.tickFormat(6);
    return scale.ticks(6).map((value) => ({ value, text: format(value).replace("-", "−") }));
  }

  // What moves: the place that is decoded, the path, the lasso.
  drawOver(): void {
    const to = this.over.getContext("2d")!;
    const dense = this.over.width / this.width;
    to.setTransform(dense, 0, 0, dense, 0, 0);
    to.clearRect(0, 0, this.width, this.height);
    to.save();
    to.beginPath();
    to.rect(margin.left, margin.top, this.width - margin.left - margin.right, this.height - margin.top - margin.bottom);
    to.clip();
    this.strokeLatents(to, this.straight, theme("ink"), [5, 4]);
    this.strokeLatents(to, this.path, theme("accent"), []);
    this.strokePixels(to, this.lasso, true);
    this.strokePixels(to, this.drawing, false);
    if (this.picked !== null) {
      const [x, y] = this.place(this.picked);
      this.ringAt(to, x, y, 2 * this.radius() + 3, theme("accent"));
      this.paintOwnSpread(to, this.picked, x, y);
    }
    if (this.firstEnd) this.ringAt(to, ...this.placeOf(this.firstEnd), 6, theme("accent"));
    const [x, y] = this.placeOf(this.at);
    to.strokeStyle = theme("accent");
    to.lineWidth = 1.6;
    if (this.oneCoordinate) line(to, x, margin.top, x, this.height - margin.bottom);
    else {
      line(to, x - 11, y, x - 3, y);
      line(to, x + 3, y, x + 11, y);
      line(to, x, y - 11, x, y - 3);
      line(to, x, y + 3, x, y + 11);
    }
    to.restore();
  }
  private paintOwnSpread(to: CanvasRenderingContext2D, i: number, x: number, y: number): void {
    const sd = this.model.latentSd;
    if (!sd) return;
    const q = this.model.latentDim;
    const wide = 2 * Math.abs(this.sx(sd[i * q + this.axes[0]]) - this.sx(0));
    to.beginPath();
    if (this.oneCoordinate) {
      to.moveTo(x - wide, y);
      to.lineTo(x + wide, y);
    } else {
      to.ellipse(x, y, wide, 2 * Math.abs(this.sy(sd[i * q + this.axes[1]]) - this.sy(0)), 0, 0, 2 * Math.PI);
    }
    to.stroke();
  }
  private ringAt(to: CanvasRenderingContext2D, x: number, y: number, r: number, colour: string): void {
    to.beginPath();
    to.arc(x, y, r, 0, 2 * Math.PI);
    to.strokeStyle = colour;
    to.lineWidth = 2;
    to.stroke();
  }
  private strokeLatents(to: CanvasRenderingContext2D, path: number[][], colour: string, dashes: number[]): void {
    if (path.length < 2) return;
    to.beginPath();
    let last: [number, number] | null = null;
    for (const latent of path) {
      const wrapped = latent.map((value, j) => this.wrapped(j, value));
      const place = this.placeOf(wrapped);
      if (last && Math.hypot(place[0] - last[0], place[1] - last[1]) < this.width / 2) to.lineTo(...place);
      else to.moveTo(...place);
      last = place;
    }
    to.setLineDash(dashes);
    to.strokeStyle = colour;
    to.lineWidth = 2.4;
    to.stroke();
    to.setLineDash([]);
  }
  private strokePixels(to: CanvasRenderingContext2D, path: [number, number][], close: boolean): void {
    if (path.length < 2) return;
    to.beginPath();
    for (const [k, place] of path.entries()) k === 0 ? to.moveTo(...place) : to.lineTo(...place);
    if (close) {
      to.closePath();
      to.fillStyle = theme("veil");
      to.fill();
    }
    to.strokeStyle = theme("accent");
    to.lineWidth = 2;
    to.stroke();
  }

  // ---- the reader

  private nearest(px: number, py: number, within: number): number | null {
    let found: number | null = null;
    let least = within * within;
    for (let i = 0; i < this.model.count; ++i) {
      if (!this.visible(i)) continue;
      const [x, y] = this.place(i);
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) [least, found] = [d, i];
    }
    return found;
  }

  private listen(): void {
    const canvas = this.canvas;
    const where = (event: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const inside = ([x, y]: [number, number]) =>
      x >= margin.left && x <= this.width - margin.right && y >= margin.top && y <= this.height - margin.bottom;
    let pressed: [number, number] | null = null;
    canvas.addEventListener("pointermove", (event) => {
      const at = where(event);
      if (this.dragging) {
        (this.mode === "lasso" ? this.lasso : this.drawing).push(at);
        this.drawOver();
      }
      if (!inside(at) || this.dragging) return;
      this.go(this.latentAt(...at));
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      pressed = where(event);
      if (this.mode === "lasso" || this.mode === "path") {
        this.dragging = true;
        this.lasso = [];
        this.drawing = [];
        canvas.setPointerCapture(event.pointerId);
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      const at = where(event);
      const still = pressed && Math.hypot(at[0] - pressed[0], at[1] - pressed[1]) < 4;
      pressed = null;
      if (this.dragging) {
        this.dragging = false;
        this.finishDrag();
      } else if (still && inside(at)) this.click(at);
    });
    canvas.addEventListener("pointercancel", () => {
      this.dragging = false;
      this.lasso = [];
      this.drawing = [];
      this.drawOver();
    });
    canvas.addEventListener("dblclick", () => this.home());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }
  private click(at: [number, number]): void {
    if (this.mode === "geodesic") {
      const end = this.latentAt(...at);
      const near = this.oneCoordinate ? null : this.nearest(...at, 8);
      const latent = near === null ? end : this.model.latent(near);
      if (!this.firstEnd) this.firstEnd = latent;
      else {
        this.handlers.ends(this.firstEnd, latent);
        this.firstEnd = null;
      }
      this.drawOver();
      return;
    }
    this.pick(this.nearest(...at, 12));
  }
  pick(i: number | null): void {
    this.picked = i;
    if (i !== null) this.at = this.model.latent(i);
    this.handlers.pick(i);
    this.drawOver();
    this.said.textContent = i === null ? "" : `${nameOf(this.data, i)}. ${labelOf(this.data, i)}`;
  }
  private finishDrag(): void {
    if (this.mode === "lasso" && this.lasso.length > 2) {
      const caught: number[] = [];
      for (let i = 0; i < this.model.count; ++i)
        if (this.visible(i) && contains(this.lasso, this.place(i))) caught.push(i);
      this.marked = new Set(caught);
      this.handlers.caught(caught);
    } else if (this.mode === "path" && this.drawing.length > 2) {
      this.handlers.drawn(this.drawing.map(([x, y]) => this.latentAt(x, y)));
    }
    this.lasso = [];
    this.drawing = [];
    this.draw();
  }
  private key(event: KeyboardEvent): void {
    const [x, y] = this.placeOf(this.at);
    const step = event.shiftKey ? 32 : 8;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    };
    if (moves[event.key]) this.go(this.latentAt(x + moves[event.key][0], y + moves[event.key][1]));
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.5);
    else if (event.key === "-") this.zoomBy(1 / 1.5);
    else if (event.key === "0") this.home();
    else if (event.key === "Enter" && this.mode === "geodesic") this.click([x, y]);
    else if (event.key === "Enter") this.pick(this.nearest(x, y, Infinity));
    else if (event.key === "Escape") this.pick(null);
    else return;
    event.preventDefault();
    const at = this.at.map((value) => value.toPrecision(3)).join(", ");
    if (moves[event.key]) this.said.textContent = `At ${at}`;
  }
  private go(latent: number[]): void {
    this.at = latent;
    this.handlers.point(latent);
    this.drawOver();
  }
}

function line(to: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  to.beginPath();
  to.moveTo(x1, y1);
  to.lineTo(x2, y2);
  to.stroke();
}

function rgb(colour: string): number[] {
  if (colour.startsWith("rgb(")) return colour.slice(4, -1).split(",").map(Number);
  const hex = colour.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// Even-odd rule.
function contains(polygon: [number, number][], [x, y]: [number, number]): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

function sample(count: number, most: number): Uint32Array {
  const all = Uint32Array.from({ length: Math.min(count, most) }, (_, i) =>
    count <= most ? i : Math.floor((i * count) / most),
  );
  return all;
}

function heightsOf(data: PageData, count: number): Float64Array {
  const colour = data.colour;
  return Float64Array.from({ length: count }, (_, i) => {
    if (colour.kind === "groups") return -colour.of[i];
    if (colour.kind === "numbers") return colour.numbers[i] ?? NaN;
    return i + 1;
  });
}
