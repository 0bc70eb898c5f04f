// Puts the page together once the model is open.
import { labelOf, nameOf, type PageData } from "./data";
import { button, choice, element, number } from "./dom";
import { LatentPlot, type Mode } from "./latent_plot";
import { legend } from "./legend";
import { list, LookPanel } from "./look_panel";
import { Model, unpacked } from "./model";
import { PathPanel } from "./path_panel";
import { painted, save, savePng, saveSvg } from "./save";
import { newPoints } from "./served";

const mostFound = 8;

function textOf(id: string): string {
  const node = document.getElementById(id);
  const text = node?.textContent ?? "";
  node?.remove();
  return text;
}

async function start(): Promise<void> {
  const module = (window as unknown as { wgpModule: Uint8Array }).wgpModule;
  const data = JSON.parse(textOf("page-data")) as PageData;
  data.colour = data.colours[0];
  const bytes = await unpacked(textOf("page-model"));
  const model = await Model.open(module, bytes);
  document.documentElement.classList.add("live");
  build(document.getElementById("explorer")!, model, data);
  document.getElementById("use")?.append(
    element(
      "div",
      { class: "tools" },
      button("Save the model", () => save(data.name.endsWith(".wgp") ? data.name : `${data.name}.wgp`, bytes as BlobPart, "application/zip")),
      " This page carries it.",
    ),
  );
  document.documentElement.dataset.ready = performance.now().toFixed(0);
}

function build(to: HTMLElement, model: Model, data: PageData): void {
  const look = new LookPanel(model, data);
  const caught = element("div", { class: "caught", "aria-live": "polite" });
  const plot = new LatentPlot(model, data, {
    point: (x) => path.isPlaying || look.show(x),
    pick: (i) => look.compare(i),
    caught: (points) => caught.replaceChildren(...summary(model, data, points, look, plot)),
    drawn: (latents) => path.drawn(latents),
    ends: (from, end) => path.geodesic(from, end),
  });
  const path = new PathPanel(model, data, plot, look);
  look.node.addEventListener("letgo", () => plot.pick(null));

  const modes: [string, string][] = [
    ["point", "Point"],
    ["path", "Draw a path"],
    ["geodesic", "Shortest path"],
    ["lasso", "Lasso"],
  ];
  const hints: Record<Mode, string> = {
    point: "Move over the plot to decode; click a point to compare it; drag to move, wheel or pinch to zoom.",
    path: "Press and draw a line; then play it.",
    geodesic: "Click two places or points.",
    lasso: "Draw round the points that you want to catch.",
  };
  const hint = element("p", { class: "words" }, hints.point);
  const tools = element(
    "div",
    { class: "tools" },
    choice("What the pointer does", modes, "point", (mode) => {
      plot.setMode(mode as Mode);
      hint.textContent = hints[mode as Mode];
    }),
    button("+", () => plot.zoomBy(1.5), { "aria-label": "Zoom in" }),
    button("−", () => plot.zoomBy(1 / 1.5), { "aria-label": "Zoom out" }),
    button("All", () => plot.home(), { "aria-label": "Show all points" }),
  );
  if (model.latentSd) {
    const box = element("input", {
      type: "checkbox",
      change: () => {
        plot.showSpread = box.checked;
        plot.draw();
      },
    });
    tools.append(element("label", {}, box, " each point's own sd"));
  }

  const shade = element("p", { class: "words shade" });
  plot.node.addEventListener("shaded", (event) => {
    const { low, high } = (event as CustomEvent<{ low: number; high: number }>).detail;
    const unit = data.unit ? ` ${data.unit}` : "";
    shade.replaceChildren(
      element("span", { class: "ramp-of-shade", "aria-hidden": "true" }),
      `Shading: standard deviation of the prediction in one tangent direction, from ${number(low, 2)} to ` +
        `${number(high, 2)}${unit}: clear where the model knows, grey where it guesses. New points scatter about the prediction by ` +
        `${number(data.noise, 2)}${unit} more.`,
    );
  });

  const colours = element("div");
  const colour = () => {
    const made = legend(
      data,
      (hidden) => plot.setHidden(hidden),
      (group) => plot.lift(group),
    );
    colours.replaceChildren(...(made ? [made] : []));
  };
  colour();
  if (data.colours.length > 1) {
    const names = element("select", {
      change: () => {
        data.colour = data.colours[Number(names.value)];
        plot.setColour();
        colour();
        look.setColour();
      },
    });
    data.colours.forEach((one, k) => names.append(element("option", { value: k }, one.kind === "none" ? "nothing" : one.name)));
    tools.append(element("label", {}, "Colour by ", names));
  }
  const left = element(
    "section",
    { class: "panel latent", "aria-label": data.given ? "Input space" : "Latent space" },
    element("h2", {}, data.given ? "Input space" : "Latent space"),
    tools,
    search(model, data, plot),
    ...axisChoices(model, data, plot, look),
    plot.node,
    hint,
    path.node,
    caught,
    ...(data.served ? [newPoints(model, plot, look)] : []),
    shade,
    colours,
    element(
      "div",
      { class: "tools" },
      button("PNG", () => void savePng("latent", plot.canvas)),
    ),
  );
  to.append(left, look.node);
  leadToExplorer(to);
  for (const figure of document.querySelectorAll("figure")) addDownloads(figure);
  look.show(startingPlace(model, plot));
}

