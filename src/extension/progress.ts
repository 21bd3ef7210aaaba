import type { ChannelClient, EngineEvents, EngineRequests } from "../protocol/index.js";
import { showProgress } from "./workbench-text.js";

type Client = ChannelClient<EngineRequests, EngineEvents>;

export interface Task {
  readonly title: string;
  /** The request whose "work" events are shown. */
  readonly request: keyof EngineRequests;
}

/**
 * Work that takes longer than this gets a message. The workbench leaves out the fourth new message within 0.8 s, and
 * one that says what became of the work must not be it: two of these never come within that time.
 */
const PROGRESS_AFTER_MS = 1000;

/** Shows an engine's progress on one request as a notification while `work` runs; Cancel aborts the signal. */
export async function withEngineProgress<T>(
  client: Client,
  task: Task,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let message = "";
  let percent = 0;
  let tell = (): void => undefined;
  const unlisten = client.on("work", (now) => {
    if (now.request !== task.request) return;
    message = now.message;
    if (now.fraction !== undefined) percent = Math.max(percent, Math.min(100, now.fraction * 100));
    tell();
  });
  const ended = work(controller.signal);
  const show = (): void => {
    const shown = showProgress(task.title, async (report, signal) => {
      signal.addEventListener("abort", () => controller.abort());
      let told = 0;
      tell = () => {
        report(message, percent - told);
        told = percent;
      };
      if (message !== "") tell();
      await ended;
    });
    // What it fails with goes to the caller.
    shown.then(undefined, () => undefined);
  };
  const timer = setTimeout(show, PROGRESS_AFTER_MS);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}
