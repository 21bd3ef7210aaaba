import type { ReadonlySignal } from "@preact/signals";
import type { SloReport } from "../../src/protocol/index.js";
import { answerForList, REFRESH_MS } from "./assertions.js";
import { liveQuery } from "./live-query.js";
import type { RunStore } from "./run-store.js";

export interface ObjectiveStore {
  /** How far the settings' objectives are met; none are until the run has been checked against them. */
  readonly report: ReadonlySignal<SloReport>;
  dispose(): void;
}

const NONE: SloReport = { attained: [], missing: [] };

/** Holds the run against the objectives of the settings, as they change and as the run goes on. */
export function createObjectiveStore(run: Pick<RunStore, "client" | "pace">): ObjectiveStore {
  const { client } = run;
  const { answer, dispose } = answerForList(
    {
      ask: () => client.call("objectives", {}),
      listen: (onList) => client.on("objectives", ({ objectives }) => onList(objectives)),
    },
    NONE,
    (objectives) => liveQuery((abort) => client.call("slo", { objectives }, abort), run.pace(REFRESH_MS)),
  );
  return { report: answer, dispose };
}
