import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { OPTION_RANGES } from "../../core/model/index.js";
import { describeFileError } from "../../files/index.js";
import { errorCode, UserError } from "../../core/text/index.js";
import {
  DEMO_PROFILES,
  recordDemos,
  SCENARIO_NAMES,
  scenarioServers,
  startDemoServer,
  type DemoOptions,
} from "../../demo/index.js";
import { interruptOrTimeout } from "../capture/child-process.js";
import { inRange } from "../options/numbers.js";
import type { FlagsOf } from "../options/shared.js";
import { note, print } from "../print/terminal.js";
import { notDone } from "../exit.js";

/** `demo`: serves, or records at once, the metrics of a simulated server. */
export function demoCommand(): CommandUnknownOpts {
  return options().action(async (flags) => {
    if (flags.record !== undefined) await record(flags.record, flags);
    else if (flags.duration !== undefined) throw new UserError("--duration needs --record.");
    else await serve(flags);
  });
}

type Flags = FlagsOf<typeof options>;

function options() {
  return new Command("demo")
    .summary("run a simulated inference server")
    .description(
      "Serves the metrics of a simulated inference server, or with --record writes a scrape log of it at once on a simulated clock.",
    )
    .option("--port <port>", "port to serve at; 0 takes a free one", inRange(OPTION_RANGES.demoPort), 8000)
    .addOption(new Option("--profile <profile>", "server to imitate").choices(DEMO_PROFILES).default("vllm"))
    .option("--record <log>", "write a scrape log (gzip when it ends in .gz) instead of serving")
    .option("--duration <seconds>", "length of the recording", inRange({ min: 0.1, max: 1e6, unit: "seconds" }))
    .option("--seed <n>", "seed of the simulation", inRange(OPTION_RANGES.demoSeed), 1)
    .option("--kv-blocks <n>", "size of the KV cache", inRange({ min: 16, max: 1e7, unit: "blocks", isWhole: true }))
    .option("--rate <rps>", "mean requests per second", inRange({ min: 0.01, max: 1e4, unit: "requests/s" }))
    .option(
      "--max-num-seqs <n>",
      "is ignored, to try what a capture finds then",
      inRange({ min: 1, max: 1e6, unit: "sequences", isWhole: true }),
    )
    .addOption(
      new Option(
        "--scenario <name>",
        "put the server into a state, or start a fleet; several servers use consecutive ports",
      )
        .choices(SCENARIO_NAMES)
        .conflicts(["kvBlocks", "rate"]),
    );
}

function simulations({ profile, seed, kvBlocks, rate, scenario }: Flags): readonly DemoOptions[] {
  if (scenario !== undefined)
    return scenarioServers(scenario, seed).map((server) => ({ ...server, profile: server.profile ?? profile }));
  return [{ profile, seed, ...(kvBlocks === undefined ? {} : { kvBlocks }), ...(rate === undefined ? {} : { rate }) }];
}

async function serve(flags: Flags): Promise<void> {
  const servers = await Promise.all(
    simulations(flags).map((options, i) => {
      const port = flags.port === 0 ? 0 : flags.port + i;
      return startDemoServer({ port, ...options }).catch((error: Error) => {
        const taken = errorCode(error) === "EADDRINUSE";
        throw notDone(
          taken
            ? `port ${port} is in use. --port 0 takes a free one.`
            : `the demo server could not start: ${error.message}`,
        );
      });
    }),
  );
  for (const server of servers) print(server.url);
  note("Ctrl-C ends it.");
  await interruptOrTimeout(undefined);
  await Promise.all(servers.map((server) => server.close()));
}

async function record(path: string, flags: Flags): Promise<void> {
  const { duration } = flags;
  if (duration === undefined) throw new UserError("--record needs --duration.");
  const sink = path.endsWith(".gz") ? createGzip() : new PassThrough();
  const written = pipeline(sink, createWriteStream(path)).catch((error: unknown) => {
    throw describeFileError(path, error, "write");
  });
  const recorded = recordDemos(simulations(flags), { durationSeconds: duration }, async (line) => {
    if (!sink.write(`${line}\n`)) await once(sink, "drain");
  }).then(() => sink.end());
  // A disk that refuses ends the recording, which would wait for it for ever.
  await Promise.race([recorded, written]);
  await written;
  note(`wrote ${path}`);
}
