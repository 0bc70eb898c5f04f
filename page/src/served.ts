// What a page can do besides where wgp explore serves it: encode the points of a file that the reader drops on it.
import { theme } from "./colours";
import { button, element, number } from "./dom";
import type { LatentPlot } from "./latent_plot";
import type { LookPanel } from "./look_panel";
import type { Model } from "./model";
import { csv, save } from "./save";

interface Encoded {
  columns: string[];
  rows: (number | string | null)[][];
  row_numbers: number[];
  messages: string[];
}
interface NewPoint {
  name: string;
  latent: number[];
}

const mostRows = 200; // of the table on the page; the CSV has all

// The server's answer, or an error in its words.
async function encoded(file: File): Promise<Encoded> {
  let response: Response;
  try {
    response = await fetch(`encode?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  } catch {
    throw new Error(
      `${file.name} did not arrive: wgp explore has ended, or the file is larger than the 64 MB that it takes.`,
    );
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Encoded;
  if (response.status === 413) throw new Error(`${file.name} is larger than the 64 MB that wgp explore takes: wgp encode takes any size.`);
  let words = text;
  try {
    words = (JSON.parse(text) as { error: string }).error;
  } catch {
    // plain text
  }
  throw new Error(words);
}

export function newPoints(model: Model, plot: LatentPlot, look: LookPanel): HTMLElement {
  const q = model.latentDim;
  let points: NewPoint[] = [];
  let marked = -1;
  const said = element("div", { class: "words", role: "status" });
  const table = element("div", { class: "scrolled", tabindex: 0, role: "group", "aria-label": "New points" });
  table.hidden = true;

  // Diamonds with a cross: no marker of the data looks like them, in any colour.
  plot.layers.push((to) => {
    points.forEach((point, k) => {
      const [x, y] = plot.placeOf(point.latent);
      const r = k === marked ? 9 : 6;
      to.beginPath();
      to.moveTo(x, y - r);
      to.lineTo(x + r, y);
      to.lineTo(x, y + r);
      to.lineTo(x - r, y);
      to.closePath();
      to.fillStyle = theme("paper");
      to.fill();
      to.moveTo(x - r, y);
      to.lineTo(x + r, y);
      to.moveTo(x, y - r);
      to.lineTo(x, y + r);
      to.lineWidth = k === marked ? 2.6 : 1.6;
      to.strokeStyle = theme("accent");
      to.stroke();
    });
  });

  const clear = () => {
    points = [];
    marked = -1;
    table.replaceChildren();
    table.hidden = true;
    said.replaceChildren();
    plot.draw();
  };
  const go = (k: number) => {
    marked = k;
    plot.moveTo(points[k].latent);
    plot.draw();
    look.show(points[k].latent);
  };
  const show = (file: File, found: Encoded) => {
    points = found.rows.map((row, k) => ({
      name: `row ${found.row_numbers[k]}`,
      latent: row.slice(0, q).map((value) => Number(value ?? NaN)),
    }));
    marked = -1;
    plot.draw();
    const odd = found.rows.filter((row) => row[row.length - 1] !== "ok").length;
    said.replaceChildren(
      element("p", {}, `${file.name}: ${points.length} encoded${odd > 0 ? `, ${odd} with a remark` : ""}; ◈ in the plot.`),
      ...found.messages.map((message) => element("p", {}, message)),
    );
    const header = ["row", ...found.columns];
    const rows = found.rows.slice(0, mostRows).map((row, k) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, button(points[k].name, () => go(k))),
        ...row.map((value) => element("td", {}, typeof value === "number" ? number(value) : String(value ?? "–"))),
      ),
    );
    table.replaceChildren(
      element(
        "table",
        { class: "wide" },
        element("caption", {}, `New points of ${file.name}; a row's button goes there.`),
        element("thead", {}, element("tr", {}, ...header.map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, ...rows),
      ),
      ...(found.rows.length > mostRows ? [element("p", { class: "words" }, `and ${found.rows.length - mostRows} more`)] : []),
      element(
        "div",
        { class: "tools" },
        button("CSV", () => save("encoded.csv", asCsv(header, found), "text/csv"), { "aria-label": "Save the new points as CSV" }),
        button("Remove", clear, { "aria-label": "Remove the new points" }),
      ),
    );
    table.hidden = false;
  };

  let asked = 0;
  const take = async (file: File | undefined) => {
    if (!file) return;
    const mine = ++asked;
    said.replaceChildren(element("p", {}, `${file.name} is being encoded …`));
    try {
      const found = await encoded(file);
      if (mine === asked) show(file, found);
    } catch (error) {
      if (mine !== asked) return;
      clear();
      said.replaceChildren(element("p", { class: "failed", role: "alert" }, (error as Error).message));
    }
  };
  const input = element("input", {
    type: "file",
    change: () => {
      void take(input.files?.[0]);
      input.value = ""; // the same file again is another one
    },
  });
  const zone = element(
    "div",
    { class: "drop" },
    element("label", {}, "Encode new points: drop a file here, or choose one ", input),
    element("p", { class: "words" }, "It is read as wgp encode reads files, by the server on this machine alone."),
    said,
    table,
  );
  // A file that misses the zone would take the page's place.
  const over = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    zone.classList.add("over");
  };
  window.addEventListener("dragover", over);
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) zone.classList.remove("over");
  });
  window.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.remove("over");
    void take(event.dataTransfer.files[0]);
  });
  return zone;
}

function asCsv(header: string[], found: Encoded): string {
  return csv(
    header,
    found.rows.map((row, k) => [found.row_numbers[k], ...row.map((value) => value ?? "nan")]) as unknown as number[][],
  );
}
