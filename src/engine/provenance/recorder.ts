import { arch, cpus, hostname, loadavg, platform, release, totalmem } from "node:os";
import {
  PROVENANCE,
  configurationLeaves,
  type ProvenanceOptions,
  type ProvenancePart,
} from "../../core/model/index.js";
import { scrubConfiguration, fieldsOf, isFields, isList, type JsonObject } from "../../core/text/index.js";
import type { ServerId } from "../../core/catalog/index.js";
import type { Target, Clock } from "../../collect/index.js";
import { listenerCommand } from "./processes.js";
import { commandState, gitState, gpus } from "./programs.js";
import { ByteBuffer } from "../../core/bytes/index.js";
import { withoutSecrets } from "../../collect/server-words.js";
import { Fetcher } from "../../collect/http/http.js";
import { parsedJson } from "../../collect/http/encoding.js";

/** Exporters that serve no requests of models. */
const NO_SERVERS: readonly ServerId[] = ["dcgm", "amd", "node", "client"];

/** How long the end of a capture waits for what is still being asked. */
const END_MS = 1000;

/**
 * Finds out where a run came from while it is captured, in the background: what is slow, missing or refused is left
 * out. Servers are asked one after the other.
 */
export class ProvenanceRecorder {
  private readonly asked = new Set<string>();
  private readonly servers: { [url: string]: JsonObject } = {};
  private readonly over = new AbortController();
  private known: { [part: string]: JsonObject } = {};
  private work: Promise<unknown> = Promise.resolve();
  private begin: () => void = () => undefined;
  private queue = new Promise<void>((resolve) => (this.begin = resolve));
  private waiting = 0;
  /** From then on the run is being written. */
  private isOver = false;

  /** @param onFound called with an entry of `input_config` whenever more is known */
  constructor(
    private readonly options: ProvenanceOptions,
    private readonly time: Clock,
    private readonly onFound: (entry: JsonObject) => void,
  ) {}

  /** Begins to ask: once the first scrape has been made, which nothing may delay. */
  start(): void {
    const { folder, command } = this.options;
    this.begin();
    this.work = Promise.all([
      folder === undefined ? undefined : this.find("git", () => gitState(folder)),
      command === undefined ? undefined : this.find("command", () => commandState(command)),
      this.find("machine", machineState),
      this.find("neighbours", () => Promise.resolve({ load_average: oneMinuteLoad() })),
    ]).then(() => this.tell());
  }

  /** Whether an endpoint's server is still to be asked, when it has answered with metrics. */
  isNew(url: string): boolean {
    return this.options.parts.includes("servers") && !this.asked.has(url);
  }

  /** What an endpoint's server says of itself is asked for, unless its metrics are a machine's or a client's. */
  ask(target: Target | undefined, recognised: readonly ServerId[]): void {
    if (target === undefined) return;
    this.asked.add(target.url);
    const servers = recognised.filter((server) => !NO_SERVERS.includes(server));
    if (servers.length === 0) return;
    this.waiting++;
    this.queue = this.queue.then(() => this.asking(target, servers)).catch(() => undefined);
  }

  /** Ends it, as soon as all is known, a second later, or when nobody wants to wait any longer. */
  async end(hurry: AbortSignal): Promise<void> {
    if (hurry.aborted) this.over.abort();
    hurry.addEventListener("abort", () => this.over.abort(), { once: true });
    const timeout = this.time.after(END_MS, () => this.over.abort());
    const gone = new Promise((settle) => this.over.signal.addEventListener("abort", settle));
    if (!this.over.signal.aborted) await Promise.race([Promise.all([this.work, this.queue]), gone]);
    timeout();
    this.over.abort();
    const { neighbours } = this.known;
    if (neighbours !== undefined) this.known["neighbours"] = { ...neighbours, load_average_at_end: oneMinuteLoad() };
    this.tell();
    this.isOver = true;
  }

  private async find(part: ProvenancePart, look: () => Promise<JsonObject | undefined>): Promise<void> {
    const found = this.options.parts.includes(part) ? await look().catch(() => undefined) : undefined;
    if (found !== undefined && Object.keys(found).length > 0) this.known[part] = found;
  }

  private async asking(target: Target, servers: readonly ServerId[]): Promise<void> {
    if (!this.over.signal.aborted) {
      const command = await listenerCommand(target.url);
      const said = await serverState(target, servers, this.time, this.over.signal);
      // What it was cut short in is not all that the server says.
      if (this.over.signal.aborted) return;
      this.servers[target.url] = { ...(command === undefined ? {} : { command }), ...said };
      this.known["servers"] = { ...this.servers };
    }
    if (--this.waiting === 0) this.tell();
  }

