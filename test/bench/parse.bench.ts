import { ExpositionParser } from "../../src/core/exposition/index.js";
import { vllmExpositions } from "../support/vllm-exposition.js";

const SCRAPES = 24;
const WARM_UP_MS = 400;
const MEASURE_MS = 1200;

/**
 * MB/s of a vLLM-like exposition re-scraped: by a parser that knows the last scrape, by a new one, and by a naive one.
 */
export function run(_args: string[]): Promise<void> {
  for (const [title, moving] of [
    ["server under load", 1],
    ["moderate load", 0.3],
    ["idle server: only gauges move", 0],
  ] as const) {
    measureAll(title, moving);
  }
  return Promise.resolve();
}

function measureAll(title: string, moving: number): void {
  const encoder = new TextEncoder();
  const source = vllmExpositions({ engines: 8, moving, seed: 1 });
  const bodies = Array.from({ length: SCRAPES }, () => encoder.encode(source.next().value));
  const created = bodies.map((body, i) => (i % 2 === 0 ? body : withoutSomeLines(body)));
  const size = (bodies[0]?.length ?? 0) / 1000;
  print(
    `${title}: ${size.toFixed(0)} KB, ${changedShare(bodies).toFixed(0)} % of the samples differ from scrape to scrape`,
  );
  const warm = new ExpositionParser();
  const flickering = new ExpositionParser();
  const naive = rate(bodies, (body) => naiveParse(body).size);
  report("naive split and regex", naive, naive);
  report(
    "cold: a new parser each time",
    rate(bodies, (body) => new ExpositionParser().parse(body, "text").length),
    naive,
  );
  report(
    "warm: re-scraped",
    rate(bodies, (body) => warm.parse(body, "text").length),
    naive,
  );
  report(
    "warm, a tenth of the families in every second scrape only",
    rate(created, (body) => flickering.parse(body, "text").length),
    naive,
  );
}

/** MB/s that one scrape in ten reaches: what other programs on the machine take does not count. */
function rate(bodies: readonly Uint8Array[], parse: (body: Uint8Array) => number): number {
  const times: number[] = [];
  let samples = 0;
  const start = performance.now();
  for (let i = 0; performance.now() - start < WARM_UP_MS + MEASURE_MS; i++) {
    const body = bodies[i % bodies.length] ?? new Uint8Array(0);
    const before = performance.now();
    samples += parse(body);
    const seconds = (performance.now() - before) / 1000;
    if (before - start > WARM_UP_MS) times.push(body.length / 1e6 / seconds);
  }
  if (samples === 0) throw new Error("nothing was parsed");
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.9)] ?? NaN;
}

function naiveParse(body: Uint8Array): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of new TextDecoder().decode(body).split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (match === null) continue;
    const labels = new Map(
      [...(match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value] as const),
    );
    values.set(`${match[1]}${JSON.stringify([...labels])}`, Number(match[3]));
  }
  return values;
}

function changedShare(bodies: readonly Uint8Array[]): number {
  const decoder = new TextDecoder();
  const [a = [], b = []] = bodies.slice(4, 6).map((body) =>
    decoder
      .decode(body)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
  return (100 * a.filter((line, i) => line !== b[i]).length) / a.length;
}

function withoutSomeLines(body: Uint8Array): Uint8Array {
  const lines = new TextDecoder().decode(body).split("\n");
  return new TextEncoder().encode(lines.filter((line) => !/request_params_|num_preemptions/.test(line)).join("\n"));
}

function report(what: string, megabytes: number, naive: number): void {
  print(`  ${what.padEnd(58)} ${megabytes.toFixed(0).padStart(6)} MB/s  ${(megabytes / naive).toFixed(1)}×`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
