// A path through the latent space: drawn by hand, or a geodesic; played as a film, and saved.
import type { PageData } from "./data";
import { button, element, number } from "./dom";
import type { LatentPlot } from "./latent_plot";
import type { LookPanel } from "./look_panel";
import type { Model } from "./model";
import { csv, gif, save, saveSvg } from "./save";

const nodes = 60;
const frameMilliseconds = 80;
const stripPlaces = 8;

export class PathPanel {
  readonly node: HTMLElement;
  private path: number[][] = [];
  private playing = 0;
  private readonly slider: HTMLInputElement;
  private readonly play: HTMLButtonElement;
  private readonly said: HTMLElement;

  constructor(
    private readonly model: Model,
    private readonly data: PageData,
    private readonly plot: LatentPlot,
    private readonly look: LookPanel,
  ) {
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: nodes - 1,
      value: 0,
      "aria-label": "Place on the path",
      input: () => this.at(Number(this.slider.value)),
    });
    this.play = button("Play", () => this.toggle());
    this.said = element("p", { class: "words", "aria-live": "polite" });
    this.node = element(
      "div",
      { class: "path", hidden: true },
      element("div", { class: "tools" }, this.play, this.slider),
      this.said,
      element(
        "div",
        { class: "tools" },
        button("Film (GIF)", () => void this.saveFilm()),
        button("Strip (SVG)", () => this.saveStrip()),
        button("Table (CSV)", () => this.saveTable()),
        button("Forget the path", () => this.clear()),
      ),
    );
  }

  drawn(path: number[][]): void {
    this.set(evenly(this.unwrapped(path), nodes), []);
    this.said.textContent = `A path of ${nodes} places.`;
  }
  geodesic(from: number[], to: number[]): void {
    this.said.textContent = "Looking for the shortest path …";
    window.setTimeout(() => {
      try {
        const found = this.model.geodesic(from, to, nodes);
        const ends = this.unwrapped([from, to]);
        this.set(found.nodes, evenly(ends, nodes));
        this.said.textContent =
          `The shortest path where the model has seen data (line): ${number(found.length, 3)} long; ` +
          `the straight one (dashed): ${number(found.straight, 3)}.`;
      } catch (error) {
        this.said.textContent = String(error);
      }
    }, 20);
    this.node.hidden = false;
  }
  clear(): void {
    this.stop();
    this.path = [];
    this.plot.setPath([]);
    this.look.showPath(null);
    this.node.hidden = true;
  }

  get isPlaying(): boolean {
    return this.playing !== 0;
  }

  private set(path: number[][], straight: number[][]): void {
    this.stop();
    this.path = path;
    this.plot.setPath(path, straight);
    this.look.showPath(this.model.decode(path.flat()));
    this.node.hidden = false;
    this.at(0);
  }
  private at(k: number): void {
    this.slider.value = String(k);
    const latent = this.path[k].map((value, j) =>
      this.data.axes[j].angle ? value - 2 * Math.PI * Math.round(value / (2 * Math.PI)) : value,
    );
    this.plot.moveTo(latent);
    this.look.show(latent);
  }
  private toggle(): void {
    if (this.playing) {
      this.stop();
      return;
    }
    this.play.textContent = "Pause";
    let k = Number(this.slider.value);
    this.playing = window.setInterval(() => {
      k = (k + 1) % this.path.length;
      this.at(k);
    }, frameMilliseconds);
  }
  private stop(): void {
    window.clearInterval(this.playing);
    this.playing = 0;
    this.play.textContent = "Play";
  }
  private async saveFilm(): Promise<void> {
    this.stop();
    const frames: HTMLCanvasElement[] = [];
    for (let k = 0; k < this.path.length; ++k) {
      this.at(k);
      frames.push(await this.look.frame());
    }
    save("path.gif", gif(frames, frameMilliseconds) as BlobPart, "image/gif");
  }
  // Places along the path side by side, for papers.
  private saveStrip(): void {
    this.stop();
    const side = 200;
    const pictures = Array.from({ length: stripPlaces }, (_, place) => {
      this.at(Math.round((place * (this.path.length - 1)) / (stripPlaces - 1)));
      return this.look.svg().replace("<svg", `<svg x="${place * side}" y="0"`);
    });
    // Each keeps its shape within its box: a view box is what scales it.
    const placed = pictures.map((one) => one.replace(/ width="[\d.]+"/, ` width="${side}"`).replace(/ height="[\d.]+"/, ` height="${side}"`));
    saveSvg(
      "path",
      `<svg xmlns="http://www.w3.org/2000/svg" width="${stripPlaces * side}" height="${side}" viewBox="0 0 ${stripPlaces * side} ${side}">${placed.join("")}</svg>`,
    );
  }
  private saveTable(): void {
    const points = this.model.rows(this.model.decode(this.path.flat()));
    const width = this.model.rowWidth;
    const header = [
      ...this.data.axes.map((_, j) => `latent${j + 1}`),
      ...Array.from({ length: width }, (_, k) => `x${k + 1}`),
    ];
    const rows = this.path.map((latent, k) => [
      ...latent,
      ...points.subarray(k * width, (k + 1) * width),
    ]);
    save("path.csv", csv(header, rows), "text/csv");
  }
  // Angles that go on where they would jump.
  private unwrapped(path: number[][]): number[][] {
    const made: number[][] = [];
    for (const latent of path) {
      const last = made[made.length - 1];
      made.push(
        latent.map((value, j) =>
          last && this.data.axes[j].angle ? value - 2 * Math.PI * Math.round((value - last[j]) / (2 * Math.PI)) : value,
        ),
      );
    }
    return made;
  }
}

// The same line by nodes that are equally far apart.
function evenly(path: number[][], count: number): number[][] {
  const lengths = [0];
  for (let k = 1; k < path.length; ++k)
    lengths.push(lengths[k - 1] + Math.hypot(...path[k].map((value, j) => value - path[k - 1][j])));
  const whole = lengths[lengths.length - 1];
  const made: number[][] = [];
  let k = 0;
  for (let i = 0; i < count; ++i) {
    const at = (whole * i) / (count - 1);
    while (k + 2 < path.length && lengths[k + 1] < at) ++k;
    const step = lengths[k + 1] - lengths[k] || 1;
    const share = Math.min(Math.max((at - lengths[k]) / step, 0), 1);
    made.push(path[k].map((value, j) => value + share * (path[Math.min(k + 1, path.length - 1)][j] - value)));
  }
  return made;
}
