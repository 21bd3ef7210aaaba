import { t } from "@vscode/l10n";
import type { ComparedRunStatus, IdentifiedComparison, RunSummary } from "../../../src/protocol/comparison.js";
import { plural } from "../../../src/core/text/plural.js";
import { hostOf } from "../../format/text.js";
import { elideMiddle } from "../../shorten/text-group.js";
import { formatLength } from "../../format/time.js";

type Fact = readonly [value: string, title?: string | undefined];

/** A fact about each run. `compared`: set apart where it is not the baseline's. */
interface FactRow {
  readonly name: string;
  readonly compared: boolean;
  readonly cells: readonly Fact[];
}

/** Facts about each run, a row a fact; those that no run has are left out. */
export function factRows(
  runs: readonly ComparedRunStatus[],
  comparison: IdentifiedComparison | undefined,
): readonly FactRow[] {
  const summaries = runs.map(({ id }) => {
    const { setIds = [], baseline, candidates = [] } = comparison ?? {};
    const column = setIds.findIndex((set) => set.includes(id));
    return [baseline, ...candidates][column]?.runs[setIds[column]?.indexOf(id) ?? -1];
  });
  const row = (
    name: string,
    compared: boolean,
    of: (run: ComparedRunStatus, summary: RunSummary | undefined) => Fact,
  ): FactRow => ({ name, compared, cells: runs.map((run, i) => of(run, summaries[i])) });
  const rows = [
    row(t("Recorded"), false, (run, summary) => [
      recorded(run, summary),
      summary === undefined ? undefined : t`${summary.start} to ${summary.end}`,
    ]),
    row(t("Window"), false, (_run, summary) =>
      summary === undefined ? [""] : [windowText(summary), slicesText(summary)],
    ),
    row(t("Endpoints"), false, (run, summary) => {
      const urls =
        summary?.endpoints ?? (run.state.kind === "ready" ? run.state.header.endpoints.map(({ url }) => url) : []);
      return [
        urls.length > 2 ? plural(urls.length, t("endpoint"), t("endpoints")) : urls.map(hostOf).join(", "),
        urls.join("\n"),
      ];
    }),
    row(t("Load"), false, (_run, summary) => [summary?.load ?? ""]),
    row(t("Server"), true, (run, summary) => {
      const models = summary?.models ?? [];
      const parts = [serverText(run, summary), ...models.map((model) => elideMiddle(model, 40))];
      return [parts.filter((part) => part !== "").join(", "), models.join("\n")];
    }),
  ];
  return rows.filter(({ cells }) => cells.some(([value]) => value !== ""));
}

function recorded(run: ComparedRunStatus, summary: RunSummary | undefined): string {
  const start =
    summary === undefined
      ? run.state.kind === "ready"
        ? new Date(run.state.header.originMs)
        : undefined
      : new Date(summary.start);
  // A CSV does not tell.
  return start === undefined || !(start.getTime() > 0)
    ? ""
    : start.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

function windowText({ seconds, warmupSeconds = 0 }: RunSummary): string {
  if (!(seconds > 0)) return "";
  return `${formatLength(seconds)}${warmupSeconds >= 1 ? t`, after ${formatLength(warmupSeconds)} of warm-up` : ""}`;
}

function slicesText({ slices, sliceSeconds }: RunSummary): string {
  return slices === 0
    ? t("no slices")
    : t`${plural(slices, t("slice"), t("slices"))} of ${Number(sliceSeconds.toPrecision(3))} s are compared`;
}

/** Servers, and their version where they tell it. */
function serverText(run: ComparedRunStatus, summary: RunSummary | undefined): string {
  const facts = run.state.kind === "ready" ? run.state.header.facts : [];
  const versions = [...new Set(facts.filter(({ name }) => /version/i.test(name)).map(({ value }) => value))];
  return [(summary?.servers ?? []).join(", "), versions.join(", ")].filter((part) => part !== "").join(" ");
}
