/**
 * A fleet of endpoints in a process of its own: `node fleet.mjs ENDPOINTS SERIES`. Prints the ports as one JSON line.
 * Every scrape of an endpoint finds its counters risen and its gauges moved. Ends when its standard input closes.
 */
import { createServer } from "node:http";

const [endpoints = 1, series = 300] = process.argv.slice(2).map(Number);

/**
 * @param {number} scrape
 * @param {number} n series
 */
function exposition(scrape, n) {
  const lines = [];
  const histograms = Math.floor(n / 100);
  for (let h = 0; h < histograms; h++) {
    const count = scrape * (h + 3);
    lines.push(`# HELP fleet:latency_${h}_seconds Latency.`, `# TYPE fleet:latency_${h}_seconds histogram`);
    [0.01, 0.05, 0.1, 0.5, 1, 5, 10].forEach((le, b) =>
      lines.push(`fleet:latency_${h}_seconds_bucket{engine="0",le="${le}"} ${Math.floor((count * (b + 1)) / 8)}`),
    );
    lines.push(
      `fleet:latency_${h}_seconds_bucket{engine="0",le="+Inf"} ${count}`,
      `fleet:latency_${h}_seconds_sum{engine="0"} ${count * 0.37}`,
      `fleet:latency_${h}_seconds_count{engine="0"} ${count}`,
    );
  }
  const scalars = n - histograms;
  const counters = Math.floor(scalars / 2);
  lines.push("# TYPE fleet:requests_total counter");
  for (let i = 0; i < counters; i++) lines.push(`fleet:requests_total{engine="0",slot="${i}"} ${scrape * (i + 1)}`);
  lines.push("# TYPE fleet:usage_perc gauge");
  for (let i = 0; i < scalars - counters; i++)
    lines.push(`fleet:usage_perc{engine="0",slot="${i}"} ${((scrape * 7 + i * 13) % 100) / 100}`);
  return `${lines.join("\n")}\n`;
}

const servers = Array.from({ length: endpoints }, () => {
  let scrape = 0;
  return createServer((request, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
    response.end(request.method === "HEAD" ? undefined : exposition(++scrape, series));
  });
});
await Promise.all(
  servers.map((server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))),
);
process.stdout.write(`${JSON.stringify(servers.map(portOf))}\n`);
/** @param {import("node:http").Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === "object" ? address?.port : undefined;
}

process.stdin.resume().on("end", () => process.exit(0));
