import { clientServer, clientServerCells, clientServerSteps, type ClientServer } from "../../core/client/index.js";
import { complete } from "../../core/stats/index.js";
import type { OpenedArtifact } from "../../files/open/index.js";
import { right, textTable } from "../print/table.js";

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

/** A table for a terminal; "" without rows. */
export function clientServerText(rows: readonly ClientServer[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => {
    const { metric, client, server, difference, share, shareClass } = clientServerCells(row);
    return [metric, client, server, difference, share, shareClass];
  });
  const { text } = textTable(
    ["CLIENT LESS SERVER", right("CLIENT"), right("SERVER"), right("DIFFERENCE"), right("SHARE"), "CLASS"],
    cells,
  );
  return [text, ...new Set(rows.flatMap(({ note }) => note ?? []))].join("\n");
}
