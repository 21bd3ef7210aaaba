import type { Fields } from "../../text/index.js";
import { serverLabels } from "../earlier/server-labels.js";
import { asObject } from "./read-line.js";

/** Lines of the earlier, flat layout as lines of today's: every name is a scalar. */
export class FlatLines {
  /** Servers seen behind each URL, in order. */
  private readonly servers = new Map<string, string[]>();

  /** Undefined for a line of another layout. */
  asToday(line: Fields): Fields | undefined {
    const { server_url: url, metrics_data: flat, error } = line;
    if (typeof url !== "string" || typeof flat !== "object") return undefined;
    const values = Object.entries(asObject(flat ?? {}, "metrics_data")).filter(
      ([, value]) => typeof value === "number",
    );
    const labels = serverLabels(Object.entries(line));
    const message = messageOf(error);
    return {
      endpoint_url: this.endpointOf(url, labels.get("server")),
      timestamp_ns: line["timestamp_ns"],
      endpoint_latency_ns: 0,
      metrics: Object.fromEntries(
        values.map(([name, value]) => [name, [{ labels: Object.fromEntries(labels), value }]]),
      ),
      ...(message === undefined ? {} : { error: { type: "other", message } }),
    };
  }

  /** Several servers behind one URL are scraped apart, at times of their own: the second one is `…#2`. */
  private endpointOf(url: string, server: string | undefined): string {
    if (server === undefined) return url;
    const seen = this.servers.get(url) ?? [];
    this.servers.set(url, seen);
    if (!seen.includes(server)) seen.push(server);
    const position = seen.indexOf(server);
    return position === 0 ? url : `${url}#${position + 1}`;
  }
}

/** What a failed scrape's line says; undefined of one that did not fail. */
function messageOf(error: unknown): string | undefined {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return typeof error === "string" ? error : undefined;
}
