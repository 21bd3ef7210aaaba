import { formatValue } from "../core/catalog/index.js";
import {
  loadWindowText,
  measuredLoad,
  NS_PER_SECOND,
  type LoadWindow,
  type RunStatistics,
} from "../core/model/index.js";
import { shownFamilies, tilePlans, tileSteps, type Tile } from "../core/query/index.js";
import { complete } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import type { RunHeader } from "../protocol/index.js";
import type { Capture } from "./capture/capture.js";

type Load = Pick<RunHeader, "load">;

/** Which part of a run at rest is measured, where its load is known. */
export function loadStatus(run: Run): Load {
  const { load } = run;
  if (load === undefined) return {};
  const switchable = run.isWindowSwitchable;
  const changes = switchable ? changesOf(run, load) : undefined;
  const text = loadWindowText(load, run.windowRule);
  return { load: { rule: run.windowRule, text, switchable, ...(changes === undefined ? {} : { changes }) } };
}

/** The same of a file of statistics. */
export function storedLoad(statistics: RunStatistics): Load {
  const load = measuredLoad(statistics);
  return load === undefined ? {} : { load: { rule: "load", text: loadWindowText(load), switchable: false } };
}

/** The same of a capture under way; nothing before its load has begun, and of one that is over. */
export function liveLoad({ state, rule, run, loadStart }: Capture): Load {
  if (state === "stopped" || loadStart === undefined) return {};
  const at = `${(run.offset(loadStart) / NS_PER_SECOND).toFixed(1)} s into the capture`;
  const text =
    rule === "load" ? `measured: from the load's start, ${at}` : `measured: all that is captured; the load began ${at}`;
  return { load: { rule, text, switchable: state === "capturing" } };
}

/** Of each window that was found, computed once; undefined where no rate tells. */
const changes = new WeakMap<LoadWindow, string | undefined>();

/**
 * The first rate of a server's key metrics, over the load and over all that was captured. A large file's header has it
 * as soon as it was computed of the samples by which the load was found.
 */
export function changesOf(run: Run, load: LoadWindow): string | undefined {
  if (!changes.has(load)) changes.set(load, firstRate(run, load));
  return changes.get(load);
}

function firstRate(run: Run, load: LoadWindow): string | undefined {
  for (const plan of tilePlans(shownFamilies(run))) {
    if (plan.metric.statistic !== "rate") continue;
    const [over, all] = [{ ...load, kind: "load" } as const, { ...load.whole, kind: "recorded" } as const].map(
      (window) => complete(tileSteps(run, { plans: [plan], window }))[0],
    );
    if (over === undefined || all === undefined || !(over.value > 0)) continue;
    const shown = ({ value, unit }: Tile) => formatValue(value, unit);
    return `${over.title}: ${shown(over)} over the load, ${shown(all)} over all that was captured`;
  }
  return undefined;
}
