import { workerData } from "node:worker_threads";
import type { WorkerRole } from "./client.js";
import { ComparisonEngine } from "./comparison.js";
import { Engine } from "./engine.js";
import { hostPort } from "./port.js";
import { adoptSecretParameters } from "./worker-secrets.js";

adoptSecretParameters();
const role = workerData as WorkerRole;
if (role === "comparison") new ComparisonEngine(hostPort());
else new Engine(hostPort());
