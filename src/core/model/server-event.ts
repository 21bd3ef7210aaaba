import type { JsonObject } from "../text/json.js";
import type { EpochNs } from "./time.js";

/** A request that a server has finished, or a change of its KV cache. */
export type ServerEventKind = "request" | "kv-cache";

/** What a server tells of a single happening, beside its metrics. */
export interface ServerEvent {
  readonly kind: ServerEventKind;
  /** When it happened or, where the server does not say, was read. */
  readonly time: EpochNs;
  /** Of a request: its arrival. */
  readonly start?: EpochNs;
  readonly endpointUrl: string;
  /** For a person, in one line. */
  readonly label: string;
  /** What the server said of it, without any text of a user. */
  readonly details: JsonObject;
}
