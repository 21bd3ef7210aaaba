import { Engine } from "./engine.js";
import { hostPort } from "./port.js";
import { adoptSecretParameters } from "./worker-secrets.js";

adoptSecretParameters();
new Engine(hostPort());
