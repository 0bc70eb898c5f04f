// What the model says where the reader is: the object, in its manifold's own picture, and facts about it.
import type { PageData } from "./data";
import { labelOf, nameOf } from "./data";
import { button, choice, element, number } from "./dom";
import type { Look, Model, Spread } from "./model";
import { csv, onWhite, painted, save, savePng, saveSvg } from "./save";
import { spaceView, type SpaceView } from "./scene";

const filmSide = 360;

export class LookPanel {
  readonly node: HTMLElement;
  look: Look | null = null;
  private spread: Spread = 2;
  private beside: number | null = null; // a training point
  private readonly space: SpaceView | null;
  private readonly flat: HTMLElement;
  private readonly where: HTMLElement;
  private readonly facts: HTMLElement;
  private readonly chosen: HTMLElement;
  private readonly ranks: Map<number, number> | null;

  constructor(
    private readonly model: Model,
    private readonly data: PageData,
  ) {
    this.space = spaceView(model, data);
    this.flat = element("div", { class: "picture", role: "img", "aria-label": "The predicted point" });
    this.where = element("p", { class: "where" });
    this.facts = element("dl", { class: "facts" });
    this.chosen = element("div", { class: "chosen" });
    this.ranks = ranksOf(data);
    const shown = choice(
      "Uncertainty",
      [
        ["2", "new points"],
        ["1", "the prediction itself"],
        ["0", "none"],
      ],
      "2",
      (value) => {
        this.spread = Number(value) as Spread;
        this.repeat();
      },
    );
    this.node = element(
      "section",
      { class: "panel look", "aria-label": "Decoded point" },
      element("h2", {}, "The model here"),
      this.where,
      element("div", { class: "tools" }, element("span", {}, "Show draws of"), shown),
      this.space ? this.space.node : this.flat,
      this.facts,
      this.chosen,
      element("p", { class: "words" }, this.space ? this.space.words : model.pictureWords()),
      element(
        "div",
        { class: "tools" },
        button("SVG", () => saveSvg("decoded", this.svg())),
        button("PNG", () => void this.frame(1024).then((canvas) => savePng("decoded", canvas))),
        button("CSV", () => this.saveNumbers()),
      ),
    );
  }

  show(x: number[]): void {
    const begin = performance.now();
    try {
      this.look = this.model.look(x, this.spread);
    } catch (error) {
      this.where.textContent = String(error);
      return;
    }
    const other = this.beside === null ? null : this.model.observedPoint(this.beside);
    if (this.space) this.space.show(this.look, other);
    else this.picture(other);
    this.say();
    this.node.dataset.milliseconds = (performance.now() - begin).toFixed(2);
    this.node.dataset.point = this.look.point ? this.model.rows(this.look.point).join(",") : "";
    this.node.dataset.latent = x.join(",");
  }
  repeat(): void {
    if (this.look) this.show(this.look.x);
  }
  setColour(): void {
    this.space?.recolour();
    this.compare(this.beside);
  }
  showPath(points: Float64Array | null): void {
    this.space?.showPath(points);
  }
  // The SVG comes from the library, which escapes all text.
  private picture(other: ArrayLike<number> | null): void {
    this.flat.innerHTML = this.model.picture(other);
  }

  // A training point beside what the model makes of it.
  compare(i: number | null): void {
    this.beside = i;
    this.chosen.replaceChildren();
    if (i !== null) {
      const observed = this.model.observedPoint(i);
      const label = labelOf(this.data, i);
      const lines: [string, string][] = [];
      if (label) lines.push(["label", label]);
      const reconstructed = this.model.look(this.model.latent(i), 0).point;
      if (observed && reconstructed) {
        const distance = this.model.distance(reconstructed, observed);
        lines.push(["distance from its reconstruction", `${number(distance)}${this.unit()}`]);
        const rank = this.ranks?.get(i);
        if (rank !== undefined)
          lines.push(["place among the points that fit worst", `${rank} of ${this.ranks!.size}`]);
      } else if (!observed) lines.push(["point", "not in the model: wgp report --data FILE shows it"]);
      const sd = this.model.latentSd;
      if (sd) {
        const q = this.model.latentDim;
        lines.push(["sd of its own coordinates", Array.from(sd.subarray(i * q, (i + 1) * q), (v) => number(v, 3)).join(", ")]);
      }
      this.chosen.append(
        element("h3", {}, nameOf(this.data, i)),
        list(lines),
        button("Let go", () => this.node.dispatchEvent(new CustomEvent("letgo"))),
      );
    }
    this.repeat();
  }
  private unit(): string {
    return this.data.unit ? ` ${this.data.unit}` : "";
  }

  private say(): void {
    const look = this.look!;
    const at = look.x.map((value, j) => `${this.data.axes[j].label} ${number(value, 3)}`).join(", ");
    this.where.textContent = `At ${at}`;
    this.facts.replaceChildren(...list(look.facts).childNodes);
  }

  svg(): string {
    return this.space ? this.space.svg() : (this.flat.firstElementChild?.outerHTML ?? "");
  }
  // What is seen, as pixels.
  async frame(side = filmSide): Promise<HTMLCanvasElement> {
    if (this.space) {
      const seen = this.space.image();
      return seen ? onWhite(seen, side) : painted(this.space.svg(), side, side);
    }
    const drawn = this.flat.firstElementChild;
    const box = drawn?.getAttribute("viewBox")?.split(" ").map(Number) ?? [0, 0, 1, 1];
    return painted(this.svg(), side, Math.round((side * box[3]) / box[2]));
  }
  private saveNumbers(): void {
    if (!this.look?.point) return;
    const row = this.model.rows(this.look.point);
    save("decoded.csv", csv(Array.from(row, (_, k) => `x${k + 1}`), [row]), "text/csv");
  }
}

export function list(lines: [string, string][]): HTMLElement {
  const made = element("dl", { class: "facts" });
  for (const [name, value] of lines) made.append(element("dt", {}, name), element("dd", {}, value));
  return made;
}

function ranksOf(data: PageData): Map<number, number> | null {
  if (!data.residuals) return null;
  const known = data.residuals.map((value, i) => [value, i] as const).filter(([value]) => value !== null);
  known.sort((a, b) => b[0]! - a[0]!);
  return new Map(known.map(([, i], place) => [i, place + 1]));
}
