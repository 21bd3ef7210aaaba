import { workerData } from "node:worker_threads";
import { spawnComparisonHelper, type ComparisonRole } from "../client.js";
import { ComparisonHelper } from "./helper.js";
import { ComparisonEngine } from "./comparison.js";
import { hostPort } from "../port.js";
import { fileMemory } from "../worker-memory.js";
import { adoptSecretParameters } from "../worker-secrets.js";

adoptSecretParameters();
const role = workerData as ComparisonRole;
if (role === "helper") new ComparisonHelper(hostPort());
else new ComparisonEngine(hostPort(), { spawnHelper: () => spawnComparisonHelper(__filename, fileMemory().memoryMiB) });
