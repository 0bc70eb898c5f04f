// Elements without markup: whatever a label contains stays text.

type Attributes = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

export function button(text: string, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", click: press, ...attributes }, text);
}

// A number as a person writes it.
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(digits - 1) : String(+value.toPrecision(digits));
  return text.replace("-", "−");
}

// One of several; says itself to screen readers.
export function choice(
  name: string,
  options: [string, string][],
  chosen: string,
  change: (value: string) => void,
): HTMLElement {
  const group = element("div", { class: "choice", role: "radiogroup", "aria-label": name });
  for (const [value, text] of options) {
    const input = element("input", { type: "radio", name, value, checked: value === chosen, change: () => change(value) });
    group.append(element("label", {}, input, text));
  }
  return group;
}
