import { ComparisonEngine } from "./comparison.js";
import { hostPort } from "../port.js";
import { adoptSecretParameters } from "../worker-setup.js";

adoptSecretParameters();
new ComparisonEngine(hostPort());
