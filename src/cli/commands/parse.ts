import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { ParseError, parseDocument } from "../../core/exposition/index.js";
import { readInput } from "../input/bytes.js";
import { print } from "../print/terminal.js";
import { grouped } from "../../core/text/plural.js";

/** Of a document; each costs about a kilobyte. */
const MAX_LINES = 600_000;

/** `parse`: an exposition as JSON. */
export function parseCommand(): CommandUnknownOpts {
  return new Command("parse")
    .summary("parse an exposition into JSON")
    .description(
      "Prints the families and samples of a Prometheus exposition as JSON, or the error with line and column.",
    )
    .argument("<file>", "a file, or - for standard input")
    .addOption(
      new Option("--format <format>", "text or openmetrics (default: openmetrics when it ends in # EOF)").choices([
        "text",
        "openmetrics",
      ]),
    )
    .option(
      "--strict",
      "check the file against the letter of its specification: OpenMetrics 1.0, or with --format text 0.0.4",
    )
    .action(async (file, flags) => {
      const body = await readInput(file);
      refuseEndless(file, body);
      const format = flags.format ?? (flags.strict === true || endsWithEof(body) ? "openmetrics" : "text");
      try {
        // Asked to judge a document, OpenMetrics must meet its specification; a scrape is more forgiving.
        const families = parseDocument(
          body,
          format,
          flags.strict === true || format === "openmetrics" ? "strict" : "lenient",
        );
        print(JSON.stringify({ format, families }, nonFiniteAsText, 2));
      } catch (error) {
        if (error instanceof ParseError)
          throw new UserError(`${file === "-" ? "standard input" : file}: ${error.message}`);
        throw error;
      }
    });
}

/** @throws UserError: its document would take gigabytes */
function refuseEndless(file: string, body: Uint8Array): void {
  let lines = 0;
  for (let at = body.indexOf(0x0a); at >= 0; at = body.indexOf(0x0a, at + 1))
    if (++lines > MAX_LINES)
      throw new UserError(
        `${file === "-" ? "standard input" : file} has more than ${grouped(MAX_LINES)} lines, too many to print as JSON.`,
        "`show` reads as much of it as a capture would keep.",
      );
}

function endsWithEof(body: Uint8Array): boolean {
  return /(^|\n)# EOF\n?$/.test(new TextDecoder().decode(body.subarray(-16)));
}

/** JSON has no NaN and no infinity; the exposition's own spelling is kept instead. */
function nonFiniteAsText(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
