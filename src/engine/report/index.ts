import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import {
  packReport,
  type Report,
  type ReportedFile,
  type ReportedRuns,
  type RunHeader,
  type RunRequests,
} from "../../protocol/index.js";
import { basename, join } from "node:path";
import { libraryDocument, libraryTable, sweepRunsIn } from "../../core/library/index.js";
import { NS_PER_SECOND } from "../../core/model/index.js";
import {
  redacted,
  revealedBy,
  runDocument,
  type Redaction,
  type Revealed,
  type RunOutline,
} from "../../core/report/index.js";
import { sweepDocument, sweepOf } from "../../core/sweep/index.js";
import { documentMarkdown, heading, paragraph, table, type Block, type RichBlock } from "../../core/text/document.js";
import { pathNames } from "../../core/text/names.js";
import { contentOf } from "../../files/bytes.js";
import { fingerprintOf, type Reach } from "../../files/opener.js";
import { VERSION } from "../../files/version.js";
import type { LibraryPlot } from "../../protocol/library.js";
import { reportedLibrary } from "../../protocol/shown-runs.js";
import type { ShownExperiment } from "../../protocol/experiment.js";
import { comparedSetLabels } from "../../protocol/compared-sets.js";
import type { ComparisonRequests } from "../../protocol/comparison.js";
import { recordComparison } from "./record-comparison.js";
import { answerOf, type Asked, recordRun, type RunRecording } from "./record-run.js";

/** The views' own code, as it is bundled beside this program. */
export interface ReportParts {
  readonly script: Uint8Array;
  readonly styles: readonly string[];
}

/**
 * A report as one page that asks nobody for anything: views, style and answers are in it. Only its own two scripts may
 * run, which it names by their SHA-256; nothing may be loaded. What comes from servers and files is packed, so that no
 * text of theirs stands in the page itself but its title, which is escaped.
 */
