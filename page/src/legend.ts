// What colours mean; which groups are seen.
import { groupColour, markerOf, rampColour, traceMarker } from "./colours";
import type { PageData } from "./data";
import { button, element, number } from "./dom";

const stops = 24;

export function legend(
  data: PageData,
  change: (hidden: Set<number>) => void,
  lift: (group: number | null) => void,
): HTMLElement | null {
  const colour = data.colour;
  if (colour.kind === "none") return null;
  const node = element("div", { class: "legend", role: "group", "aria-label": `Colour: ${colour.name}` });
  node.append(element("h3", {}, colour.name));
  if (colour.kind === "numbers") {
    const bar = element("div", { class: "ramp", "aria-hidden": "true" });
    for (let k = 0; k < stops; ++k) {
      const part = element("span");
      part.style.background = rampColour(k / (stops - 1));
      bar.append(part);
    }
    node.append(
      bar,
      element("div", { class: "ends" }, element("span", {}, number(colour.low)), element("span", {}, number(colour.high))),
    );
    return node;
  }
  const hidden = new Set<number>();
  const counts = new Array<number>(colour.groups.length).fill(0);
  for (const group of colour.of) ++counts[group];
  const entries = element("ul");
  const buttons = colour.groups.map((name, group) => {
    const mark = element("canvas", { width: 36, height: 36, "aria-hidden": "true" });
    const to = mark.getContext("2d")!;
    const example = colour.of.indexOf(group);
    to.beginPath();
    traceMarker(to, example < 0 ? 0 : markerOf(colour, example), 18, 18, 11);
    to.fillStyle = groupColour(group);
    to.fill();
    to.lineWidth = 1.4;
    to.strokeStyle = "#222";
    to.stroke();
    const entry = element(
      "button",
      {
        type: "button",
        "aria-pressed": "true",
        title: "Click to hide or show, double-click for this one alone",
        click: () => {
          hidden.has(group) ? hidden.delete(group) : hidden.add(group);
          tell();
        },
        dblclick: () => {
          hidden.clear();
          colour.groups.forEach((_, other) => other !== group && hidden.add(other));
          tell();
        },
        pointerenter: () => lift(group),
        pointerleave: () => lift(null),
        focus: () => lift(group),
        blur: () => lift(null),
      },
      mark,
      element("span", { class: "name", dir: "auto" }, name),
      element("span", { class: "count" }, String(counts[group])),
    );
    entries.append(element("li", {}, entry));
    return entry;
  });
  const tell = () => {
    buttons.forEach((entry, group) => entry.setAttribute("aria-pressed", String(!hidden.has(group))));
    change(new Set(hidden));
  };
  node.append(
    entries,
    button("Show all", () => {
      hidden.clear();
      tell();
    }),
  );
  return node;
}
