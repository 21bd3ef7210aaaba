import { clientServerDocument, isClientEndpoint, type ClientServer } from "../client/index.js";
import { findingsDocument, type FindingsText } from "../insights/index.js";
import { NS_PER_SECOND, type Problem } from "../model/index.js";
import type { Tile } from "../query/index.js";
import { bullets, codeText, heading, paragraph, table, type RichBlock, type RichText } from "../text/index.js";
import { grouped, plural } from "../text/plural.js";
import { keyFigure } from "./key-figures.js";

/** What a run's document tells of it. */
export interface RunOutline {
  readonly title: string;
  /** What is measured, in nanoseconds since the epoch. */
  readonly window: { readonly start: bigint; readonly end: bigint };
  /** "measured: 11.5 s of load out of 20.5 s captured". */
  readonly measured?: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly endpoints: readonly OutlinedEndpoint[];
  readonly phases: readonly string[];
  /** Times in seconds after the start of the window. */
  readonly marks: readonly { readonly seconds: number; readonly label: string }[];
  /** The window ends after the newest sample. */
  readonly isCut?: boolean;
  readonly problems?: readonly Problem[];
  /** Absent where too little is at hand to look for them. */
  readonly findings?: FindingsText;
  readonly tiles: readonly Tile[];
  readonly client: readonly Omit<ClientServer, "window">[];
}

interface OutlinedEndpoint {
  readonly url: string;
  readonly displayName: string;
  readonly servers: readonly string[];
  readonly series?: number;
  /** Those that answered. */
  readonly scrapes: number;
  readonly failures: number;
}

/** A run for a reader without this program: what ran, what stands out, and key figures with their units. */
export function runDocument({ title, findings, tiles, client, ...ran }: RunOutline): readonly RichBlock[] {
  const figures = tiles.map(keyFigure);
  return [
    heading(title, 1),
    ...whatRan(ran),
    ...(findings === undefined ? [] : findingsDocument(findings)),
    ...(figures.length === 0
      ? []
      : [
          heading("Key figures"),
          paragraph(
            "Percentiles are estimates from buckets. In brackets: the range that holds the true value in 90 % of the cases.",
          ),
          table<RichText>(
            ["Metric", "Statistic", "Value", "Remark", "Family"],
            figures.map((one) => [one.title, one.statistic, one.value, one.remark, codeText(one.family)]),
          ),
        ]),
    ...clientServerDocument(client),
  ];
}

function whatRan(ran: Omit<RunOutline, "title" | "findings" | "tiles" | "client">): readonly RichBlock[] {
  const { start, end } = ran.window;
  const iso = (time: bigint) =>
    `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const seconds = Number(end - start) / NS_PER_SECOND;
  const measured = ran.measured === undefined ? "" : ` ${sentence(ran.measured)}`;
  const facts = [...new Set(ran.facts.map(({ name, value }) => `${name} ${value}`))];
  return [
    paragraph(`${iso(start)} to ${iso(end)}, ${seconds.toFixed(1)} s.${measured}`),
    ...(facts.length === 0 ? [] : [paragraph(facts.join(" · "))]),
    table(
      ["Endpoint", "Server", "Series", "Scrapes", ""],
      ran.endpoints.map(({ url, displayName, servers, series, scrapes, failures }) => [
        displayName,
        servers.join(", "),
        series === undefined ? "" : grouped(series),
        // Of a benchmark client they are its requests.
        isClientEndpoint(url) ? "" : grouped(scrapes),
        failures === 0 ? "" : `${grouped(failures)} failed`,
      ]),
    ),
    ...(ran.phases.length === 0 ? [] : [paragraph(`Phases: ${ran.phases.join(", ")}.`)]),
    ...(ran.marks.length === 0
      ? []
      : [
          paragraph(`${plural(ran.marks.length, "mark")}:`),
          bullets(ran.marks.map(({ seconds, label }) => `${seconds.toFixed(1)} s: ${label}`)),
        ]),
    ...(ran.isCut === true ? [paragraph("The run ended before its window did.")] : []),
    ...(ran.problems ?? []).map(({ reason }) => paragraph(sentence(reason.replace(/\.$/, "")))),
  ];
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