export function reportHtml({ document: _, ...report }: Report, { script, styles }: ReportParts): string {
  const policy = [
    "default-src 'none'",
    `script-src ${[LOADER, script].map((one) => `'sha256-${createHash("sha256").update(one).digest("base64")}'`).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${htmlText(report.about.title)}</title>
<style>
${styles.join("\n")}
</style>
</head>
<body class="report">
<div id="root" data-view="${report.view}"><noscript>This report draws itself: allow scripts to run in it. Nothing is loaded or sent.</noscript></div>
<script type="text/plain" id="report-answers">${packed(packReport(report))}</script>
<script type="text/plain" id="report-views">${packed(script)}</script>
<script>${LOADER}</script>
</body>
</html>
`;
}

/** Unpacks the answers, then the views, which look for them (webview-ui/report/host.ts). */
const LOADER = `(async () => {
const unpacked = (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
window.serverMetricsReport = await unpacked("report-answers");
const script = document.createElement("script");
script.textContent = await unpacked("report-views");
document.body.append(script);
})();`;

function packed(content: string | Uint8Array): string {
  return gzipSync(content, { level: 9 }).toString("base64");
}

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

const MOST_BUNDLED = 20_000_000;

/** The views' code. @param folder that of this program's bundles @throws UserError where it is not there */
export async function readReportParts(folder: string): Promise<ReportParts> {
  const read = (name: string) => contentOf(join(folder, name), MOST_BUNDLED);
  const [script, ...styles] = await Promise.all(["webview.js", "webview.css", "report.css"].map(read));
  return { script: script ?? new Uint8Array(), styles: styles.map((bytes) => new TextDecoder().decode(bytes)) };
}

/** A report of a run that an engine holds. @throws what the engine answers; the signal's reason */
export async function reportOfRun(asked: Asked<RunRequests>, recording: RunRecording & Reach = {}): Promise<Report> {
  const { answers, leftOut, header, told } = await recordRun(asked, recording);
  const { file, label } = header;
  const paths = file === undefined ? [] : [file.path, ...file.siblings.map(({ path }) => path)];
  const title = label ?? (file === undefined ? "Server metrics" : basename(file.path));
  return {
    view: "run",
    document: runDocument({ ...outlineOf(header), title, ...told }),
    about: {
      ...made(title),
      files: await reportedFiles(paths, recording),
      leftOut,
    },
    answers,
  };
}

/** A report of a comparison that an engine holds. @throws what the engine answers; the signal's reason */
export async function reportOfComparison(
  asked: Asked<ComparisonRequests>,
  recording: Pick<RunRecording, "signal" | "thresholds"> & Reach = {},
): Promise<Report> {
  const { answers, leftOut, state, document } = await recordComparison(asked, recording);
  const paths = state.runs.map(({ source }) => source.path);
  return {
    view: "comparison",
    document,
    about: {
      ...made(comparedSetLabels(state.runs).join(" → ")),
      files: await reportedFiles(paths, recording),
      leftOut,
    },
    answers,
  };
}

/** A report of an experiment, whoever has read it. @param details what its view does not show */
export function reportOfExperiment(
  shown: ShownExperiment,
  { answer, details }: { readonly answer: readonly Block[]; readonly details: readonly Block[] },
): Report {
  return {
    view: "experiment",
    document: answer,
    about: { ...made(shown.experiment.question), files: [], leftOut: ["The runs themselves."], details },
    answers: [answerOf("experiment", shown)],
  };
}

/** A report of the runs of a folder, which begins with a plot, if any. As text it is a sweep where that is the plot. */
export async function reportOfRuns(
  reported: ReportedRuns,
  { plot, ...reading }: Pick<RunRecording, "signal"> & { readonly plot?: LibraryPlot } = {},
): Promise<Report> {
  const isSweep = plot?.kind === "sweep";
  const all = reportedLibrary(reported);
  const { runs, skipped } = sweepRunsIn(all);
  const title = `${isSweep ? "Throughput against latency:" : "Runs of"} ${basename(reported.folder)}`;
  const paths = isSweep ? runs.map(({ path }) => path) : reported.runs.flatMap(({ files: [first] }) => first ?? []);
  return {
    view: "library",
    document: isSweep
      ? sweepDocument(sweepOf(runs, plot, skipped))
      : [heading(title), ...libraryDocument(libraryTable(all, {}))],
    about: {
      ...made(title),
      files: await reportedFiles([...new Set(paths)], reading),
      leftOut: [
        "The runs themselves, and statistics of single metrics: key figures are there.",
        ...(isSweep ? skipped.map(({ path, reason }) => `${path}: ${reason}`) : []),
      ],
    },
    answers: [
      answerOf("runs", reported),
      answerOf("loadLibraryLayout", plot === undefined ? null : { choice: {}, widths: {}, plot }),
    ],
  };
}

/** What a run's header tells of it. */
function outlineOf(header: RunHeader): Omit<RunOutline, "title" | "tiles" | "client"> {
  const { originNs, profilingStart, profilingEnd, now, window, load, phases = [] } = header;
  const { start, end } = window ?? { start: profilingStart, end: profilingEnd ?? now };
  const epoch = (offset: number) => BigInt(originNs) + BigInt(Math.round(offset));
  return {
    window: { start: epoch(start), end: epoch(end) },
    ...(load?.rule === "load" ? { measured: load.text } : {}),
    facts: header.facts,
    endpoints: header.endpoints,
    phases: phases.filter(({ kind }) => kind !== "idle").map(({ name }) => name),
    marks: header.marks.map(({ time, label }) => ({ seconds: (time - start) / NS_PER_SECOND, label })),
    isCut: now > 0 && now < end,
    problems: header.problems,
  };
}

/** A report as Markdown, for a pull request or a note. */
export function reportMarkdown(report: Report): string {
  return documentMarkdown(textOf(report));
}

/** What a report tells about where it was made, as Markdown or as a page. */
export function revealedByReport(report: Report, markdown: boolean): Revealed {
  return revealedBy(report, markdown ? textOf(report) : undefined);
}

function textOf({ document, about }: Report): readonly RichBlock[] {
  const { made, version, files, redacted, details = [] } = about;
  const names = pathNames(files.map(({ path }) => path));
  return [
    ...document,
    ...details,
    heading("About this report"),
    paragraph(
      `Made by Server Metrics ${version} on ${made.slice(0, 16).replace("T", " at ")} UTC. Left out: charts and the tables of all metrics, which the HTML report has.${redacted.length === 0 ? "" : ` Hidden: ${redacted.join(", ")}, by other names.`}`,
    ),
    ...(files.length === 0
      ? []
      : [
          table(
            ["Raw file", "Bytes", "SHA-256"],
            files.map(({ bytes, sha256 }, i) => [names[i] ?? "", String(bytes), sha256]),
            [1],
          ),
        ]),
  ];
}

/** What every report says of itself. */
function made(title: string) {
  return { title, made: new Date().toISOString(), version: VERSION, redacted: [] };
}

/** The report without what is to be hidden. */
export function hiding(report: Report, what: readonly Redaction[]): Report {
  const { about, ...rest } = redacted(report, what);
  return { ...rest, about: { ...about, redacted: what } };
}

async function reportedFiles(
  paths: readonly string[],
  reading: Reach & Pick<RunRecording, "signal">,
): Promise<readonly ReportedFile[]> {
  const files: ReportedFile[] = [];
  for (const path of paths) {
    const known = await fingerprintOf(path, reading).catch(() => undefined);
    reading.signal?.throwIfAborted();
    if (known !== undefined) files.push({ path, ...known });
  }
  return files;
}
