import type { ServerId } from "./definition.js";

export interface DiscoveryPort {
  readonly port: number;
  /** Whose default port it is; empty when no server of the catalogue's. */
  readonly servers: readonly ServerId[];
}

/** Local ports tried by discovery, in this order. */
export const DISCOVERY_PORTS: readonly DiscoveryPort[] = [
  { port: 8000, servers: ["vllm", "trtllm", "dynamo-frontend"] },
  { port: 8081, servers: ["dynamo-component"] },
  { port: 7777, servers: [] },
  { port: 2379, servers: [] },
  { port: 30000, servers: ["sglang"] },
  { port: 8002, servers: ["triton"] },
  { port: 9400, servers: ["dcgm"] },
  { port: 9100, servers: ["node"] },
  { port: 9090, servers: ["epp"] },
];
