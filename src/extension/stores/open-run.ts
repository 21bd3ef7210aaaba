import { t } from "@vscode/l10n";
import type { Memento } from "vscode";
import { UserError } from "../../core/text/errors.js";
import { validateUrl } from "../../collect/url.js";
import type { StoredTotals } from "../../core/model/index.js";
import type { EndpointOptions, FoundInStore, RunHeader, StoreQuery } from "../../protocol/index.js";
import { askRow } from "../ask.js";
import type { ChosenEndpoint } from "../capture/endpoint-items.js";
import { EngineRun, type RunEngine, type SpawnEngine } from "../engine.js";
import { withAccess } from "../capture/request.js";
import { saveRun, showAndSave, type ShowParts } from "../capture/write-artifacts.js";
import { mayCapture } from "../origins.js";
import { MEMORY_KEYS } from "../command-ids.js";
import type { EndpointHeaders } from "../headers.js";
import { withEngineProgress } from "../progress.js";
import { SETTINGS } from "../settings/definitions.js";
import { sameEndpoint } from "../settings/endpoints.js";
import { readSetting } from "../settings/read.js";
import { askText, type DialogAnswer, type PickRow } from "../workbench-text.js";
import { problemWords } from "../words.js";
import { askSelector } from "./ask-selector.js";
import { askTime } from "./ask-time.js";
import { foundRows, ofInstance, type Chosen } from "./found-rows.js";
import { dateTimeText } from "../../stores/wording/time-range.js";
import type { MsRange } from "../../stores/prometheus/time.js";

export interface StoreParts extends ShowParts {
  readonly headers: EndpointHeaders;
  readonly globalMemory: Memento;
  readonly spawnEngine: SpawnEngine;
  /** The run in the editor in front; undefined where there is none. */
  openRun(): Promise<RunHeader | undefined>;
  /** Leaves what is shown as it is. */
  showApart(run: EngineRun): void;
}

const STEPS = ["address", "selector", "time", "found"] as const;
const stepOf = (name: (typeof STEPS)[number]) => ({ step: STEPS.indexOf(name) + 1, totalSteps: STEPS.length });

const MAX_REMEMBERED = 5;

/**
 * Open Run from Prometheus…: address, selector and time, what is found there, then the run, read with progress and
 * Cancel, written and shown as one that was captured.
 */
export async function openRunFromStore(parts: StoreParts): Promise<void> {
  let isBack = true;
  while (isBack) {
    isBack = false;
    const url = await askAddress(parts);
    if (url === undefined) return;
    await withStore(
      parts,
      { url, origin: isListed(url) ? "stores" : "typed" },
      () => openRunFromStore(parts),
      async (engine, store) => {
        const chosen = await askQuery(parts, engine, store);
        isBack = chosen.kind === "back";
        if (chosen.kind !== "value") return undefined;
        // What settings list is offered anyway; that the workspace names it does not make it the user's word.
        if (!isListed(url))
          await parts.globalMemory.update(MEMORY_KEYS.stores, [url, ...remembered(parts).filter((one) => one !== url)]);
        const run = await readRun(parts, engine, chosen.value);
        return { run, show: () => showAndSave(parts, run) };
      },
    );
  }
}

/** Reads one of the instances behind totals, with progress and Cancel, and shows it beside them. */
export async function openInstance(parts: StoreParts, totals: StoredTotals, instance: string): Promise<void> {
  const { url, selectors, startMs, endMs } = totals;
  // A file may name any server.
  if (!(await mayCapture(t("Servers that a file names are asked only in trusted workspaces.")))) return;
  const again = () => openInstance(parts, totals, instance);
  await withStore(parts, { url, origin: "file" }, again, async (engine, store) => {
    const query = ofInstance({ store, selectors, startMs, endMs }, instance);
    const run = await readRun(parts, engine, { query, label: instance });
    return {
      run,
      show: async () => {
        parts.showApart(run);
        await saveRun(parts, run);
      },
    };
  });
}

/**
 * Has a store read by an engine of its own, which goes on living with the run that was read.
 * @param again what Try Again does
 */
async function withStore(
  parts: StoreParts,
  chosen: ChosenEndpoint,
  again: () => Promise<void>,
  read: (
    engine: RunEngine,
    store: EndpointOptions,
  ) => Promise<{ readonly run: EngineRun; readonly show: () => Promise<void> } | undefined>,
): Promise<void> {
  const [store] = await withAccess([chosen], parts.headers);
  if (store === undefined) return;
  const engine = parts.spawnEngine();
  let kept = false;
  try {
    const found = await read(engine, store);
    if (found === undefined) return;
    kept = true;
    const hold = found.run.hold();
    try {
      await found.show();
    } finally {
      hold.dispose();
    }
  } catch (error) {
    offerHeaders(parts, chosen, again, error);
  } finally {
    if (!kept) await engine.dispose();
  }
}

