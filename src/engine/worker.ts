import { Engine } from "./engine.js";
import { hostPort } from "./port.js";

new Engine(hostPort());