// What this part takes the place of is not there to be led to.
function leadToExplorer(to: HTMLElement): void {
  to.tabIndex = -1;
  let first = true;
  for (const still of document.querySelectorAll("section.still")) {
    const link = document.querySelector(`nav a[href="#${still.id}"]`);
    if (first && link) {
      link.setAttribute("href", "#explorer");
      link.textContent = "Explore";
      first = false;
    } else link?.closest("li")?.remove();
  }
}

// A point of the data that the model is sure of: better than an empty middle.
function startingPlace(model: Model, plot: LatentPlot): number[] {
  const middle = Math.floor(model.count / 2);
  const latent = model.latent(middle);
  plot.moveTo(latent);
  return latent;
}

function search(model: Model, data: PageData, plot: LatentPlot): HTMLElement {
  const found = element("ul", { class: "found" });
  const look = (text: string): number[] => {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const all: number[] = [];
    for (let i = 0; i < model.count; ++i) {
      const name = nameOf(data, i).toLowerCase();
      const cell = name.slice(data.names.heading.length + 1);
      if (cell === wanted || name === wanted) return [i];
      if (cell.includes(wanted) || labelOf(data, i).toLowerCase().includes(wanted)) all.push(i);
    }
    return all;
  };
  const input = element("input", {
    type: "search",
    placeholder: `Find by ${data.names.heading}${data.colour.kind === "none" ? "" : " or label"}`,
    "aria-label": "Find points",
    input: () => {
      const points = look(input.value);
      plot.mark(points);
      found.replaceChildren(
        ...points.slice(0, mostFound).map((i) =>
          element("li", {}, button(`${nameOf(data, i)} ${labelOf(data, i)}`.trim(), () => plot.pick(i))),
        ),
      );
      if (points.length > mostFound) found.append(element("li", {}, `and ${points.length - mostFound} more`));
      if (points.length === 0 && input.value.trim()) found.append(element("li", {}, "none"));
    },
    keydown: (event: KeyboardEvent) => {
      if (event.key !== "Enter") return;
      const points = look(input.value);
      if (points.length > 0) plot.pick(points[0]);
    },
  });
  return element("div", { class: "search" }, input, found);
}

