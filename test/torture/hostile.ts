import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { startCli } from "../support/cli.js";
import { peakOf } from "../support/peak.js";

export interface HostileResult {
  readonly file: string;
  readonly command: string;
  /** Of the process that held most. */
  readonly mib: number;
  readonly code: number | null;
}

const FORMS: Readonly<Record<string, (bytes: number) => Iterable<string>>> = {
  "families.jsonl": (bytes) => lines(bytes, (i) => `{"f${i}":[{"value":${i}}]}`),
  "labels.jsonl.gz": (bytes) => lines(bytes, (i) => `{"f":[{"labels":{"x":"${i}"},"value":${i}}]}`),
  "bounds.jsonl": (bytes) => lines(bytes, (i) => `{"f":[{"buckets":{"${i}":1,"+Inf":2},"sum":1,"count":2}]}`),
  "endpoints.jsonl": (bytes) =>
    lines(
      bytes,
      () => `{"f":[{"value":1}]}`,
      (i) => `http://a${i}/metrics`,
    ),
  "line.jsonl": (bytes) => wrapped(Math.min(bytes, 83e6), line(0, `{"f":[`, "http://a"), "{}", "]}}\n"),
  "junk.jsonl.gz": (bytes) => wrapped(bytes, "x", "\nx", "\n"),
  "series.json": (bytes) =>
    wrapped(bytes, `{"schema_version":"1.0","metrics":{"f":{"type":"gauge","series":[`, "{}", "]}}}"),
  "rows.csv": (bytes) => wrapped(bytes, "Endpoint,Type,Metric,Unit,avg", "\nhttp://a/metrics,gauge,f,,1", "\n"),
  "series.prom": (bytes) => {
    let i = 0;
    return wrapped(bytes, "f 1\n", () => `f${i++} 1\n`, "");
  },
};
const COMMANDS = [["show"], ["insights"], ["recover", "--out"], ["export", "--out"]] as const;

/** Files of so many bytes, made to need as much memory as they can, through the commands that read them. */
export async function* readHostile(cli: string, bytes: number): AsyncGenerator<HostileResult> {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-hostile-"));
  try {
    for (const [file, pieces] of Object.entries(FORMS)) {
      const path = join(folder, file);
      const packed = file.endsWith(".gz") ? [createGzip({ level: 1 })] : [];
      await pipeline([Readable.from(pieces(bytes)), ...packed, createWriteStream(path)]);
      for (const [command, ...options] of COMMANDS) {
        const out = options.flatMap((option) => [option, join(folder, "out")]);
        const { peak, code } = await peakOf(startCli([command, path, ...out], { cli }));
        await rm(join(folder, "out"), { recursive: true, force: true });
        yield { file, command, mib: peak / 1024, code };
      }
      await rm(path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function line(i: number, metrics: string, url: string): string {
  const time = 1_763_800_000_000_000_000n + BigInt(i) * 1_000_000n;
  return `{"endpoint_url":"${url}","timestamp_ns":${time},"endpoint_latency_ns":1,"metrics":${metrics}`;
}

function* lines(bytes: number, metrics: (i: number) => string, url = (_: number) => "http://a/metrics") {
  let length = 0;
  for (let i = 0; length < bytes;) {
    let text = "";
    for (let n = 0; n < 1000; n++, i++) text += `${line(i, metrics(i), url(i))}}\n`;
    length += text.length;
    yield text;
  }
}

/** Items between a beginning and an end; a comma between those of JSON. */
function* wrapped(bytes: number, head: string, item: string | (() => string), tail: string) {
  const comma = head.endsWith("[") ? "," : "";
  const next = () => (typeof item === "string" ? item : item());
  yield head + next();
  for (let length = 0; length < bytes;) {
    let text = "";
    for (let n = 0; n < 1000; n++) text += comma + next();
    length += text.length;
    yield text;
  }
  yield tail;
}
