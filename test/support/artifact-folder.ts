import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { ARTIFACT_FORMATS, artifactName, type ArtifactFormat } from "../../src/core/artifacts/index.js";
import type { Run } from "../../src/core/store/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact, type OpenedArtifact, type OpenOptions } from "../../src/files/open/index.js";
import { RunBuilder } from "./run-builder.js";

/** A folder for the tests of a file, with the artifacts of `built()` in it. */
export function artifactFolder() {
  let directory: string;
  const path = (name: string) => join(directory, name);
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "server-metrics-files-"));
    await exportArtifacts(built().run, { directory, formats: ARTIFACT_FORMATS, verify: false });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  return {
    path,
    artifact: (format: ArtifactFormat) => path(artifactName(format)),
    write: async (name: string, content: string | Uint8Array): Promise<string> => {
      await writeFile(path(name), content);
      return path(name);
    },
  };
}

export function built(scrapes = 60): RunBuilder {
  const builder = new RunBuilder();
  for (let i = 0; i < scrapes; i++) {
    builder.scrape(i, [
      { name: "jobs", type: "counter", labels: { state: "done" }, value: i * 2 },
      { name: "wait_seconds", buckets: { "0.5": i, "1": 2 * i, "+Inf": 3 * i }, sum: i / 2, count: 3 * i },
      { name: "load", value: Math.sin(i) },
    ]);
  }
  return builder.window(4.5, scrapes - 1);
}

export async function samples(file: string, options?: OpenOptions): Promise<OpenedArtifact & { kind: "samples" }> {
  const opened = await openArtifact(file, options);
  if (opened.kind !== "samples") throw new Error(`${file} opened as ${opened.kind}`);
  return opened;
}

/** The error of a file that must not open: one for a person, which names the file. */
export async function failure(file: string): Promise<string> {
  const error: unknown = await openArtifact(file).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  const { message } = error as UserError;
  expect(message).toContain(file);
  expect(message).toMatch(/\.$/);
  return message;
}

export const reasons = ({ notices }: OpenedArtifact) => notices.map(({ reason }) => reason);
export const valuesOf = (run: Run, family: string) => {
  const key = [...run.store.seriesKeys()].find((series) => series.family.name === family);
  const read = key === undefined ? undefined : run.store.read(key.id);
  return read?.kind === "scalar" ? [...read.values] : undefined;
};
