// What the page was told besides the model: see live_data.cpp.

export interface AxisData {
  label: string;
  low: number;
  high: number;
  angle: boolean;
  middle: number;
}

export type Colouring =
  | { kind: "none" }
  | { kind: "groups"; name: string; groups: string[]; of: number[] }
  | { kind: "numbers"; name: string; numbers: (number | null)[]; low: number; high: number };

export type ViewKind = "flat" | "globe" | "ellipsoid" | "frames" | "landmarks" | "space";

export interface PageData {
  name: string;
  manifold: string;
  view: ViewKind;
  given: boolean;
  axes: AxisData[];
  unit: string;
  noise: number;
  points: number;
  names: { heading: string; cells?: string[]; rows?: number[] };
  colours: Colouring[]; // one to choose from
  colour: Colouring; // the one that was chosen
  channels?: string[];
  residuals?: (number | null)[];
  rms?: number;
  served?: boolean; // by wgp explore, which the page may ask
}

export function nameOf(data: PageData, i: number): string {
  const { heading, cells, rows } = data.names;
  const cell = cells ? cells[i] : String((rows ? rows[i] : i) + 1);
  return `${heading} ${cell}`;
}

export function labelOf(data: PageData, i: number): string {
  const colour = data.colour;
  if (colour.kind === "groups") return `${colour.name}: ${colour.groups[colour.of[i]]}`;
  if (colour.kind === "numbers") return `${colour.name}: ${colour.numbers[i] ?? "missing"}`;
  return "";
}
