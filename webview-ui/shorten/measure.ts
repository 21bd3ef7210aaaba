import type { Measure } from "./text-group.js";

const measures = new Map<string, Measure>();
let context: CanvasRenderingContext2D | null | undefined;

/** The font that an element's text is drawn in, as a canvas takes it. */
export function fontOf(element: Element): string {
  const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  return `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
}

/** Widths in a font. Each letter is measured once: a table repeats the same few hundred. */
export function measureIn(font: string): Measure {
  let measure = measures.get(font);
  if (measure === undefined) {
    const widths = new Map<string, number>();
    measure = (letter) => {
      let width = widths.get(letter);
      if (width === undefined) widths.set(letter, (width = drawnWidth(letter, font)));
      return width;
    };
    measures.set(font, measure);
  }
  return measure;
}

function drawnWidth(text: string, font: string): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (context === null) return 0;
  context.font = font;
  return context.measureText(text).width;
}
