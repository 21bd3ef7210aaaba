import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Command, Option } from "commander";
import { DEMO_PROFILES, recordDemo, startDemoServer, type DemoProfile } from "../demo/index.js";
import { interruptOrTimeout } from "./child.js";
import { CommandError } from "./exit.js";
import { fileTrouble } from "./input.js";
import { numberIn } from "./numbers.js";
import { note, print } from "./terminal.js";

interface Flags {
  readonly port: number;
  readonly profile: DemoProfile;
  readonly record?: string;
  readonly duration?: number;
  readonly seed: number;
  readonly kvBlocks?: number;
  readonly rate?: number;
}

const integer = (min: number, max: number, unit: string) => (text: string) =>
  Math.round(numberIn(text, { min, max, unit }));

export function demoCommand(): Command {
  return new Command("demo")
    .summary("a simulated inference server")
    .description(
      "Serves the metrics of a simulated inference server, or with --record writes a scrape log of it at once on a simulated clock.",
    )
    .option("--port <port>", "port to serve at; 0 takes a free one", integer(0, 65_535, "port"), 8000)
    .addOption(new Option("--profile <profile>", "whose metrics").choices(DEMO_PROFILES).default("vllm"))
    .option("--record <log>", "write a scrape log (gzip when it ends in .gz) instead of serving")
    .option("--duration <seconds>", "length of the recording", (text) =>
      numberIn(text, { min: 0.1, max: 1e6, unit: "seconds" }),
    )
    .option("--seed <n>", "seed of the simulation", integer(0, 2 ** 32 - 1, "seed"), 1)
    .option("--kv-blocks <n>", "size of the KV cache", integer(16, 1e7, "blocks"))
    .option("--rate <rps>", "mean requests per second", (text) =>
      numberIn(text, { min: 0.01, max: 1e4, unit: "requests/s" }),
    )
    .action(async (flags: Flags) => {
      if (flags.record !== undefined) await record(flags.record, flags);
      else if (flags.duration !== undefined) throw new CommandError("--duration goes with --record.");
      else await serve(flags);
    });
}

function simulation({ profile, seed, kvBlocks, rate }: Flags) {
  return { profile, seed, ...(kvBlocks === undefined ? {} : { kvBlocks }), ...(rate === undefined ? {} : { rate }) };
}

async function serve(flags: Flags): Promise<void> {
  const server = await startDemoServer({ port: flags.port, ...simulation(flags) }).catch((error: Error) => {
    const taken = "code" in error && error.code === "EADDRINUSE";
    throw new CommandError(
      taken
        ? `port ${flags.port} is in use. --port 0 takes a free one.`
        : `the demo server could not start: ${error.message}`,
      1,
    );
  });
  print(server.url);
  note("Ctrl-C ends it.");
  await interruptOrTimeout(undefined);
  await server.close();
}

async function record(path: string, flags: Flags): Promise<void> {
  const { duration } = flags;
  if (duration === undefined) throw new CommandError("--record needs --duration.");
  const sink = path.endsWith(".gz") ? createGzip() : new PassThrough();
  const written = pipeline(sink, createWriteStream(path)).catch((error: unknown) => {
    throw fileTrouble(path, error, "written");
  });
  const recorded = recordDemo({ ...simulation(flags), durationSeconds: duration }, async (line) => {
    if (!sink.write(`${line}\n`)) await once(sink, "drain");
  }).then(() => sink.end());
  // A disk that refuses ends the recording, which would wait for it for ever.
  await Promise.race([recorded, written]);
  await written;
  note(`wrote ${path}`);
}
