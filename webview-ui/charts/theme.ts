import { signal } from "@preact/signals";
import { PALETTE_SIZE } from "./line-styles.js";

/** Colours of the current VS Code theme as a canvas understands them: [r, g, b, a], 0-255 and 0-1. */
export type Rgba = readonly [number, number, number, number];

export interface ChartTheme {
  readonly foreground: Rgba;
  /** Of the cards that charts stand on. */
  readonly background: Rgba;
  readonly muted: Rgba;
  readonly grid: Rgba;
  readonly shade: Rgba;
  readonly mark: Rgba;
  readonly error: Rgba;
  readonly surface: Rgba;
  readonly border: Rgba;
  readonly palette: readonly Rgba[];
  readonly fontFamily: string;
  readonly highContrast: boolean;
}

/** Follows the theme: VS Code changes the body's classes and the root's variables. */
export const chartTheme = signal<ChartTheme | undefined>(undefined);

/** Reads the theme now and whenever it changes; returns what stops it. */
export function followTheme(): () => void {
  const read = () => {
    chartTheme.value = readTheme();
  };
  read();
  const observer = new MutationObserver(read);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-vscode-theme-id"] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  return () => observer.disconnect();
}

export function css([r, g, b, a]: Rgba, opacity = 1): string {
  return `rgba(${r}, ${g}, ${b}, ${Number((a * opacity).toFixed(3))})`;
}

function readTheme(): ChartTheme {
  const style = getComputedStyle(document.body);
  const resolve = colorResolver();
  const color = (name: string) => resolve(style.getPropertyValue(name).trim());
  return {
    foreground: color("--sm-foreground"),
    background: color("--sm-card"),
    muted: color("--sm-muted"),
    grid: color("--sm-grid"),
    shade: color("--sm-shade"),
    mark: color("--sm-mark"),
    error: color("--sm-error"),
    surface: color("--sm-tooltip"),
    border: color("--sm-border"),
    palette: Array.from({ length: PALETTE_SIZE }, (_, i) => color(`--sm-series-${i + 1}`)),
    fontFamily: style.fontFamily,
    highContrast:
      document.body.classList.contains("vscode-high-contrast") ||
      document.body.classList.contains("vscode-high-contrast-light"),
  };
}

/** Any CSS colour, `color-mix()` included, by painting one pixel: Chart.js reads only the older notations. */
function colorResolver(): (css: string) => Rgba {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return (text) => {
    if (context === null) return [128, 128, 128, 1];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = "transparent";
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0, a = 0] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
}
