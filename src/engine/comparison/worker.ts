import { ComparisonEngine } from "./comparison.js";
import { hostPort } from "../port.js";
import { adoptSecretParameters } from "../worker-secrets.js";

adoptSecretParameters();
new ComparisonEngine(hostPort());
