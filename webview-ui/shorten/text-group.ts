import { useRef } from "preact/hooks";

/** How wide a text is. Pixels, or any other unit that its room has, too. */
export type Measure = (text: string) => number;

const ELLIPSIS = "…";

/** Letters at both ends that are shown in any case, from where there is much room to where there is hardly any. */
const LEVELS = [
  { head: 6, tail: 9 },
  { head: 3, tail: 5 },
  { head: 1, tail: 3 },
  { head: 0, tail: 0 },
] as const;
type Level = (typeof LEVELS)[number];

/** The end may be so long to begin with a word. Letters. */
const LONGEST_TAIL = 12;
/** About what tells a text apart, to either side. Letters. */
const LONGEST_GROWTH = 16;
const BETWEEN_WORDS = /[\s_:/|,=.-]/;
const BETWEEN_LABELS = /[\s,]/;

const ALONE: readonly number[] = [];

/**
 * Texts that stand beside each other, such as the names in a column of a table, and how each is shortened: what tells
 * it from the others is kept, as far as there is room.
 *
 * Each level shows both ends of a text. Texts whose ends are alike are told apart by the letters at which they part
 * when they are read from the left (the forks of their trie): those are shown, too. So two different texts never become
 * the same one where there is room for that. It is worked out once for all texts, when the first does not fit; a text
 * is then shortened without looking at the others.
 */
export class TextGroup {
  private readonly forks = new Map<Level, ReadonlyMap<string, readonly number[]>>();
  private readonly shortened = new Map<string, string>();

  /** @param texts asked for when the first of them does not fit */
  constructor(private readonly texts: () => Iterable<string>) {}

  /**
   * The text, or its shortened form where that is wider than `room`.
   *
   * @param font what `measure` depends on: what was shortened is kept by it
   * @param drawn how wide the whole text is drawn, which may be more than its letters one by one
   */
  shorten(text: string, room: number, measure: Measure, font = "", drawn = 0): string {
    const key = `${font}\n${room}\n${text}`;
    let short = this.shortened.get(key);
    if (short === undefined) {
      // Widths come and go as a column is dragged.
      if (this.shortened.size > 5000) this.shortened.clear();
      this.shortened.set(key, (short = this.fitted(text, room, measure, drawn)));
    }
    return short;
  }

  private fitted(text: string, room: number, measure: Measure, drawn: number): string {
    const excerpt = new Excerpt(lettersOf(text), room, measure, drawn);
    if (excerpt.isWhole) return text;
    for (const level of LEVELS) {
      const needed = this.forksAt(level).get(text) ?? ALONE;
      if (excerpt.show(level, needed)) return excerpt.text(level, needed);
    }
    // The last forks are those from the texts that are most alike.
    return excerpt.lastOf(this.forksAt(LEVELS[3]).get(text) ?? ALONE);
  }

  /** Of each text whose ends others have, too: the letters that tell it from them. */
  private forksAt(level: Level): ReadonlyMap<string, readonly number[]> {
    let found = this.forks.get(level);
    if (found === undefined) {
      found = new Map();
      const alike = new Map<string, string[]>();
      for (const text of new Set(this.texts())) {
        const ends = endsOf(text, level);
        const group = alike.get(ends);
        if (group === undefined) alike.set(ends, [text]);
        else group.push(text);
      }
      const forks = new Map<string, readonly number[]>();
      for (const group of alike.values()) {
        if (group.length < 2) continue;
        const sorted = group.map((text) => {
          const letters = lettersOf(text);
          return { text, letters, order: letters.join("\0") };
        });
        sorted.sort((a, b) => (a.order < b.order ? -1 : 1));
        addForks(sorted, ALONE, forks);
      }
      this.forks.set(level, (found = forks));
    }
    return found;
  }
}

/** Of a text that has no others beside it. */
export const NO_OTHERS = new TextGroup(() => []);

/** As `TextGroup.shorten`, by the number of letters: for texts that have no place of their own. */
export function elideMiddle(text: string, limit: number, group = NO_OTHERS): string {
  return group.shorten(text, limit, (part) => part.length, "letters");
}

interface Split {
  readonly text: string;
  readonly letters: readonly string[];
}

/** @param sorted texts that are the same up to their last common fork */
function addForks(sorted: readonly Split[], path: readonly number[], forks: Map<string, readonly number[]>): void {
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return;
  if (first === last) {
    forks.set(first.text, path);
    return;
  }
  let fork = 0;
  while (fork < first.letters.length && first.letters[fork] === last.letters[fork]) fork++;
  for (let from = 0; from < sorted.length;) {
    const letter = sorted[from]?.letters[fork];
    let to = from + 1;
    while (to < sorted.length && sorted[to]?.letters[fork] === letter) to++;
    // Where a text ends others go on: its end is seen.
    addForks(sorted.slice(from, to), [...path, letter === undefined ? fork - 1 : fork], forks);
    from = to;
  }
}

