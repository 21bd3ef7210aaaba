import { effect, type ReadonlySignal } from "@preact/signals";
import type { Layout } from "./layout.js";
import type { RunStore } from "./run-store.js";

/**
 * Cuts a saved run into slices of the length that was chosen for it last, and notes a length that is chosen now. A
 * capture keeps its own.
 * @returns what ends that
 */
export function followSlices(
  run: Pick<RunStore, "client" | "header">,
  layout: ReadonlySignal<Layout>,
  ready: ReadonlySignal<boolean>,
  choose: (seconds: number | undefined) => void,
): void {
  /** The length that the run has, as far as it is known; undefined until the one remembered has been asked for. */
  let known: number | undefined;
  let applying = false;
  effect(() => {
    const header = run.header.value;
    if (!ready.value || header?.state !== "opened" || !header.adjustable) return;
    if (applying) return;
    const now = header.sliceDurationSeconds;
    const wanted = layout.peek().sliceSeconds;
    if (known === undefined) {
      known = now;
      if (wanted === undefined || wanted === now) return;
      known = wanted;
      applying = true;
      const settled = () => {
        applying = false;
      };
      run.client.call("adjust", { sliceSeconds: wanted }).then(settled, () => {
        // The run cannot be cut so any more: it is shown as recorded, and that is what is remembered.
        settled();
        known = now;
        choose(undefined);
      });
    } else if (now !== known) {
      known = now;
      choose(now);
    }
  });
}
