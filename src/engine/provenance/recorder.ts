import { arch, cpus, hostname, loadavg, platform, release, totalmem } from "node:os";
import { PROVENANCE, type ProvenanceOptions, type ProvenancePart } from "../../core/model/index.js";
import type { JsonObject } from "../../core/text/index.js";
import type { ServerId } from "../../core/catalog/index.js";
import type { Target, Clock } from "../../collect/index.js";
import { listenerCommand } from "./processes.js";
import { commandState, gitState, gpus } from "./programs.js";
import { serverState } from "./servers.js";

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
