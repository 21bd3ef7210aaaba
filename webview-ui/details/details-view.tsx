import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { RunHeader, StaticFact } from "../../src/protocol/index.js";
import { formatName } from "../adjust/text.js";
import { formatLength, formatClock, formatRelative, relativeSeconds } from "../format/time.js";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { getOrInsert } from "../../src/core/math/group-by.js";
import { IconButton } from "../components/button.js";
import { ProblemLine, Unanswered } from "../components/message.js";
import { plural } from "../../src/core/text/plural.js";
import { useAction } from "../state/action.js";
import { useAnswer, useView } from "../state/context.js";
import type { LiveQuery } from "../state/live-query.js";
import { configTree, labelTree, TreeView } from "./tree-view.js";
import { hostOf } from "../format/text.js";
import { elideMiddle } from "../shorten/text-group.js";

/** One line of what is known of a run. */
interface RunFact {
  readonly name: string;
  readonly value: string;
  /** Said on hover, and copied in its place: the exact value. */
  readonly exact?: string;
}

/** File, identity and times of a run; what is not known is left out. */
function runFacts(header: RunHeader): RunFact[] {
  const { file, label, benchmarkId, profilingStart, profilingEnd, window } = header;
  const fact = (name: string, value: string | undefined, exact?: string): RunFact[] =>
    value === undefined || value === "" ? [] : [{ name, value, ...(exact === undefined ? {} : { exact }) }];
  const stretch = (from: number, to: number | undefined): RunFact[] => {
    const end = to === undefined ? [] : [clock(header, to)];
    const length = to === undefined ? "" : ` (${formatLength((to - from) / 1e9)})`;
    return fact(
      from === window?.start ? t("chosen window") : t("profiling"),
      [clock(header, from).text, ...(end.length === 0 ? [t("in progress")] : end.map(({ text }) => text))].join(" – ") +
        length,
      [clock(header, from).ns, ...end.map(({ ns }) => ns)].join(" – "),
    );
  };
  return [
    ...fact(t("file"), file?.path),
    ...fact(t("format"), file === undefined ? undefined : formatName(file.format)),
    ...fact(t("size"), file === undefined ? undefined : formatValue(file.bytes, "bytes"), t`${file?.bytes ?? 0} bytes`),
    ...fact(t("schema version"), file?.schemaVersion),
    ...fact(t("written by"), file?.exporter),
    ...fact(t("label"), label),
    ...fact(t("benchmark id"), benchmarkId),
    // A file without times begins at 0.
    ...(header.originNs === "0"
      ? []
      : [
          ...fact(t("first scrape"), clock(header, 0).text, clock(header, 0).ns),
          ...stretch(profilingStart, profilingEnd),
          ...(window === undefined ? [] : stretch(window.start, window.end)),
        ]),
    ...fact(
      t("slices"),
      header.sliceDurationSeconds > 0 ? formatValue(header.sliceDurationSeconds, "seconds") : undefined,
    ),
  ];
}