async function readRun(parts: StoreParts, engine: RunEngine, { query, label, ...how }: Chosen): Promise<EngineRun> {
  const { problems } = await withEngineProgress(
    engine.client,
    {
      title: label === undefined ? t("Reading a run from Prometheus") : t`Reading ${label} from Prometheus`,
      request: "fetchStored",
    },
    (signal) =>
      engine.client.call(
        "fetchStored",
        {
          ...query,
          ...how,
          sliceDurationSeconds: readSetting(SETTINGS.sliceDuration),
          ...(label === undefined ? {} : { label }),
        },
        signal,
      ),
  );
  for (const problem of problems) parts.notifier.log.info(problemWords(problem));
  const run = new EngineRun(engine);
  await run.refresh();
  return run;
}

/** The settings' own word, not the user's. */
function isListed(url: string): boolean {
  return readSetting(SETTINGS.stores).some((one) => sameEndpoint(one.url, url));
}

/** Most refusals are for want of a token: nobody is led to give one to a server that a file names. */
function offerHeaders(
  parts: StoreParts,
  { url, origin }: ChosenEndpoint,
  retry: () => Promise<void>,
  error: unknown,
): void {
  const refused = origin !== "file" && error instanceof UserError && error.code === "store";
  const again = { title: t("Try Again"), run: retry };
  const headers = {
    title: t("Set Headers"),
    run: async () => {
      if (await parts.headers.edit(url)) await retry();
    },
  };
  parts.notifier.error(error, ...(refused ? [again, headers] : [again]));
}

function remembered({ globalMemory }: StoreParts): readonly string[] {
  const stored = globalMemory.get<unknown>(MEMORY_KEYS.stores);
  const urls = Array.isArray(stored) ? stored.filter((url) => typeof url === "string") : [];
  return urls.slice(0, MAX_REMEMBERED);
}

async function askAddress(parts: StoreParts): Promise<string | undefined> {
  const saved = readSetting(SETTINGS.stores).map(({ url, label }) => ({ url, label }));
  const others = remembered(parts).filter((url) => !saved.some((one) => one.url === url));
  const rows: (PickRow & { readonly url?: string })[] = [
    ...saved.map(({ url, label }) => ({ label: label ?? url, description: label === undefined ? "" : url, url })),
    ...others.map((url) => ({ label: url, description: t("used before"), url })),
    { label: t("Another address…"), icon: "add" },
  ];
  const title = t("Open Run from Prometheus: Address");
  const isKnown = rows.length > 1;
  for (;;) {
    if (isKnown) {
      const chosen = await askRow({
        title,
        placeholder: t("Choose a store"),
        ...stepOf("address"),
        rows: () => rows,
      });
      if (chosen.kind !== "value") return undefined;
      if (chosen.value.url !== undefined) return chosen.value.url;
    }
    const typed = await askText({
      title,
      prompt: t(
        "The address in Grafana's data source: Prometheus, Thanos, Mimir (ends in /prometheus) or VictoriaMetrics.",
      ),
      placeholder: "http://prometheus:9090",
      ...stepOf("address"),
      hasBack: isKnown,
      validate: (text) => (text === "" ? undefined : validateUrl(text)),
    });
    if (typed.kind === "cancel" || (typed.kind === "value" && typed.value.trim() === "")) return undefined;
    if (typed.kind === "value") return parts.headers.takeCredentials(typed.value, "store");
  }
}

/** Selector and time, then what is found; each question has a way back to the one before, the first to the address. */
async function askQuery(parts: StoreParts, engine: RunEngine, store: EndpointOptions): Promise<DialogAnswer<Chosen>> {
  let selector = "";
  let range: MsRange | undefined;
  for (;;) {
    if (range === undefined) {
      const chosen = await askSelector(engine, store, { ...stepOf("selector"), value: selector });
      if (chosen.kind !== "value") return chosen;
      selector = chosen.value;
    }
    const time = await askTime({
      ...stepOf("time"),
      runs: [await parts.openRun(), parts.captures.latest?.header].filter((run) => run !== undefined),
      storedDays: (days, signal) => engine.client.call("storedDays", { store, selector, days }, signal),
    });
    range = time.kind === "value" ? time.value : undefined;
    if (time.kind === "cancel") return time;
    if (range === undefined) continue;
    const query = { store, selectors: [selector], ...range };
    const found = await withEngineProgress(
      engine.client,
      { title: t("Looking up what Prometheus has"), request: "findStored" },
      (signal) => engine.client.call("findStored", query, signal),
    );
    if (found.series === 0)
      throw new UserError(
        t`The store has no series of ${selector} between ${dateTimeText(range.startMs)} and ${dateTimeText(range.endMs)}.`,
        t("Choose another time range or selector."),
      );
    const chosen = await chooseFromFound(query, found);
    if (chosen.kind !== "back") return chosen;
  }
}

/** What was found is shown before it is read: all of it, totals over its instances, or one of them. */
async function chooseFromFound(query: StoreQuery, found: FoundInStore): Promise<DialogAnswer<Chosen>> {
  const { rows, placeholder, first } = foundRows(query, found);
  const answer = await askRow({
    title: t("Open Run from Prometheus: Found"),
    placeholder,
    ...stepOf("found"),
    rows: () => rows,
  });
  return answer.kind === "value" ? { kind: "value", value: answer.value.chosen ?? first } : answer;
}
