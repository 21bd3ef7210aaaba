import { signal, type ReadonlySignal } from "@preact/signals";
import type { Objective, SloReport } from "../../src/protocol/index.js";
import { answerForList, REFRESH_MS } from "./assertions.js";
import { liveQuery } from "./live-query.js";
import type { RunStore } from "./run-store.js";

/** How far the settings' objectives are met; none are until the run has been checked against them. */
export type AttainedObjectives = ReadonlySignal<SloReport>;

const NONE: SloReport = { attained: [], missing: [] };

/** Holds the run against the objectives of the settings, as they change and as the run goes on. */
export function createAttainedObjectives({ client, pace }: Pick<RunStore, "client" | "pace">): AttainedObjectives {
  const list = signal<readonly Objective[]>([]);
  client.on("objectives", ({ objectives }) => (list.value = objectives));
  client.call("objectives", {}).then(
    (known) => (list.value = known),
    () => undefined,
  );
  return answerForList(list, NONE, (objectives) =>
    liveQuery((abort) => client.call("slo", { objectives }, abort), pace(REFRESH_MS)),
  );
}
