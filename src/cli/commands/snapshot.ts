import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { UserError } from "../../core/text/errors.js";
import { scrapeLimits, USUAL_CAPTURE } from "../../core/model/index.js";
import { startCapture, type Capture } from "../../engine/index.js";
import type { Reachability } from "../../protocol/index.js";
import { endpointsWith, withAccessOptions } from "../options/access.js";
import { readEnvironment } from "../options/environment.js";
import { withLimitOptions, reachabilityOption } from "../options/shared.js";
import { snapshotText } from "../print/snapshot.js";
import { noteProblem, print } from "../print/terminal.js";
import { notDone } from "../exit.js";

/** `snapshot`: one scrape of an endpoint. */
export function snapshotCommand(): CommandUnknownOpts {
  return withLimitOptions(withAccessOptions(new Command("snapshot")))
    .summary("scrape an endpoint once")
    .description("Scrapes an endpoint once and lists its counters, gauges, histograms and vectors.")
    .argument("<url>", "the endpoint")
    .addOption(reachabilityOption())
    .option("--json", "print JSON")
    .action(async (url, flags) => {
      const timeoutMs = flags.reachabilityTimeout ?? readEnvironment(process.env).reachabilityTimeoutMs;
      const { capture, reachability } = await startCapture(
        {
          ...USUAL_CAPTURE,
          endpoints: await endpointsWith([url], flags),
          intervalMs: 300_000,
          scrapeTimeoutMs: timeoutMs,
          reachabilityTimeoutMs: timeoutMs,
          flushPeriodMs: timeoutMs,
          limits: scrapeLimits((option) => flags[option]),
          warmup: { kind: "none" },
          journalLimitBytes: 0,
        },
        { onNotice: (problem) => noteProblem(problem) },
      );
      // The baseline scrape is the snapshot.
      await capture.abandon();
      if (capture.run.store.seriesCount === 0) throw nothingFrom(reachability, capture);
      for (const { problem } of reachability) if (problem?.severity === "info") noteProblem(problem);
      print(snapshotText(capture.run, flags.json === true));
    });
}

function nothingFrom([probed]: readonly Reachability[], capture: Capture): UserError {
  const problem =
    capture
      .endpoints()
      .flatMap((endpoint) => endpoint.problems)
      .find(({ severity }) => severity !== "info") ?? probed?.problem;
  return problem === undefined
    ? notDone(`${probed?.displayName ?? "The endpoint"} answered, but without any metric.`)
    : notDone(problem.reason, problem.remedy);
}