// Where there are more than two coordinates: which two are seen, and where the others stand.
function axisChoices(model: Model, data: PageData, plot: LatentPlot, look: LookPanel): HTMLElement[] {
  if (model.latentDim < 3) return [];
  const row = element("div", { class: "tools" });
  const sliders = element("div", { class: "sliders" });
  const chosen: [number, number] = [0, 1];
  const fill = () => {
    sliders.replaceChildren(
      ...data.axes.flatMap((axis, j) => {
        if (chosen.includes(j)) return [];
        const slider = element("input", {
          type: "range",
          min: axis.low,
          max: axis.high,
          step: (axis.high - axis.low) / 200,
          value: plot.others[j],
          input: () => {
            plot.setOther(j, Number(slider.value));
            look.show(plot.at);
          },
        });
        return [element("label", {}, axis.label, slider)];
      }),
    );
  };
  for (const [which, name] of [
    [0, "across"],
    [1, "up"],
  ] as [0 | 1, string][]) {
    const list = element("select", {
      "aria-label": `Coordinate ${name}`,
      change: () => {
        const picked = Number(list.value);
        if (chosen[1 - which] === picked) return;
        chosen[which] = picked;
        plot.setAxes([...chosen]);
        fill();
      },
    });
    data.axes.forEach((axis, j) => list.append(element("option", { value: j, selected: j === chosen[which] }, axis.label)));
    row.append(element("label", {}, `${name} `, list));
  }
  fill();
  return [row, sliders];
}

// What the lasso caught: how many, which groups, how far they spread, and the object in their middle.
function summary(model: Model, data: PageData, points: number[], look: LookPanel, plot: LatentPlot): Node[] {
  if (points.length === 0) return [];
  const q = model.latentDim;
  const middle = data.axes.map((axis, j) => {
    if (!axis.angle) return points.reduce((sum, i) => sum + model.latents[i * q + j], 0) / points.length;
    let sine = 0;
    let cosine = 0;
    for (const i of points) {
      sine += Math.sin(model.latents[i * q + j]);
      cosine += Math.cos(model.latents[i * q + j]);
    }
    return Math.atan2(sine, cosine);
  });
  const centre = model.look(middle, 0).point;
  const lines: [string, string][] = [["points", String(points.length)]];
  if (centre && model.observed) {
    let squares = 0;
    for (const i of points) squares += model.distance(centre, model.observedPoint(i)!) ** 2;
    lines.push([
      "distance from the decoded middle (root mean square)",
      `${number(Math.sqrt(squares / points.length), 3)}${data.unit ? ` ${data.unit}` : ""}`,
    ]);
  }
  if (data.colour.kind === "groups") {
    const counts = new Map<number, number>();
    for (const i of points) counts.set(data.colour.of[i], (counts.get(data.colour.of[i]) ?? 0) + 1);
    const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 6);
    lines.push([data.colour.name, most.map(([group, count]) => `${(data.colour as { groups: string[] }).groups[group]} ${count}`).join(", ")]);
  }
  plot.moveTo(middle);
  look.show(middle);
  return [
    element("h3", {}, "Caught"),
    list(lines),
    button("Let go", () => {
      plot.mark([]);
      plot.node.closest("section")!.querySelector(".caught")!.replaceChildren();
    }),
  ];
}

function addDownloads(figure: HTMLElement): void {
  const svg = figure.querySelector("svg");
  if (!svg) return;
  const name = figure.closest("section")?.id ?? "figure";
  const box = (svg.getAttribute("viewBox") ?? "0 0 600 400").split(" ").map(Number);
  figure.append(
    element(
      "div",
      { class: "tools" },
      button("SVG", () => saveSvg(name, svg.outerHTML), { "aria-label": `Save ${name} as SVG` }),
      button(
        "PNG",
        () => void painted(svg.outerHTML, 2 * box[2], 2 * box[3]).then((canvas) => savePng(name, canvas)),
        { "aria-label": `Save ${name} as PNG` },
      ),
    ),
  );
}

start().catch((error) => {
  const to = document.getElementById("explorer")!;
  to.append(element("p", { class: "failed", role: "alert" }, `The page is not alive here: ${error.message ?? error}. The figures below are.`));
  document.documentElement.classList.remove("live");
});
