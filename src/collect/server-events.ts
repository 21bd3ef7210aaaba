import { formatValue } from "../core/catalog/index.js";
import { displayName, epochNs, NS_PER_MS, type Problem, type ServerEvent, warningOf } from "../core/model/index.js";
import { isFields, type Fields, type Json, type JsonObject } from "../core/text/index.js";
import { parsedJson } from "./http/encoding.js";
import { ServerClient } from "./http/server-client.js";
import type { Clock } from "./clock.js";
import type { EndpointOptions } from "./types.js";
import { noun } from "../core/text/plural.js";

/** Who hears of events. Both are called synchronously and must not throw. */
export interface ServerEventSink {
  onEvents(events: readonly ServerEvent[]): void;
  /** Said once. */
  onNotice(problem: Problem): void;
}

const PAUSE_MS = 1000;
/** The server itself waits for events for up to two seconds. */
const TIMEOUT_MS = 15_000;
const REMEDIES = {
  slow: "The server is overloaded or stuck: it is asked again.",
  large: "Check that this is TensorRT-LLM's own server. What it holds by now is read again.",
};

/**
 * The events of one trtllm-serve: its finished requests (`/perf_metrics`) and the changes of its KV cache
 * (`/kv_cache_events`). Reading takes them away from all other readers. What lay there before is read and dropped.
 */
export class ServerEventReader {
  private readonly client: ServerClient;
  private readonly routes: readonly Route[];
  /** Nanoseconds from the server's steady clock to the epoch; undefined where it does not tell its clock. */
  private clockOffset: number | undefined;

  /** @throws InvalidUrlError */
  constructor(
    server: EndpointOptions,
    sink: ServerEventSink,
    private readonly time: Clock,
  ) {
    this.client = new ServerClient({ ...server, url: server.url.replace(/\/(?:prometheus\/)?metrics\/?$/, "") });
    const { client } = this;
    this.routes = [
      new Route(client, "GET", "/perf_metrics", time, sink, (records) => records.map((one) => this.requestOf(one))),
      new Route(client, "POST", "/kv_cache_events", time, sink, (records) => records.map((one) => this.changeOf(one))),
    ];
  }

  /** Settles once what lay there before has been read. @throws the signal's reason */
  async start(signal?: AbortSignal): Promise<void> {
    this.clockOffset = await this.readClock(signal);
    await Promise.all(this.routes.map((route) => route.start(signal)));
  }

  /** Reads once more, for `limitMs` at the most. Never rejects. */
  async stop(limitMs: number): Promise<void> {
    await Promise.all(this.routes.map((route) => route.stop(limitMs)));
    this.client.close();
  }

  /** As the middle of a request and of its answer lie on both clocks. */
  private async readClock(signal?: AbortSignal): Promise<number | undefined> {
    const sent = this.time.now();
    const answer = await this.client.send({
      method: "GET",
      path: "/steady_clock_offset",
      timeoutMs: TIMEOUT_MS,
      remedies: REMEDIES,
      ...(signal === undefined ? {} : { signal }),
    });
    const received = this.time.now();
    const json = answer.kind === "answer" && answer.status === 200 ? parsedJson(answer.body) : undefined;
    if (!isFields(json)) return undefined;
    const { receive_ts: receive, transmit_ts: transmit } = json;
    if (typeof receive !== "number" || typeof transmit !== "number") return undefined;
    return Number(sent + received) / 2 - ((receive + transmit) / 2) * 1e9;
  }

  private requestOf(record: Fields): ServerEvent {
    const { request_id: id, perf_metrics: metrics } = record;
    const timing = isFields(metrics) && isFields(metrics["timing_metrics"]) ? metrics["timing_metrics"] : {};
    const seconds = (name: string) => (typeof timing[name] === "number" ? timing[name] : undefined);
    const [arrival, scheduled, first, last] = [
      seconds("arrival_time"),
      seconds("first_scheduled_time"),
      seconds("first_token_time"),
      seconds("last_token_time"),
    ];
    const now = this.time.now();
    const { clockOffset } = this;
    const placed = last !== undefined && clockOffset !== undefined;
    const time = placed ? epochNs(BigInt(Math.round(clockOffset + last * 1e9))) : now;
    const took = (from: number | undefined, to: number | undefined) =>
      from === undefined || to === undefined || to < from ? undefined : to - from;
    const whole = took(arrival, last);
    const parts = [
      ["", whole],
      ["first token after ", took(arrival, first)],
      ["queued ", took(arrival, scheduled)],
    ] as const;
    const words = parts.flatMap(([text, value]) =>
      value === undefined ? [] : [`${text}${formatValue(value, "seconds")}`],
    );
    return {
      kind: "request",
      time,
      ...(whole === undefined ? {} : { start: epochNs(time - BigInt(Math.round(whole * 1e9))) }),
      endpointUrl: this.client.url,
      label: [`Request ${textOf(id)}`, ...words].join(", "),
      details: jsonOf(record),
    };
  }