/** Local date and time with milliseconds, and the exact nanoseconds since the epoch. */
function clock({ originMs, originNs }: RunHeader, offset: number): { readonly text: string; readonly ns: string } {
  const date = new Date(originMs + offset / 1e6);
  const two = (value: number, width = 2) => String(value).padStart(width, "0");
  return {
    text: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`,
    ns: `${BigInt(originNs) + BigInt(Math.round(offset))} ns`,
  };
}

const REFRESH_MS = 10_000;

/** What is known of the run beside its numbers: its file, its configuration, the labels of its series. */
export function DetailsView() {
  return (
    <div class="run-details">
      <RunFacts />
      <ServerFacts />
      <ServerEvents />
      <Configuration />
      <Labels />
    </div>
  );
}

function RunFacts() {
  const { run } = useView();
  const action = useAction();
  const header = run.header.value;
  if (header === undefined) return null;
  return (
    <section aria-labelledby="details-run">
      <h2 id="details-run">{t("Run")}</h2>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <dl class="run-facts">
        {runFacts(header).map(({ name, value, exact }) => (
          <div key={`${name} ${value}`} class="run-fact">
            <dt>{name}</dt>
            <dd title={exact}>{value}</dd>
            <dd>
              <IconButton
                icon="copy"
                label={t`Copy ${name}`}
                title={t`Copy ${exact ?? value}`}
                onClick={() =>
                  action.start(run.client.call("copy", { text: (exact ?? value).replaceAll(" ns", ""), what: name }))
                }
              />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Configuration() {
  const live = useAnswer("configuration", {}, REFRESH_MS);
  const config = live.latest.value;
  const roots = useMemo(() => configTree(config ?? []), [JSON.stringify(config)]);
  return (
    <TreeSection
      id="details-config"
      heading={t("Input configuration")}
      what={t("configuration")}
      live={live}
      empty={roots.length === 0 ? t("This run's file does not contain its configuration.") : undefined}
    >
      <TreeView
        label={t("Input configuration")}
        roots={roots}
        open={roots.map(({ path }) => path)}
        pathName={t("Path")}
      />
    </TreeSection>
  );
}

function Labels() {
  const live = useAnswer("labels", {}, REFRESH_MS);
  const counts = live.latest.value;
  const roots = useMemo(() => labelTree(counts ?? []), [counts]);
  return (
    <TreeSection
      id="details-labels"
      heading={counts === undefined ? t("Labels") : t`Labels, ${plural(roots.length, t("name"), t("names"))}`}
      what={t("labels")}
      live={live}
      empty={roots.length === 0 ? t("No series of this run has a label.") : undefined}
    >
      <TreeView label={t("Labels")} roots={roots} pathName={t("Label")} />
    </TreeSection>
  );
}

interface TreeSectionProps {
  readonly id: string;
  readonly heading: string;
  readonly what: string;
  readonly live: LiveQuery<unknown>;
  /** What to say where there is nothing to show. */
  readonly empty: string | undefined;
  readonly children: ComponentChildren;
}

/** A tree under its heading, once what it is made of has been answered. */
function TreeSection({ id, heading, what, live, empty, children }: TreeSectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <Unanswered live={live} what={what} />
      {live.latest.value !== undefined && (empty === undefined ? children : <p class="muted">{empty}</p>)}
    </section>
  );
}

/** What servers reported of single requests and of their KV caches; nothing where they were not asked. */
function ServerEvents() {
  const { run } = useView();
  const header = run.header.value;
  const events = header?.events ?? [];
  if (header === undefined || events.length === 0) return null;
  const total = events.reduce((sum, { count }) => sum + count, 0);
  return (
    <section aria-labelledby="details-events">
      <h2 id="details-events">{t`Server events, ${plural(total, t("event"), t("events"))}`}</h2>
      <p class="muted">
        {total > events.length && t("Events close together share a line. ")}
        {t("Charts show them as ticks on the time axis; the JSONL has each in full.")}
      </p>
      <ol class="server-events">
        {events.map(({ kind, time, label }) => (
          <li key={`${kind} ${time}`}>
            <span class="event-time" title={formatClock(header.originMs, time)}>
              {formatRelative(relativeSeconds(time, header.profilingStart), 1)}
            </span>{" "}
            {label}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface MergedFact {
  readonly name: string;
  /** One when all endpoints agree. */
  readonly values: readonly { readonly value: string; readonly endpoints: readonly string[] }[];
}

/** What several endpoints agree on is said once; where they differ, each value with its endpoints. */
export function mergeFacts(facts: readonly StaticFact[]): MergedFact[] {
  const names = new Map<string, Map<string, string[]>>();
  for (const { name, value, endpointUrl } of facts) {
    const values = getOrInsert(names, name, () => new Map<string, string[]>());
    const endpoints = getOrInsert(values, value, () => []);
    if (!endpoints.includes(endpointUrl)) endpoints.push(endpointUrl);
  }
  return [...names].map(([name, values]) => ({
    name,
    values: [...values].map(([value, endpoints]) => ({ value, endpoints })),
  }));
}

/** The static configuration of model and server. */
function ServerFacts() {
  const facts = useView().run.header.value?.facts ?? [];
  if (facts.length === 0) return null;
  return (
    <section aria-labelledby="details-facts">
      <h2 id="details-facts">{t("Model and server")}</h2>
      <dl class="fact-list">
        {mergeFacts(facts).map(({ name, values }) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            {values.map(({ value, endpoints }) => (
              <dd key={value} title={[value, ...endpoints.map(hostOf)].join("\n")}>
                {elideMiddle(value, 48)}
                {values.length > 1 && <span class="muted"> {endpoints.map(hostOf).join(", ")}</span>}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
}
