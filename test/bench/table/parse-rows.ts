import { ExpositionParser } from "../../../src/core/exposition/index.js";
import { vllmExpositions } from "../../support/vllm-exposition.js";
import type { BenchRow, Task } from "./frame.js";

const BODIES = 24;
const ROUNDS = 4;

function bodies(engines: number): readonly Uint8Array[] {
  const source = vllmExpositions({ engines, moving: 1, seed: 1 });
  return Array.from({ length: BODIES }, () => new TextEncoder().encode(source.next().value));
}

const work = (engines: number) => {
  const bytes = bodies(engines).reduce((sum, { length }) => sum + length, 0);
  return `${BODIES * ROUNDS} scrapes of ${(bytes / BODIES / 1000).toFixed(0)} kB`;
};

/** As many bytes of JSON, of the same samples. */
const parseJson: Task = (engines) => {
  const texts = bodies(engines).map((body) => {
    const lines = new TextDecoder().decode(body).split("\n");
    return JSON.stringify(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
  });
  return Promise.resolve(() => {
    for (let round = 0; round < ROUNDS; round++) for (const text of texts) JSON.parse(text);
  });
};

export const PARSE_ROWS: readonly BenchRow[] = [
  {
    name: "a scrape like the one before, parsed",
    work,
    scale: 20,
    quick: 8,
    growth: [1, 10, 100],
    keeps: 2,
    ours: (engines) => {
      const parser = new ExpositionParser();
      const all = bodies(engines);
      for (const body of all) parser.parse(body, "text");
      return Promise.resolve(() => {
        for (let round = 0; round < ROUNDS; round++) for (const body of all) parser.parse(body, "text");
      });
    },
    anchor: { name: "JSON.parse of the same samples", task: parseJson },
  },
  {
    name: "a first scrape, labels built",
    work,
    scale: 20,
    quick: 8,
    growth: [1, 10, 100],
    keeps: 0.14,
    ours: (engines) => {
      const all = bodies(engines);
      return Promise.resolve(() => {
        for (let round = 0; round < ROUNDS; round++) for (const body of all) new ExpositionParser().parse(body, "text");
      });
    },
    anchor: { name: "JSON.parse of the same samples", task: parseJson },
  },
];
