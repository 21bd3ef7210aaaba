import { ComparisonEngine } from "../engine/comparison/comparison.js";
import { Engine } from "../engine/engine.js";
import { hostPort } from "../engine/port.js";
import { adoptSecretParameters } from "../engine/worker-setup.js";
import { ChannelClient } from "../protocol/channel.js";
import { useDisk, type DiskRequests } from "./disk.js";

// Requests go both ways through one pipe: the engine is asked by the host, and asks it for files.
const host = new ChannelClient<DiskRequests, Record<never, never>>(hostPort());
useDisk({
  statFile: (params) => host.call("statFile", params),
  readFolder: (params) => host.call("readFolder", params),
  readPart: (params) => host.call("readPart", params),
});
adoptSecretParameters();
if (self.name.includes("comparison")) new ComparisonEngine(hostPort());
else new Engine(hostPort());
