/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
export type Rgba = readonly [number, number, number, number];

/** What is seen of colours on top of one another, the uppermost first; the last one is opaque. */
export function seen(colors: readonly Rgba[]): Rgba {
  const [front = [0, 0, 0, 0], ...behind] = colors;
  if (behind.length === 0 || front[3] === 1) return front;
  const back = seen(behind);
  const mixed = (at: 0 | 1 | 2) => front[at] * front[3] + back[at] * (1 - front[3]);
  return [mixed(0), mixed(1), mixed(2), 1];
}

function luminance([r, g, b]: Rgba): number {
  const linear = (part: number) => (part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast ratio of WCAG 2.2, from 1 to 21, of a colour on others, the uppermost first. */
export function contrast(front: Rgba, behind: readonly Rgba[]): number {
  const [a, b] = [luminance(seen([front, ...behind])), luminance(seen(behind))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
