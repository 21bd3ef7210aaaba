import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatOfContentType, ExpositionParser } from "../../src/core/exposition/index.js";
import { DEFAULT_LIMITS, durationNs, epochNs } from "../../src/core/model/index.js";
import { startCli } from "../support/cli.js";
import { openJournal } from "../support/journals.js";
import { peakOf } from "../support/peak.js";
import { ORIGIN } from "../support/run-builder.js";
import { TEXT_FORMAT } from "../support/faulty-server.js";
import { vllmExpositions } from "../support/vllm-exposition.js";

export interface LongJournal {
  readonly scrapes: number;
  readonly series: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly mib: number;
  readonly code: number | null;
  /** What the recovery said of it. */
  readonly said: string;
}

const INTERVAL_NS = 333_000_000n;

/**
 * The journal of a capture of so many hours, of one server every 333 ms, with a member a second as a capture writes
 * them, and what recovering it takes.
 */
export async function recoverLong(cli: string, hours: number): Promise<LongJournal> {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-long-"));
  try {
    const path = join(folder, "long.journal");
    const journal = await openJournal(path, { sync: false });
    journal.event({ kind: "profiling_start", time: ORIGIN });
    const parser = new ExpositionParser({ limits: DEFAULT_LIMITS, keepFamily: () => true });
    const format = formatOfContentType(TEXT_FORMAT);
    const scrapes = Math.floor((hours * 3600e9) / Number(INTERVAL_NS));
    let series = 0;
    let i = 0;
    for (const text of vllmExpositions({ engines: 1, moving: 0.3, seed: 1 })) {
      const time = epochNs(ORIGIN + BigInt(i) * INTERVAL_NS);
      const batch = parser.parse(Buffer.from(text), format);
      series = batch.length;
      journal.scrape(
        {
          endpointUrl: "http://a:1/metrics",
          time,
          latency: durationNs(2_000_000),
          requestSent: epochNs(time - 2_000_000n),
          outcome: { kind: "samples", batch },
        },
        "profiling",
      );
      if (++i % 3 === 0) await journal.flush();
      if (i === scrapes) break;
    }
    await journal.close();
    const { size: bytes } = await stat(path);
    const begun = performance.now();
    const out = join(folder, "out");
    const { peak, code, stdout, stderr } = await peakOf(startCli(["recover", path, "--out", out], { cli }));
    const seconds = (performance.now() - begun) / 1000;
    return { scrapes, series, bytes, seconds, mib: peak / 1024, code, said: stdout + stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
