import { workerData } from "node:worker_threads";
import { spawnComparisonHelper, type WorkerRole } from "./client.js";
import { ComparisonHelper } from "./comparison-helper.js";
import { ComparisonEngine } from "./comparison.js";
import { Engine } from "./engine.js";
import { hostPort } from "./port.js";
import { fileMemory } from "./worker-memory.js";
import { adoptSecretParameters } from "./worker-secrets.js";

adoptSecretParameters();
const role = workerData as WorkerRole;
if (role === "comparison")
  new ComparisonEngine(hostPort(), { spawnHelper: () => spawnComparisonHelper(__filename, fileMemory().memoryMiB) });
else if (role === "comparison-helper") new ComparisonHelper(hostPort());
else new Engine(hostPort());
