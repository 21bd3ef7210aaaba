import { Engine } from "./engine.js";
import { hostPort } from "./port.js";
import { adoptSecretParameters } from "./worker-setup.js";

adoptSecretParameters();
new Engine(hostPort());
