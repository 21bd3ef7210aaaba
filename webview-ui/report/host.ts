import {
  ChannelServer,
  COMPARISON_GUARDS,
  EXPERIMENT_GUARDS,
  LIBRARY_GUARDS,
  VIEW_GUARDS,
  type Message,
  type ParamGuards,
  type Port,
  type Relay,
  type ReportPage,
  type ReportedRuns,
} from "../../src/protocol/index.js";
import type { HostApi } from "../channel.js";
import { recordedAnswers, resultIn } from "./answers.js";
import type { LibraryChoice } from "../../src/core/library/table.js";
import { offeredColumns, reportedLibrary, shownRuns, shownSweep } from "../../src/protocol/shown-runs.js";

/** By any of the views. */
type Asked = Readonly<Record<string, { readonly params: unknown; readonly result: unknown }>>;

const GUARDS: { readonly [V in ReportPage["view"]]: ParamGuards<Asked> } = {
  run: VIEW_GUARDS,
  comparison: COMPARISON_GUARDS,
  experiment: EXPERIMENT_GUARDS,
  library: LIBRARY_GUARDS,
};

/** What a report's page has in place of VS Code: it answers from what was recorded. */
export function reportHost(report: ReportPage): HostApi {
  const listeners = new Set<(message: Message) => void>();
  const port: Port = {
    post: (message) => window.postMessage(message, "*"),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const recorded = recordedAnswers(report);
  const runs = resultIn<ReportedRuns>(report.answers.find(({ name }) => name === "runs"));
  const own = runs === undefined ? OWN : { ...OWN, ...reportedRuns(runs) };
  const relay: Relay = {
    ask: (name, params) =>
      Promise.resolve().then(() => (Object.hasOwn(own, name) ? own[name]?.(params) : recorded(name, params))),
  };
  new ChannelServer<Asked, Record<never, never>, string>(port, {}, GUARDS[report.view], relay);
  let state: unknown;
  return {
    postMessage: (message) => {
      // As the editor's: the sender goes on before it is answered.
      const sent = structuredClone(message) as Message;
      queueMicrotask(() => listeners.forEach((listener) => listener(sent)));
    },
    getState: () => state,
    setState: (next) => {
      state = next;
    },
  };
}

/** What is about the page, not about the run. */
const OWN: Readonly<Record<string, (params: unknown) => unknown>> = {
  copy: async (params) => {
    await navigator.clipboard.writeText((params as { readonly text: string }).text);
    return null;
  },
  linkState: () => ({ linked: false, others: 0 }),
  loadLayout: () => null,
  saveLayout: () => null,
  openFile: () => null,
  openRuns: () => null,
  capturing: () => null,
  saveLibraryLayout: () => null,
  loadComparisonLayout: () => null,
  saveComparisonLayout: () => null,
};

/** Answers the questions of a page of runs, any choice of which is made in the page itself. */
export function reportedRuns(reported: ReportedRuns): Readonly<Record<string, (params: unknown) => unknown>> {
  const all = reportedLibrary(reported);
  return {
    // Nothing is written in its cells: an empty column says nothing.
    libraryRuns: (choice) => shownRuns(reported.folder, all, choice as LibraryChoice, []),
    libraryColumns: () => offeredColumns(all),
    sweepRuns: (asked) => shownSweep(all, (asked as { readonly choice: LibraryChoice }).choice),
  };
}
