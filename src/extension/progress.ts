import type { ChannelClient, EngineEvents, EngineRequests } from "../protocol/index.js";
import { showProgress } from "./sinks.js";

type Client = ChannelClient<EngineRequests, EngineEvents>;

export interface Task {
  readonly title: string;
  /** The request whose "work" events are shown. */
  readonly request: keyof EngineRequests;
}

/** Shows an engine's progress on one request as a notification while `work` runs; Cancel aborts the signal. */
export async function withEngineProgress<T>(
  client: Client,
  task: Task,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return showProgress(task.title, async (report, token) => {
    const controller = new AbortController();
    const cancel = token.onCancellationRequested(() => controller.abort());
    let done = 0;
    const unlisten = client.on("work", ({ request, message, fraction }) => {
      if (request !== task.request) return;
      const percent = fraction === undefined ? done : Math.min(100, fraction * 100);
      report(message, Math.max(0, percent - done));
      done = Math.max(done, percent);
    });
    try {
      return await work(controller.signal);
    } finally {
      unlisten();
      cancel.dispose();
    }
  });
}
