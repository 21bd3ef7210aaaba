import { useComputed, type ReadonlySignal } from "@preact/signals";
import type { FamilySummary } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { useView } from "../state/context.js";
import { isLive } from "../state/run-store.js";
import { isSilent, silenceText } from "./kinds.js";

interface Silent {
  /** "2 of 5 do not answer"; "" where all do. */
  readonly text: ReadonlySignal<string>;
  /** None answers any more, in a run that goes on. */
  readonly gone: ReadonlySignal<boolean>;
}

/** Which servers of these families are silent, of the endpoints that the view shows. */
export function useSilence(families: readonly Pick<FamilySummary, "server">[]): Silent {
  const { run } = useView();
  const own = useComputed(() =>
    (run.header.value?.endpoints ?? []).filter(
      ({ url, servers, families: known }) =>
        known > 0 &&
        run.only.value?.urls.includes(url) !== false &&
        families.some(({ server }) => server === undefined || servers.includes(server)),
    ),
  );
  const live = useComputed(() => run.header.value !== undefined && isLive(run.header.value));
  return {
    text: useComputed(() => silenceText(own.value, !live.value)),
    gone: useComputed(() => live.value && own.value.length > 0 && own.value.every(isSilent)),
  };
}

/** Says beside what is shown of servers that some of them do not answer. */
export function SilenceMark({ text }: { readonly text: string }) {
  return text === "" ? null : (
    <span class="tone-warning">
      <Icon name="warning" /> {text}
    </span>
  );
}
