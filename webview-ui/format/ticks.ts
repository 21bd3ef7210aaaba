/** Steps between ticks that people count in. */
const STEPS = [1, 2, 2.5, 5, 10] as const;
/** Ticks that an axis has at the most, as Chart.js makes them. */
const MOST = 5;
const BINARY = /^(bytes|(kibi|mebi|gibi)bytes)(\/s)?$/;

/**
 * Values for the ticks of an axis from 0 to about `most`: at most `count` of them beside 0, at round numbers as they
 * are shown. Bytes are shown in powers of 1,024 and so are round in those.
 */
export function roundTicks(most: number, count: number, unit: string | undefined): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const shown = unit !== undefined && BINARY.test(unit) ? 1024 ** Math.max(0, Math.floor(Math.log2(most) / 10)) : 1;
  const ideal = most / shown / count;
  const power = 10 ** Math.floor(Math.log10(ideal));
  const step = (STEPS.find((one) => one * power >= ideal * (1 - 1e-9)) ?? 10) * power;
  return Array.from({ length: Math.floor(most / shown / step + 1e-9) + 1 }, (_, i) =>
    Number((i * step * shown).toPrecision(12)),
  );
}

/** Ticks of an axis of bytes that begins at 0; undefined of any other, whose ticks are round as they are. */
export function byteTicks(from: number, to: number, unit: string | undefined): number[] | undefined {
  return from === 0 && unit !== undefined && BINARY.test(unit) ? roundTicks(to, MOST, unit) : undefined;
}

/** Round values between two, some `count` of them, 0 among them where it lies between. */
export function ticksWithin(low: number, high: number, count: number): number[] {
  const step = roundTicks(high - low, count, undefined)[1];
  if (step === undefined) return [];
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}
