import { ExpositionParser } from "../../../src/core/exposition/index.js";
import { vllmExpositions } from "../../support/vllm-exposition.js";
import type { BenchRow, Task } from "./frame.js";

const BODIES = 24;

/**
 * How often a timing goes over the bodies: a tenth of a second at least, in the quick form too. Of 25 ms a third was
 * compiling.
 */
const ROUNDS = { again: 40, first: 8 } as const;
type Rounds = (typeof ROUNDS)[keyof typeof ROUNDS];

function bodies(engines: number): readonly Uint8Array[] {
  const source = vllmExpositions({ engines, moving: 1, seed: 1 });
  return Array.from({ length: BODIES }, () => new TextEncoder().encode(source.next().value));
}

const work = (rounds: Rounds) => (engines: number) => {
  const bytes = bodies(engines).reduce((sum, { length }) => sum + length, 0);
  return `${BODIES * rounds} scrapes of ${(bytes / BODIES / 1000).toFixed(0)} kB`;
};

/** As many bytes of JSON, of the same samples. */
const parseJson =
  (rounds: Rounds): Task =>
  (engines) => {
    const texts = bodies(engines).map((body) => {
      const lines = new TextDecoder().decode(body).split("\n");
      return JSON.stringify(
        lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
      );
    });
    return Promise.resolve(() => {
      for (let round = 0; round < rounds; round++) for (const text of texts) JSON.parse(text);
    });
  };

export const PARSE_ROWS: readonly BenchRow[] = [
  {
    name: "a scrape like the one before, parsed",
    work: work(ROUNDS.again),
    scale: 20,
    quick: 8,
    growth: [1, 10, 100],
    keeps: 2,
    ours: (engines) => {
      const parser = new ExpositionParser();
      const all = bodies(engines);
      for (const body of all) parser.parse(body, "text");
      return Promise.resolve(() => {
        for (let round = 0; round < ROUNDS.again; round++) for (const body of all) parser.parse(body, "text");
      });
    },
    anchor: { name: "JSON.parse of the same samples", task: parseJson(ROUNDS.again) },
  },
  {
    name: "a first scrape, labels built",
    work: work(ROUNDS.first),
    scale: 20,
    quick: 8,
    growth: [1, 10, 100],
    keeps: 0.1,
    ours: (engines) => {
      const all = bodies(engines);
      // As in a capture, some parser lives: V8 forgets what it compiled for objects of which none is left.
      let parser = new ExpositionParser();
      return Promise.resolve(() => {
        for (let round = 0; round < ROUNDS.first; round++)
          for (const body of all) {
            parser = new ExpositionParser();
            parser.parse(body, "text");
          }
        return parser;
      });
    },
    anchor: { name: "JSON.parse of the same samples", task: parseJson(ROUNDS.first) },
  },
];
