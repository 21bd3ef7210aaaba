import { formatValue } from "../catalog/index.js";
import { displayName } from "../model/index.js";
import { heading, paragraph, table, type Block } from "../text/document.js";
import type { ClientServer } from "./client-server.js";

/** Plain data for JSON: times as decimal text, durations in seconds. */
export function clientServerJson(rows: readonly ClientServer[]) {
  return rows.map((row) => ({
    metric: row.metric,
    title: row.title,
    unit: "seconds",
    client_family: row.clientFamily,
    client_endpoint_url: row.clientUrl,
    client_average: row.clientAverage,
    server: row.server,
    server_family: row.serverFamily,
    server_endpoint_urls: row.serverUrls,
    server_average: row.serverAverage,
    server_count: row.serverCount,
    difference: row.difference,
    share: row.share,
    class: row.shareClass,
    window: { start_ns: String(row.window.startNs), end_ns: String(row.window.endNs) },
    ...(row.note === undefined ? {} : { note: row.note }),
  }));
}

/** Cells of one row, as terminals and pages show them. */
export function clientServerCells({
  title,
  server,
  clientUrl,
  clientAverage,
  serverAverage,
  difference,
  share,
  shareClass,
}: Omit<ClientServer, "window">) {
  const seconds = (value: number) => formatValue(value, "seconds");
  // What is left of two equal sums is rounding.
  const equal = Math.abs(share) < 1e-9;
  return {
    metric: title,
    client: `${seconds(clientAverage)} (${displayName(clientUrl)})`,
    server: `${seconds(serverAverage)} (${server})`,
    difference: seconds(equal ? 0 : difference),
    share: formatValue(equal ? 0 : share, "ratio"),
    shareClass,
  };
}

/** For people; nothing without rows. */
export function clientServerDocument(rows: readonly Omit<ClientServer, "window">[]): readonly Block[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => {
    const { metric, client, server, difference, share, shareClass } = clientServerCells(row);
    return [metric, client, server, difference, share, shareClass];
  });
  return [
    heading("Client beside server"),
    paragraph("Client minus server is the time between them: network, gateway, tokenizer."),
    table(["Metric", "Client", "Server", "Difference", "Share of the client's", "Class"], cells, [3, 4]),
    ...[...new Set(rows.flatMap(({ note }) => note ?? []))].map((note) => paragraph(note)),
  ];
}
