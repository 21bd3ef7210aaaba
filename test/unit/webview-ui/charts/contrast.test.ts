import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PALETTE_SIZE } from "../../../../webview-ui/charts/line-styles.js";
import { contrast, seen, type Rgba } from "../../../support/contrast.js";
import { THEMES, type ThemeName } from "../../../support/view-harness/themes.js";

const CSS = readFileSync(new URL("../../../../webview-ui/styles/theme.css", import.meta.url), "utf8");

/** The values of custom properties in a theme: VS Code's and those of the style sheet. */
function propertiesOf(theme: ThemeName): ReadonlyMap<string, string> {
  const { bodyClass, variables } = THEMES[theme];
  const found = new Map(Object.entries(variables).map(([name, value]) => [`--vscode-${name}`, value]));
  for (const [, selectors = "", body = ""] of CSS.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    if (!selectors.split(",").some((one) => ["body", `body.${bodyClass}`].includes(one.trim()))) continue;
    for (const [, name = "", value = ""] of body.matchAll(/(--[\w-]+):\s*([^;]+);/g)) found.set(name, value);
  }
  return found;
}

/** The parts between the commas that lie in no parentheses. */
const partsOf = (list: string): string[] => list.split(/,(?![^(]*\))/).map((part) => part.trim());

function colorOf(text: string, properties: ReadonlyMap<string, string>): Rgba {
  const [, name = "", inner = ""] = /^([\w-]+)\((.*)\)$/s.exec(text.trim()) ?? [];
  if (name === "var") {
    const [property = "", ...fallback] = partsOf(inner);
    return colorOf(properties.get(property) ?? fallback.join(", "), properties);
  }
  if (name === "color-mix") {
    const [, first = "", second = ""] = partsOf(inner);
    const [, color = "", percent = ""] = /^(.*) ([\d.]+)%$/.exec(first) ?? [];
    const [[r, g, b, a], share] = [colorOf(color, properties), Number(percent) / 100];
    return second === "transparent" ? [r, g, b, a * share] : seen([[r, g, b, a * share], colorOf(second, properties)]);
  }
  if (name === "rgba" || name === "rgb") {
    const [r = 0, g = 0, b = 0, a = 1] = partsOf(inner).map(Number);
    return [r, g, b, a];
  }
  if (text.trim() === "black") return [0, 0, 0, 1];
  const digits = /^#(?:([0-9a-f]{6})|([0-9a-f]{3}))$/i.exec(text.trim());
  if (digits === null) throw new Error(`"${text}" is no color that is read here`);
  const hex = digits[1] ?? [...(digits[2] ?? "")].map((one) => one + one).join("");
  const part = (at: number) => parseInt(hex.slice(at, at + 2), 16);
  return [part(0), part(2), part(4), 1];
}

/** As WCAG 2.2 has it. */
const [LINES, WORDS] = [3, 4.5];

it.each(["dark", "light", "hc", "hc-light"] as const)("charts can be told and read in the theme %s", (theme) => {
  const properties = propertiesOf(theme);
  const color = (name: string, opacity = 1): Rgba => {
    const [r, g, b, a] = colorOf(`var(--sm-${name})`, properties);
    return [r, g, b, a * opacity];
  };
  const [card, tooltip] = [color("card"), color("tooltip")];
  const drawn: readonly (readonly [what: string, color: Rgba, on: readonly Rgba[], least: number])[] = [
    ...Array.from({ length: PALETTE_SIZE }, (_, i) => {
      const name = `series-${i + 1}`;
      return [name, color(name), [card], LINES] as const;
    }),
    ["a threshold", color("error", 0.9), [card], LINES],
    ["a mark", color("mark", 0.75), [card], LINES],
    ["a boundary, a gap", color("muted", 0.8), [card], LINES],
    ["an axis", color("muted"), [card], WORDS],
    ["a word in a shaded stretch", color("foreground"), [color("shade"), card], WORDS],
    ...["foreground", "muted", "error"].map(
      (name) => [`${name}, in a tooltip`, color(name), [tooltip], WORDS] as const,
    ),
  ];
  const faint = drawn.flatMap(([what, front, on, least]) => {
    const ratio = contrast(front, on);
    return ratio < least ? [`${what}: ${ratio.toFixed(2)}`] : [];
  });
  expect(faint).toEqual([]);
});
