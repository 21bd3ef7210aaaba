import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { displayName, OPTION_RANGES, scrapeLimits, USUAL_CAPTURE, type Problem } from "../../core/model/index.js";
import { startCapture } from "../../engine/index.js";
import { withAccessOptions } from "../options/access.js";
import { announce, noteFailures } from "../capture/announce.js";
import { interruptible, interruptOrTimeout } from "../capture/child-process.js";
import { findEndpoints, withDiscoveryOptions } from "../options/discovery.js";
import { readEnvironment } from "../options/environment.js";
import { withLimitOptions, append, labelArgument, type FlagsOf } from "../options/shared.js";
import { DURATION, inMilliseconds } from "../options/numbers.js";
import { noteProblem, print } from "../print/terminal.js";
import { TopSession } from "../top/session.js";
import { findingsSeen, fleetLines, headLine } from "../top/text.js";

/** Scrapes less often than a capture: what a person reads changes once a second. */
const INTERVAL_MS = 1000;
const EVERY_MS = 10_000;

/** `top`: the live view in a terminal. */
export function topCommand(): CommandUnknownOpts {
  return options().action((operands, flags) => top({ ...flags, url: [...(flags.url ?? []), ...operands] }));
}

function options() {
  const command = new Command("top")
    .summary("watch servers in the terminal")
    .description(
      "Shows what inference servers are doing: requests, KV cache, latencies, rates and findings, engine by engine. Nothing is written until k keeps what was seen as a run. Where the output is no terminal it prints lines.",
    )
    .option("--url <url>", "endpoint to watch (repeatable)", append)
    .option("--interval <time>", "time between scrapes", inMilliseconds(OPTION_RANGES.interval), INTERVAL_MS)
    .option("--duration <seconds>", "leave after this time; without it when asked to", DURATION)
    .option(
      "--every <time>",
      "time between lines where the output is no terminal",
      inMilliseconds(OPTION_RANGES.interval),
      EVERY_MS,
    )
    .option("--label <label>", "a name for what is kept", labelArgument)
    .usage("[options] [endpoint...]")
    .argument("[endpoint...]", "endpoints, as --url");
  return withLimitOptions(withAccessOptions(withDiscoveryOptions(command)));
}

async function top(flags: FlagsOf<typeof options> & { readonly url: readonly string[] }): Promise<void> {
  const environment = readEnvironment(process.env);
  const { endpoints, pods } = await findEndpoints(flags, environment);
  const onScreen = process.stdout.isTTY && process.stdin.isTTY;
  const noticed: (() => void)[] = [];
  // A screen has no room for messages: what it does not show by itself is printed once it is left.
  const onProblem = (problem: Problem, url?: string) => {
    const tell = () => noteProblem(problem, url === undefined ? undefined : displayName(url));
    if (onScreen) noticed.push(tell);
    else tell();
  };
  const { capture, reachability } = await interruptible("interrupted before anything was seen", (signal) =>
    startCapture(
      {
        ...USUAL_CAPTURE,
        ...{ endpoints, intervalMs: flags.interval, limits: scrapeLimits((option) => flags[option]) },
        reachabilityTimeoutMs: environment.reachabilityTimeoutMs,
        warmup: { kind: "none" },
        journalLimitBytes: 0,
        ...(flags.label === undefined ? {} : { label: flags.label }),
      },
      {
        onNotice: onProblem,
        ...(onScreen ? {} : { onStatus: noteFailures() }),
      },
      { signal, evenIfUnreachable: endpoints.length > 1, atFirst: true },
    ),
  );
  void pods?.follow(capture);
  const session = new TopSession(capture, flags.label, onProblem);
  try {
    if (onScreen) {
      const over = new AbortController();
      const timer = flags.duration === undefined ? undefined : setTimeout(() => over.abort(), flags.duration * 1000);
      const { showTop } = await import("../top/app.js");
      await showTop(session, over.signal).finally(() => clearTimeout(timer));
    } else {
      announce(reachability);
      const timer = setInterval(() => printSeen(session), flags.every);
      await interruptOrTimeout(flags.duration).finally(() => clearInterval(timer));
      printSeen(session);
    }
  } finally {
    pods?.stop();
    await session.stop();
    for (const tell of noticed) tell();
  }
}

function printSeen({ seen }: TopSession): void {
  const findings = findingsSeen(seen).map(({ title, text }) => `${title}: ${text}`);
  print([headLine(seen), ...fleetLines(seen.rows, seen.endpoints, "now", undefined), ...findings, ""].join("\n"));
}
