import { t } from "@vscode/l10n";
import { useSignal } from "@preact/signals";
import type { RunHeader } from "../../src/protocol/index.js";
import { matching, SearchList } from "../components/search-list.js";
import { plural, noun, grouped } from "../../src/core/text/plural.js";
import { hostOf } from "../format/text.js";
import { elideMiddle } from "../shorten/text-group.js";
import { useAction, type RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { AdjustLine, FileLine, Measured } from "../adjust/adjust-line.js";
import { Button, IconButton } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { ProblemLine } from "../components/message.js";
import { formatElapsed, formatLength } from "../format/time.js";
import { isReport } from "../report/opened.js";
import { overviewLine } from "../dashboards/kinds.js";
import { Endpoints } from "./endpoints.js";
import { Notes, notesOf, urgentProblems } from "./notes.js";
import { isOver, runLook } from "./state.js";

interface TotalsProps {
  readonly totals: NonNullable<RunHeader["totals"]>;
  readonly action: RunningAction;
}

/** What a run of totals is made of: instances, each read from the store when it is opened. */
function Totals({ totals: { url, instances, stepSeconds }, action }: TotalsProps) {
  const { run } = useView();
  const reading = useSignal<string | undefined>(undefined);
  const items = instances.map((instance) => ({ id: instance, text: instance }));
  const open = (instance: string) => {
    if (reading.value !== undefined) return;
    reading.value = instance;
    action.start(run.client.call("openInstance", { instance }).finally(() => (reading.value = undefined)));
  };
  return (
    <details class="fold totals">
      <summary>
        {t`Totals over ${plural(instances.length, t("instance"), t("instances"))}`}
        <span class="muted">
          {t`${stepSeconds === undefined ? "" : t`every ${stepSeconds} s, `}from ${elideMiddle(hostOf(url), 40)}; open one to read its samples`}
        </span>
      </summary>
      <SearchList
        label={t("Search instances")}
        find={(search) => matching(items, search)}
        onPick={({ id }) => open(id)}
        render={({ text }) => (
          <span class="option-text" title={t`Read ${text} from ${url}`}>
            {text}
          </span>
        )}
        note={reading.value === undefined ? undefined : t`Reading ${reading.value}…`}
      />
    </details>
  );
}

/** Facts and actions of the run; nothing before they are known. */
export function RunHeaderView() {
  const header = useView().run.header.value;
  return header === undefined ? null : <KnownHeader header={header} />;
}

function KnownHeader({ header }: { readonly header: RunHeader }) {
  const look = runLook(header);
  const over = isOver(header);
  const action = useAction();
  return (
    <header class="run-header">
      <div class="run-line">
        <span class={`run-state tone-${look.tone}`} role="status">
          <Icon name={look.icon} /> {look.text}
        </span>
        {header.label !== undefined && (
          <h1 class="run-label" title={header.label}>
            <TruncatedText text={header.label} />
          </h1>
        )}
        <dl class="run-figures">
          {header.elapsedSeconds !== undefined && (
            <Figure
              name={over ? t("profiled") : t("elapsed")}
              value={over ? formatLength(header.elapsedSeconds) : formatElapsed(header.elapsedSeconds)}
              title={over ? t("Length of profiling, without the warm-up") : t("Since the first scrape")}
            />
          )}
          {header.scrapes !== undefined && (
            <Figure name={noun(header.scrapes, t("scrape"), t("scrapes"))} value={grouped(header.scrapes)} />
          )}
          {header.gaps !== undefined && (
            <Figure
              name={noun(header.gaps, t("gap"), t("gaps"))}
              value={grouped(header.gaps)}
              title={t("Failed scrapes and values that are not numbers")}
            />
          )}
        </dl>
        <Seen header={header} />
        <RunActions header={header} action={action} />
      </div>
      {header.file !== undefined && <FileLine file={header.file} action={action} />}
      <Measured header={header} action={action} />
      <AdjustLine header={header} action={action} />
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      {urgentProblems(header.problems).map((problem) => (
        <ProblemLine key={problem.reason} problem={problem} />
      ))}
      <div class="folded">
        <Endpoints header={header} action={action} />
        {header.totals !== undefined && <Totals totals={header.totals} action={action} />}
        <Notes notes={notesOf(header)} />
      </div>
    </header>
  );
}

/** What was seen, a kind of server after the other. */
function Seen({ header: { endpoints, facts } }: { readonly header: RunHeader }) {
  const line = overviewLine(endpoints, facts);
  return line === "" ? null : <div class="seen">{line}</div>;
}

function Figure({ name, value, title }: { readonly name: string; readonly value: string; readonly title?: string }) {
  return (
    <div class="figure" title={title}>
      <dd>{value}</dd>
      <dt>{name}</dt>
    </div>
  );
}

function RunActions({ header, action }: { readonly header: RunHeader; readonly action: RunningAction }) {
  const { run } = useView();
  const capturing = header.state === "capturing";
  const kept = isOver(header) || header.state === "following";
  const command = (name: "stop" | "markProfilingStart" | "addMark" | "exportAs") => () =>
    action.start(run.client.call("captureCommand", { command: name }));
  return (
    <div class="run-actions">
      {capturing && header.phase === "warmup" && (
        <Button
          text={t("Mark Profiling Start")}
          title={t("Ends the warm-up: statistics count from now on")}
          onClick={command("markProfilingStart")}
        />
      )}
      {capturing && (
        <Button
          text={t("Add Mark")}
          title={t("Notes an event, such as a step in concurrency")}
          onClick={command("addMark")}
        />
      )}
      {capturing && (
        <Button
          primary
          text={t("Stop")}
          icon="debug-stop"
          title={t("Final scrape, then the artifacts are written")}
          onClick={command("stop")}
        />
      )}
      {kept && header.exportable.length > 0 && (
        <Button
          text={t("Export As…")}
          title={t`Writes this run as ${header.exportable.map((format) => format.toUpperCase()).join(", ")}`}
          onClick={command("exportAs")}
        />
      )}
      {header.state === "following" && (
        <Button
          primary
          text={t("Stop Following")}
          icon="debug-stop"
          title={t("Stops reading the file as it grows")}
          onClick={() => action.start(run.client.call("follow", { on: false }))}
        />
      )}
      {!isReport && kept && (
        <IconButton
          icon="export"
          label={t("Export Report…")}
          title={t("Export Report…: one HTML file that opens anywhere")}
          onClick={() => action.start(run.client.call("exportReport", {}))}
        />
      )}
      {!isReport && <LinkButton />}
      <IconButton
        icon="copy"
        label={t("Copy the benchmark id")}
        title={t`Copy the benchmark id\n${header.benchmarkId}`}
        onClick={() => action.start(run.client.call("copy", { text: header.benchmarkId, what: t("benchmark id") }))}
      />
    </div>
  );
}

/** Links this view with the other runs that are open, or lets it go; says that it is linked. */
function LinkButton() {
  const { link } = useView();
  const action = useAction();
  const { linked, others } = link.state.value;
  const does = linked
    ? t`Unlink from ${plural(others, t("other run"), t("other runs"))}`
    : t("Link with the other runs that are open");
  return (
    <>
      <vscode-button
        appearance={linked ? "secondary" : "icon"}
        aria-pressed={linked}
        aria-label={does}
        title={t`${does}\nZoom, charts and slice length of linked views follow each other`}
        onClick={() => action.start(link.toggle())}
      >
        {linked ? (
          <>
            <Icon name="link" slot="start" />
            {t("Linked")}
          </>
        ) : (
          <Icon name="link" />
        )}
      </vscode-button>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
    </>
  );
}
