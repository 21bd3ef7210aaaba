import { useLayoutEffect, useRef } from "preact/hooks";
import { plainText } from "../../src/core/text/foreign-text.js";
import { NO_OTHERS, type TextGroup, type Measure } from "./text-group.js";

interface TruncatedTextProps {
  readonly text: string;
  /** What stands beside it, and must not read the same. */
  readonly group?: TextGroup;
  /** It goes wholly where there is room for some letters only. */
  readonly dispensable?: boolean;
}

/**
 * A text that is shortened where it is too long for its place: the one way to do so for what a page draws. The page
 * holds the whole text, for assistive technology, search and copying; what is seen stands over it.
 */
export function TruncatedText({ text, group = NO_OTHERS, dispensable = false }: TruncatedTextProps) {
  const box = useRef<HTMLSpanElement>(null);
  const plain = plainText(text);
  useLayoutEffect(() => {
    const [element, whole] = [box.current, box.current?.firstElementChild];
    if (element === null || !(whole instanceof HTMLElement)) return;
    return follow(element, { element, whole, text: plain, group, dispensable });
  }, [plain, group, dispensable]);
  return (
    <span class="short" ref={box}>
      <span class="short-whole">{plain}</span>
    </span>
  );
}

interface ShownText extends Required<TruncatedTextProps> {
  readonly element: HTMLElement;
  readonly whole: HTMLElement;
}

/** Fewer of a dispensable text say nothing. Letters. */
const FEWEST = 12;
/** Shares of a pixel that are no reason to shorten. */
const HAIR = 0.5;

const places = new WeakMap<Element, ShownText>();
let observer: ResizeObserver | undefined;

/** Fits a text now, and whenever its room or its font changes. Returns what ends that. */
function follow(element: HTMLElement, place: ShownText): () => void {
  observer ??= new ResizeObserver((entries) => fit(entries.map(({ target }) => target)));
  const { current, whole } = { current: observer, whole: place.whole };
  for (const one of [element, whole]) {
    places.set(one, place);
    current.observe(one);
  }
  return () => {
    current.unobserve(element);
    current.unobserve(whole);
  };
}

/** All is read before anything is written: however many texts, the page is laid out once. */
function fit(targets: readonly Element[]): void {
  const found = new Set(targets.flatMap((target) => places.get(target) ?? []));
  const read = [...found].map((place) => ({
    place,
    room: place.element.getBoundingClientRect().width,
    needs: place.whole.getBoundingClientRect().width,
  }));
  const shortened = read.map(({ place, room, needs }) => ({ place, short: truncated(place, room, needs) }));
  for (const { place, short } of shortened) {
    const { dataset } = place.element;
    if (short === place.text) delete dataset["short"];
    else if (dataset["short"] !== short) dataset["short"] = short;
  }
}

function truncated({ text, group, dispensable, whole }: ShownText, room: number, needs: number): string {
  if (needs <= room + HAIR) return text;
  const font = fontOf(whole);
  const short = group.shorten(text, room, measureIn(font), font, needs);
  return dispensable && short.length < FEWEST ? "" : short;
}

const measures = new Map<string, Measure>();
let context: CanvasRenderingContext2D | null | undefined;

/** The font that an element's text is drawn in, as a canvas takes it. */
function fontOf(element: Element): string {
  const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  return `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
}

/** Widths in a font. Each letter is measured once: a table repeats the same few hundred. */
function measureIn(font: string): Measure {
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
