import { t } from "@vscode/l10n";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunHeader } from "../../src/protocol/index.js";
import { ProblemLine } from "../components/message.js";
import { formatClock, formatRelative, relativeSeconds } from "../format/time.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";
import {
  adjustmentOf,
  draggedPlace,
  handleLimits,
  handlePlaces,
  HANDLES,
  keyedPlace,
  stripTimes,
  type Handle,
} from "./handles.js";

const NAMES: { readonly [H in Handle]: string } = {
  warmupEnd: t("End of the warm-up"),
  windowStart: t("Start of the window"),
  windowEnd: t("End of the window"),
};
/** How near to a mark a handle is drawn to it, pixels. */
const SNAP = 5;
/** Times this near to an end of the strip, as a share of it, begin or end there. */
const EDGE = 0.08;
/** Keys that follow one another are one change. */
const KEY_REST_MS = 400;

interface Draft {
  readonly handle: Handle;
  /** OffsetNs. */
  readonly place: number;
  readonly by: "pointer" | "keys";
}

/**
 * The whole run in one strip above the charts, with handles for the window and the end of the warm-up. While one is
 * moved all charts show its time; let go, all statistics follow. It has a place of its own so that dragging in a chart
 * can mean zooming.
 */
export function WindowStrip({ header }: { readonly header: RunHeader }) {
  const { run } = useView();
  const action = useAction();
  const track = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<Draft | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const { now, profilingStart } = header;
  const places = { ...handlePlaces(header), ...(draft === undefined ? {} : { [draft.handle]: draft.place }) };
  // Without a window of its own the start is that of profiling.
  if (draft?.handle === "warmupEnd" && header.window === undefined) places.windowStart = draft.place;
  const percent = (offset: number) => `${(100 * Math.min(now, Math.max(0, offset))) / Math.max(1, now)}%`;
  const seconds = (offset: number) => relativeSeconds(offset, profilingStart);
  const time = (offset: number) => formatRelative(seconds(offset), 1);

  const move = (next: Draft | undefined) => {
    clearTimeout(timer.current);
    setDraft(next);
    run.pointed.value = next === undefined ? undefined : seconds(next.place);
  };
  const commit = (done: Draft) => {
    clearTimeout(timer.current);
    run.pointed.value = undefined;
    if (done.place === handlePlaces(header)[done.handle]) {
      setDraft(undefined);
      return;
    }
    const work = run.client.call("adjust", adjustmentOf(done.handle, done.place, header));
    action.start(work);
    // The header that comes with the change takes over; what failed goes back to its place.
    const settle = () => setDraft((current) => (current === done ? undefined : current));
    work.then(settle, settle);
  };
  const placeAt = (handle: Handle, clientX: number): number => {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return places[handle];
    return draggedPlace(handle, ((clientX - box.left) / box.width) * now, header, (SNAP / box.width) * now);
  };
  const onKeyDown = (handle: Handle) => (event: KeyboardEvent) => {
    if (event.key === "Escape" && draft !== undefined) {
      event.preventDefault();
      move(undefined);
      return;
    }
    if (event.key === "Enter" && draft !== undefined) {
      commit(draft);
      return;
    }
    const place =
      event.ctrlKey || event.metaKey || event.altKey ? undefined : keyedPlace(event, handle, places[handle], header);
    if (place === undefined) return;
    event.preventDefault();
    const next: Draft = { handle, place, by: "keys" };
    move(next);
    timer.current = setTimeout(() => commit(next), KEY_REST_MS);
  };
  const viewport = run.viewport.value;
  const chosen = header.window !== undefined || draft?.handle === "windowStart" || draft?.handle === "windowEnd";
  return (
    <div
      class="window-strip"
      role="group"
      aria-label={t("Window of all statistics and end of the warm-up, over the whole run")}
    >
      <div class="strip-track" ref={track}>
        <div class="strip-warmup" style={{ width: percent(places.warmupEnd) }} />
        <div
          class={`strip-window ${chosen ? "strip-chosen" : ""}`}
          style={{
            left: percent(places.windowStart),
            width: `calc(${percent(places.windowEnd)} - ${percent(places.windowStart)})`,
          }}
        />
        {header.marks.map((mark) => (
          <div
            key={mark.time}
            class="strip-mark"
            style={{ left: percent(mark.time) }}
            title={`${mark.label}, ${time(mark.time)}`}
          />
        ))}
        {viewport !== undefined && (
          <div
            class="strip-zoom"
            data-zoom={`${viewport.from} ${viewport.to}`}
            title={t`Shown in the charts: ${formatRelative(viewport.from, 1)} to ${formatRelative(viewport.to, 1)}`}
            style={{
              left: percent(viewport.from * 1e9 + profilingStart),
              width: `calc(${percent(viewport.to * 1e9 + profilingStart)} - ${percent(viewport.from * 1e9 + profilingStart)})`,
            }}
          />
        )}
        {HANDLES.map((handle) => {
          const [least, most] = handleLimits(handle, header);
          const place = places[handle];
          const text = `${time(place)} · ${formatClock(header.originMs, place)}`;
          return (
            <div
              key={handle}
              class={`strip-handle strip-${handle}`}
              style={{ left: percent(place) }}
              role="slider"
              tabIndex={0}
              aria-label={NAMES[handle]}
              aria-valuemin={seconds(least)}
              aria-valuemax={seconds(most)}
              aria-valuenow={seconds(place)}
              aria-valuetext={text}
              title={t`${NAMES[handle]}: ${text}\nDrag it, or use the arrow keys; Shift moves by a slice, Escape cancels`}
              onPointerDown={(event) => {
                if (event.button !== 0) return;
                event.preventDefault();
                event.currentTarget.focus();
                event.currentTarget.setPointerCapture(event.pointerId);
                move({ handle, place, by: "pointer" });
              }}
              onPointerMove={(event) => {
                if (draft?.by === "pointer" && draft.handle === handle)
                  move({ handle, place: placeAt(handle, event.clientX), by: "pointer" });
              }}
              onPointerUp={() => draft?.by === "pointer" && commit(draft)}
              onPointerCancel={() => move(undefined)}
              onBlur={() => draft?.by === "keys" && draft.handle === handle && commit(draft)}
              onKeyDown={onKeyDown(handle)}
            >
              <span class="strip-grip" />
              {draft?.handle === handle && (
                <span
                  class={`strip-label ${place > now / 2 ? "strip-label-left" : ""}`}
                >{`${NAMES[handle]} ${text}`}</span>
              )}
            </div>
          );
        })}
      </div>
      <div class="strip-times muted" aria-hidden="true">
        {stripTimes(places, now, chosen, header).map(({ offset, share, what }) => (
          <span
            key={offset}
            class={share < EDGE ? "strip-time-first" : share > 1 - EDGE ? "strip-time-last" : ""}
            style={{ left: `${100 * share}%` }}
          >
            {`${what} ${time(offset)}`}
          </span>
        ))}
      </div>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
    </div>
  );
}
