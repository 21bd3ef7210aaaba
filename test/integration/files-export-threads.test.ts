import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { exportArtifacts } from "../../src/files/export/export.js";
import { epochNs } from "../../src/core/model/index.js";
import { scaleRun } from "../support/scale-run.js";

const BUNDLE = fileURLToPath(new URL("../../dist/export.js", import.meta.url));
const FORMATS = ["json", "csv", "jsonl", "parquet", "openmetrics"] as const;

/** Large enough for threads. */
const run = scaleRun({ endpoints: 1, scalars: 101, histograms: 4, bounds: 6, scrapes: 5000 });

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-threads-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function digests(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const hash = async (name: string) =>
    createHash("sha256")
      .update(await readFile(join(directory, name)))
      .digest("hex");
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await hash(name)] as const)));
}

describe("an export on threads", () => {
  // Parquet has the time of the export in it.
  beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_765_000_000_000 }));
  afterAll(() => void vi.useRealTimers());

  it("writes the same bytes as one on the caller's thread, checked and packed alike", async () => {
    const [here, there] = [join(folder, "here"), join(folder, "there")];
    await exportArtifacts(run, { directory: here, formats: FORMATS, verify: false }, {}, undefined);
    const files = await exportArtifacts(run, { directory: there, formats: FORMATS, verify: true }, {}, BUNDLE);
    expect(files.map(({ format }) => format)).toEqual(FORMATS);
    const written = await digests(there);
    expect(Object.keys(written)).toHaveLength(FORMATS.length);
    expect(written).toEqual(await digests(here));
    const packed = { formats: ["csv", "parquet"], compression: "gzip", verify: true } as const;
    await exportArtifacts(run, { directory: join(folder, "a"), ...packed }, {}, undefined);
    await exportArtifacts(run, { directory: join(folder, "b"), ...packed }, {}, BUNDLE);
    expect(await digests(join(folder, "b"))).toEqual(await digests(join(folder, "a")));
  });
});

it("an export writes the files of phases on the threads, the same as on the caller's", async () => {
  const phased = scaleRun({ endpoints: 1, scalars: 101, histograms: 4, bounds: 6, scrapes: 5000 });
  const at = (share: number) => epochNs(phased.store.origin + BigInt(Math.round(share * Number(phased.newest))));
  phased.putPhases([
    { name: "warmup", kind: "warmup", start: at(0), end: at(0.1) },
    { name: "low", kind: "profiling", start: at(0.1), end: at(0.5) },
    { name: "high", kind: "profiling", start: at(0.5), end: at(1) },
  ]);
  for (const formats of [["json"], ["json", "csv", "parquet"]] as const) {
    const [here, there] = [join(folder, `here-${formats.length}`), join(folder, `there-${formats.length}`)];
    await exportArtifacts(phased, { directory: here, formats, verify: false }, {}, undefined);
    await exportArtifacts(phased, { directory: there, formats, verify: false }, {}, BUNDLE);
    for (const name of ["low", "high"]) {
      const file = join("phases", name, "server_metrics.json");
      expect(await readFile(join(there, file), "utf8")).toBe(await readFile(join(here, file), "utf8"));
    }
    const json = "server_metrics_export.json";
    expect(await readFile(join(there, json), "utf8")).toBe(await readFile(join(here, json), "utf8"));
    expect(await readdir(join(there, "phases"))).toEqual(await readdir(join(here, "phases")));
    expect(await readdir(there)).toContain("phase_manifest.json");
  }
});

it("an export tells of its progress and leaves nothing when it is cancelled", async () => {
  const abort = new AbortController();
  const messages: string[] = [];
  const onProgress = (message: string) => {
    messages.push(message);
    if (message === "Computing statistics") abort.abort(new Error("enough"));
  };
  const options = { directory: folder, formats: FORMATS, verify: true };
  await expect(exportArtifacts(run, options, { signal: abort.signal, onProgress }, BUNDLE)).rejects.toThrow("enough");
  expect(messages).toContain("Writing server_metrics_export.json");
  expect(await readdir(folder)).toEqual([]);
});

it("an export says what a thread could not write, and keeps what it could", async () => {
  const options = {
    directory: folder,
    formats: ["json", "parquet"],
    sliceDurationSeconds: 1e-6,
    verify: true,
  } as const;
  const error: unknown = await exportArtifacts(run, options, {}, BUNDLE).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  expect(String(error)).toMatch(/json cannot be written: .*slices.* These were written: parquet\.$/);
  expect(await readdir(folder)).toEqual(["server_metrics_export.parquet"]);
});
