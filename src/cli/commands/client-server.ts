import { clientServer, clientServerSteps, type ClientServer } from "../../core/client/index.js";
import { complete } from "../../core/stats/index.js";
import type { OpenedArtifact } from "../../files/open/index.js";

/** What lies between the client and the servers of an opened run; empty without a client. */
export function clientServerOf(opened: OpenedArtifact): readonly ClientServer[] {
  switch (opened.kind) {
    case "samples":
      return complete(clientServerSteps(opened.run));
    case "statistics":
      return clientServer(opened.statistics);
    case "snapshot":
      return [];
  }
}
