import { compareText } from "../stats/index.js";

/** Values of a label as a person counts them: numbers by size, then words. */
export function inOrder(values: Iterable<string>): string[] {
  const number = (text: string) => (text.trim() === "" ? NaN : Number(text));
  return [...values].sort((a, b) => {
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) || Number.isNaN(y))
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || compareText(a, b);
    return x - y || compareText(a, b);
  });
}
