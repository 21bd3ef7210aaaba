import type { ServerDefinition } from "../definition.js";
import { dcgm } from "./dcgm.js";
import { dynamoComponent } from "./dynamo-component.js";
import { dynamoFrontend } from "./dynamo-frontend.js";
import { sglang } from "./sglang.js";
import { triton } from "./triton.js";
import { trtllm } from "./trtllm.js";
import { vllm } from "./vllm.js";

/** All that is known, in the order in which servers are listed and their tiles shown. */
export const SERVERS: readonly ServerDefinition[] = [
  vllm,
  sglang,
  trtllm,
  dynamoFrontend,
  dynamoComponent,
  triton,
  dcgm,
];
