import type { ServerDefinition } from "../definition.js";
import { amd } from "./amd.js";
import { client } from "./client.js";
import { dcgm } from "./dcgm.js";
import { dynamoComponent } from "./dynamo-component.js";
import { dynamoFrontend } from "./dynamo-frontend.js";
import { dynamoPlanner } from "./dynamo-planner.js";
import { dynamoRouter } from "./dynamo-router.js";
import { epp } from "./epp.js";
import { kvbm } from "./kvbm.js";
import { llamacpp } from "./llamacpp.js";
import { lmcache } from "./lmcache.js";
import { node } from "./node.js";
import { sglang } from "./sglang.js";
import { tgi } from "./tgi.js";
import { triton } from "./triton.js";
import { trtllm } from "./trtllm.js";
import { vllm } from "./vllm.js";

/**
 * All that is known, in the order in which servers are listed and their tiles shown. A family belongs to the first
 * server with its prefix.
 */
export const SERVERS: readonly ServerDefinition[] = [
  vllm,
  sglang,
  trtllm,
  tgi,
  llamacpp,
  lmcache,
  kvbm,
  dynamoFrontend,
  dynamoComponent,
  dynamoPlanner,
  dynamoRouter,
  epp,
  triton,
  dcgm,
  amd,
  node,
  client,
];
