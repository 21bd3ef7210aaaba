/** A text, or the place of a number among the values; -1: there is none. */
export type TextOrPlace = string | number;

/** A text in which only numbers change, written as JSON. A number that stays as it was is not written again. */
export class NumberedText {
  private readonly texts: string[];
  /** Which of the texts are numbers, which of the values each is, and what it was last. */
  private readonly numbers: readonly { readonly at: number; readonly place: number }[];
  private readonly values: Float64Array;

  constructor(pieces: readonly TextOrPlace[]) {
    this.texts = pieces.map((piece) => (typeof piece === "string" ? piece : numberText(NaN)));
    this.numbers = pieces.flatMap((place, at) => (typeof place === "string" ? [] : [{ at, place }]));
    this.values = new Float64Array(this.numbers.length).fill(NaN);
  }

  with(values: Float64Array): string {
    this.numbers.forEach(({ at, place }, i) => {
      const value = values[place] ?? NaN;
      if (Object.is(value, this.values[i])) return;
      this.values[i] = value;
      this.texts[at] = numberText(value);
    });
    return this.texts.join("");
  }
}

/** A gap is null: JSON has no NaN. */
function numberText(value: number): string {
  return !Number.isFinite(value) ? "null" : Object.is(value, -0) ? "-0.0" : String(value);
}