function endsOf(text: string, { head, tail }: Level): string {
  const letters = lettersOf(text);
  if (letters.length <= head + tail) return text;
  return `${letters.slice(0, head).join("")}${ELLIPSIS}${tail === 0 ? "" : letters.slice(-tail).join("")}`;
}

let segmenter: Intl.Segmenter | undefined;

/** What a reader calls letters: none is cut apart. */
function lettersOf(text: string): readonly string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The letters of a text that are shown, within its room. */
class Excerpt {
  readonly isWhole: boolean;
  private readonly widths: readonly number[];
  private readonly ellipsis: number;
  private readonly room: number;
  private shown: boolean[] = [];
  private width = 0;

  constructor(
    private readonly letters: readonly string[],
    room: number,
    measure: Measure,
    drawn: number,
  ) {
    this.widths = letters.map(measure);
    this.ellipsis = measure(ELLIPSIS);
    const whole = this.widths.reduce((sum, width) => sum + width, 0);
    this.room = drawn > whole ? (room * whole) / drawn : room;
    this.isWhole = whole <= this.room;
  }

  /** Whether what a level needs fits; then it is shown. */
  show({ head, tail }: Level, needed: readonly number[]): boolean {
    const { length } = this.letters;
    this.shown = this.letters.map((_, i) => i < head || i >= length - tail);
    for (const i of needed) this.shown[i] = true;
    this.width = this.widths.reduce((sum, width, i) => sum + (this.shown[i] === true ? width : 0), 0);
    this.width += this.ellipsis * this.shown.filter((on, i) => !on && this.shown[i - 1] !== false).length;
    return this.width <= this.room;
  }

  /** What is shown, with whole words and more of the beginning where there is room. */
  text({ tail }: Level, needed: readonly number[]): string {
    const { length } = this.letters;
    for (const i of needed) this.grow(i + 1, 1);
    const start = this.tailStart();
    if (tail > 0) while (this.next(length - 1, -1) >= start && this.add(this.next(length - 1, -1)));
    for (const i of needed) this.grow(i - 1, -1);
    // From the left, until nothing more fits.
    while (this.add(this.shown.indexOf(false)));
    return this.joined();
  }

  /** As many of the given letters as fit, the last ones first. */
  lastOf(needed: readonly number[]): string {
    this.show(LEVELS[3], []);
    for (const i of [...needed].reverse()) if (!this.add(i)) break;
    return this.joined();
  }

  /** Where a word begins near the end. */
  private tailStart(): number {
    const { length } = this.letters;
    for (let i = Math.max(1, length - LONGEST_TAIL); i < length; i++)
      if (BETWEEN_WORDS.test(this.letters[i - 1] ?? "") && !BETWEEN_WORDS.test(this.letters[i] ?? "")) return i;
    return length;
  }

  /** The nearest letter that is not shown. */
  private next(from: number, step: 1 | -1): number {
    let i = from;
    while (this.shown[i] === true) i += step;
    return i;
  }

  /** To the end of the word, or back to the label's name. */
  private grow(from: number, step: 1 | -1): void {
    const stop = step === 1 ? BETWEEN_WORDS : BETWEEN_LABELS;
    for (let i = from; Math.abs(i - from) < LONGEST_GROWTH; i += step) {
      const letter = this.letters[i];
      if (letter === undefined || stop.test(letter) || (this.shown[i] === false && !this.add(i))) return;
    }
  }

  private add(i: number): boolean {
    if (this.shown[i] !== false) return false;
    const open = Number(this.shown[i - 1] === false) + Number(this.shown[i + 1] === false);
    const width = this.width + (this.widths[i] ?? 0) + (open - 1) * this.ellipsis;
    if (width > this.room) return false;
    this.shown[i] = true;
    this.width = width;
    return true;
  }

  /** Nothing stands between a word and the ellipsis beside it. */
  private joined(): string {
    let text = "";
    this.letters.forEach((letter, i) => {
      if (this.shown[i] === true) text += letter;
      else if (this.shown[i - 1] !== false) text += ELLIPSIS;
    });
    return text.replace(/\s*…\s*/g, ELLIPSIS);
  }
}

/**
 * The group of these texts, which stays the same one from render to render as long as the texts do: what is shown again
 * three times a second, or with each movement of the pointer, is not measured anew.
 */
export function useTextGroup(texts: readonly string[]): TextGroup {
  const last = useRef<{ readonly texts: readonly string[]; readonly group: TextGroup }>(null);
  const known = last.current;
  if (known !== null && known.texts.length === texts.length && known.texts.every((text, i) => text === texts[i]))
    return known.group;
  const group = new TextGroup(() => texts);
  last.current = { texts, group };
  return group;
}