  private tell(): void {
    if (!this.isOver && Object.keys(this.known).length > 0) this.onFound({ [PROVENANCE]: { ...this.known } });
  }
}

async function machineState(): Promise<JsonObject> {
  const [processor] = cpus();
  const found = await gpus();
  return {
    host: hostname(),
    system: `${platform()} ${release()} ${arch()}`,
    ...(processor === undefined ? {} : { processor: processor.model.trim() }),
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 1024 ** 3),
    ...(found.length === 0 ? {} : { gpus: found }),
  };
}

/** Rounded; 0 on Windows, which has none. */
function oneMinuteLoad(): number {
  return Math.round(100 * (loadavg()[0] ?? 0)) / 100;
}

const TIMEOUT_MS = 2000;
const LIMIT_BYTES = 2 * 1024 ** 2;
/** Of a server: an engine has some two hundred. */
const MAX_SETTINGS = 500;
const MAX_TEXT = 300;

/** What an engine reports of its configuration, and which parts of that are kept: environment and state never. */
const REPORTS: Partial<Record<ServerId, readonly { readonly path: string; readonly left: RegExp }[]>> = {
  vllm: [{ path: "/server_info?config_format=json", left: /^(?:vllm_env|system_env)\b/ }],
  sglang: [{ path: "/get_server_info", left: /^(?:internal_states|env\w*)\b/ }],
};

/**
 * What a server says of itself: version, models, and its engine's settings where it reports them. Requests that change
 * nothing, to the endpoint's own server with the endpoint's own headers; what it does not have is left out.
 */
async function serverState(
  { url, headers, tls, avoidsReserved }: Target,
  servers: readonly ServerId[],
  time: Clock,
  signal: AbortSignal,
): Promise<JsonObject> {
  const fetcher = new Fetcher(time, {
    url,
    headers,
    ...(tls === undefined ? {} : { tls }),
    ...(avoidsReserved === undefined ? {} : { avoidsReserved }),
  });
  const close = () => fetcher.close();
  signal.addEventListener("abort", close);
  const into = new ByteBuffer();
  const ask = async (path: string): Promise<unknown> => {
    const { outcome } = await fetcher.fetch({
      method: "GET",
      url: besideMetrics(url, path),
      into,
      limitBytes: LIMIT_BYTES,
      timeoutMs: TIMEOUT_MS,
      json: true,
    });
    if (outcome.kind !== "body") return undefined;
    return parsedJson(Buffer.from(withoutSecrets(new TextDecoder().decode(outcome.body), fetcher.hidden)));
  };
  try {
    const version = fieldsOf(await ask("/version"))["version"];
    const models = fieldsOf(await ask("/v1/models"))["data"];
    let settings: JsonObject = {};
    for (const { path, left } of servers.flatMap((server) => REPORTS[server] ?? []))
      settings = { ...settings, ...settingsOf(await ask(path), left) };
    return {
      ...(typeof version === "string" ? { version: version.slice(0, MAX_TEXT) } : {}),
      ...(isList(models) ? { models: models.flatMap(modelOf) } : {}),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    };
  } finally {
    signal.removeEventListener("abort", close);
    fetcher.close();
  }
}

/** Without what changes each time it is asked. */
function modelOf(model: unknown): readonly JsonObject[] {
  const { id, root, max_model_len: length } = fieldsOf(model);
  if (typeof id !== "string") return [];
  return [
    {
      id: id.slice(0, MAX_TEXT),
      ...(typeof root === "string" ? { root: root.slice(0, MAX_TEXT) } : {}),
      ...(typeof length === "number" ? { max_model_len: length } : {}),
    },
  ];
}

/** Leaves by their path, without secrets. */
function settingsOf(report: unknown, left: RegExp): JsonObject {
  if (!isFields(report)) return {};
  const leaves = [...configurationLeaves(report)]
    .filter(([path]) => !left.test(path))
    .map(([path, text]) => [path.replace(/^vllm_config\./, ""), text.slice(0, MAX_TEXT)] as const);
  // By the names of their own, whatever they stand in.
  return Object.fromEntries(
    leaves.slice(0, MAX_SETTINGS).map(([path, text]) => {
      const name = /[^.[\]]*$/.exec(path.replace(/\[\d+\]$/, ""))?.[0] ?? path;
      return [path, scrubConfiguration({ [name]: text })[name]];
    }),
  );
}

/** The address of something else of the server whose metrics are at a URL: beside them. */
function besideMetrics(url: string, path: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/(?:\/prometheus)?\/metrics\/?$/, "")}${path}`;
}