  /** Hashes stand for what users wrote, and tokens are that: neither is kept. */
  private changeOf({ event_id: id, window_size: windowSize, data }: Fields): ServerEvent {
    const fields = isFields(data) ? data : {};
    const { type, blocks, block_hashes: hashes, num_blocks_per_cache_level: levels } = fields;
    const count = Array.isArray(blocks) ? blocks.length : Array.isArray(hashes) ? hashes.length : undefined;
    const name = textOf(type);
    return {
      kind: "kv-cache",
      time: this.time.now(),
      endpointUrl: this.client.url,
      label: `KV cache ${name}${count === undefined ? "" : `: ${count} ${noun(count, "block")}`}`,
      details: {
        type: name,
        ...(typeof id === "number" ? { event_id: id } : {}),
        ...(typeof windowSize === "number" ? { window_size: windowSize } : {}),
        ...(count === undefined ? {} : { blocks: count }),
        ...(Array.isArray(levels) ? { num_blocks_per_cache_level: levels.filter((n) => typeof n === "number") } : {}),
      },
    };
  }
}

/** One of a server's lists of events, read again and again. */
class Route {
  private cancelTimer: () => void = () => undefined;
  private underWay: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Nothing more is read: the server has no such list. */
  private gone = false;
  private failing = false;

  constructor(
    private readonly client: ServerClient,
    private readonly method: "GET" | "POST",
    private readonly path: string,
    private readonly time: Clock,
    private readonly sink: ServerEventSink,
    private readonly eventsOf: (records: readonly Fields[]) => readonly ServerEvent[],
  ) {}

  async start(signal?: AbortSignal): Promise<void> {
    await this.read(false, TIMEOUT_MS, signal);
    this.schedule();
  }

  async stop(limitMs: number): Promise<void> {
    this.stopped = true;
    this.cancelTimer();
    const deadline = this.time.now() + BigInt(Math.round(limitMs * NS_PER_MS));
    let cancel = () => {};
    await Promise.race([this.underWay, new Promise<void>((resolve) => (cancel = this.time.after(limitMs, resolve)))]);
    cancel();
    const leftMs = Math.floor(Number(deadline - this.time.now()) / NS_PER_MS);
    if (!this.gone && leftMs >= 1) await this.read(true, leftMs);
  }

  private schedule(): void {
    if (this.stopped || this.gone) return;
    this.cancelTimer = this.time.after(PAUSE_MS, () => {
      this.underWay = this.read(true, TIMEOUT_MS).then(() => this.schedule());
    });
  }

  private async read(keep: boolean, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { method, path } = this;
    const given = signal === undefined ? {} : { signal };
    const answer = await this.client.send({ method, path, timeoutMs, remedies: REMEDIES, ...given });
    const url = `${displayName(this.client.url)}${path}`;
    if (answer.kind === "failed") return this.fail(answer.failure.reason, answer.failure.remedy);
    if (answer.status === 404 || answer.status === 405) {
      this.gone = true;
      return this.fail(`${url} does not exist (HTTP ${answer.status}): its events are not recorded.`);
    }
    const records = answer.status === 200 ? parsedJson(answer.body) : undefined;
    if (!Array.isArray(records))
      return this.fail(`${url} does not answer with a list of events (HTTP ${answer.status}).`);
    this.failing = false;
    const events = this.eventsOf(records.filter(isFields));
    if (keep && events.length > 0) this.sink.onEvents(events);
  }

  private fail(reason: string, remedy?: string): void {
    // While the server is away each reading fails alike.
    if (!this.failing) this.sink.onNotice(warningOf(reason, remedy));
    this.failing = true;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Numbers and records of numbers, as deep as they go; no text but keys. */
function jsonOf(record: Fields): JsonObject {
  const kept: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === "number") kept[name] = value;
    else if (isFields(value)) kept[name] = jsonOf(value);
  }
  return kept;
}
