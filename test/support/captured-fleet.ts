import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { startFleet, type Fleet } from "./fleet.js";

/** Two endpoints for the tests of a file, and a folder for each test. */
export function capturedFleet() {
  let fleet: Fleet;
  let dir: string;
  const made: string[] = [];
  beforeAll(async () => {
    fleet = await startFleet(2, 300);
  });
  beforeEach(async () => {
    made.push((dir = await mkdtemp(path.join(tmpdir(), "server-metrics-cli-"))));
  });
  afterAll(async () => {
    fleet.close();
    await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  return { urls: () => fleet.urls, folder: () => dir };
}

export const journalIn = async (folder: string): Promise<string | undefined> => {
  const name = (await readdir(folder)).find((file) => file.startsWith(".server_metrics_journal"));
  return name === undefined ? undefined : path.join(folder, name);
};
export const journalBytes = async (folder: string): Promise<number> => {
  const journal = await journalIn(folder);
  return journal === undefined ? 0 : (await stat(journal)).size;
};

export const readArtifact = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, "server_metrics_export.json"), "utf8")) as Artifact;
interface Artifact {
  readonly summary: {
    readonly endpoints_successful: string[];
    readonly endpoint_info: Record<string, { readonly total_fetches: number }>;
  };
  readonly metrics: Record<
    string,
    { readonly type: string; readonly series: { readonly stats: Record<string, number> }[] }
  >;
  readonly input_config: Record<string, unknown>;
}
